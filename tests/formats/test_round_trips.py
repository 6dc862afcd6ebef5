"""What is written is read back; what a format cannot hold is refused."""

import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from linnet.data.examples import Examples, LabelColumn
from linnet.errors import DataError
from linnet.formats import FORMATS, read, write

from .made import content, examples, rows

UNICODE = st.text(st.characters(exclude_categories=["Cs"]), max_size=12)
ONE_LINE = UNICODE.map(lambda text: re.sub(r"[\r\n]", "", text))
NAME = st.text(st.characters(categories=["L", "N", "P", "S"]), min_size=1, max_size=6)
few = settings(max_examples=40, deadline=None)
REAL = st.floats(0, 1000, width=32)


def there_and_back(
    folder: Path, given_: Any, ending: str, format_: str | None = None, **options: Any
) -> Any:
    path = folder / f"data.{ending}"
    write(given_, path, format_)
    return read(path, format_, **options)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("formats")


def same(folder: Path, given_: Any, ending: str, format_: str | None = None, **options: Any) -> None:
    found = there_and_back(folder, given_, ending, format_, **options)
    assert content(found) == content(given_)


LABELLED = st.lists(st.tuples(NAME, ONE_LINE), min_size=1, max_size=6)
SEVERAL = st.lists(st.tuples(st.lists(NAME, max_size=3), ONE_LINE), min_size=1, max_size=6)


@pytest.mark.parametrize("ending", ["tsv", "tsv.gz"])
@few
@given(pairs=LABELLED)
def test_tsv(folder: Path, ending: str, pairs: list[tuple[str, str]]) -> None:
    labels, texts = map(list, zip(*pairs, strict=True))
    same(folder, examples(texts, labels), ending, header=False)


@few
@given(texts=st.lists(ONE_LINE, min_size=1, max_size=6))
def test_plain_text(folder: Path, texts: list[str]) -> None:
    same(folder, examples(texts), "txt", "text")
    tabless = [text.replace("\t", "") for text in texts]
    same(folder, examples(tabless), "tsv")


@few
@given(texts=st.lists(st.binary(max_size=8).filter(lambda b: not re.search(rb"[\r\n]", b)), min_size=1))
def test_malformed_texts_are_kept_in_line_formats(folder: Path, texts: list[bytes]) -> None:
    # The first line begins with "x": two odd bytes at the start of a file announce UTF-16 or gzip.
    given_ = examples([b"x" + text for text in texts])
    same(folder, given_, "txt", "text")
    labelled = examples([b"x" + text for text in texts], ["a"] * len(texts))
    same(folder, labelled, "tsv")
    same(folder, labelled, "ft")


@pytest.mark.parametrize("ending", ["csv", "jsonl", "jsonl.gz"])
@few
@given(data=st.data(), pairs=st.lists(st.tuples(UNICODE, UNICODE), min_size=1, max_size=6))
def test_named_columns(folder: Path, ending: str, data: st.DataObject, pairs: Any) -> None:
    labels = [label + "." for label, _ in pairs]
    size = len(pairs)
    number = data.draw(
        st.lists(st.floats(allow_nan=False, allow_infinity=False), min_size=size, max_size=size)
    )
    given_ = examples(
        [text for _, text in pairs],
        labels,
        weights=np.array(data.draw(st.lists(REAL, min_size=size, max_size=size)), np.float64),
        columns={
            "number": np.array(number),
            "word": np.array(["w" + name for name in labels], object),
        },
    )
    same(folder, given_, ending, weight="weight", columns=["number", "word"])


@few
@given(pairs=st.lists(st.tuples(st.lists(UNICODE.map("x{}x".format), max_size=3), UNICODE), min_size=1))
def test_jsonl_with_several_labels(folder: Path, pairs: Any) -> None:
    labels, texts = map(list, zip(*pairs, strict=True))
    same(folder, examples(texts, labels), "jsonl")


@few
@given(pairs=SEVERAL)
def test_fasttext(folder: Path, pairs: Any) -> None:
    labels, texts = map(list, zip(*pairs, strict=True))
    if any(not label and not text for label, text in pairs):
        with pytest.raises(DataError, match="empty text without a label"):
            there_and_back(folder, examples(texts, labels), "ft")
    else:
        same(folder, examples(texts, labels), "ft", multilabel=True, labelled=True)


@few
@given(pairs=SEVERAL, weight=REAL)
def test_vw_texts(folder: Path, pairs: Any, weight: float) -> None:
    labels = [[re.sub("[|:,'.e-]", "x", name) for name in names] for names, _ in pairs]
    texts = [re.sub("[|:]", "", text) for _, text in pairs]
    same(folder, examples(texts, labels), "vw", multilabel=True, labelled=True)
    single = [names[0] if names else "none" for names in labels]
    same(folder, examples(texts, single, weights=np.full(len(texts), weight)), "vw")


ROWS = st.lists(st.dictionaries(st.integers(0, 9), st.floats(-9, 9, width=32)), min_size=1, max_size=5)


