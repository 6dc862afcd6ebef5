"""Drawn trees of phrases: nothing overlaps, nothing commands a terminal."""

import xml.etree.ElementTree as ET
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st
from rich.cells import cell_len

from linnet.data import Brackets, BracketTree, Constituent
from linnet.explain import BracketDrawing

SENTENCE = ("TOP", ("S", ("NP", ("DT", "A"), ("NN", "linnet")), ("VP", ("VBZ", "sings")), (".", ".")))
WANTED = """\
           S
   ┌───────┴──┬────┐
   NP         VP   │
┌──┴──┐       │    │
DT    NN     VBZ   .
A   linnet  sings  ."""


def drawn(node: Any) -> BracketDrawing:
    return BracketDrawing(BracketTree.from_nested(node))


def test_lines_from_labels_to_words() -> None:
    assert drawn(SENTENCE[1]).text() == WANTED


def test_an_outline() -> None:
    assert drawn(SENTENCE).outline() == (
        "TOP\n└─ S\n   ├─ NP\n   │  ├─ DT A\n   │  └─ NN linnet\n   ├─ VP\n   │  └─ VBZ sings\n"
        "   └─ . ."
    )


def test_what_is_too_wide_is_an_outline() -> None:
    wide = drawn(("S", *[("NN", "linnet")] * 20))
    assert wide.text() == wide.outline()
    assert wide.text(width=300) == wide.branches()


def test_a_bracket_without_a_label_is_not_drawn() -> None:
    assert drawn(("", SENTENCE[1])).text() == drawn(SENTENCE[1]).text()
    two = drawn(("", ("A", ("X", "a")), ("B", ("X", "b"))))
    assert two.text() == "A  B\n│  │\nX  X\na  b"
    assert two.outline() == "A\n└─ X a\nB\n└─ X b"


def test_nothing_commands_a_terminal() -> None:
    odd = drawn(("S\x1b[31m", ("N\nN", "a\u202eb")))
    for text in (odd.text(), odd.outline(), odd.svg()):
        assert "\x1b" not in text
        assert "\u202e" not in text
    assert len(odd.text().split("\n")) == 4


labels = st.sampled_from(["S", "NP", "X", "A-LONG-LABEL", "日本"])
leaves = st.tuples(
    st.sampled_from(["N", "TAG", "VVVVV"]), st.sampled_from(["a", "linnets", "日本語", "<&>"])
)
nodes = st.recursive(
    st.tuples(labels, leaves),
    lambda inner: st.lists(st.one_of(inner, leaves), min_size=1, max_size=4).flatmap(
        lambda children: labels.map(lambda label: (label, *children))
    ),
    max_leaves=10,
)


@settings(max_examples=80, deadline=None)
@given(nodes)
def test_every_text_is_seen_whole(node: Any) -> None:
    drawing = drawn(node)
    tree = drawing.tree
    texts = [*tree.words, *tree.tags, *(span.label for span in tree.spans())]
    text = drawing.branches()
    found = sorted(piece for line in text.split("\n") for piece in line.split() if piece[0] not in "│┌")
    assert found == sorted(texts)
    assert len({cell_len(line) for line in text.split("\n")[-1:]}) == 1
    shown = [element.text for element in ET.fromstring(drawing.svg()).iter() if "text" in element.tag]
    assert sorted(map(str, shown)) == sorted(texts)
    assert len(drawing.outline().split("\n")) == len(tree.spans()) + len(tree.words)


def test_nesting_without_end() -> None:
    deep = BracketTree(["w"], ["T"], [Constituent(0, 1, "X")] * 10_000)
    drawing = BracketDrawing.of(Brackets.from_trees([deep]))
    assert max(map(len, drawing.outline().split("\n"))) < 130
    assert drawing.text().count("X") == 10_000
    assert drawing.svg().count("<line") == 10_000
