"""Reading the trees of a file, or batches of them as they come; writing them."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from linnet.data.examples import LabelColumn
from linnet.data.heads import as_heads
from linnet.data.trees import Heads, Trees, head_array, relation_column
from linnet.errors import EmptyError
from linnet.formats._access import Source, name_of
from linnet.formats._arriving import Arriving
from linnet.formats._detect import HEAD
from linnet.formats._ranges import part_of, truly_told
from linnet.formats._source import head, is_stream, load, pieces, store
from linnet.formats._table import by_ending, named, writer
from linnet.formats._write import target_of
from linnet.formats.sequences._read import _whole_sentences
from linnet.formats.trees._options import TreeFormat, TreeOptions
from linnet.formats.trees.columns import CONLLU, CONLLX

AnyHeads = NDArray[np.integer] | Sequence[Sequence[int | None]]
AnyRelations = LabelColumn | Sequence[Sequence[str | None]]


def detect_trees(path: str | os.PathLike[str]) -> str:
    """The format of a file of trees: by its ending, then by its first lines."""
    if is_stream(path):
        raise ValueError(f"{name_of(path)} can be read only once: give its format")
    return (by_ending(path, TreeFormat) or _by_content(head(path, HEAD))).name


def _by_content(source: Source) -> TreeFormat:
    """The ninth column of CoNLL-X is a number, that of CoNLL-U a list of number:relation."""
    for line in source.data[:HEAD].split(b"\n"):
        cells = line.split(b"\t")
        if len(cells) == 10 and re.fullmatch(rb"\d+", cells[8]):
            return CONLLX
    return CONLLU


def has_trees(path: str | os.PathLike[str]) -> bool:
    """Do its first lines hold words in ten columns, some of them with a head?"""
    if is_stream(path):
        return False
    rows = (line.split(b"\t") for line in head(path, HEAD).data.split(b"\n"))
    return any(len(cells) == 10 and re.fullmatch(rb"\d+", cells[6]) for cells in rows)


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
    chosen = named(format, TreeFormat) if format is not None else None
    source = load(path)
    chosen = chosen or by_ending(path, TreeFormat) or _by_content(source)
    return chosen.read(source, TreeOptions(labelled=labelled, roots=roots))


def read_tree_batches(
    path: str | os.PathLike[str],
    format: str | None = None,  # noqa: A002
    size: int = 1024,
    *,
    labelled: bool | None = None,
    roots: str = "one",
) -> Iterator[Trees]:
    """Batches of at most ``size`` sentences, each as soon as the empty line after it is there.

    The format of a pipe is told from the lines that have arrived.
    """
    if size < 1:
        raise ValueError(f"size must be at least 1; it is {size}")
    if format is None and is_stream(path):
        path = Arriving(path)
    chosen = None if format is None else named(format, TreeFormat)
    made = TreeOptions(labelled=labelled, roots=roots)
    return truly_told(path, lambda source: _batches(source, chosen, size, made))


def _batches(
    path: str | os.PathLike[str], form: TreeFormat | None, size: int, options: TreeOptions
) -> Iterator[Trees]:
    if form is None:
        try:
            form = named(detect_trees(path), TreeFormat)
        except EmptyError:
            if not isinstance(path, Arriving):
                raise
            return
    part = part_of(path)
    line = 1 if part is None else part.first_line
    for block in _whole_sentences(pieces(path), form.comment):
        trees = form.read(Source(name_of(path), block, line), options)
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
    chosen = target_of(path, format, TreeFormat)
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
    return bytes(writer(named(format, TreeFormat))(trees, predicted and not keep_graph))


def _heads(trees: Trees, given: AnyHeads) -> Heads:
    if isinstance(given, np.ndarray):
        return as_heads(given)
    return head_array(trees.sequences, given)


def _relations(trees: Trees, given: AnyRelations) -> LabelColumn:
    return given if isinstance(given, LabelColumn) else relation_column(trees.sequences, given)
