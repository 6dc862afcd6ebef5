"""What annotation tools export: detected by its rows, read, and what is left out is told."""

import json
from pathlib import Path
from random import Random
from typing import Any

import pytest

from linnet import formats
from linnet.errors import DataError

from . import exported
from .exported import (
    TEXT,
    choice,
    in_a_list,
    in_lines,
    prodigy_choice,
    prodigy_label,
    prodigy_ner,
    region,
    spacy_document,
    studio_task,
)


def put(folder: Path, data: bytes, name: str = "x.jsonl") -> Path:
    (folder / name).write_bytes(data)
    return folder / name


def told(read: Any, folder: Path) -> list[str]:
    return [note.replace(f"{folder}/", "") for note in read.notes]


@pytest.mark.parametrize("name", ["x.json", "x.jsonl", "x.txt", "export"])
@pytest.mark.parametrize("tool", exported.EXAMPLES)
def test_exports_are_known_by_their_rows(tmp_path: Path, tool: str, name: str) -> None:
    path = put(tmp_path, exported.EXAMPLES[tool], name)
    assert (formats.detect(path), formats.detect_task(path)) == (tool, "classify")
    read = formats.read(path)
    assert len(read) == 2
    assert read.labels.values() in (["BIRD", "CAR"], ["BIRD", "not BIRD"])
    assert told(read, tmp_path)[0].startswith(f"{name} is read as ")
    assert formats.read(path, labelled=False).labels is None
    batches = list(formats.read_batches(path, size=1))
    assert [label for batch in batches for label in batch.labels.values()] == read.labels.values()

    path = put(tmp_path, exported.SENTENCES[tool], name)
    assert (formats.detect(path, task="tag"), formats.detect_task(path)) == (tool, "tag")
    read = formats.read_sequences(path)
    assert told(read, tmp_path)[0].startswith(f"{name} is read as ")
    assert {tag for tags in read.tags() for tag in tags} > {"O"}
    assert formats.read_sequences(path, labelled=False).labels is None


def test_rejected_and_ignored_rows_of_prodigy_are_left_out(tmp_path: Path) -> None:
    rows = (
        prodigy_ner(TEXT, [(0, 5, "PER"), (13, 16, "BIRD")]),
        prodigy_ner("Not Anna here.", [(0, 8, "PER")], "reject"),
        prodigy_ner("Skip Bo.", [(5, 7, "PER")], "ignore"),
        {"text": "No spans at all", "answer": "accept"},
    )
    read = formats.read_sequences(put(tmp_path, in_lines(*rows)))
    assert read.column("word") == [
        ["Wanda", "saw", "an", "owl", "."],
        ["It", "hooted", "."],
        ["No", "spans", "at", "all"],
    ]
    assert read.tags() == [["B-PER", "O", "O", "B-BIRD", "O"], ["O"] * 3, ["O"] * 4]
    assert told(read, tmp_path) == [
        "x.jsonl is read as an export of Prodigy; 2 of 4 rows left out: "
        "1 rejected (first line 2), 1 ignored (first line 3)"
    ]
    whole = formats.read_sequences(tmp_path / "x.jsonl", labelled=False)
    assert len(whole.texts) == 4  # nobody looks at answers where tags are not looked at


def test_tokens_of_prodigy_are_words(tmp_path: Path) -> None:
    """Spans lie on them, where our own words would be widened to."""
    row = prodigy_ner("Ana-Lena sang. Bo left.", [(0, 3, "PER")])
    places = ((0, 3), (3, 4), (4, 8), (9, 13), (13, 14), (14, 15), (15, 17), (18, 22), (22, 23))
    row["tokens"] = [{"start": b, "end": e} for b, e in places]
    read = formats.read_sequences(put(tmp_path, in_lines(row)))
    assert read.column("word") == [["Ana", "-", "Lena", "sang", "."], ["Bo", "left", "."]]
    assert read.tags()[0] == ["B-PER", "O", "O", "O", "O"]
    assert len(read.notes) == 1
    del row["tokens"]
    read = formats.read_sequences(put(tmp_path, in_lines(row)))
    assert read.column("word")[0] == ["Ana-Lena", "sang", "."]
    assert told(read, tmp_path)[1] == (
        "x.jsonl: 1 spans are widened to whole words; first line 1, [0, 3, 'PER']: "
        "'Ana' becomes 'Ana-Lena'"
    )


