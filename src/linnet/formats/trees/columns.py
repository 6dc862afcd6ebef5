"""Trees in ten columns, a word per line.

Multiword tokens (1-2), empty nodes (1.1) and comments are no words; they come back on writing as they
were, and so does every cell but those that are predicted.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

import numpy as np

import linnet._core as _core
from linnet.data.examples import LabelColumn
from linnet.data.sequences import MISSING, UNSAID, Aside, Sequences
from linnet.data.trees import Heads, Trees
from linnet.errors import DataError
from linnet.formats._access import Source
from linnet.formats._source import counted, start_of_sentences
from linnet.formats.sequences._cells import CellError, Cells, numerals, unsaid, write_cells
from linnet.formats.sequences._tags import read_tags
from linnet.formats.sequences.conll import check_lines
from linnet.formats.sequences.conllu import COLUMNS, check_numbers
from linnet.formats.trees._options import TreeFormat, TreeOptions


@dataclass(frozen=True)
class TenColumns:
    """A format of ten columns; they differ in the last two."""

    title: str
    columns: tuple[str, ...]
    graph: tuple[str, ...]  # columns that say more of the arcs, and nothing true of predicted ones


NUMBER = re.compile(r"0|[1-9][0-9]{0,8}")


def read(source: Source, form: TenColumns, options: TreeOptions) -> Trees:
    """Words, and if they are looked at, heads and relations."""
    labelled, roots = options.labelled, options.roots
    found = _core.find_tokens(
        np.frombuffer(source.data, np.uint8),
        start_of_sentences(source),
        tabs=True,
        conllu=True,
        comment="#",
    )
    cells: list[_core.Texts] = found["columns"]
    lines = found["lines"] + source.first_line
    uneven = found["uneven"] + source.first_line if found["uneven"] >= 0 else None
    if cells and len(cells) != len(form.columns):
        raise _wrong_width(source, int(lines[0]), len(cells), form)
    if uneven is not None:
        raise _wrong_width(source, uneven, found["uneven_cells"], form)
    check_lines(source, found)
    check_numbers(source, cells[0], found["offsets"], lines)
    columns = dict(zip(form.columns, cells, strict=True))
    head_cells, relation_cells = columns.pop("head"), columns.pop("deprel")
    aside = Aside(found["aside"], found["aside_places"], found["aside_offsets"])
    sequences = Sequences(
        {"word": columns["form"], **columns},
        found["offsets"],
        lines=lines,
        source=source.name,
        layout=form.columns,
        aside=aside if len(aside.places) else None,
    )
    if labelled is False:
        unsaid = np.full(len(lines), MISSING, np.int32)
        return Trees(sequences, unsaid, LabelColumn([], unsaid), roots)
    heads = _heads(source, head_cells, lines)
    if labelled and not (heads != MISSING).any():
        raise DataError(f"{source.name} holds no trees: the column HEAD is {UNSAID} everywhere")
    return Trees(sequences, heads, _relations(source, relation_cells, lines), roots)


def _wrong_width(source: Source, line: int, cells: int, form: TenColumns) -> DataError:
    return source.error(
        line,
        f"{counted(cells, 'column')}; {form.title} has {len(form.columns)}, with a tab between each",
    )


def _heads(source: Source, cells: _core.Texts, lines: np.ndarray) -> Heads:
    codes, names = cells.codes()
    bad = [k for k, name in enumerate(names) if name != UNSAID and not NUMBER.fullmatch(name)]
    if bad:
        t = int(np.flatnonzero(np.isin(codes, bad))[0])
        raise source.error(
            int(lines[t]), f"the head is {cells[t]!r}; a word's number, 0 or {UNSAID} is wanted"
        )
    numbers = [MISSING if name == UNSAID else int(name) for name in names]
    return np.array(numbers, np.int32)[codes]


def _relations(source: Source, cells: _core.Texts, lines: np.ndarray) -> LabelColumn:
    return read_tags(
        cells,
        UNSAID,
        lambda t, message: source.error(int(lines[t]), message.replace("the tag", "the relation")),
    )


def write(trees: Trees, form: TenColumns, blank: bool) -> bytes:
    """The bytes of a file; ``blank`` empties the columns ``form.graph``."""
    sequences = trees.sequences
    columns: dict[str, Cells] = {
        "id": numerals(sequences),
        **trees.columns,
        "head": LabelColumn([str(k) for k in range(int(trees.heads.max(initial=0)) + 1)], trees.heads),
        "deprel": trees.relations,
    }
    nothing = unsaid(sequences)
    cells = [
        nothing if blank and name in form.graph else columns.get(name, nothing) for name in form.columns
    ]
    try:
        return b"".join(write_cells(sequences, cells))
    except CellError as error:
        raise DataError(
            f"{trees.where(error.token)}: {form.title} cannot hold a tab or line break in a cell"
        ) from None


def _row(name: str, about: str, endings: tuple[str, ...], form: TenColumns) -> TreeFormat:
    return TreeFormat(
        name=name,
        about=about,
        endings=endings,
        options=frozenset({"labelled", "roots"}),
        by_line=False,
        comment="#",
        read=lambda source, options: read(source, form, options),
        write=lambda trees, blank: write(trees, form, blank),
    )


CONLLU = _row(
    "conllu",
    "the ten columns of Universal Dependencies",
    (".conllu",),
    TenColumns("CoNLL-U", COLUMNS, ("deps",)),
)
# cpostag and postag are called upos and xpos here.
CONLLX = _row(
    "conllx",
    "the ten columns of the shared tasks of 2006 and 2007",
    (".conllx",),
    TenColumns("CoNLL-X", (*COLUMNS[:8], "phead", "pdeprel"), ("phead", "pdeprel")),
)
