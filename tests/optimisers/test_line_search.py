"""The strong Wolfe conditions, as a property."""

import math

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from linnet import _core

SHAPES = {
    "quadratic": lambda c: lambda t: (0.5 * (t - c) ** 2, t - c),
    "quartic": lambda c: lambda t: ((t - c) ** 4, 4 * (t - c) ** 3),
    "logistic": lambda c: (
        lambda t: (
            float(np.logaddexp(0, -t)) + t / (2 + c),
            1 / (2 + c) - 1 / (1 + math.exp(min(t, 700))),
        )
    ),
    "wavy": lambda c: (
        lambda t: (
            0.5 * (t - c) ** 2 + 0.3 * math.sin(5 * t),
            (t - c) + 1.5 * math.cos(5 * t),
        )
    ),
    "barrier": lambda c: (
        lambda t: (
            (-math.log(c - t) - 3 * t / c, 1 / (c - t) - 3 / c) if t < c else (math.nan, math.nan)
        )
    ),
}


@settings(max_examples=300, deadline=None)
@given(
    shape=st.sampled_from(sorted(SHAPES)),
    c=st.floats(1.6, 1e3),
    first=st.floats(1e-6, 1e4),
    curvature=st.sampled_from([0.1, 0.5, 0.9]),
)
def test_strong_wolfe(shape, c, first, curvature):
    phi = SHAPES[shape](c)
    calls = []

    def counted(t):
        calls.append(t)
        return phi(t)

    value, slope = phi(0.0)
    assert slope < 0
    found = _core.strong_wolfe(counted, first, 1e-4, curvature)
    assert found is not None
    step, low, flat = found
    assert (low, flat) == phi(step)
    assert calls[-1] == step
    hidden_by_rounding = abs(low - value) <= 1e-14 * abs(value)
    assert low <= value + 1e-4 * step * slope or hidden_by_rounding
    assert abs(flat) <= curvature * abs(slope)
    assert len(calls) <= 41


def test_nothing_to_find():
    assert _core.strong_wolfe(lambda t: (1.0 + (t > 0), -1.0)) is None
    assert _core.strong_wolfe(lambda t: (0.0 if t == 0 else math.nan, -1.0)) is None


def test_unbounded_functions_end_at_a_lower_point():
    step, value, _ = _core.strong_wolfe(lambda t: (-t, -1.0))
    assert step > 1e6
    assert value == -step
