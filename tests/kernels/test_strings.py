"""Kernels of strings against their definitions, written out."""

from collections import Counter
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import linnet
from linnet.errors import DataError
from linnet.kernels import Blended, Gappy, Kernel, Spectrum

TEXTS = st.lists(st.text(alphabet="abcé鳥", max_size=9), min_size=1, max_size=20)


def spectrum(text: str, lengths: dict[int, float]) -> dict[str, float]:
    """φ(s), written out."""
    found: Counter[str] = Counter()
    for p, worth in lengths.items():
        for i in range(len(text) - p + 1):
            found[text[i : i + p]] += worth  # type: ignore[assignment]
    return dict(found)


def subsequences(text: str, length: int, decay: float) -> dict[str, float]:
    """φ_u(s) = Σ_{i: u = s[i]} λ^l(i), over all places."""
    found: Counter[str] = Counter()
    for places in combinations(range(len(text)), length):
        span = places[-1] - places[0] + 1
        found["".join(text[i] for i in places)] += decay**span  # type: ignore[assignment]
    return dict(found)


def product(a: dict[str, float], b: dict[str, float]) -> float:
    return sum(value * b.get(u, 0.0) for u, value in a.items())


@settings(max_examples=60, deadline=None)
@given(TEXTS, TEXTS, st.integers(1, 5), st.floats(0.2, 1.0))
def test_gappy_subsequences(s: list[str], t: list[str], length: int, decay: float) -> None:
    fast = Gappy(length, decay, normalised=False)
    wanted = [
        [product(subsequences(a, length, decay), subsequences(b, length, decay)) for b in t] for a in s
    ]
    np.testing.assert_allclose(fast(s, t), wanted, rtol=1e-4, atol=1e-12)
    np.testing.assert_allclose(fast(s), fast(s, s), rtol=1e-5)
    np.testing.assert_allclose(fast.diagonal(s), np.diag(fast(s)), rtol=1e-5)


def recursive(s: str, t: str, p: int, decay: float) -> float:
    """The recursion of Lodhi et al. (2002), definition 2, as it is printed."""

    def prime(i: int, s: str, t: str) -> float:
        if i == 0:
            return 1.0
        if min(len(s), len(t)) < i:
            return 0.0
        x, rest = s[-1], s[:-1]
        return decay * prime(i, rest, t) + sum(
            prime(i - 1, rest, t[:j]) * decay ** (len(t) - j + 1) for j in range(len(t)) if t[j] == x
        )

    if min(len(s), len(t)) < p:
        return 0.0
    x, rest = s[-1], s[:-1]
    return recursive(rest, t, p, decay) + sum(
        prime(p - 1, rest, t[:j]) * decay**2 for j in range(len(t)) if t[j] == x
    )


def test_the_recursion_of_the_paper() -> None:
    pairs = [("science is organised", "wisdom"), ("cat", "car"), ("linnet", "linen"), ("", "a")]
    for s, t in pairs:
        for p in (1, 2, 3):
            fast = Gappy(p, 0.6, normalised=False)([s], [t])[0, 0]
            assert fast == pytest.approx(recursive(s, t, p, 0.6), rel=1e-4, abs=1e-12)


@settings(max_examples=60, deadline=None)
@given(TEXTS, TEXTS, st.integers(1, 4), st.floats(0.2, 1.0))
def test_substrings(s: list[str], t: list[str], length: int, decay: float) -> None:
    for kernel, lengths in (
        (Spectrum(length), {length: 1.0}),
        (Blended(length, decay), {p: decay**p for p in range(1, length + 1)}),
    ):
        wanted = [[product(spectrum(a, lengths), spectrum(b, lengths)) for b in t] for a in s]
        np.testing.assert_allclose(kernel(s, t), wanted, rtol=1e-6, atol=1e-12)
        np.testing.assert_allclose(kernel.diagonal(s), np.diag(kernel(s)), rtol=1e-6)


@pytest.mark.parametrize(
    "kernel", [Spectrum(2), Blended(3, 0.7), Gappy(3, 0.5), Gappy(2, normalised=False)]
)
def test_gram_matrices_are_positive_semidefinite(kernel: Kernel) -> None:
    rng = np.random.default_rng(0)
    texts = ["".join(rng.choice(list("abc "), rng.integers(0, 30))) for _ in range(40)]
    assert kernel.check(texts), str(kernel.check(texts))


def test_very_many_subsequences_leave_the_range_of_float() -> None:
    text = "a" * 300
    found = Gappy(12, 1.0, normalised=False)([text])[0, 0]
    from math import comb

    assert found == pytest.approx(float(comb(300, 12)) ** 2, rel=1e-6)


def test_the_same_bits_for_any_number_of_threads() -> None:
    rng = np.random.default_rng(1)
    texts = ["".join(rng.choice(list("abcdef "), 40)) for _ in range(70)]
    assert (Gappy(3)(texts, threads=1) == Gappy(3)(texts, threads=2)).all()


def test_a_machine_over_strings() -> None:
    words = ["linnet", "linnets", "lint", "wren", "wrens", "wrench"]
    model = linnet.KernelSVM("gappy length=2", 10.0).fit(words, [1, 1, 1, 0, 0, 0])
    assert model.predict(["linen", "wrenlet"]).tolist() == [1, 0]
    with pytest.raises(DataError, match="reads strings"):
        model.predict([3])
    with pytest.raises(ValueError, match="decay"):
        linnet.KernelSVM(Gappy(2, 0.0)).fit(words, [1, 1, 1, 0, 0, 0])
    assert Gappy(12, 1.0)(words).shape == (6, 6)
    with pytest.raises(ValueError, match="length must be from 1 to 12, not 13"):
        Gappy(13)(words)
    with pytest.raises(ValueError, match="length"):
        Spectrum(0)(words)
