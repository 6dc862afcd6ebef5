"""Readers: what they find, and what they complain of, with file and line."""

import gzip
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from linnet.errors import DataError
from linnet.formats import read

from .made import content, file


def found(folder: Path, name: str, data: bytes | str, **options: Any) -> dict[str, Any]:
    return content(read(file(folder, name, data), **options))


@pytest.mark.parametrize(
    "data",
    [
        b"a\tone\nb\ttwo\tthree\n",
        b"a\tone\nb\ttwo\tthree",
        b"a\tone\r\nb\ttwo\tthree\r\n",
        b"\xef\xbb\xbfa\tone\nb\ttwo\tthree\n\n\r\n",
    ],
)
def test_tsv_ends_of_lines(tmp_path: Path, data: bytes) -> None:
    for packed in (data, gzip.compress(data), gzip.compress(data[:9]) + gzip.compress(data[9:])):
        out = found(tmp_path, "a.tsv", packed)
        assert out == {"texts": [b"one", b"two\tthree"], "labels": ["a", "b"], "columns": {}}


def test_nul_bytes_are_bytes(tmp_path: Path) -> None:
    assert found(tmp_path, "a.tsv", b"a\0b\tx\0y\0\n")["texts"] == [b"x\0y\0"]


@pytest.mark.parametrize("header", [b"", b"label\ttext\n"])
def test_tsv_with_sets_of_labels(tmp_path: Path, header: bytes) -> None:
    """Only if that is said: commas stand between labels, and a line may have none."""
    data = header + b"owl,wren\tboth\n\tneither, nor\nowl\tone\n"
    out = found(tmp_path, "a.tsv", data, multilabel=True)
    assert out["labels"] == [["owl", "wren"], [], ["owl"]]
    assert out["texts"] == [b"both", b"neither, nor", b"one"]
    data = header + b"owl,wren\tboth\n"
    assert found(tmp_path, "b.tsv", data)["labels"] == ["owl,wren"]
    named = b"id\ttext\tlabel\n1\tboth\towl,wren\n"
    assert found(tmp_path, "c.tsv", named, multilabel=True)["labels"] == [["owl", "wren"]]


def test_tsv_header_is_told(tmp_path: Path) -> None:
    path = file(tmp_path, "a.tsv", "label\ttext\npos\tfine\n")
    examples = read(path)
    assert content(examples)["labels"] == ["pos"]
    assert examples.lines.tolist() == [2]
    assert "taken as a header" in examples.notes[0]
    assert len(read(path, header=False)) == 2


def test_labels_that_nobody_needs(tmp_path: Path) -> None:
    path = tmp_path / "a.tsv"
    path.write_bytes(b"\tone\n\xff\ttwo\n")
    examples = read(path, skip_labels=True)
    assert examples.labels is None
    assert [examples.texts[i] for i in range(2)] == ["one", "two"]


def test_unlabelled(tmp_path: Path) -> None:
    path = file(tmp_path, "a.tsv", "one\n\ntwo\n")
    examples = read(path)
    assert examples.labels is None
    assert list(examples.raw_texts()) == [b"one", b"", b"two"]
    with pytest.raises(DataError, match="line 2: the line is empty"):
        read(path, labelled=True)


def test_csv(tmp_path: Path) -> None:
    data = 'id,Text,class,age\r\n1,"a ""b""\r\nc, d",x,3\r\n\r\n2,e,y,4.5\r\n'
    examples = read(file(tmp_path, "a.csv", data), columns=["age", "id"], weight="age")
    assert content(examples) == {
        "texts": [b'a "b"\r\nc, d', b"e"],
        "labels": ["x", "y"],
        "weights": [3.0, 4.5],
        "columns": {"age": [3.0, 4.5], "id": [1.0, 2.0]},
    }
    assert examples.lines.tolist() == [2, 5]
    chosen = found(tmp_path, "b.csv", data, text="class", label="id", columns=["Text"])
    assert chosen["labels"] == ["1", "2"]
    assert chosen["columns"]["Text"] == ['a "b"\r\nc, d', "e"]


