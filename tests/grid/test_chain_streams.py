"""Streams of sentences whose features and labels become more: as if all sizes had been known."""

from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp

import linnet._core as _core
from linnet.learners import AROW, MIRA, SGD, AdaGrad, PassiveAggressive, Pegasos, Perceptron, Winnow
from linnet.structures import ChainRules, Problem

from .. import problems
from ..structured import changed
from .small_tagger import problem_of

WHOLE = problems.tagging(30, 5, seed=4)
SIZES = [(10, 9, 2), (20, 13, 4), (30, 16, 5)]  # sentences, features, labels so far


def batch(first: int, sentences: int, features: int, labels: int) -> problems.Tagged:
    """Some sentences, without the features and labels that are yet to come."""
    begin, end = WHOLE.offsets[first], WHOLE.offsets[sentences]
    X = WHOLE.X[begin:end].tolil()
    X[:, features:] = 0
    y = (WHOLE.y[begin:end] % labels).astype(np.int32)
    return problems.Tagged(
        sp.csr_matrix(X[:, :features]), WHOLE.offsets[first : sentences + 1] - begin, y, labels
    )


def batches(
    loss: str, penalty: str, average: bool, shape: dict[str, Any], final: bool
) -> list[Problem]:
    """The stream; ``final``: every batch with the sizes of the last."""
    out, first = [], 0
    for number, (sentences, features, labels) in enumerate(SIZES):
        data = batch(first, sentences, features, labels)
        if final:
            wide = sp.csr_matrix(
                (data.X.data, data.X.indices, data.X.indptr), (data.X.shape[0], SIZES[-1][1])
            )
            data = data._replace(X=wide, labels=SIZES[-1][2])
        given = dict(shape)
        if given.pop("observed", False):
            X = sp.random(
                len(data.y), 2 + number, 0.4, "csr", rng=np.random.default_rng(number), dtype=np.float32
            )
            columns = 2 + len(SIZES) - 1 if final else 2 + number
            given["pairs"] = _core.Rows.csr(X.indptr, X.indices, X.data, columns, 1.0)
        out.append(
            problem_of(
                data,
                loss,
                penalty,
                average=average,
                C=1.0 / 3,
                shuffle=False,
                chain=given,
            )
        )
        first = sentences
    return out


CELLS: list[tuple[Any, str, str, bool]] = [
    (Perceptron(), "perceptron", "none", False),
    (Perceptron(), "perceptron", "none", True),
    (SGD(), "logistic", "none", True),
    (SGD(), "logistic", "l2", False),
    (SGD(), "logistic", "l2", True),
    (SGD(), "hinge", "l1", False),
    (SGD(), "softmax_margin", "elasticnet", False),
    (Pegasos(), "hinge", "l2", False),
    (AdaGrad(), "logistic", "none", True),
    (AdaGrad(), "logistic", "l1", False),
    (AdaGrad(), "hinge", "l2", False),
    (AdaGrad(), "softmax_margin", "elasticnet", False),
    (PassiveAggressive(), "hinge", "none", True),
    (MIRA(), "hinge", "none", False),
    (AROW(), "hinge", "none", True),
    (Winnow(), "perceptron", "none", True),
]
EXACT = {"perceptron", "pa", "mira", "arow", "winnow"}


def stream(learner: Any, problems_: list[Problem]) -> np.ndarray:
    solver = learner.stream(problems_[0])
    solver.epoch()
    for problem in problems_[1:]:
        solver = solver.grown(problem)
        solver.epoch()
    return np.asarray(solver.weights())


@pytest.mark.parametrize("shape", [{"ends": True}, {"ends": False}], ids=["ends", "no ends"])
@pytest.mark.parametrize(("learner", "loss", "penalty", "average"), CELLS)
def test_new_features(learner: Any, loss: str, penalty: str, average: bool, shape: Any) -> None:
    """With all labels known from the start, growing is as having had all features."""
    growing = batches(loss, penalty, average, shape, final=False)
    final = batches(loss, penalty, average, shape, final=True)
    growing = [changed(p, n_labels=final[0].width) for p in growing]
    grown, whole = stream(learner, growing), stream(learner, final)
    if learner.name in EXACT or penalty == "none":
        np.testing.assert_array_equal(grown, whole)
    else:
        np.testing.assert_allclose(grown, whole, atol=1e-6)


SHAPES = {
    "ends": {"ends": True},
    "no ends": {"ends": False},
    "order 2": {"ends": True, "order": 2},
    "order 3": {"ends": True, "order": 3},
    "observed": {"ends": True, "observed": True},
}


@pytest.mark.parametrize("shape", SHAPES.values(), ids=SHAPES)
@pytest.mark.parametrize(("learner", "loss", "penalty", "average"), CELLS)
def test_new_labels(learner: Any, loss: str, penalty: str, average: bool, shape: Any) -> None:
    """Labels to come are forbidden in the twin that has room for all of them."""
    growing = batches(loss, penalty, average, shape, final=False)
    final = batches(loss, penalty, average, shape, final=True)
    final = [forbid(p, labels) for p, (_, _, labels) in zip(final, SIZES, strict=True)]
    grown, whole = stream(learner, growing), stream(learner, final)
    if learner.name in EXACT:
        np.testing.assert_array_equal(grown, whole)
    else:
        np.testing.assert_allclose(grown, whole, atol=1e-6)


def forbid(problem: Problem, labels: int) -> Problem:
    mask = np.zeros((problem.rows.size, problem.width), np.uint8)
    mask[:, :labels] = 1
    return changed(problem, rules=ChainRules(tokens=mask))
