"""Brackets of two trees side by side: their numbers are those of evalb's counts."""

import numpy as np
import pytest

from linnet.evaluation import bracket_scores
from linnet.evaluation.bracket_pairs import NONE, BracketPairs, bracket_pairs
from linnet.formats import parse_brackets


def pairs(gold: str, guess: str) -> BracketPairs:
    trees = parse_brackets(gold), parse_brackets(guess)
    return bracket_pairs(*trees, bracket_scores(*trees))


def named(found: BracketPairs) -> list[tuple[str, str]]:
    names = [*found.names, "-"]
    both = zip(found.gold_labels, found.guessed_labels, strict=True)
    return [(names[a], names[b]) for a, b in both]


@pytest.mark.parametrize(
    ("gold", "guess", "wanted"),
    [
        ("(S (NP (NN a)) (VP (VB b)))", "(S (NP (NN a)) (NP (VB b)))", [("VP", "NP")]),
        ("(S (NP (NN a)) (VP (VB b)))", "(S (NN a) (VP (VB b)))", [("NP", "-")]),
        ("(S (NN a) (VP (VB b)))", "(S (NP (NN a)) (VP (VB b)))", [("-", "NP")]),
        # Of labels over the same words those that are right are pairs, whatever stands around them.
        ("(S (VP (VB a) (RB b)))", "(NP (S (VP (VB a) (RB b))))", [("-", "NP")]),
        ("(S (VP (VB a) (RB b)))", "(S (NP (VB a) (RB b)))", [("VP", "NP")]),
        # Functions and punctuation do not count.
        ("(S (NP-SBJ (NN a) (, ,)) (VP (VB b)))", "(S (NP (NN a)) (, ,) (VP (VB b)))", []),
    ],
)
def test_what_was_said_instead(gold: str, guess: str, wanted: list[tuple[str, str]]) -> None:
    found = pairs(gold, guess)
    assert [pair for pair in named(found) if pair[0] != pair[1]] == wanted


def test_places_lead_to_the_brackets() -> None:
    gold, guess = "(S (NP (NN a)) (VP (VB b)))\n(X (NN c))", "(S (NN a) (PP (VB b)))\n(X (NN c))"
    found, trees = pairs(gold, guess), parse_brackets(guess)
    wrong = found.wrong_of(0)
    assert found.sentences.tolist() == [0, 0, 0, 1]
    assert found.wrong_of(1).tolist() == []
    said = [int(found.guess[k]) for k in wrong]
    assert said == [NONE, 1]
    assert trees.labels.values()[said[1]] == "PP"


def test_counts_are_those_of_the_scores() -> None:
    labels = np.random.default_rng(0)

    def tree(depth: int) -> str:
        name = labels.choice(["NP", "VP", "S"])
        if not depth or labels.random() < 0.3:
            return f"({name} (NN w) (NN w))"
        return (
            f"({name} {tree(depth - 1)} (, ,) {tree(depth - 1)})"
            if depth == 3
            else (f"({name} {tree(0)} {tree(0)})")
        )

    gold = [tree(2) for _ in range(40)]
    guess = [tree(2) for _ in range(40)]
    trees = parse_brackets("\n".join(gold)), parse_brackets("\n".join(guess))
    scores = bracket_scores(*trees)
    assert 0 < scores.scored.sum() < 40
    found = bracket_pairs(*trees, scores)
    assert (found.gold != NONE).sum() == scores.gold.sum()
    assert (found.guess != NONE).sum() == scores.guessed.sum()
    assert found.right.sum() == scores.matched.sum()
    spans = ((found.gold != NONE) & (found.guess != NONE)).sum()
    assert spans == scores.unlabelled.sum()
