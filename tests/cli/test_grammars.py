"""Parsers with a grammar in commands: what they do as others, and what they refuse."""

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

import linnet
from linnet.cli import main
from linnet.formats import read_brackets

TREES = """(S (NP (DT the) (NN linnet)) (VP (VBZ sings)))
(S (NP (DT a) (NN wren)) (VP (VBZ sees) (NP (DT the) (NN linnet))))
(S (NP (DT the) (NN wren)) (VP (VBZ sings) (PP (IN in) (NP (DT a) (NN tree)))))
"""
RULES = """S -> NP VP [1.0]
NP -> 'linnets' [0.5] | 'wrens' [0.3] | NP PP [0.2]
VP -> 'sing' [0.5] | 'see' NP [0.3] | VP PP [0.2]
PP -> 'in' NP [1.0]
"""


def run(*arguments: str) -> Result:
    return CliRunner().invoke(main, list(arguments))


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("grammars")
    (made / "trees.mrg").write_text(TREES, encoding="utf-8")
    (made / "rules.txt").write_text(RULES, encoding="utf-8")
    (made / "words.txt").write_text("the wren sees a tree\n\nsings sings sings\n", encoding="utf-8")
    result = run(
        *("train", str(made / "trees.mrg"), "-o", str(made / "g.linnet")),
        *("--grammar", "treebank", "--vertical", "1", "--max-words", "8"),
    )
    assert result.exit_code == 0, result.output
    return made


def test_the_model_is_that_of_python(folder: Path) -> None:
    own = linnet.GrammarParser(vertical=1, max_words=8).fit(read_brackets(folder / "trees.mrg"))
    loaded = linnet.load(folder / "g.linnet")
    assert list(loaded.grammar_.rules()) == list(own.grammar_.rules())


def test_trees_are_those_of_predict(folder: Path) -> None:
    result = run("parse", str(folder / "g.linnet"), str(folder / "words.txt"), "--tokens", "whitespace")
    assert result.exit_code == 0
    lines = result.stdout.splitlines()
    parser = linnet.load(folder / "g.linnet")
    assert lines[0] == parser.predict([["the", "wren", "sees", "a", "tree"]])[0].one_line()
    assert lines[1] == ""
    assert lines[2].startswith("(NOPARSE ")
    assert "1 of 3 sentences have no tree" in result.stderr


def test_long_sentences_are_flat_and_told_of(folder: Path, tmp_path: Path) -> None:
    (tmp_path / "long.txt").write_text("the wren sings\n" + "wren " * 9, encoding="utf-8")
    result = run(
        "parse", str(folder / "g.linnet"), str(tmp_path / "long.txt"), "--tokens", "whitespace"
    )
    assert result.exit_code == 0
    assert [line.startswith("(NOPARSE ") for line in result.stdout.splitlines()] == [False, True]
    assert "more than --max-words 8" in result.stderr


@pytest.mark.parametrize("form", [["-k", "2"], ["--probabilities"], ["--indent"], ["--draw"]])
def test_what_has_no_tree_is_marked_in_every_form(
    folder: Path, tmp_path: Path, form: list[str]
) -> None:
    (tmp_path / "w.txt").write_text(
        "the wren sings\nsings sings\n" + "wren " * 9 + "\n", encoding="utf-8"
    )
    result = run(
        "parse", str(folder / "g.linnet"), str(tmp_path / "w.txt"), "--tokens", "whitespace", *form
    )
    assert result.exit_code == 0, result.output
    assert result.stdout.count("NOPARSE") == 2
    assert "1 of 3 sentences have more than --max-words 8" in result.stderr
    assert "1 of 3 sentences have no tree" in result.stderr
    if form == ["--probabilities"]:
        told = [json.loads(line) for line in result.stdout.splitlines()]
        assert ["failed" in each for each in told] == [False, True, True]
    if form == ["-k", "2"]:
        assert "1\t-inf\t(NOPARSE (VBZ sings) (VBZ sings))" in result.stdout


