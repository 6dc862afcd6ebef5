"""Sequential minimal optimisation against the SVC and SVR of scikit-learn, and conditions of optima."""

from itertools import combinations

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.sparse import csr_matrix
from scipy.sparse import random as random_sparse
from sklearn.svm import SVC, SVR

import linnet
import linnet._core as core
from linnet.data import as_rows
from linnet.errors import DataError, RefusedError, TrainingWarning
from linnet.estimators.linear.reductions import output_code
from linnet.kernels import Gaussian, Linear, Polynomial, Sum

Array = NDArray[np.float64]
KERNELS = {
    "linear": (Linear(), {"kernel": "linear"}),
    "polynomial": (Polynomial(3, 1.0), {"kernel": "poly", "degree": 3, "gamma": 1, "coef0": 1}),
    "gaussian": (Gaussian(0.8), {"kernel": "rbf", "gamma": 1 / (2 * 0.8**2)}),
}


def problem(seed: int, n: int = 150) -> tuple[csr_matrix, Array]:
    """Sparse rows of text-like lengths, and labels with noise."""
    rng = np.random.default_rng(seed)
    X = random_sparse(n, 300, 0.04, format="csr", random_state=seed)
    X.data = np.abs(rng.normal(size=len(X.data)))
    scores = X @ rng.normal(size=300) + 0.3 * rng.normal(size=n)
    return X, (scores > np.median(scores)).astype(int)


def dual_objective(coefficients: Array, K: Array) -> float:
    """½ βᵀKβ − Σ|β| of a classifier."""
    return float(0.5 * coefficients @ K @ coefficients - np.abs(coefficients).sum())


@pytest.mark.parametrize("name", KERNELS)
@pytest.mark.parametrize("C", [0.1, 1.0, 30.0])
def test_the_objective_is_that_of_svc(name: str, C: float) -> None:
    X, y = problem(3)
    kernel, peer = KERNELS[name]
    ours = linnet.KernelSVM(kernel, C, tol=1e-4).fit(X, y)
    theirs = SVC(C=C, tol=1e-4, **peer).fit(X, y)
    K = kernel(X)
    found = np.zeros(len(y))
    found[ours.support_] = ours.dual_coef_[:, 0]
    wanted = np.zeros(len(y))
    wanted[theirs.support_] = theirs.dual_coef_.toarray()[0]
    best = dual_objective(wanted, K)
    assert abs(dual_objective(found, K) - best) <= 1e-4 * abs(best)
    assert ours.record_.facts["objective"] == pytest.approx(best, rel=1e-4)
    assert abs(found.sum()) < 1e-9 * C * len(y)
    assert (found * np.where(y == 1, 1, -1) >= 0).all()
    assert np.abs(found).max() <= C
    np.testing.assert_allclose(
        ours.decision_function(X), theirs.decision_function(X), atol=2e-3 * max(1, C)
    )


@pytest.mark.parametrize("epsilon", [0.0, 0.1])
def test_regression_is_that_of_svr(epsilon: float) -> None:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(120, 4))
    z = np.sin(X[:, 0]) + X[:, 1] ** 2
    ours = linnet.KernelRegressor(Gaussian(1.5), 5.0, epsilon=epsilon, tol=1e-4).fit(X, z)
    theirs = SVR(C=5.0, gamma=1 / (2 * 1.5**2), epsilon=epsilon, tol=1e-4).fit(X, z)
    np.testing.assert_allclose(ours.predict(X), theirs.predict(X), atol=2e-3)
    K = Gaussian(1.5)(X)

    def objective(places: Array, beta: Array) -> float:
        b = np.zeros(len(z))
        b[places] = beta
        return float(0.5 * b @ K @ b - z @ b + epsilon * np.abs(b).sum())

    best = objective(theirs.support_, theirs.dual_coef_[0])
    assert objective(ours.support_, ours.dual_coef_[:, 0]) == pytest.approx(best, rel=1e-4)
    assert ours.record_.facts["objective"] == pytest.approx(best, rel=1e-4)


