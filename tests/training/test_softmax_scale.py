"""The scale of a softmax: the likeliest, and the same number on every machine."""

import numpy as np
import pytest

from linnet.training.calibration import Softmax, fit_softmax

RNG = np.random.default_rng(7)
LABELS = RNG.integers(4, size=300)
SCORES = RNG.normal(size=(300, 4)) + 2.0 * (np.arange(4) == LABELS[:, None])
WEIGHTS = RNG.uniform(0.5, 2, 300)


def likelihood(a: float) -> float:
    """Of the labels under a scale."""
    return float(WEIGHTS @ np.log(Softmax(a)(SCORES)[np.arange(300), LABELS]))


def test_the_likeliest() -> None:
    a = fit_softmax(SCORES, LABELS, WEIGHTS).a
    assert likelihood(a) > max(likelihood(a * 1.001), likelihood(a / 1.001))


@pytest.mark.parametrize("seed", range(5))
def test_no_digit_depends_on_how_a_machine_rounds(seed: int) -> None:
    noise = 1 + 1e-14 * np.random.default_rng(seed).normal(size=SCORES.shape)
    assert fit_softmax(SCORES * noise, LABELS, WEIGHTS) == fit_softmax(SCORES, LABELS, WEIGHTS)
