"""Integers as labels and tags, and where their names are found: data sets of Hugging Face."""

import json
from pathlib import Path
from typing import Any

import pytest

from linnet import formats
from linnet.errors import DataError

from .exported import in_a_list, in_lines

TAGS = ["O", "B-PER", "I-PER"]
ROWS = [{"id": "0", "tokens": ["Bo", "Li", "sang"], "ner_tags": [1, 2, 0]}]
LABELLED = [{"text": "a", "label": 1}, {"text": "b", "label": 0}]
CLASS = {"names": ["no", "yes"], "_type": "ClassLabel"}
FEATURES = {
    "label": CLASS,
    "ner_tags": {"feature": {"names": TAGS, "_type": "ClassLabel"}, "_type": "Sequence"},
}


def put(folder: Path, name: str, data: bytes | str) -> Path:
    (folder / name).write_bytes(data if isinstance(data, bytes) else data.encode())
    return folder / name


INFOS: dict[str, Any] = {
    "dataset_info.json": {"features": FEATURES},
    "dataset_infos.json": {
        "default": {"features": FEATURES | {"ner_tags": [FEATURES["ner_tags"]["feature"]]}}
    },
}


@pytest.mark.parametrize("name", INFOS)
def test_names_of_a_file_beside(tmp_path: Path, name: str) -> None:
    info = put(tmp_path, name, json.dumps(INFOS[name]))
    read = formats.read_sequences(put(tmp_path, "x.jsonl", in_lines(*ROWS)))
    assert read.tags() == [["B-PER", "I-PER", "O"]]
    assert read.notes == (f"{tmp_path / 'x.jsonl'}: the integers of 'ner_tags' are named by {info}",)
    for file, data in (("y.json", in_a_list(*LABELLED)), ("y.csv", "text,label\na,1\nb,0\n")):
        found = formats.read(put(tmp_path, file, data))
        assert found.labels.values() == ["yes", "no"]
        assert f"the integers of 'label' are named by {info}" in found.notes[-1]


def test_names_that_are_given(tmp_path: Path) -> None:
    path = put(tmp_path, "x.jsonl", in_lines(*ROWS))
    tags = [["B-PER", "I-PER", "O"]]
    assert formats.read_sequences(path, label_names=TAGS).tags() == tags
    assert formats.read_sequences(path, label_names="O, B-PER, I-PER").tags() == tags
    assert (
        formats.read_sequences(
            path, label_names=str(put(tmp_path, "names.txt", "O\nB-PER\nI-PER\n"))
        ).tags()
        == tags
    )
    assert (
        formats.read_sequences(
            path, label_names=str(put(tmp_path, "f.json", json.dumps(FEATURES)))
        ).tags()
        == tags
    )
    with pytest.raises(
        DataError, match="line 1: 2 of 'ner_tags' has no name; there are names for 0 to 1"
    ):
        formats.read_sequences(path, label_names="O,B-PER")
    several = put(
        tmp_path, "y.jsonl", in_lines({"text": "a", "label": [0, 1]}, {"text": "b", "label": []})
    )
    assert formats.read(several, label_names="no,yes").labels.values() == [["no", "yes"], []]
    words = put(tmp_path, "z.jsonl", in_lines({"text": "a", "label": "x"}))
    with pytest.raises(DataError, match="label_names=…: 'label' holds no integers to be named"):
        formats.read(words, label_names="no,yes")


def test_tags_without_names_are_refused(tmp_path: Path) -> None:
    """They would say nothing of spans; labels of texts without names are numbers, as they stand."""
    path = put(tmp_path, "x.jsonl", in_lines(*ROWS))
    with pytest.raises(
        DataError, match="line 1: the tags of 'ner_tags' are integers without names; give these"
    ):
        formats.read_sequences(path)
    assert formats.read_sequences(path, labelled=False).column("word") == [["Bo", "Li", "sang"]]
    assert formats.read(put(tmp_path, "y.jsonl", in_lines(*LABELLED))).labels.values() == ["1", "0"]


def test_parquet_of_a_data_set(tmp_path: Path) -> None:
    pa, parquet = pytest.importorskip("pyarrow"), pytest.importorskip("pyarrow.parquet")
    table = pa.table({"text": ["a", "b"], "label": [1, 0]})
    table = table.replace_schema_metadata({"huggingface": json.dumps({"info": {"features": FEATURES}})})
    parquet.write_table(table, tmp_path / "x.parquet")
    read = formats.read(tmp_path / "x.parquet")
    assert read.labels.values() == ["yes", "no"]
    assert "are named by the features of the file" in read.notes[-1]