@pytest.mark.parametrize("C", [0.05, 3.0])
def test_shrinking_and_a_small_cache_change_nothing_of_the_optimum(C: float) -> None:
    X, y = problem(5, 700)
    signs, costs = np.where(y == 1, 1.0, -1.0), np.full(len(y), C)
    gram = core.VectorGram(as_rows(X, 0.0), "gaussian", precision=0.3)
    whole = core.smo_classify(core.GramCache(gram, 1 << 30), signs, costs, 1e-5)
    small = core.smo_classify(core.GramCache(gram, 1), signs, costs, 1e-5)
    plain = core.smo_classify(core.GramCache(gram, 1), signs, costs, 1e-5, -1, False)
    assert whole[5]
    assert small[5]
    for other in (small, plain):
        assert other[2] == pytest.approx(whole[2], rel=1e-6)
        np.testing.assert_allclose(other[0], whole[0], atol=2e-3 * C)
        assert other[1] == pytest.approx(whole[1], abs=1e-3)


def test_a_precomputed_matrix_is_the_kernel() -> None:
    X, y = problem(1)
    K = Polynomial(2)(X)
    direct = linnet.KernelSVM(Polynomial(2)).fit(X[:100], y[:100])
    given = linnet.KernelSVM("precomputed").fit(K[:100, :100], y[:100])
    np.testing.assert_allclose(
        given.decision_function(K[100:, :100]), direct.decision_function(X[100:]), atol=2e-3
    )
    with pytest.raises(DataError, match="100 training examples"):
        given.predict(K[100:, :50])
    with pytest.raises(DataError, match="not symmetric"):
        linnet.KernelSVM("precomputed").fit(np.triu(K[:5, :5]), [0, 1, 0, 1, 0])


def test_the_joint_kernel_has_the_objective_of_the_linear_machine() -> None:
    """½‖w‖² + C Σ max_k (s_k + [k ≠ y]) − s_y, by the linear learner in the primal."""
    rng = np.random.default_rng(2)
    X = rng.normal(size=(90, 6))
    y = np.argmax(X[:, :3] + 0.5 * rng.normal(size=(90, 3)), axis=1)
    ours = linnet.KernelSVM("linear", 0.7, tol=1e-6).fit(X, y)
    primal = linnet.LinearSVM(C=0.7, multiclass="joint", fit_intercept=False, tol=1e-7).fit(X, y)

    def objective(scores: Array, squared: float) -> float:
        margins = scores + (np.arange(3)[None, :] != y[:, None])
        return 0.5 * squared + 0.7 * float((margins.max(axis=1) - scores[np.arange(len(y)), y]).sum())

    W = primal.coef_
    best = objective(X @ W.T, float((W**2).sum()))
    beta, support = ours.dual_coef_, X[ours.support_]
    own = (support.T @ beta).T
    assert objective(ours.decision_function(X), float((own**2).sum())) == pytest.approx(best, rel=1e-4)
    assert ours.record_.facts["objective"] == pytest.approx(best, rel=1e-4)


def test_pairs_are_the_machines_of_svc() -> None:
    rng = np.random.default_rng(4)
    X = rng.normal(size=(120, 3))
    y = np.array(["c", "a", "b", "d"])[(X[:, 0] > 0) * 2 + (X[:, 1] > 0)]
    ours = linnet.KernelSVM(Gaussian(1.0), multiclass="pairs_votes", tol=1e-4).fit(X, y)
    theirs = SVC(gamma=0.5, tol=1e-4, decision_function_shape="ovo").fit(X, y)
    margins = theirs.decision_function(X)  # above 0: the first of two
    np.testing.assert_allclose(ours._columns(X), -margins, atol=3e-3)
    assert (ours.predict(X) == theirs.predict(X)).mean() > 0.98
    sums = linnet.KernelSVM(Gaussian(1.0), multiclass="pairs", tol=1e-4).fit(X, y)
    wanted = np.zeros((len(X), 4))
    for (a, b), column in zip(combinations(range(4), 2), margins.T, strict=True):
        wanted[:, a] += column
        wanted[:, b] -= column
    np.testing.assert_allclose(sums.decision_function(X), wanted, atol=1e-2)


