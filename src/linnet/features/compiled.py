"""Templates made ready for the core, and sentences as they look at them."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

import linnet._core as _core
from linnet.data.matrix import CsrRows
from linnet.data.texts import CodedTexts, as_texts
from linnet.errors import DataError
from linnet.features.lexicons import Lexicon
from linnet.features.templates import POSITIONS, Attribute, Template

Flags = list[NDArray[np.uint8]]
Own = tuple[NDArray[np.int64], NDArray[np.int32], NDArray[np.float32], _core.Texts]


class Sentences(Protocol):
    """What is read of sentences: columns of their tokens, and where each sentence begins.

    Where they have them, also ``attributes``, rows of `CsrRows`, and ``attribute_names``.
    """

    @property
    def columns(self) -> Mapping[str, Any]: ...
    @property
    def offsets(self) -> NDArray[np.int64]: ...


def token_columns(sentences: Sentences, names: Sequence[str], threads: int) -> _core.TokenColumns:
    """The columns that templates look at, for the core."""
    for name in names:
        if name not in sentences.columns:
            there = ", ".join(sentences.columns) or "none"
            raise DataError(
                f"the templates look at the column {name!r}, which is not there; the columns are "
                f"{there}"
            )
    offsets = np.ascontiguousarray(sentences.offsets, np.int64)
    columns = [sentences.columns[name] for name in names]
    if columns and all(isinstance(column, CodedTexts) for column in columns):
        made = _core.TokenColumns([], offsets, threads)
        for column in columns:
            made.add(column.values, column.numbers)
        return made
    return _core.TokenColumns([as_texts(column) for column in columns], offsets, threads)


class CompiledTemplates:
    """Templates of which every attribute is known to the core by a number.

    The core sees the columns that are looked at, then a column for each gazetteer and column that a
    template asks it for.
    """

    def __init__(
        self,
        lines: list[str],
        all_columns: list[str],
        templates: Sequence[Template],
        classes: Mapping[str, re.Pattern[str]],
        lexicons: Mapping[str, Lexicon],
    ) -> None:
        self.lines, self.all_columns, self.lexicons = lines, all_columns, lexicons
        attributes = list(dict.fromkeys(a for template in templates for a, _ in template.values))
        seen = {a.column for a in attributes if a.kind not in POSITIONS}
        self.columns = [name for name in all_columns if name in seen]
        self._given = [(classes[a.name], a.column) for a in attributes if a.kind == "given"]
        self._found = [(lexicons[a.name], a.column) for a in attributes if a.kind == "found"]
        numbers = {a: k for k, a in enumerate(attributes)}
        self.core = _core.Templates(
            [self._core_attribute(a, attributes) for a in attributes],
            [(list(t.literals), [(numbers[a], at) for a, at in t.values]) for t in templates],
        )

    def _core_attribute(self, a: Attribute, all_of_them: Sequence[Attribute]) -> tuple[Any, ...]:
        """(kind, column, length, lexicon) as the core has them."""
        same = [b for b in all_of_them if b.kind == a.kind]
        if a.kind in POSITIONS:
            return a.kind, 0, 0, None
        if a.kind == "found":
            return a.kind, len(self.columns) + same.index(a), 0, None
        column = self.columns.index(a.column)
        if a.kind == "given":
            return a.kind, column, same.index(a), None
        return a.kind, column, a.length, self.lexicons[a.name].tokens if a.name else None

    def over(self, sequences: Sentences, threads: int) -> tuple[_core.TokenColumns, Flags, Own | None]:
        """The sentences, the flags of distinct tokens, and attributes that came with the tokens."""
        tokens = token_columns(sequences, self.columns, threads)
        flags = []
        for pattern, name in self._given:
            distinct = tokens.distinct(self.columns.index(name))
            found = (pattern.search(token) is not None for token in distinct)
            flags.append(np.fromiter(found, np.uint8, len(distinct)))
        for lexicon, name in self._found:
            assert lexicon.gazetteer is not None
            tokens.match(self.columns.index(name), lexicon.gazetteer, threads)
        return tokens, flags, _own(sequences)


def _own(sequences: Sentences) -> Own | None:
    rows: CsrRows | None = getattr(sequences, "attributes", None)
    if rows is None:
        return None
    names: Sequence[str] | None = getattr(sequences, "attribute_names", None)
    if names is None or len(names) != rows.features:
        raise DataError(
            f"there are {rows.features} attributes of tokens, but "
            f"{0 if names is None else len(names)} names of attributes"
        )
    return rows.indptr, rows.indices, rows.values, as_texts(list(names), "attribute_names")
