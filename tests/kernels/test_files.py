"""Model files of estimators with kernels."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import linnet
from linnet.errors import RefusedError
from linnet.kernels import Gaussian, Linear, Polynomial

rng = np.random.default_rng(0)
X = rng.normal(size=(40, 4))
TWO = np.where(X[:, 0] * X[:, 1] > 0, "yes", "no")
THREE = np.digitize(X[:, 0], [-0.5, 0.5])
TEXTS = ["a linnet sings", "a wren sings", "linnets sing here", "the wren is small"] * 3
BIRDS = ["linnet", "wren", "linnet", "wren"] * 3
TREES = [("S", ("N", bird), ("V", "sings")) for bird in BIRDS]
MODELS: dict[str, tuple[Any, Any, Any]] = {
    "gaussian": (linnet.KernelSVM(), X, TWO),
    "linear": (linnet.KernelSVM("linear"), X, TWO),
    "joint": (linnet.KernelSVM(Polynomial(3)), X, THREE),
    "pairs": (linnet.KernelSVM("gaussian", multiclass="pairs"), X, THREE),
    "votes of pairs": (linnet.KernelSVM("gaussian", multiclass="pairs_votes"), X, THREE),
    "code": (linnet.KernelSVM("gaussian", multiclass="ecoc"), X, THREE),
    "votes of a code": (linnet.KernelSVM("linear", multiclass="ecoc_votes"), X, THREE),
    "survivor": (linnet.KernelPerceptron(hypothesis="survivor", progressive=True), X, THREE),
    "rest": (linnet.KernelSVM(Linear() + Gaussian(1.0), multiclass="rest"), X, THREE),
    "texts": (linnet.KernelSVM("gaussian"), TEXTS, BIRDS),
    "own features": (linnet.KernelSVM(features=linnet.TextFeatures(word=(1, 1))), TEXTS, BIRDS),
    "named": (linnet.KernelSVM(), [{"a": 1.0}, {"b": 2.0}, {"a": 2.0, "b": 0.5}], [0, 1, 0]),
    "strings": (linnet.KernelSVM("gappy length=2"), TEXTS, BIRDS),
    "trees": (linnet.KernelSVM("normalised subset_tree"), TREES, BIRDS),
    "gram": (linnet.KernelSVM("precomputed"), X @ X.T, TWO),
    "numbers": (linnet.KernelRegressor(), X, X[:, 0]),
    "averaged": (linnet.KernelPerceptron(), X, THREE),
    "constraints": (linnet.KernelSVM("linear", multiclass="kesler"), X, THREE),
    "perceptrons of pairs": (linnet.KernelPerceptron(multiclass="pairs"), X, THREE),
    "perceptrons that vote": (linnet.KernelPerceptron(multiclass="ecoc_votes"), X, THREE),
    "votes over constraints": (
        linnet.KernelPerceptron("linear", "voted", multiclass="kesler"),
        X,
        THREE,
    ),
    "voted": (linnet.KernelPerceptron(hypothesis="voted"), X, TWO),
}


@pytest.mark.parametrize("name", MODELS)
def test_what_was_saved_is_loaded(name: str, tmp_path: Path) -> None:
    made, data, y = MODELS[name]
    model = made.fit(data, y)
    model.save(tmp_path / "model.linnet")
    again = linnet.load(tmp_path / "model.linnet")
    assert type(again) is type(model)
    assert (again.predict(data) == model.predict(data)).all()
    if hasattr(model, "decision_function"):
        np.testing.assert_array_equal(again.decision_function(data), model.decision_function(data))
    if getattr(model, "history_", None) is None:
        assert str(again.explain(data)[0]) == str(model.explain(data)[0])
    again.save(tmp_path / "again.linnet")
    assert (tmp_path / "again.linnet").read_bytes() == (tmp_path / "model.linnet").read_bytes()
    assert again.__sklearn_clone__().fit(data, y) is not None


def test_a_function_is_not_saved(tmp_path: Path) -> None:
    model = linnet.KernelSVM(lambda a, b: float(a * b)).fit([1.0, 2.0, -1.0, -2.0], [1, 1, 0, 0])
    assert model.predict([3.0]).tolist() == [1]
    with pytest.raises(RefusedError, match="holds no code"):
        model.save(tmp_path / "model.linnet")
