"""Trees of lists: what is one, what is not, and which of their arcs are non-projective."""

from dataclasses import replace
from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from linnet.data import LabelColumn, Trees
from linnet.data.heads import first_problem, nonprojective_arcs, short_relations
from linnet.errors import DataError

WORDS = [["a", "linnet", "sings"], ["chirr", "!"]]


def made(*sentences: list[int], roots: str = "one") -> Trees:
    return Trees.from_lists([["w"] * len(heads) for heads in sentences], sentences, roots=roots)


def test_lists_come_back() -> None:
    trees = Trees.from_lists(WORDS, [[2, 3, 0], [0, 1]], [["det", "nsubj", "root"], ["root", None]])
    assert trees.head_lists() == [[2, 3, 0], [0, 1]]
    assert trees.relation_lists() == [["det", "nsubj", "root"], ["root", None]]
    assert trees.column("form") == trees.column("word") == WORDS
    assert trees.relations.codes.tolist() == [0, 1, 2, 2, -1]
    assert (len(trees), trees.tokens, trees.complete) == (2, 5, True)
    assert trees.offsets.tolist() == [0, 3, 5]


def test_heads_of_any_integer_type() -> None:
    trees = Trees.from_lists(WORDS)
    other = replace(trees, heads=np.array([2, 3, 0, 0, 1]))
    assert other.heads.dtype == np.int32


def test_tokens_may_be_tuples_and_dicts() -> None:
    pairs = Trees.from_lists([[("a", "DET"), ("linnet", "NOUN")]])
    assert pairs.column("upos") == [["DET", "NOUN"]]
    assert not pairs.complete
    dicts = Trees.from_lists([[{"form": "a", "lemma": "a"}, {"lemma": "sing", "form": "sings"}]])
    assert dicts.column("lemma") == [["a", "sing"]]
    with pytest.raises(DataError, match="tokens need a form; they have upos"):
        Trees.from_lists([[{"upos": "DET"}]])
    with pytest.raises(DataError, match="the first one has form, upos"):
        Trees.from_lists([[{"form": "a", "upos": "DET"}, {"form": "b"}]])


def test_take_and_other_columns() -> None:
    trees = Trees.from_lists(WORDS, [[2, 3, 0], [0, 1]], [["det", "nsubj", "root"], ["root", "punct"]])
    turned = trees.take([1, 0])
    assert turned.head_lists() == [[0, 1], [2, 3, 0]]
    assert turned.relation_lists() == trees.relation_lists()[::-1]
    tagged = trees.with_columns(upos=[["DET", "NOUN", "VERB"], ["INTJ", "PUNCT"]])
    assert tagged.column("upos")[1] == ["INTJ", "PUNCT"]
    with pytest.raises(DataError, match="sentence 2 has 2 tokens, but 1 upos"):
        trees.with_columns(upos=[["DET", "NOUN", "VERB"], ["INTJ"]])


@pytest.mark.parametrize(
    ("heads", "message"),
    [
        ([[0], [2, 4, 2]], "sentence 2, word 2: the head of word 2 is 4, but the sentence has 3 words"),
        ([[0, -2]], "sentence 1, word 2: the head of word 2 is -2, but"),
        ([[0, 1], [0, 1, 0]], "sentence 2, word 3: word 3 is a second root beside word 1; one"),
        ([[0], [2, 1]], "sentence 2, word 1: no word of the sentence is its root"),
        ([[0], [3, 0, 4, 3]], "sentence 2, word 3: the heads make a cycle: 3 → 4 → 3"),
        ([[4, 0, 1, 3]], "sentence 1, word 1: the heads make a cycle: 1 → 4 → 3 → 1"),
        ([[0, 2]], "sentence 1, word 2: word 2 is its own head"),
        ([[-1, 2]], "sentence 1, word 2: word 2 is its own head"),
    ],
)
def test_what_is_no_tree(heads: list[list[int]], message: str) -> None:
    with pytest.raises(DataError, match="^" + message):
        made(*heads)


def test_several_roots_on_request() -> None:
    assert made([0, 1, 0], roots="many").head_lists() == [[0, 1, 0]]
    with pytest.raises(ValueError, match="'one' or 'many'"):
        made([0], roots="two")


def test_sizes_must_agree() -> None:
    with pytest.raises(DataError, match="sentence 1 has 3 tokens, but 1 heads"):
        Trees.from_lists(WORDS, [[0], [0, 1]])
    with pytest.raises(DataError, match="2 sentences, but relations for 1"):
        Trees.from_lists(WORDS, relations=[["det", "nsubj", "root"]])


def is_tree(heads: tuple[int, ...]) -> bool:
    """What is known can be completed: one root, and nobody is his own ancestor."""
    for start in range(1, len(heads) + 1):
        at, steps = start, 0
        while at > 0 and steps <= len(heads):
            at, steps = heads[at - 1], steps + 1
        if at > 0:
            return False
    return heads.count(0) == 1 or (heads.count(0) == 0 and -1 in heads)


@pytest.mark.parametrize("size", [1, 2, 3, 4])
def test_all_small_heads(size: int) -> None:
    for heads in product(range(-1, size + 1), repeat=size):
        found = first_problem(np.array(heads, np.int32), np.array([0, size]), one_root=True)
        assert (found is None) == is_tree(heads), heads


def crossing(heads: list[int]) -> list[bool]:
    def ancestors(token: int) -> set[int]:
        out = {token}
        while token > 0:
            token = heads[token - 1]
            out.add(token)
        return out

    return [
        any(head not in ancestors(k) for k in range(min(m, head) + 1, max(m, head)))
        for m, head in enumerate(heads, 1)
    ]


@st.composite
def random_tree(draw: st.DrawFn) -> list[int]:
    """Each word's head is one that was drawn before it, in a random order."""
    order = draw(st.permutations(range(1, draw(st.integers(1, 9)) + 1)))
    heads = [0] * len(order)
    for k, word in enumerate(order[1:], 1):
        heads[word - 1] = order[draw(st.integers(0, k - 1))]
    return heads


@given(st.lists(random_tree(), min_size=1, max_size=4))
def test_nonprojective_arcs_by_definition(sentences: list[list[int]]) -> None:
    trees = made(*sentences)
    expected = [flag for heads in sentences for flag in crossing(heads)]
    assert trees.nonprojective().tolist() == expected
    assert trees.statistics()["nonprojective_arcs"] == sum(expected)


def test_nonprojective_arcs_of_guesses_with_cycles() -> None:
    heads = np.array([3, 4, 1, 0, 2], np.int32)
    assert len(nonprojective_arcs(heads, np.array([0, 5]))) == 5


def test_notes_and_statistics() -> None:
    trees = made([3, 4, 0, 3], [0, -1])  # 3 → 1 has 2 below it, whose head is 4, which is below 3
    assert trees.nonprojective().tolist() == [False, True, False, False, False, False]
    assert trees.notes == (
        "the trees: 1 of 6 words have no head",
        "the trees: 1 arcs in 1 of 2 sentences are non-projective",
    )
    assert trees.statistics()["longest"] == 4


def test_relations_without_subtypes() -> None:
    column = LabelColumn(["acl", "acl:relcl", "nsubj:pass"], np.array([1, 0, 2, -1], np.int32))
    short = short_relations(column)
    assert short.names == ["acl", "nsubj"]
    assert short.codes.tolist() == [0, 0, 1, -1]