def test_csv_columns_by_place(tmp_path: Path) -> None:
    path = file(tmp_path, "a.csv", "kind,words\nx,one\n")
    examples = read(path)
    assert content(examples)["labels"] == ["x"]
    taken = f"{path}: column 'words' is taken as text, 'kind' as label"
    assert examples.notes == (f"{taken}; header=False if the first line is an example",)
    assert read(path, header=True).notes == (taken,)
    assert read(path, text="words", label="kind").notes == ()
    assert content(read(path, header=False))["labels"] == ["kind", "x"]
    assert found(tmp_path, "b.csv", "a;b\n1;2\n", delimiter=";")["texts"] == [b"2"]
    assert found(tmp_path, "c.csv", "text,kind\none,x\n")["labels"] == ["x"]
    assert found(tmp_path, "c.csv", "text,kind\none,x\n", columns="kind")["columns"] == {"kind": ["x"]}


def test_jsonl(tmp_path: Path) -> None:
    data = '{"text": "a\\nb", "label": 1, "s": true}\n{"label": 2.5, "text": "\\u00e9", "s": "u"}\n'
    out = found(tmp_path, "a.jsonl", data, columns=["s"])
    assert out["texts"] == [b"a\nb", "é".encode()]
    assert out["labels"] == ["1", "2.5"]
    assert out["columns"] == {"s": ["true", "u"]}
    several = (
        '{"text": "a", "label": ["x", "y"]}\n{"text": "b", "label": []}\n{"text": "c", "label": "x"}\n'
    )
    assert found(tmp_path, "b.jsonl", several)["labels"] == [["x", "y"], [], ["x"]]
    assert "labels" not in found(tmp_path, "c.jsonl", '{"text": "a", "label": null}\n')
    assert found(tmp_path, "d.jsonl", b'{"text": "a\xff"}')["texts"] == ["a\ufffd".encode()]


def test_fasttext(tmp_path: Path) -> None:
    data = "__label__a  one two\n__label__b __label__a\n__label__c\tx\n"
    examples = read(file(tmp_path, "a.txt", data))
    assert content(examples)["texts"] == [b" one two", b"", b"x"]
    assert content(examples)["labels"] == [["a"], ["b", "a"], ["c"]]
    assert found(tmp_path, "b.ft", "__label__a one\n")["labels"] == ["a"]
    assert "labels" not in found(tmp_path, "c.ft", "one\ntwo\n")


def test_vw(tmp_path: Path) -> None:
    data = "1 2.5 'first| one  two\n-1 tag| three\n1 | four\n"
    out = found(tmp_path, "a.vw", data)
    assert out["texts"] == [b"one  two", b"three", b"four"]
    assert out["labels"] == ["1", "-1", "1"]
    assert out["weights"] == [2.5, 1.0, 1.0]
    several = "a,b |t x y:2 x |u:0.5 z:4\nc |\n"
    out = found(tmp_path, "b.vw", several)
    assert out["labels"] == [["a", "b"], ["c"]]
    assert out["rows"] == [{"t^x": 2.0, "t^y": 2.0, "u^z": 2.0}, {}]
    assert found(tmp_path, "b.vw", several, text="t")["texts"] == [b"x y:2 x ", b""]
    assert "labels" not in found(tmp_path, "c.vw", "| a\n|n b\n")


def test_svmlight(tmp_path: Path) -> None:
    data = "# made by hand\n+1 qid:3 3:0.5 1:2 # why\n-1.0\n2,3 2:1e-3\n"
    examples = read(file(tmp_path, "a.svm", data))
    assert content(examples)["labels"] == [["+1"], ["-1.0"], ["2", "3"]]
    assert examples.lines.tolist() == [2, 3, 4]
    assert content(examples)["rows"] == [{0: 2.0, 2: 0.5}, {}, {1: float(np.float32(1e-3))}]
    assert examples.notes == (f"{tmp_path / 'a.svm'}: qid is ignored",)
    assert found(tmp_path, "b.svm", "1 0:1 2:1\n")["rows"] == [{0: 1.0, 2: 1.0}]
    assert found(tmp_path, "b.svm", "1 1:1\n", zero_based=True)["rows"] == [{1: 1.0}]
    assert "labels" not in found(tmp_path, "c.svm", " 1:1\n")