def test_spans_that_were_judged_one_by_one_are_put_together(tmp_path: Path) -> None:
    first, second = prodigy_ner(TEXT, [(0, 5, "PER")]), prodigy_ner(TEXT, [(13, 16, "BIRD")])
    wrong = prodigy_ner(TEXT, [(6, 9, "PER")], "reject")
    rows = [row | {"_view_id": "ner"} for row in (first, second, wrong)]
    read = formats.read_sequences(put(tmp_path, in_lines(*rows)))
    assert read.tags()[0] == ["B-PER", "O", "O", "B-BIRD", "O"]
    assert "in 1 text spans were judged one by one" in told(read, tmp_path)[1]


def test_a_rejected_label_of_prodigy_is_not_that_label(tmp_path: Path) -> None:
    rows = (
        prodigy_label("the owl hooted", "OWL"),
        prodigy_label("a wren sang", "OWL", "reject"),
        prodigy_label("what is this", "OWL", "ignore"),
        prodigy_label("the owl hooted", "OWL"),
        prodigy_label("an owlet", "OWL"),
        prodigy_label("an owlet", "OWL", "reject"),
    )
    read = formats.read(put(tmp_path, in_lines(*rows)))
    assert [read.texts[i] for i in range(len(read))] == ["the owl hooted", "a wren sang"]
    assert read.labels.values() == ["OWL", "not OWL"]
    assert told(read, tmp_path) == [
        "x.jsonl is read as an export of Prodigy; 4 of 6 rows left out: 1 ignored (first line 3), "
        "1 given twice, with the same answer (first line 4), "
        "2 both accepted and rejected (first line 5)",
        "x.jsonl: 'OWL' was rejected of 1 text; the label there is 'not OWL'",
    ]


def test_labels_of_prodigy_that_were_judged_one_by_one(tmp_path: Path) -> None:
    one_each = (
        prodigy_label("a", "OWL"),
        prodigy_label("a", "WREN", "reject"),
        prodigy_label("b", "WREN"),
        prodigy_label("c", "OWL", "reject"),
    )
    read = formats.read(put(tmp_path, in_lines(*one_each)))
    assert (read.labels.multilabel, read.labels.values()) == (False, ["OWL", "WREN"])
    assert told(read, tmp_path) == [
        "x.jsonl is read as an export of Prodigy; 1 of 4 rows left out: "
        "1 rejected, where no other label is accepted (first line 4)"
    ]
    several = (
        *one_each,
        prodigy_label("b", "OWL"),
        prodigy_label("c", "WREN", "reject"),
        prodigy_label("d", "OWL"),
    )
    read = formats.read(put(tmp_path, in_lines(*several)))
    assert (read.labels.multilabel, read.labels.values()) == (
        True,
        [["OWL"], ["WREN", "OWL"], [], ["OWL"]],
    )
    assert told(read, tmp_path)[1] == (
        "x.jsonl: 1 text not judged for every label; what nobody has accepted counts as absent"
    )


def test_choices_of_prodigy(tmp_path: Path) -> None:
    single = [prodigy_choice("a", ["OWL"]), prodigy_choice("b", ["WREN"]), prodigy_choice("c", [])]
    read = formats.read(put(tmp_path, in_lines(*single, prodigy_choice("d", ["OWL"], "reject"))))
    assert (read.labels.multilabel, read.labels.values()) == (False, ["OWL", "WREN"])
    assert "left out: 1 without a label (first line 3), 1 rejected (first line 4)" in read.notes[0]
    several = [
        prodigy_choice("a", ["OWL"], style="multiple"),
        prodigy_choice("b", [], style="multiple"),
    ]
    read = formats.read(put(tmp_path, in_lines(*several)))
    assert (read.labels.multilabel, read.labels.values()) == (True, [["OWL"], []])
    both = prodigy_choice("a", ["OWL", "WREN"])
    read = formats.read(put(tmp_path, in_lines(both, single[1])))
    assert (read.labels.multilabel, read.labels.values()) == (True, [["OWL", "WREN"], ["WREN"]])


