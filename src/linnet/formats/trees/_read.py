"""Reading the trees of a file, or batches of them as they come; writing them."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import PurePath

import numpy as np
from numpy.typing import NDArray

from linnet.data.examples import LabelColumn
from linnet.data.heads import as_heads
from linnet.data.trees import Heads, Trees, head_array, relation_column
from linnet.formats._detect import HEAD
from linnet.formats._source import Source, head, is_stream, load, name_of, pieces, store
from linnet.formats.sequences._read import _whole_sentences
from linnet.formats.trees import columns
from linnet.formats.trees._table import CONLLU, CONLLX, TREE_FORMATS, TreeFormat, named

AnyHeads = NDArray[np.integer] | Sequence[Sequence[int | None]]
AnyRelations = LabelColumn | Sequence[Sequence[str | None]]


def detect_trees(path: str | os.PathLike[str]) -> str:
    """The format of a file of trees: by its ending, then by its first lines."""
    if is_stream(path):
        raise ValueError(f"{name_of(path)} can be read only once: give its format")
    return (_by_ending(path) or _by_content(head(path, HEAD))).name


def _by_ending(path: str | os.PathLike[str]) -> TreeFormat | None:
    suffixes = [suffix.lower() for suffix in PurePath(path).suffixes]
    if suffixes and suffixes[-1] == ".gz":
        suffixes.pop()
    ending = suffixes[-1] if suffixes else ""
    return next((row for row in TREE_FORMATS.values() if ending in row.endings), None)


def _by_content(source: Source) -> TreeFormat:
    """The ninth column of CoNLL-X is a number, that of CoNLL-U a list of number:relation."""
    for line in source.data[:HEAD].split(b"\n"):
        cells = line.split(b"\t")
        if len(cells) == 10 and re.fullmatch(rb"\d+", cells[8]):
            return CONLLX
    return CONLLU


def read_trees(
    path: str | os.PathLike[str],
    format: str | None = None,  # noqa: A002
    *,
    labelled: bool | None = None,
    roots: str = "one",
) -> Trees:
    """The trees of a file, CoNLL-U or CoNLL-X; ``-`` is standard input, and gzip is unpacked.

    A head of ``_`` is missing, as is such a relation. With ``labelled=False`` heads and relations are
    not looked at, so that any words can be parsed; with True a file without heads is an error.
    ``roots="many"`` allows sentences with several roots. Raises `DataError` with file and line for
    what is no tree: cycles, roots that are several or none, heads and ids out of range.
    """
    chosen = named(format) if format is not None else None
    source = load(path)
    chosen = chosen or _by_ending(path) or _by_content(source)
    return columns.read(source, chosen, labelled=labelled, roots=roots)


def read_tree_batches(
    path: str | os.PathLike[str],
    format: str | None = None,  # noqa: A002
    size: int = 1024,
    *,
    labelled: bool | None = None,
    roots: str = "one",
) -> Iterator[Trees]:
    """Batches of at most ``size`` sentences, each as soon as the empty line after it is there.

    A pipe is CoNLL-U unless ``format`` is given.
    """
    if size < 1:
        raise ValueError(f"size must be at least 1; it is {size}")
    chosen = named(format or (CONLLU.name if is_stream(path) else detect_trees(path)))
    return _batches(path, chosen, size, labelled, roots)


def _batches(
    path: str | os.PathLike[str], form: TreeFormat, size: int, labelled: bool | None, roots: str
) -> Iterator[Trees]:
    line = 1
    for block in _whole_sentences(pieces(path)):
        trees = columns.read(Source(name_of(path), block, line), form, labelled=labelled, roots=roots)
        line += block.count(b"\n")
        if len(trees) <= size:
            yield trees
            continue
        for begin in range(0, len(trees), size):
            yield trees.take(np.arange(begin, min(begin + size, len(trees))))


def write_trees(
    trees: Trees,
    path: str | os.PathLike[str],
    format: str | None = None,  # noqa: A002
    heads: AnyHeads | None = None,
    relations: AnyRelations | None = None,
    *,
    keep_graph: bool = False,
) -> None:
    """Write a file; ``-`` is standard output, and a name that ends in ``.gz`` is packed.

    ``heads`` and ``relations`` (one per token, or lists by sentence) take the place of those of the
    trees. What was read comes back byte for byte otherwise; but with other heads or relations DEPS
    (CoNLL-X: PHEAD and PDEPREL) is written as ``_``, since the graph in it was built upon the old
    ones, unless ``keep_graph``.
    """
    chosen = named(format) if format else (None if os.fspath(path) == "-" else _by_ending(path))
    if chosen is None:
        raise ValueError(f"the format of {os.fspath(path)!r} is not known by its ending: give it")
    store(path, [format_trees(trees, chosen.name, heads, relations, keep_graph=keep_graph)])


def format_trees(
    trees: Trees,
    format: str = "conllu",  # noqa: A002
    heads: AnyHeads | None = None,
    relations: AnyRelations | None = None,
    *,
    keep_graph: bool = False,
) -> bytes:
    """The bytes that `write_trees` writes."""
    predicted = heads is not None or relations is not None
    if heads is not None:
        trees = replace(trees, heads=_heads(trees, heads), roots="many")
    if relations is not None:
        trees = replace(trees, relations=_relations(trees, relations))
    return columns.write(trees, named(format), blank=predicted and not keep_graph)


def _heads(trees: Trees, given: AnyHeads) -> Heads:
    if isinstance(given, np.ndarray):
        return as_heads(given)
    return head_array(trees.sequences, given)


def _relations(trees: Trees, given: AnyRelations) -> LabelColumn:
    return given if isinstance(given, LabelColumn) else relation_column(trees.sequences, given)
