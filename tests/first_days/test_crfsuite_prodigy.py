"""The first day of an engineer who comes from CRFsuite and Prodigy: exports in, a tagger, spans out."""

import json
from pathlib import Path

from ..formats.exported import in_lines, prodigy_choice, prodigy_label, prodigy_ner
from .typed import typed

NAMES = ["Wanda", "Otto", "Ines", "Bruno", "Frida", "Hugo", "Marta", "Karl"]
BIRDS = ["owl", "wren", "linnet", "swift", "heron", "magpie"]


def sighting(name: str, bird: str) -> tuple[str, list[tuple[int, int, str]]]:
    text = f"{name} saw an old {bird} by the river."
    at = text.index(bird)
    return text, [(0, len(name), "PER"), (at, at + len(bird), "BIRD")]


def export(folder: Path) -> None:
    """What `prodigy db-out` prints: two of the answers are a no, and one is none."""
    rows = [prodigy_ner(*sighting(name, bird)) for name in NAMES for bird in BIRDS]
    rows.insert(3, prodigy_ner("Rain saw nobody.", [(0, 4, "PER")], "reject"))
    rows.insert(5, prodigy_ner("The old river saw Otto.", [(4, 13, "BIRD")], "reject"))
    rows.insert(9, prodigy_ner("What?", [(0, 4, "BIRD")], "ignore"))
    (folder / "birds.jsonl").write_bytes(in_lines(*rows))
    fresh = [prodigy_ner(*sighting(*pair)) for pair in (("Clara", "owl"), ("Otto", "robin"))]
    (folder / "fresh.jsonl").write_bytes(in_lines(*fresh))


def test_spans_from_an_export_of_prodigy(tmp_path: Path) -> None:
    export(tmp_path)
    out, said = typed(tmp_path, "linnet train birds.jsonl -o birds.linnet --dev fresh.jsonl")
    assert out == ""
    told = said.splitlines()
    assert told[0] == (
        "note: birds.jsonl is read as an export of Prodigy; 3 of 51 rows left out: "
        "2 rejected (first line 4), 1 ignored (first line 10)"
    )
    assert told[1] == "note: fresh.jsonl is read as an export of Prodigy"
    assert told[2].startswith("48 sentences, 432 tokens, 3 tags, ")
    assert "  tags keep to iob2" in told
    assert told[-1].startswith("accuracy on fresh.jsonl: ")

    out, said = typed(tmp_path, 'echo "Wanda saw an old wren by the river." | linnet tag birds.linnet')
    assert [(s["label"], s["text"]) for s in json.loads(out)["spans"]] == [
        ("PER", "Wanda"),
        ("BIRD", "wren"),
    ]
    out, said = typed(tmp_path, "linnet tag birds.linnet fresh.jsonl")
    assert [json.loads(line)["text"] for line in out.splitlines()] == [
        "Clara saw an old owl by the river.",
        "Otto saw an old robin by the river.",
    ]
    assert said == "note: fresh.jsonl is read as an export of Prodigy\n"
    out, said = typed(tmp_path, "linnet evaluate birds.linnet birds.jsonl")
    assert out.startswith("48 sentences, 432 tokens, 3 tags, 0 errors")
    assert "3 of 51 rows left out" in said


def test_columns_in_other_schemes_from_an_export(tmp_path: Path) -> None:
    export(tmp_path)
    out, said = typed(
        tmp_path,
        "linnet convert birds.jsonl birds.conll",
        "linnet convert birds.conll birds.bioes.conll --scheme BIOES",
        "head -5 birds.conll birds.bioes.conll",
    )
    assert out.splitlines()[:6] == [
        "==> birds.conll <==", "Wanda B-PER", "saw O", "an O", "old O", "owl B-BIRD",
    ]  # fmt: skip
    assert out.splitlines()[8:13] == ["Wanda S-PER", "saw O", "an O", "old O", "owl S-BIRD"]
    assert said.count("3 of 51 rows left out: 2 rejected") == 1


