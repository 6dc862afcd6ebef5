"""Errors of parsers: what is told is what scores and trees say."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import linnet
import linnet.data.samples
from linnet.evaluation import tree_scores
from linnet.formats import read_trees

pytest.importorskip("starlette")

from linnet.errors import DataError
from linnet.serving.look.judged_trees import JudgedTrees
from linnet.serving.look.session import Looked, Session

FOLDER = Path(linnet.data.samples.__file__).parent
GOLD = read_trees(FOLDER / "rambles-test.conllu")


@pytest.fixture(scope="module")
def weak() -> Any:
    """A parser of a few sentences, which errs."""
    some = read_trees(FOLDER / "rambles-train.conllu").take(list(range(12)))
    return linnet.DependencyParser(tagger="auto", loss="logistic").fit(some)


@pytest.fixture(scope="module")
def judged(weak: Any, trees: Path) -> JudgedTrees:
    return JudgedTrees(weak, GOLD, rival=linnet.load(trees))


def arcs_of(trees: Any) -> Any:
    return list(zip(trees.heads.tolist(), [r for s in trees.relation_lists() for r in s], strict=True))


def test_errors_are_those_of_evaluation(judged: JudgedTrees, weak: Any) -> None:
    guess = weak.parse_trees(GOLD)
    found = tree_scores(GOLD, guess.heads, guess.relations)
    told = judged.overview
    assert told["metrics"] == pytest.approx({"uas": found.uas, "las": found.las})
    assert told["examples"] == GOLD.tokens
    assert told["errors"] == round((1 - found.las) * GOLD.tokens) > 0
    wrong = [len(one["wrong"]) for one in told["worst"]]
    assert wrong == sorted(wrong, reverse=True)
    assert sum(map(sum, told["confusion"]["counts"])) + told["confusion"]["elsewhere"] == GOLD.tokens
    json.dumps(told)


def test_worst_sentences_tell_wrong_arcs_and_why(judged: JudgedTrees) -> None:
    one = judged.overview["worst"][0]
    for k, (right, said) in enumerate(zip(one["golds"], one["guesses"], strict=True)):
        if right != said.split(":")[0] and k not in one["wrong"]:  # subtypes do not count
            assert right.split(":")[0].split(" ")[0] == said.split(":")[0].split(" ")[0]
    assert one["at"] in one["wrong"]
    assert one["because"]
    assert all(row["share"] > 0 for row in one["because"])


def test_cells_hold_the_sentences_of_their_relations(judged: JudgedTrees) -> None:
    told = judged.overview["confusion"]
    counts = np.array(told["counts"]) * (1 - np.eye(len(told["counts"]), dtype=int))
    i, j = np.unravel_index(int(counts.argmax()), counts.shape)
    gold, said = told["labels"][i], told["labels"][j]
    cell = judged.cell(gold, said)
    assert 0 < cell["all"] <= counts[i, j]
    for one in cell["texts"]:
        assert one["golds"][one["at"]].split(" of ")[0].split(":")[0] == gold
        assert one["guesses"][one["at"]].split(" of ")[0].split(":")[0] == said


def test_slices_cover_all_words(judged: JudgedTrees) -> None:
    rows = judged.slices("the")
    assert sum(row["texts"] for row in rows[:2]) == GOLD.tokens
    assert sum(row["texts"] for row in rows if row["name"].startswith("sentences of")) == GOLD.tokens
    assert any(row["name"] == "upos = NOUN" for row in rows)
    las = judged.overview["metrics"]["las"]
    assert sum(row["texts"] * row["right"] for row in rows[:2]) == pytest.approx(las * GOLD.tokens)


def test_a_better_parser_is_hardly_luck(judged: JudgedTrees, trees: Path) -> None:
    told = judged.beside_rival
    las = next(row for row in told["differences"] if row["metric"] == "las")
    assert las["second"] > las["first"]
    assert las["p"] < 0.05
    other = linnet.load(trees).parse_trees(GOLD)
    differ = np.array([a != b for a, b in zip(arcs_of(judged.guess), arcs_of(other), strict=True)])
    inside = np.add.reduceat(differ, GOLD.offsets[:-1])
    assert told["all"] == int((inside > 0).sum())


def test_a_parser_in_memory_is_looked_at(weak: Any, trees: Path, tmp_path: Path) -> None:
    pytest.importorskip("uvicorn")
    settings: Any = {"decisions": str(tmp_path / "d.jsonl"), "browser": False}
    for given in ({"X": GOLD, "against": linnet.load(trees)}, {"X": FOLDER / "rambles-test.conllu"}):
        weak.look(**given, **settings).close()
    for given in ({"pool": ["A wren sang."]}, {"X": ["A wren sang."]}, {"pool": GOLD, "train": GOLD}):
        weak.look(**given, **settings).close()
    with pytest.raises(DataError, match="a head for each word"):
        weak.look([["A", "wren", "sang"]], [[None, None, None]], **settings)
    with pytest.raises(DataError, match="give some"):
        weak.look(against=weak, **settings)


def test_a_page_of_a_parser(weak: Any, tmp_path: Path) -> None:
    session = Session(Looked(weak, trees=GOLD, decisions=str(tmp_path / "d.jsonl")))
    assert session.about({})["views"] == ["try", "errors", "weights"]
    assert session.errors({})["kind"] == "trees"
    with pytest.raises(DataError, match="no part"):
        session.errors({"part": "curves"})
    with pytest.raises(DataError, match="--against"):
        session.errors({"part": "rival"})
    session.close()
