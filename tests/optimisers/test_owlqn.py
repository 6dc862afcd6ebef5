"""OWL-QN: the right optimum, exact zeros, coordinates left free."""

import numpy as np
import pytest
from sklearn.linear_model import ElasticNet, Lasso, LogisticRegression

from linnet import _core


def least_squares(X, y, l2=0.0):
    def evaluate(w):
        r = X @ w - y
        return float(0.5 * r @ r / len(y) + 0.5 * l2 * w @ w), X.T @ r / len(y) + l2 * w

    return _core.FunctionObjective(X.shape[1], evaluate)


@pytest.fixture
def regression():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(100, 30))
    w = np.where(rng.random(30) < 0.3, rng.normal(size=30), 0.0)
    return X, X @ w + 0.1 * rng.normal(size=100)


@pytest.mark.parametrize("alpha", [0.001, 0.03, 0.3])
def test_lasso(regression, alpha, run):
    X, y = regression
    peer = Lasso(alpha=alpha, fit_intercept=False, tol=1e-12, max_iter=100000).fit(X, y)
    solver = _core.OWLQN(least_squares(X, y), alpha, tol=1e-8, decrease_tol=0)
    epochs = run(solver)
    r = X @ peer.coef_ - y
    expected = 0.5 * r @ r / len(y) + alpha * np.abs(peer.coef_).sum()
    assert epochs[-1].objective == pytest.approx(expected, rel=1e-9)
    np.testing.assert_allclose(solver.weights, peer.coef_, atol=1e-6)
    np.testing.assert_array_equal(solver.weights == 0, peer.coef_ == 0)


def test_elastic_net_is_l2_in_the_objective(regression, run):
    X, y = regression
    alpha, ratio = 0.1, 0.6
    peer = ElasticNet(alpha=alpha, l1_ratio=ratio, fit_intercept=False, tol=1e-12).fit(X, y)
    solver = _core.OWLQN(
        least_squares(X, y, alpha * (1 - ratio)), alpha * ratio, tol=1e-9, decrease_tol=0
    )
    run(solver)
    np.testing.assert_allclose(solver.weights, peer.coef_, atol=1e-6)


@pytest.mark.parametrize("C", [0.05, 1.0])
def test_logistic(C, logistic, run):
    problem = logistic(5, n=200, dim=25, l2=0.0)
    peer = LogisticRegression(
        l1_ratio=1,
        C=C,
        solver="liblinear",
        fit_intercept=False,
        tol=1e-10,
        max_iter=10000,
        random_state=0,
    ).fit(problem.X, problem.y)
    solver = _core.OWLQN(problem.objective(), 1 / C, tol=1e-8, decrease_tol=0)
    epochs = run(solver)
    w = peer.coef_[0]
    assert epochs[-1].objective <= (problem.evaluate(w)[0] + np.abs(w).sum() / C) * (1 + 1e-9)
    np.testing.assert_allclose(solver.weights, w, atol=1e-5)
    np.testing.assert_array_equal(solver.weights == 0, w == 0)


def test_optimality_conditions(logistic, run):
    problem = logistic(6, n=100, dim=40, l2=0.1, density=0.3)
    l1 = np.random.default_rng(1).uniform(0, 3, problem.dim)
    l1[:3] = 0
    solver = _core.OWLQN(problem.objective(), l1, tol=1e-8, decrease_tol=0)
    run(solver)
    w, g = solver.weights, problem.evaluate(solver.weights)[1]
    moving = w != 0
    np.testing.assert_allclose(g[moving], -(l1 * np.sign(w))[moving], atol=1e-5)
    assert (np.abs(g[~moving]) <= l1[~moving] + 1e-9).all()
    assert 0 < moving.sum() < problem.dim


def test_leading_coordinates_can_go_free(logistic, run):
    problem = logistic(7)
    solver = _core.OWLQN(problem.objective(), 1e4, unpenalised=2, tol=1e-9, decrease_tol=0)
    run(solver)
    assert (solver.weights[:2] != 0).all()
    assert (solver.weights[2:] == 0).all()


def test_zero_penalty_is_lbfgs(logistic, run):
    problem = logistic(8)
    best = run(_core.LBFGS(problem.objective(), tol=1e-9, decrease_tol=0))[-1].objective
    epochs = run(_core.OWLQN(problem.objective(), 0.0, tol=1e-9, decrease_tol=0))
    assert epochs[-1].objective == pytest.approx(best, rel=1e-12)


@pytest.mark.parametrize("l1", [-1.0, np.nan, np.inf])
def test_bad_penalties_are_refused(l1, logistic):
    with pytest.raises(ValueError, match="l1 must be"):
        _core.OWLQN(logistic().objective(), l1)
    with pytest.raises(ValueError, match="expected an array of 12"):
        _core.OWLQN(logistic().objective(), np.ones(3))
    with pytest.raises(ValueError, match="unpenalised"):
        _core.OWLQN(logistic().objective(), 1.0, unpenalised=13)