def test_attributes_of_crfsuite(tmp_path: Path) -> None:
    """Files that a script of one's own has made for CRFsuite are learnt from as they are."""
    lines = []
    for name in NAMES:
        for bird in BIRDS:
            lines += [
                f"B-PER\tw={name.lower()}\tcap",
                "O\tw=saw",
                "O\tw=a",
                f"B-BIRD\tw={bird}\tlen:{len(bird)}",
                "",
            ]
    (tmp_path / "train.crfsuite").write_text("\n".join(lines) + "\n", encoding="utf-8")
    (tmp_path / "test.crfsuite").write_text(
        "B-PER\tw=otto\tcap\nO\tw=saw\nB-BIRD\tw=owl\tlen:3\n\n", encoding="utf-8"
    )
    out, said = typed(
        tmp_path,
        "linnet train train.crfsuite -o crf.linnet --preset crf",
        "linnet tag crf.linnet test.crfsuite --output-format tags",
    )
    assert said.startswith("48 sentences, 192 tokens, 3 tags, ")
    assert out.split() == ["B-PER", "O", "B-BIRD"]


def test_answers_about_texts(tmp_path: Path) -> None:
    rows = [prodigy_label(f"the owl hooted {k} times", "OWL") for k in range(12)]
    rows += [prodigy_label(f"a wren sang {k} songs", "OWL", "reject") for k in range(9)]
    rows += [prodigy_label("no idea", "OWL", "ignore")]
    (tmp_path / "owls.jsonl").write_bytes(in_lines(*rows))
    out, said = typed(
        tmp_path,
        "linnet train owls.jsonl -o owls.linnet",
        'echo "a wren sang" | linnet predict owls.linnet',
    )
    assert out == "not OWL\n"
    assert said.splitlines()[:2] == [
        "note: owls.jsonl is read as an export of Prodigy; 1 of 22 rows left out: "
        "1 ignored (first line 22)",
        "note: owls.jsonl: 'OWL' was rejected of 9 texts; the label there is 'not OWL'",
    ]
    assert said.splitlines()[2].startswith("21 examples, 2 labels, ")

    rows = [prodigy_choice(f"hooted and sang {k}", ["OWL", "WREN"], style="multiple") for k in range(6)]
    rows += [prodigy_choice(f"sang {k}", ["WREN"], style="multiple") for k in range(6)]
    rows += [prodigy_choice("screamed", ["SWIFT"], "reject", style="multiple")]
    (tmp_path / "choices.jsonl").write_bytes(in_lines(*rows))
    out, said = typed(tmp_path, "linnet convert choices.jsonl - --to jsonl | sed -n '1p;12p'")
    assert [json.loads(line)["label"] for line in out.splitlines()] == [["OWL", "WREN"], ["WREN"]]
    assert "1 of 13 rows left out: 1 rejected (first line 13)" in said


def test_tags_that_are_integers(tmp_path: Path) -> None:
    """Rows of a Hugging Face data set: refused without names, which then are given or found."""
    rows = [
        {"tokens": [name, "saw", "an", bird], "ner_tags": [1, 0, 0, 2]}
        for name in NAMES
        for bird in BIRDS
    ]
    (tmp_path / "rows.jsonl").write_bytes(in_lines(*rows))
    out, _ = typed(tmp_path, "linnet train rows.jsonl -o m.linnet 2>&1 || echo code $?")
    assert out.splitlines() == [
        "Error: rows.jsonl, line 1: the tags of 'ner_tags' are integers without names; give these, "
        "in their order, by --label-names, or put the dataset_info.json of the data set beside the "
        "file",
        "code 1",
    ]
    names = "--tag-names O,B-PER,B-BIRD"
    out, said = typed(
        tmp_path,
        f"linnet train rows.jsonl -o m.linnet {names}",
        f"linnet evaluate m.linnet rows.jsonl {names}",
        "linnet tag m.linnet rows.jsonl | head -1",
    )
    assert "48 sentences, 192 tokens, 3 tags, 0 errors" in out
    assert json.loads(out.splitlines()[-1])["tags"] == ["B-PER", "O", "O", "B-BIRD"]
    feature = {
        "feature": {"names": ["O", "B-PER", "B-BIRD"], "_type": "ClassLabel"},
        "_type": "Sequence",
    }
    (tmp_path / "dataset_info.json").write_text(
        json.dumps({"features": {"ner_tags": feature}}), encoding="utf-8"
    )
    _, said = typed(tmp_path, "linnet train rows.jsonl -o m.linnet")
    assert (
        said.splitlines()[0]
        == "note: rows.jsonl: the integers of 'ner_tags' are named by dataset_info.json"
    )
