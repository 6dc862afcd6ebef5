"""The CRF on chains: brute force over all label sequences, finite differences, and plain twins."""

from __future__ import annotations

import itertools
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

import linnet._core as _core

LABELS, FEATURES = 3, 7
LENGTHS = (3, 1, 4, 0, 2, 3)


@dataclass
class Chains:
    """A few random sentences; X is dense, (tokens, features)."""

    X: np.ndarray
    y: np.ndarray
    offsets: np.ndarray
    weights: np.ndarray | None = None

    def rows(self) -> _core.Rows:
        at, cols = np.nonzero(self.X)
        indptr = np.searchsorted(at, np.arange(len(self.X) + 1)).astype(np.int64)
        values = self.X[at, cols].astype(np.float32)
        return _core.Rows.csr(indptr, cols.astype(np.int32), values, FEATURES)

    def crf(self, **settings: Any) -> _core.ChainCRF:
        return _core.ChainCRF(self.rows(), self.y, self.offsets, LABELS, self.weights, **settings)

    def sentences(self) -> list[tuple[np.ndarray, np.ndarray, float]]:
        out = []
        for i in range(len(self.offsets) - 1):
            part = slice(self.offsets[i], self.offsets[i + 1])
            weight = 1.0 if self.weights is None else float(self.weights[i])
            out.append((self.X[part], self.y[part], weight))
        return out


def random_chains(
    seed: int, values: bool = False, missing: float = 0, weighted: bool = False
) -> Chains:
    rng = np.random.default_rng(seed)
    offsets = np.concatenate([[0], np.cumsum(LENGTHS)]).astype(np.int64)
    tokens = int(offsets[-1])
    X = (rng.random((tokens, FEATURES)) < 0.4).astype(np.float64)
    X[:, 5] = X[:, 2]  # two features that always stand together
    if values:
        X *= rng.choice([0.5, 1.0, 2.0], size=X.shape)
        X[:, 5] = X[:, 2]
    y = rng.integers(0, LABELS, tokens).astype(np.int32)
    y[rng.random(tokens) < missing] = -1
    weights = rng.random(len(LENGTHS)) + 0.5 if weighted else None
    return Chains(X, y, offsets, weights)


