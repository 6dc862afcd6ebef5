"""Lists of the user's that templates look tokens up in: clusters, dictionaries, gazetteers."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

import linnet._core as _core
from linnet.data.text_file import text_lines
from linnet.data.texts import as_texts
from linnet.errors import DataError

Tensors = dict[str, NDArray[Any]]


class Lexicon:
    """Values of tokens, or of phrases: tokens with spaces between them.

    A mapping gives each key its value; an iterable of phrases gives them all the same. If there are
    phrases of several tokens, or no values, it is a gazetteer: the longest phrases of a sentence are
    found from left to right, and the value is ``B-value`` at the first token of a phrase and
    ``I-value`` at the others (``B`` and ``I`` without values). What is not there as it stands is
    looked for in lower case.
    """

    def __init__(self, entries: Mapping[str, Any] | Iterable[str]) -> None:
        keys = list(entries)
        values = map(str, entries.values()) if isinstance(entries, Mapping) else [""] * len(keys)
        phrases = not isinstance(entries, Mapping) or any(len(key.split()) > 1 for key in keys)
        self._set(as_texts(keys, "a lexicon"), as_texts(values, "a lexicon"), phrases)

    def _set(self, keys: _core.Texts, values: _core.Texts, phrases: bool) -> None:
        self.keys, self.values, self.phrases = keys, values, phrases
        self.tokens = None if phrases else _core.Lexicon(keys, values)
        self.gazetteer = _core.Gazetteer(keys, values) if phrases else None

    def __len__(self) -> int:
        return len(self.keys)

    @classmethod
    def of(cls, given: Any, name: str) -> Lexicon:
        """A lexicon of what a user may give: one, entries, or the path of a file."""
        if isinstance(given, Lexicon):
            return given
        if isinstance(given, (str, os.PathLike)):
            return cls.read(given)
        if isinstance(given, Iterable):
            return cls(given)
        raise ValueError(
            f"the lexicon {name!r} is of type {type(given).__name__}; pass a mapping of tokens to "
            "values, a list of phrases or the path of a file"
        )

    @classmethod
    def read(cls, path: str | os.PathLike[str]) -> Self:
        """From a file of UTF-8, one entry a line, told by its first line.

        - ``phrase``: a gazetteer;
        - ``key TAB value``: values of tokens or phrases;
        - ``bits TAB token TAB count``: the ``paths`` file of Brown clusters.
        """
        lines = text_lines(path)
        rows = [line.split("\t") for line in lines if line]
        width = len(rows[0]) if rows else 1
        for number, line in enumerate(lines, start=1):
            if line and line.count("\t") + 1 != width:
                raise DataError(
                    f"{os.fspath(path)}, line {number}: {line.count(chr(9)) + 1} columns, but the "
                    f"first line has {width}"
                )
        if width == 1:
            return cls([row[0] for row in rows])
        brown = width == 3 and set(rows[0][0]) <= {"0", "1"}
        key, value = (1, 0) if brown else (0, 1)
        return cls({row[key]: row[value] for row in rows})

    def tensors(self) -> Tensors:
        """Keys and values as bytes and where each ends."""
        found: Tensors = {}
        for name, texts in (("keys", self.keys), ("values", self.values)):
            strings = [texts[i].encode() for i in range(len(texts))]
            found[name] = np.frombuffer(b"".join(strings), np.uint8)
            found[f"{name}_offsets"] = np.cumsum([0, *map(len, strings)], dtype=np.int64)
        return found

    @classmethod
    def from_tensors(cls, tensors: Mapping[str, NDArray[Any]], phrases: bool) -> Self:
        """The inverse; strings stay where they lie."""

        def texts(name: str) -> _core.Texts:
            offsets = np.ascontiguousarray(tensors[f"{name}_offsets"], np.int64)
            return _core.Texts.from_spans(tensors[name], offsets[:-1], offsets[1:])

        self = cls.__new__(cls)
        self._set(texts("keys"), texts("values"), phrases)
        return self

    def __reduce__(self) -> tuple[Any, ...]:
        return _restored, (self.tensors(), self.phrases)


def _restored(tensors: Tensors, phrases: bool) -> Lexicon:
    return Lexicon.from_tensors(tensors, phrases)
