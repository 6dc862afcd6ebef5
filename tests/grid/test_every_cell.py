"""Every cell of structure × loss × learner × penalty runs, or is refused with its reason."""

import warnings
from typing import Any

import numpy as np
import pytest

import linnet
from linnet.errors import RefusedError, TrainingWarning
from linnet.losses import LOSSES
from linnet.training.grid import Compatibility

from .. import problems
from .small_parser import SmallParser, treebank
from .small_tagger import SmallTagger

CELLS = linnet.compatible()
LEGAL = [cell for cell in CELLS if cell.works]
REFUSED = [cell for cell in CELLS if not cell.works]
PROBLEMS: dict[str, tuple[Any, Any]] = {
    "binary": problems.disjunction(),
    "multiclass": problems.topics(),
    "candidates": problems.candidates(),
    "chain": (problems.tagging(), problems.tagging().y),
    "tree": (treebank(), treebank().heads),
}
BETTER_THAN_CHANCE = {"binary": 0.75, "multiclass": 0.6, "candidates": 0.6, "chain": 0.6, "tree": 0.6}


def name(cell: Compatibility) -> str:
    return f"{cell.structure}-{cell.loss}-{cell.learner}-{cell.penalty}"


def estimator(cell: Compatibility, **settings: Any) -> Any:
    kinds = {"candidates": linnet.Reranker, "chain": SmallTagger, "tree": SmallParser}
    kind: Any = kinds.get(cell.structure, linnet.LinearClassifier)
    return kind(cell.loss, cell.learner, cell.penalty, **{"C": 1.0} | settings)


def fit(cell: Compatibility, **settings: Any) -> Any:
    X, y = PROBLEMS[cell.structure]
    with warnings.catch_warnings():
        # without a penalty separable data have no minimum; some learners need many passes
        warnings.simplefilter("ignore", TrainingWarning)
        return estimator(cell, **settings).fit(X, y)


@pytest.mark.parametrize("cell", LEGAL, ids=name)
def test_legal_cells_learn(cell: Compatibility) -> None:
    model = fit(cell)
    assert np.isfinite(model.model_.weights).all()
    assert model.score(*PROBLEMS[cell.structure]) > BETTER_THAN_CHANCE[cell.structure]
    assert model.record_.loss == cell.loss
    assert model.record_.learner == cell.learner


@pytest.mark.parametrize("cell", REFUSED, ids=name)
def test_refused_cells_say_why(cell: Compatibility) -> None:
    with pytest.raises(RefusedError) as caught:
        estimator(cell).fit(*PROBLEMS[cell.structure])
    assert str(caught.value) == cell.reason
    assert cell.learner in cell.reason
    assert "use " in cell.reason.split(": ", 1)[1]  # and what to do


@pytest.mark.parametrize("cell", [c for c in LEGAL if c.penalty in ("l1", "elasticnet")], ids=name)
def test_l1_makes_exact_zeros(cell: Compatibility) -> None:
    # an online learner's last few instances leave weights that a weak penalty has not clipped yet
    online = cell.learner in ("sgd", "adagrad")
    alpha = 1.0 if online else 0.3
    if cell.structure == "chain" and cell.loss in ("squared_hinge", "exponential"):
        alpha = 300.0  # the losses of whole sentences are large, and so are their gradients
    weights = fit(cell, alpha=alpha, l1_ratio=0.9).model_.coef
    assert (weights == 0).mean() > 0.15


def averaging_refusal(cell: Compatibility) -> str | None:
    """What the learner says when asked for averages."""
    from linnet.learners.base import Cell
    from linnet.training import grid

    asked = Cell(cell.structure, cell.loss, cell.penalty, average=True)
    return grid.refusal(grid.resolve(cell.learner), asked)


