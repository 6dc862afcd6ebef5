"""Writing columns of cells: a token per line, an empty line after each sentence."""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce

import numpy as np

import linnet._core as _core
from linnet.data.examples import LabelColumn
from linnet.data.sequences import MISSING, Aside, Sequences
from linnet.errors import DataError

Cells = _core.Texts | LabelColumn  # one per token; a missing label is written as _
BOUNDARY = "-DOCSTART-"  # how lines begin that part documents; an empty line stands after them
NOTHING_ASIDE = Aside(_core.Texts.from_list([]), *np.zeros((2, 0), np.int64))


def in_sentence(line: bytes, comment: bytes, before: bool) -> bool:
    """Is there a token up to this line that no boundary of documents has come after?

    ``before``: was there one up to the line before? Comments change nothing, where there are such.
    """
    if line.startswith(BOUNDARY.encode()):
        return False
    return before or bool(line.strip() and not (comment and line.startswith(comment)))


def ends_in_sentence(paragraph: bytes, comment: bytes) -> bool:
    """Do lines without an empty one between them end as a sentence does?"""
    return reduce(lambda found, line: in_sentence(line, comment, found), paragraph.split(b"\n"), False)


class CellError(DataError):
    """The ``token`` (from 0) has an empty cell, a broken one, or a line that is not read as a token."""

    def __init__(self, token: int, fault: str) -> None:
        super().__init__(f"token {token + 1}: {fault}")
        self.token, self.fault = token, fault


def write_cells(
    sequences: Sequences,
    columns: Sequence[Cells],
    *,
    tabs: bool = True,
    empty_cells: bool = True,
    plain: bool = False,
) -> list[bytes]:
    """The lines of each sentence, those kept aside where they stood.

    Without ``tabs``, blanks stand between cells unless a cell holds one. A tab or the end of a line
    in a cell is a `CellError`; so are empty ones unless they are allowed, and, if lines are to be
    ``plain``, those that are blank or begin as a boundary.
    """
    aside = sequences.aside or NOTHING_ASIDE
    written, bad, fault = _core.write_tokens(
        [_coded(column) if isinstance(column, LabelColumn) else column for column in columns],
        sequences.offsets,
        aside.lines,
        aside.places,
        aside.offsets,
        tabs=tabs,
        empty_cells=empty_cells,
        plain=plain,
        boundary=BOUNDARY,
    )
    if bad >= 0:
        raise CellError(bad, fault)
    return list(written)


def _coded(column: LabelColumn) -> tuple[_core.Texts, np.ndarray]:
    return _core.Texts.from_list(column.names), column.codes


def unsaid(sequences: Sequences) -> LabelColumn:
    """Nothing for any token."""
    return LabelColumn([], np.full(sequences.tokens, MISSING, np.int32))


def numerals(sequences: Sequences) -> LabelColumn:
    """1, 2, … in each sentence."""
    starts = np.repeat(sequences.offsets[:-1], sequences.lengths)
    names = [str(k + 1) for k in range(int(sequences.lengths.max(initial=0)))]
    return LabelColumn(names, (np.arange(sequences.tokens) - starts).astype(np.int32))
