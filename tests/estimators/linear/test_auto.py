"""The learner that 'auto' takes can always do what is asked."""

from itertools import product

import numpy as np
import pytest

import linnet
from linnet.learners.base import ALL_LOSSES
from linnet.regularisers import PENALTIES
from linnet.structures import STRUCTURES
from linnet.training import grid

from ... import problems

CELLS = [("joint_likelihood", "none"), *product(sorted(ALL_LOSSES), PENALTIES)]


@pytest.mark.parametrize("penalize_intercept", [True, False])
@pytest.mark.parametrize("few", [True, False], ids=["few", "many"])
@pytest.mark.parametrize("structure", ["binary", "multiclass"])
@pytest.mark.parametrize(("loss", "penalty"), CELLS)
def test_auto_is_never_refused(
    loss: str, penalty: str, structure: str, few: bool, penalize_intercept: bool
) -> None:
    model = linnet.LinearClassifier(loss, penalty=penalty, penalize_intercept=penalize_intercept)
    grid.check(model._learner(few), model._cell(STRUCTURES[structure]))


@pytest.mark.parametrize(("loss", "penalty"), CELLS[1:])
def test_auto_for_candidates(loss: str, penalty: str) -> None:
    model = linnet.Reranker(loss, penalty=penalty)
    grid.check(model._learner(candidates=True), model._cell(STRUCTURES["candidates"]))


@pytest.mark.parametrize("labels", [2, 3])
@pytest.mark.parametrize("loss", ["logistic", "squared_hinge"])
def test_an_elastic_net_without_l1_is_l2(loss: str, labels: int) -> None:
    X, y = problems.noisy(n=60, labels=labels)
    net = linnet.LinearClassifier(loss, penalty="elasticnet", l1_ratio=0, tol=1e-9).fit(X, y)
    plain = linnet.LinearClassifier(loss, penalty="l2", tol=1e-9).fit(X, y)
    np.testing.assert_allclose(net.coef_, plain.coef_, atol=1e-5)
