"""Chains: weights for seen pairs and full blocks of weights agree; refusals beyond the cell."""

import warnings
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp

import linnet
import linnet._core as _core
from linnet.errors import DataError, RefusedError, TrainingWarning
from linnet.learners import LBFGS, SGD, AdaGrad, PassiveAggressive, checks
from linnet.structures import ChainRules, Problem, seen_pairs

from .. import problems
from ..structured import changed, places
from .small_tagger import best_labels, flat_weights, problem_of, trained, weights_at

DATA = problems.tagging()
# Two features that always stand together, with values: one coordinate of the fast path.
TWINS = DATA._replace(
    X=sp.csr_matrix(np.hstack([DATA.X.toarray() * [[0.5 if j % 3 else 2.0 for j in range(14)]]] * 2))
    .astype(np.float32)
    .tocsr()
)
WEIGHTS = np.random.default_rng(5).uniform(0.2, 2, len(DATA.offsets) - 1)
ALLOWED = ChainRules(start=np.ones(DATA.labels, np.uint8))  # forbids nothing, but has a mask


def shape(dense: bool, **settings: Any) -> dict[str, Any]:
    """All weights exist on both paths; a mask keeps the fast one from being taken."""
    given = {"all_states": True, "ends": True} | settings
    return given | ({"rules": ALLOWED, "all_states": None} if dense else {})


def both(learner: Any, epochs: int | None = None, data: Any = TWINS, **settings: Any) -> list[Any]:
    """(problem, flat weights, record) of the fast and of the generic path."""
    ends = settings.pop("ends", True)
    out = []
    for dense in (False, True):
        problem = problem_of(data, chain=shape(dense, ends=ends), **settings)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", TrainingWarning)
            result = trained(learner, problem, epochs)
        assert (result.learnt.states is None) == dense
        out.append((problem, flat_weights(result.learnt, problem), result.record))
    return out


def objective(problem: Problem, w: np.ndarray) -> float:
    """P(w) over the full block."""
    dense = _core.BatchObjective(problem.data(problem.costs), "logistic", problem.l2)
    return dense.evaluate(w)[0] + problem.l1 * float(np.abs(w).sum())


@pytest.mark.parametrize("ends", [True, False])
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize(
    ("learner", "penalty"), [("lbfgs", "l2"), ("owlqn", "l1"), ("owlqn", "elasticnet")]
)
def test_batch_paths_meet(learner: str, penalty: str, weighted: bool, ends: bool) -> None:
    settings = {"weights": WEIGHTS} if weighted else {}
    fast, dense = both(learner, penalty=penalty, tol=1e-7, ends=ends, C=0.7, **settings)
    values = [objective(fast[0], w) for _, w, _ in (fast, dense)]
    assert values[0] == pytest.approx(values[1], rel=1e-9)
    assert fast[2].epochs[-1].objective == pytest.approx(values[0], rel=1e-9)
    if penalty == "l1":  # of twins any split of the sum is a minimum
        folded = [w.copy() for _, w, _ in (fast, dense)]
        for w in folded:
            rows = w[: 29 * 4].reshape(29, 4)
            rows[1:15] += rows[15:]
            rows[15:] = 0
        np.testing.assert_allclose(*folded, atol=1e-3)
    else:
        np.testing.assert_allclose(fast[1], dense[1], atol=1e-4)


@pytest.mark.parametrize("ends", [True, False])
def test_the_dual_meets_the_primal(ends: bool) -> None:
    problem = problem_of(TWINS, chain={"ends": ends}, weights=WEIGHTS, tol=1e-5)
    dual, primal = trained("dual", problem), trained("lbfgs", replace(problem, tol=1e-7))
    last = dual.record.epochs[-1]
    assert dual.record.stopped == "converged"
    assert last.gap == pytest.approx(last.objective - last.dual)
    assert last.gap <= 1e-5 * last.objective
    assert last.objective == pytest.approx(primal.record.epochs[-1].objective, rel=1e-5)
    one, other = (flat_weights(result.learnt, problem) for result in (dual, primal))
    np.testing.assert_array_equal(one != 0, other != 0)
    np.testing.assert_allclose(one, other, atol=2e-2)


def test_a_dual_that_ends_early_still_certifies() -> None:
    with pytest.warns(TrainingWarning, match="duality gap"):
        result = trained("dual", problem_of(DATA, tol=1e-9), epochs=3)
    assert result.record.gap is not None
    assert result.record.gap > 0


