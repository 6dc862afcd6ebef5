"""Parsers from the command line: trees in and out, scores, drawings, and what goes wrong."""

import json
import os
import re
import sys
from pathlib import Path

import pytest

import linnet
from linnet.data import samples
from linnet.formats.trees import read_trees

from .. import processes

SAMPLES = Path(samples.__file__).parent
TRAIN, TEST = SAMPLES / "rambles-train.conllu", SAMPLES / "rambles-test.conllu"
TEXT = "The young farmer saw a heron near the mill. It sang.\n"


@pytest.fixture(scope="session")
def parsers(tmp_path_factory, run) -> Path:
    """A folder with a parser of tagged words, one of words, and one with probabilities."""
    folder = tmp_path_factory.mktemp("parsers")
    common = ("train", TRAIN, "--task", "parse", "-q")
    assert run(*common, "-o", folder / "tags.linnet") == (0, "", "")
    assert run(*common, "-o", folder / "words.linnet", "--tagger", "auto") == (0, "", "")
    crf = ("--loss", "logistic", "--order", "1", "--max-iter", "4")
    assert run(*common, "-o", folder / "crf.linnet", *crf) == (0, "", "")
    return folder


@pytest.fixture
def few(tmp_path) -> Path:
    """Three sentences with everything that is to be kept."""
    blocks = TEST.read_text("utf-8").split("\n\n")[:3]
    first = blocks[0].split("\n")
    first.insert(2, "1-2\tThenew\t_\t_\t_\t_\t_\t_\t_\t_")
    first.insert(6, "3.1\tunsaid\t_\t_\t_\t_\t_\t_\t_\t_")
    path = tmp_path / "few.conllu"
    path.write_text("\n\n".join(["\n".join(first), *blocks[1:]]) + "\n\n", encoding="utf-8")
    return path


# Training


def test_training_tells_what_it_chose(run, tmp_path) -> None:
    model = tmp_path / "m.linnet"
    code, output, said = run("train", TRAIN, "-o", model, "--task", "parse", "--dev", TEST)
    assert (code, output) == (0, "")
    lines = said.splitlines()
    assert "non-projective" in lines[0]
    assert any(line.startswith("300 sentences, 3,580 words, 29 relations; ") for line in lines)
    assert "  order: 2" in lines
    assert "  heads by pa, loss hinge" in lines
    uas, las = (float(x) for x in re.findall(r"[UL]AS ([\d.]+) %", lines[-1]))
    assert 98 < las <= uas <= 100
    assert 100 * linnet.load(model).score(TEST) == pytest.approx(las, abs=0.01)


@pytest.mark.parametrize(
    ("options", "settings"),
    [
        (("--order", "1"), {"order": 1}),
        (("--non-projective",), {"projective": False}),
        (("--many-roots", "--all-arcs"), {"roots": "many", "candidates": None}),
        (("--joint", "none"), {"joint": None}),
        (("--learner", "perceptron", "--seed", "4"), {"learner": "perceptron", "random_state": 4}),
        (("--tagger", "auto", "--jackknife", "2"), {"tagger": "auto", "jackknife": 2}),
    ],
)
def test_settings_reach_the_parser(run, few, tmp_path, options, settings) -> None:
    model = tmp_path / "m.linnet"
    common = ("train", few, "-o", model, "--task", "parse", "-q", "--max-iter", "2")
    assert run(*common, *options)[0] == 0
    loaded = linnet.load(model)
    assert {name: getattr(loaded, name) for name in settings} == settings


