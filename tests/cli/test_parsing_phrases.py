"""Parsers of phrases on the command line."""

import json
from pathlib import Path
from typing import Any

import pytest

from linnet.formats.brackets import parse_brackets, write_brackets

from .. import phrase_bank


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    from click.testing import CliRunner

    from linnet.cli import main

    folder = tmp_path_factory.mktemp("phrases")
    write_brackets(phrase_bank.trees(100), folder / "train.mrg")
    write_brackets(phrase_bank.trees(30, seed=7), folder / "dev.mrg")
    made = CliRunner().invoke(
        main, ["train", str(folder / "train.mrg"), "-o", str(folder / "m.linnet"), "--dev",
               str(folder / "dev.mrg"), "--task", "trees", "--jackknife", "2"],
    )  # fmt: skip
    assert made.exit_code == 0, made.output
    return folder / "m.linnet"


def test_lines_of_words_become_lines_of_trees(run: Any, model: Path, tmp_path: Path) -> None:
    (tmp_path / "in.txt").write_text("the wren sings .\n\nfinches sing ( . )\n")
    code, out, _ = run("parse", model, tmp_path / "in.txt", "--tokens", "whitespace")
    assert code == 0
    lines = out.splitlines()
    assert lines[0] == "(S (NP (DT the) (NN wren)) (VP (VBZ sings)) (. .))"
    trees = parse_brackets("\n".join(line for line in lines if line))
    assert [list(tree.words) for tree in trees][-1] == ["finches", "sing", "-LRB-", ".", "-RRB-"]


def test_brackets_in_brackets_out(run: Any, model: Path) -> None:
    data = model.parent / "dev.mrg"
    for options in ((), ("--indent",), ("--retag",), ("--decode", "best"), ("--threads", "2")):
        code, out, _ = run("parse", model, data, *options)
        assert code == 0
        assert len(parse_brackets(out)) == 30
    assert run("predict", model, data)[1] == run("parse", model, data)[1]


def test_scores_of_a_model(run: Any, model: Path, tmp_path: Path) -> None:
    data = model.parent / "dev.mrg"
    small = tmp_path / "small.linnet"
    assert run("quantize", model, "-o", small)[0] == 0
    code, out, _ = run("evaluate", model, data, "--json", "--against", small, "--resamples", "20")
    assert code == 0
    told = json.loads(out)
    assert told["f1"] > 0.9
    assert {row["metric"] for row in told["against"]["differences"]} >= {"f1", "exact"}
    assert run("evaluate", model, data, "--given-tags")[0] == 0
    run("parse", model, data, "--retag", "-o", tmp_path / "out.mrg")
    code, out, _ = run("evaluate", data, tmp_path / "out.mrg", "--json", "--resamples", "20")
    assert json.loads(out)["f1"] == told["f1"]


def test_labels_never_seen_are_told(run: Any, model: Path, tmp_path: Path) -> None:
    (tmp_path / "other.mrg").write_text("(S (QP (CD two)) (VP (VBZ sings)))\n")
    code, _, said = run("evaluate", model, tmp_path / "other.mrg")
    assert code == 0
    assert "labels never seen in training: QP" in said


def test_other_forms(run: Any, model: Path) -> None:
    data = model.parent / "dev.mrg"
    code, out, _ = run("parse", model, data, "-k", "2")
    rank, score, tree = out.splitlines()[0].split("\t")
    assert (code, rank) == (0, "1")
    assert float(score) > 0
    assert len(parse_brackets(tree)) == 1
    code, out, _ = run("parse", model, data, "--probabilities")
    first = json.loads(out.splitlines()[0])
    assert all(0 <= bracket[3] <= 1 for bracket in first["brackets"])
    assert "┌" in run("parse", model, data, "--draw")[1]
    assert "<svg" in run("parse", model, data, "--svg")[1]
    assert "constituency parser" in run("inspect", model)[1]
    code, out, _ = run("explain", model, "the wren sings.", "--span", "0", "2")
    assert code == 0
    assert "NP: the wren" in out
    assert json.loads(run("explain", model, "the wren sings.", "--json")[1])["score"] > 0


def test_settings_are_tried_and_learners_compared(run: Any, tmp_path: Path) -> None:
    write_brackets(phrase_bank.trees(40), tmp_path / "t.mrg")
    code, out, _ = run(
        "tune", tmp_path / "t.mrg", "--max-iter", "1,4", "--folds", "2", "--tagger", "none", "--json"
    )
    assert code == 0
    assert [row["settings"]["max_iter"] for row in json.loads(out)["rows"]] == [1, 4]
    chosen = ("MIRA", "CRF", "PCFG")
    asked = [word for name in chosen for word in ("--model", name)]
    code, out, _ = run("compare", tmp_path / "t.mrg", *asked, "--json")
    assert code == 0
    rows = {row["name"]: row for row in json.loads(out)["models"]}
    assert set(rows) == set(chosen)
    assert all(row["f1"] > 0.5 for row in rows.values())
    assert rows["PCFG"]["value"] in (1, 2)


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("(S (NP (NN a))\n(S (NN b)", "line 1"),
        ("(S (NP (NN a))))\n", "line 1"),
        ("()\n", "line 1"),
        ("", "is empty"),
    ],
)
def test_files_that_are_no_trees(run: Any, tmp_path: Path, text: str, told: str) -> None:
    (tmp_path / "bad.mrg").write_text(text)
    code, _, said = run("train", tmp_path / "bad.mrg", "-o", tmp_path / "m.linnet")
    assert code != 0
    assert "Traceback" not in said
    assert told in said
    assert not (tmp_path / "m.linnet").exists()


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (("--output-format", "conllu"), "a parser of phrases writes brackets"),
        (("--format", "svmlight"), "a parser of phrases reads"),
        (("-k", "2", "--decode", "risk"), "-k gives the trees that score best"),
        (("-k", "2", "--draw"), "-k writes trees"),
        (("--probabilities", "--indent"), "--probabilities is a form of its own"),
        (("--tokens", "whitespace", "--format", "brackets"), "--tokens"),
    ],
)
def test_options_that_make_no_sense(run: Any, model: Path, words: tuple[str, ...], told: str) -> None:
    code, _, said = run("parse", model, model.parent / "dev.mrg", *words)
    assert code == 2
    assert told in said


def test_a_thousand_words_are_marked(run: Any, model: Path, tmp_path: Path) -> None:
    (tmp_path / "long.txt").write_text("the wren sings .\n" + "wren " * 1000 + "\n")
    code, out, said = run("parse", model, tmp_path / "long.txt", "--tokens", "whitespace")
    assert code == 0
    assert out.splitlines()[1].startswith("(NOPARSE (")
    assert "long.txt, line 2: a sentence of 1000 words" in said


def test_one_look_or_two(run: Any, model: Path, tmp_path: Path) -> None:
    code, out, _ = run("inspect", model, "--json")
    assert code == 0
    assert any("a second look" in line for line in json.loads(out)["chosen"])
    one = tmp_path / "one.linnet"
    code, _, told = run(
        "train",
        model.parent / "train.mrg",
        "-o",
        one,
        "--task",
        "trees",
        "--tagger",
        "none",
        "--one-look",
    )
    assert code == 0
    assert "no second look: not asked for" in told
    code, _, told = run("train", model, "-o", one, "--task", "parse", "--one-look")
    assert code != 0
    assert "--one-look" in told
