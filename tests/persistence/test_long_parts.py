"""Parts of a description that grow with the data lie among the tensors, and come back as they were."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import linnet
from linnet.persistence import ModelFileError, read, write
from linnet.persistence.layout import HEADER_LIMIT
from linnet.persistence.long_parts import LONG

from .damage import header


def head(path: Path) -> dict[str, Any]:
    about = json.loads(header(path.read_bytes())[1]["__metadata__"]["linnet"])
    return about["spec"]


def test_more_than_a_header_holds(path: Path) -> None:
    words = [f"a long value {k} \ud800 é" for k in range(800_000)]
    spec = {
        "kind": "test",
        "words": words,
        "inner": {"small": [1], "many": dict.fromkeys(words[:9999])},
    }
    assert sum(map(len, words)) > HEADER_LIMIT
    write(path, spec, {"w": np.ones(3)})
    assert head(path)["words"] == {"$json": "description.0"}
    assert len(json.dumps(head(path))) < LONG
    found = read(path)
    assert found.spec == spec
    assert list(found.tensors) == ["w"]


def test_what_is_short_stays(path: Path) -> None:
    spec = {"kind": "test", "words": ["a"] * 1000, "inner": {"b": [1, 2]}}
    write(path, spec, {})
    assert head(path) == spec


def test_every_list_that_grows(path: Path) -> None:
    """Values of a column, stop words, a lexicon, a dictionary of tags, labels of several types."""
    n = 9000
    values = [f"value-{k}" for k in range(n)]
    table = {"text": ["x"] * n, "kind": values}
    features = linnet.TextFeatures(categorical=["kind"], stop_words=values)
    model = linnet.TextClassifier(features, learner="perceptron", max_iter=1, calibration=None)
    model.fit(table, ["a", "b"] * (n // 2)).save(path)
    assert len(json.dumps(head(path))) < LONG
    found = linnet.load(path)
    assert found.predict(table).tolist() == model.predict(table).tolist()
    assert sorted(found.features.stop_words) == sorted(values)
    found.save(path.with_suffix(".again"))
    assert path.read_bytes() == path.with_suffix(".again").read_bytes()
    dictionary = {value: ["X"] for value in values} | {"wren": ["X", "Y"]}
    tagger = linnet.StructuredPerceptron(features=["word"], max_iter=2, dictionary=dictionary)
    tagger.fit([["a", "wren"]] * 4, [["X", "Y"]] * 4).save(path)
    assert len(json.dumps(head(path))) < LONG
    assert linnet.load(path).dictionary == dictionary
    lexicon = {"X": dict.fromkeys(values, 1.0), "Y": {"b": 1.0}}
    linnet.TextClassifier.from_lexicon(lexicon).save(path)
    assert len(json.dumps(head(path))) < LONG
    assert linnet.load(path).predict(["value-7", "b"]).tolist() == ["X", "Y"]


def damaged(path: Path, spec: Any, tensors: dict[str, Any]) -> str:
    write(path, {"kind": "test"} | spec, tensors)
    with pytest.raises(ModelFileError) as error:
        read(path)
    assert str(path) in str(error.value)
    return str(error.value)


def test_damaged_parts(path: Path) -> None:
    def part(text: str) -> np.ndarray:
        return np.frombuffer(text.encode(), np.uint8)

    mark, other = {"$json": "description.0"}, {"$json": "description.1"}
    one = {"description.0": part("[1]")}
    assert "missing" in damaged(path, {"a": other}, one)
    assert "missing" in damaged(path, {"a": {"$json": 3}}, one)
    assert "missing" in damaged(path, {"a": mark, "b": mark}, one)  # else parts could blow up
    assert "missing" in damaged(path, {"a": mark}, {"description.0": part(json.dumps([mark, 1]))})
    assert "missing" in damaged(path, {"a": mark}, {"description.0": np.ones(2)})
    assert "not valid JSON" in damaged(path, {"a": mark}, {"description.0": part("[1")})
    assert "not ASCII" in damaged(path, {"a": mark}, {"description.0": part('"é"')})
    assert "deep" in damaged(path, {"a": mark}, {"description.0": part("[" * 99 + "]" * 99)})
