"""Binary trees: at most two children everywhere, and back without a loss."""

import os
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from linnet.data import Brackets
from linnet.errors import DataError
from linnet.formats import parse_brackets, read_brackets
from linnet.grammars import COLLINS_HEADS, binarise, debinarise
from linnet.grammars.binarising import family

labels = st.sampled_from(["S", "NP", "VP", "NP-SBJ", "X"])
leaves = st.tuples(st.sampled_from(["NN", "VB", ",", "@", "CC"]), st.sampled_from("ab"))
nodes = st.recursive(
    st.tuples(labels, leaves),
    lambda inner: st.lists(st.one_of(inner, leaves), min_size=1, max_size=6).flatmap(
        lambda children: labels.map(lambda label: (label, *children))
    ),
    max_leaves=14,
)
ways = st.fixed_dictionaries(
    {
        "direction": st.sampled_from(["right", "left", "head"]),
        "horizontal": st.sampled_from([None, 0, 1, 2]),
        "vertical": st.integers(1, 3),
        "tags": st.booleans(),
    }
)


@settings(max_examples=200, deadline=None)
@given(st.lists(nodes, min_size=1, max_size=3), ways, st.sampled_from([None, "", "TOP"]))
def test_there_and_back(nested: list[Any], how: dict[str, Any], top: str | None) -> None:
    trees = Brackets.from_nested(nested).with_tops(top)
    made = binarise(trees, **how)
    for tree in made:
        assert all(len(own) <= 2 for own in family(tree)[0])
    back = debinarise(made, tags=how["tags"])
    assert back.nested() == trees.nested()
    assert [tree.top for tree in back] == [top] * len(nested)


TREE = "(S (NP (DT a) (JJ b) (JJ c) (NN d)))"


@pytest.mark.parametrize(
    ("how", "wanted"),
    [
        ({}, "(S (NP (DT a) (@NP>DT (JJ b) (@NP>DT_JJ (JJ c) (NN d)))))"),
        ({"horizontal": 1}, "(S (NP (DT a) (@NP>DT (JJ b) (@NP>JJ (JJ c) (NN d)))))"),
        ({"horizontal": 0}, "(S (NP (DT a) (@NP> (JJ b) (@NP> (JJ c) (NN d)))))"),
        ({"direction": "left"}, "(S (NP (@NP<NN (@NP<JJ_NN (DT a) (JJ b)) (JJ c)) (NN d)))"),
        (
            {"direction": "left", "horizontal": 1},
            "(S (NP (@NP<NN (@NP<JJ (DT a) (JJ b)) (JJ c)) (NN d)))",
        ),
        (
            {"direction": "head", "horizontal": 1},
            "(S (NP (DT a) (@NP:NN<JJ (JJ b) (@NP:NN<JJ (JJ c) (NN d)))))",
        ),
        (
            {"horizontal": 0, "vertical": 2},
            "(S (NP^S (DT a) (@NP^S> (JJ b) (@NP^S> (JJ c) (NN d)))))",
        ),
        (
            {"horizontal": 0, "vertical": 3, "tags": True},
            "(S (NP^S (DT^NP^S a) (@NP^S> (JJ^NP^S b) (@NP^S> (JJ^NP^S c) (NN^NP^S d)))))",
        ),
    ],
)
def test_names(how: dict[str, Any], wanted: str) -> None:
    assert binarise(parse_brackets(TREE), **how)[0].one_line() == wanted


def test_heads_stand_innermost() -> None:
    made = binarise(parse_brackets("(VP (RB a) (VB b) (NP (NN c)) (PP (IN d)))"), "head")
    assert made[0].one_line() == (
        "(VP (RB a) (@VP:VB>NP_PP (@VP:VB>NP (VB b) (NP (NN c))) (PP (IN d))))"
    )


@pytest.mark.parametrize(
    ("label", "children", "head"),
    [
        ("NP", "DT JJ NN", 2),
        ("NP", "NP PP", 0),
        ("NP", "NNP POS", 1),
        ("NP-SBJ", "NP-1 , NP", 0),
        ("NP", "NN CC NN", 0),
        ("NP", "NN , CC NN", 0),
        ("NP", "$ CD", 0),
        ("NP", "DT", 0),
        ("VP", "MD RB VP", 0),
        ("VP", "VB CC VB", 0),
        ("S", "NP VP .", 1),
        ("PP", "IN NP", 0),
        ("PP", "ADVP IN NP", 1),
        ("SBAR", "WHNP S", 0),
        ("QP", "CD CD", 0),
        ("UCP", "NP PP", 1),
        ("WHADVP", "WRB", 0),
        ("ODD", "A B", 0),
    ],
)
def test_collins_table(label: str, children: str, head: int) -> None:
    assert COLLINS_HEADS.head(label, children.split()) == head


@pytest.mark.parametrize(
    ("text", "how"), [("(@S (NN a))", {}), ("(S^X (NN a))", {}), ("(S (N^N a))", {"tags": True})]
)
def test_labels_that_would_not_come_back(text: str, how: dict[str, Any]) -> None:
    with pytest.raises(DataError, match="marks those of binary trees"):
        binarise(parse_brackets(text), **how)


@pytest.mark.parametrize(
    ("how", "told"),
    [
        ({"direction": "up"}, "'right', 'left' or 'head'"),
        ({"horizontal": -1}, "horizontal must be"),
        ({"vertical": 0}, "vertical must be"),
    ],
)
def test_settings_that_make_no_sense(how: dict[str, Any], told: str) -> None:
    with pytest.raises(ValueError, match=told):
        binarise(parse_brackets(TREE), **how)


def test_nesting_without_end() -> None:
    trees = parse_brackets("(S (A a) (B b) " * 5_000 + "(C c)" + ")" * 5_000)
    for direction in ("right", "left", "head"):
        made = binarise(trees, direction, horizontal=1, vertical=2)
        assert debinarise(made)[0].spans() == trees[0].spans()


@pytest.mark.skipif("LINNET_DATA" not in os.environ, reason="LINNET_DATA names no folder of corpora")
def test_a_treebank_there_and_back() -> None:
    trees = read_brackets(Path(os.environ["LINNET_DATA"]) / "ptb_sample" / "dev.mrg").cleaned()
    for direction in ("right", "left", "head"):
        assert (
            debinarise(binarise(trees, direction, horizontal=1, vertical=2)).nested() == trees.nested()
        )
