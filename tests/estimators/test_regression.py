"""Regressors: closed forms, naive steps, files, explanations, metrics."""

import numpy as np
import pytest
from scipy.linalg import lstsq
from scipy.stats import spearmanr
from sklearn.linear_model import Lasso, Ridge
from sklearn.metrics import mean_absolute_error, mean_squared_error, r2_score

import linnet
from linnet.errors import DataError, RefusedError
from linnet.evaluation import NumberTally, bootstrap, score
from linnet.learners import SGD, Winnow


def problem(seed: int = 0, n: int = 80, features: int = 6) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, features)) / 3
    return X, X @ rng.normal(size=features) + 0.7 + 0.1 * rng.normal(size=n)


@pytest.mark.parametrize("learner", ["auto", "newton", "lbfgs", "cg"])
def test_ridge_in_closed_form(learner: str) -> None:
    X, y = problem()
    weights = np.random.default_rng(1).random(len(y)) + 0.1
    model = linnet.LinearRegressor(learner=learner, C=2.0, tol=1e-11, max_iter=5000)
    model.fit(X, y, sample_weight=weights)
    Z = np.hstack([np.ones((len(X), 1)), X])
    penalty = np.diag([0.0] + [0.5] * X.shape[1])  # the intercept is free
    expected = np.linalg.solve(Z.T @ (weights[:, None] * Z) + penalty, Z.T @ (weights * y))
    assert model.intercept_ == pytest.approx(expected[0], abs=1e-5)
    assert model.coef_ == pytest.approx(expected[1:], abs=1e-5)
    peer = Ridge(alpha=0.5).fit(X, y, sample_weight=weights)
    assert model.predict(X) == pytest.approx(peer.predict(X), abs=1e-5)


def test_least_squares_without_a_penalty() -> None:
    X, y = problem()
    model = linnet.LinearRegressor(penalty="none", tol=1e-11).fit(X, y)
    expected = lstsq(np.hstack([np.ones((len(X), 1)), X]), y)[0]
    assert model.intercept_ == pytest.approx(expected[0], abs=1e-5)
    assert model.coef_ == pytest.approx(expected[1:], abs=1e-5)


def test_lasso() -> None:
    X, y = problem(features=20)
    peer = Lasso(alpha=0.02, tol=1e-10).fit(X, y)  # (1/2n) Σ e² + α ‖w‖₁
    model = linnet.LinearRegressor(penalty="l1", alpha=0.02, tol=1e-10, max_iter=5000).fit(X, y)
    assert model.coef_ == pytest.approx(peer.coef_, abs=1e-4)
    assert ((model.coef_ == 0) == (peer.coef_ == 0)).all()


def test_least_mean_squares_step_by_step() -> None:
    X, y = problem()
    w = np.zeros(X.shape[1] + 1)
    Z = np.hstack([np.ones((len(X), 1)), X])
    for _ in range(3):
        for z, target in zip(Z, y, strict=True):
            w += 0.1 * (target - w @ z) * z  # Widrow and Hoff
    learner = SGD("constant", eta0=0.1)
    model = linnet.LinearRegressor(learner=learner, penalty="none", max_iter=3, shuffle=False).fit(X, y)
    assert model.intercept_ == pytest.approx(w[0], abs=1e-5)
    assert model.coef_ == pytest.approx(w[1:], abs=1e-5)


def test_the_perceptron_steps_by_the_error() -> None:
    X, y = problem()
    w, X = np.zeros(X.shape[1]), X / 2
    for x, target in zip(X, y, strict=True):
        w += (target - w @ x) * x
    model = linnet.LinearRegressor(
        learner="perceptron", penalty="none", max_iter=1, shuffle=False, fit_intercept=False
    ).fit(X, y)
    assert model.coef_ == pytest.approx(w, abs=1e-5)


def test_winnow_multiplies_by_the_error() -> None:
    """Exponentiated gradients, w± ← w± e^(±η (y − ŷ) x), for a factor of e^η."""
    X, y = problem()
    up, down = np.ones(X.shape[1]), np.ones(X.shape[1])
    for x, target in zip(X, y, strict=True):
        g = (target - (up - down) @ x) * x
        up, down = up * np.exp(0.2 * g), down * np.exp(-0.2 * g)
    factor = float(np.exp(0.2))
    model = linnet.LinearRegressor(
        learner=Winnow("balanced", factor, factor), penalty="none", max_iter=1, shuffle=False,
        fit_intercept=False,
    ).fit(X, y)  # fmt: skip
    assert model.coef_ == pytest.approx(up - down, abs=1e-4)


