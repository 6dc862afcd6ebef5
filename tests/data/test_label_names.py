"""Names that NumPy would shorten: labels, tags and relations are refused, by line, before training."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import linnet
from linnet import formats
from linnet.data.examples import LabelColumn
from linnet.data.label_names import WRONG_END
from linnet.errors import DataError

TEXTS = ["red forehead", "tiny tail"] * 3
NUL = ["a\0", "a"] * 3
SENTENCES = [[("a", "N"), ("b", "V")]] * 4

FITS: dict[str, Callable[[], Any]] = {
    "texts": lambda: linnet.TextClassifier().fit(TEXTS, NUL),
    "texts of several": lambda: linnet.TextClassifier().fit(TEXTS, [[name] for name in NUL]),
    "texts, an array": lambda: linnet.TextClassifier().fit(TEXTS, np.array(NUL, object)),
    "texts, a column": lambda: linnet.TextClassifier().fit(TEXTS, LabelColumn.from_values(NUL)),
    "texts, a stream": lambda: linnet.TextClassifier().partial_fit(TEXTS, NUL),
    "lexicon": lambda: linnet.TextClassifier.from_lexicon({"a\0": {"x": 1.0}, "a": {"y": 1.0}}),
    "rows": lambda: linnet.Perceptron().fit(np.eye(6), NUL),
    "rows, a stream": lambda: linnet.Perceptron().partial_fit(np.eye(6), NUL),
    "rows, classes": lambda: linnet.Perceptron().partial_fit(np.eye(2), [1, 2], classes=["a", "b\0"]),
    "tags": lambda: linnet.CRF().fit([["x", "y"]] * 3, [["X\0", "X"]] * 3),
    "tags, a stream": lambda: linnet.StructuredPerceptron().partial_fit([["x", "y"]], [["X\0", "X"]]),
    "relations": lambda: linnet.DependencyParser().fit(SENTENCES, [([2, 0], ["r\0", "r"])] * 4),
}  # fmt: skip


@pytest.mark.parametrize("fit", FITS.values(), ids=FITS)
def test_no_estimator_learns_them(fit: Callable[[], Any]) -> None:
    with pytest.raises(DataError, match=f"x00' {WRONG_END}"):
        fit()


FILES = {
    "a.tsv": b"a\tx\nb\0\ty\n",
    "a.csv": b"label,text\nb\0,y\n",
    "a.jsonl": b'{"label": "a", "text": "x"}\n{"label": ["b\\u0000"], "text": "x"}\n',
    "a.ft": b"__label__a x\n__label__b\0 y\n",
    "a.svm": b"a 1:1\nb\0 2:1\n",
    "a.conll": b"x A\ny B\0\n\n",
    "a.crfsuite": b"A\tw=x\nB\0\tw=y\n\n",
    "a.tokens": b'{"tokens": ["x"], "tags": ["A"]}\n{"tokens": ["y"], "tags": ["B\\u0000"]}\n',
    "a.spans": b'{"text": "x", "spans": []}\n{"text": "y", "spans": [[0, 1, "B\\u0000"]]}\n',
    "a.conllu": b"1\tx\t_\t_\t_\t_\t2\tdep\t_\t_\n2\ty\t_\t_\t_\t_\t0\troot\0\t_\t_\n\n",
}


@pytest.mark.parametrize("name", FILES)
def test_readers_name_the_line(tmp_path: Path, name: str) -> None:
    path = tmp_path / name
    path.write_bytes(FILES[name])
    ending = path.suffix[1:]
    read = formats.read_sequences if ending in formats.SEQUENCE_FORMATS else formats.read
    read = formats.read_trees if ending == "conllu" else formats.read if ending == "tsv" else read
    with pytest.raises(DataError) as error:
        read(path, {"ft": "fasttext", "svm": "svmlight"}.get(ending, ending))
    assert f"{path}, line 2: the " in str(error.value)
    assert WRONG_END in str(error.value)


def test_parquet_names_the_row(tmp_path: Path) -> None:
    path = tmp_path / "a.parquet"
    pq.write_table(pa.table({"text": ["x", "y"], "label": ["a", "b\0"]}), path)
    with pytest.raises(DataError, match="row 2: the label"):
        formats.read(path)


def test_names_that_no_array_holds_are_kept(tmp_path: Path) -> None:
    table = {"text": ["x"] * 6, "kind": ["u\0", "u"] * 3, "kind\0": ["v", "v\0"] * 3}
    features = linnet.TextFeatures(categorical=["kind", "kind\0"])
    model = linnet.TextClassifier(features).fit(table, ["a", "b"] * 3)
    model.save(tmp_path / "m")
    assert linnet.load(tmp_path / "m").predict(table).tolist() == ["a", "b"] * 3
    rows = [{"f\0": 1.0}, {"f": 1.0}] * 3
    named = linnet.Perceptron().fit(rows, ["a", "b"] * 3)
    named.save(tmp_path / "m")
    assert linnet.load(tmp_path / "m").predict(rows).tolist() == ["a", "b"] * 3
    usual = linnet.StructuredPerceptron(features=["word", "usual[0]"], max_iter=5)
    usual.fit([["a\0", "a"]] * 4, [["Y", "X"]] * 4).save(tmp_path / "m")
    assert linnet.load(tmp_path / "m").predict([["a\0", "a"]]) == [["Y", "X"]]