@pytest.mark.parametrize("mark", [",", ";", "\t", "|"])
def test_the_header_of_csv_shows_what_divides_cells(tmp_path: Path, mark: str) -> None:
    data = '\ufefflabel;text\r\nham;hello, there\r\nspam;"buy; now | then"\r\n'
    if mark != ";":
        data = data.replace(", ", " ").replace("; ", " ").replace(" | ", " ").replace(";", mark)
    out = found(tmp_path, "a.csv", data)
    assert out["labels"] == ["ham", "spam"]
    assert out["texts"][0] == (b"hello, there" if mark == ";" else b"hello there")


def test_an_explicit_delimiter_is_kept_to(tmp_path: Path) -> None:
    out = found(tmp_path, "a.csv", "text,label|kind\na,b|c\n", delimiter="|", text="text,label")
    assert out["texts"] == [b"a,b"]


def test_columns_without_a_name_are_passed_over(tmp_path: Path) -> None:
    out = found(tmp_path, "sms.csv", "v1,v2,,,\nham,hello there,,,\nspam,buy now,,,\n")
    assert (out["labels"], out["texts"]) == (["ham", "spam"], [b"hello there", b"buy now"])
    out = found(tmp_path, "pandas.csv", ",text,label\n0,hello,ham\n1,buy,spam\n")
    assert (out["labels"], out["texts"]) == (["ham", "spam"], [b"hello", b"buy"])


