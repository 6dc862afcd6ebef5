"""Reading the trees of phrases of a file, or batches of them as they come; writing them."""

from __future__ import annotations

import os
from collections.abc import Iterator

import numpy as np

from linnet.data.brackets import Brackets
from linnet.errors import DataError, EmptyError
from linnet.formats._access import Source, name_of
from linnet.formats._detect import HEAD
from linnet.formats._source import Held, head, is_stream, load, pieces, store, whole_lines
from linnet.formats._table import by_ending, named, writer
from linnet.formats._write import target_of
from linnet.formats.brackets._options import BracketFormat, BracketOptions
from linnet.formats.brackets._scan import KIND, OPEN, hide_aside, looks_like_brackets
from linnet.formats.brackets.penn import FORMAT


def has_brackets(path: str | os.PathLike[str]) -> bool:
    """Is it a file of trees of phrases: by its ending, or by its first lines?"""
    if by_ending(path, BracketFormat) is not None:
        return True
    if is_stream(path):
        return False
    try:
        return looks_like_brackets(head(path, HEAD))
    except DataError:
        return False


def read_brackets(
    path: str | os.PathLike[str],
    format: str | None = None,  # noqa: A002
    *,
    unescape: bool = False,
) -> Brackets:
    """The trees of a file in brackets; ``-`` is standard input, and gzip is unpacked.

    Trees may be on one line, on many, or many on one. ``unescape`` turns ``-LRB-`` in words into ``(``,
    and so on. Labels, traces and the bracket around each tree are as in the file: see
    `Brackets.cleaned`. Raises `DataError` with file and line for what is no tree.
    """
    chosen = FORMAT if format is None else named(format, BracketFormat)
    source = load(path)
    trees = chosen.read(source, BracketOptions(unescape=unescape))
    if not len(trees):
        raise EmptyError(f"{source.name} holds no trees")
    return trees


def parse_brackets(text: str | bytes, *, unescape: bool = False) -> Brackets:
    """The trees of a string.

    >>> print(parse_brackets("(S (NP (NNS linnets)) (VP (VBP sing)))")[0].leaves())
    ['linnets', 'sing']
    """
    data = text.encode(errors="surrogatepass") if isinstance(text, str) else text
    trees = FORMAT.read(Source("the text", data), BracketOptions(unescape=unescape))
    if not len(trees):
        raise EmptyError("the text holds no trees")
    return trees


def read_bracket_batches(
    path: str | os.PathLike[str],
    format: str | None = None,  # noqa: A002
    size: int = 1024,
    *,
    unescape: bool = False,
) -> Iterator[Brackets]:
    """Batches of at most ``size`` trees, each as soon as the line on which it ends is there."""
    if size < 1:
        raise ValueError(f"size must be at least 1; it is {size}")
    chosen = FORMAT if format is None else named(format, BracketFormat)
    return _batches(path, chosen, size, BracketOptions(unescape=unescape))


def _batches(
    path: str | os.PathLike[str], form: BracketFormat, size: int, options: BracketOptions
) -> Iterator[Brackets]:
    line = 1
    for block in _whole_trees(pieces(path)):
        trees = form.read(Source(name_of(path), block, line), options)
        line += block.count(b"\n")
        for begin in range(0, len(trees), size):
            yield trees.take(np.arange(begin, min(begin + size, len(trees))))


def _whole_trees(incoming: Iterator[bytes]) -> Iterator[bytes]:
    """The bytes cut after lines on which a tree ends and none begins."""
    held, depth = Held(), 0  # brackets that are open in what is held
    for block in whole_lines(incoming, keep_blank=True):
        kinds = KIND[np.frombuffer(block, np.uint8)]
        hide_aside(block, kinds, depth)
        at = np.flatnonzero(kinds >= OPEN)
        depths = depth + np.cumsum(np.where(kinds[at] == OPEN, 1, -1))
        cut = _after_tree(block, at, depths) if len(at) else (0 if depth else len(block))
        depth = int(depths[-1]) if len(at) else depth
        if cut:
            yield held.take(block[:cut])
        held.add(block[cut:])
    rest = held.take()
    if rest:
        yield rest


def _after_tree(block: bytes, at: np.ndarray, depths: np.ndarray) -> int:
    """Where the last line ends after which no bracket is open; 0: there is none.

    What closes more than was opened is handed on, to be told.
    """
    if depths.min() < 0:
        return len(block)
    nexts = [*at[1:].tolist(), len(block)]
    for k in np.flatnonzero(depths == 0)[::-1].tolist():
        end = block.rfind(b"\n", int(at[k]), nexts[k])
        if end >= 0:
            return end + 1
    return 0


def write_brackets(
    trees: Brackets,
    path: str | os.PathLike[str],
    format: str | None = None,  # noqa: A002
    *,
    indent: bool = False,
) -> None:
    """Write a file, a tree to a line, or with ``indent`` on several.

    ``-`` is standard output, and a name that ends in ``.gz`` is packed. Brackets in words are escaped.
    """
    chosen = target_of(path, format, BracketFormat)
    store(path, writer(chosen)(trees, indent))


def format_brackets(trees: Brackets, *, indent: bool = False) -> bytes:
    """The bytes that `write_brackets` writes."""
    return b"".join(writer(FORMAT)(trees, indent))