STEPS = [
    ("perceptron", "perceptron", 1.0),
    ("perceptron", "hinge", 1.0),
    (PassiveAggressive(C=0.3), "hinge", 1.0),
    (PassiveAggressive(C=0.3), "hinge", 2.5),
    (PassiveAggressive(C=0.3, variant="II"), "hinge", 1.0),
    (PassiveAggressive(C=np.inf), "hinge", 1.0),
]


@pytest.mark.parametrize("average", [False, True])
@pytest.mark.parametrize(("learner", "loss", "margin"), STEPS)
def test_online_paths_meet(learner: Any, loss: str, margin: float, average: bool) -> None:
    # weights that are sums of halves are exact in single precision, and ties fall alike
    weights = np.resize([1.0, 2.0, 0.5, 0.0], len(WEIGHTS))
    settings = {"loss": loss, "penalty": "none", "average": average, "margin": margin}
    fast, dense = both(learner, 5, ends=True, weights=weights, **settings)
    if average:  # sentences of weight 0 are no steps of the generic path
        fast, dense = both(learner, 5, ends=True, **settings)
    else:
        assert [e.mistakes for e in fast[2].epochs] == [e.mistakes for e in dense[2].epochs]
        assert [e.updates for e in fast[2].epochs] == [e.updates for e in dense[2].epochs]
    np.testing.assert_allclose(fast[1], dense[1], atol=2e-4)


def test_seen_pairs_are_what_was_seen() -> None:
    result = trained("lbfgs", problem_of(DATA, chain={"all_transitions": False}))
    seen = {(f + 1, y) for t, y in enumerate(DATA.y) for f in DATA.X[t].indices}
    seen |= {(0, int(y)) for y in DATA.y}
    starts, labels, weights = result.learnt.states
    rows = np.repeat(np.arange(len(starts) - 1), np.diff(starts))
    assert {
        (int(f), int(y)) for f, y in zip(rows[weights != 0], labels[weights != 0], strict=True)
    } == seen
    moves = np.asarray(result.learnt.weights).reshape(DATA.labels, -1)
    inner = np.setdiff1d(np.arange(len(DATA.y)), DATA.offsets)
    assert (moves != 0).sum() == len({(DATA.y[t - 1], DATA.y[t]) for t in inner})


def gradient_numerically(crf: _core.ChainCRF, u: np.ndarray) -> np.ndarray:
    step = 1e-5 * np.eye(len(u))
    return np.array([(crf.evaluate(u + e)[0] - crf.evaluate(u - e)[0]) / 2e-5 for e in step])


@pytest.mark.parametrize("missing", [0.0, 0.3])
def test_ends_of_the_fast_path(missing: float) -> None:
    """The value is that of the generic objective, the gradient that of finite differences."""
    rng = np.random.default_rng(3)
    small = problems.tagging(8, 3, seed=2)
    y = np.where(rng.random(len(small.y)) < missing, -1, small.y).astype(np.int32)
    problem = problem_of(
        small._replace(y=y), weights=WEIGHTS[:8], chain={"ends": True, "all_states": True}
    )
    crf = seen_pairs._crf(problem.structure, problem, precise=True)
    u = rng.normal(size=crf.dim)
    value, gradient = crf.evaluate(u)
    np.testing.assert_allclose(gradient, gradient_numerically(crf, u), atol=1e-6)
    weights = weights_at(crf, u, problem)
    assert value == pytest.approx(objective(problem, weights), rel=1e-9)
    initial = replace(problem, initial=weights)
    np.testing.assert_allclose(seen_pairs._coordinates(crf, problem.structure, initial), u, atol=1e-12)


@pytest.mark.parametrize("learner", ["lbfgs", "owlqn", "dual", "perceptron", "pa"])
def test_threads_give_the_same_bits(learner: str) -> None:
    loss, penalty = {
        "owlqn": ("logistic", "l1"),
        "perceptron": ("perceptron", "none"),
        "pa": ("hinge", "none"),
    }.get(learner, ("logistic", "l2"))
    one, two = (
        trained(learner, problem_of(DATA, loss, penalty, threads=n), 10 if penalty == "none" else None)
        for n in (1, 2)
    )
    np.testing.assert_array_equal(one.learnt.weights, two.learnt.weights)


@pytest.mark.parametrize("dense", [False, True])
@pytest.mark.parametrize("penalty", ["l2", "elasticnet"])
def test_warm_starts_of_batch_learners(penalty: str, dense: bool) -> None:
    learner = "lbfgs" if penalty == "l2" else "owlqn"
    problem = problem_of(DATA, penalty=penalty, chain=shape(dense), tol=1e-4)
    cold = trained(learner, problem)
    given = flat_weights(cold.learnt, problem)
    warm = trained(learner, problem_of(DATA, penalty=penalty, chain=shape(dense), initial=given))
    assert warm.record.n_iter <= 2
    np.testing.assert_allclose(flat_weights(warm.learnt, problem), given, atol=1e-3)