def tables(crf: _core.ChainCRF, u: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Dense weights (features, labels) and transitions at the coordinates u."""
    W = np.zeros((FEATURES + 1, LABELS))
    pairs = np.asarray(crf.pairs)
    W[pairs[:, 0], pairs[:, 1]] = crf.pair_weights(u)
    return W[1:], np.asarray(crf.transition_weights(u))


def scores(X: np.ndarray, W: np.ndarray, moves: np.ndarray) -> dict[tuple[int, ...], float]:
    theta = X @ W
    return {
        y: sum(theta[t, y[t]] for t in range(len(y)))
        + sum(moves[a, b] for a, b in itertools.pairwise(y))
        for y in itertools.product(range(LABELS), repeat=len(X))
    }


def log_sum(values: list[float]) -> float:
    return float(np.logaddexp.reduce(values))


def brute_force(chains: Chains, W: np.ndarray, moves: np.ndarray) -> list[float]:
    losses = []
    for X, gold, _ in chains.sentences():
        all_scores = scores(X, W, moves)
        fitting = [
            s for y, s in all_scores.items() if all(g in (-1, a) for g, a in zip(gold, y, strict=True))
        ]
        losses.append(log_sum(list(all_scores.values())) - log_sum(fitting))
    return losses


@pytest.mark.parametrize("all_weights", [False, True])
@pytest.mark.parametrize("precise", [False, True])
@pytest.mark.parametrize(("values", "missing", "weighted"), [(False, 0, False), (True, 0.3, True)])
def test_value_and_gradient(
    all_weights: bool, precise: bool, values: bool, missing: float, weighted: bool
) -> None:
    chains = random_chains(1, values, missing, weighted)
    crf = chains.crf(l2=0.7, all_pairs=all_weights, all_transitions=all_weights, precise=precise)
    rng = np.random.default_rng(0)
    u = rng.normal(size=crf.dim)
    value, gradient = crf.evaluate(u)
    losses = brute_force(chains, *tables(crf, u))
    expected = 0.35 * u @ u + sum(
        c * v for (_, _, c), v in zip(chains.sentences(), losses, strict=True)
    )
    assert value == pytest.approx(expected, rel=1e-12 if precise else 1e-6)
    np.testing.assert_allclose(crf.marginals(u)[1], losses, atol=1e-12 if precise else 1e-5)

    step = 1e-5
    crf.precise = True
    numeric = [
        (crf.evaluate(u + e)[0] - crf.evaluate(u - e)[0]) / (2 * step) for e in step * np.eye(crf.dim)
    ]
    np.testing.assert_allclose(gradient, numeric, atol=1e-7 if precise else 1e-4)


def test_marginals() -> None:
    chains = random_chains(2)
    crf = chains.crf(all_pairs=True)
    u = np.random.default_rng(1).normal(size=crf.dim)
    marginals, _ = crf.marginals(u)
    W, moves = tables(crf, u)
    token = 0
    for X, _, _ in chains.sentences():
        every = scores(X, W, moves)
        log_z = log_sum(list(every.values()))
        for t in range(len(X)):
            for label in range(LABELS):
                p = sum(np.exp(s - log_z) for y, s in every.items() if y[t] == label)
                assert marginals[token, label] == pytest.approx(p, abs=1e-6)
            token += 1


def test_only_seen_weights_exist() -> None:
    chains = random_chains(3)
    crf = chains.crf()
    pairs = {(int(f), int(y)) for f, y in np.asarray(crf.pairs)}
    seen = {
        (int(f) + 1, int(y)) for x, y in zip(chains.X, chains.y, strict=True) for f in np.flatnonzero(x)
    }
    assert pairs == seen
    moves = {
        int(a) * LABELS + int(b) for _, y, _ in chains.sentences() for a, b in itertools.pairwise(y)
    }
    assert set(np.asarray(crf.transitions).tolist()) == moves
    everything = chains.crf(all_pairs=True, all_transitions=True)
    assert len(everything.pairs) == FEATURES * LABELS
    assert len(everything.transitions) == LABELS**2


def test_merged_features_keep_the_penalty() -> None:
    """Features 2 and 5 stand at the same tokens: one coordinate, the same norm, equal weights."""
    crf = random_chains(4).crf(all_pairs=True, all_transitions=True, l2=1.0)
    assert crf.dim == (FEATURES - 1) * LABELS + LABELS**2
    u = np.random.default_rng(2).normal(size=crf.dim)
    W, moves = tables(crf, u)
    np.testing.assert_array_equal(W[2], W[5])
    assert np.sum(W**2) + np.sum(moves**2) == pytest.approx(u @ u, rel=1e-12)
    np.testing.assert_allclose(crf.coordinates(crf.pair_weights(u), moves), u, rtol=1e-12)


def test_threads_give_the_same_bits() -> None:
    chains = random_chains(5)
    u = np.random.default_rng(3).normal(size=chains.crf().dim)
    one, two = chains.crf().evaluate(u), chains.crf(threads=2).evaluate(u)
    assert one[0] == two[0]
    np.testing.assert_array_equal(one[1], two[1])


def test_scores_of_any_size() -> None:
    chains = random_chains(6)
    crf = chains.crf(all_pairs=True, all_transitions=True)
    u = 500 * np.random.default_rng(4).normal(size=crf.dim)
    losses = brute_force(chains, *tables(crf, u))
    np.testing.assert_allclose(crf.marginals(u)[1], losses, rtol=1e-5, atol=1e-2)


def minimum(crf: _core.ChainCRF) -> tuple[float, np.ndarray]:
    crf.precise = True
    solver = _core.LBFGS(crf, tol=1e-9, decrease_tol=1e-15)
    for _ in range(1000):
        stats = solver.epoch()
        if stats.converged:
            break
    return stats.objective, np.array(solver.weights)


@pytest.mark.parametrize("weighted", [False, True])
def test_dual_meets_primal(weighted: bool) -> None:
    crf = random_chains(7, values=True, weighted=weighted).crf(l2=0.5)
    best, u = minimum(crf)
    solver = _core.ChainDual(crf, tol=1e-5, seed=1)
    for _ in range(500):
        stats = solver.epoch()
        assert stats.dual <= best * (1 + 1e-6)
        if stats.converged:
            break
    assert stats.converged
    assert stats.gap <= 1e-5 * stats.objective
    assert stats.objective == pytest.approx(best, rel=1e-5)
    np.testing.assert_allclose(solver.weights, u, atol=3e-2)


def test_owlqn_makes_weights_zero() -> None:
    crf = random_chains(8).crf(l2=0.0, all_pairs=True, precise=True)
    solver = _core.OWLQN(crf, 0.5)
    for _ in range(200):
        if solver.epoch().converged:
            break
    assert 0 < np.count_nonzero(solver.weights) < crf.dim


def twin(chains: Chains, crf: _core.ChainCRF, rule: str, C: float, passes: int) -> tuple[Any, Any]:
    """Perceptron and passive-aggressive by enumeration, weights and their average as dense tables."""
    mask = np.zeros((FEATURES, LABELS))
    pairs = np.asarray(crf.pairs)
    mask[pairs[:, 0] - 1, pairs[:, 1]] = 1
    seen = np.zeros(LABELS**2)
    seen[np.asarray(crf.transitions)] = 1
    W, moves = np.zeros((FEATURES, LABELS)), np.zeros((LABELS, LABELS))
    sums = [np.zeros_like(W), np.zeros_like(moves)]
    steps = 0
    for _ in range(passes):
        for X, gold, _ in chains.sentences():
            if len(X):
                every = scores(X, W, moves)
                best = max(sorted(every, key=lambda y: y[::-1]), key=lambda y: every[y])  # ties
                if best != tuple(gold):
                    dW, dm = np.zeros_like(W), np.zeros_like(moves)
                    for y, sign in ((tuple(gold), 1), (best, -1)):
                        for t, label in enumerate(y):
                            dW[:, label] += sign * X[t]
                        for a, b in itertools.pairwise(y):
                            dm[a, b] += sign
                    dW, dm = dW * mask, dm * seen.reshape(dm.shape)
                    square = np.sum(dW**2) + np.sum(dm**2)
                    wrong = sum(a != b for a, b in zip(best, gold, strict=True))
                    loss = every[best] - every[tuple(int(g) for g in gold)] + np.sqrt(wrong)
                    ratio = loss / square if square > 0 else 0.0
                    tau = {
                        "perceptron": 1.0,
                        "pa": ratio,
                        "pa1": min(C, ratio),
                        "pa2": loss / (square + 1 / (2 * C)),
                    }[rule]
                    W, moves = W + tau * dW, moves + tau * dm
            steps += 1
            sums = [sums[0] + W, sums[1] + moves]
    return (W, moves), (sums[0] / steps, sums[1] / steps)


@pytest.mark.parametrize("rule", ["perceptron", "pa", "pa1", "pa2"])
@pytest.mark.parametrize("values", [False, True])
def test_online_steps_equal_enumeration(rule: str, values: bool) -> None:
    chains = random_chains(9, values)
    crf = chains.crf()
    for average in (False, True):
        solver = _core.ChainPerceptron(crf, rule, 0.2, average=average, shuffle=False)
        for _ in range(3):
            solver.epoch()
        got = tables(crf, np.array(solver.weights))
        for have, want in zip(got, twin(chains, crf, rule, 0.2, 3)[average], strict=True):
            np.testing.assert_allclose(have, want, atol=1e-5)


def dense(rows: tuple[Any, ...]) -> np.ndarray:
    """Rows of labels as a block (features + 1, labels)."""
    starts, labels, weights = rows
    block = np.zeros((len(starts) - 1, LABELS))
    block[np.repeat(np.arange(len(starts) - 1), np.diff(starts)), labels] = weights
    return block


@pytest.mark.parametrize("all_pairs", [False, True])
@pytest.mark.parametrize("ends", [False, True])
def test_weights_of_a_solver_in_either_form(all_pairs: bool, ends: bool) -> None:
    crf = random_chains(12, values=True).crf(all_pairs=all_pairs, ends=ends)
    for solver in (_core.ChainDual(crf), _core.ChainPerceptron(crf, "pa1", 0.1)):
        for _ in range(3):
            solver.epoch()
        u = solver.weights
        W, moves = tables(crf, u)
        ends_too = np.concatenate([moves.ravel(), crf.end_weights(u).ravel()])
        np.testing.assert_allclose(solver.tied_weights, ends_too, rtol=1e-6)
        for rows in (solver.label_rows(), crf.label_rows(u)):
            np.testing.assert_allclose(dense(rows)[1:], W, rtol=1e-6)
        middle = float(np.median(np.abs(W[W != 0])))
        kept = dense(solver.label_rows(middle))[1:]
        large = np.abs(W) >= middle * (1 + 1e-6)
        np.testing.assert_allclose(kept[large], W[large], rtol=1e-6)
        assert np.count_nonzero(kept) < np.count_nonzero(W)


def test_steps_go_on_from_given_weights() -> None:
    crf = random_chains(13).crf()
    one, other = (_core.ChainPerceptron(crf, "pa1", 0.2, average=False) for _ in range(2))
    one.epoch()
    other.start_at(one.weights)
    np.testing.assert_allclose(other.weights, one.weights, rtol=1e-6)


def test_rows_are_copied() -> None:
    chains = random_chains(14)
    rows = chains.rows()
    crf = _core.ChainCRF(rows, chains.y, chains.offsets, LABELS, chains.weights)
    u = np.random.default_rng(0).normal(size=crf.dim)
    before = crf.marginals(u)
    rows.forget()
    assert (rows.size, rows.nonzeros, rows.features) == (0, 0, FEATURES)
    for have, want in zip(crf.marginals(u), before, strict=True):
        assert have.tolist() == want.tolist()


def test_refusals() -> None:
    chains = random_chains(10, missing=0.5)
    crf = chains.crf()
    with pytest.raises(ValueError, match="missing"):
        _core.ChainDual(crf)
    with pytest.raises(ValueError, match="missing"):
        _core.ChainPerceptron(crf)
    with pytest.raises(ValueError, match="L2"):
        _core.ChainDual(random_chains(10).crf(l2=0.0))
    with pytest.raises(ValueError, match="rule"):
        _core.ChainPerceptron(random_chains(10).crf(), "winnow")
    chains.offsets = chains.offsets[:-1].copy()
    with pytest.raises(ValueError, match="offsets"):
        chains.crf()
    chains.y = np.full_like(chains.y, 7)
    with pytest.raises(ValueError, match="label"):
        chains.crf()