COMPLAINTS: dict[str, tuple[str, bytes, dict[str, Any], str]] = {
    "no tab": ("a.tsv", b"a\tb\nc\n", {}, "a.tsv, line 2: no tab between label and text"),
    "empty line": ("a.tsv", b"a\tb\n\nc\td\n", {}, "a.tsv, line 2: the line is empty"),
    "empty label": ("a.tsv", b"a\tb\n\td\n", {}, "line 2: the label is empty"),
    "label not UTF-8": ("a.tsv", b"a\tb\n\xe9\td\n", {}, "line 2: the label '\ufffd' is not UTF-8"),
    "UTF-16": ("a.tsv", "a\tb\n".encode("utf-16"), {}, "a.tsv is UTF-16"),
    "only a header": ("a.csv", b"text,label\n", {}, "and no examples"),
    "cells": ("a.csv", b"text,label\na,b\nc\n", {}, "line 3: 1 cell where the header has 2"),
    "quote": ("a.csv", b'text,label\na,b\n"c,d\n', {}, "line 3: not CSV: a quoted cell is not closed"),
    "after quote": ("a.csv", b'text,label\n"a"x,b\n', {}, "line 2: not CSV"),
    "which column": ("a.csv", b"a,b,c\n1,2,3\n", {}, "which column is the text"),
    "which label": ("a.csv", b"text,b,c\n1,2,3\n", {"labelled": True}, "which column is the label"),
    "no column": ("a.csv", b"text,label\na,b\n", {"text": "words"}, "no column 'words'; it has 'text'"),
    "columns": ("a.tsv", b"id\ttext\tlabel\n1\tx\ty\n2\tx\n", {}, "line 3: 2 cells where the header"),
    "twice": ("a.csv", b"text,text\na,b\n", {}, "two columns are called 'text'"),
    "CSV label": ("a.csv", b"text,label\na,\n", {}, "line 2: the label is empty"),
    "CSV label not UTF-8": ("a.csv", b"text,label\na,\xff\n", {}, "line 2: the label"),
    "weight": ("a.csv", b"text,w\na,-1\n", {"weight": "w", "text": "text"}, "line 2: the weight"),
    "missing number": ("a.csv", b"text,n\na,1\nb,\n", {"columns": ["n"]}, "line 3: column 'n'"),
    "not JSON": ("a.jsonl", b'{"text": "a"}\n{"text": \n', {}, "line 2: not JSON: Expecting value"),
    "not an object": ("a.jsonl", b'"a"\n', {}, "line 1: an object such as"),
    "a JSON list": ("a.json", b'[{"text": "a"},\n 7]\n', {}, "line 2: an object such as"),
    "a broken list": ("a.json", b'[{"text": "a"},\n{"text": }]\n', {}, "line 2: not JSON: Expecting"),
    "an empty list": ("a.json", b"[ ]\n", {}, "is an empty list"),
    "no key": ("a.jsonl", b'{"text": "a"}\n{"txt": "b"}\n', {}, "line 2: the object has no 'text'"),
    "text is a number": ("a.jsonl", b'{"text": 1}\n', {}, "line 1: 'text' must be a string; it is 1"),
    "label is an object": ("a.jsonl", b'{"text": "", "label": {}}\n', {}, "line 1: 'label' must be"),
    "null label": ("a.jsonl", b'{"text": "", "y": 1}\n{"text": "", "y": null}\n', {}, "line 2: no"),
    "nested": ("a.jsonl", b"[" * 100_000, {}, "line 1"),
    "late label": ("a.ft", b"__label__a b\nc __label__d\n", {}, "line 2: __label__ inside the text"),
    "no label": ("a.ft", b"__label__a b\nc d\n", {}, "line 2: no label"),
    "empty fastText label": ("a.ft", b"__label__a b\n__label__ c\n", {}, "line 2: the label is empty"),
    "several": ("a.ft", b"__label__a __label__b c\n", {"multilabel": False}, "line 1: several labels"),
    "no bar": ("a.vw", b"1 | a\n2 b\n", {}, "line 2: no |"),
    "costs": ("a.vw", b"1:0.5 2:1 | a\n", {}, "line 1: costs"),
    "initial score": ("a.vw", b"1 1 0.5 | a\n", {}, "line 1: an initial score"),
    "VW target": ("a.vw", b"1 |a p\n0.5 |a q\n", {}, "line 2: the label 0.5 is a real number"),
    "svmlight target": ("a.svm", b"1.0 1:1\n-3.25e0 1:1\n", {}, "line 2: the label -3.25e0 is a real"),
    "VW weight": ("a.vw", b"1 x | a\n", {}, "line 1: the weight after the label"),
    "VW value": ("a.vw", b"1 | a:b\n", {}, "line 1: in 'a:b' the colon"),
    "namespace": ("a.vw", b"1 |n a\n", {"text": "m"}, "no namespace 'm'; it has 'n'"),
    "not index:value": ("a.svm", b"1 1:1\n1 1:x\n", {}, "line 2: '1:x' is not index:value"),
    "underscore": ("a.svm", b"1 1:1\n1 1_0:1\n", {}, "line 2: '1_0:1'"),
    "infinite": ("a.svm", b"1 1:1\n1 1:inf\n", {}, "line 2: '1:inf'"),
    "NaN": ("a.svm", b"1 1:nan\n", {}, "line 1: '1:nan'"),
    "too large": ("a.svm", b"1 9999999999:1\n", {}, "line 1: '9999999999:1'"),
    "huge": ("a.svm", b"1 99999999999999999999:1\n", {}, "line 1: '99999999999999999999:1'"),
    "index 0": ("a.svm", b"1 0:1\n", {"zero_based": False}, "line 1: index 0 where"),
    "features": ("a.svm", b"1 1:1\n1 5:1\n", {"features": 4}, "line 2: index 5 where 4 features"),
    "index twice": ("a.svm", b"1 1:1\n1 2:1 2:1\n", {}, "line 2: index 2 occurs twice"),
    "missing svmlight label": ("a.svm", b"1 1:1\n1:1\n", {}, "line 2: no label"),
    "comments alone": ("a.svm", b"# nothing\n", {}, "and no examples"),
    "long number": ("a.jsonl", b'{"text": "", "n": ' + b"1" * 5000 + b"}", {}, "line 1: not usable"),
    "header alone": ("a.tsv", b"label\ttext\n", {}, "and no examples"),
    "empty": ("a.tsv", b"", {}, "a.tsv is empty"),
    "empty when unpacked": ("a.tsv", gzip.compress(b""), {}, "a.tsv is empty"),
    "blank": ("a.ft", b"\n\r\n", {}, "a.ft is empty"),
    "only a mark": ("a.txt", b"\xef\xbb\xbf", {"format": "text"}, "a.txt is empty"),
    "cut gzip": ("a.tsv.gz", gzip.compress(b"a\tb\n" * 99)[:-9], {}, "a.tsv.gz is damaged"),
    "flipped gzip": ("a.tsv.gz", gzip.compress(b"a\tb\n")[:-8] + b"x" * 8, {}, "it begins as gzip"),
    "not gzip": ("a.tsv.gz", b"\x1f\x8bjunk", {}, "is damaged"),
}  # fmt: skip


