"""The record of a fit, with numbers worked out by hand."""

import json
import math

import numpy as np
import pytest

import linnet
from linnet.data import CsrRows
from linnet.errors import NotSeparableError, TrainingWarning

from .. import problems

X, Y = problems.noisy()


def test_perceptron_by_hand() -> None:
    """(1, 0) is no, (0, 2) is yes; with the constant feature last.

    Pass 1: no at score 0, right; yes at score 0, wrong: w = (0, 2, 1). Pass 2: no at score 1, wrong:
    w = (−1, 2, 0); yes at 4. Pass 3: nothing moves.
    """
    model = linnet.Perceptron(average=False, shuffle=False, max_iter=3)
    model.fit([[1.0, 0], [0, 2.0]], ["no", "yes"])
    np.testing.assert_array_equal(model.coef_, [[-1, 2]])
    assert model.intercept_.tolist() == [0]
    record = model.record_
    assert [e.mistakes for e in record.epochs] == [1, 1, 0]
    assert [e.updates for e in record.epochs] == [1, 1, 0]
    assert record.mistakes == 2
    d = record.diagnostics
    assert d["errors"] == 0
    assert d["R"] == pytest.approx(math.sqrt(5))
    assert d["functional_margin"] == 1
    assert d["geometric_margin"] == pytest.approx(1 / math.sqrt(5))
    assert d["separates"] is True
    assert d["mistake_bound"] == pytest.approx(25)
    assert (d["norm_l1"], d["norm_l2"], d["norm_max"]) == (3, pytest.approx(math.sqrt(5)), 2)
    assert d["nonzero_weights"] == 2


def test_several_labels_by_hand() -> None:
    """R is over f(x, y) − f(x, y′): √2 times the longest x, the constant feature counted."""
    model = linnet.Perceptron(average=False, margin=1).fit([[1.0, 0], [0, 2], [-3, 0]], [0, 1, 2])
    d = model.record_.diagnostics
    assert d["R"] == pytest.approx(math.sqrt(2 * (9 + 1)))
    scores = model.decision_function([[1.0, 0], [0, 2], [-3, 0]])
    margins = [scores[i, i] - np.delete(scores[i], i).max() for i in range(3)]
    assert d["functional_margin"] == pytest.approx(min(margins))
    assert d["mistake_bound"] == pytest.approx((d["R"] / d["geometric_margin"]) ** 2)


def test_not_separable() -> None:
    d = linnet.LogisticRegression().fit(X, Y).record_.diagnostics
    assert d["separates"] is False
    assert d["mistake_bound"] is None
    assert d["functional_margin"] < 0
    assert d["errors"] > 0


def test_support_vectors() -> None:
    points = np.array([[-2.0], [-1], [1], [3]])
    hard = linnet.LinearSVM(C=np.inf, tol=1e-8).fit(points, [0, 0, 1, 1])
    assert hard.record_.facts["support_vectors"].tolist() == [1, 2]
    np.testing.assert_allclose(hard.coef_, [[1.0]], atol=1e-4)
    assert hard.record_.diagnostics["functional_margin"] == pytest.approx(1, abs=1e-4)
    soft = linnet.LinearSVM(C=0.01).fit(points, [0, 0, 1, 1])
    assert soft.record_.facts["support_vectors"].tolist() == [0, 1, 2, 3]
    with pytest.raises(NotSeparableError, match="no hyperplane separates the data; use a finite C"):
        linnet.LinearSVM(C=np.inf).fit(points, [0, 1, 0, 1])


def test_support_vectors_of_several_labels() -> None:
    X3, Y3 = problems.noisy(n=60, labels=3)
    model = linnet.LinearSVM(tol=1e-6, max_iter=20_000).fit(X3, Y3)
    scores = model.decision_function(X3)
    gold = scores[np.arange(60), Y3]
    scores[np.arange(60), Y3] = -np.inf
    support = set(model.record_.facts["support_vectors"].tolist())
    assert set(np.flatnonzero(gold - scores.max(axis=1) < 1 - 1e-2)) <= support
    assert support <= set(np.flatnonzero(gold - scores.max(axis=1) < 1 + 1e-2))


@pytest.mark.parametrize("labels", [2, 3])
def test_moments_match_at_the_optimum(labels: int) -> None:
    data, y = problems.noisy(n=100, labels=labels, seed=2)
    model = linnet.MaxEnt(C=2.0, tol=1e-10).fit(data, y)
    d = model.record_.diagnostics
    assert d["moment_residual"] < 1e-5
    # Σ c (observed − expected) = w: the largest difference is the largest weight
    assert d["moment_difference"] == pytest.approx(d["norm_max"], rel=1e-4)
    p = model.predict_proba(data)
    assert d["conditional_entropy"] == pytest.approx(-(p * np.log(p)).sum(axis=1).mean())


def test_an_optimum_at_infinity_is_told() -> None:
    with pytest.warns(TrainingWarning, match="separable and there is no penalty.*use penalty='l2'"):
        linnet.MaxEnt(penalty="none").fit([[1.0], [-1]], [0, 1])


def test_objective_and_gap_by_epoch() -> None:
    record = linnet.LinearSVM(tol=1e-6).fit(X, Y).record_
    gaps = [e.gap for e in record.epochs if e.gap is not None]
    assert record.stopped == "converged"
    assert gaps[-1] == record.gap <= 1e-6 * record.objective
    assert gaps[-1] < gaps[0]
    smooth = linnet.LogisticRegression(learner="lbfgs").fit(X, Y).record_
    values = [e.objective for e in smooth.epochs]
    assert values == sorted(values, reverse=True)
    assert smooth.n_iter == len(values)


