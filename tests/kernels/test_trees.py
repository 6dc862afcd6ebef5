"""Kernels of trees against their recursions and against fragments that are listed one by one."""

from collections import Counter
from itertools import combinations, product
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import linnet
import linnet._core as core
from linnet.data import Brackets, LabelColumn, Sequences, Trees
from linnet.errors import DataError, RefusedError
from linnet.formats import parse_brackets
from linnet.kernels import Kernel, Normalised, PartialTree, SubsetTree, Subtree, TreeFragments
from linnet.kernels.trees import dependency_nodes


def random_tree(rng: np.random.Generator, depth: int = 4) -> Any:
    """A small tree over few labels, so that much is common."""
    label = str(rng.choice(list("ABC")))
    if depth == 0 or rng.random() < 0.2:
        return (label, str(rng.choice(list("xy"))))
    return (label, *(random_tree(rng, depth - 1) for _ in range(rng.integers(1, 4))))


def random_trees(seed: int, count: int, depth: int = 4) -> list[Any]:
    rng = np.random.default_rng(seed)
    return [random_tree(rng, depth) for _ in range(count)]


def nodes(tree: Any) -> list[Any]:
    found = [tree]
    for child in tree[1:] if isinstance(tree, tuple) else ():
        found += nodes(child)
    return found


def label(node: Any) -> str:
    return node[0] if isinstance(node, tuple) else node


def production(node: Any) -> Any:
    return (node[0], *((label(c), isinstance(c, tuple)) for c in node[1:]))


def fragments(node: Any, whole: bool) -> list[tuple[Any, int]]:
    """All fragments rooted at a node, with their numbers of productions."""
    choices: list[list[tuple[Any, int]]] = []
    for child in node[1:]:
        if not isinstance(child, tuple):
            choices.append([(child, 0)])
        else:
            cut = [] if whole else [((label(child), "…"), 0)]
            choices.append(cut + fragments(child, whole))
    return [
        ((node[0], *(f for f, _ in chosen)), 1 + sum(n for _, n in chosen))
        for chosen in product(*choices)
    ]


def all_fragments(tree: Any, whole: bool) -> Counter[Any]:
    return Counter(f for node in nodes(tree) if isinstance(node, tuple) for f in fragments(node, whole))


@pytest.mark.parametrize(("kernel", "whole"), [(SubsetTree(0.4), False), (Subtree(0.7), True)])
def test_common_fragments_one_by_one(kernel: Any, whole: bool) -> None:
    trees = random_trees(1, 8)
    listed = [all_fragments(tree, whole) for tree in trees]
    wanted = [
        [sum(n * b[f] * kernel.decay ** f[1] for f, n in a.items()) for b in listed] for a in listed
    ]
    np.testing.assert_allclose(kernel(trees), wanted, rtol=1e-9)
    np.testing.assert_allclose(kernel(trees[:3], trees[3:]), np.array(wanted)[:3, 3:], rtol=1e-9)
    np.testing.assert_allclose(kernel.diagonal(kernel.read(trees)), np.diag(wanted), rtol=1e-9)


def naive_delta(a: Any, b: Any, decay: float, sigma: int) -> float:
    """Collins and Duffy's recursion, as it is printed."""
    if not isinstance(a, tuple) or not isinstance(b, tuple) or production(a) != production(b):
        return 0.0
    value = decay
    for left, right in zip(a[1:], b[1:], strict=True):
        if isinstance(left, tuple):
            value *= sigma + naive_delta(left, right, decay, sigma)
    return value


def naive_partial(a: Any, b: Any, decay: float, vertical: float) -> float:
    """Over all pairs of subsequences of children, listed."""
    if label(a) != label(b):
        return 0.0
    left = a[1:] if isinstance(a, tuple) else ()
    right = b[1:] if isinstance(b, tuple) else ()
    total = decay**2
    for size in range(1, min(len(left), len(right)) + 1):
        for own in combinations(range(len(left)), size):
            for other in combinations(range(len(right)), size):
                value = decay ** (own[-1] - own[0] + 1 + other[-1] - other[0] + 1)
                for i, j in zip(own, other, strict=True):
                    value *= naive_partial(left[i], right[j], decay, vertical)
                total += value
    return vertical * total


@pytest.mark.parametrize("seed", range(5))
def test_naive_recursions(seed: int) -> None:
    trees = random_trees(seed, 6)
    for kernel, delta in (
        (SubsetTree(0.4), lambda a, b: naive_delta(a, b, 0.4, 1)),
        (Subtree(0.8), lambda a, b: naive_delta(a, b, 0.8, 0)),
        (PartialTree(0.5, 0.6), lambda a, b: naive_partial(a, b, 0.5, 0.6)),
    ):
        wanted = [[sum(delta(a, b) for a in nodes(s) for b in nodes(t)) for t in trees] for s in trees]
        np.testing.assert_allclose(kernel(trees), wanted, rtol=1e-9)


@pytest.mark.parametrize("kernel", [SubsetTree(), Subtree(), PartialTree()])
def test_gram_matrices_are_positive_semidefinite(kernel: Kernel) -> None:
    assert kernel.check(random_trees(7, 40)), str(kernel.check(random_trees(7, 40)))


def test_brackets_are_their_tuples() -> None:
    trees = [("S", ("NP", ("N", "linnets")), ("VP", ("V", "sing"))), ("S", ("VP", ("V", "sing")))]
    brackets = Brackets.from_nested(trees)
    for kernel in (SubsetTree(), PartialTree()):
        np.testing.assert_allclose(kernel(brackets), kernel(brackets.nested()))
        np.testing.assert_allclose(kernel(list(brackets)), kernel(brackets.nested()))