OF_DOCCANO = {
    "old": [{"id": 1, "text": TEXT, "labels": [[0, 5, "PER"]]}],
    "older": [{"id": 1, "data": TEXT, "label": [[0, 5, "PER"]]}],
    "new": [
        {
            "id": 1,
            "text": TEXT,
            "entities": [{"id": 3, "label": "PER", "start_offset": 0, "end_offset": 5}],
            "relations": [{"id": 1, "from_id": 3, "to_id": 3, "type": "is"}],
            "Comments": [],
        }
    ],
}


@pytest.mark.parametrize("made", [in_lines, in_a_list])
@pytest.mark.parametrize("version", OF_DOCCANO)
def test_versions_of_doccano(tmp_path: Path, version: str, made: Any) -> None:
    path = put(tmp_path, made(*OF_DOCCANO[version]))
    read = formats.read_sequences(path)
    assert read.tags()[0] == ["B-PER", "O", "O", "O", "O"]
    unread = ["x.jsonl: relations are not read (1 of them)"] if version == "new" else []
    assert told(read, tmp_path)[1:] == unread


def test_lists_of_one_label_of_doccano(tmp_path: Path) -> None:
    rows = [
        {"id": k, "text": "x", "label": labels, "n": k} for k, labels in enumerate([["a"], [], ["b"]])
    ]
    read = formats.read(put(tmp_path, in_lines(*rows)), columns=["n"])
    assert (read.labels.values(), read.columns["n"].tolist()) == (["a", "b"], [0, 2])
    assert "1 of 3 rows left out: 1 without a label (first line 2)" in read.notes[0]
    assert formats.read(tmp_path / "x.jsonl", multilabel=True).labels.values() == [["a"], [], ["b"]]
    rows.append({"id": 9, "text": "y", "label": ["a", "b"]})
    read = formats.read(put(tmp_path, in_lines(*rows)))
    assert read.labels.values() == [["a"], [], ["b"], ["a", "b"]]


def test_csv_of_doccano(tmp_path: Path) -> None:
    read = formats.read(put(tmp_path, b"id,text,label\n1,x,a\n2,y,b\n3,z,a#b\n4,w,c#\n", "x.csv"))
    assert read.labels.values() == ["a", "b", "a#b", "c#"]
    assert told(read, tmp_path) == [
        "x.csv: the label 'a#b' is taken as one; if this is doccano's CSV, which joins labels so, its "
        "JSONL has sets of labels"
    ]


def test_tasks_of_label_studio(tmp_path: Path) -> None:
    differing = studio_task("d", choice("CAR"), choice("BIRD"))
    decided = studio_task("e", choice("CAR"), {"result": choice("BIRD"), "ground_truth": True})
    agreed = studio_task("f", choice("CAR"), choice("CAR"))
    skipped = studio_task("c", {"result": [], "was_cancelled": True})
    rows = [studio_task("a", choice("BIRD")), studio_task("b"), skipped, differing, decided, agreed]
    read = formats.read(put(tmp_path, in_a_list(*rows), "x.json"))
    assert [read.texts[i] for i in range(len(read))] == ["a", "e", "f"]
    assert read.labels.values() == ["BIRD", "BIRD", "CAR"]
    for why in ("1 not annotated", "1 skipped by the annotator", "1 annotated in different ways"):
        assert why in read.notes[0]
    two = [studio_task("a", choice("BIRD") + choice("loud", control="sound"))]
    path = put(tmp_path, in_a_list(*two), "x.json")
    with pytest.raises(DataError, match="which of topic, sound is the label"):
        formats.read(path)
    assert formats.read(path, label="sound").labels.values() == ["loud"]
    old = [{"id": 1, "data": {"body": "a"}, "completions": [{"result": choice("BIRD", "CAR")}]}]
    read = formats.read(put(tmp_path, in_a_list(*old), "x.json"))
    assert read.labels.values() == [["BIRD", "CAR"]]


