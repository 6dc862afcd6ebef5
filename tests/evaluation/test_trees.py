"""Scores of parses against counts by hand."""

import json

import numpy as np
import pytest

from linnet.data import LabelColumn, Trees
from linnet.errors import DataError
from linnet.evaluation import TreeScores, tree_scores, tree_table

WORDS = [
    [("A", "DET"), ("linnet", "NOUN"), ("was", "AUX"), ("seen", "VERB"), (".", "PUNCT")],
    [
        ("Who", "PRON"),
        ("did", "AUX"),
        ("you", "PRON"),
        ("see", "VERB"),
        ("with", "ADP"),
        ("?", "PUNCT"),
    ],
]
HEADS = [[2, 4, 4, 0, 4], [5, 4, 4, 0, 4, 4]]  # Who ← with: not projective
RELATIONS = [
    ["det", "nsubj:pass", "aux:pass", "root", "punct"],
    ["obl", "aux", "nsubj", "root", "case", "punct"],
]
GUESSED_HEADS = [[2, 4, 4, 0, 3], [4, 4, 4, 0, 4, 1]]
GUESSED_RELATIONS = [
    ["det", "nsubj", "aux", "root", "punct"],
    ["obl", "aux", "obj", "root", "case", "dep"],
]


def gold() -> Trees:
    return Trees.from_lists(WORDS, HEADS, RELATIONS)


def scored(**options: bool) -> TreeScores:
    guess = Trees.from_lists(WORDS, GUESSED_HEADS, GUESSED_RELATIONS)
    return tree_scores(gold(), guess.heads, guess.relations, **options)


def test_attachment() -> None:
    scores = scored()
    assert scores.uas == 8 / 11  # wrong: '.', 'Who', '?'
    assert scores.las == 7 / 11  # and 'you'
    assert scores.relation_accuracy == 9 / 11
    assert scores.root_accuracy == 1.0
    assert scores.exact() == scores.exact(labelled=True) == 0.0


def test_without_punctuation() -> None:
    scores = scored(punctuation=False)
    assert (scores.uas, scores.las) == (8 / 9, 7 / 9)
    assert (scores.exact(), scores.exact(labelled=True)) == (0.5, 0.5)
    with pytest.raises(DataError, match="column upos"):
        tree_scores(Trees.from_lists([["a"]], [[0]]), np.zeros(1, np.int32), punctuation=False)


def test_with_subtypes() -> None:
    scores = scored(subtypes=True)
    assert (scores.uas, scores.las) == (8 / 11, 5 / 11)
    assert "nsubj:pass" in scores.names
    assert "nsubj:pass" not in scored().names


def test_relations() -> None:
    rows = {row.pop("relation"): row for row in scored().by_relation()}
    assert rows["punct"] == {"gold": 2, "guessed": 1, "precision": 0.0, "recall": 0.0, "f1": 0.0}
    assert rows["nsubj"] == {"gold": 2, "guessed": 1, "precision": 1.0, "recall": 0.5, "f1": 2 / 3}
    assert rows["obj"]["gold"] == 0
    assert sum(row["gold"] for row in rows.values()) == 11


def test_arc_lengths() -> None:
    rows = {row.pop("length"): row for row in scored().by_arc_length()}
    assert rows["root"] == {"gold": 2, "guessed": 2, "precision": 1.0, "recall": 1.0, "f1": 1.0}
    # gold: A, was, '.', you, with; guessed: A, was, you, with
    assert (rows["1"]["gold"], rows["1"]["guessed"]) == (5, 4)
    assert (rows["1"]["precision"], rows["1"]["recall"]) == (1.0, 0.8)
    # gold: linnet, did, '?'; guessed: linnet, '.', did
    assert (rows["2"]["gold"], rows["2"]["guessed"]) == (3, 3)
    assert (rows["2"]["precision"], rows["2"]["recall"]) == (2 / 3, 2 / 3)
    assert (rows["3–6"]["gold"], rows["3–6"]["guessed"]) == (1, 2)
    assert list(rows) == ["root", "1", "2", "3–6", "7–14", "15+"]


def test_sentence_lengths() -> None:
    rows = {row.pop("length"): row for row in scored().by_sentence_length()}
    assert rows["1–5"] == {"sentences": 1, "words": 5, "uas": 0.8, "las": 0.8}
    assert rows["6–10"] == {"sentences": 1, "words": 6, "uas": 4 / 6, "las": 3 / 6}
    assert rows["41+"]["sentences"] == 0


