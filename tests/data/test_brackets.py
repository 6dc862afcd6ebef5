"""Trees of phrases as arrays: nested tuples in and out, cleaning, and what is no tree."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from linnet.data import Brackets, BracketTree, Constituent
from linnet.data.bracket_cleaning import base_label, without_empty
from linnet.data.bracket_spans import depths
from linnet.errors import DataError

PENN = ("", ("S-TPC-1", ("NP-SBJ", ("-NONE-", "*T*-1")), ("VP", ("VB", "go"), ("NP=2", ("NN", "on")))))
labels = st.sampled_from(["S", "NP", "NP-SBJ", "VP=1", "-LRB-", "ADVP|PRT", "X"])
leaves = st.tuples(st.sampled_from(["NN", "-NONE-", "-LRB-", ",", "PRP$"]), st.sampled_from("aé(*"))
nodes = st.recursive(
    st.tuples(labels, leaves),
    lambda inner: st.lists(st.one_of(inner, leaves), min_size=1, max_size=4).flatmap(
        lambda children: labels.map(lambda label: (label, *children))
    ),
    max_leaves=12,
)
trees = st.tuples(st.sampled_from([None, "", "TOP"]), nodes).map(
    lambda pair: pair[1] if pair[0] is None else pair
)
quick = settings(max_examples=100, deadline=None)


@quick
@given(st.lists(trees, max_size=4))
def test_nested_tuples_come_back(nested: list[Any]) -> None:
    made = Brackets.from_nested(nested)
    assert made.nested() == nested
    assert [made[i].nested() for i in range(len(made))] == nested
    assert Brackets.from_trees(made).nested() == nested


@quick
@given(
    st.lists(trees, min_size=1, max_size=4),
    st.fixed_dictionaries(dict.fromkeys(("traces", "functions", "repeats"), st.booleans())),
)
def test_cleaning_again_changes_nothing(nested: list[Any], how: dict[str, bool]) -> None:
    once = Brackets.from_nested(nested).cleaned(**how)
    assert once.cleaned(**how).nested() == once.nested()
    if not how["traces"]:
        assert all("-NONE-" not in tags for tags in once.column("pos"))
    if not how["functions"]:
        assert all(label.startswith("-") or "-" not in label for label in once.labels.names)


@quick
@given(nodes)
def test_depths_are_those_of_brackets(node: Any) -> None:
    made = Brackets.from_nested([node])
    found = []
    open_ = 0
    for event in made[0].events():
        if event is None:
            open_ -= 1
        elif len(event) == 1:
            found.append(open_)
            open_ += 1
    assert depths(made.begins, made.ends, made.starts, made.lengths).tolist() == found


def test_what_is_in_a_tree() -> None:
    tree = BracketTree.from_nested(PENN)
    assert tree.top == ""
    assert tree.leaves() == ["*T*-1", "go", "on"]
    assert tree.spans() == [(0, 3, "S-TPC-1"), (0, 1, "NP-SBJ"), (1, 3, "VP"), (2, 3, "NP=2")]
    assert tree.spans()[2].label == "VP"


def test_cleaning() -> None:
    made = Brackets.from_nested([PENN])
    assert made.cleaned().nested() == [("", ("S", ("VP", ("VB", "go"), ("NP", ("NN", "on")))))]
    assert made.cleaned(functions=True)[0].spans()[0].label == "S-TPC-1"
    assert made.cleaned(traces=True)[0].leaves() == ["*T*-1", "go", "on"]
    assert [base_label(name) for name in ("NP-SBJ", "-RRB-", "S=1-2")] == ["NP", "-RRB-", "S"]


def test_unary_chains_keep_their_order_and_may_be_merged() -> None:
    chain = ("S", ("NP", ("NP", ("QP", ("CD", "two")))))
    made = Brackets.from_nested([chain])
    assert [span.label for span in made[0].spans()] == ["S", "NP", "NP", "QP"]
    merged = made.cleaned(repeats=False)
    assert [span.label for span in merged[0].spans()] == ["S", "NP", "QP"]


def test_a_sentence_of_traces_alone_has_no_words_left() -> None:
    made = Brackets.from_nested([("S", ("-NONE-", "0")), ("S", ("NN", "a"))]).cleaned()
    assert made.lengths.tolist() == [0, 1]
    assert without_empty(made).nested() == [("S", ("NN", "a"))]


def test_partial_trees() -> None:
    tree = BracketTree(["a", "b", "c"], ["X", "Y", "Z"], [Constituent(1, 3, "NP")])
    made = Brackets.from_trees([tree])
    assert made[0].spans() == [(1, 3, "NP")]
    assert str(made[0]) == "( (X a) (NP (Y b) (Z c)))"
    assert made.nested() == [("", ("X", "a"), ("NP", ("Y", "b"), ("Z", "c")))]


@pytest.mark.parametrize(
    ("spans", "told"),
    [
        ([(0, 2, "A"), (1, 3, "B")], "crosses another"),
        ([(0, 4, "A")], "holds no words of a sentence of 3"),
        ([(1, 1, "A")], "holds no words"),
        ([(-1, 1, "A")], "holds no words"),
        ([(1, 2, "A"), (0, 3, "B")], "stands after one"),
        ([(0, 1, "A"), (0, 3, "B")], "stands after one"),
    ],
)
def test_what_is_no_tree_is_told(spans: list[Any], told: str) -> None:
    good = BracketTree(["x"], ["X"], [Constituent(0, 1, "A")])
    bad = BracketTree(["a", "b", "c"], ["X", "Y", "Z"], [Constituent(*span) for span in spans])
    with pytest.raises(DataError, match=f"tree 2: .*{told}"):
        Brackets.from_trees([good, bad])


@quick
@given(st.lists(st.tuples(st.integers(0, 5), st.integers(1, 4)), max_size=6))
def test_crossing_is_found_wherever_it_is(pairs: list[tuple[int, int]]) -> None:
    spans = sorted({(b, min(b + n, 6)) for b, n in pairs if b < 6}, key=lambda s: (s[0], -s[1]))
    crosses = any(a < c < b < d for a, b in spans for c, d in spans)
    tree = BracketTree(["w"] * 6, ["T"] * 6, [Constituent(b, e, "X") for b, e in spans])
    try:
        Brackets.from_trees([tree])
    except DataError:
        assert crosses
    else:
        assert not crosses


@pytest.mark.parametrize(
    "node", ["word", (), ("S",), ("S", "a", "b"), ("S", ("NN", "a"), "b"), (1, "a")]
)
def test_tuples_that_are_no_tree(node: Any) -> None:
    with pytest.raises(DataError, match="tree 1: "):
        Brackets.from_nested([node])


def test_trees_of_nltk() -> None:
    class Tree(list):  # type: ignore[type-arg]
        def __init__(self, label: str, children: list[Any]) -> None:
            super().__init__(children)
            self._label = label

        def label(self) -> str:
            return self._label

    made = Brackets.from_nested([Tree("S", [Tree("NP", [Tree("NN", ["rain"])])])])
    assert made.nested() == [("S", ("NP", ("NN", "rain")))]


def test_parts_and_tags() -> None:
    made = Brackets.from_nested([PENN, ("S", ("NN", "a"), ("VB", "b"))])
    assert made.take([1, 0]).nested() == [made.nested()[1], made.nested()[0]]
    tagged = made.tagged()
    assert tagged.tags() == [["-NONE-", "VB", "NN"], ["NN", "VB"]]
    assert list(tagged.columns) == ["word"]
    assert made.with_tops("TOP")[0].top == "TOP"
    assert made.with_tops(None)[0].top is None
    with pytest.raises(IndexError, match="2 trees"):
        made[2]
    with pytest.raises(DataError, match="ends"):
        replace(made, ends=np.zeros(0, np.int64))


def test_printing_is_narrow_and_stays_so() -> None:
    tree = BracketTree.from_nested(
        ("S", *[("NP", ("DT", "the"), ("NN", f"linnet{k}")) for k in range(6)])
    )
    lines = str(tree).split("\n")
    assert lines[0] == "(S"
    assert lines[1] == "  (NP (DT the) (NN linnet0))"
    assert len(lines) == 7
    deep = BracketTree(["w"], ["T"], [Constituent(0, 1, "X")] * 10_000)
    assert max(map(len, str(deep).split("\n")[:-1])) < 90
