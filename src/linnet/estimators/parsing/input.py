"""What parsers read: trees of files and lists, their columns, heads that are certain."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

import linnet._core as _core
from linnet.data import LabelColumn, Sequences
from linnet.data.heads import as_heads
from linnet.data.sequences import MISSING, REQUIRED, UNSAID, is_blank
from linnet.data.trees import Heads, Trees, head_array
from linnet.errors import DataError, NoTagsError, setting, warn_of_data
from linnet.estimators.linear.input import check_file
from linnet.estimators.running_text import are_texts

TAGS = ("upos", "xpos")  # which taggers fill, where training data have them
OTHER_NAMES = {"form": "word", "upos": "pos"}  # what a column may be called instead
# Of a file's columns, those that say nothing of a word itself, or say it twice.
NOT_SEEN = ("word", "pos", "id", "head", "deprel", "deps", "misc", "phead", "pdeprel")
UNSAID_SHARES = "unsaid"  # in the record of a model: shares of words without a value, by column
BY_CHANCE = 1e-9
FORMS = 2  # of a tree that is learnt from with predicted columns and with those of the data
NO_TREE, TOO_LARGE = r"sentence (\d+): no tree is allowed", "is too large: it has"  # said by the core


def read_parsed(X: Any, y: Any = None, roots: str = "one", labelled: bool | None = None) -> Trees:
    """Trees as they are, of a file, or of lists; ``y`` has (heads, relations) or heads by sentence."""
    if isinstance(X, (Trees, Sequences, str, os.PathLike)) and y is not None:
        raise DataError("the heads are those of X where it is Trees or a file; leave out y")
    if isinstance(X, Trees):
        return _named(X)
    if isinstance(X, Sequences):
        return _named(_unparsed(X, roots))
    if isinstance(X, (str, os.PathLike)):
        from linnet.formats.trees import read_trees

        check_file(X)
        return read_trees(X, labelled=labelled, roots=roots)
    if y is None and are_texts(X):
        return replace(Trees.from_texts(X), roots=roots)
    heads, relations = (None, None) if y is None else _halves(list(y))
    return Trees.from_lists(X, heads, relations, roots=roots, allow_empty=True)


def _halves(y: list[Any]) -> tuple[Any, Any]:
    """Heads, and relations where there are some."""
    if all(isinstance(tree, tuple) and len(tree) == 2 for tree in y):
        return [heads for heads, _ in y], [relations for _, relations in y]
    return y, None


def _unparsed(sentences: Sequences, roots: str) -> Trees:
    unsaid = np.full(sentences.tokens, MISSING, np.int32)
    return Trees(sentences, unsaid, LabelColumn([], unsaid), roots)


def _named(trees: Trees) -> Trees:
    """With columns by the names that files of trees have."""
    columns = trees.columns
    new = {
        name: columns[other]
        for name, other in OTHER_NAMES.items()
        if name not in columns and other in columns
    }
    if not new:
        return trees
    return replace(trees, sequences=replace(trees.sequences, columns=columns | new))


def in_both_forms(predicted: Trees, given: Trees) -> Trees:
    """All trees with predicted columns, and then once more with those that were given.

    A parser that learns from both is better from words, whose tags are predicted, and from tags.
    """
    twice = predicted.take(np.tile(np.arange(len(predicted)), FORMS))
    texts = {
        name: _core.Texts.joined([predicted.columns[name], given.columns[name]])
        for name in predicted.columns
    }
    return twice.with_columns(**texts)


def seen_columns(trees: Trees) -> list[str]:
    """The columns that templates may look at: all that say something of the words."""
    return [
        name
        for name, texts in trees.columns.items()
        if name not in NOT_SEEN and (name == "form" or not is_blank(texts))
    ]


def unsaid_shares(trees: Trees, columns: Sequence[str]) -> dict[str, float]:
    """Of each of these columns, the share of words that have ``_`` there."""
    shares = {}
    for name in columns:
        codes, names = trees.columns[name].codes()
        gone = codes == names.index(UNSAID) if UNSAID in names else np.zeros(len(codes), np.bool_)
        shares[name] = float(gone.mean())
    return shares


def with_columns(trees: Trees, columns: Sequence[str], shares: Mapping[str, float]) -> Trees:
    """What a parser looks at, or an error; ``shares`` of ``_`` are those of its training data.

    Without tags the answers would be nonsense, without other columns (on EWT, one of lemmas, xpos and
    features) LAS is lower by 0.4 to 4 points, and there is a warning.

    A column that is ``_`` for all n words is missing, unless that may be by right: by chance it
    happens in share^n of the cases. One that never said anything need not be there.
    """
    silent = [name for name in columns if name not in trees.columns and shares.get(name) == 1.0]
    if silent:
        nothing = _core.Texts.from_list([UNSAID]).take(np.zeros(trees.tokens, np.int64))
        trees = trees.with_columns(**dict.fromkeys(silent, nothing))
    missing = [
        name
        for name in columns
        if name not in trees.columns
        or (is_blank(trees.columns[name]) and _share(name, shares) ** trees.tokens < BY_CHANCE)
    ]
    if not missing:
        return trees
    where = f"{trees.sequences.source}: " if trees.sequences.source else ""
    tags = [name for name in TAGS if name in columns][:1]
    if any(name in tags or name not in trees.columns for name in missing):
        raise NoTagsError(where, missing)
    warn_of_data(
        f"{where}the words have no {' and no '.join(missing)}, which the parser looks at; heads and "
        f"relations will be right less often"
    )
    return trees


def _share(name: str, shares: Mapping[str, float]) -> float:
    """Files of old do not tell it; then only what all words have is known to be missing."""
    return shares.get(name, 0.0 if name in REQUIRED else 1.0)


def known_heads(trees: Trees, known: Any, *, one_root: bool) -> Heads | None:
    """Heads that are certain, -1 where none is: of an array, of lists by sentence, or of `Trees`."""
    if known is None:
        return None
    if isinstance(known, Trees):
        heads: NDArray[np.int32] = known.heads
    elif isinstance(known, np.ndarray):
        heads = as_heads(known)
    else:
        heads = head_array(trees.sequences, known)
    try:
        replace(trees, heads=heads, roots="one" if one_root else "many")  # are they part of a tree?
    except DataError as error:
        raise DataError(f"known: {error}") from None
    return heads


@contextmanager
def finding_trees(trees: Trees, known: Any = None) -> Iterator[None]:
    """What the core cannot parse is told with its place."""
    try:
        yield
    except ValueError as error:
        if found := re.fullmatch(NO_TREE, str(error)):
            raise no_tree(trees, int(found[1]), known) from None
        if not isinstance(error, DataError) and TOO_LARGE in str(error):
            longest = int(np.argmax(trees.lengths))
            raise DataError(
                f"{trees.where(int(trees.offsets[longest]))}: a sentence of {trees.lengths[longest]} "
                f"words is too long ({error}); cut it, or leave candidates to 'auto', or use order=1"
            ) from None
        raise


def check_lengths(trees: Trees, most: int) -> None:
    """Sentences that would take very long, and very much memory, are mistakes nearly always."""
    too_long = np.flatnonzero(trees.lengths > most)
    if len(too_long):
        first = int(too_long[0])
        raise DataError(
            f"{trees.where(int(trees.offsets[first]))}: a sentence of {trees.lengths[first]} words, of "
            f"{most} at the most: time grows with the cube of their number, memory with its square; "
            f"split it into sentences, or raise the limit by {setting('max_words')}"
        )


def no_tree(trees: Trees, sentence: int, known: Any) -> DataError:
    """Why a sentence has none."""
    place = trees.where(int(trees.offsets[sentence]))
    if known is None:
        return DataError(f"{place}: scores are no numbers, so the weights of the parser are damaged")
    return DataError(
        f"known: {place}: no tree keeps to all of these heads; with projective=False arcs may cross"
    )


def with_empty_columns(trees: Trees) -> Trees:
    """Of no words, every column is there."""
    texts = _core.Texts.from_list([])
    return trees.with_columns(**dict.fromkeys(("form", "lemma", "upos", "xpos", "feats"), texts))


def is_sentence(X: Any) -> bool:
    """Is it a list of tokens, not of sentences?"""
    if isinstance(X, (str, bytes, os.PathLike, Trees, Sequences)) or not isinstance(X, Sequence):
        return False
    return bool(len(X)) and isinstance(X[0], (str, bytes, tuple, Mapping))


def by_sentence(trees: Trees, values: Iterable[Any]) -> list[list[Any]]:
    """Values of all tokens, sentence by sentence."""
    return trees.sequences.by_sentence(list(values))
