"""Intervals and tests: against brute force, against known answers, and the same for the same seed."""

import numpy as np
import pytest
from scipy.stats import binomtest

from linnet.evaluation import METRICS, answers, bootstrap, count, mcnemar, paired_bootstrap
from linnet.evaluation.resampling import better


def some_answers(n: int = 300, seed: int = 3):
    rng = np.random.default_rng(seed)
    gold = rng.choice(["a", "b", "c"], n, p=[0.6, 0.3, 0.1])
    first = np.where(rng.random(n) < 0.7, gold, rng.choice(["a", "b", "c"], n))
    second = np.where(rng.random(n) < 0.95, gold, rng.choice(["a", "b", "c"], n))
    return gold, first, second


def test_resampling_outcomes_is_resampling_examples() -> None:
    gold, first, _ = some_answers()
    interval = bootstrap(answers(gold, first), ("accuracy", "macro_f1"), resamples=4000)
    rng = np.random.default_rng(0)
    slow = []
    for _ in range(1000):
        rows = rng.integers(0, len(gold), len(gold))
        slow.append(METRICS["macro_f1"](count(answers(gold[rows], first[rows]))))
    low, high = np.quantile(slow, [0.025, 0.975])
    assert interval["macro_f1"].low == pytest.approx(low, abs=0.01)
    assert interval["macro_f1"].high == pytest.approx(high, abs=0.01)
    p = np.mean(gold == first)
    assert interval["accuracy"].value == pytest.approx(p)
    normal = 1.96 * np.sqrt(p * (1 - p) / len(gold))
    assert interval["accuracy"].low == pytest.approx(p - normal, abs=0.01)
    assert interval["accuracy"].high == pytest.approx(p + normal, abs=0.01)


def test_the_same_seed_gives_the_same_interval_however_it_is_cut(monkeypatch) -> None:
    gold, first, _ = some_answers()
    found = answers(gold, first)
    whole = bootstrap(found, resamples=200, seed=5)
    assert whole == bootstrap(found, resamples=200, seed=5)
    assert whole != bootstrap(found, resamples=200, seed=6)
    monkeypatch.setattr("linnet.evaluation.resampling.CELLS_AT_ONCE", 50)
    assert whole == bootstrap(found, resamples=200, seed=5)


def test_a_better_system_is_told_from_an_equal_one() -> None:
    gold, first, second = some_answers()
    names = ("accuracy", "macro_f1", "micro_f1")
    for found in paired_bootstrap(answers(gold, first, second), names).values():
        assert found.p < 0.01
        assert found.difference.low > 0
        assert better(found) == 1
    backwards = paired_bootstrap(answers(gold, second, first))["accuracy"]
    assert backwards.difference.high < 0
    assert better(backwards) == 0
    same = paired_bootstrap(answers(gold, first, first), resamples=100)["accuracy"]
    assert (same.difference.value, same.p, better(same)) == (0, 1, None)


def test_mcnemar_is_the_binomial_test_of_the_discordant() -> None:
    gold = ["a"] * 20
    first = ["a"] * 12 + ["b"] * 8
    second = ["a"] * 10 + ["b"] * 2 + ["a"] * 7 + ["b"]
    found = mcnemar(answers(gold, first, second))
    assert (found.only_first, found.only_second) == (2, 7)
    assert found.p == pytest.approx(binomtest(2, 9).pvalue)
    assert mcnemar(answers(gold, first, first)).p == 1


def test_several_labels_have_intervals_too() -> None:
    found = answers([["a"], ["a", "b"], []] * 20, [["a"], ["b"], ["b"]] * 20)
    interval = bootstrap(found, ("micro_f1", "hamming_loss"))
    assert interval["micro_f1"].low < 4 / 6 < interval["micro_f1"].high
    assert interval["hamming_loss"].value == pytest.approx(1 / 3)


def test_silly_settings_are_refused() -> None:
    found = answers(["a", "b"], ["a", "b"])
    with pytest.raises(ValueError, match="resamples must be 1 or more"):
        bootstrap(found, resamples=0)
    with pytest.raises(ValueError, match="level must be between 0 and 1"):
        bootstrap(found, level=95)
    with pytest.raises(ValueError, match="compares two systems, not 1"):
        paired_bootstrap(found)
    with pytest.raises(ValueError, match="compares two systems, not 1"):
        mcnemar(found)