def test_whole_numbers_are_classes_and_unread_labels_are_no_matter(tmp_path: Path) -> None:
    lines = "1 |a p\n-1 |a q\n2.0 |a r\nv0.5 |a s\n"
    assert read(file(tmp_path, "a.vw", lines)).labels.values() == ["1", "-1", "2.0", "v0.5"]
    targets = read(file(tmp_path, "b.vw", "0.5 |a p\n0.25 |a q\n"), labelled=False)
    assert (targets.labels, len(targets)) == (None, 2)


@pytest.mark.parametrize("case", COMPLAINTS)
def test_complaints(case: str, tmp_path: Path) -> None:
    name, data, options, message = COMPLAINTS[case]
    with pytest.raises(DataError, match=re.escape(message)):
        read(file(tmp_path, name, data), **options)


def test_files_that_cannot_be_opened(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(DataError, match="is a directory"):
        read(tmp_path, "tsv")
    with pytest.raises(DataError, match="nothing does not exist"):
        read(tmp_path / "nothing", "tsv")

    def forbidden(_: Path) -> bytes:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(Path, "read_bytes", forbidden)
    with pytest.raises(DataError, match="permission denied"):
        read(file(tmp_path, "a.tsv", "a\tb\n"))


def test_settings_are_checked(tmp_path: Path) -> None:
    path = file(tmp_path, "a.tsv", "a\tb\n")
    with pytest.raises(ValueError, match="no setting 'text'; it takes header, labelled"):
        read(path, text="x")
    table = file(tmp_path, "b.tsv", "sentence\tlabel\nx\ty\n")
    assert content(read(table, "csv", delimiter="tab"))["labels"] == ["y"]
    with pytest.raises(ValueError, match="delimiter must be one character"):
        read(table, "csv", delimiter="||")
    with pytest.raises(TypeError, match="no setting 'txt'"):
        read(path, txt="x")
    with pytest.raises(ValueError, match="no format 'tvs' of examples; there are tsv, csv"):
        read(path, "tvs")


def test_parquet_without_pyarrow(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(__import__("sys").modules, "pyarrow", None)
    with pytest.raises(DataError, match=r"pip install 'linnet\[arrow\]'"):
        read(file(tmp_path, "a.parquet", b"PAR1"))


def test_parquet_complaints(tmp_path: Path) -> None:
    pa = pytest.importorskip("pyarrow")
    import pyarrow.parquet as pq

    with pytest.raises(DataError, match=r"a\.parquet is not Parquet, or damaged"):
        read(file(tmp_path, "a.parquet", b"PAR1 and no more"))
    path = tmp_path / "b.parquet"
    pq.write_table(pa.table({"text": ["a", None], "label": [1, 2]}), path)
    with pytest.raises(DataError, match=r"b\.parquet, row 2: 'text' is null"):
        read(path)
    pq.write_table(pa.table({"text": [1, 2], "label": [1, 2]}), path)
    with pytest.raises(DataError, match="column 'text' must hold strings"):
        read(path)
    pq.write_table(pa.table({"text": ["a", "b"], "label": [True, False]}), path)
    assert content(read(path))["labels"] == ["true", "false"]
    pq.write_table(
        pa.table({"text": pa.array(["a", "b"]).dictionary_encode(), "label": ["x", None]}), path
    )
    with pytest.raises(DataError, match="row 2: no label"):
        read(path)