def test_templates_and_taggers_of_files(run, few, tmp_path) -> None:
    templates = tmp_path / "arcs.txt"
    templates.write_text("# of tags\nh.upos m.upos *\n", encoding="utf-8")
    tagger, model = tmp_path / "t.linnet", tmp_path / "m.linnet"
    assert run("train", few, "-o", tagger, "-q")[0] == 0  # the task is to tag, if nothing is said
    given = ("--features", templates, "--relations", templates, "--joint", templates)
    given += ("--tagger", tagger)
    assert run("train", few, "-o", model, "--task", "parse", "-q", *given)[0] == 0
    loaded = linnet.load(model)
    assert loaded.features == ["h.upos m.upos *"]
    assert loaded.model_.relation_features.columns == ["upos"]
    assert loaded.joint == ["h.upos m.upos *"]
    assert list(loaded.taggers_) == ["upos"]


def test_conllx_is_for_parsing(run, parsers, tmp_path) -> None:
    data, model = tmp_path / "few.conllx", tmp_path / "m.linnet"
    code, output, _ = run("parse", parsers / "tags.linnet", TEST, "--output-format", "conllx")
    assert code == 0
    data.write_text(output, encoding="utf-8")
    assert run("train", data, "-o", model, "-q", "--max-iter", "1")[0] == 0
    code, output, _ = run("predict", model, data)
    assert code == 0
    assert len(output.split("\n\n")) == 101


# Parsing


@pytest.mark.parametrize("command", ["parse", "predict"])
def test_all_but_trees_comes_back_as_it_was(run, parsers, few, command) -> None:
    code, output, said = run(command, parsers / "tags.linnet", few)
    assert (code, said) == (0, "")
    cells = [
        [line.split("\t") for line in text.splitlines()] for text in (few.read_text("utf-8"), output)
    ]
    assert len(cells[0]) == len(cells[1])
    for before, after in zip(*cells, strict=True):
        if before[0].isdigit():
            before[6:8] = after[6:8]
        assert before == after
    parsed = linnet.load(parsers / "tags.linnet").predict(few)
    heads = [int(row[6]) for row in cells[1] if row[0].isdigit()]
    assert heads == [head for tree, _ in parsed for head in tree]


def test_heads_in_the_data_are_not_looked_at(run, parsers, few, tmp_path) -> None:
    blank = tmp_path / "blank.conllu"
    rows = [line.split("\t") for line in few.read_text("utf-8").splitlines()]
    for row in rows:
        if row[0].isdigit():
            row[6:8] = "_", "_"
    blank.write_text("\n".join("\t".join(row) for row in rows) + "\n", encoding="utf-8")
    assert run("parse", parsers / "tags.linnet", blank) == run("parse", parsers / "tags.linnet", few)


def test_running_text(run, parsers, tmp_path) -> None:
    text = tmp_path / "note.txt"
    text.write_text(TEXT, encoding="utf-8")
    code, output, _ = run("parse", parsers / "words.linnet", text)
    assert code == 0
    assert output.startswith("# text = The young farmer saw a heron near the mill.\n1\tThe\tthe\tDET\t")
    path = tmp_path / "out.conllu"
    assert run("parse", parsers / "words.linnet", text, "-o", path) == (0, "", "")
    assert path.read_text("utf-8") == output
    found = read_trees(path)
    assert found.head_lists()[1] == [2, 0, 2]
    assert found.relation_lists()[1] == ["nsubj", "root", "punct"]
    code, _, said = run("parse", parsers / "tags.linnet", text, "--format", "text")
    assert code == 2
    assert "--tagger auto" in said


def test_drawings(run, parsers, tmp_path) -> None:
    text = tmp_path / "note.txt"
    text.write_text(TEXT, encoding="utf-8")
    code, output, _ = run("parse", parsers / "words.linnet", text, "--draw")
    assert code == 0
    assert "nsubj" in output
    assert "▼" in output
    code, output, _ = run("parse", parsers / "words.linnet", text, "--svg")
    assert code == 0
    assert output.startswith("<!doctype html>")
    assert output.count("<svg") == 2


