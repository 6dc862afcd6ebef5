"""Features of words and spans for grammars that are learnt by their mistakes: hashed, by templates."""

from __future__ import annotations

import zlib
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

import linnet._core as _core
from linnet.errors import DataError
from linnet.grammars.unknown import word_class

Codes = NDArray[np.uint64]
PLACES = {"begin": (0, 0), "begin-1": (0, -1), "end-1": (1, -1), "end": (1, 0)}
VALUES = ("word", "class", "shape")
ALONE = ("length", "shape")
SPAN_TEMPLATES = [
    "length",
    "begin.word",
    "end-1.word",
    "begin-1.word",
    "end.word",
    "begin.class",
    "end-1.class",
    "begin-1.class begin.class",  # where it meets its neighbours: splits of larger spans
    "end-1.class end.class",
    "begin-1.class end.class",
    "begin.class end-1.class",
    "begin.class length",
    "end-1.class length",
    "shape",
]
BINS = np.array([1, 2, 3, 4, 5, 6, 8, 11, 16, 21, 31])
SHORT = 6  # words of a span whose shape is looked at
PRIME = np.uint64(0x9E3779B97F4A7C15)


def word_shape(word: str) -> str:
    """Upper case, lower case, digits and others, each run as one sign."""
    signs = ["A" if c.isupper() else "a" if c.isalpha() else "0" if c.isdigit() else c for c in word]
    return "".join(c for k, c in enumerate(signs) if k == 0 or c != signs[k - 1])


def _mixed(a: Codes, b: Any) -> Codes:
    """A hash of two."""
    with np.errstate(over="ignore"):
        x = (a ^ np.asarray(b, np.uint64)) * PRIME
        return np.asarray(x ^ (x >> np.uint64(29)))


def _code(text: str) -> int:
    data = text.encode("utf-8", "surrogatepass")
    return zlib.crc32(data) << 32 | zlib.crc32(data[::-1])


