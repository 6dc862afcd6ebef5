"""Sentences whose tags are written in another scheme, and what that changes beside the letters."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from linnet.data.chunks import (
    IO,
    convert_column,
    find_chunks,
    is_chunked,
    scheme_named,
    scheme_of,
    touching,
)
from linnet.data.sequences import Sequences
from linnet.errors import DataError


def rewritten(sequences: Sequences, scheme: str) -> Sequences:
    """The same spans in another scheme, by any of its names (BIO, BIOES, …), or in ``io``.

    Spans that the scheme of the tags would not write so are read as conlleval reads them, and told in
    ``notes``, with the first of them; so are those of one type that touch, which ``io`` makes one.
    Tags that speak of no spans are refused.
    """
    scheme = IO if scheme.lower() == IO else scheme_named(scheme)
    column, offsets = sequences.labels, sequences.offsets
    if column is None:
        raise DataError(f"{sequences.source} has no tags")
    odd = next((tag for tag in column.names if tag != "O" and not is_chunked([tag, "B-X"])), None)
    if odd is not None:
        raise DataError(f"{sequences.source}: the tag {odd!r} speaks of no span, as B-X or I-X would")
    notes = list(sequences.notes)
    chunks = find_chunks(column, offsets)
    before = scheme_of(column, offsets)
    if before is not None:
        well = find_chunks(column, offsets, before)
        lost = ~np.isin(chunks.begins, well.begins)
        if lost.any():
            notes.append(
                _told(sequences, lost, chunks.begins, f"not written as {before} has it")
                + "; they are read as conlleval reads them"
            )
    if scheme == IO:
        joined = np.append(touching(chunks, offsets), False) if len(chunks) else np.zeros(0, np.bool_)
        if joined.any():
            notes.append(
                _told(sequences, joined, chunks.begins, "followed by one of the same type at once")
                + ": io makes them one"
            )
    return replace(sequences, labels=convert_column(column, offsets, scheme), notes=tuple(notes))


def _told(sequences: Sequences, which: np.ndarray, begins: np.ndarray, what: str) -> str:
    first = int(begins[which][0])
    count = int(which.sum())
    are = "span is" if count == 1 else "spans are"
    return f"{sequences.where(first)}: {count} {are} {what}, here first"
