"""The rules of a treebank, counted."""

from __future__ import annotations

from collections import Counter
from typing import Any

from linnet._params import is_whole
from linnet.data.bracket_cleaning import without_empty
from linnet.data.bracket_tree import BracketTree, Constituent
from linnet.data.brackets import Brackets
from linnet.errors import DataError
from linnet.grammars import binarising
from linnet.grammars.notation import Word
from linnet.grammars.unknown import UNKNOWN, word_class

Rules = Counter[tuple[str, tuple["str | Word", ...]]]


def counted(trees: Brackets, *, start: str, unknown: int, binarise: str, how: dict[str, Any]) -> Rules:
    """How often each rule was used; ``how`` are settings of `binarise`."""
    if not is_whole(unknown, 0):
        raise ValueError(f"unknown must be a whole number; it is {unknown!r}")
    return rules_of(binary_trees(trees, start, binarise, how), unknown)


def binary_trees(trees: Brackets, start: str, binarise: str, how: dict[str, Any]) -> Brackets:
    """As rules are read off them: binary, under the start symbol, those without words left out."""
    if start in trees.labels.names:
        raise DataError(f"{start!r} is a label of the trees; give another name to the start by start=…")
    trees = without_empty(trees)
    if not len(trees):
        raise DataError("there are no trees with words to read rules off")
    # The bracket around a tree is a phrase now.
    rooted = Brackets.from_trees(
        BracketTree(tree.words, tree.tags, [Constituent(0, len(tree), start), *tree.spans()])
        for tree in trees
    )
    return binarising.binarise(rooted, binarise, **how)


def rules_of(binary: Brackets, unknown: int) -> Rules:
    """How often each rule was used in binary trees."""
    often = Counter(word for words in binary.column("word") for word in words)
    if unknown:
        odd = [word for word in often if word.split("-")[0] == UNKNOWN and often[word] > unknown]
        if odd:
            raise DataError(f"the word {odd[0]!r} is named as classes of rare words are; say unknown=0")
    rules: Rules = Counter()
    for tree in binary:
        children, _, _ = binarising.family(tree)
        for (_, _, label), own in zip(tree.spans(), children, strict=True):
            rules[label, tuple(child[2] for child in own)] += 1
        for t, (word, tag) in enumerate(zip(tree.words, tree.tags, strict=True)):
            seldom = often[word] <= unknown
            rules[tag, (Word(word_class(word, t == 0) if seldom else word),)] += 1
    return rules
