"""Every loss over every structure: its value by enumeration, its gradient by finite differences."""

import numpy as np
import pytest

from linnet import _core, testing

from ..structures import charts

CHART = charts.small(binary=[(0, 0, 0), (0, 1, 2), (1, 0, 1), (2, 2, 0)])
STRUCTURES = {
    "flat": (_core.FlatOracle(4), lambda: testing.all_labels(4), range(4)),
    "binary": (_core.BinaryOracle(), testing.all_binary, range(1)),
    "chain": (_core.Chain(3, 2), lambda: testing.all_chains(3, 2), range(6)),
    "projective": (_core.Projective(3), lambda: testing.all_trees(3), range(12)),
    "chart": (CHART.forest(3), lambda: CHART.trees(3), range(9)),
}
ORACLE_LOSSES = {
    "perceptron": ("max", 0, lambda v: v),
    "hinge": ("max", 1, lambda v: v),
    "squared_hinge": ("max", 1, lambda v: v * v),
    "logistic": ("log", 0, lambda v: v),
    "softmax_margin": ("log", 1, lambda v: v),
    "probability": ("log", 0, lambda v: 1 - np.exp(-v)),
    "exponential": ("log", 0, lambda v: np.exp(v) - 1),
}


@pytest.mark.parametrize("structure", STRUCTURES)
@pytest.mark.parametrize("loss", ORACLE_LOSSES)
@pytest.mark.parametrize("seed", range(4))
def test_value_by_enumeration(structure: str, loss: str, seed: int) -> None:
    oracle, outputs, costed = STRUCTURES[structure]
    ring, cost, link = ORACLE_LOSSES[loss]
    rng = np.random.default_rng(seed)
    theta = rng.normal(size=oracle.parts)
    every = list(outputs())
    gold = every[rng.integers(len(every))]
    scores = []
    for output in every:
        # Hamming distance: places where the output and the gold differ, each counted once.
        if structure == "binary":
            distance = len(set(output) ^ set(gold))
        else:
            distance = len({p for p in output if p in costed} - set(gold))
        scores.append(sum(theta[p] for p in output) + cost * distance)
    top = max(scores)
    value = top if ring == "max" else top + np.log(sum(np.exp(s - top) for s in scores))
    expected = link(value - sum(theta[p] for p in gold))
    assert oracle.loss(loss, theta, gold)[0] == pytest.approx(expected, rel=1e-10, abs=1e-12)


@pytest.mark.parametrize("structure", STRUCTURES)
@pytest.mark.parametrize("loss", [*ORACLE_LOSSES, "squared"])
@pytest.mark.parametrize("seed", range(4))
def test_gradient_by_finite_differences(structure: str, loss: str, seed: int) -> None:
    oracle, outputs, _ = STRUCTURES[structure]
    rng = np.random.default_rng(seed)
    theta = rng.normal(size=oracle.parts)
    every = list(outputs())
    gold = every[seed % len(every)]
    _, delta = oracle.loss(loss, theta, gold)
    for p in range(oracle.parts):
        step = np.zeros(oracle.parts)
        step[p] = 1e-6
        up, down = (oracle.loss(loss, theta + s * step, gold)[0] for s in (1, -1))
        assert (up - down) / 2e-6 == pytest.approx(delta[p], rel=1e-5, abs=1e-6)


def test_the_gold_output_itself_bounds_the_loss_from_below() -> None:
    """The gold output is among the outputs with no cost, so no slack is ever negative."""
    theta = np.array([50.0, 0, 0, 0])
    for loss in ORACLE_LOSSES:
        value, _ = _core.FlatOracle(4).loss(loss, theta, [0])
        assert 0 <= value < 1e-20


def test_unknown_loss_is_named() -> None:
    with pytest.raises(ValueError, match="unknown loss 'hing'"):
        _core.BinaryOracle().loss("hing", np.zeros(1), [0])
