"""The same objective values as LIBLINEAR, every solver of its classifiers, relative 1e-6."""

import warnings
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp

import linnet

from .. import problems
from .objectives import objective, weights_of

with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    train = pytest.importorskip("liblinear.liblinearutil").train

X, Y = problems.noisy(seed=5)
X3, Y3 = problems.noisy(n=120, labels=3, seed=6)


def liblinear(X: Any, y: Any, solver: int, C: float) -> np.ndarray:
    """Weights (1 or labels, features + 1), the bias last, for the labels in our order."""
    model = train(y.astype(float), sp.csr_matrix(X), f"-s {solver} -c {C} -B 1 -e 1e-9 -q")
    columns = 1 if model.nr_class == 2 and solver != 4 else model.nr_class
    W = np.ctypeslib.as_array(model.w, shape=(X.shape[1] + 1, columns)).copy()
    order = [model.label[k] for k in range(model.nr_class)]
    if columns == 1:
        return W.T if order[0] == 1 else -W.T
    return W.T[np.argsort(order)]


@pytest.mark.parametrize(
    ("solver", "loss", "penalty", "learner"),
    [
        (0, "logistic", "l2", "newton"),
        (0, "logistic", "l2", "lbfgs"),
        (1, "squared_hinge", "l2", "dual"),
        (2, "squared_hinge", "l2", "newton"),
        (2, "squared_hinge", "l2", "lbfgs"),
        (3, "hinge", "l2", "dual"),
        (5, "squared_hinge", "l1", "coordinate"),
        (5, "squared_hinge", "l1", "owlqn"),
        (6, "logistic", "l1", "coordinate"),
        (6, "logistic", "l1", "owlqn"),
        (7, "logistic", "l2", "dual"),
    ],
)
@pytest.mark.parametrize("C", [0.1, 1.0])
def test_two_labels(solver: int, loss: str, penalty: str, learner: str, C: float) -> None:
    model = linnet.LinearClassifier(loss, learner, penalty, C=C, tol=1e-9, max_iter=20_000).fit(X, Y)
    ratio = float(penalty == "l1")
    theirs = liblinear(X, Y, solver, C)
    we = objective(weights_of(model), X, Y, loss, c=C, l1_ratio=ratio)
    they = objective(theirs, X, Y, loss, c=C, l1_ratio=ratio)
    assert we == pytest.approx(model.record_.objective, rel=1e-6)
    if solver == 3 and C == 1:  # LIBLINEAR stops at its 1000 passes; our gap says who is nearer
        assert model.record_.gap < 1e-6 * we
        assert we < they < we * (1 + 1e-2)
        return
    assert we == pytest.approx(they, rel=1e-6)
    agreement = model.predict(X) == ((X @ theirs[0, :-1] + theirs[0, -1]) > 0)
    assert agreement.all()


def test_crammer_singer() -> None:
    model = linnet.LinearClassifier("hinge", "dual", tol=1e-7, max_iter=20_000).fit(X3, Y3)
    we = objective(weights_of(model), X3, Y3, "hinge")
    they = objective(liblinear(X3, Y3, 4, 1.0), X3, Y3, "hinge")
    assert we == pytest.approx(they, rel=1e-6)


def test_one_against_the_rest() -> None:
    model = linnet.LinearClassifier("squared_hinge", "dual", tol=1e-9, max_iter=20_000).fit(X3, Y3)
    for label, (we, they) in enumerate(zip(weights_of(model), liblinear(X3, Y3, 1, 1.0), strict=True)):
        y = (label == Y3).astype(int)
        values = [objective(w[None], X3, y, "squared_hinge") for w in (we, they)]
        assert values[0] == pytest.approx(values[1], rel=1e-6)
