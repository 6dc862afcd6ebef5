"""Losses no classifier of the peers has: the minimum found by SciPy from the formulas alone."""

from typing import Any

import numpy as np
import pytest
from scipy.optimize import minimize

import linnet

from .. import problems
from .objectives import objective, weights_of

DATA = {"binary": problems.noisy(seed=7), "multiclass": problems.noisy(n=100, labels=3, seed=8)}
MINIMA: dict[tuple[Any, ...], float] = {}


def minimum(structure: str, loss: str, penalised: bool) -> float:
    key = (structure, loss, penalised)
    if key not in MINIMA:
        X, y = DATA[structure]
        shape = (1 if structure == "binary" else 3, X.shape[1] + 1)

        def value(w: np.ndarray) -> float:
            return objective(w.reshape(shape), X, y, loss, c=0.5, penalised_intercept=penalised)

        found = minimize(value, np.zeros(shape).ravel(), method="BFGS", options={"gtol": 1e-5})
        MINIMA[key] = found.fun
    return MINIMA[key]


@pytest.mark.parametrize("structure", ["binary", "multiclass"])
@pytest.mark.parametrize("penalised", [True, False], ids=["penalised", "free"])
@pytest.mark.parametrize(
    ("loss", "learner"),
    [
        *[("softmax_margin", learner) for learner in ("lbfgs", "newton", "cg", "gradient")],
        *[("exponential", learner) for learner in ("lbfgs", "cg", "gradient")],
        *[("squared", learner) for learner in ("lbfgs", "newton", "cg", "gradient")],
    ],
)
def test_smooth_losses(structure: str, penalised: bool, loss: str, learner: str) -> None:
    X, y = DATA[structure]
    model = linnet.LinearClassifier(
        loss, learner, C=0.5, penalize_intercept=penalised, tol=1e-8, max_iter=20_000
    ).fit(X, y)
    reached = objective(weights_of(model), X, y, loss, c=0.5, penalised_intercept=penalised)
    assert reached == pytest.approx(minimum(structure, loss, penalised), rel=1e-6)
    assert reached == pytest.approx(model.record_.objective, rel=1e-6)


@pytest.mark.parametrize("learner", ["sgd", "adagrad"])
@pytest.mark.parametrize("loss", ["softmax_margin", "squared"])
def test_online_learners_come_close(loss: str, learner: str) -> None:
    X, y = DATA["binary"]
    model = linnet.LinearClassifier(loss, learner, C=0.5, max_iter=300).fit(X, y)
    reached = objective(weights_of(model), X, y, loss, c=0.5)
    assert reached == pytest.approx(minimum("binary", loss, True), rel=0.02)
