"""Commands on trees of phrases: convert and evaluate, and what is refused."""

import json
from pathlib import Path
from typing import Any

import pytest

TREES = (
    "( (S (NP-SBJ (NNS linnets)) (VP (VBP sing) (NP (-NONE- *T*-1))) (. .)))\n"
    "( (S (NP (DT a) (NN wren)) (VP (VBZ hides))))\n"
)
GUESS = "(S (NP (NNS linnets)) (VP (VBP sing)) (. .))\n(S (DT a) (VP (NN wren) (VBZ hides)))\n"


@pytest.fixture
def gold(tmp_path: Path) -> Path:
    (tmp_path / "gold.mrg").write_text(TREES)
    (tmp_path / "guess.mrg").write_text(GUESS)
    return tmp_path / "gold.mrg"


def test_brackets_become_words_and_tags(run: Any, gold: Path) -> None:
    code, _, said = run("convert", gold, gold.parent / "out.conll")
    assert code == 0
    assert "note: 1 traces of" in said
    assert (gold.parent / "out.conll").read_text() == (
        "linnets NNS\nsing VBP\n. .\n\na DT\nwren NN\nhides VBZ\n\n"
    )
    assert run("convert", gold, gold.parent / "out.jsonl")[0] == 0
    first = json.loads((gold.parent / "out.jsonl").read_text().split("\n")[0])
    assert first == {"tokens": ["linnets", "sing", "."], "tags": ["NNS", "VBP", "."]}


def test_brackets_become_brackets(run: Any, gold: Path) -> None:
    assert run("convert", gold, "-", "--to", "brackets")[1] == TREES
    cleaned = run("convert", gold, "-", "--to", "brackets", "--clean")[1]
    assert cleaned.split("\n")[0] == "( (S (NP (NNS linnets)) (VP (VBP sing)) (. .)))"
    out = gold.parent / "out.brackets.gz"
    assert run("convert", gold, out, "--indent")[0] == 0
    assert run("convert", out, "-", "--to", "brackets")[1] == TREES
    (gold.parent / "unnamed").write_text(TREES)
    assert run("convert", gold.parent / "unnamed", "-", "--to", "brackets")[1] == TREES


def test_trees_of_traces_alone_are_told(run: Any, tmp_path: Path) -> None:
    (tmp_path / "a.mrg").write_text("(S (-NONE- *))\n(S (NN a))\n")
    code, out, said = run("convert", tmp_path / "a.mrg", "-", "--to", "brackets", "--clean")
    assert (code, out) == (0, "(S (NN a))\n")
    assert "1 trees of" in said


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (("gold.mrg", "out.conllx"), "holds trees of phrases, which become brackets"),
        (("gold.mrg", "out.csv"), "holds trees of phrases"),
        (("gold.mrg", "out", "--to", "spans"), "holds trees of phrases"),
        (("gold.mrg", "out.conll", "--indent"), "--indent: for brackets"),
        (("gold.mrg", "out.mrg", "--lossy"), "--lossy: for classifiers"),
        (("words.conll", "out.mrg", "--clean"), "--clean: for parsers of phrases; "),
    ],
)
def test_what_cannot_be_converted(run: Any, gold: Path, words: tuple[str, ...], told: str) -> None:
    (gold.parent / "words.conll").write_text("a DT\nwren NN\n\n")
    source, target, *rest = words
    code, _, said = run("convert", gold.parent / source, gold.parent / target, *rest)
    assert code == 2
    assert told in said
    assert not (gold.parent / target).exists()


def test_two_files_are_compared(run: Any, gold: Path) -> None:
    code, out, _ = run("evaluate", gold, gold.parent / "guess.mrg", "--resamples", "50")
    assert code == 0
    assert "2 sentences, 5 words, 6 brackets" in out
    assert "missing NP: a wren" in out
    assert "extra VP: wren hides" in out
    told = json.loads(run("evaluate", gold, gold.parent / "guess.mrg", "--json")[1])
    assert (told["gold"], told["guessed"], told["matched"]) == (6, 5, 4)
    assert told["f1"] == pytest.approx(8 / 11)
    assert told["worst_sentences"][0]["line"] == 2
    assert told["short"]["longest"] == 40


def test_a_second_prediction(run: Any, gold: Path) -> None:
    same = ("evaluate", gold, gold.parent / "guess.mrg", "--against", gold, "--resamples", "50")
    code, out, _ = run(*same)
    assert code == 0
    assert "Against" in out
    told = json.loads(run(*same, "--json")[1])["against"]
    assert told["scored_in_both"] == 2
    rows = {row["metric"]: row for row in told["differences"]}
    assert rows["f1"]["second"] == 1
    assert rows["f1"]["difference"]["value"] == pytest.approx(3 / 11)


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("(S (NN a))\n", "guess.mrg: there are 2 gold trees, but 1 guessed ones"),
        ("(S (NN a))\n(S (NN b))\n", "guess.mrg: no sentence has the words of"),
        ("(S (NN a))\n(S (NN b)\n", "guess.mrg, line 2: the tree that begins here does not end"),
        ("", "guess.mrg is empty"),
    ],
)
def test_files_that_cannot_be_compared(run: Any, gold: Path, text: str, told: str) -> None:
    (gold.parent / "guess.mrg").write_text(text)
    code, _, said = run("evaluate", gold, gold.parent / "guess.mrg")
    assert code == 1
    assert told in said


def test_options_of_models_and_of_others(run: Any, gold: Path) -> None:
    code, _, said = run("evaluate", gold, gold.parent / "guess.mrg", "--no-punctuation")
    assert code == 2
    assert "--no-punctuation: for parsers" in said
    (gold.parent / "words.conll").write_text("a DT\nwren NN\n\n")
    words = gold.parent / "words.conll"
    code, _, said = run("evaluate", words, words, "--against", words)
    assert code == 2
    assert "--against: two files are compared" in said


def test_other_tasks_do_not_learn_from_them(run: Any, gold: Path) -> None:
    code, _, said = run("tune", gold, "--task", "parse")
    assert code == 2
    assert "for --task trees" in said
