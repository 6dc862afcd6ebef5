"""Every cell of structure × loss × learner × penalty runs, or is refused with its reason."""

import numpy as np
import pytest

import linnet
from linnet.errors import RefusedError
from linnet.learners.base import loss_refusal
from linnet.losses import LOSSES
from linnet.structures import STRUCTURES, Cell
from linnet.training import grid
from linnet.training.grid import Compatibility

from .cells import BETTER_THAN_CHANCE, data_of, estimator, fit, score, weights_of

CELLS = linnet.compatible()
LEGAL = [cell for cell in CELLS if cell.works]
REFUSED = [cell for cell in CELLS if not cell.works]
FLAT = ("binary", "multiclass")


def name(cell: Compatibility) -> str:
    return f"{cell.structure}-{cell.loss}-{cell.learner}-{cell.penalty}"


@pytest.mark.parametrize("cell", LEGAL, ids=name)
def test_legal_cells_learn(cell: Compatibility) -> None:
    model = fit(cell)
    assert np.isfinite(weights_of(model, cell)).all()
    assert score(model, cell) > BETTER_THAN_CHANCE[cell.structure]
    assert model.record_.loss == cell.loss
    assert model.record_.learner == cell.learner


@pytest.mark.parametrize("cell", REFUSED, ids=name)
def test_refused_cells_say_why(cell: Compatibility) -> None:
    with pytest.raises(RefusedError) as caught:
        estimator(cell).fit(*data_of(cell))
    assert str(caught.value) == cell.reason
    assert cell.learner in cell.reason
    assert "use " in cell.reason.split(": ", 1)[1]  # and what to do


@pytest.mark.parametrize("cell", [c for c in LEGAL if c.penalty in ("l1", "elasticnet")], ids=name)
def test_l1_makes_exact_zeros(cell: Compatibility) -> None:
    # an online learner's last few instances leave weights that a weak penalty has not clipped yet
    online = cell.learner in ("sgd", "adagrad")
    alpha = 1.0 if online else 0.3
    if cell.structure in (
        "chain",
        "segments",
        "graph",
        "loopy_graph",
    ):  # losses of whole sentences have large gradients
        exponential = 3e6 if cell.structure == "segments" else 300.0
        alpha = {"squared_hinge": 300.0, "exponential": exponential}.get(cell.loss, alpha)
    mixed = {"l1_ratio": 0.9} if cell.penalty == "elasticnet" else {}
    weights = weights_of(fit(cell, alpha=alpha, **mixed), cell)
    assert weights.size == 0 or (weights == 0).mean() > 0.15  # features without weights are dropped


def averaging_refusal(cell: Compatibility) -> str | None:
    """What the learner says when asked for averages."""
    asked = Cell(STRUCTURES[cell.structure], cell.loss, cell.penalty, average=True)
    return grid.refusal(grid.resolve(cell.learner), asked)


@pytest.mark.parametrize("cell", LEGAL, ids=name)
def test_averaging(cell: Compatibility) -> None:
    reason = averaging_refusal(cell)
    if reason is None:
        averaged = fit(cell, average=True)
        weights = weights_of(averaged, cell)
        assert np.isfinite(weights).all()
        assert score(averaged, cell) > BETTER_THAN_CHANCE[cell.structure]
        assert not np.array_equal(weights, weights_of(fit(cell), cell))
    else:
        with pytest.raises(RefusedError) as caught:
            fit(cell, average=True)
        assert str(caught.value) == reason


@pytest.mark.parametrize(
    "cell", [c for c in LEGAL if c.structure in FLAT and c.penalty != "none"], ids=name
)
def test_free_intercept(cell: Compatibility) -> None:
    if cell.learner == "frank_wolfe" or (cell.learner, cell.loss) == ("dual", "logistic"):
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


@pytest.mark.parametrize("structure", STRUCTURES)
@pytest.mark.parametrize("loss", [name for name in LOSSES if name != "joint_likelihood"])
@pytest.mark.parametrize("penalty", ["none", "l1", "l2", "elasticnet"])
def test_the_automatic_learner_is_legal(structure: str, loss: str, penalty: str) -> None:
    cell = Compatibility(structure, loss, "auto", penalty, None)
    if loss_refusal(STRUCTURES[structure], loss, warm_start=False) is not None:
        with pytest.raises(RefusedError, match=f"does not train {STRUCTURES[structure].plural}"):
            fit(cell)
        return
    assert score(fit(cell), cell) > BETTER_THAN_CHANCE[structure]


# Which losses each learner trains on at least one structure and penalty: losing one is no accident.
SMOOTH = {"squared_hinge", "logistic", "softmax_margin", "probability", "exponential", "squared"}
PAIRS = {
    "counting": {"joint_likelihood"},
    "em": {"joint_likelihood"},
    "perceptron": {"perceptron", "hinge", "squared"},
    "mixing": {"perceptron", "hinge", "squared"},
    "averaging": {"perceptron", "hinge", "squared"},
    "voted": {"perceptron"},
    "sgd": SMOOTH - {"exponential"} | {"perceptron", "hinge"},
    "pegasos": {"hinge"},
    "adagrad": SMOOTH | {"perceptron", "hinge"},
    "pa": {"hinge", "squared_hinge", "logistic", "softmax_margin"},
    "mira": {"hinge"},
    "arow": {"hinge"},
    "winnow": {"perceptron", "hinge", "squared"},
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
    "adaboost": {"exponential"},
}


def test_no_cell_is_lost() -> None:
    found: dict[str, set[str]] = {}
    for cell in LEGAL:
        found.setdefault(cell.learner, set()).add(cell.loss)
    assert found == PAIRS
    assert len(CELLS) == len(STRUCTURES) * len(LOSSES) * len(PAIRS) * 4
    assert {c.structure: sum(d.structure == c.structure for d in LEGAL) for c in LEGAL} == COUNTS


COUNTS = {
    "binary": 147,
    "multiclass": 146,
    "candidates": 124,
    "chain": 90,
    "segments": 86,
    "tree": 101,
    "brackets": 100,
    "grammar": 88,
    "graph": 88,
    "loopy_graph": 54,
    "regression": 22,
}
