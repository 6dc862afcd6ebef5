"""Examples, their labels and their fingerprint; conversion."""

from pathlib import Path

import click
import numpy as np
import pytest

from linnet.cli.tasks.classify.convert import convert
from linnet.data.examples import Examples, LabelColumn
from linnet.data.fingerprint import fingerprint
from linnet.errors import DataError
from linnet.formats import read, write

from .made import content, examples, file, rows


def test_labels() -> None:
    labels = LabelColumn.from_values([["b", "a"], [], "c"])
    assert labels.names == ["a", "b", "c"]
    assert labels.values() == [["b", "a"], [], ["c"]]
    assert labels.take(np.array([2, 0])).values() == [["c"], ["b", "a"]]
    assert len(labels) == 3
    assert not LabelColumn.from_values(["x"]).multilabel


def test_take() -> None:
    given = examples(
        ["a", "b", "c"], ["x", "y", "x"], columns={"n": np.arange(3.0)}, weights=np.arange(3.0)
    )
    taken = given.take([2, 0, 2])
    assert content(taken) == {
        "texts": [b"c", b"a", b"c"],
        "labels": ["x", "x", "x"],
        "weights": [2.0, 0.0, 2.0],
        "columns": {"n": [2.0, 0.0, 2.0]},
    }
    matrix = Examples(matrix=rows([{0: 1.0, 2: 3.0}, {}, {1: 2.0}], 3))
    assert content(matrix.take([2, 0]))["rows"] == [{1: 2.0}, {0: 1.0, 2: 3.0}]
    assert len(matrix) == 3


def test_parts_must_agree() -> None:
    with pytest.raises(DataError, match="differ in length: texts 2, labels 1"):
        examples(["a", "b"], ["x"])
    with pytest.raises(ValueError, match="texts or a matrix"):
        Examples()


def test_fingerprint_is_of_the_data_alone(tmp_path: Path) -> None:
    given = examples(["one", "two", "thrée"], ["x", "y", "x"])
    write(given, tmp_path / "a.tsv")
    write(given, tmp_path / "b.jsonl.gz")
    assert fingerprint(read(tmp_path / "a.tsv")) == fingerprint(read(tmp_path / "b.jsonl.gz"))
    assert fingerprint(given) == "f882c56598eafb4d"  # the same in all versions and on all machines
    others = [
        examples(["one", "two", "thrée"], ["x", "y", "y"]),
        examples(["one", "two", "thrée"], ["x", "z", "x"]),
        examples(["onet", "wo", "thrée"], ["x", "y", "x"]),
        examples(["two", "one", "thrée"], ["x", "y", "x"]),
        examples(["one", "two", "thrée"], [["x"], ["y"], ["x"]]),
        examples(["one", "two", "thrée"]),
        examples(["one", "two", "thrée"], ["x", "y", "x"], weights=np.ones(3)),
    ]
    assert len({fingerprint(e) for e in [given, *others]}) == 1 + len(others)


def test_fingerprint_of_a_part() -> None:
    whole = examples(["a", "b"], ["x", "y"])
    assert fingerprint(whole.take([1])) == fingerprint(examples(["b"], ["y"]))


def convert_data(source: str, target: str, to_format: str | None = None) -> None:
    said = dict.fromkeys(("format_", "text", "label", "no_header"))
    convert(source, target, {**said, "to_format": to_format, "lossy": False, "safe_csv": False})


def test_convert(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    source = file(tmp_path, "a.csv", "kind,words\nx,one\n")
    convert_data(str(source), str(tmp_path / "a.ft"))
    assert (tmp_path / "a.ft").read_text("utf-8") == "__label__x one\n"
    assert "taken as text" in capsys.readouterr().err
    with pytest.raises(DataError, match="cannot hold texts"):
        convert_data(str(source), str(tmp_path / "a.svm"))
    for target in ("-", str(tmp_path / "a.xyz")):
        with pytest.raises(click.UsageError, match="--to"):
            convert_data(str(source), target)


def test_standard_output(tmp_path: Path, capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    convert_data(str(file(tmp_path, "a.tsv", "a\tb\n")), "-", "vw")
    assert capfdbinary.readouterr().out == b"a | b\n"