@pytest.mark.parametrize("kernel", [Gaussian(1.0), "precomputed", Linear() + Gaussian(0.7)])
def test_codes_are_machines_of_two(kernel: object) -> None:
    """Of each column of the code one, and of their answers sums of margins, or votes."""
    rng = np.random.default_rng(5)
    X = rng.normal(size=(90, 3))
    y = np.array(["c", "a", "b"])[np.digitize(X[:, 0], [-0.5, 0.5])]
    data = Gaussian(1.0)(X) if kernel == "precomputed" else X
    summed = linnet.KernelSVM(kernel, multiclass="ecoc", tol=1e-5).fit(data, y)
    voted = linnet.KernelSVM(kernel, multiclass="ecoc_votes", tol=1e-5).fit(data, y)
    codes = output_code(3, 0)
    margins = np.empty((len(X), codes.shape[1]))
    for b, column in enumerate(codes.T):
        signs = column[np.searchsorted(["a", "b", "c"], y)]
        margins[:, b] = linnet.KernelSVM(kernel, tol=1e-5).fit(data, signs).decision_function(data)
    np.testing.assert_allclose(summed.decision_function(data), margins @ codes.T, atol=1e-2)
    np.testing.assert_allclose(voted._columns(data), margins, atol=1e-2)
    nearest = (np.where(margins > 0, 1, -1) @ codes.T).max(axis=1)  # the least Hamming distance
    names = np.searchsorted(["a", "b", "c"], voted.predict(data))
    assert ((np.where(margins > 0, 1, -1) @ codes.T)[np.arange(len(X)), names] == nearest).all()
    assert summed.record_.facts["classifiers"] == 3
    told = voted.explain(data[:3])
    assert all(" against " in one.label for one in told)
    assert all(one.label.split(" against ")[0].startswith(label) for one, label in
               zip(told, voted.predict(data[:3]), strict=True))  # fmt: skip


