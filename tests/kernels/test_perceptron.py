"""The perceptron in the dual against the one in the primal, mistake for mistake."""

import numpy as np
import pytest

import linnet
from linnet.errors import RefusedError
from linnet.kernels import Polynomial

NUMBERS = ("average_loss", "since_last", "errors")


def problem(labels: int) -> tuple[np.ndarray, np.ndarray]:
    """Whole numbers, so that both sides compute the same scores exactly."""
    rng = np.random.default_rng(labels)
    X = rng.integers(0, 3, size=(150, 8)).astype(float)
    return X, np.minimum(X[:, :3].sum(axis=1).astype(int) // 3, labels - 1)


@pytest.mark.parametrize("labels", [2, 3])
@pytest.mark.parametrize("intercept", [True, False])
def test_mistake_for_mistake(labels: int, intercept: bool) -> None:
    X, y = problem(labels)
    for average in (False, True):
        name = "averaged" if average else "last"
        dual = linnet.KernelPerceptron("linear", name, fit_intercept=intercept).fit(X, y)
        primal = linnet.Perceptron(average=average, max_iter=10, fit_intercept=intercept).fit(X, y)
        assert [e.mistakes for e in dual.record_.epochs] == [e.mistakes for e in primal.record_.epochs]
        np.testing.assert_allclose(dual.decision_function(X), primal.decision_function(X), atol=1e-4)
    counts = linnet.KernelPerceptron("linear", "last").fit(X, y).dual_coef_
    assert (counts == counts.round()).all()


@pytest.mark.parametrize("labels", [2, 3])
def test_votes_are_those_of_the_voted_perceptron(labels: int) -> None:
    X, y = problem(labels)
    dual = linnet.KernelPerceptron("linear", "voted", max_iter=4).fit(X, y)
    primal = linnet.VotedPerceptron(max_iter=4).fit(X, y)
    assert (dual.predict(X) == primal.predict(X)).all()
    shares = dual.decision_function(X)
    assert np.abs(shares).max() <= 1
    if labels > 2:
        np.testing.assert_allclose(shares.sum(axis=1), 1)


@pytest.mark.parametrize("labels", [2, 3])
@pytest.mark.parametrize("passes", [None, 3])
def test_the_survivor_is_that_of_the_primal_perceptron(labels: int, passes: int | None) -> None:
    X, y = problem(labels)
    dual = linnet.KernelPerceptron("linear", "survivor", max_iter=passes).fit(X, y)
    primal = linnet.Perceptron(average="survivor", max_iter=passes).fit(X, y)
    np.testing.assert_allclose(dual.decision_function(X), primal.decision_function(X), atol=1e-5)
    assert dual.record_.facts["survivor"] == primal.record_.facts["survivor"]
    assert (dual.record_.facts["survivor"]["epsilon"] is None) == (passes == 3)


@pytest.mark.parametrize("labels", [2, 3])
@pytest.mark.parametrize("hypothesis", ["last", "averaged", "voted", "survivor"])
def test_progressive_validation_is_that_of_the_primal_perceptron(labels: int, hypothesis: str) -> None:
    X, y = problem(labels)
    names = np.array(["wren", "owl", "finch"])[y]
    dual = linnet.KernelPerceptron("linear", hypothesis, max_iter=1, progressive=True).fit(X, names)
    primal = linnet.Perceptron(max_iter=1, progressive=True).fit(X, names)
    table = dual.record_.facts["progressive"]
    assert table.keys() == primal.record_.facts["progressive"].keys()
    for name, wanted in primal.record_.facts["progressive"].items():
        assert table[name] == (pytest.approx(wanted) if name in NUMBERS else wanted), name
    assert table["errors"][-1] == dual.record_.mistakes / len(y)


def test_a_kernel_is_its_map_written_out() -> None:
    X, y = problem(2)
    pairs = [X[:, i] * X[:, j] * (np.sqrt(2) if i < j else 1) for i in range(8) for j in range(i, 8)]
    dual = linnet.KernelPerceptron(Polynomial(2, 0.0), "last", fit_intercept=False).fit(X, y)
    primal = linnet.Perceptron(fit_intercept=False, max_iter=10).fit(np.stack(pairs, axis=1), y)
    assert [e.mistakes for e in dual.record_.epochs] == [e.mistakes for e in primal.record_.epochs]


def test_a_budget_bounds_the_support_vectors() -> None:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(300, 5))
    y = (X[:, 0] * X[:, 1] > 0).astype(int)
    free = linnet.KernelPerceptron("gaussian sigma=1", "last").fit(X, y)
    bound = linnet.KernelPerceptron("gaussian sigma=1", "last", budget=40).fit(X, y)
    assert len(bound.support_) <= 40 < len(free.support_)
    assert np.abs(bound.dual_coef_).sum() <= 40


def test_a_budget_replays_what_is_remembered() -> None:
    """The plain algorithm, with a list of updates of which the oldest is dropped."""
    X, y = problem(2)
    found = linnet.KernelPerceptron("linear", "last", budget=5, shuffle=False, max_iter=3).fit(X, y)
    memory: list[tuple[int, int]] = []
    mistakes = []
    for _ in range(3):
        mistakes.append(0)
        for i in range(len(X)):
            score = sum(sign * (X[j] @ X[i] + 1) for j, sign in memory)
            if (score > 0) != y[i]:
                mistakes[-1] += 1
                memory.append((i, 1 if y[i] else -1))
                memory = memory[-5:]
    assert [e.mistakes for e in found.record_.epochs] == mistakes


def test_what_makes_no_sense_is_refused() -> None:
    X, y = problem(2)
    with pytest.raises(RefusedError, match="hypothesis='last'"):
        linnet.KernelPerceptron(budget=5).fit(X, y)
    with pytest.raises(ValueError, match="hypothesis must be"):
        linnet.KernelPerceptron(hypothesis="best").fit(X, y)
    with pytest.raises(RefusedError, match="averaged"):
        linnet.KernelPerceptron(hypothesis="voted").fit(X, y).explain(X)
