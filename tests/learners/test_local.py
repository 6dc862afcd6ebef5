"""Maximum entropy Markov models: chains trained one label at a time."""

from dataclasses import replace
from itertools import pairwise, product

import numpy as np
import pytest
import scipy.sparse as sp
from scipy.special import log_softmax

from linnet import _core
from linnet.data.matrix import as_rows
from linnet.errors import RefusedError
from linnet.learners import LEARNERS
from linnet.model import ChainModel
from linnet.structures import ChainRules, Learnt, Reduction
from linnet.training.loop import Stopping
from linnet.training.trainer import train

from ..structured import changed, places
from .tag_problems import random_tags, tag_problem


def local(problem) -> Reduction:
    """The flat problem, and the way back."""
    return problem.structure.reduced(problem)


def overlapping(n: int, columns: int, seed: int) -> sp.csr_matrix:
    rng = np.random.default_rng(seed)
    return sp.random(n, columns, 0.5, "csr", rng=rng, dtype=np.float64).astype(np.float32)


def problem_of(seed: int = 0, ends: bool = True, pairs: bool = False, bias: float = 1.0, **settings):
    _, y = random_tags(seed)
    n = sum(map(len, y))
    X = overlapping(n, 5, seed)
    P = overlapping(n, 2, seed + 1) if pairs else None
    weights = np.random.default_rng(seed).uniform(0.5, 2, len(y))
    problem = tag_problem(as_rows(X, bias), y, 3, weights, loss="logistic", penalty="l2", ends=ends)
    seen = None if P is None else as_rows(P, 1.0)
    problem = replace(changed(problem, pairs=seen, local=True), **settings)
    return problem, X.toarray(), None if P is None else P.toarray()


def scores_of(problem, w, X, P):
    """Scores of a label at token t after label a, or at the beginning."""
    data, L = places(problem.data()), 3
    tokens = w[: (X.shape[1] + 1) * 4].reshape(-1, 4)[:, :L]
    move = w[data.transitions :][: L * L].reshape(L, L)
    start = w[data.start :][:L] if problem.structure.ends else np.zeros(L)
    state = X @ tokens[1:] + problem.rows.bias * tokens[0]
    pair = None if P is None else w[data.pairs :].reshape(P.shape[1] + 1, -1)[:, : L * L]

    def scores(t: int, a: int | None) -> np.ndarray:
        if a is None:
            return state[t] + start
        seen = 0 if pair is None else (pair[0] + P[t] @ pair[1:]).reshape(L, L)[a]
        return state[t] + move[a] + seen

    return scores


@pytest.mark.parametrize("ends", [False, True])
@pytest.mark.parametrize("pairs", [False, True])
def test_the_flat_loss_is_that_of_the_chain_one_label_at_a_time(ends, pairs) -> None:
    problem, X, P = problem_of(1, ends, pairs)
    made = local(problem)
    flat = np.random.default_rng(2).normal(size=made.problem.data().dim)
    flat.reshape(-1, 4)[:, 3] = 0
    w = made.back(Learnt(flat)).weights
    scores, total = scores_of(problem, w, X, P), 0.0
    for c, (begin, end) in zip(problem.weights, pairwise(problem.structure.offsets), strict=True):
        for t in range(begin, end):
            before = None if t == begin else problem.structure.labels[t - 1]
            total -= c * log_softmax(scores(t, before))[problem.structure.labels[t]]
    objective = _core.BatchObjective(made.problem.data(made.problem.costs), "logistic", l2=0.0)
    assert objective.evaluate(flat)[0] == pytest.approx(total)
    # and back: a warm start begins where training ended
    again = local(replace(problem, initial=w)).problem
    np.testing.assert_array_equal(again.initial, flat)


