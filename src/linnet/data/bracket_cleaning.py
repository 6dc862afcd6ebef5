"""Trees without what parsers do not predict: traces, functions, brackets that say the same twice."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from linnet.data.examples import LabelColumn

if TYPE_CHECKING:
    from linnet.data.brackets import Brackets

FUNCTION = re.compile(r"(?<=.)[-=].*", re.DOTALL)
TRACE = "-NONE-"


def base_label(name: str) -> str:
    """A label without functions and indices; one that begins with a hyphen is not cut.

    >>> base_label("NP-SBJ-1"), base_label("NP=2"), base_label("-NONE-"), base_label("PRT|ADVP")
    ('NP', 'NP', '-NONE-', 'PRT|ADVP')
    """
    return name if name.startswith("-") else FUNCTION.sub("", name, count=1)


def cleaned(trees: Brackets, *, traces: bool, functions: bool, repeats: bool) -> Brackets:
    """See `Brackets.cleaned`; doing it again changes nothing."""
    if not traces:
        trees = kept_words(trees, ~trees.tagged_as(TRACE))
    if not functions:
        trees = replace(trees, labels=renamed(trees.labels))
    if not repeats:
        trees = without_repeats(trees)
    return trees


def renamed(labels: LabelColumn) -> LabelColumn:
    """Labels without functions; names that nothing has any more are gone."""
    short = [base_label(name) for name in labels.names]
    used = np.unique(labels.codes)
    names = sorted({short[k] for k in used.tolist()})
    code = {name: k for k, name in enumerate(names)}
    table = np.array([code.get(name, -1) for name in short], np.int32)
    return LabelColumn(names, table[labels.codes] if len(table) else labels.codes)


def kept_words(trees: Brackets, kept: NDArray[np.bool_]) -> Brackets:
    """Some of the words; constituents that hold none of them are gone."""
    if kept.all():
        return trees
    before = np.concatenate([np.zeros(1, np.int64), np.cumsum(kept)])
    first = trees.offsets[:-1][trees.sentences]
    begins, ends = before[trees.begins + first], before[trees.ends + first]
    left = np.flatnonzero(ends > begins)
    bases = before[first][left]
    words = trees.sequences
    at = np.flatnonzero(kept)
    return replace(
        trees,
        sequences=replace(
            words,
            columns={name: texts.take(at) for name, texts in words.columns.items()},
            offsets=before[words.offsets],
            lines=words.lines[at] if len(words.lines) else words.lines,
        ),
        begins=begins[left] - bases,
        ends=ends[left] - bases,
        labels=trees.labels.take(left),
        starts=_counted(trees, left),
    )


def without_repeats(trees: Brackets) -> Brackets:
    """Of brackets with the same label over the same words, one right inside of the other, the outer."""
    same = (
        (trees.sentences[1:] == trees.sentences[:-1])
        & (trees.begins[1:] == trees.begins[:-1])
        & (trees.ends[1:] == trees.ends[:-1])
        & (trees.labels.codes[1:] == trees.labels.codes[:-1])
    )
    left = np.flatnonzero(np.concatenate([np.ones(min(1, trees.constituents), np.bool_), ~same]))
    return replace(
        trees,
        begins=trees.begins[left],
        ends=trees.ends[left],
        labels=trees.labels.take(left),
        starts=_counted(trees, left),
    )


def _counted(trees: Brackets, left: NDArray[np.int64]) -> NDArray[np.int64]:
    """Offsets of the constituents that are left."""
    return np.searchsorted(left, trees.starts)


def without_empty(trees: Brackets) -> Brackets:
    """Only sentences that have words."""
    return trees.take(np.flatnonzero(trees.lengths > 0))
