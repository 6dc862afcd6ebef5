"""What grammar parsers take: trees, sentences, and what is known of these."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from linnet.data.bracket_tree import BracketTree, Constituent
from linnet.data.brackets import Brackets
from linnet.data.sequences import Sequences
from linnet.errors import DataError, setting
from linnet.grammars.derivations import Derivations
from linnet.grammars.grammar import Grammar
from linnet.grammars.shape import ChartShape

Known = Sequence[Sequence[tuple[int, int, str | None]]]


def read_trees(X: Any) -> Brackets:
    """Brackets, a file of them, trees, or nested tuples."""
    if isinstance(X, Brackets):
        return X
    if isinstance(X, (str, os.PathLike)):
        from linnet.formats import read_brackets

        return read_brackets(X)
    given = list(X)
    if given and all(isinstance(tree, BracketTree) for tree in given):
        return Brackets.from_trees(given)
    return Brackets.from_nested(given)


def holds_trees(X: Any) -> bool:
    """Are these trees, and not words?"""
    if isinstance(X, (Brackets, str, os.PathLike)):
        return True
    if not isinstance(X, Sequence) or not len(X):
        return False
    first = X[0]
    if isinstance(first, BracketTree) or callable(getattr(first, "label", None)):
        return True
    return isinstance(first, (tuple, list)) and any(not isinstance(part, str) for part in first)


def read_sentences(X: Any) -> list[list[str]]:
    """Words of sentences: lists of strings, texts divided by blanks, or trees."""
    if isinstance(X, (str, os.PathLike)):
        raise DataError("give a list of sentences, each a list of words or a text")
    if isinstance(X, (Brackets, Sequences)):
        return X.column("word")
    found = []
    for i, sentence in enumerate(X):
        if isinstance(sentence, BracketTree):
            found.append(list(sentence.words))
            continue
        words = sentence.split() if isinstance(sentence, str) else list(sentence)
        if not all(isinstance(word, str) for word in words):
            raise DataError(f"sentence {i + 1}: words must be strings")
        found.append(words)
    return found


def read_grammar(given: Any) -> Grammar | None:
    """A grammar, the path of one, or None."""
    if given is None or isinstance(given, Grammar):
        return given
    if isinstance(given, (str, os.PathLike)):
        return Grammar.read(given)
    raise ValueError(f"grammar must be None, a Grammar or the path of one, not {given!r:.60}")


def check_lengths(sentences: list[list[str]], longest: int) -> None:
    """Charts grow with the square of a sentence, and time with its cube."""
    for i, words in enumerate(sentences):
        if len(words) > longest:
            raise DataError(
                f"sentence {i + 1} has {len(words):,} words; a chart takes time that grows with their "
                f"cube, and at most {setting('max_words', longest)} are taken: divide it, or allow more"
            )


def constraints(
    sentences: list[list[str]],
    shape: ChartShape,
    known: Known | Brackets | None,
    forbidden: Known | None,
    tags: Sequence[Sequence[str | None]] | None,
) -> Derivations | None:
    """Phrases that must and must not be, (begin, end, label or None for any), and tags of words."""
    if known is None and forbidden is None and tags is None:
        return None
    if isinstance(known, Brackets):
        known = [[(*span[:2], span.label) for span in tree.spans()] for tree in known]
    for name, given in (("known", known), ("forbidden", forbidden), ("tags", tags)):
        if given is not None and len(given) != len(sentences):
            raise DataError(f"{name} has {len(given)} entries for {len(sentences)} sentences")
    code: dict[str | None, int] = {name: k for k, name in enumerate(shape.labels)}
    code[None] = len(shape.labels)
    number = {shape.symbols[k]: j for j, k in enumerate(shape.tags.tolist())}
    starts, rows, pinned = [0], [], []
    for i, words in enumerate(sentences):
        for given, sign in ((known, False), (forbidden, True)):
            for begin, end, label in given[i] if given is not None else ():
                if label not in code or not 0 <= begin < end <= len(words):
                    raise DataError(
                        f"sentence {i + 1}: ({begin}, {end}, {label!r}) is no phrase over its "
                        f"{len(words)} words that the grammar has"
                    )
                rows.append((begin, end, -1 - code[label] if sign else code[label]))
        starts.append(len(rows))
        own = tags[i] if tags is not None else [None] * len(words)
        if len(own) != len(words):
            raise DataError(f"sentence {i + 1} has {len(words)} words, but {len(own)} tags")
        for tag in own:
            if tag is not None and tag not in number:
                raise DataError(f"sentence {i + 1}: the grammar has no tag {tag!r}")
            pinned.append(-1 if tag is None else number[tag])
    nothing = Derivations.unknown(np.array([len(words) for words in sentences]))
    table = np.array(rows, np.int32).reshape(-1, 3)
    return replace(nothing, tags=np.array(pinned, np.int32)).knowing(starts, *table.T)


def with_words(tree: BracketTree, words: Sequence[str]) -> BracketTree:
    """A tree of these words."""
    return BracketTree(list(words), tree.tags, tree.constituents, tree.top)


def no_words() -> BracketTree:
    """The tree of an empty sentence."""
    empty: list[Constituent] = []
    return BracketTree([], [], empty, None)
