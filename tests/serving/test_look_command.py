"""``linnet look``: what is refused before a page is opened, and decisions that come from elsewhere."""

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

import linnet
import linnet.data.samples
from linnet.cli.look import command
from linnet.serving.look.decisions import Decisions
from linnet.serving.look.exporting import exported

pytest.importorskip("starlette")
FOLDER = Path(linnet.data.samples.__file__).parent


@pytest.fixture
def look(monkeypatch: pytest.MonkeyPatch) -> Any:
    """The command, which returns what would have been served."""
    made: list[Any] = []
    monkeypatch.setattr("linnet.serving.look.running.served", lambda app, *_, **__: made.append(app))

    def run(*arguments: Any) -> Any:
        result = CliRunner().invoke(command, [str(one) for one in arguments])
        return result, (made.pop().state.page.session if made else None)

    return run


PRODIGY = [
    {"text": "It hooted.", "label": "owl", "answer": "accept"},
    {"text": "It hooted twice.", "label": "wren", "answer": "reject"},
    {"text": "A tiny one.", "label": "wren", "answer": "accept"},
]
DOCCANO = [{"id": k, "text": row["text"], "label": [row["label"]]} for k, row in enumerate(PRODIGY)]
STUDIO = [
    {
        "id": k,
        "data": {"text": row["text"]},
        "annotations": [
            {"result": [{"type": "choices", "from_name": "bird", "value": {"choices": [row["label"]]}}]}
        ],
    }
    for k, row in enumerate(PRODIGY)
]


@pytest.mark.parametrize(("rows", "kept"), [(PRODIGY, 2), (DOCCANO, 3), (STUDIO, 3)])
def test_exports_become_decisions_once(
    look: Any, birds: Path, tmp_path: Path, rows: list[Any], kept: int
) -> None:
    export, decisions = tmp_path / "export.json", tmp_path / "d.jsonl"
    export.write_text(json.dumps(rows) if rows is STUDIO else "\n".join(map(json.dumps, rows)))
    pool = FOLDER / "verse-test.tsv"
    for added in (kept, 0):
        result, session = look(birds, "--pool", pool, "--import", export, "--decisions", decisions)
        assert result.exit_code == 0, result.output
        assert f"{added} of {kept} became decisions" in result.stderr
        assert len(session.teaching.decided()) == kept
    labels = {one.text: one.label for one in Decisions(str(decisions)).standing("teach")}
    assert labels["It hooted."] == "owl"
    assert labels["A tiny one."] == "wren"


def test_spans_become_decisions(look: Any, names: Path, tmp_path: Path) -> None:
    export = tmp_path / "export.jsonl"
    span = {"start": 13, "end": 16, "label": "BIRD"}
    export.write_text(json.dumps({"text": "Wanda saw an owl.", "spans": [span], "answer": "accept"}))
    pool = FOLDER / "sightings-test.conll"
    result, session = look(
        names, pool, "--pool", pool, "--import", export, "--decisions", tmp_path / "d.jsonl"
    )
    assert result.exit_code == 0, result.output
    (one,) = session.teaching.decided()
    assert dict(zip(one.words, one.tags, strict=True))["owl"] == "B-BIRD"
    assert session.judged.overview["errors"] >= 0


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["names", "--slice", "x"], "--slice: has no effect"),
        (["trees", "--train", FOLDER / "rambles-test.conllu"], "give --pool"),
        (["phrases", "--slice", "x"], "--slice: has no effect"),
        (["phrases", FOLDER / "birds-test.tsv"], "stands outside of brackets"),
        (["trees", "--import", FOLDER / "sightings-test.conll"], ""),
        (["trees", FOLDER / "birds-test.tsv"], "birds-test.tsv"),
        (["birds", "--against", "birds"], "give some"),
        (["birds", "--import", FOLDER / "sightings-test.conll"], ""),
    ],
)
def test_what_the_page_would_not_look_at_is_refused(
    look: Any, request: Any, arguments: list[Any], said: str
) -> None:
    given = [
        request.getfixturevalue(one) if one in ("names", "trees", "birds", "phrases") else one
        for one in arguments
    ]
    result, session = look(*given)
    assert result.exit_code != 0
    assert session is None
    assert said in result.stderr + str(result.exception)
    assert "Traceback" not in result.stderr