def test_best_trees_and_probabilities(run, parsers, few) -> None:
    code, output, _ = run("parse", parsers / "tags.linnet", few, "-k", "2")
    assert code == 0
    ranks = re.findall(r"^# rank = (\d)\n# score = (-?[\d.]+)$", output, re.MULTILINE)
    assert [int(rank) for rank, _ in ranks] == [1, 2] * 3
    code, output, _ = run("parse", parsers / "crf.linnet", few, "--proba")
    assert code == 0
    shares = [float(p) for p in re.findall(r"P=([\d.]+)$", output, re.MULTILINE)]
    assert len(shares) == read_trees(few).tokens
    assert all(0 <= p <= 1 for p in shares)
    assert "SpaceAfter=No|P=" in output
    assert "--loss logistic" in run("parse", parsers / "tags.linnet", few, "--proba")[2]


def test_tags_are_kept_unless_told_otherwise(run, parsers, few, tmp_path) -> None:
    wrong = tmp_path / "wrong.conllu"
    wrong.write_text(few.read_text("utf-8").replace("\tDET\t", "\tX\t"), encoding="utf-8")
    assert "\tX\t" in run("parse", parsers / "words.linnet", wrong)[1]
    assert "\tX\t" not in run("parse", parsers / "words.linnet", wrong, "--retag")[1]


def test_an_empty_file(run, parsers, tmp_path) -> None:
    empty = tmp_path / "empty.conllu"
    empty.write_text("", encoding="utf-8")
    assert run("parse", parsers / "tags.linnet", empty) == (1, "", f"Error: {empty} is empty\n")


def test_pipes(parsers) -> None:
    def through(model: str, given: str, *options: str) -> str:
        run = processes.run(
            [sys.executable, "-m", "linnet.cli", "parse", str(parsers / model), *options],
            input=given,
            capture_output=True,
            encoding="utf-8",
            env=os.environ | {"PYTHONIOENCODING": "utf-8"},
        )
        assert (run.returncode, run.stderr) == (0, "")
        return run.stdout

    given = TEST.read_text("utf-8")
    assert through("tags.linnet", given) == through("tags.linnet", "", str(TEST))
    assert through("words.linnet", given, "--format", "conllu").count("\n\n") == 100
    assert through("words.linnet", TEXT).count("# text = ") == 2
    assert through("words.linnet", "") == ""


# Scoring, explaining, inspecting


def test_evaluation(run, parsers) -> None:
    code, output, _ = run("evaluate", parsers / "tags.linnet", TEST, "--json")
    assert code == 0
    told = json.loads(output)
    model = linnet.load(parsers / "tags.linnet")
    assert told["las"] == model.score(TEST)
    assert told["uas"] == model.score(TEST, metric="uas")
    assert set(told["without_punctuation"]) == {"uas", "las"}
    assert told["nonprojective"]["gold"] == 5
    assert {row["relation"] for row in told["by_relation"]} >= {"det", "nsubj", "root"}
    assert len(told["worst_sentences"]) == 5
    code, output, said = run(
        "evaluate", parsers / "words.linnet", TEST, "--against", parsers / "tags.linnet"
    )
    assert code == 0
    assert "--retag" in said
    for part in ("UAS", "LAS", "sentence length", "relation", "without punctuation", "Against"):
        assert part in output
    retagged = run(
        "evaluate",
        parsers / "words.linnet",
        TEST,
        "--retag",
        "--no-punctuation",
        "--subtypes",
        "--json",
    )
    assert json.loads(retagged[1])["words"] < told["words"]


def test_explanations(run, parsers, few, tmp_path) -> None:
    code, output, _ = run(
        "explain", parsers / "words.linnet", "The farmer sang.", "--word", "2", "--json"
    )
    assert code == 0
    told = json.loads(output)
    assert [word["number"] for word in told["explained"]] == [2]
    assert told["heads"] == [2, 3, 0, 3]
    code, output, _ = run("explain", parsers / "tags.linnet", "--data", few)
    assert code == 0
    assert output.count("runner-up") == 3
    page = tmp_path / "page.html"
    assert run("explain", parsers / "tags.linnet", "--data", few, "--html", page)[0] == 0
    assert page.read_text("utf-8").count("<svg") == 3


