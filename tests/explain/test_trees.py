"""Drawings of trees: what stands where, that arcs do not cross in vain, that nothing breaks out."""

import xml.etree.ElementTree as ET

import pytest
from hypothesis import given
from hypothesis import strategies as st

from linnet.data import Trees
from linnet.errors import DataError
from linnet.explain import TreeDrawing

WORDS = ["Who", "did", "you", "see", "with", "?"]
HEADS = [5, 4, 4, 0, 4, 4]
RELATIONS = ["obl", "aux", "nsubj", "root", "case", "punct"]
DRAWN = """\
                     root
 ┌─────────────obl───┼─────────┐
 │    ┌─────aux─────┐│┌───punct┼───┐
 │    │    ┌─nsubj─┐│││┌─case─┐│   │
 ▼    ▼    ▼       ││▼││      ▼│   ▼
Who  did  you       see      with  ?"""


def test_arcs_above_words() -> None:
    drawn = str(TreeDrawing(["A", "linnet", "sings"], [2, 3, 0], ["det", "nsubj", "root"]))
    assert drawn.splitlines() == [
        "                root",
        "┌─det─┐┌─nsubj─┐│",
        "▼     │▼       │▼",
        "A   linnet    sings",
    ]


def test_tags_below_words() -> None:
    tree = TreeDrawing(["A", "linnet"], [2, 0], ["det", "root"], ["DET", "NOUN"])
    assert tree.text().splitlines()[-2:] == [" A   linnet", "DET   NOUN"]


def test_arcs_that_cross() -> None:
    assert TreeDrawing(WORDS, HEADS, RELATIONS).arcs() == DRAWN


def test_outline() -> None:
    assert TreeDrawing(WORDS, HEADS, RELATIONS).text(width=20).splitlines() == [
        "4  see        root",
        "2  ├─ did     aux",
        "3  ├─ you     nsubj",
        "5  ├─ with    case",
        "1  │  └─ Who  obl",
        "6  └─ ?       punct",
    ]


def test_unknown_heads_and_relations() -> None:
    tree = TreeDrawing(["a", "b", "c"], [-1, 1, -1])
    assert tree.arcs().count("▼") == 1
    assert tree.outline().splitlines() == ["1  a", "2  └─ b", "3  c"]
    assert TreeDrawing([], []).text() == ""


def test_wide_and_combining_characters() -> None:
    lines = TreeDrawing(["鳥", "が", "e\u0301"], [3, 1, 0], ["a", "b", "c"]).arcs().splitlines()
    assert lines[-1].split() == ["鳥", "が", "e\u0301"]
    assert len(TreeDrawing(["鳥" * 30] * 2, [2, 0]).text(width=100).splitlines()) == 2


def test_of_trees() -> None:
    trees = Trees.from_lists([[("a", "X")], [("b", "_"), ("c", "_")]], [[0], [2, 0]])
    assert TreeDrawing.of(trees).tags == ["X"]
    second = TreeDrawing.of(trees, 1)
    assert (second.words, second.heads, second.tags) == (["b", "c"], [2, 0], None)


def test_what_is_no_tree() -> None:
    with pytest.raises(DataError, match="no word of the sentence"):
        TreeDrawing(["a", "b"], [2, 1])
    with pytest.raises(DataError, match="2 words, but 1 heads"):
        TreeDrawing(["a", "b"], [0])


def test_nothing_breaks_out() -> None:
    tree = TreeDrawing(["<b>", "\x1b[2J", "a\nb"], [0, 1, 1], ['"&', "</svg>", "x"])
    assert "\x1b" not in tree.text()
    assert len(tree.outline().splitlines()) == 3
    root = ET.fromstring(tree.svg())
    texts = [element.text for element in root.iter("{http://www.w3.org/2000/svg}text")]
    assert {"<b>", "\ufffd[2J", "a\ufffdb", '"&', "</svg>"} <= set(texts)


@st.composite
def trees(draw: st.DrawFn) -> list[int]:
    order = draw(st.permutations(range(1, draw(st.integers(1, 9)) + 1)))
    heads = [0] * len(order)
    for k, word in enumerate(order[1:], 1):
        heads[word - 1] = order[draw(st.integers(0, k - 1))]
    return heads


@given(trees(), st.data())
def test_every_arc_is_there_once(heads: list[int], data: st.DataObject) -> None:
    words = data.draw(st.lists(st.text("abc", min_size=1), min_size=len(heads), max_size=len(heads)))
    relations = [f"R{m}" for m in range(len(heads))]
    tree = TreeDrawing(words, heads, relations)
    drawn = tree.arcs()
    assert drawn.count("▼") == len(heads)
    assert drawn.count("┌") == drawn.count("┐") == len(heads) - 1
    assert all(drawn.count(name) == 1 for name in relations)
    projective = not Trees.from_lists([words], [heads]).nonprojective().any()
    assert projective == ("┼" not in drawn)
    assert len(tree.outline().splitlines()) == len(heads)
    svg = ET.fromstring(tree.svg())
    assert len([*svg.iter("{http://www.w3.org/2000/svg}path")]) == 2 * len(heads)
