"""Kernels of trees: common subtrees, subset trees, partial trees."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

import linnet._core as _core
from linnet._params import number
from linnet.data import Brackets, BracketTree, Trees
from linnet.data.examples import take_ragged
from linnet.errors import DataError
from linnet.kernels.base import Array, Gram, Kernel


@dataclass(frozen=True)
class LabelledTrees:
    """Ordered trees: the nodes of tree i are ``offsets[i]:offsets[i + 1]``, children before parents.

    ``codes`` number the ``names`` of nodes, ``parents`` are places in the same tree, -1 of a root.
    """

    offsets: NDArray[np.int64]
    names: list[str]
    codes: NDArray[np.int32]
    parents: NDArray[np.int32]

    def __len__(self) -> int:
        return len(self.offsets) - 1

    def __getitem__(self, places: NDArray[np.integer[Any]]) -> LabelledTrees:
        """The trees at these places."""
        at = np.asarray(places, np.int64)
        kept, offsets = take_ragged(np.arange(len(self.codes)), self.offsets, at)
        return LabelledTrees(offsets, self.names, self.codes[kept], self.parents[kept])

    @cached_property
    def core(self) -> _core.TreeSet:
        """As the core has them."""
        hashes = np.array([_hash(name) for name in self.names] or [0], dtype=np.uint64)
        return _core.TreeSet(self.offsets, hashes[self.codes], self.parents)

    def __getstate__(self) -> dict[str, Any]:
        return {k: v for k, v in self.__dict__.items() if k != "core"}

    @classmethod
    def of(cls, nested: Iterable[Any]) -> LabelledTrees:
        """Of tuples (label, child, …), a child being such a tuple or a string."""
        names: dict[str, int] = {}
        codes: list[int] = []
        parents: list[int] = []
        offsets = [0]
        for i, tree in enumerate(nested):
            first = len(codes)
            if isinstance(tree, str):
                raise DataError(
                    f"tree {i + 1} is the string {tree!r:.40}; linnet.formats.parse_brackets reads "
                    f"brackets, and ('NP', 'linnets') is a tree"
                )
            open_: list[tuple[Any, list[int]]] = [(tree, [])]  # a node, and its children so far
            while open_:
                node, children = open_[-1]
                label, below = _parts(node, i)
                if len(children) < len(below):
                    open_.append((below[len(children)], []))
                    continue
                place = len(codes) - first
                codes.append(names.setdefault(label, len(names)))
                parents.append(-1)
                for child in children:
                    parents[first + child] = place
                open_.pop()
                if open_:
                    open_[-1][1].append(place)
            offsets.append(len(codes))
        return cls(
            np.array(offsets, np.int64),
            list(names),
            np.array(codes, np.int32),
            np.array(parents, np.int32),
        )


def _parts(node: Any, i: int) -> tuple[str, Sequence[Any]]:
    if isinstance(node, str):
        return node, ()
    if isinstance(node, (tuple, list)) and node and isinstance(node[0], str):
        return node[0], node[1:]
    raise DataError(
        f"tree {i + 1} has a node {node!r:.40}; a node is a string, or a tuple of its label and its "
        f"children"
    )


def _hash(name: str) -> int:
    made = hashlib.blake2b(name.encode("utf-8", "surrogatepass"), digest_size=8).digest()
    return int.from_bytes(made, "little")


def dependency_nodes(trees: Trees) -> list[Any]:
    """Dependency trees as nested tuples: a node for each word, named by its relation.

    Its children are the nodes of its dependents and its own form as a leaf, in the order of words;
    above all is a node ``root``.
    """
    relations = trees.sequences.by_sentence(trees.relations.values())
    made = []
    column = "form" if "form" in trees.columns else "word"
    rows = zip(trees.head_lists(), relations, trees.column(column), strict=True)
    for i, (heads, names, forms) in enumerate(rows):
        if min(heads, default=0) < 0:
            raise DataError(f"{trees.where(int(trees.offsets[i]))}: a word has no head")
        below: list[list[int]] = [[] for _ in range(len(heads) + 1)]
        for word, head in enumerate(heads, start=1):
            below[head].append(word)
        made.append(_dependents(below, names, forms))
    return made


def _dependents(below: list[list[int]], names: list[Any], forms: list[str]) -> tuple[Any, ...]:
    """Bottom up, without recursion: words whose dependents are done."""
    order, waiting = [], [0]
    while waiting:
        word = waiting.pop()
        order.append(word)
        waiting += below[word]
    done: dict[int, tuple[Any, ...]] = {}
    for word in reversed(order):
        children: list[tuple[int, Any]] = [(other, done[other]) for other in below[word]]
        if word:
            children.append((word, forms[word - 1]))
        label = str(names[word - 1] or "_") if word else "root"
        done[word] = (label, *(child for _, child in sorted(children, key=lambda pair: pair[0])))
    return done[0]


class TreeKernel(Kernel):
    """Trees of phrases (`Brackets`), of dependencies (`Trees`), or tuples (label, child, …)."""

    reads = "trees"
    form: str

    def __init__(self, decay: float = 0.4) -> None:
        self.decay = decay

    def read(self, X: Any) -> LabelledTrees:
        """Trees of any kind."""
        if isinstance(X, LabelledTrees):
            return X
        if isinstance(X, Brackets):
            return LabelledTrees.of(X.nested())
        if isinstance(X, Trees):
            return LabelledTrees.of(dependency_nodes(X))
        if isinstance(X, (str, bytes, dict)) or not hasattr(X, "__iter__"):
            raise DataError(
                f"X is a single {type(X).__name__}; give Brackets, Trees or a list of trees"
            )
        return LabelledTrees.of(tree.nested() if isinstance(tree, BracketTree) else tree for tree in X)

    def settings(self) -> dict[str, Any]:
        """As the core takes them."""
        return {"form": self.form, "decay": _share("decay", self.decay)}

    def between(self, A: Any, B: Any, threads: int = 1) -> Gram:
        """(A, B), of trees."""
        if len(A) == 0 or len(B) == 0:
            return np.zeros((len(A), len(B)))
        return A.core.matrix(B.core, **self.settings(), threads=threads)  # type: ignore[no-any-return]

    def within(self, A: Any, threads: int = 1) -> Gram:
        """Half of the pairs."""
        return A.core.matrix(None, **self.settings(), threads=threads)  # type: ignore[no-any-return]

    def diagonal(self, A: Any, threads: int = 1) -> Array:
        """K(T, T)."""
        return A.core.diagonal(**self.settings())  # type: ignore[no-any-return]


class Subtree(TreeKernel):
    """Common subtrees, each a node with all that is below it; ``decay`` for each production."""

    form = "subtree"


class SubsetTree(TreeKernel):
    """Common subset trees: parts of a tree that have all children of a node or none.

    K = Σ_a Σ_b Δ(a, b), Δ = λ Π (1 + Δ(children)) of equal productions. [Collins and Duffy 2002]

    >>> from linnet.kernels import SubsetTree
    >>> tree = ("S", ("NP", ("N", "linnets")), ("VP", ("V", "sing")))
    >>> SubsetTree(1.0)([tree])
    array([[15.]])
    """

    form = "subset"


class PartialTree(TreeKernel):
    """Common partial trees: any nodes below a node, in their order, with gaps.

    Of equal labels Δ = μ (λ² + Σ λ^(l(I) + l(J)) Π Δ(children I, J)) over subsequences I, J of the
    children, of one length and spanning l(I) and l(J); λ is ``decay``, for gaps, and μ ``vertical``,
    for each level. [Moschitti 2006]
    """

    form = "partial"

    def __init__(self, decay: float = 0.4, vertical: float = 0.4) -> None:
        super().__init__(decay)
        self.vertical = vertical

    def settings(self) -> dict[str, Any]:
        """As the core takes them."""
        return {**super().settings(), "vertical": _share("vertical", self.vertical)}


def _share(name: str, value: Any) -> float:
    if not 0 < number(value) <= 1:
        raise ValueError(f"{name} must be above 0, and up to 1, not {value!r}")
    return float(value)
