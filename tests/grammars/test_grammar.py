"""Grammars: written, read off trees, closed under unary rules, and what is wrong with them."""

import os
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from linnet.errors import DataError
from linnet.formats import parse_brackets, read_brackets
from linnet.grammars import Grammar, word_class
from linnet.grammars.grammar import built
from linnet.grammars.notation import Word

TEXT = """\
# a small one
S -> NP VP [0.9] | VP [0.1]
NP -> 'linnets' [0.5]
  | "wrens" [0.5]
VP -> 'sing' [0.75] \\
  | VP 'and' VP [0.25]
"""


def rules(grammar: Grammar) -> set[str]:
    return {
        f"{left} -> {' '.join(repr(p.text) if isinstance(p, Word) else p for p in right)} [{weight:g}]"
        for left, right, weight in grammar.rules()
    }


def test_what_is_written() -> None:
    grammar = Grammar.from_text(TEXT)
    assert grammar.symbols[grammar.start] == "S"
    assert rules(grammar) == {
        "S -> NP VP [0.9]",
        "S -> VP [0.1]",
        "NP -> 'linnets' [0.5]",
        "NP -> 'wrens' [0.5]",
        "VP -> 'sing' [0.75]",
        "VP -> VP @VP:@=and_VP [0.25]",
        "@VP:@=and_VP -> @=and VP [1]",
        "@=and -> 'and' [1]",
    }
    assert grammar.problems() == []
    assert grammar.sums() == pytest.approx(dict.fromkeys(grammar.symbols, 1.0))
    assert len(grammar) == 8


def test_without_weights() -> None:
    grammar = Grammar.from_text("%start A\nB -> 'b'\nA -> B B B | B")
    assert not grammar.weighted
    assert grammar.symbols[0] == "A"
    assert "[" not in grammar.to_text()
    assert rules(Grammar.from_text(grammar.to_text())) == rules(grammar)


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("", "holds no rules"),
        ("S -> [1.0]", "line 1: a rule of 'S' has an empty right-hand side"),
        ("S -> ''", "line 1: a rule of 'S' has an empty right-hand side"),
        ("S -> A | ", "empty right-hand side"),
        ("S NP VP", "line 1: a rule such as S -> NP VP is wanted"),
        ("'s' -> NP", "a rule such as"),
        ("S -> 'a\n", "is no symbol, 'word', | or [weight]"),
        ("S -> 'a' [0.5] B [0.5]", "'B' stands after a weight"),
        ("S -> A -> B", "a second ->"),
        ("S -> 'a' [x]", "the weight is [x]; a number of 0 or more"),
        ("S -> 'a' [-1]", "the weight is [-1]"),
        ("S -> 'a' [1e999]", "weights of lexical rules must be numbers"),
        ("S -> 'a' [0.5]\nS -> 'b'", "line 2: the rule has no weight, but others have one"),
        ("S -> 'a' | 'b'\n\nS -> 'a'", "line 3: this rule of 'S' was there before, on line 1"),
        ("S -> 'a' | 'a'", "was there before, on line 1"),
        ("S -> 'a' [0.5] | 'b' [0.4]", "the probabilities of 'S' sum to 0.9, not to 1"),
        ("%start X\nS -> 'a'", "the start symbol 'X' has no rule"),
        ("%begin X\nS -> 'a'", "there are %start SYMBOL and %unknown NUMBER"),
    ],
)
def test_mistakes(text: str, told: str) -> None:
    with pytest.raises(DataError) as caught:
        Grammar.from_text(text)
    assert told in str(caught.value)
    assert "the grammar" in str(caught.value) or "weights of" in str(caught.value)


def test_weights_that_are_no_probabilities() -> None:
    grammar = Grammar.from_text("S -> 'a' [2] | 'b' [6]", proper=False)
    assert grammar.problems() == ["the weights of S sum to 8, not to 1"]
    assert grammar.normalised().lexical_weights.tolist() == [0.25, 0.75]
    with pytest.raises(DataError, match="weight 0"):
        Grammar.from_text("S -> 'a' [0]", proper=False).normalised()


def test_useless_rules_and_circles() -> None:
    grammar = Grammar.from_text(
        "S -> A B | A C | D\nA -> 'a'\nB -> 'b'\nE -> 'e'\nD -> S\nC -> C C\nF -> F"
    )
    told = grammar.problems()
    assert told[0] == "symbols that derive no words, whose rules are useless: C, F"
    assert told[1] == "symbols that are never reached from the start, whose rules are useless: E"
    assert told[2] == "unary rules go in a circle: S → D → S"
    assert told[3] == "unary rules go in a circle: F → F"
    less = grammar.reduced()
    assert less.symbols == ["S", "A", "B", "D"]
    assert rules(less) == {"S -> A B [1]", "S -> D [1]", "A -> 'a' [1]", "B -> 'b' [1]", "D -> S [1]"}
    empty = Grammar.from_text("S -> S S")
    assert empty.problems()[-1] == "the start symbol S derives no sentence at all"
    with pytest.raises(DataError, match="derives no sentence"):
        empty.reduced()


