"""Steps of tokens by themselves, whose weights are there once they have been moved."""

import numpy as np
import pytest

from linnet import _core
from linnet.data.matrix import CsrRows, as_rows

RULES = ("perceptron", "pa", "pa1", "pa2")


def problem(labels: int, valued: bool, tokens: int = 300) -> tuple[_core.Rows, np.ndarray]:
    """Rows with features that stand together, and labels that follow from them."""
    random = np.random.default_rng(labels)
    codes = random.integers(0, labels, tokens).astype(np.int32)
    rows = []
    for t, code in enumerate(codes.tolist()):
        own = {code % 7, 10 + code % 13, 30 + code, 30 + labels + t // 2, 400 + labels + t // 2}
        rows.append(sorted(own | {int(random.integers(700, 720)) + labels}))
    indptr = np.cumsum([0, *map(len, rows)], dtype=np.int64)
    ids = np.array([f for row in rows for f in row], np.int32)
    values = random.choice([1.0, 0.5, -2.0], len(ids)) if valued else np.ones(len(ids))
    csr = CsrRows(indptr, ids, values.astype(np.float32), 800 + labels, distinct=True)
    return as_rows(csr, 1.0 if valued else 0.0), codes


def both(labels: int, rule: str, valued: bool, cost: float, average: bool = True):
    rows, codes = problem(labels, valued)
    weights = np.random.default_rng(0).choice([0.0, 0.5, 1.0], len(codes))
    offsets = np.arange(len(codes) + 1)
    crf = _core.ChainCRF(rows, codes, offsets, labels, weights, l2=1.0, all_pairs=True)
    chains = _core.ChainPerceptron(crf, rule, 0.3, average=average, seed=3, cost=cost)
    steps = _core.TokenSteps(
        rows, codes, labels, weights, rule, 0.3, average=average, seed=3, cost=cost
    )
    return chains, steps


@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize("cost", [0.0, 1.0])
@pytest.mark.parametrize(("labels", "valued"), [(7, False), (90, False), (90, True), (230, False)])
def test_the_same_bits_as_chains_of_one_token(rule, cost, labels, valued) -> None:
    chains, steps = both(labels, rule, valued, cost)
    for _ in range(4):
        expected, found = chains.epoch(), steps.epoch()
        assert (found.updates, found.mistakes) == (expected.updates, expected.mistakes)
        assert found.converged == expected.converged
    for smallest in (0.0, 0.02):
        wanted = chains.label_rows(smallest)
        assert all(map(np.array_equal, steps.label_rows(smallest), wanted))
        assert len(wanted[1])


def test_steps_go_on_from_a_state() -> None:
    _, steps = both(230, "pa1", True, 1.0)
    _, other = both(230, "pa1", True, 1.0)
    steps.epoch()
    other.restore(steps.state())
    assert steps.epoch().updates == other.epoch().updates
    assert all(map(np.array_equal, steps.label_rows(), other.label_rows()))


def test_damaged_states_and_arguments_are_refused() -> None:
    _, steps = both(90, "pa1", False, 1.0)
    _, few = both(7, "pa1", False, 1.0)
    steps.epoch()
    with pytest.raises(ValueError, match="not the state of such a training"):
        few.restore(steps.state())
    rows, codes = problem(7, False)
    ones = np.ones(len(codes))
    with pytest.raises(ValueError, match="out of range"):
        _core.TokenSteps(rows, codes + 1, 7, ones)
    with pytest.raises(ValueError, match="a weight for each token"):
        _core.TokenSteps(rows, codes, 7, ones[1:])
    with pytest.raises(ValueError, match="C must be positive"):
        _core.TokenSteps(rows, codes, 7, ones, C=0)