@pytest.mark.parametrize("learner", ["lbfgs", "dual", "newton", "coordinate", "sgd", "adagrad"])
def test_flat_learners_train_it(learner) -> None:
    problem, X, P = problem_of(3)
    if learner == "coordinate":
        problem = replace(problem, penalty="l1", l1=0.1, l2=0.0)
    w = train(LEARNERS[learner](), problem, Stopping(500)).learnt.weights
    scores = scores_of(problem, w, X, P)
    for begin, end in pairwise(problem.structure.offsets):
        length = int(end - begin)
        # Probabilities of all sequences, made of steps that each sum to one, sum to one.
        total = 0.0
        for y in product(range(3), repeat=length):
            steps = zip([None, *y], y, strict=False)
            total += np.exp(sum(log_softmax(scores(begin + t, a))[b] for t, (a, b) in enumerate(steps)))
        assert total == pytest.approx(1)


def test_exact_learners_agree() -> None:
    problem, _, _ = problem_of(4, tol=1e-9)
    a, b = (
        train(LEARNERS[name](), problem, Stopping(5000)).learnt.weights for name in ("lbfgs", "dual")
    )
    np.testing.assert_allclose(a, b, atol=1e-3)


def test_token_weights_count() -> None:
    problem, _, _ = problem_of(5)
    halves = np.random.default_rng(0).choice([0.5, 1.0], len(problem.structure.labels))
    flat = local(changed(problem, token_weights=halves)).problem
    lengths = np.diff(problem.structure.offsets)
    np.testing.assert_array_equal(flat.weights, np.repeat(problem.weights, lengths) * halves)


def test_what_makes_no_sense_is_refused() -> None:
    problem, _, _ = problem_of(6)
    missing = problem.structure.labels.copy()
    missing[1] = -1
    with pytest.raises(RefusedError, match="none may be missing; a CRF"):
        local(changed(problem, labels=missing))
    with pytest.raises(RefusedError, match="loss 'logistic', not 'hinge'"):
        local(replace(problem, loss="hinge"))
    with pytest.raises(RefusedError, match="order=1"):
        local(changed(problem, order=2))
    with pytest.raises(RefusedError, match="whole sequences"):
        local(problem).back(Learnt(np.zeros(3), votes=object()))


@pytest.mark.parametrize("masked", [False, True])
@pytest.mark.parametrize("pairs", [False, True])
def test_the_model_of_a_local_chain_equals_enumeration(masked, pairs) -> None:
    problem, X, P = problem_of(7, pairs=pairs)
    learnt = train(LEARNERS["lbfgs"](), problem, Stopping(500)).learnt
    model = ChainModel.of(learnt, problem.structure)
    allowed = np.ones((3, 3), np.uint8)
    allowed[1, 0] = allowed[2, 1] = 0 if masked else 1
    how = {"rules": ChainRules(transitions=allowed)}
    if P is not None:
        how["pairs"] = sp.csr_matrix(P)
    best, value = model.best(sp.csr_matrix(X), problem.structure.offsets, **how)
    marginals, log_z = model.marginals(sp.csr_matrix(X), problem.structure.offsets, **how)
    np.testing.assert_allclose(log_z, 0, atol=1e-6)  # nothing is left to normalise
    scores = scores_of(problem, learnt.weights, X, P)
    for i, (begin, end) in enumerate(pairwise(problem.structure.offsets)):
        log_p, share = {}, np.zeros((end - begin, 3))
        for y in product(range(3), repeat=int(end - begin)):
            if not all(allowed[a, b] for a, b in pairwise(y)):
                continue
            log_p[y] = 0.0
            for t, (a, b) in enumerate(zip([None, *y], y, strict=False)):
                step = scores(begin + t, a)
                log_p[y] += log_softmax(step if a is None else np.where(allowed[a], step, -np.inf))[b]
            share[np.arange(len(y)), y] += np.exp(log_p[y])
        assert value[i] == pytest.approx(max(log_p.values()), abs=1e-5)
        assert tuple(best[begin:end]) == max(log_p, key=log_p.__getitem__)
        np.testing.assert_allclose(marginals[begin:end], share, atol=1e-5)