def test_inspection(run, parsers) -> None:
    code, output, _ = run("inspect", parsers / "words.linnet", "--top", "3", "--label", "det")
    assert code == 0
    for part in ("parser", "taggers", "for an arc", "against an arc", "det"):
        assert part in output
    told = json.loads(run("inspect", parsers / "words.linnet", "--json")[1])
    assert len(told["weights"]["arcs"]["top"]) == 10


# What goes wrong


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("parse", "{tagger}", TEST), "is no parser"),
        (("tag", "{tags}", TEST), "is no tagger"),
        (("parse", "{tags}", TEST, "--draw", "--svg"), "two ways to draw; give one"),
        (("parse", "{tags}", TEST, "--format", "tsv"), "--format tsv: a parser reads conllu"),
        (("parse", "{tags}", TEST, "--output-format", "tsv"), "a parser writes conllu, conllx"),
        (("predict", "{tags}", TEST, "--scores"), "--scores: for classifiers"),
        (("predict", "{tagger}", TEST, "--draw"), "--draw: for parsers"),
        (("evaluate", "{tagger}", TEST, "--subtypes"), "--subtypes: for parsers"),
        (("evaluate", "{tags}", TEST, "--retag"), "the model has no tagger"),
        (("evaluate", "{tags}", TEST, "--curve", "x"), "--curve: for classifiers"),
        (("explain", "{tags}", "A linnet."), "looks at lemma, upos; give CoNLL-U, or train a parser"),
        (("explain", "{tagger}", "A linnet.", "--word", "1"), "--word: for parsers"),
        (("train", TRAIN, "-o", "{new}", "--many-roots"), "for parsers"),
        (("train", TRAIN, "-o", "{new}", "--task", "parse", "--legal", "bio"), "for taggers"),
        (("train", TRAIN, "-o", "{new}", "--task", "parse", "--word", "1"), "--word: for classifiers"),
        (("train", TRAIN, "-o", "{new}", "--task", "parse", "--order", "0"), "order must be"),
        (("train", TRAIN, "-o", "{new}", "--task", "parse", "--relations", "no"), "no such file"),
        (("train", TRAIN, "-o", "{new}", "--task", "parse", "--tagger", "{tags}"), "it is no tagger"),
        (
            ("train", TRAIN, "-o", "{new}", "--task", "parse", "--from", "{tags}"),
            "for classifiers and taggers",
        ),
    ],
)
def test_wrong_usage(run, parsers, few, tmp_path, arguments, message) -> None:
    tagger = tmp_path / "tagger.linnet"
    if any("{tagger}" in str(a) for a in arguments):
        assert run("train", few, "-o", tagger, "-q")[0] == 0
    places = {"{tagger}": tagger, "{tags}": parsers / "tags.linnet", "{new}": tmp_path / "new.linnet"}
    code, _, said = run(*(places.get(a, a) for a in arguments))
    assert code == 2, said
    assert message in said
    assert not (tmp_path / "new.linnet").exists()


@pytest.mark.parametrize(
    ("heads", "message"),
    [
        ((2, 1, 0), "line 1: the heads make a cycle: 1 → 2 → 1"),
        ((0, 0, 2), "line 2: word 2 is a second root"),
        ((2, 3, 7), "line 3: the head of word 3 is 7"),
        (("_", "_", "_"), "holds no trees"),
    ],
)
def test_bad_trees(run, tmp_path, heads, message) -> None:
    path = tmp_path / "bad.conllu"
    rows = [f"{k}\tw\t_\t_\t_\t_\t{head}\tx\t_\t_\n" for k, head in enumerate(heads, 1)]
    path.write_text("".join(rows) + "\n", encoding="utf-8")
    code, _, said = run("train", path, "-o", tmp_path / "m.linnet", "--task", "parse")
    assert code == 1
    assert message in said
