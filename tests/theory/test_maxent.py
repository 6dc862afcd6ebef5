"""Maximum entropy: expected counts match observed ones, and the optimum is one."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from linnet import LinearClassifier, MaxEnt
from linnet.errors import TrainingWarning


@st.composite
def counts(draw):
    """Documents of words with contradicting copies, so that no weights separate them."""
    n, d, K = draw(st.integers(4, 15)), draw(st.integers(1, 5)), draw(st.integers(2, 4))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    X = rng.integers(0, 4, (n, d)).astype(float)
    y = rng.integers(0, K, n)
    X = np.tile(X, (K, 1))  # every document has been given every label at least once
    y = np.concatenate([(y + k) % K for k in range(K)])
    more = rng.integers(0, len(y), n)
    return np.vstack([X, X[more]]), np.append(y, y[more]), rng.uniform(0.5, 2, len(y) + n)


def features(X: np.ndarray, p: np.ndarray) -> np.ndarray:
    """Σ p(y|x) f(x, y): (features + 1, labels), or of the second label if there are two."""
    f = np.hstack([np.ones((len(X), 1)), X]).T @ p
    return f[:, 1:] if p.shape[1] == 2 else f


def weights(model) -> np.ndarray:
    return np.vstack([model.intercept_, model.coef_.T])


@settings(max_examples=60, deadline=None)
@given(counts(), st.sampled_from(["lbfgs", "newton"]), st.sampled_from([0.01, 1.0, 100.0]))
def test_with_l2_the_moments_differ_by_lambda_times_the_weights(problem, learner, C) -> None:
    X, y, c = problem
    model = MaxEnt(C=C, learner=learner, tol=1e-9, max_iter=5000).fit(X, y, sample_weight=c)
    observed = np.eye(len(model.classes_))[y]
    scale = C * features(X, c[:, None] * observed).max()
    difference = C * features(X, c[:, None] * (observed - model.predict_proba(X)))
    np.testing.assert_allclose(difference, weights(model), atol=1e-6 * scale)
    facts = model.record_.diagnostics
    assert facts["moment_residual"] <= 1e-6 * scale
    assert facts["moment_difference"] == pytest.approx(np.abs(difference).max(), rel=1e-6, abs=1e-9)


@settings(max_examples=60, deadline=None)
@given(counts(), st.sampled_from(["lbfgs", "newton"]))
def test_without_a_penalty_expected_counts_are_the_observed_ones(problem, learner) -> None:
    X, y, c = problem
    model = MaxEnt(penalty="none", learner=learner, tol=1e-9, max_iter=5000).fit(X, y, sample_weight=c)
    observed = features(X, c[:, None] * np.eye(len(model.classes_))[y])
    expected = features(X, c[:, None] * model.predict_proba(X))
    np.testing.assert_allclose(expected, observed, atol=1e-5 * observed.max())
    assert model.record_.diagnostics["moment_residual"] <= 1e-5 * observed.max()


@settings(max_examples=60, deadline=None)
@given(counts(), st.sampled_from([1e-3, 1.0, 1e3]))
def test_entropy_lies_between_nothing_and_log_k(problem, C) -> None:
    X, y, _ = problem
    model = MaxEnt(C=C).fit(X, y)
    K = len(model.classes_)
    entropy = model.record_.diagnostics["conditional_entropy"]
    p = model.predict_proba(X)
    assert entropy == pytest.approx(-(p * np.log(p)).sum(1).mean(), rel=1e-6)
    assert 0 <= entropy <= np.log(K) * (1 + 1e-9)


@settings(max_examples=30, deadline=None)
@given(counts(), st.integers(0, 2**32 - 1))
def test_no_distribution_with_the_same_moments_has_more_entropy(problem, seed) -> None:
    """Move the probabilities along any direction that keeps the moments: entropy falls."""
    X, y, _ = problem
    model = MaxEnt(penalty="none", learner="newton", tol=1e-10, max_iter=5000).fit(X, y)
    p = model.predict_proba(X)
    n, K = p.shape
    rows = np.hstack([np.ones((n, 1)), X])
    # (n, K) directions with Σ_y δ = 0 and Σ_x x δ(x, y) = 0, by projecting a random one.
    delta = np.random.default_rng(seed).normal(size=(n, K))
    delta -= rows @ np.linalg.lstsq(rows, delta, rcond=None)[0]
    delta -= delta.mean(axis=1, keepdims=True)
    np.testing.assert_allclose(rows.T @ delta, 0, atol=1e-8)

    def entropy(q: np.ndarray) -> float:
        return float(-(q * np.log(q)).sum())

    step = 0.1 * p.min() / max(1e-12, np.abs(delta).max())
    for sign in (-1, 1):
        assert entropy(p + sign * step * delta) <= entropy(p) + 1e-9


@pytest.mark.parametrize("penalty", ["l2", "none"])
@pytest.mark.parametrize("K", [2, 3])
def test_iterative_scaling_finds_the_optimum_of_lbfgs(penalty, K) -> None:
    rng = np.random.default_rng(K)
    X = rng.integers(0, 3, (60, 4)).astype(float)
    y = rng.integers(0, K, 60)
    settings = {"penalty": penalty, "tol": 1e-7, "max_iter": 100_000}
    gis, lbfgs = (MaxEnt(learner=name, **settings).fit(X, y) for name in ("gis", "lbfgs"))
    assert gis.record_.objective == pytest.approx(lbfgs.record_.objective, rel=1e-8)
    np.testing.assert_allclose(gis.predict_proba(X), lbfgs.predict_proba(X), atol=1e-4)
    objectives = [e.objective for e in gis.record_.epochs]
    assert np.all(np.diff(objectives) <= 1e-9 * objectives[0])  # never a step back


@pytest.mark.parametrize("K", [2, 3])
def test_every_learner_of_the_cell_finds_the_same_optimum(K) -> None:
    rng = np.random.default_rng(K)
    X, y = rng.normal(size=(50, 4)), rng.integers(0, K, 50)
    found = {
        name: MaxEnt(learner=name, tol=1e-9, max_iter=100_000).fit(X, y)
        for name in ("lbfgs", "newton", "cg", "gradient")
    } | {"dual": MaxEnt(learner="dual", tol=1e-6, max_iter=100_000).fit(X, y)}
    for model in found.values():
        np.testing.assert_allclose(
            model.predict_proba(X),
            found["newton"].predict_proba(X),
            atol=2e-3 if model is found["dual"] else 1e-4,
        )


@pytest.mark.parametrize("loss", ["logistic", "softmax_margin", "exponential"])
@pytest.mark.parametrize("K", [2, 3])
def test_separable_data_without_a_penalty_have_no_optimum_and_it_is_said(loss, K) -> None:
    X, y = np.eye(6), np.arange(6) % K
    with pytest.warns(TrainingWarning, match="no minimum"):
        LinearClassifier(loss, "lbfgs", "none").fit(X, y)
    model = LinearClassifier(loss, "lbfgs", "l2").fit(X, y)  # no warning
    assert model.record_.diagnostics["separates"]