@pytest.mark.parametrize(("learner", "loss"), [("perceptron", "perceptron"), ("pa", "hinge")])
def test_warm_starts_of_online_learners(learner: str, loss: str) -> None:
    problem = problem_of(DATA, loss, "none", shuffle=False)
    first = trained(learner, problem, 2)
    given = flat_weights(first.learnt, problem)
    second = trained(learner, problem_of(DATA, loss, "none", shuffle=False, initial=given), 3)
    whole = trained(learner, problem, 5)
    np.testing.assert_allclose(second.learnt.weights, whole.learnt.weights, atol=1e-5)


def test_probability_goes_on_from_a_crf() -> None:
    with pytest.raises(RefusedError, match="warm_start"):
        trained("lbfgs", problem_of(DATA, "probability"))
    start = flat_weights(trained("lbfgs", problem_of(DATA)).learnt, problem_of(DATA))
    problem = problem_of(DATA, "probability", initial=start)
    result = trained("lbfgs", problem)
    values = [
        _core.BatchObjective(problem.data(), "probability", problem.l2).evaluate(w)[0]
        for w in (start, flat_weights(result.learnt, problem))
    ]
    assert values[1] < values[0] - 0.5


def test_partial_labels_by_both_paths() -> None:
    y = DATA.y.copy()
    y[::4] = -1
    data = DATA._replace(y=y)
    fast, dense = both("lbfgs", data=data, tol=1e-7)
    assert objective(fast[0], fast[1]) == pytest.approx(objective(dense[0], dense[1]), rel=1e-6)
    result = trained("perceptron", problem_of(data, "perceptron", "none"))
    assert result.learnt.states is None  # the best labels that agree with those known
    labels = best_labels(flat_weights(result.learnt, fast[0]), fast[0], DATA.X)
    assert (labels == DATA.y).mean() > 0.6


@pytest.mark.parametrize("learner", ["dual", "newton", "gis"])
def test_learners_that_need_every_label(learner: str) -> None:
    y = DATA.y.copy()
    y[3] = -1
    with pytest.raises(RefusedError, match=f"{learner} needs the label of every token: .*'lbfgs'"):
        trained(learner, problem_of(DATA._replace(y=y)))


def test_order_0_is_a_classifier_of_tokens() -> None:
    y = DATA.y.copy()
    y[5] = -1
    problem = problem_of(DATA._replace(y=y), chain={"order": 0}, weights=WEIGHTS, tol=1e-6, bias=1.0)
    learnt = trained("lbfgs", problem).learnt
    flat = linnet.LinearClassifier("logistic", "lbfgs", tol=1e-6).fit(
        DATA.X, DATA.y, np.repeat(WEIGHTS, np.diff(DATA.offsets)) * (y >= 0)
    )
    np.testing.assert_allclose(learnt.weights, flat.model_.weights.ravel(), atol=1e-4)
    with pytest.raises(RefusedError, match="order 0"):
        trained("lbfgs", changed(problem, rules=ALLOWED))


COSTS = np.ones((4, 4)) - np.eye(4)


@pytest.mark.parametrize("loss", ["logistic", "perceptron", "exponential"])
@pytest.mark.parametrize(
    "given", [{"costs": COSTS}, {"token_weights": np.ones(len(DATA.y))}], ids=["costs", "tokens"]
)
def test_costs_need_a_loss_with_a_cost(loss: str, given: dict[str, Any]) -> None:
    problem = problem_of(DATA, loss, "none", chain=given)
    with pytest.raises(RefusedError, match=r"use 'softmax_margin'.* or 'hinge'"):
        trained("adagrad", problem)


@pytest.mark.parametrize(
    ("learner", "loss", "settings", "why"),
    [
        ("sgd", "logistic", {"all_states": False}, "all_states=False .* sgd"),
        ("adagrad", "hinge", {"all_transitions": False}, "all_transitions=False .* adagrad"),
        ("lbfgs", "logistic", {"all_states": False, "order": 2}, "a chain of order 2"),
        ("lbfgs", "softmax_margin", {"all_states": False}, "with loss 'softmax_margin'"),
        ("lbfgs", "logistic", {"all_states": False, "rules": ALLOWED}, "forbidden labels"),
        ("dual", "logistic", {"order": 2}, "dual does not train chains with a chain of order 2"),
        ("dual", "logistic", {"rules": ALLOWED}, "forbidden labels in training; use learner 'lbfgs'"),
    ],
)
def test_refused_shapes(learner: str, loss: str, settings: dict[str, Any], why: str) -> None:
    with pytest.raises(RefusedError, match=why):
        trained(learner, problem_of(DATA, loss, chain=settings))