def test_regions_of_label_studio(tmp_path: Path) -> None:
    """Checked against the text that they say they hold; JavaScript counts an emoji as two."""
    relation = {"type": "relation", "from_id": "r1", "to_id": "r1", "direction": "right"}
    text = "😀 Wanda saw Bo."
    task = studio_task(text, [region(3, 8, "PER", "Wanda"), region(12, 14, "PER"), relation])
    wrong = put(tmp_path, in_a_list(studio_task(text, [region(3, 8, "PER", "Bo")])), "x.json")
    with pytest.raises(DataError, match="holds 'anda ', and says 'Bo'"):
        formats.read_sequences(wrong)
    read = formats.read_sequences(put(tmp_path, in_a_list(task), "x.json"))
    assert read.tags()[0][:3] == ["O", "B-PER", "O"]
    assert told(read, tmp_path)[1] == "x.json: relations are not read (1 of them)"


def test_json_min_of_label_studio(tmp_path: Path) -> None:
    tool = {
        "annotator": 1,
        "annotation_id": 7,
        "created_at": "2021",
        "updated_at": "2021",
        "lead_time": 3.5,
    }
    rows = [
        {"text": "a", "id": 1, "topic": "BIRD"} | tool,
        {"text": "b", "id": 2, "topic": {"choices": ["CAR", "BIRD"]}} | tool,
    ]
    read = formats.read(put(tmp_path, in_a_list(*rows), "x.json"))
    assert (formats.detect(tmp_path / "x.json"), read.labels.values()) == (
        "label-studio",
        [["BIRD"], ["CAR", "BIRD"]],
    )
    rows = [
        {"text": TEXT, "id": 1, "label": [{"start": 0, "end": 5, "text": "Wanda", "labels": ["PER"]}]}
        | tool
    ]
    read = formats.read_sequences(put(tmp_path, in_a_list(*rows), "x.json"))
    assert read.tags()[0] == ["B-PER", "O", "O", "O", "O"]


def test_examples_of_spacy(tmp_path: Path) -> None:
    pairs = [[TEXT, {"entities": [[0, 5, "PER"]]}], [TEXT, {}]]
    for data in (in_a_list(*pairs), in_lines(*pairs)):
        read = formats.read_sequences(put(tmp_path, data, "x.json"))
        assert read.tags()[0] == ["B-PER", "O", "O", "O", "O"]
        assert "1 of 2 rows left out: 1 without entities" in read.notes[0]
    assert len(formats.read_sequences(put(tmp_path, in_lines(pairs[0]), "x.json"))) == 2  # one pair
    one = [["a", {"cats": {"BIRD": 1}}], ["b", {"cats": {"BIRD": 0}}]]
    assert formats.read(put(tmp_path, in_a_list(*one))).labels.values() == ["BIRD", "not BIRD"]
    rows = [
        {"text": "a", "cats": {"BIRD": True, "CAR": True}},
        {"text": "b", "cats": {"BIRD": 0, "CAR": 0}},
    ]
    assert formats.read(put(tmp_path, in_lines(*rows))).labels.values() == [["BIRD", "CAR"], []]
    path = put(tmp_path, in_lines({"text": "a", "cats": {"BIRD": 0.3}}))
    with pytest.raises(DataError, match=r"line 1: the category 'BIRD' is 0\.3; 1 "):
        formats.read(path)


def test_json_of_spacy(tmp_path: Path) -> None:
    document = spacy_document([("An", "DT", "O"), ("owl", "NN", "U-BIRD")], [("It", "PRP", "-")])
    path = put(tmp_path, in_a_list(document, document), "x.json")
    read = formats.read_sequences(path)
    assert read.column("word") == [["An", "owl"], ["It"]] * 2
    assert read.tags() == [["O", "U-BIRD"], [None]] * 2
    assert told(read, tmp_path) == [
        "x.json is read as spaCy's JSON, with the tags of 'ner'",
        "x.json: heads of words are not read; CoNLL-U holds trees",
    ]
    read = formats.read_sequences(path, label="tag", columns="ner")
    assert (read.tags()[0], read.column("ner")[0]) == (["DT", "NN"], ["O", "U-BIRD"])
    long = spacy_document(*[[("owl", "NN", "U-BIRD")]] * 3000)
    path = put(tmp_path, json.dumps([long]).encode(), "x.json")
    assert (formats.detect_task(path), len(formats.read_sequences(path))) == ("tag", 3000)