def test_a_leaf_is_no_node_of_its_name() -> None:
    assert SubsetTree()([("A", "B")], [("A", ("B", "x"))])[0, 0] == 0


def test_dependencies() -> None:
    words = ["linnets", "sing", "songs"]
    tokens = Sequences({"form": core.Texts.from_list(words)}, np.array([0, 3]))
    relations = LabelColumn(["nsubj", "root", "obj"], np.array([0, 1, 2], np.int32))
    trees = Trees(tokens, np.array([2, 0, 2], np.int32), relations)
    assert dependency_nodes(trees) == [
        ("root", ("root", ("nsubj", "linnets"), "sing", ("obj", "songs")))
    ]
    assert SubsetTree(1.0)(trees)[0, 0] == SubsetTree(1.0)(dependency_nodes(trees))[0, 0] > 0


def test_a_machine_over_trees() -> None:
    trees = random_trees(3, 60)
    y = [any(label(n) == "A" and label(n[1]) == "B" for n in nodes(t) if len(n) > 1) for t in trees]
    model = linnet.KernelSVM("normalised subset_tree", 100.0).fit(trees, np.array(y))
    assert model.score(trees, np.array(y)) > 0.9


def test_trees_as_texts_are_their_brackets() -> None:
    texts = ["(S (NP (NN linnets)) (VP (VB sing)))", "(S (NP (NN wrens)))", "(S\n  (VP (VB hide)))"] * 2
    y = [0, 1, 1, 0, 1, 1]
    by_texts = linnet.KernelSVM("subset_tree").fit(texts, y)
    nested = [tree for text in texts for tree in parse_brackets(text).nested()]
    by_trees = linnet.KernelSVM("subset_tree").fit(nested, y)
    assert (by_texts.decision_function(texts) == by_trees.decision_function(nested)).all()
    assert "(NN wrens)" in by_texts.explain(texts[1]).shares[0].shown


def test_what_is_no_tree_is_refused() -> None:
    with pytest.raises(DataError, match="a node is a string"):
        SubsetTree()([("S", 3)])
    with pytest.raises(DataError, match="single str"):
        SubsetTree()("(S (NP x))")
    with pytest.raises(ValueError, match="decay"):
        SubsetTree(0.0)([("S", "x")])


def test_deep_trees_need_no_recursion() -> None:
    tree: Any = "x"
    for _ in range(5000):
        tree = ("A", tree)
    assert np.isfinite(SubsetTree(0.4)([tree])[0, 0])


@pytest.mark.parametrize(
    "kernel", [SubsetTree(0.4), Normalised(SubsetTree(0.3)), Subtree(0.7), Normalised(Subtree(0.5))]
)
def test_written_out_a_machine_scores_as_it_does(kernel: Kernel, tmp_path: Path) -> None:
    trees, others = random_trees(4, 40, 2), random_trees(5, 30, 2)
    y = np.array([label(tree[1]) for tree in trees])
    machine = linnet.KernelSVM(kernel, 10.0, multiclass="rest").fit(trees, y)
    whole = isinstance(kernel, Subtree) or isinstance(getattr(kernel, "kernel", None), Subtree)
    fast = machine.written_out() if whole else machine.written_out(1000)
    scores = machine.decision_function(others)
    np.testing.assert_allclose(fast.decision_function(others), scores, rtol=1e-4, atol=1e-4)
    fast.n_jobs = 2
    np.testing.assert_allclose(fast.decision_function(others), scores, rtol=1e-4, atol=1e-4)
    fast.save(tmp_path / "fast.linnet")
    again = linnet.load(tmp_path / "fast.linnet")
    assert (again.decision_function(others) == fast.decision_function(others)).all()
    assert str(again.explain(others)[0]) == str(machine.explain(others)[0])


@pytest.mark.parametrize("size", [1, 2, 4])
def test_written_out_up_to_a_size(size: int) -> None:
    """As by sparse rows of fragments, of which nothing is pruned."""
    trees, others = random_trees(4, 40), random_trees(5, 30)
    y = [label(tree[1]) == "A" for tree in trees]
    machine = linnet.KernelSVM(SubsetTree(0.4), 10.0).fit(trees, np.array(y))
    rows = TreeFragments(SubsetTree(0.4), size=size, bits=28)
    weights = rows.transform(machine.model_.support).T @ machine.dual_coef_
    wanted = (rows.transform(others) @ weights).ravel() + machine.intercept_
    found = machine.written_out(size).decision_function(others)
    np.testing.assert_allclose(found, wanted, rtol=1e-4, atol=1e-5)


def test_what_cannot_be_written_out_is_refused() -> None:
    trees = random_trees(3, 20)
    y = np.arange(20) % 2
    with pytest.raises(RefusedError, match="SubsetTree and Subtree"):
        linnet.KernelSVM(PartialTree()).fit(trees, y).written_out()
    with pytest.raises(RefusedError, match="no effect"):
        linnet.KernelSVM(Subtree()).fit(trees, y).written_out(3)
    with pytest.raises(ValueError, match="size"):
        linnet.KernelSVM(SubsetTree()).fit(trees, y).written_out(0)
    with pytest.raises(RefusedError, match="votes"):
        linnet.KernelPerceptron(SubsetTree(), "voted").fit(trees, y).written_out()
    full: Any = "x"
    for _ in range(7):
        full = ("A", full, full)
    machine = linnet.KernelSVM(SubsetTree()).fit([full, *trees], np.arange(21) % 2)
    with pytest.raises(ValueError, match="smaller size"):
        machine.written_out(60)