@few
@given(entries=ROWS, data=st.data())
def test_matrices(folder: Path, entries: list[dict[int, float]], data: st.DataObject) -> None:
    names = data.draw(
        st.lists(
            st.sampled_from(["1", "-1", "+1", "2.00"]), min_size=len(entries), max_size=len(entries)
        )
    )
    labels = LabelColumn.from_values(names)
    given_ = Examples(labels=labels, matrix=rows(entries, 10))
    same(folder, given_, "svm", features=10)
    assert there_and_back(folder, given_, "svm", features=10).matrix.features == 10

    named = Examples(
        labels=labels, matrix=rows(entries, 10), feature_names=[f"n{i % 3}^f{i}" for i in range(10)]
    )
    if not any(entries):
        return  # nothing but empty namespaces reads as empty texts
    found = content(there_and_back(folder, named, "vw"))
    assert found == content(named)


@few
@given(pairs=st.lists(st.tuples(st.lists(UNICODE.map("x{}x".format), max_size=3), UNICODE), min_size=1))
def test_parquet(folder: Path, pairs: Any) -> None:
    pytest.importorskip("pyarrow")
    labels, texts = map(list, zip(*pairs, strict=True))
    size = len(texts)
    columns = {
        "number": np.arange(size) / 3,
        "word": np.array([f"w{i}" for i in range(size)], object),
    }
    given_ = examples(texts, labels, weights=np.ones(size), columns=columns)
    same(folder, given_, "parquet", weight="weight", columns=["number", "word"])
    single = examples(texts, ["a"] * size)
    same(folder, single, "parquet")


REFUSED = {
    "tab in a label": (examples(["x"], ["a\tb"]), "tsv", "label 'a\\\\tb'"),
    "line break in a label": (examples(["x"], ["a\nb"]), "tsv", "label"),
    "line break in a text": (examples(["fine", "x\ny"], ["a", "b"]), "tsv", "example 2: .*line break"),
    "carriage return": (examples(["x\r"], ["a"]), "text", "labels"),
    "empty label": (examples(["x"], [""]), "tsv", "label ''"),
    "two labels in TSV": (examples(["x"], [["a", "b"]]), "tsv", "several labels per example; jsonl"),
    "weights in TSV": (examples(["x"], ["a"], weights=np.ones(1)), "tsv", "weights; with lossy"),
    "columns in fastText": (examples(["x"], ["a"], columns={"n": np.ones(1)}), "fasttext", "columns"),
    "blank in a label": (examples(["x"], ["a b"]), "fasttext", "label 'a b'"),
    "label in a text": (examples(["x __label__"], ["a"]), "fasttext", "__label__ in it"),
    "bar in a text": (examples(["a|b"], ["a"]), "vw", "example 1: VW cannot hold"),
    "real number as a label": (examples(["x"], ["0.5"]), "vw", "label '0.5', which it would take for"),
    "tab in an unlabelled text": (examples(["a\tb"]), "tsv", "write the format 'text'"),
    "texts in svmlight": (examples(["a"], ["1"]), "svmlight", "cannot hold texts; tsv, csv"),
    "not UTF-8 in JSON": (examples([b"\xff"], ["1"]), "jsonl", "not UTF-8"),
    "column called text": (examples(["a"], columns={"text": np.ones(1)}), "jsonl", "'text'"),
    "NaN in JSON": (examples(["a"], columns={"n": np.array([np.nan])}), "jsonl", "example 1"),
}  # fmt: skip


@pytest.mark.parametrize("case", REFUSED)
def test_what_cannot_be_held_is_refused_and_nothing_is_written(case: str, tmp_path: Path) -> None:
    given_, format_, message = REFUSED[case]
    with pytest.raises(DataError, match=message):
        write(given_, tmp_path / "out", format_)
    assert list(tmp_path.iterdir()) == []


def test_lossy(tmp_path: Path) -> None:
    given_ = examples(["a\r\nb:|c"], ["x"], weights=np.ones(1), columns={"n": np.ones(1)})
    write(given_, tmp_path / "a.tsv", lossy=True)
    assert (tmp_path / "a.tsv").read_bytes() == b"x\ta  b:|c\n"
    write(given_, tmp_path / "a.vw", lossy=True)
    assert (tmp_path / "a.vw").read_bytes() == b"x 1.0 | a  b  c\n"
    write(examples([b"\xff"]), tmp_path / "a.jsonl", lossy=True)
    assert (tmp_path / "a.jsonl").read_text("utf-8") == '{"text": "\ufffd"}\n'


def test_a_leading_feff_is_not_taken_for_a_mark(tmp_path: Path) -> None:
    for ending in ("tsv", "csv", "jsonl"):
        same(tmp_path, examples(["\ufeffx"], ["\ufeffa"]), ending)


def test_packed_files_do_not_depend_on_the_clock(tmp_path: Path) -> None:
    for name in ("a.tsv.gz", "b.tsv.gz"):
        write(examples(["x"], ["a"]), tmp_path / name)
    assert (tmp_path / "a.tsv.gz").read_bytes() == (tmp_path / "b.tsv.gz").read_bytes()
    assert (tmp_path / "a.tsv.gz").read_bytes()[:2] == b"\x1f\x8b"


def test_every_format_says_what_it_holds() -> None:
    parts = {"texts", "matrix", "names", "labels", "multilabel", "weights", "columns"}
    for name, row in FORMATS.items():
        assert row.name == name
        assert row.carries <= parts
        assert row.carries & {"texts", "matrix"}