@pytest.mark.parametrize(
    "way", ["joint", "rest", "pairs", "pairs_votes", "ecoc", "ecoc_votes", "kesler"]
)
def test_many_labels_are_learnt(way: str) -> None:
    angles = np.linspace(0, 2 * np.pi, 200, endpoint=False)
    X = np.c_[np.cos(angles), np.sin(angles)]
    y = (np.arange(200) // 20) % 5  # ten arcs, five labels: no plane separates them
    model = linnet.KernelSVM(Gaussian(0.3), 100.0, multiclass=way).fit(X, y)
    assert model.score(X, y) > 0.95
    assert model.decision_function(X).shape == (200, 5)


def test_weights_are_repetitions() -> None:
    X, y = problem(7, 60)
    weights = np.arange(60) % 3
    weighted = linnet.KernelSVM(Gaussian(1.0), tol=1e-5).fit(X, y, sample_weight=weights)
    repeated = linnet.KernelSVM(Gaussian(1.0), tol=1e-5).fit(
        X[np.repeat(np.arange(60), weights)], np.repeat(y, weights)
    )
    np.testing.assert_allclose(weighted.decision_function(X), repeated.decision_function(X), atol=1e-3)
    assert (weighted.support_ % 3 != 0).all()


def test_sums_of_kernels_learn() -> None:
    X, y = problem(8, 80)
    both = Sum([Linear(), Gaussian(0.5)])
    model = linnet.KernelSVM(both, 10.0).fit(X, y)
    K = both(X)
    given = linnet.KernelSVM("precomputed", 10.0).fit(K, y)
    np.testing.assert_allclose(model.decision_function(X), given.decision_function(K), atol=1e-4)


def test_texts_go_through_features() -> None:
    texts = ["a linnet sings", "a wren sings", "linnets sing here", "the wren is small"] * 3
    labels = ["linnet", "wren", "linnet", "wren"] * 3
    model = linnet.KernelSVM("gaussian", 10.0).fit(texts, labels)
    assert model.predict(["the linnet"]).tolist() == ["linnet"]
    told = model.explain("the linnet")
    assert told.label == "linnet"
    total = sum(share.contribution for share in told.shares) + told.others + told.intercept
    assert total == pytest.approx(told.score, abs=1e-5)
    assert any("linnet" in share.shown for share in told.shares)


def test_support_vectors_of_a_regressor_are_shown() -> None:
    X = np.array([[0.0], [1.0], [2.0], [9.0]])
    model = linnet.KernelRegressor("linear", 10.0, epsilon=0.0).fit(X, 2 * X[:, 0] + 1)
    told = model.inspect(2).weights["number"]
    assert len(told) == 2
    assert all(name.startswith("example ") and "(" not in name for name, _ in told)


def test_a_limit_is_told() -> None:
    X, y = problem(9)
    with pytest.warns(TrainingWarning, match="raise max_iter"):
        linnet.KernelSVM("linear", max_iter=3).fit(X, y)


def test_what_makes_no_sense_is_refused() -> None:
    X, y = problem(10, 20)
    for settings, message in (
        ({"kernel": "cubic"}, "kernel must be one of"),
        ({"kernel": "gaussian width=2"}, "has no setting"),
        ({"kernel": Gaussian(-1.0)}, "sigma must be"),
        ({"kernel": Polynomial(0)}, "degree must be"),
        ({"C": 0.0}, "C must be"),
        ({"multiclass": "all"}, "multiclass must be"),
        ({"tol": 0}, "tol must be"),
        ({"cache": "much"}, "cache must be"),
    ):
        with pytest.raises(ValueError, match=message):
            linnet.KernelSVM(**settings).fit(X, y)
    with pytest.raises(RefusedError, match="no texts"):
        linnet.KernelSVM(features=linnet.TextFeatures()).fit(X, y)
    with pytest.raises(DataError, match="NaN"):
        linnet.KernelSVM().fit([[np.nan], [1.0]], [0, 1])
    with pytest.raises(ValueError, match="scale the features"):
        linnet.KernelSVM(Polynomial(20)).fit(1e6 * X, y)


def test_the_same_bits_for_any_number_of_threads() -> None:
    X, y = problem(11)
    one, two = (linnet.KernelSVM(n_jobs=n).fit(X, y).decision_function(X) for n in (1, 2))
    assert (one == two).all()


def test_settings_are_tuned() -> None:
    X, y = problem(12, 80)
    for model in (linnet.KernelSVM(), linnet.KernelPerceptron()):
        assert linnet.tune(model, None, X, y, folds=2).best
    grid = {"kernel": ["linear", "gaussian"], "C": [0.1, 10.0]}
    found = linnet.tune(linnet.KernelSVM(), grid, X, y, folds=2)
    assert len(found.result.rows) == 4
    assert found.estimator.kernel == found.best["kernel"]
    words = [f"linnet{'s' * (i % 3)}" for i in range(30)]
    numbers = [float(i % 3) for i in range(30)]
    best = linnet.tune(linnet.KernelRegressor("gappy length=2"), {"C": [0.01, 100.0]}, words, numbers)
    assert best.best == {"C": 100.0}
    with pytest.raises(RefusedError, match="GridSearchCV"):
        linnet.tune(linnet.KernelSVM("precomputed"), {"C": [1.0]}, X.toarray() @ X.T, y)


def test_a_gram_matrix_is_cut_by_rows_and_columns() -> None:
    from sklearn.model_selection import GridSearchCV

    X, y = problem(12, 80)
    K = Linear()(X)
    found = [
        GridSearchCV(linnet.KernelSVM(kernel), {"C": [0.1, 10.0]}, cv=3).fit(data, y).cv_results_
        for kernel, data in (("precomputed", K), ("linear", X))
    ]
    assert (found[0]["mean_test_score"] == found[1]["mean_test_score"]).all()
