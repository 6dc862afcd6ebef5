"""Spans as segments: tags of any scheme to codes of tokens and back, and what a segment may be.

The codes of the core, over types 1 … K: 0 outside, y for the first token of a segment of type y,
K + y for the others. They are the tags O, B, I of the scheme iob2.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from linnet.data.chunks import (
    LETTERS,
    O,
    convert_column,
    find_chunks,
    is_chunked,
    scheme_named,
    scheme_of,
    tag_name,
    tag_parts,
)
from linnet.data.examples import LabelColumn
from linnet.data.sequences import MISSING, Sequences
from linnet.errors import DataError

LENGTHS = 5  # 1, 2, 3, 4, and 5 or more

Codes = NDArray[np.int32]
Offsets = NDArray[np.int64]
Scores = NDArray[np.float64]


@dataclass(frozen=True)
class SegmentShape:
    """The types of segments, the scheme of tags that writes them, and how long they may be."""

    types: tuple[str, ...]
    scheme: str
    longest: int = 0  # 0: any length

    @classmethod
    def of(cls, data: Sequences, scheme: Any = None, longest: int | None = None) -> SegmentShape:
        """That of tagged sentences; tags that speak of no spans are refused."""
        column = data.labels
        assert column is not None
        names = [column.names[k] for k in np.unique(column.codes) if k >= 0]
        if not is_chunked(names):
            other = next((name for name in names if name != "O"), "O")
            raise DataError(
                f"segments are spans written as tags such as B-X, I-X and O, and {other!r} is none; "
                f"leave out segments=True"
            )
        if (column.codes == MISSING).any():
            at = int(np.flatnonzero(column.codes == MISSING)[0])
            sentence = int(np.searchsorted(data.offsets, at, "right"))
            raise DataError(
                f"sentence {sentence} has a token without a tag: segments need all of them; leave out "
                f"segments=True, and missing tags are summed out"
            )
        found = scheme_named(scheme) if scheme is not None else scheme_of(column, data.offsets)
        assert found is not None
        shape = cls(tuple(tag_parts(names).names), found, longest or 0)
        shape._check_lengths(column, data.offsets)
        return shape

    def _check_lengths(self, column: LabelColumn, offsets: Offsets) -> None:
        chunks = find_chunks(column, offsets)
        sizes = chunks.ends - chunks.begins
        if self.longest and (sizes > self.longest).any():
            k = int((sizes > self.longest).argmax())
            sentence = int(np.searchsorted(offsets, chunks.begins[k], "right"))
            token = int(chunks.begins[k] - offsets[sentence - 1]) + 1
            raise DataError(
                f"sentence {sentence}: the span of type {chunks.names[chunks.types[k]]} from token "
                f"{token} on has {sizes[k]} tokens, and longest={self.longest}; at least "
                f"{int(sizes.max())} would do, and longest=None takes any"
            )

    @property
    def n_types(self) -> int:
        return len(self.types)

    @property
    def lengths(self) -> int:
        """How many lengths have weights; the last stands for all longer ones."""
        return min(LENGTHS, self.longest) if self.longest else LENGTHS

    @property
    def n_codes(self) -> int:
        """Codes of tokens."""
        return 2 * self.n_types + 1

    @cached_property
    def tags(self) -> list[str]:
        """All that the scheme has for the types, sorted."""
        letters = [letter for letter in LETTERS[self.scheme][1:] if letter != "."]
        return sorted(["O", *(tag_name(letter, name) for letter in letters for name in self.types)])

    @cached_property
    def _code_names(self) -> list[str]:
        return ["O", *(tag_name(letter, name) for letter in "BI" for name in self.types)]

    def read(self, column: LabelColumn, offsets: Offsets) -> Codes:
        """Codes of the spans that tags make, which are read as conlleval reads them."""
        return _renamed(convert_column(column, offsets, "iob2"), self._code_names)

    def read_places(self, places: Codes, offsets: Offsets) -> Codes:
        """The same of places among ``tags``."""
        return self.read(LabelColumn(self.tags, places), offsets)

    def write(self, codes: Codes, offsets: Offsets) -> Codes:
        """Places among ``tags`` of the tags that say the same as codes."""
        column = LabelColumn(self._code_names, codes)
        return _renamed(convert_column(column, offsets, self.scheme), self.tags)

    def tag_probabilities(self, marginals: Scores, offsets: Offsets) -> Scores:
        """(tokens, tags) of the core's: outside, first, inside, last, single, touching."""
        K = self.n_types
        outside = marginals[:, 0]
        first, inside, last, single, touching = (
            marginals[:, 1 + k * K : 1 + (k + 1) * K] for k in range(5)
        )
        every = first + inside
        if self.scheme == "ioe1":  # last, and another of the type begins with the next token
            touching = np.vstack([touching[1:], np.zeros((1, K))])
            touching[offsets[1:][np.diff(offsets) > 0] - 1] = 0
        by_letter = {
            "iob2": {"B": first, "I": inside},
            "iob1": {"B": touching, "I": every - touching},
            "ioe2": {"E": last, "I": every - last},
            "ioe1": {"E": touching, "I": every - touching},
        }.get(self.scheme)
        if by_letter is None:
            parts = (first - single, every - first - last + single, last - single, single)
            by_letter = dict(zip(LETTERS[self.scheme][1:], parts, strict=True))
        found = {"O": outside} | {
            tag_name(letter, name): block[:, k]
            for letter, block in by_letter.items()
            for k, name in enumerate(self.types)
        }
        return np.maximum(np.stack([found[tag] for tag in self.tags], axis=1), 0.0)


def _renamed(column: LabelColumn, names: list[str]) -> Codes:
    place = {name: k for k, name in enumerate(names)}
    table = np.array([*(place[name] for name in column.names), O], np.int32)
    return table[column.codes]