def test_nonprojective_arcs() -> None:
    told = scored().nonprojective()  # Who ← with is missed; '.' ← was and '?' ← Who are guessed
    assert (told["gold"], told["guessed"], told["precision"], told["recall"]) == (1, 2, 0.0, 0.0)
    trees = gold()
    told = tree_scores(trees, trees.heads, trees.relations).nonprojective()
    assert (told["gold"], told["guessed"], told["f1"]) == (1, 1, 1.0)


def test_missing_gold_is_not_counted() -> None:
    partial = Trees.from_lists(
        WORDS, [[2, None, 4, 0, 4], [None] * 6], [["det"] + [None] * 4, [None] * 6]
    )
    scores = tree_scores(partial, np.concatenate(GUESSED_HEADS), gold().relations)
    assert (scores.uas, scores.las) == (3 / 4, 1.0)
    assert scores.root_accuracy == 1.0
    assert scores.report()["words"] == 4


def test_roots() -> None:
    trees = gold()
    heads = trees.heads.copy()
    heads[0] = 0  # a second root
    assert tree_scores(trees, heads).root_accuracy == 0.5


def test_interval() -> None:
    scores = scored()
    for metric, value in (("uas", scores.uas), ("las", scores.las)):
        interval = scores.interval(metric, resamples=200)
        assert interval.low <= interval.value == value <= interval.high
        assert interval == scores.interval(metric, resamples=200)
    # Two sentences: any resample is one of these four.
    assert scores.interval("uas").low == pytest.approx(4 / 6)
    assert scores.interval("uas").high == pytest.approx(4 / 5)
    with pytest.raises(ValueError, match="unknown metric 'f1'; known are uas, las"):
        scores.interval("f1")


def test_two_parsers() -> None:
    trees = gold()
    many = trees.take(np.arange(40) % 2)
    better = tree_scores(many, many.heads, many.relations)
    guess = Trees.from_lists(WORDS, GUESSED_HEADS, GUESSED_RELATIONS).take(np.arange(40) % 2)
    worse = tree_scores(many, guess.heads, guess.relations)
    found = worse.versus(better, "uas", resamples=200)
    assert (found.first, found.second) == (worse.uas, 1.0)
    assert 0 < found.difference.low <= found.difference.value <= found.difference.high
    assert found.p < 0.05
    assert worse.versus(worse, resamples=50).p == 1.0
    with pytest.raises(DataError, match="not of the same words"):
        worse.versus(scored())


def test_report_and_table() -> None:
    told = scored().report(resamples=50)
    assert json.loads(json.dumps(told)) == told
    table = tree_table(told)
    assert table.startswith("2 sentences, 11 words\nUAS")
    for text in ("72.73", "63.64", "non-projective", "nsubj", "15+"):
        assert text in table


def test_heads_alone() -> None:
    trees = gold()
    told = tree_scores(trees, trees.heads).report(resamples=50)
    assert told["uas"] == told["exact"] == 1.0
    assert "las" not in told
    assert "by_relation" not in told
    assert "LAS" not in tree_table(told)


def test_sizes_must_agree() -> None:
    with pytest.raises(DataError, match="11 words, but 2 heads and 1 relations"):
        tree_scores(gold(), np.zeros(2, np.int32), LabelColumn(["a"], np.zeros(1, np.int32)))


def test_a_report_of_projective_trees_has_no_row_of_crossing_arcs() -> None:
    trees = gold()
    flat = np.concatenate([[2, 4, 4, 0, 4], np.arange(6)]).astype(np.int32)  # each after the one before
    told = tree_scores(trees, flat, trees.relations).report(resamples=10)
    assert told["nonprojective"]["gold"] == 1
    assert (told["nonprojective"]["guessed"], told["nonprojective"]["precision"]) == (0, None)
    shown = tree_table(told | {"projective": True})
    (line,) = [line for line in shown.splitlines() if "non-projective" in line]
    assert line == (
        "non-projective arcs: 1 in the data, none guessed, since the parser is projective; "
        "0.00 % of these words have the right head all the same"
    )
    crossing = tree_table(tree_scores(trees, trees.heads, trees.relations).report(resamples=10))
    assert any(line.split()[:3] == ["non-projective", "1", "1"] for line in crossing.splitlines())