def test_averages() -> None:
    X, y = problem()
    model = linnet.LinearRegressor(average=True, penalty="none").fit(X, y)
    assert model.record_.learner == "sgd"
    assert model.score(X, y) > 0.8


@pytest.mark.parametrize(
    ("settings", "why"),
    [
        ({"learner": "dual"}, "dual does not train with loss 'squared'"),
        ({"learner": "coordinate", "penalty": "l1"}, "coordinate does not train regressions"),
        ({"loss": "hinge", "learner": "sgd"}, "targets are numbers; use loss 'squared'"),
        ({"learner": "sgd", "average": "survivor", "penalty": "none"}, "no labels"),
    ],
)
def test_refusals(settings: dict[str, object], why: str) -> None:
    with pytest.raises(RefusedError, match=why):
        linnet.LinearRegressor(**settings).fit(*problem())


@pytest.mark.parametrize("bad", [np.nan, np.inf, "high"])
def test_targets_that_are_no_numbers(bad: object) -> None:
    X, y = problem(n=4)
    targets = [*y[:2].tolist(), bad, 1.0]
    with pytest.raises(DataError, match=r"y\[2\] is"):
        linnet.LinearRegressor().fit(X, targets)


def test_metrics_are_scikit_learns() -> None:
    rng = np.random.default_rng(0)
    gold, guess = rng.normal(size=50).round(1), rng.normal(size=50).round(1)
    tally = NumberTally(gold, guess)
    assert score(tally, "mae") == pytest.approx(mean_absolute_error(gold, guess))
    assert score(tally, "rmse") == pytest.approx(np.sqrt(mean_squared_error(gold, guess)))
    assert score(tally, "r2") == pytest.approx(r2_score(gold, guess))
    assert score(tally, "spearman") == pytest.approx(spearmanr(gold, guess).statistic)
    for name, interval in bootstrap(tally, ("mae", "rmse", "r2", "spearman"), resamples=200).items():
        assert interval.low <= interval.value <= interval.high, name


TEXTS = ["two wrens", "ten wrens", "two larks", "ten larks", "two shy wrens", "ten shy larks"]
COUNTS = [2.0, 10.0, 2.0, 10.0, 2.0, 10.0]


def test_texts(tmp_path) -> None:
    model = linnet.TextRegressor(C=10.0).fit(TEXTS, COUNTS)
    assert model.predict(["ten birds"])[0] > model.predict(["two birds"])[0]
    assert model.score(TEXTS, COUNTS) > 0.9
    why = model.explain("ten shy wrens")
    total = float(why.bias[0]) + sum(float(p.contributions[0]) for p in why.pieces)
    assert total == pytest.approx(model.predict(["ten shy wrens"])[0], rel=1e-5)
    assert str(why).startswith("value ")
    assert any("ten" in name for name, _ in model.inspect(3).labels["higher"])
    model.save(tmp_path / "m.linnet")
    loaded = linnet.load(tmp_path / "m.linnet")
    assert (loaded.predict(TEXTS) == model.predict(TEXTS)).all()
    assert not hasattr(model, "predict_proba")
    small = model.quantize(8)
    assert small.predict(TEXTS) == pytest.approx(model.predict(TEXTS), abs=0.3)
    tuned = linnet.tune(linnet.TextRegressor(), {"C": [0.01, 10.0]}, TEXTS * 3, COUNTS * 3, folds=3)
    assert tuned.best == {"C": 10.0}
    assert tuned.result.metric == "rmse"


def test_numbers_beside_texts() -> None:
    table = {"text": TEXTS, "sure": [0.1, 0.2, 0.3, 0.4, 0.5, 0.6]}
    model = linnet.TextRegressor(numeric=["sure"]).fit(table, COUNTS)
    assert np.isfinite(model.predict(table)).all()


def test_rows_are_saved(tmp_path) -> None:
    X, y = problem()
    model = linnet.LinearRegressor().fit(X, y)
    model.save(tmp_path / "m.linnet")
    assert (linnet.load(tmp_path / "m.linnet").predict(X) == model.predict(X)).all()
    named = linnet.LinearRegressor().fit([{"a": 1.0}, {"b": 2.0}, {"a": 2.0}], [1, 2, 3])
    named.save(tmp_path / "n.linnet")
    assert linnet.load(tmp_path / "n.linnet").predict([{"a": 1.0}]) == named.predict([{"a": 1.0}])
    assert linnet.tune(linnet.LinearRegressor(), {"C": [1e-3, 10.0]}, X, y).best == {"C": 10.0}