BO = "Bo"
WRONG = {
    "no row": (in_lines(prodigy_ner(BO, [(0, 2, "P")], "reject")), "out: 1 rejected.*has a span"),
    "an answer": (
        in_lines({"text": BO, "answer": "accept"}, {"text": BO, "answer": "yes"}),
        "line 2: the answer",
    ),
    "a span": (
        in_lines(prodigy_ner(BO, [(0, 9, "P")])),
        r"line 1: the span \[0, 9\] does not lie in a text of 2 ch",
    ),
    "overlap": (in_lines(prodigy_ner(BO, [(0, 2, "P"), (1, 2, "Q")])), "spans overlap.*keep one"),
    "no label": (in_lines(prodigy_ner(BO, [(0, 2, "")])), 'line 1: a span is .0, 2, ""'),
    "tokens": (
        in_lines(prodigy_ner(BO, [(0, 2, "P")]) | {"tokens": [{"start": 1, "end": 0}]}),
        "line 1: tokens must",
    ),
    "no text": (
        in_a_list(studio_task("a", [region(0, 1, "P")]), {"data": {}, "annotations": []}),
        "line .*: which of  is",
    ),
}


@pytest.mark.parametrize("case", WRONG)
def test_what_is_wrong_is_told_with_its_line(tmp_path: Path, case: str) -> None:
    data, message = WRONG[case]
    path = put(tmp_path, data)
    with pytest.raises(DataError, match=message):
        formats.read_sequences(path)


def test_labels_and_spans_are_not_mixed_up(tmp_path: Path) -> None:
    path = put(tmp_path, exported.SENTENCES["prodigy"])
    with pytest.raises(
        DataError, match=r"no row that is left has a label.*spans are for a tagger: task='tag'"
    ):
        formats.read(path)
    path = put(tmp_path, exported.EXAMPLES["prodigy"])
    with pytest.raises(DataError, match=r"has a span .*for a classifier: task='classify'"):
        formats.read_sequences(path)


@pytest.mark.parametrize("kind", ["classify", "tag"])
def test_lists_of_objects(tmp_path: Path, kind: str) -> None:
    rows = {
        "classify": ({"label": "a", "text": "x"}, {"label": "b", "text": "y"}),
        "tag": ({"tokens": ["a"], "tags": ["X"]}, {"tokens": ["b"], "tags": ["Y"]}),
    }[kind]
    path = put(tmp_path, in_a_list(*rows), "x.json")
    assert formats.detect_task(path) == kind
    if kind == "classify":
        read = formats.read(path)
        assert (read.labels.values(), read.lines.tolist()) == (["a", "b"], [2, 6])
        assert [batch.labels.values() for batch in formats.read_batches(path, size=1)] == [["a"], ["b"]]
    else:
        assert formats.read_sequences(path).tags() == [["X"], ["Y"]]
        assert [b.tags() for b in formats.read_sequence_batches(path, size=1)] == [[["X"]], [["Y"]]]


ODD = (None, 1, -3, "", [], {}, "x", True, 0.5, [1, 2, "X"], {"start": 0, "end": 1, "label": "A"})


def bent(value: Any, random: Random) -> Any:
    """The same, with something else in some places."""
    if random.random() < 0.08:
        return random.choice(ODD)
    if isinstance(value, dict):
        return {key: bent(inner, random) for key, inner in value.items() if random.random() > 0.02}
    return [bent(inner, random) for inner in value] if isinstance(value, list) else value


@pytest.mark.parametrize("tool", exported.EXAMPLES)
def test_rows_that_are_not_as_they_should_be(tmp_path: Path, tool: str) -> None:
    random = Random(tool)
    for data in (exported.EXAMPLES[tool], exported.SENTENCES[tool]) * 60:
        rows = [json.loads(row) for row in data.splitlines()] if data[:1] == b"{" else json.loads(data)
        path = put(tmp_path, in_a_list(*(bent(row, random) for row in rows)))
        for reading in (formats.read, formats.read_sequences):
            for chosen in (None, tool):
                try:
                    reading(path, chosen)
                except DataError as error:
                    assert str(path) in str(error)  # noqa: PT017
