"""The perceptron makes at most R²/γ² mistakes on separable data, whatever their order (Novikoff 1962).

Features are whole numbers, so that all weights and scores are exact.
"""

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from linnet import LinearClassifier, LinearSVM, Perceptron, _core
from linnet.data import as_rows


@st.composite
def separable(draw, most_labels: int):
    """Rows, their labels, R and γ of a hidden u: only rows with a clear best label are kept."""
    d, n = draw(st.integers(1, 6)), draw(st.integers(2, 60))
    labels = draw(st.integers(2, most_labels))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    X = rng.integers(-5, 6, (n, d)).astype(float)
    bias = draw(st.sampled_from([0.0, 1.0]))
    columns = np.hstack([np.full((n, 1), bias), X])
    u = rng.normal(size=(d + 1, 1 if labels == 2 else labels))
    scores = columns @ u
    if labels == 2:
        y, gaps = (scores[:, 0] > 0).astype(np.int32), np.abs(scores[:, 0])
    else:
        y, ordered = scores.argmax(1).astype(np.int32), np.sort(scores, axis=1)
        gaps = ordered[:, -1] - ordered[:, -2]
    u_norm = np.linalg.norm(u)
    keep = gaps / u_norm > draw(st.sampled_from([0.1, 0.5, 1.0]))
    assume(keep.any())
    norms = (columns[keep] ** 2).sum(1)
    R = np.sqrt((1 if labels == 2 else 2) * norms.max())
    return X[keep], y[keep], labels, bias, R, (gaps[keep] / u_norm).min()


@settings(max_examples=200, deadline=None)
@given(separable(5), st.booleans(), st.integers(0, 1000))
def test_mistakes_stay_within_the_bound_in_any_order(problem, shuffle, seed) -> None:
    X, y, labels, bias, R, gamma = problem
    data = _core.BlockData(as_rows(X, bias), y, labels, labels == 2)
    learner = _core.Perceptron("perceptron", data.dim, seed=seed)
    mistakes = 0
    for _ in range(3 + int((R / gamma) ** 2)):
        made = learner.epoch(data, shuffle).mistakes
        mistakes += made
        if made == 0:
            break
    assert made == 0  # separable data are separated
    assert mistakes <= (R / gamma) ** 2 * (1 + 1e-9)


@settings(max_examples=100, deadline=None)
@given(separable(2), st.integers(0, 1000))
def test_no_order_is_worse_than_the_bound_even_if_an_adversary_chooses_it(problem, seed) -> None:
    X, y, _, bias, R, gamma = problem
    rng = np.random.default_rng(seed)
    learner = _core.Perceptron("perceptron", X.shape[1] + 1)
    columns = np.hstack([np.full((len(X), 1), bias), X])
    mistakes = 0
    while len(wrong := np.flatnonzero((columns @ learner.weights() > 0) != y)):
        i = rng.choice(wrong)
        one = _core.BlockData(as_rows(X[i : i + 1], bias), y[i : i + 1], 2, True)
        assert learner.epoch(one).mistakes == 1
        mistakes += 1
        assert mistakes <= (R / gamma) ** 2 * (1 + 1e-9)


@settings(max_examples=60, deadline=None)
@given(separable(4), st.booleans(), st.integers(0, 100))
def test_the_bound_of_the_record_holds(problem, average, seed) -> None:
    X, y, _, bias, _, _ = problem
    assume(len(np.unique(y)) > 1)
    model = Perceptron(average=average, fit_intercept=bias > 0, max_iter=300, random_state=seed)
    facts = model.fit(X, y).record_.diagnostics
    if facts["separates"]:
        assert facts["errors"] == 0
        assert model.record_.mistakes <= facts["mistake_bound"]
    else:
        assert facts["mistake_bound"] is None


@settings(max_examples=30, deadline=None)
@given(separable(2))
def test_the_largest_margin_gives_the_smallest_bound(problem) -> None:
    X, y, _, bias, R, gamma = problem
    assume(len(np.unique(y)) > 1)
    svm = LinearSVM(C=np.inf, fit_intercept=bias > 0, max_iter=100_000).fit(X, y)
    perceptron = Perceptron(average=False, fit_intercept=bias > 0, max_iter=2000).fit(X, y)
    best = svm.record_.diagnostics
    assert pytest.approx(R) == best["R"]
    assert best["geometric_margin"] >= gamma * (1 - 1e-3)
    own = perceptron.record_.diagnostics
    if own["separates"]:
        assert best["mistake_bound"] <= own["mistake_bound"] * (1 + 1e-2)
    assert perceptron.record_.mistakes <= best["mistake_bound"] * (1 + 1e-6)


@settings(max_examples=40, deadline=None)
@given(separable(2), st.integers(0, 10**6))
def test_weighted_instances_widen_the_bound_by_the_ratio_of_their_weights(problem, seed) -> None:
    X, y, _, bias, _, _ = problem
    assume(len(np.unique(y)) > 1)
    c = np.random.default_rng(seed).choice([1.0, 2.0, 64.0], len(y))
    svm = LinearSVM(C=np.inf, fit_intercept=bias > 0, max_iter=100_000).fit(X, y, sample_weight=c)
    perceptron = Perceptron(average=False, fit_intercept=bias > 0, max_iter=500)
    made = perceptron.fit(X, y, sample_weight=c).record_.mistakes
    R, gamma = svm.record_.diagnostics["R"], svm.record_.diagnostics["geometric_margin"]
    bound = svm.record_.diagnostics["mistake_bound"]
    assert bound == pytest.approx(c.max() / c.min() * (R / gamma) ** 2)
    assert made <= bound * (1 + 1e-6)


def test_one_heavy_instance_makes_more_mistakes_than_the_plain_bound() -> None:
    X, y = np.array([[1, 0.1], [-1, 0.1], [0, -1.0]]), [1, 1, 0]
    settings = {"fit_intercept": False, "shuffle": False}
    light, heavy = (
        Perceptron(average=False, max_iter=2000, **settings).fit(X, y, sample_weight=[c, 1, 1]).record_
        for c in (1, 1000)
    )
    facts = LinearSVM(C=np.inf, tol=1e-6, **settings).fit(X, y).record_.diagnostics
    assert light.mistakes <= facts["mistake_bound"] < heavy.mistakes <= 1000 * facts["mistake_bound"]


def test_data_that_cannot_be_separated_have_no_bound_and_no_end_of_mistakes() -> None:
    X, y = np.array([[0.0, 0], [0, 1], [1, 0], [1, 1]]), [0, 1, 1, 0]
    model = LinearClassifier("perceptron", "perceptron", "none", max_iter=100).fit(X, y)
    assert not model.record_.diagnostics["separates"]
    assert model.record_.diagnostics["mistake_bound"] is None
    assert all(epoch.mistakes > 0 for epoch in model.record_.epochs)
