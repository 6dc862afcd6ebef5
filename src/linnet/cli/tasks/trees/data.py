"""Files of trees of phrases, of sentences and of running text, for commands."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

import click
import numpy as np

from linnet.cli.files import arriving, filled, is_pipe, opened, tell_notes
from linnet.errors import DataError, DataWarning

TEXT = "text"


def read_gold(path: Any, given: dict[str, Any]) -> Any:
    """Trees to learn from, or to compare with."""
    from linnet.formats import read_brackets

    trees = read_brackets(opened(path), given.get("format_"))
    if not given.get("quiet"):
        tell_notes(trees)
    return trees


def join_brackets(files: list[Any]) -> Any:
    """Several files, one after the other."""
    from linnet.data.brackets import Brackets

    if len(files) == 1:
        return files[0]
    return Brackets.from_trees(tree for trees in files for tree in trees)


def form_of(path: Any, given: dict[str, Any]) -> str:
    """That of trees, one of sentences, or text."""
    from linnet.formats import BRACKET_FORMATS, SEQUENCE_FORMATS, SequenceFormat, has_brackets
    from linnet.formats._table import by_ending

    asked = given.get("format_")
    if given.get("tokens") is not None:
        if asked not in (None, TEXT):
            raise click.UsageError("--tokens: for running text, not for --format " + str(asked))
        return "whitespace"
    if asked is not None:
        if asked not in BRACKET_FORMATS and asked not in SEQUENCE_FORMATS:
            known = ", ".join([*BRACKET_FORMATS, *SEQUENCE_FORMATS])
            raise click.UsageError(f"--format {asked}: a parser of phrases reads {known}")
        return str(asked)
    ending = by_ending(path, SequenceFormat)
    if is_pipe(path) or ending is None:
        found = has_brackets(path) or _shows_brackets(path)
        return next(iter(BRACKET_FORMATS)) if found else TEXT
    return ending.name


def _shows_brackets(path: Any) -> bool:
    """Have lines of trees arrived?"""
    from linnet.formats.brackets import looks_like_brackets

    try:
        return looks_like_brackets(arriving(path).head(1 << 16))
    except DataError:
        return False


def batches(path: Any, given: dict[str, Any]) -> Iterator[Any]:
    """Sentences as they come: trees, or words."""
    path = arriving(path)
    return filled(path, _batches(path, given))


def _batches(path: Any, given: dict[str, Any]) -> Iterator[Any]:
    from linnet.formats import BRACKET_FORMATS, read_bracket_batches
    from linnet.formats.sequences import read_sequence_batches

    form = form_of(path, given)
    if form in BRACKET_FORMATS:
        yield from read_bracket_batches(path, form)
    elif form == "whitespace":
        yield from whitespace_batches(path)
    else:
        own = {"by_line": is_pipe(path)} if form == TEXT else {"labelled": False}
        yield from read_sequence_batches(path, form, **own)


def whitespace_batches(path: Any, size: int = 1024) -> Iterator[Any]:
    """One sentence a line, words divided by blanks; an empty line is an empty sentence."""
    from linnet.data.sequences import Sequences
    from linnet.formats._access import Source
    from linnet.formats._source import pieces, start_of_sentences, whole_lines

    line = 1
    for block in whole_lines(pieces(path), keep_blank=True):
        start_of_sentences(Source(str(path), block, line))
        lines = block.decode(errors="replace").removesuffix("\n").split("\n")
        for begin in range(0, len(lines), size):
            words = [text.split() for text in lines[begin : begin + size]]
            made = Sequences.from_lists(words, allow_empty=True)
            numbers = np.repeat(np.arange(line, line + len(words)), made.lengths)
            line += len(words)
            yield replace(made, lines=numbers, source=str(path))


@contextmanager
def noted() -> Iterator[None]:
    """What there is to say of the data is said on stderr, once it is known."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", DataWarning)
        yield
    for each in caught:
        click.echo(f"note: {each.message}", err=True)
