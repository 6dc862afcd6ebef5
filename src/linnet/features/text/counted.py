"""Texts that come in parts: counted one part after the other, weighed when all have been.

What is kept of a text are the numbers of its n-grams and how often each occurs, in a file. Features
are numbered, pruned, weighed and named as if all texts had been there at once.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, BinaryIO, NamedTuple

import numpy as np
from numpy.typing import NDArray

import linnet._core as _core
from linnet.features.text.numbering import InternedFeatures

if TYPE_CHECKING:
    from linnet.features.text.features import TextFeatures

LENGTH = struct.Struct("<Q")


class RowPart(NamedTuple):
    """The rows of some texts."""

    indptr: NDArray[np.int64]  # from 0 on
    indices: NDArray[np.int32]
    values: NDArray[np.float32]
    part_starts: NDArray[np.int64] | None  # as of `CsrRows`


class GrowingFeatures:
    """Features that learn from texts some at a time, and are settled when all have come."""

    def __init__(self, features: TextFeatures) -> None:
        if features.statistics or features.numeric or features.categorical:
            raise ValueError(
                "statistics, numeric and categorical: columns beside the text are held in memory as a "
                "whole; leave them out, or train without a limit of memory"
            )
        features._start()
        self.features = features
        self.documents = self.entries = 0
        self._renumbered: NDArray[np.int32] | None = None
        self._size = 0  # of the vocabulary before it was settled

    @property
    def vocabulary_bytes(self) -> int:
        """What the vocabulary takes, or soon will."""
        numbering = self.features._features
        return numbering.bytes if isinstance(numbering, InternedFeatures) else 0

    def settle(self, codes: NDArray[np.int32] | None, n_labels: int) -> None:
        """All texts have come: rare features go, and the others get their values."""
        features, numbering = self.features, self.features._features
        self._size = numbering.size
        if isinstance(numbering, InternedFeatures):
            self._renumbered = numbering.prune(self.documents)
            self.entries = int(numbering.document_frequencies.sum(dtype=np.int64))
        features._documents = self.documents
        features._set_values(self, codes, n_labels)

    def label_ratios(
        self, codes: NDArray[np.int32], features: int, labels: int, alpha: float, tf: str
    ) -> NDArray[np.float32]:
        """As of `CountedRows`."""
        raise NotImplementedError


class CountedTexts(GrowingFeatures):
    """Counts of texts in a file, and the features that learn from them."""

    def __init__(self, features: TextFeatures, file: BinaryIO, threads: int) -> None:
        super().__init__(features)
        self.file, self.threads = file, threads

    def add(self, source: Any) -> None:
        """The next texts."""
        features = self.features
        texts = features.prepared(source)
        counted = features._features.grow(
            texts, features._analyzer, features.tf != "binary", self.threads
        )
        self.documents += len(texts)
        self.entries += counted.entries
        packed = counted.packed()
        self.file.write(LENGTH.pack(len(packed)))
        self.file.write(packed)

    def label_ratios(
        self, codes: NDArray[np.int32], features: int, labels: int, alpha: float, tf: str
    ) -> NDArray[np.float32]:
        """As of `CountedRows`, by a pass over the file."""
        sums, begin = _core.LabelSums(features, labels), 0
        for counted in self._parts():
            sums.add(counted, codes[begin : begin + counted.size], tf)
            begin += counted.size
        return sums.ratios(alpha)

    def rows(self) -> Iterator[RowPart]:
        """Rows of the texts, in their order, by another pass."""
        features = self.features
        for counted in self._parts():
            parts = None if features.mix is None else counted.starts
            arrays = counted.weigh(
                features.tf,
                features.norm,
                features.elementwise,
                features._values,
                self.threads,
                features.part_weights,
            )
            yield RowPart(*arrays, parts)

    def _parts(self) -> Iterator[_core.CountedRows]:
        self.file.seek(0)
        while head := self.file.read(LENGTH.size):
            counted = _core.CountedRows.unpacked(self.file.read(*LENGTH.unpack(head)), self._size)
            if self._renumbered is not None:
                counted.renumber(self._renumbered)
            yield counted
