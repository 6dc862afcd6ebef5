"""Files read in parts give what they give as a whole."""

import json
from pathlib import Path

import numpy as np
import pytest

from linnet._lacks import gathering
from linnet.errors import DataError
from linnet.formats import FORMATS, Watched, ranges, read, read_batches, why_whole
from linnet.formats._arriving import PIECE

LONG = "x " * 500


def parts_of(path: Path, **options: object) -> list:
    return [*read_batches(path, size=64, **options)]


def test_keys_of_the_first_object_hold_for_the_rest(tmp_path: Path) -> None:
    """In a later part another key comes first, and the label may be missing in its first object."""
    rows = [{"label": "ab"[k % 2], "text": f"{k} {LONG}"} for k in range(2500)]
    for k in range(1000, 2500):
        rows[k] = {"title": "no label", "text": rows[k]["text"], "label": rows[k]["label"]}
    path = tmp_path / "data.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    assert path.stat().st_size > 2 * PIECE
    whole, parts = read(path, labelled=True), parts_of(path, labelled=True)
    assert len(parts) > 2
    assert [label for part in parts for label in part.labels.values()] == whole.labels.values()
    np.testing.assert_array_equal(np.concatenate([part.lines for part in parts]), whole.lines)


def test_rows_of_parquet_are_counted_through_all_parts(tmp_path: Path) -> None:
    pyarrow = pytest.importorskip("pyarrow")
    parquet = pytest.importorskip("pyarrow.parquet")
    texts = [f"text {k}" for k in range(1000)]
    table = pyarrow.table({"text": texts, "label": ["a", "b"] * 500})
    path = tmp_path / "data.parquet"
    parquet.write_table(table, path, row_group_size=300)
    whole, parts = read(path), parts_of(path)
    assert max(map(len, parts)) <= 64
    assert [part.texts[i] for part in parts for i in range(len(part))] == texts
    np.testing.assert_array_equal(np.concatenate([part.lines for part in parts]), whole.lines)
    texts[700] = None
    parquet.write_table(pyarrow.table({"text": texts, "label": ["a", "b"] * 500}), path)
    with pytest.raises(DataError, match=r"data\.parquet, row 701: 'text' is null"):
        parts_of(path)
    assert why_whole(path, "parquet") is None


def test_a_file_that_is_read_in_part_is_no_reading(tmp_path: Path) -> None:
    """Nothing is said of a file until its end has been seen."""
    path = tmp_path / "data.tsv"
    path.write_text("a\tb\n", encoding="utf-8")
    watched = Watched(str(path))
    with watched.reading() as arriving:
        assert b"".join(arriving.pieces()) == b"a\tb\n"
    first = watched.stamp.hash
    assert first
    with watched.reading() as arriving:
        assert b"".join(arriving.pieces()) == b"a\tb\n"
    assert watched.stamp.hash == first
    path.write_text("a\tc and more\n", encoding="utf-8")
    with pytest.raises(DataError, match="has changed since it was looked at"), watched.reading():
        pass


@pytest.mark.parametrize(
    ("form", "lines", "options"),
    [
        ("svmlight", ["a 1:1", "b 2:1", "# c", "3:1", "4:1", "# d", "5:1"], {}),
        ("vw", ["a |t x", "b |t y", "|t z", "|t w"], {}),
        ("vw", ["a |t x", "b |t y", "|t z", "|t w"], {"text": "t"}),
    ],
    ids=["svmlight", "vw", "vw with a namespace"],
)
def test_later_parts_may_lack_all_labels(tmp_path: Path, form: str, lines: list, options: dict) -> None:
    """What is left out of the whole is left out of a part of it, and counted alike."""
    path = tmp_path / "data"
    path.write_text("".join(f"{line}\n" for line in lines))
    options = options | {"missing": "auto", "labelled": True}
    with gathering() as whole:
        examples = read(path, form, **options)
    with gathering() as lacks:
        cut = ranges(path, FORMATS[form], 1, **options)
        parts = [batch for part in cut for batch in read_batches(part, form, **options)]
    assert len(cut) > 1
    assert [label for part in parts for label in part.labels.values()] == examples.labels.values()
    assert examples.labels.values() == ["a", "b"]
    (one,), (other,) = whole.values(), lacks.values()
    assert (one.count, one.first, one.of) == (other.count, other.first, 2 + one.count)