def test_sets_of_labels_are_read_and_imported(
    look: Any, sets: Path, birds: Path, tmp_path: Path
) -> None:
    """From a file of sets, of single labels, and from what the page exported."""
    data, tsv, decisions = tmp_path / "data.jsonl", tmp_path / "d.tsv", tmp_path / "d.jsonl"
    rows = [{"text": "Both sang.", "label": ["owl", "wren"]}, {"text": "Silence.", "label": []}]
    data.write_text("".join(json.dumps(row) + "\n" for row in rows))
    tsv.write_text("owl,wren\tBoth sang.\n\tSilence.\nowl\tOne sang.\n")
    given = ("--pool", FOLDER / "verse-test.tsv", "--decisions", decisions)
    result, session = look(sets, data, *given, "--import", tsv, "--train", FOLDER / "birds-train.tsv")
    assert result.exit_code == 0, result.output
    assert "3 of 3 became decisions" in result.stderr
    assert session.looked.labels == [("owl", "wren"), ()]
    kept = {one.text: one.label for one in session.teaching.decided()}
    assert kept == {"Both sang.": ("owl", "wren"), "Silence.": (), "One sang.": ("owl",)}
    assert session.judged.overview["examples"] == 2
    result, _ = look(birds, data, *given)
    assert result.exit_code != 0
    assert "several labels to a text" in result.stderr
    result, _ = look(sets, data, *given, "--against", birds)
    assert result.exit_code != 0
    assert "gives one label to a text" in result.stderr + str(result.exception)


def test_what_a_quantized_model_cannot_learn_is_kept(look: Any, birds: Path, tmp_path: Path) -> None:
    small = tmp_path / "small.linnet"
    linnet.load(birds).quantize().save(small)
    pool = FOLDER / "verse-test.tsv"
    _, session = look(small, "--pool", pool, "--decisions", tmp_path / "d.jsonl")
    told = session.teach({"place": session.teach({})["texts"][0]["place"], "label": "owl"})
    assert told["decided"] == 1
    assert "quantized" in told["cannot"]


def test_trees_are_taught_imported_and_exported(look: Any, trees: Path, tmp_path: Path) -> None:
    """A pool of text or trees, what the parser learnt from, and trees from elsewhere, each once."""
    gold, decisions = FOLDER / "rambles-test.conllu", tmp_path / "d.jsonl"
    for added in (100, 0):
        result, session = look(
            trees, gold, "--pool", gold, "--train", FOLDER / "rambles-train.conllu",
            "--import", gold, "--decisions", decisions,
        )  # fmt: skip
        assert result.exit_code == 0, result.output
        assert f"{added} of 100 became decisions" in result.stderr
        assert session.about({})["views"] == ["try", "errors", "teach", "weights"]
    standing = session.decisions.standing("teach")
    read = linnet.formats.read_trees(gold)
    assert [one.words for one in standing] == read.column("form")
    (tmp_path / "out.conllu").write_bytes(exported(standing, "conllu"))
    back = linnet.formats.read_trees(tmp_path / "out.conllu")
    assert back.head_lists() == read.head_lists()
    assert back.relation_lists() == read.relation_lists()
    text = tmp_path / "pool.txt"
    text.write_text("A wren sang. It hid.\n")
    _, session = look(trees, "--pool", text, "--decisions", decisions)
    assert [len(one) for one in session.looked.pool] == [4, 3]
    half = tmp_path / "half.conllu"
    half.write_text("1\tA\t_\t_\t_\t_\t_\t_\t_\t_\n\n")
    result, _ = look(trees, "--pool", text, "--import", half, "--decisions", decisions)
    assert result.exit_code != 0


def test_phrases_are_taught_imported_and_exported(look: Any, phrases: Path, tmp_path: Path) -> None:
    gold, decisions = tmp_path / "gold.mrg", tmp_path / "d.jsonl"
    gold.write_text(
        "( (S (NP-SBJ (DT the) (NN owl)) (VP (VBZ sings) (NP (-NONE- *T*)))) )\n(S (NN odd))\n"
    )
    for added in (2, 0):
        result, session = look(
            phrases, gold, "--pool", gold, "--train", gold, "--import", gold, "--decisions", decisions
        )
        assert result.exit_code == 0, result.output
        assert f"{added} of 2 became decisions" in result.stderr
    assert session.looked.pool == [["the", "owl", "sings"], ["odd"]]
    standing = session.decisions.standing("teach")
    assert standing[0].tree == {
        "brackets": [[0, 3, "S"], [0, 2, "NP"], [2, 3, "VP"]],
        "tags": ["DT", "NN", "VBZ"],
    }
    lines = exported(standing, "mrg").decode().splitlines()
    assert lines == ["( (S (NP (DT the) (NN owl)) (VP (VBZ sings))))", "( (S (NN odd)))"]