names = st.text(st.sampled_from("AB@^>|'\"[]\\#%-é$.:"), min_size=1, max_size=4)
texts = st.text(st.sampled_from("ab '\"\\[]|é#%\u2028\x0b"), min_size=1, max_size=4)


@settings(max_examples=150, deadline=None)
@given(
    st.dictionaries(
        st.tuples(
            names, st.one_of(st.tuples(names), st.tuples(names, names), st.tuples(texts.map(Word)))
        ),
        st.floats(0, 10, allow_nan=False),
        min_size=1,
        max_size=8,
    ),
    st.integers(0, 3),
)
def test_any_names_come_back(found: dict[Any, float], unknown: int) -> None:
    made = [(left, right, weight) for (left, right), weight in found.items()]
    grammar = built(made, made[0][0], unknown=unknown)
    back = Grammar.from_text(grammar.to_text(), proper=False)
    assert [*back.rules()] == [*grammar.rules()]
    assert back.symbols == grammar.symbols
    assert back.unknown == unknown


@pytest.mark.parametrize("rule", [("A B", ("C",)), ("A", (Word("a\nb"),)), ("A", (Word(""),))])
def test_what_a_text_cannot_hold(rule: Any) -> None:
    with pytest.raises(DataError, match="cannot hold"):
        built([(*rule, 1.0)], rule[0]).to_text()


def test_files(tmp_path: Path) -> None:
    grammar = Grammar.from_text(TEXT)
    grammar.write(tmp_path / "g.txt")
    assert [*Grammar.read(tmp_path / "g.txt").rules()] == [*grammar.rules()]
    (tmp_path / "bad.txt").write_bytes(b"\xef\xbb\xbfS -> 'a' [0.5]\r\n")
    with pytest.raises(DataError, match=r"bad.txt: the probabilities of 'S'"):
        Grammar.read(tmp_path / "bad.txt")
    assert rules(Grammar.read(tmp_path / "bad.txt", proper=False)) == {"S -> 'a' [0.5]"}
    with pytest.raises(DataError, match="no such file"):
        Grammar.read(tmp_path / "none.txt")


# ---------------------------------------------------------------------- treebanks

TREES = (
    "(TOP (S (NP (DT the) (NN wren)) (VP (VBZ sings))))\n"
    "(TOP (S (NP-SBJ (NNS wrens)) (VP (VBP sing) (NP (-NONE- *)))))\n"
    "(TOP (NP (DT the) (JJ red) (NN wren)))\n"
)


def test_relative_frequencies() -> None:
    grammar = Grammar.from_trees(parse_brackets(TREES), unknown=0)
    assert rules(grammar) >= {
        f"TOP -> S [{2 / 3:g}]",
        f"TOP -> NP [{1 / 3:g}]",
        "S -> NP VP [1]",
        f"NP -> DT NN [{1 / 3:g}]",
        f"NP -> DT @NP>DT [{1 / 3:g}]",
        "@NP>DT -> JJ NN [1]",
        f"NP -> NNS [{1 / 3:g}]",
        "VP -> VBZ [0.5]",
        "NN -> 'wren' [1]",
        "DT -> 'the' [1]",
    }
    assert grammar.problems() == []
    grammar.check_proper()


def test_settings_of_binary_trees_are_those_of_rules() -> None:
    grammar = Grammar.from_trees(parse_brackets(TREES), vertical=2, horizontal=0, binarise="left")
    assert {"S^TOP", "NP^S", "NP^TOP", "@NP^TOP<"} <= {*grammar.symbols}
    grammar.check_proper()
    kept = Grammar.from_trees(parse_brackets(TREES), clean=False, unknown=0)
    assert "NP-SBJ" in kept.symbols
    with pytest.raises(DataError, match="'S' is a label of the trees"):
        Grammar.from_trees(parse_brackets(TREES), start="S")
    with pytest.raises(DataError, match="no trees with words"):
        Grammar.from_trees(parse_brackets("(S (-NONE- *))"))


def test_trees_with_several_roots_or_none() -> None:
    grammar = Grammar.from_trees(parse_brackets("( (A (X a)) (B (X b)) (X c)) (X c)"), unknown=0)
    assert {"TOP -> A @TOP>A [0.5]", "@TOP>A -> B X [1]", "TOP -> X [0.5]"} <= rules(grammar)


