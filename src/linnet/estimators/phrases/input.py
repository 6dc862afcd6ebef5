"""What parsers of phrases read: trees to learn from, sentences to parse, what is certain of them."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

import linnet._core as _core
from linnet.data.bracket_tree import BracketTree
from linnet.data.brackets import Brackets
from linnet.data.sequences import UNSAID, Sequences, listed
from linnet.errors import DataError, setting
from linnet.estimators.linear.input import check_file
from linnet.estimators.running_text import are_texts

TAG = "pos"


class ReadSentences(NamedTuple):
    """Sentences; tags that were given are those that ``tagged`` says."""

    words: Sequences  # columns word and pos
    tagged: NDArray[np.bool_]


def read_treebank(X: Any) -> Brackets:
    """Trees as they are, of a file, of a list of `BracketTree` or of nested tuples."""
    if isinstance(X, Brackets):
        return X
    if isinstance(X, (str, os.PathLike)):
        from linnet.formats.brackets import read_brackets

        check_file(X)
        return read_brackets(X)
    if isinstance(X, BracketTree):
        raise DataError("X is one tree; a treebank is a list of them, [X]")
    if not isinstance(X, Iterable):
        raise DataError(f"X must be Brackets, a list of trees or the path of a file, not {X!r:.60}")
    trees = list(X)
    if trees and all(isinstance(tree, BracketTree) for tree in trees):
        return Brackets.from_trees(trees)
    return Brackets.from_nested(trees)


def cleaned(trees: Brackets) -> Brackets:
    """As parsers learn from trees: without traces, functions and brackets that say the same twice."""
    return trees.cleaned(traces=False, functions=False, repeats=False)


def read_sentences(X: Any, retag: bool = False) -> ReadSentences:
    """Sentences of trees, of a file, of lists of tokens, or of running text."""
    if isinstance(X, (str, os.PathLike)):
        X = _read_file(X)
    if isinstance(X, Brackets):
        X = X.cleaned().sequences
    elif are_texts(X):
        X = Sequences.from_texts(X)
    if isinstance(X, Sequences):
        return _of_sequences(X, retag)
    return _of_lists(listed(X), retag)


def _read_file(path: Any) -> Brackets | Sequences:
    from linnet.formats.brackets import has_brackets, read_brackets
    from linnet.formats.sequences import read_sequences

    check_file(path)
    return read_brackets(path) if has_brackets(path) else read_sequences(path, labelled=False)


def _of_sequences(data: Sequences, retag: bool) -> ReadSentences:
    texts, there = (
        next((data.columns[name] for name in names if name in data.columns), None)
        for names in (("word", "form"), (TAG, "xpos", "upos"))
    )
    if texts is None:
        raise DataError(f"{data.source or 'X'}: the sentences have no column of words")
    nothing = _core.Texts.from_list([UNSAID]).take(np.zeros(data.tokens, np.int64))
    tags = nothing if retag or there is None else there
    words = replace(data, columns={"word": texts, TAG: tags}, labels=None)
    codes, known = tags.codes()
    unsaid = known.index(UNSAID) if UNSAID in known else -1
    return ReadSentences(words, np.asarray(codes != unsaid))


def _of_lists(sentences: list[list[Any]], retag: bool) -> ReadSentences:
    """Tokens are words, or (word, tag), where a tag of None is to be predicted."""
    words, tags = [], []
    for i, sentence in enumerate(sentences):
        for t, token in enumerate(sentence):
            pair = (token, None) if isinstance(token, str) else token
            if not (isinstance(pair, tuple) and len(pair) == 2 and isinstance(pair[0], str)):
                raise DataError(
                    f"sentence {i + 1}, token {t + 1}: a token is a word or (word, tag), not "
                    f"{token!r:.60}"
                )
            if not pair[0] or pair[0].split() != [pair[0]]:
                raise DataError(
                    f"sentence {i + 1}, token {t + 1}: {pair[0]!r:.60} is no word: it is empty or has "
                    f"blanks in it"
                )
            words.append(pair[0])
            tags.append(None if retag else pair[1])
    texts = {
        "word": _core.Texts.from_list(words),
        TAG: _core.Texts.from_list([UNSAID if tag is None else str(tag) for tag in tags]),
    }
    offsets = np.cumsum([0, *map(len, sentences)], dtype=np.int64)
    given = np.array([tag is not None for tag in tags], np.bool_)
    return ReadSentences(Sequences(texts, offsets, layout=("word", TAG)), given)


def is_sentence(X: Any) -> bool:
    """Is it one sentence, a list of tokens, and not several?"""
    if isinstance(X, (str, bytes, os.PathLike)) or not isinstance(X, Sequence) or not len(X):
        return False
    return isinstance(X[0], (str, tuple))


def check_lengths(trees: Brackets, most: int) -> None:
    """Sentences that would take very long are mistakes nearly always."""
    too_long = np.flatnonzero(trees.lengths > most)
    if len(too_long):
        first = int(too_long[0])
        raise DataError(
            f"{trees.where(first)}: a sentence of {trees.lengths[first]} words, of {most} at the most: "
            f"time grows with the cube of their number; leave it out, or raise the limit by "
            f"{setting('max_words')}"
        )
