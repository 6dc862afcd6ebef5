"""Weights that are no numbers: refused by a model of any kind, when it is loaded or used."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import linnet
from linnet.errors import DataError
from linnet.persistence import read

from . import parser_models, tagger_models, text_models
from .tagger_models import asked

KINDS: dict[str, tuple[Any, Any]] = {
    "text": (text_models.FILES, lambda model: (model.predict, text_models.ASKED)),
    "tagger": (tagger_models.FILES, lambda model: (model.predict, asked(model))),
    "parser": (parser_models.FILES, lambda model: (model.predict, parser_models.ASKED)),
}
# Values that are no weights: where probabilities come from, and the lists of what was voted for.
ASIDE = ("calibration.", "votes.", "features.lexicon")


def cases() -> list[tuple[str, str]]:
    """A model of each way to hold weights."""
    text = ["plain", "two", "sparse", "several", "hashed", "packed", "packed, 4 bits", "packed hashed"]
    tagger = ["first order", "independent", "segments", "hashed", "packed", "local"]
    parser = ["second order", "first order", "joint", "packed", "packed to 4 bits"]
    return [
        (kind, name)
        for kind, names in (("text", text), ("tagger", tagger), ("parser", parser))
        for name in names
    ]


@pytest.mark.parametrize(("kind", "name"), cases())
@pytest.mark.parametrize("value", [np.nan, np.inf])
def test_every_tensor_of_weights(tmp_path: Path, kind: str, name: str, value: float) -> None:
    files, use = KINDS[kind]
    path = tmp_path / "m"
    there = read(files.saved(path, name)).tensors
    weights = [key for key, array in there.items() if array.dtype.kind == "f" and array.size]
    weights = [key for key in weights if not key.startswith(ASIDE)]
    assert weights
    for key in weights:
        files.edited(path, name, tensors={key: np.full_like(there[key], value)})
        with pytest.raises(DataError):
            ask(path, use)


def ask(path: Path, use: Any) -> None:
    predict, given = use(linnet.load(path))
    predict(given)


def test_a_text_is_named_and_nothing_is_printed_as_json(tmp_path: Path) -> None:
    path = tmp_path / "m"
    weights = np.array(read(text_models.FILES.saved(path, "plain")).tensors["weights"])
    weights[0] = np.nan
    model = linnet.load(text_models.FILES.edited(path, "plain", tensors={"weights": weights}))
    for question in (model.predict, model.decision_function, model.predict_proba):
        with pytest.raises(DataError, match="scores of example 1 are no finite numbers"):
            question(["a wren", "a linnet"])
    with pytest.raises(DataError, match="no finite numbers"):
        model.explain("a wren")


def test_counts_of_zero_are_no_damage() -> None:
    """Minus infinity is the logarithm of what was never seen."""
    X, y = np.array([[1.0, 0.0], [0.0, 1.0]]), ["a", "b"]
    model = linnet.NaiveBayes(smoothing=0.0).fit(X, y)
    assert model.predict([[2.0, 0.0], [0.0, 3.0]]).tolist() == ["a", "b"]


def test_values_that_are_too_large_for_the_weights_are_told() -> None:
    X = np.array([[1.0, 0.0], [0.0, 1.0], [1.0, 1.0], [0.0, 2.0]])
    model = linnet.Perceptron().fit(1e3 * X, [0, 1, 2, 1])
    with pytest.raises(DataError, match=r"example 2 are no finite numbers: .*scale the features"):
        model.predict([[1.0, 0.0], [3e38, 3e38]])