def test_the_best_trees_with_their_scores(folder: Path, tmp_path: Path) -> None:
    linnet.GrammarParser(str(folder / "rules.txt")).fit().save(tmp_path / "g.linnet")
    (tmp_path / "in.txt").write_text("wrens see linnets in wrens\n", encoding="utf-8")
    arguments = ("parse", str(tmp_path / "g.linnet"), str(tmp_path / "in.txt"))
    result = run(*arguments, "--tokens", "whitespace", "-k", "5")
    rows = [line.split("\t") for line in result.stdout.splitlines() if line]
    assert [row[0] for row in rows] == ["1", "2"]
    # S -> NP VP, and VP -> VP PP or NP -> NP PP, each with 0.2; the rest is the same.
    assert float(rows[0][1]) == float(rows[1][1])
    shares = run(*arguments, "--tokens", "whitespace", "--probabilities")
    found = json.loads(shares.stdout.splitlines()[0])
    assert [2, 5, "NP", 0.5] in found["brackets"]
    assert [1, 3, "VP", 0.5] in found["brackets"]


def test_a_grammar_of_a_file_learns_from_trees(folder: Path, tmp_path: Path) -> None:
    (tmp_path / "t.mrg").write_text("(S (NP wrens) (VP sing))\n" * 3, encoding="utf-8")
    grammar, trees, model = str(folder / "rules.txt"), str(tmp_path / "t.mrg"), tmp_path / "m.linnet"
    result = run("train", trees, "-o", str(model), "--grammar", grammar, "--learner", "em")
    assert result.exit_code == 0, result.output
    learnt = {(left, right): weight for left, right, weight in linnet.load(model).grammar_.rules()}
    words = {
        right[0].text: weight
        for (left, right), weight in learnt.items()
        if left == "NP" and len(right) == 1
    }
    assert words["wrens"] > words["linnets"]  # which the grammar had the other way round


def test_it_is_judged_explained_and_shown(folder: Path) -> None:
    model, trees = str(folder / "g.linnet"), str(folder / "trees.mrg")
    judged = run("evaluate", model, trees, "--json", "--against", model)
    assert judged.exit_code == 0, judged.output
    assert json.loads(judged.stdout)["f1"] == 1
    told = run("explain", model, "--data", trees)
    assert told.exit_code == 0
    assert "S → NP VP" in told.stdout
    as_data = json.loads(run("explain", model, "--data", trees, "--json").stdout.splitlines()[0])
    rules = [rule[2] for rule in as_data["rules"] if rule[2] is not None]
    assert as_data["score"] <= sum(rules) <= 0  # and those of words
    shown = run("inspect", model, "--label", "VP")
    assert "VP -> VBZ NP" in shown.stdout
    assert "S -> NP VP" not in shown.stdout


def test_settings_are_tried(tmp_path: Path) -> None:
    (tmp_path / "trees.mrg").write_text(TREES * 4, encoding="utf-8")
    trees = str(tmp_path / "trees.mrg")
    how = ("--grammar", "treebank", "--learner", "perceptron", "--folds", "3", "--max-iter", "1,2")
    result = run("tune", trees, *how)
    assert result.exit_code == 0, result.output
    assert "best F1" in result.stdout


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("quantize", "g.linnet", "-o", "q.linnet"), "a number for each rule, no smaller form"),
        (("evaluate", "g.linnet", "trees.mrg", "--given-tags"), "a grammar tags words itself"),
        (("explain", "g.linnet", "--data", "trees.mrg", "--span", "0", "1"), "leave it out"),
        (("train", "trees.mrg", "-o", "m", "--grammar", "none.txt"), "there is no such file"),
        (("train", "trees.mrg", "-o", "m", "--vertical", "2"), "give --grammar"),
        (
            ("train", "trees.mrg", "-o", "m", "--grammar", "treebank", "--one-look"),
            "has no looks",
        ),
        (
            ("train", "trees.mrg", "-o", "m", "--grammar", "treebank", "--jackknife", "2"),
            "a grammar tags words itself",
        ),
        (
            ("train", "trees.mrg", "-o", "m", "--grammar", "rules.txt", "--horizontal", "1"),
            "the rules are those of",
        ),
    ],
)
def test_what_makes_no_sense_is_refused(
    arguments: tuple[str, ...], said: str, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(folder)
    result = run(*arguments)
    assert result.exit_code != 0
    assert said in " ".join(result.output.split())
    assert "Traceback" not in result.output