@pytest.mark.parametrize("cell", LEGAL, ids=name)
def test_averaging(cell: Compatibility) -> None:
    reason = averaging_refusal(cell)
    if reason is None:
        averaged = fit(cell, average=True)
        assert np.isfinite(averaged.model_.weights).all()
        assert averaged.score(*PROBLEMS[cell.structure]) > BETTER_THAN_CHANCE[cell.structure]
        assert not np.array_equal(averaged.model_.weights, fit(cell).model_.weights)
    else:
        with pytest.raises(RefusedError) as caught:
            fit(cell, average=True)
        assert str(caught.value) == reason


@pytest.mark.parametrize(
    "cell",
    [c for c in LEGAL if c.structure not in ("candidates", "tree") and c.penalty != "none"],
    ids=name,
)
def test_free_intercept(cell: Compatibility) -> None:
    if cell.learner in ("dual", "frank_wolfe"):
        with pytest.raises(RefusedError, match="cannot leave the intercept out of the penalty"):
            fit(cell, penalize_intercept=False)
        return
    # under so strong a penalty the intercept alone is left to speak, unless it is penalised too
    strong = {"alpha": 50.0, "max_iter": 30 if cell.learner in ("sgd", "adagrad", "pegasos") else None}
    if cell.learner in ("sgd", "pegasos"):
        strong["alpha"] = 0.5
    free = fit(cell, penalize_intercept=False, **strong)
    held = fit(cell, **strong)
    assert np.isfinite(free.model_.weights).all()
    if cell.loss == "perceptron":  # zero is its minimum, penalised or not
        assert not np.array_equal(free.intercept_, held.intercept_)
    else:
        assert np.abs(free.intercept_).sum() > np.abs(held.intercept_).sum()


@pytest.mark.parametrize("structure", ["binary", "multiclass", "candidates"])
@pytest.mark.parametrize("loss", [name for name in LOSSES if name != "joint_likelihood"])
@pytest.mark.parametrize("penalty", ["none", "l1", "l2", "elasticnet"])
def test_the_automatic_learner_is_legal(structure: str, loss: str, penalty: str) -> None:
    model = fit(Compatibility(structure, loss, "auto", penalty, None))
    assert model.score(*PROBLEMS[structure]) > BETTER_THAN_CHANCE[structure]


# Which losses each learner trains on at least one structure and penalty: losing one is no accident.
SMOOTH = {"squared_hinge", "logistic", "softmax_margin", "probability", "exponential", "squared"}
PAIRS = {
    "counting": {"joint_likelihood"},
    "em": {"joint_likelihood"},
    "perceptron": {"perceptron", "hinge"},
    "voted": {"perceptron"},
    "sgd": SMOOTH - {"exponential"} | {"perceptron", "hinge"},
    "pegasos": {"hinge"},
    "adagrad": SMOOTH | {"perceptron", "hinge"},
    "pa": {"hinge", "squared_hinge", "logistic", "softmax_margin"},
    "mira": {"hinge"},
    "arow": {"hinge"},
    "winnow": {"perceptron", "hinge"},
    "elimination": {"perceptron"},
    "lbfgs": SMOOTH,
    "owlqn": SMOOTH,
    "newton": SMOOTH - {"probability", "exponential"},
    "cg": SMOOTH,
    "gradient": SMOOTH,
    "gis": {"logistic"},
    "dual": {"hinge", "squared_hinge", "logistic"},
    "frank_wolfe": {"hinge"},
    "coordinate": {"logistic", "squared_hinge", "squared"},
}


def test_no_cell_is_lost() -> None:
    found: dict[str, set[str]] = {}
    for cell in LEGAL:
        found.setdefault(cell.learner, set()).add(cell.loss)
    assert found == PAIRS
    assert len(CELLS) == 5 * 9 * len(PAIRS) * 4
    assert {c.structure: sum(d.structure == c.structure for d in LEGAL) for c in LEGAL} == COUNTS


COUNTS = {"binary": 141, "multiclass": 141, "candidates": 120, "chain": 86, "tree": 96}
