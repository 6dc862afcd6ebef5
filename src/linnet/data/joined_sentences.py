"""Sentences and trees of several files, or of pieces of one, as one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

import linnet._core as _core
from linnet.data.examples import LabelColumn
from linnet.data.matrix import CsrRows
from linnet.data.sequences import MISSING, Aside, Sequences
from linnet.data.trees import Trees
from linnet.errors import DataError


@dataclass(frozen=True)
class JoinedSequences(Sequences):
    """They know which file each token is of."""

    sources: tuple[str, ...] = ()
    ends: tuple[int, ...] = ()  # of each file, in tokens

    def where(self, token: int) -> str:
        """Its own file, and its line there."""
        source = self.sources[int(np.searchsorted(self.ends, token, side="right"))]
        return f"{source}, line {int(self.lines[token])}"

    def take(self, places: NDArray[np.integer[Any]] | Sequence[int]) -> Sequences:
        """These, of which nobody knows the file any more."""
        plain = {name: getattr(self, name) for name in Sequences.__dataclass_fields__}
        return Sequences(**plain).take(places)


def check_alike(
    first: str, columns: list[str], labelled: bool, source: str, names: list[str], tagged: bool
) -> None:
    """Files of sentences that are to be one."""
    if names != columns:
        told = [", ".join(each) or "attributes alone" for each in (names, columns)]
        raise DataError(
            f"{source} has the columns {told[0]}, and {first} {told[1]}; several files are one if they "
            f"have the same columns"
        )
    if tagged != labelled:
        raise DataError(f"of {first} and {source} one has tags and one has none")


def join_sentences(parts: Sequence[Sequences]) -> Sequences:
    """One after the other; running texts that they were cut from are left behind."""
    first, *others = parts
    if not others:
        return first
    names = list(first.columns)
    for part in others:
        tagged = part.labels is not None
        check_alike(
            first.source, names, first.labels is not None, part.source, list(part.columns), tagged
        )
    ends = np.cumsum([part.tokens for part in parts]).tolist()
    starts = [0, *ends[:-1]]
    labels = [part.labels for part in parts if part.labels is not None]
    common: dict[str, Any] = {
        "columns": {name: _core.Texts.joined([part.columns[name] for part in parts]) for name in names},
        "offsets": np.concatenate(
            [np.zeros(1, np.int64)]
            + [part.offsets[1:] + start for part, start in zip(parts, starts, strict=True)]
        ),
        "labels": join_tags(labels) if labels else None,
        "weights": _weights(parts),
        "aside": _aside(parts),
        **_attributes(parts),
    }
    if not all(len(part.lines) for part in parts):
        return Sequences(**common)
    return JoinedSequences(
        **common,
        lines=np.concatenate([part.lines for part in parts]),
        source=f"{first.source} and {len(others)} more file{'s' if len(others) > 1 else ''}",
        notes=tuple(dict.fromkeys(note for part in parts for note in part.notes)),
        layout=first.layout,
        sources=tuple(part.source for part in parts),
        ends=tuple(ends),
    )


def _aside(parts: Sequence[Sequences]) -> Aside | None:
    """Comments and multiword tokens, of the parts that have some."""
    if all(part.aside is None for part in parts):
        return None
    lines, places, counts = [], [], []
    for part in parts:
        if part.aside is None:
            counts.append(np.zeros(len(part), np.int64))
            continue
        lines.append(part.aside.lines)
        places.append(part.aside.places)
        counts.append(np.diff(part.aside.offsets))
    offsets = np.concatenate([np.zeros(1, np.int64), np.cumsum(np.concatenate(counts))])
    return Aside(_core.Texts.joined(lines), np.concatenate(places), offsets)


def join_trees(parts: Sequence[Trees]) -> Trees:
    """One after the other."""
    if len(parts) == 1:
        return parts[0]
    return Trees(
        join_sentences([part.sequences for part in parts]),
        np.concatenate([part.heads for part in parts]),
        join_tags([part.relations for part in parts]),
        parts[0].roots,
    )


def join_tags(columns: Sequence[LabelColumn]) -> LabelColumn:
    """One column after the other; what is missing stays so."""
    names = columns[0].names
    if all(column.names == names for column in columns):
        return LabelColumn(names, np.concatenate([column.codes for column in columns]))
    names = sorted({name for column in columns for name in column.names})
    codes = [named_among(column, names).codes for column in columns]
    return LabelColumn(names, np.concatenate(codes))


def named_among(column: LabelColumn, names: list[str]) -> LabelColumn:
    """The same tags as numbers among others, which may be more; what is missing stays so."""
    if column.names == names:
        return column
    number = {name: k for k, name in enumerate(names)}
    table = np.array([*(number.get(name, MISSING) for name in column.names), MISSING], np.int32)
    return LabelColumn(names, table[column.codes])


def _weights(parts: Sequence[Sequences]) -> NDArray[np.float64] | None:
    """1 where a part has none; None if no part has."""
    if all(part.weights is None for part in parts):
        return None
    return np.concatenate([np.ones(len(p)) if p.weights is None else p.weights for p in parts])


def _attributes(parts: Sequence[Sequences]) -> dict[str, Any]:
    """Rows over the names of all parts."""
    rows = [part.attributes for part in parts if part.attributes is not None]
    if not rows:
        return {}
    known = [part.attribute_names or [] for part in parts]
    names = sorted({name for each in known for name in each})
    number = {name: k for k, name in enumerate(names)}
    tables = [np.array([number[name] for name in each], np.int32) for each in known]
    starts = np.cumsum([0, *(len(each.indices) for each in rows)])
    indptr = [each.indptr[1:] + start for each, start in zip(rows, starts, strict=False)]
    found = CsrRows(
        np.concatenate([np.zeros(1, np.int64), *indptr]),
        np.concatenate([table[each.indices] for table, each in zip(tables, rows, strict=True)]),
        np.concatenate([each.values for each in rows]),
        len(names),
        distinct=all(each.distinct for each in rows),
    )
    return {"attributes": found, "attribute_names": names}
