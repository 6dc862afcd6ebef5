"""The learner that 'auto' takes can always do what is asked."""

from itertools import product

import pytest

import linnet
from linnet.learners.base import ALL_LOSSES
from linnet.regularisers import PENALTIES
from linnet.training import grid

CELLS = [("joint_likelihood", "none"), *product(sorted(ALL_LOSSES), PENALTIES)]


@pytest.mark.parametrize("penalize_intercept", [True, False])
@pytest.mark.parametrize("few", [True, False], ids=["few", "many"])
@pytest.mark.parametrize("structure", ["binary", "multiclass"])
@pytest.mark.parametrize(("loss", "penalty"), CELLS)
def test_auto_is_never_refused(
    loss: str, penalty: str, structure: str, few: bool, penalize_intercept: bool
) -> None:
    model = linnet.LinearClassifier(loss, penalty=penalty, penalize_intercept=penalize_intercept)
    grid.check(model._learner(few), model._cell(structure))


@pytest.mark.parametrize(("loss", "penalty"), CELLS[1:])
def test_auto_for_candidates(loss: str, penalty: str) -> None:
    model = linnet.Reranker(loss, penalty=penalty)
    grid.check(model._learner(candidates=True), model._cell("candidates"))
