"""Several labels by problems of two, in the dual: with a linear kernel they are those of the primal."""

import itertools

import numpy as np
import pytest
from scipy.optimize import minimize

import linnet
import linnet._core as core
from linnet.errors import RefusedError
from linnet.kernels import Gaussian, Linear, Polynomial

Array = np.ndarray
CODED = ("pairs", "pairs_votes", "ecoc", "ecoc_votes")


def problem(n: int = 60, labels: int = 4) -> tuple[Array, Array]:
    """Whole numbers, so that both sides compute the same scores exactly."""
    rng = np.random.default_rng(labels)
    X = rng.integers(0, 3, size=(n, 6)).astype(float)
    return X, np.minimum(X[:, :3].sum(axis=1).astype(int) // 2, labels - 1)


def wrong_labels(y: Array, labels: int) -> list[tuple[int, int]]:
    return [(i, k) for i, gold in enumerate(y) for k in range(labels) if k != gold]


@pytest.mark.parametrize("constant", [0.0, 1.0])
def test_the_kernel_of_constraints_is_that_of_their_vectors(constant: float) -> None:
    """f(x, y) − f(x, y′) written out: K(x, x′)([y = z] − [y = z′] − [y′ = z] + [y′ = z′])."""
    X, y = problem(9)
    gram = core.DenseGram64(Linear()(X))
    cache = core.GramCache(gram, 1)  # fewer rows than there are
    joint = core.ConstraintGram(cache, y.astype(np.int32), 4, constant, True)
    with_constant = np.hstack([X, np.full((len(X), 1), np.sqrt(constant))])
    rows = []
    for i, k in wrong_labels(y, 4):
        row = np.zeros((4, with_constant.shape[1]))
        row[y[i]] += with_constant[i]
        row[k] -= with_constant[i]
        rows.append(row.ravel())
    rows.append(np.zeros_like(rows[0]))
    assert joint.size == len(rows)
    K = np.stack(rows) @ np.stack(rows).T
    signs = np.r_[np.ones(len(rows) - 1), 0.0]
    written = core.GramCache(core.DenseGram64(K), 1 << 20)
    costs = np.r_[np.full(len(rows) - 1, 0.5), 0.0]
    for size in (1, 1 << 20):
        beta = core.smo_classify(core.GramCache(joint, size), signs, costs, 1e-6)[0]
        assert beta == pytest.approx(core.smo_classify(written, signs, costs, 1e-6)[0], abs=1e-5)


@pytest.mark.parametrize("hypothesis", ["last", "averaged", "survivor"])
@pytest.mark.parametrize("intercept", [True, False])
def test_kesler_is_that_of_the_primal_mistake_for_mistake(hypothesis: str, intercept: bool) -> None:
    X, y = problem()
    average = {"last": False, "averaged": True}.get(hypothesis, hypothesis)
    passes = 1 if hypothesis == "survivor" else 6
    dual = linnet.KernelPerceptron(
        "linear", hypothesis, multiclass="kesler", max_iter=passes, fit_intercept=intercept
    ).fit(X, y)
    primal = linnet.Perceptron(
        average=average, multiclass="kesler", max_iter=passes, fit_intercept=intercept
    ).fit(X, y)
    assert [e.mistakes for e in dual.record_.epochs] == [e.mistakes for e in primal.record_.epochs]
    assert dual.record_.mistakes > 0
    np.testing.assert_allclose(dual.decision_function(X), primal.decision_function(X), atol=1e-4)
    assert dual.record_.facts["constraints"] == primal.record_.facts["constraints"] == 180
    if hypothesis == "survivor":
        assert dual.record_.facts["survivor"] == primal.record_.facts["survivor"]
        assert dual.record_.facts["survivor"]["epsilon"] is None  # constraints are no fresh examples


@pytest.mark.parametrize("way", ["rest", *CODED])
@pytest.mark.parametrize("hypothesis", ["last", "averaged", "survivor"])
def test_perceptrons_of_two_labels_are_those_of_the_primal(way: str, hypothesis: str) -> None:
    X, y = problem()
    average = {"last": False, "averaged": True}.get(hypothesis, hypothesis)
    passes = 1 if hypothesis == "survivor" else 4
    dual = linnet.KernelPerceptron("linear", hypothesis, multiclass=way, max_iter=passes).fit(X, y)
    primal = linnet.Perceptron(average=average, multiclass=way, max_iter=passes).fit(X, y)
    assert dual.record_.mistakes == primal.record_.mistakes > 0
    np.testing.assert_allclose(dual.decision_function(X), primal.decision_function(X), atol=1e-4)
    assert (dual.predict(X) == primal.predict(X)).all()
    assert dual.record_.facts.get("classifiers") == primal.record_.facts.get("classifiers")


def test_votes_of_kesler_are_those_of_all_its_hypotheses() -> None:
    """Each hypothesis votes for its best label, as often as it survived a constraint."""
    X, y = problem(40)
    found = linnet.KernelPerceptron(
        "linear", "voted", multiclass="kesler", max_iter=2, shuffle=False
    ).fit(X, y)
    Z = np.hstack([X, np.ones((len(X), 1))])
    W, votes, survived = np.zeros((4, Z.shape[1])), np.zeros((len(X), 4)), 0

    def vote() -> None:
        votes[np.arange(len(X)), (Z @ W.T).argmax(axis=1)] += survived

    for _, (i, k) in itertools.product(range(2), wrong_labels(y, 4)):
        if W[y[i]] @ Z[i] > W[k] @ Z[i]:
            survived += 1
            continue
        vote()
        W[y[i]] += Z[i]
        W[k] -= Z[i]
        survived = 1
    vote()
    np.testing.assert_allclose(found.decision_function(X), votes / votes[0].sum())


def test_a_budget_is_of_each_perceptron() -> None:
    X, y = problem()
    for way, machines in (("rest", 4), ("pairs", 6), ("kesler", 1)):
        bound = linnet.KernelPerceptron(Gaussian(1.0), "last", budget=3, multiclass=way).fit(X, y)
        free = linnet.KernelPerceptron(Gaussian(1.0), "last", multiclass=way).fit(X, y)
        assert len(bound.support_) <= 3 * machines < len(free.support_)


def test_what_is_of_one_perceptron_is_refused() -> None:
    X, y = problem()
    with pytest.raises(RefusedError, match="progressive"):
        linnet.KernelPerceptron(multiclass="kesler", progressive=True).fit(X, y)
    with pytest.raises(RefusedError, match="votes are of the hypotheses of one"):
        linnet.KernelPerceptron(hypothesis="voted", multiclass="pairs").fit(X, y)
    with pytest.raises(ValueError, match="multiclass must be"):
        linnet.KernelPerceptron(multiclass="each").fit(X, y)


@pytest.mark.parametrize("cache", ["200MB", 1])
def test_kesler_is_the_machine_of_weston_and_watkins(cache: object) -> None:
    """½‖w‖² + C Σ_i Σ_y′ max(0, 1 − (s_y − s_y′)), of a kernel and of its map written out."""
    X, y = problem(40, 3)
    ours = linnet.KernelSVM(Polynomial(2, 1.0), 0.3, multiclass="kesler", tol=1e-6, cache=cache).fit(
        X, y
    )
    pairs = [X[:, i] * X[:, j] * (np.sqrt(2) if i < j else 1) for i in range(6) for j in range(i, 6)]
    Z = np.column_stack([*pairs, np.sqrt(2) * X, np.ones(len(X))])

    def objective(w: Array) -> tuple[float, Array]:
        W = w.reshape(3, -1)
        scores = Z @ W.T
        short = 1 - (scores[np.arange(len(y)), y][:, None] - scores)
        short[np.arange(len(y)), y] = 0
        missed = (short > 0).astype(float)
        missed[np.arange(len(y)), y] = -missed.sum(axis=1)
        return 0.5 * w @ w + 0.3 * np.maximum(short, 0).sum(), w + 0.3 * (missed.T @ Z).ravel()

    w = ours.dual_coef_.T @ Z[ours.support_]
    np.testing.assert_allclose(ours.decision_function(X), Z @ w.T, atol=1e-3)
    value = objective(w.ravel())[0]
    assert value == pytest.approx(-ours.record_.facts["objective"], rel=1e-4)  # the dual: no gap
    around = minimize(objective, w.ravel(), jac=True, method="L-BFGS-B").fun
    assert value <= around * (1 + 1e-5)


def test_kesler_over_a_linear_kernel_is_that_of_the_linear_machine() -> None:
    X, y = problem(50)
    dual = linnet.KernelSVM("linear", 0.2, multiclass="kesler", tol=1e-6).fit(X, y)
    primal = linnet.LinearSVM(C=0.2, multiclass="kesler", fit_intercept=False, tol=1e-8, loss="hinge")
    primal.fit(X, y)
    np.testing.assert_allclose(dual.decision_function(X), primal.decision_function(X), atol=2e-3)


def test_weights_are_repetitions_of_constraints() -> None:
    X, y = problem(30, 3)
    weights = np.arange(30) % 3
    settings = {"C": 0.5, "multiclass": "kesler", "tol": 1e-6}
    weighted = linnet.KernelSVM(Gaussian(1.0), **settings).fit(X, y, sample_weight=weights)
    places = np.repeat(np.arange(30), weights)
    repeated = linnet.KernelSVM(Gaussian(1.0), **settings).fit(X[places], y[places])
    np.testing.assert_allclose(weighted.decision_function(X), repeated.decision_function(X), atol=1e-3)


@pytest.mark.parametrize("kind", ["svm", "perceptron"])
def test_kesler_explains_by_support_vectors(kind: str) -> None:
    X, y = problem(50)
    machine = (
        linnet.KernelSVM("gaussian", multiclass="kesler")
        if kind == "svm"
        else linnet.KernelPerceptron("gaussian", multiclass="kesler")
    ).fit(X, y)
    told = machine.explain(X[:1])[0]
    total = sum(share.contribution for share in told.shares) + told.others + told.intercept
    assert total == pytest.approx(told.score, abs=1e-4)
    assert told.label == str(machine.predict(X[:1])[0])
