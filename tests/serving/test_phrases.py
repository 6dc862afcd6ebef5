"""Errors of parsers of phrases: what is told is what evalb's counts and the trees say."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import linnet
from linnet.data.brackets import Brackets
from linnet.evaluation import bracket_scores

pytest.importorskip("starlette")

from linnet.errors import DataError
from linnet.serving.look.judged_phrases import NOTHING, JudgedPhrases
from linnet.serving.look.session import Looked, Session

BIRDS, VERBS, PLACES = ("linnet", "wren", "owl"), ("sings", "sits"), ("spring", "town", "hedges")


def tree(bird: str, verb: str, place: str, high: bool) -> Any:
    where = ("PP", ("IN", "in"), ("NP", ("NN", place)))
    subject = ("NP", ("DT", "the"), ("NN", bird))
    if high:
        return ("S", ("NP", subject, where), ("VP", ("VBZ", verb)))
    return ("S", subject, ("VP", ("VBZ", verb), where))


ALL = [tree(b, v, p, False) for b in BIRDS for v in VERBS for p in PLACES]
HIGH = [tree(b, "sits", p, True) for b in BIRDS for p in PLACES]
# The phrase with "in" has another label than the parsers know.
ODD = (*ALL[0][:2], ("VP", ("VBZ", "sings"), ("XP", *ALL[0][2][2][1:])))
GOLD = Brackets.from_nested([*ALL[:6], *HIGH, ODD])


@pytest.fixture(scope="module")
def judged() -> JudgedPhrases:
    weak = linnet.ConstituencyParser().fit(Brackets.from_nested(ALL))
    better = linnet.ConstituencyParser().fit(Brackets.from_nested([*ALL, *HIGH]))
    return JudgedPhrases(weak, GOLD, rival=better)


def test_errors_are_those_of_evaluation(judged: JudgedPhrases) -> None:
    guess = judged.model.parse_trees(GOLD, retag=True)
    found = bracket_scores(GOLD, guess)
    told = judged.overview
    assert found.f1 < 1
    assert told["metrics"]["f1"] == pytest.approx(found.f1)
    assert told["intervals"]["exact"]["low"] <= found.exact <= told["intervals"]["exact"]["high"]
    assert told["errors"] == (found.gold - found.matched).sum() > 0
    assert told["examples"] == found.gold.sum()
    counts, labels = np.array(told["confusion"]["counts"]), told["confusion"]["labels"]
    last = labels.index(NOTHING)
    assert counts[last].sum() == told["too_many"]
    assert np.delete(counts, last, axis=0).sum() == told["examples"]
    assert [row["label"] for row in told["per_label"]] == found.names
    json.dumps(told)


def test_cells_hold_the_sentences_of_their_brackets(judged: JudgedPhrases) -> None:
    told = judged.overview["confusion"]
    counts = np.array(told["counts"]) * (1 - np.eye(len(told["counts"]), dtype=int))
    for i, j in zip(*np.nonzero(counts), strict=True):
        gold, said = told["labels"][i], told["labels"][j]
        cell = judged.cell(gold, said)
        assert 0 < cell["all"] <= counts[i, j]
        for one in cell["texts"]:
            assert (gold, said) in [(row["gold"], row["guess"]) for row in one["wrong"]]
            for side in ("gold", "guess"):
                shown = [one[side]["brackets"][k] for k in one[side]["wrong"]]
                named = [row[side] for row in one["wrong"] if row[side] != NOTHING]
                assert sorted(label for _, _, label in shown) == sorted(named)


def test_worst_sentences_come_first_with_reasons(judged: JudgedPhrases) -> None:
    worst = judged.overview["worst"]
    sizes = [len(one["wrong"]) for one in worst]
    assert sizes == sorted(sizes, reverse=True)
    for one in worst:
        said = [row for row in one["wrong"] if row["guess"] != NOTHING]
        assert bool(one["because"]) == bool(said)
        assert all(row["share"] > 0 for row in one["because"])
    assert any(one["because"] for one in worst)


def test_slices_cover_all_brackets(judged: JudgedPhrases) -> None:
    rows, gold = judged.slices("owl"), judged.overview["examples"]
    assert sum(row["texts"] for row in rows[:2]) == gold
    for kind in ("in sentences of", "phrases of", "label "):
        assert sum(row["texts"] for row in rows if row["name"].startswith(kind)) == gold
    recall = judged.overview["metrics"]["recall"]
    assert sum(row["texts"] * row["right"] for row in rows[:2]) == pytest.approx(recall * gold)


def test_a_better_parser_is_hardly_luck(judged: JudgedPhrases) -> None:
    told = judged.beside_rival
    exact = next(row for row in told["differences"] if row["metric"] == "exact")
    assert exact["second"] > exact["first"]
    assert exact["p"] < 0.05
    assert told["all"] == len(told["texts"]) > 0
    for one in told["texts"]:
        assert one["other"]["brackets"] != one["guess"]["brackets"]


def test_a_grammar_is_looked_at(tmp_path: Path) -> None:
    """Its brackets are pinned and judged as those of other parsers; it has Teach, too."""
    parser = linnet.GrammarParser().fit(Brackets.from_nested(ALL))
    session = Session(
        Looked(parser, trees=GOLD, pool=[["the", "owl", "sings"]], decisions=str(tmp_path / "d"))
    )
    assert session.about({})["views"] == ["try", "errors", "teach", "weights"]
    with pytest.warns(UserWarning, match="no tree"):
        told = session.errors({})
    assert 0 < told["metrics"]["recall"] < 1
    pinned = {"text": "the owl sings in town", "pinned": [[0, 0, 2, "NP"]], "forbidden": []}
    assert [0, 2, "NP"] in session.attempt(pinned)["sentences"][0]["brackets"]
    with pytest.warns(UserWarning, match="no tree"):
        nothing = session.attempt({"text": "Odd words"})
    json.dumps(nothing, allow_nan=False)
    session.close()


def test_what_is_no_gold_is_refused() -> None:
    parser = linnet.ConstituencyParser().fit(Brackets.from_nested(ALL))
    flat = Brackets.from_nested([("NN", "owl")])
    with pytest.raises(DataError, match="brackets are wanted"):
        JudgedPhrases(parser, flat)
    with pytest.raises(DataError, match="--against"):
        _ = JudgedPhrases(parser, GOLD).beside_rival