@pytest.mark.parametrize("loss", ["hinge", "squared_hinge"])
def test_the_dual_of_hinge_losses(loss: str) -> None:
    with pytest.raises(RefusedError, match="'frank_wolfe' with loss 'hinge'"):
        trained("dual", problem_of(DATA, loss))


def test_blocks_that_do_not_fit(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(checks, "memory", lambda: 1e3)
    with pytest.raises(DataError, match=r"sgd would hold 0\.0 GB.*14 features and 4 label.*hash_bits"):
        trained("sgd", problem_of(DATA))
    assert trained("lbfgs", problem_of(DATA)).learnt.states is not None
    with pytest.raises(DataError, match="lbfgs would hold"):
        trained("lbfgs", problem_of(DATA, "softmax_margin"))


def test_exponential_losses_of_long_sentences() -> None:
    n = 600
    X = sp.csr_matrix(np.ones((n, 1), np.float32))
    y = np.arange(n, dtype=np.int32) % 4
    data = problems.Tagged(X, np.array([0, n], np.int64), y, 4)
    with pytest.raises(RefusedError, match="e\\^832 of them: no number is as large"):
        trained("adagrad", problem_of(data, "exponential"))


@pytest.mark.parametrize("learner", ["lbfgs", "dual"])
def test_no_hard_margin(learner: str) -> None:
    with pytest.raises(ValueError, match="finite C"):
        trained(learner, problem_of(DATA, C=np.inf))


@pytest.mark.parametrize("order", [1, 2])
@pytest.mark.parametrize("ends", [True, False])
def test_newton_agrees_on_chains(order: int, ends: bool) -> None:
    problem = problem_of(DATA, chain={"order": order, "ends": ends, "rules": ALLOWED}, tol=1e-6)
    newton, lbfgs = trained("newton", problem), trained(LBFGS(), problem)
    assert newton.record.epochs[-1].objective == pytest.approx(
        lbfgs.record.epochs[-1].objective, rel=1e-8
    )


@pytest.mark.parametrize(("learner", "loss"), [("lbfgs", "softmax_margin"), ("sgd", "hinge")])
def test_costs_scale_the_margin(learner: str, loss: str) -> None:
    """Costs of 1 are what there is without them; twice that is twice the margin."""

    def weights(**chain: Any) -> np.ndarray:
        margin = chain.pop("margin", 1.0)
        problem = problem_of(DATA, loss, chain=chain, margin=margin)
        return np.asarray(trained(learner, problem).learnt.weights)

    np.testing.assert_allclose(weights(costs=COSTS), weights(), atol=1e-6)
    np.testing.assert_allclose(weights(costs=2 * COSTS), weights(margin=2.0), atol=1e-6)
    tokens = np.full(len(DATA.y), 2.0)
    np.testing.assert_allclose(weights(token_weights=tokens), weights(margin=2.0), atol=1e-6)
    assert not np.allclose(weights(costs=2 * COSTS), weights(), atol=1e-3)


@pytest.mark.parametrize(
    "learner", [SGD(eta0=1.0, power=0.75), AdaGrad(eta0=0.3)], ids=["sgd", "adagrad"]
)
def test_a_free_intercept_frees_nothing_else(learner: Any) -> None:
    """Batch and online learners mean the same: transitions and ends are penalised all the same."""
    problem = problem_of(DATA, penalize_intercept=False, C=0.05)
    best = trained("lbfgs", replace(problem, tol=1e-6))
    near = trained(learner, problem, 300)
    a, b = (np.asarray(t.learnt.weights, np.float64) for t in (best, near))
    for w in (a, b):
        w[: DATA.labels] -= w[: DATA.labels].mean()  # what all labels share says nothing
    np.testing.assert_allclose(a, b, atol=0.03)
    data = problem.data()
    assert np.abs(a[places(data).transitions :]).max() > 0.1
    held = trained("lbfgs", problem_of(DATA, C=0.05, chain=shape(dense=True)))
    assert np.abs(a - held.learnt.weights).max() > 0.01


def test_streams_refuse_what_fits_do() -> None:
    problem = problem_of(DATA, "logistic", chain={"costs": COSTS})
    with pytest.raises(RefusedError, match="softmax_margin"):
        SGD().stream(problem)