def test_a_gap_left_open_is_told() -> None:
    with pytest.warns(TrainingWarning, match="not converged after 20 epochs with a duality gap of"):
        linnet.LinearSVM(tol=1e-12, max_iter=20).fit(X, Y)
    for learner in ("dual", "lbfgs"):
        with pytest.warns(TrainingWarning, match=f"{learner} has not converged after 1 epochs"):
            linnet.LogisticRegression(learner=learner, tol=1e-12, max_iter=1).fit(X, Y)


def test_the_record_is_plain_data() -> None:
    record = linnet.LogisticRegression().fit(X, Y).record_.as_dict()
    assert json.loads(json.dumps(record))["learner"] == "newton"


def test_diagnostics_can_be_left_out() -> None:
    assert linnet.LogisticRegression(diagnostics=False).fit(X, Y).record_.diagnostics == {}


def test_a_large_cost_does_not_hold_the_gap_up() -> None:
    """It magnifies the rounding of weights: the dual learner then goes on in float64."""
    rng = np.random.default_rng(0)
    data, y = rng.normal(size=(60, 200)), np.arange(60) % 2
    record = linnet.LinearSVM(C=1000).fit(data, y).record_
    assert record.stopped == "converged"
    hard = linnet.LinearSVM(C=np.inf, tol=1e-6).fit(data, y).record_
    assert record.objective == pytest.approx(hard.objective, rel=2e-4)


def test_moments_match_with_a_free_intercept() -> None:
    """What is not penalised has no share in λw."""
    for labels in (2, 3):
        data, y = problems.noisy(n=100, labels=labels, seed=2)
        d = linnet.MaxEnt(tol=1e-10, penalize_intercept=False).fit(data, y).record_.diagnostics
        assert d["moment_residual"] < 1e-5


def test_weights_are_repetitions_in_the_record() -> None:
    data, y = problems.noisy(n=60, labels=3, seed=2)
    times = np.arange(60) % 3
    weighted = linnet.MaxEnt(tol=1e-10).fit(data, y, sample_weight=times).record_.diagnostics
    rows = np.repeat(np.arange(60), times)
    repeated = linnet.MaxEnt(tol=1e-10).fit(data[rows], y[rows]).record_.diagnostics
    for name in ("R", "functional_margin", "conditional_entropy", "moment_difference"):
        assert weighted[name] == pytest.approx(repeated[name], rel=1e-5)
    assert weighted["separates"] == repeated["separates"]


def test_instances_without_weight_are_not_looked_at() -> None:
    model = linnet.MaxEnt(penalty="none")
    with pytest.warns(TrainingWarning, match="separable"):
        model.fit([[1.0], [-1], [9]], [1, 0, 0], sample_weight=[1, 1, 0])
    d = model.record_.diagnostics
    assert (d["errors"], d["separates"], d["R"]) == (0, True, pytest.approx(math.sqrt(2)))


def test_margins_of_probabilities_of_zero() -> None:
    d = linnet.NaiveBayes(smoothing=0).fit([[1.0, 0], [0, 1]], [0, 1]).record_.diagnostics
    assert (d["functional_margin"], d["geometric_margin"], d["mistake_bound"]) == (math.inf, 0, None)


def test_one_label_that_cannot_be_separated_from_the_rest() -> None:
    """The middle one of three on a line."""
    with pytest.raises(NotSeparableError, match="separates label 1 from the rest; use a finite C"):
        linnet.LinearSVM(C=np.inf, loss="squared_hinge").fit([[-1.0], [0], [1]], [0, 1, 2])


def test_rows_of_the_core() -> None:
    rows = CsrRows(np.array([0, 1, 2]), np.array([0, 1], np.int32), np.ones(2, np.float32), 2)
    d = linnet.MaxEnt().fit(rows, [0, 1]).record_.diagnostics
    assert d["R"] == pytest.approx(math.sqrt(2))


def test_mistakes_are_counted_where_instances_are_seen_one_by_one() -> None:
    for learner, penalty in (("lbfgs", "l2"), ("coordinate", "l1")):
        model = linnet.LinearClassifier(learner=learner, penalty=penalty).fit(X, Y)
        assert all(epoch.mistakes is None for epoch in model.record_.epochs)
    for learner in ("sgd", "dual"):
        assert linnet.LinearClassifier(learner=learner).fit(X, Y).record_.epochs[0].mistakes > 0


def test_one_label_against_the_rest_is_a_sum() -> None:
    data, y = problems.noisy(n=60, labels=3, seed=2)
    model = linnet.LinearClassifier("squared_hinge", "dual", tol=1e-8).fit(data, y)
    parts = [
        linnet.LinearClassifier("squared_hinge", "dual", tol=1e-8).fit(data, y == label).record_
        for label in range(3)
    ]
    record = model.record_
    assert record.objective == pytest.approx(sum(part.objective for part in parts), rel=1e-6)
    assert record.gap <= 1e-8 * record.objective
    assert [e.label for e in record.epochs] == sorted(e.label for e in record.epochs)
    assert {e.label for e in record.epochs} == {0, 1, 2}
