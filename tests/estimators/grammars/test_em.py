"""Inside–outside EM: expected counts by differences, and a likelihood that never falls."""

import warnings

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from linnet import Grammar, GrammarParser
from linnet.data.bracket_tree import BracketTree, Constituent
from linnet.data.brackets import Brackets

from .test_parser import GRAMMAR, every_tree

WORDS = ["wrens", "linnets", "the", "tree", "wren", "see", "sing", "in"]


def random_grammar(seed: int) -> Grammar:
    """Symbols S, A, B, each with binary, unary and lexical rules, in circles too."""
    rng = np.random.default_rng(seed)
    names = ["S", "A", "B"]
    lines = []
    for left in names:
        sides = [f"{b} {c}" for b in names for c in names if rng.random() < 0.4]
        sides += [b for b in names if rng.random() < 0.3]
        sides += [f"'{w}'" for w in "xyz" if rng.random() < 0.7] or ["'x'"]
        shares = rng.dirichlet(np.ones(len(sides)))
        lines += [f"{left} -> {side} [{share:.12f}]" for side, share in zip(sides, shares, strict=True)]
    return Grammar.from_text("\n".join(lines), proper=False)


@settings(max_examples=40, deadline=None)
@given(seed=st.integers(0, 10**6), smoothing=st.sampled_from([0.0, 0.5]))
def test_the_objective_never_rises(seed: int, smoothing: float) -> None:
    rng = np.random.default_rng(seed)
    sentences = [["xyz"[k] for k in rng.integers(0, 3, rng.integers(1, 6))] for _ in range(6)]
    grammar = random_grammar(seed)
    parser = GrammarParser(
        grammar, "em", smoothing=smoothing, rule_smoothing=smoothing, max_iter=8, tol=0.0, chains=3
    )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        try:
            parser.fit(sentences)
        except ValueError as error:
            assert "for none of the sentences" in str(error)  # noqa: PT017
            return
    falls = np.diff([epoch.objective for epoch in parser.record_.epochs])
    assert (falls <= 1e-9 * np.abs(parser.record_.epochs[0].objective)).all()


def test_one_step_is_the_expected_counts_of_all_trees() -> None:
    sentences = [["wrens", "see", "linnets", "in", "the", "tree"], ["linnets", "sing"]]
    parser = GrammarParser(GRAMMAR, "em", smoothing=0.0, max_iter=1, tol=0.0).fit(sentences)
    counts: dict[tuple[str, str], float] = {}

    def add(nested: tuple, share: float) -> None:
        side = nested[1] if isinstance(nested[1], str) else " ".join(c[0] for c in nested[1:])
        counts[nested[0], side] = counts.get((nested[0], side), 0.0) + share
        for child in nested[1:]:
            if not isinstance(child, str):
                add(child, share)

    for words in sentences:
        trees = every_tree(GRAMMAR, words)
        total = sum(p for p, _ in trees)
        for p, nested in trees:
            add(nested, p / total)
    sums: dict[str, float] = {}
    for (left, _), count in counts.items():
        sums[left] = sums.get(left, 0.0) + count
    for left, right, weight in parser.grammar_.rules():
        side = " ".join(part if isinstance(part, str) else part.text for part in right)
        assert weight == pytest.approx(counts.get((left, side), 0.0) / sums[left], abs=1e-9)


def test_partial_brackets_guide_it() -> None:
    """With brackets around the noun with its place, that is what is learnt; without them it is not."""
    words = ["wrens", "see", "linnets", "in", "the", "tree"]
    learnt = {}
    for kind in ("NP", "VP"):
        span = (2, 6, "NP") if kind == "NP" else (1, 3, "VP")
        tree = BracketTree(words, [""] * 6, [Constituent(*span)])
        parser = GrammarParser(GRAMMAR, "em", smoothing=0.0, max_iter=30, clean=False)
        learnt[kind] = parser.fit(Brackets.from_trees([tree])).predict([words])[0]
        assert span in [tuple(each) for each in learnt[kind].spans()]
    assert str(learnt["NP"]) != str(learnt["VP"])