def test_classes_of_rare_words() -> None:
    grammar = Grammar.from_trees(parse_brackets(TREES), unknown=1)
    assert {*grammar.words} == {"the", "wren", "UNK-low", "UNK-low-s", "UNK-low-ing"}

    def found(word: str) -> dict[str, float]:
        return {grammar.symbols[k]: weight for k, weight in grammar.lookup(word)}

    assert found("the") == {"DT": 1.0}
    assert found("rooks") == {"NNS": 1.0, "VBZ": 1.0}  # as wrens and sings
    assert found("tit") == {"JJ": 1.0}  # as red
    everything = {"JJ": 1.0, "NNS": 1.0, "VBP": 1.0, "VBZ": 1.0}
    assert found("finches") == everything  # no rare word in -es, so all in small letters
    assert found("Anna") == everything  # none with a capital, so all
    assert Grammar.from_trees(parse_brackets(TREES), unknown=0).lookup("rooks") == []


@pytest.mark.parametrize(
    ("word", "first", "wanted"),
    [
        ("Anna", False, "UNK-Cap"),
        ("Anna", True, "UNK-First"),
        ("singing", False, "UNK-low-ing"),
        ("12.5", False, "UNK-digits"),
        ("F-16s", False, "UNK-mixed-hyphen"),
        ("--", False, "UNK-signs"),
        ("is", False, "UNK-low"),
        ("I", False, "UNK-Cap"),
        ("", False, "UNK-signs"),
    ],
)
def test_word_classes(word: str, first: bool, wanted: str) -> None:
    assert word_class(word, first) == wanted


# ---------------------------------------------------------------------- unary rules


def test_the_best_chain() -> None:
    grammar = Grammar.from_text(
        "A -> B [0.5] | C [0.4] | 'a' [0.1]\nB -> C [0.9] | 'b' [0.1]\nC -> A [0.2] | 'c' [0.8]"
    )
    best = grammar.closure("best")
    assert best.weight("A", "C") == pytest.approx(0.45)
    assert best.chain("A", "C") == ["A", "B", "C"]
    assert best.weight("C", "B") == pytest.approx(0.1)
    assert best.chain("C", "B") == ["C", "A", "B"]
    assert best.weight("A", "A") == 1
    assert best.chain("B", "B") == ["B"]
    assert best.weight("X", "X") == 1
    total = grammar.closure("sum")
    circle = 0.2 * (0.4 + 0.5 * 0.9)  # from A back to A
    assert total.weight("A", "A") == pytest.approx(1 / (1 - circle))
    with pytest.raises(ValueError, match="best closure"):
        total.chain("A", "C")
    with pytest.raises(ValueError, match="'best' chain or the 'sum'"):
        grammar.closure("worst")


def test_circles_without_bounds_are_told() -> None:
    heavy = Grammar.from_text("A -> B [2] | 'a' [1]\nB -> A [1]", proper=False)
    for kind in ("best", "sum"):
        with pytest.raises(DataError, match="unary rules lead"):
            heavy.closure(kind)
    with pytest.raises(DataError, match="no sum"):
        Grammar.from_text("A -> B [1]\nB -> A [1]", proper=False).closure("sum")
    assert Grammar.from_text("A -> 'a'").closure().names == []


@settings(max_examples=60, deadline=None)
@given(st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3), st.floats(0.01, 0.24)), min_size=1))
def test_closures_are_those_of_all_chains(found: list[tuple[int, int, float]]) -> None:
    unary = {(f"N{a}", (f"N{b}",)): weight for a, b, weight in found}
    made = [(left, right, weight) for (left, right), weight in unary.items()]
    grammar = built([*made, *((f"N{k}", (Word("w"),), 0.1) for k in range(4))], "N0")
    matrix = np.zeros((4, 4))
    for (left, right), weight in unary.items():
        matrix[int(left[1]), int(right[0][1])] = weight
    power, total, best, longest = np.eye(4), np.eye(4), np.eye(4), np.eye(4)
    for _ in range(200):
        power = power @ matrix
        total += power
        longest = (longest[:, :, None] * matrix[None]).max(axis=1)
        best = np.maximum(best, longest)
    for kind, wanted in (("sum", total), ("best", best)):
        closure = grammar.closure(kind)
        for a in range(4):
            for b in range(4):
                got = closure.weight(f"N{a}", f"N{b}")
                assert got == pytest.approx(wanted[a, b], rel=1e-6)
                if kind == "best" and got:
                    chain = closure.chain(f"N{a}", f"N{b}")
                    steps = [matrix[int(x[1]), int(y[1])] for x, y in pairwise(chain)]
                    assert np.prod(steps) == pytest.approx(got)


@pytest.mark.skipif("LINNET_DATA" not in os.environ, reason="LINNET_DATA names no folder of corpora")
def test_the_grammar_of_a_treebank() -> None:
    trees = read_brackets(Path(os.environ["LINNET_DATA"]) / "ptb_sample" / "dev.mrg")
    grammar = Grammar.from_trees(trees, binarise="head", horizontal=1, vertical=2)
    grammar.check_proper()
    assert [*Grammar.from_text(grammar.to_text()).rules()] == [*grammar.rules()]
    assert grammar.reduced().symbols == grammar.symbols
    assert (grammar.closure("sum").weights >= grammar.closure("best").weights - 1e-9).all()