@dataclass
class PhraseFeatures:
    """Templates of spans, and what is seen of words, in ``2**hash_bits`` places each.

    A template joins values by blanks: ``begin.word``, ``begin-1.word``, ``end-1.word``, ``end.word``
    (or ``.class``, a frequent word or else its class; ``.shape``), ``length`` (binned), ``shape``
    (classes of all words of a short span).
    """

    templates: Sequence[str] | None = None
    hash_bits: int = 16
    frequent: Sequence[str] = ()  # words that stand for themselves in classes

    @classmethod
    def fitted(
        cls, words: list[list[str]], templates: Sequence[str] | None, bits: int, often: int = 20
    ) -> PhraseFeatures:
        """With the frequent words of sentences; templates are checked."""
        made = cls(list(SPAN_TEMPLATES if templates is None else templates), bits)
        made.compiled()
        seen = Counter(word for sentence in words for word in sentence)
        made.frequent = sorted(word for word, count in seen.items() if count >= often)
        return made

    def compiled(self) -> list[list[tuple[str, str]]]:
        """(place, value) of each template."""
        found = []
        for template in self.templates or ():
            atoms = []
            for atom in template.split():
                place, _, value = atom.rpartition(".")
                if atom in ALONE:
                    atoms.append(("", atom))
                elif place in PLACES and value in VALUES:
                    atoms.append((place, value))
                else:
                    raise DataError(
                        f"the template {template!r} has {atom!r}; known are length, shape, and "
                        f"{', '.join(PLACES)} with .word, .class or .shape"
                    )
            if not atoms:
                raise DataError("a template is empty")
            found.append(atoms)
        return found

    def _values(self, words: Sequence[str]) -> dict[str, Codes]:
        known = set(self.frequent)
        return {
            "word": np.array([_code(w) for w in words], np.uint64),
            "class": np.array(
                [_code(w if w in known else word_class(w, t == 0)) for t, w in enumerate(words)],
                np.uint64,
            ),
            "shape": np.array([_code(word_shape(w)) for w in words], np.uint64),
        }

    def token_rows(self, sentences: list[list[str]]) -> _core.Rows:
        """Rows of words: itself, its class and endings, and its neighbours."""
        return self._rows(*self.token_places(sentences))

    def token_places(self, sentences: list[list[str]]) -> tuple[NDArray[np.int64], NDArray[np.int32]]:
        """Where the features of each word begin, and their numbers."""
        rows: list[Codes] = []
        for words in sentences:
            own = self._values(words)
            ends = [np.array([_code(w[-k:]) for w in words], np.uint64) for k in (1, 2, 3)]
            padded = {name: np.concatenate([[1], v, [2]]).astype(np.uint64) for name, v in own.items()}
            seen = [own["word"], own["class"], own["shape"], *ends]
            seen += [padded["word"][:-2], padded["word"][2:]]
            seen += [
                _mixed(padded["class"][:-2], own["class"]),
                _mixed(own["class"], padded["class"][2:]),
            ]
            rows.append(
                np.stack([_mixed(v, k + 101) for k, v in enumerate(seen)], axis=1)
                if words
                else np.zeros((0, len(seen)), np.uint64)
            )
        return self._places(rows)

    def span_rows(self, sentences: list[list[str]]) -> _core.Rows | None:
        """Rows of all spans, those that end first before others, then the longer ones first."""
        templates = self.compiled()
        if not templates:
            return None
        return self._rows(*self._places([self._spans(words, templates) for words in sentences]))

    def _spans(self, words: Sequence[str], templates: list[list[tuple[str, str]]]) -> Codes:
        n = len(words)
        ends = np.repeat(np.arange(1, n + 1), np.arange(1, n + 1))
        begins = np.arange(len(ends)) - (ends - 1) * ends // 2
        values = {
            name: np.concatenate([[1], v, [2]]).astype(np.uint64)
            for name, v in self._values(words).items()
        }
        length = np.searchsorted(BINS, ends - begins, side="right").astype(np.uint64)
        columns = []
        for number, atoms in enumerate(templates):
            hashed = np.full(len(ends), number + 1, np.uint64)
            for place, value in atoms:
                if value == "length" and not place:
                    hashed = _mixed(hashed, length)
                elif not place:
                    hashed = _mixed(hashed, self._span_shape(values["class"], begins, ends))
                else:
                    side, offset = PLACES[place]
                    hashed = _mixed(hashed, values[value][(ends if side else begins) + offset + 1])
            columns.append(hashed)
        return np.stack(columns, axis=1)

    @staticmethod
    def _span_shape(classes: Codes, begins: NDArray[Any], ends: NDArray[Any]) -> Codes:
        found = (ends - begins).astype(np.uint64)
        for k in range(SHORT):
            inside = (begins + k < ends) & (ends - begins <= SHORT)
            own = classes[np.minimum(begins + k + 1, len(classes) - 1)]
            found = np.where(inside, _mixed(found, own), found)
        return np.where(ends - begins <= SHORT, found, np.uint64(0))

    def _places(self, rows: list[Codes]) -> tuple[NDArray[np.int64], NDArray[np.int32]]:
        """Several features of one place count once."""
        table = np.concatenate(rows) if rows else np.zeros((0, 1), np.uint64)
        places = np.sort((table >> np.uint64(64 - self.hash_bits)).astype(np.int32), axis=1)
        fresh = np.ones(places.shape, bool)
        fresh[:, 1:] = places[:, 1:] != places[:, :-1]
        starts = np.concatenate([[0], np.cumsum(fresh.sum(axis=1))]).astype(np.int64)
        return starts, places[fresh]

    def _rows(self, starts: NDArray[np.int64], places: NDArray[np.int32]) -> _core.Rows:
        ones = np.ones(len(places), np.float32)
        return _core.Rows.csr(starts, places, ones, 2**self.hash_bits, 0.0)
