"""Brackets are counted by evalb's rules: case by case, and against a plain count."""

import os
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from linnet.data import Brackets, BracketTree
from linnet.errors import DataError
from linnet.evaluation import COLLINS, EvalbRules, bracket_scores, bracket_table
from linnet.formats import parse_brackets, read_brackets


def scores(gold: str, guess: str, rules: EvalbRules = COLLINS) -> Any:
    return bracket_scores(parse_brackets(gold), parse_brackets(guess), rules)


def counts(gold: str, guess: str) -> tuple[int, ...]:
    """Gold, guessed and matched brackets, matched spans, crossing ones, words and right tags."""
    found = scores(gold, guess)
    names = ("gold", "guessed", "matched", "unlabelled", "crossing", "words", "right_tags")
    return tuple(int(getattr(found, name).sum()) for name in names)


CASES = {
    "a label is wrong": (
        "(S (NP (DT a) (NN b)) (VP (VB c)))",
        "(S (NP (DT a) (NN b)) (PP (VB c)))",
        (3, 3, 2, 3, 0, 3, 3),
    ),
    "a bracket is missing, another too many": (
        "(S (NP (DT a) (NN b)) (VP (VB c)))",
        "(S (DT a) (VP (NN b) (VB c)))",
        (3, 2, 1, 1, 1, 3, 3),
    ),
    "punctuation is taken out, so that it may hang anywhere": (
        "(S (NP (NN a) (, ,)) (VP (VB b)) (. .))",
        "(S (NP (NN a)) (VP (, ,) (VB b) (. .)))",
        (3, 3, 3, 3, 0, 2, 2),
    ),
    "quotes and colons are punctuation, brackets and the dollar are not": (
        "(S (`` ``) (NN a) (: --) ('' '') (-LRB- -LRB-) ($ $) (-RRB- -RRB-))",
        "(S (`` ``) (NN a) (: --) ('' '') (-LRB- -LRB-) ($ $) (-RRB- -RRB-))",
        (1, 1, 1, 1, 0, 4, 4),
    ),
    "a bracket of punctuation alone is gone": (
        "(S (NN a) (PRN (: --)))",
        "(S (NN a) (: --))",
        (1, 1, 1, 1, 0, 1, 1),
    ),
    "TOP is not counted, wherever it stands": (
        "(TOP (S (NN a)))",
        "(TOP (S (TOP (NN a))))",
        (1, 1, 1, 1, 0, 1, 1),
    ),
    "the bracket around a tree is not counted, whatever its name": (
        "( (S (NN a) (VB b)))",
        "(ROOT (S (NN a) (VB b)))",
        (1, 1, 1, 1, 0, 2, 2),
    ),
    "traces are taken out, and what held nothing else": (
        "(S (NP-SBJ (-NONE- *)) (VP (TO to) (VB go)))",
        "(S (VP (TO to) (VB go)))",
        (2, 2, 2, 2, 0, 2, 2),
    ),
    "functions and indices are not compared": (
        "(S-TPC-1 (NP-SBJ=2 (NN a)) (VP (VB b)))",
        "(S (NP (NN a)) (VP-PRD (VB b)))",
        (3, 3, 3, 3, 0, 2, 2),
    ),
    "ADVP and PRT are one": (
        "(VP (VB a) (PRT (RP up)))",
        "(VP (VB a) (ADVP (RB up)))",
        (2, 2, 2, 2, 0, 2, 1),
    ),
    "one bracket of two that are the same matches one": (
        "(S (NP (NP (NN a))) (VB b))",
        "(S (NP (NN a)) (VB b))",
        (3, 2, 2, 2, 0, 2, 2),
    ),
    "and two match two": (
        "(S (NP (NP (NN a))) (VB b))",
        "(S (NP (NP (NP (NN a)))) (VB b))",
        (3, 4, 3, 3, 0, 2, 2),
    ),
    "the order of a unary chain does not matter": (
        "(S (VP (VB a)))",
        "(VP (S (VB a)))",
        (2, 2, 2, 2, 0, 1, 1),
    ),
    "wrong tags are no wrong brackets": (
        "(S (NP (NN a)) (VP (VB b)))",
        "(S (NP (JJ a)) (VP (NN b)))",
        (3, 3, 3, 3, 0, 2, 0),
    ),
    "a guessed bracket crosses once, be it with several": (
        "(S (A (X a) (B (X b) (X c))) (C (X d) (X e)))",
        "(S (X a) (X b) (D (X c) (X d)) (X e))",
        (4, 2, 1, 1, 1, 5, 5),
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_rules(name: str) -> None:
    gold, guess, wanted = CASES[name]
    assert counts(gold, guess) == wanted


def test_figures_are_sums_over_sentences() -> None:
    gold = "(S (NP (NN a)) (VP (VB b)))\n(S (X a) (Y b) (Z c))\n"
    guess = "(S (NP (NN a)) (VP (VB b)))\n(S (A (X a) (Y b)) (Q c))\n"
    found = scores(gold, guess)
    told = found.figures()
    assert (told["gold"], told["guessed"], told["matched"]) == (4, 5, 4)
    assert found.precision == pytest.approx(4 / 5)
    assert found.recall == 1
    assert found.f1 == pytest.approx(8 / 9)
    assert found.exact == 0.5
    assert told["tagging_accuracy"] == pytest.approx(4 / 5)
    assert told["no_crossing"] == told["two_or_fewer_crossing"] == 1


def test_crossing_brackets() -> None:
    gold = "(S (A (X a) (X b)) (A (X c) (X d)) (A (X e) (X f)) (A (X g) (X h)))"
    guess = "(S (X a) (A (X b) (X c)) (A (X d) (X e)) (A (X f) (X g)) (X h))"
    found = scores(f"{gold}\n{gold}", f"{guess}\n{gold}")
    assert found.crossing.tolist() == [3, 0]
    assert found.average_crossing == 1.5
    assert found.crossing_at_most(0) == found.crossing_at_most(2) == 0.5


def test_sentences_that_evalb_leaves_out_are_named() -> None:
    gold = "(S (NN a))\n(S (NN a) (NN b))\n(S (NN a) (, ,))\n(S (NN a))\n(S (NN a))"
    guess = "(S (NN b))\n(S (NN a))\n(S (NN a) (NN ,))\n(S (. a))\n(S (NN a))"
    found = scores(gold, guess)
    assert found.figures()["not_scored"] == {
        "no words": 1,
        "another number of words": 2,
        "other words": 1,
    }
    assert found.scored.tolist() == [False, False, False, False, True]
    assert found.figures()["sentences"] == 5
    assert found.f1 == found.exact == 1
    assert "not scored: 1 with no words, 2 with another" in bracket_table(found.report(20))


def test_length_counts_punctuation_but_no_traces() -> None:
    words = " ".join("(NN a)" for _ in range(39))
    for last, short in ((" (. .)", 1), (" (. .) (-NONE- *)", 1), (" (. .) (. .)", 0)):
        found = scores(f"(S {words}{last})", f"(S {words}{last})")
        assert found.short().figures()["scored"] == short
        assert found.figures()["scored"] == 1
    rules = EvalbRules(longest=3)
    found = scores(
        "(S (NN a))\n(S (NN a) (NN b) (NN c) (NN d))",
        "(S (NN a))\n(X (NN a) (NN b) (NN c) (NN d))",
        rules,
    )
    assert (found.f1, found.short().f1) == (0.5, 1.0)


def test_rules_may_be_others() -> None:
    same = EvalbRules(equal_words=(("A", "a"),))
    assert scores("(S (NN A))", "(S (NN a))", same).f1 == 1
    assert scores("(S (NN A))", "(S (NN a))").figures()["not_scored"] == {"other words": 1}
    rules = EvalbRules(deleted=frozenset(), equal=())
    found = scores("(S (PRT (RP a)) (. .))", "(S (ADVP (RP a)) (. .))", rules)
    assert (found.words.sum(), found.matched.sum(), found.unlabelled.sum()) == (2, 1, 2)


def test_another_number_of_trees_is_refused() -> None:
    with pytest.raises(DataError, match="1 gold trees, but 2 guessed"):
        scores("(S (NN a))", "(S (NN a)) (S (NN b))")


# ---------------------------------------------------------------------- a plain count

labels = st.sampled_from(["S", "NP", "NP-SBJ", "PRT", "ADVP", "TOP"])


@st.composite
def pairs(draw: Any) -> list[tuple[Any, Any]]:
    """Two trees each over the same words."""
    out = []
    for _ in range(draw(st.integers(1, 3))):
        size = draw(st.integers(1, 7))
        tags = draw(st.lists(st.sampled_from(["NN", "-NONE-", ",", "."]), min_size=size, max_size=size))
        out.append(tuple(_tree(draw, tags) for _ in range(2)))
    return out


def _tree(draw: Any, tags: list[str]) -> Any:
    nodes: list[Any] = [(tag, f"w{k}") for k, tag in enumerate(tags)]
    for _ in range(draw(st.integers(0, 6))):
        begin = draw(st.integers(0, len(nodes) - 1))
        end = draw(st.integers(begin + 1, len(nodes)))
        nodes[begin:end] = [(draw(labels), *nodes[begin:end])]
    return ("", *nodes)


def plain(tree: BracketTree) -> tuple[list[str], list[tuple[int, int, str]]]:
    """Words and brackets that are left, one by one."""
    kept = [k for k, tag in enumerate(tree.tags) if tag not in COLLINS.deleted]
    found = []
    for begin, end, label in tree.spans():
        inside = [n for n, k in enumerate(kept) if begin <= k < end]
        name = label.split("-")[0]
        if inside and name != "TOP":
            found.append((inside[0], inside[-1] + 1, "ADVP" if name == "PRT" else name))
    return [tree.words[k] for k in kept], found


@settings(max_examples=150, deadline=None)
@given(pairs())
def test_a_plain_count_is_the_same(nested: list[tuple[Any, Any]]) -> None:
    gold, guess = (Brackets.from_nested([pair[k] for pair in nested]) for k in (0, 1))
    found = bracket_scores(gold, guess)
    for i, (ours, theirs) in enumerate(zip(gold, guess, strict=True)):
        (words, first), (_, second) = plain(ours), plain(theirs)
        if not words:
            assert found.status[i] == 1
            continue
        assert (found.gold[i], found.guessed[i]) == (len(first), len(second))
        for cut, got in ((3, found.matched[i]), (2, found.unlabelled[i])):
            left = [span[:cut] for span in first]
            matched = 0
            for span in second:
                if span[:cut] in left:
                    left.remove(span[:cut])
                    matched += 1
            assert got == matched
        crossing = sum(any(g < b < h < e or b < g < e < h for g, h, _ in first) for b, e, _ in second)
        assert found.crossing[i] == crossing


@settings(max_examples=50, deadline=None)
@given(pairs())
def test_the_other_way_round(nested: list[tuple[Any, Any]]) -> None:
    gold, guess = (Brackets.from_nested([pair[k] for pair in nested]) for k in (0, 1))
    one, other = bracket_scores(gold, guess), bracket_scores(guess, gold)
    assert (one.precision, one.recall) == (other.recall, other.precision)
    assert (one.f1, one.exact) == (other.f1, other.exact)
    same = bracket_scores(gold, gold.cleaned())
    told = same.figures()
    if told["gold"]:
        assert told["precision"] == told["recall"] == told["f1"] == told["exact"] == 1
    assert told["average_crossing"] == 0


# ---------------------------------------------------------------------- how sure


def test_intervals_and_differences() -> None:
    gold = parse_brackets("(S (NP (NN a)) (VP (VB b)))\n" * 30)
    good = parse_brackets("(S (NP (NN a)) (VP (VB b)))\n" * 25 + "(S (X (NN a)) (VP (VB b)))\n" * 5)
    bad = parse_brackets(
        "(S (NP (NN a)) (VP (VB b)))\n" * 5 + "(S (NN a) (VB b))\n" * 24 + "(S (NN x))\n"
    )
    first, second = bracket_scores(gold, good), bracket_scores(gold, bad)
    around = first.interval("f1", resamples=200)
    assert around.low <= around.value <= around.high
    assert around.value == pytest.approx(first.f1)
    found = first.versus(second, "f1", resamples=200)
    assert found.difference.value < 0
    assert found.p < 0.05
    assert found.first == pytest.approx(first.take(second.scored).f1)  # of sentences scored in both
    with pytest.raises(DataError, match="not of the same sentences"):
        first.versus(second.take([0]))


def test_the_table_tells_labels_by_frequency() -> None:
    found = scores("(S (NP (NN a)) (NP (NN b)))", "(S (NP (NN a)) (VP (NN b)))")
    lines = bracket_table(found.report(50)).split("\n")
    assert lines[0] == "1 sentences, 2 words, 3 brackets"
    assert [line.split()[0] for line in lines[-3:]] == ["NP", "S", "VP"]
    assert lines[-3].split()[1:] == ["2", "1", "100.00", "50.00", "66.67"]


@pytest.mark.skipif("LINNET_DATA" not in os.environ, reason="LINNET_DATA names no folder of corpora")
def test_a_treebank_against_itself() -> None:
    gold = read_brackets(Path(os.environ["LINNET_DATA"]) / "ptb_sample" / "dev.mrg")
    found = bracket_scores(gold, gold.cleaned())
    assert found.scored.all()
    assert found.f1 == found.exact == found.tagging_accuracy == 1
