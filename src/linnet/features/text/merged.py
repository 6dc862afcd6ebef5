"""Texts that are counted in many places: what each place has seen, joined in the order of texts.

Features are numbered by their first occurrence among all texts, pruned, weighed and named as if all had
been in one place. What makes rows of texts afterwards is small, and is sent to where the texts are.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

import linnet._core as _core
from linnet.data.matrix import CsrRows
from linnet.features.text.counted import GrowingFeatures
from linnet.features.text.features import TextFeatures
from linnet.features.text.numbering import HashedFeatures, InternedFeatures

LABELS = 2  # so many have values v that depend on labels; of more, rows are left unscaled


@dataclass(frozen=True)
class SeenFeatures:
    """What the texts of one place show: their features, in the order of first occurrence."""

    documents: int
    entries: int  # of their rows, before anything is pruned
    arrays: Mapping[str, NDArray[Any]]  # as of `InternedFeatures.seen`, or `HashedFeatures.seen`
    # For scale="nb", unless there are more labels: which features occur with labels (interned: all),
    # and the sums t(c) of each over the texts of a label, by its name.
    occurring: NDArray[np.int64] | None = None
    sums: Mapping[str, NDArray[np.float64]] | None = None


class SeeingFeatures(GrowingFeatures):
    """Features that see the texts of one place, some at a time."""

    def __init__(self, features: TextFeatures, threads: int) -> None:
        super().__init__(features)
        self.threads = threads
        self._labels: dict[str, int] = {}  # as they came
        self._sums = _core.LabelSums(0, LABELS) if features.scale == "nb" else None

    def add(self, source: Any, codes: NDArray[np.int32], labels: Sequence[str]) -> None:
        """The next texts, whose labels are numbers of ``labels``."""
        features, numbering = self.features, growing(self.features)
        texts = features.prepared(source)
        counted = numbering.grow(texts, features._analyzer, features.tf != "binary", self.threads)
        self.documents += len(texts)
        self.entries += counted.entries
        if self._sums is None:
            return
        here = [self._labels.setdefault(label, len(self._labels)) for label in labels]
        if len(self._labels) > LABELS or len(codes) != len(texts):  # or a text has several
            self._sums = None
            return
        self._sums.grow(numbering.size)
        self._sums.add(counted, np.array(here, np.int32)[codes], features.tf)

    def seen(self) -> SeenFeatures:
        """All of it."""
        numbering, occurring, sums = growing(self.features), None, None
        if self._sums is not None:
            table = self._sums.sums
            if isinstance(numbering, HashedFeatures):
                occurring = np.flatnonzero(table.any(axis=1))
                table = table[occurring]
            sums = {label: np.ascontiguousarray(table[:, k]) for label, k in self._labels.items()}
        return SeenFeatures(self.documents, self.entries, numbering.seen(), occurring, sums)


def growing(features: TextFeatures) -> InternedFeatures | HashedFeatures:
    """How features are numbered that have been started: nothing is packed yet."""
    numbering = features._features
    assert isinstance(numbering, (InternedFeatures, HashedFeatures))
    return numbering


class MergedFeatures(GrowingFeatures):
    """Features that learn from what was seen in many places."""

    def __init__(self, features: TextFeatures) -> None:
        super().__init__(features)
        self._sums: dict[str, NDArray[np.float64]] = {}  # by label, of all features so far

    def add(self, seen: SeenFeatures) -> None:
        """What the next texts have shown."""
        numbering = growing(self.features)
        numbers = numbering.merge(seen.arrays)
        self.documents += seen.documents
        self.entries += seen.entries
        places = seen.occurring if numbers is None else numbers
        for label, sums in (seen.sums or {}).items():
            before = self._sums.get(label, np.zeros(0))
            if len(before) < numbering.size:
                before = np.concatenate([before, np.zeros(numbering.size - len(before))])
            before[places] += sums
            self._sums[label] = before

    def label_ratios(
        self, codes: NDArray[np.int32], features: int, labels: int, alpha: float, tf: str
    ) -> NDArray[np.float32]:
        """Of the sums; labels are numbered in the order of their names."""
        table = np.zeros((self._size, labels))
        for k, label in enumerate(sorted(self._sums)):
            table[: len(self._sums[label]), k] = self._sums[label]
        if self._renumbered is not None:
            table = table[self._renumbered >= 0]
        self._sums = {}
        return _core.LabelSums.of(np.ascontiguousarray(table)).ratios(alpha)


@dataclass(frozen=True)
class RowMaker:
    """Settled features without their names: all that rows of texts are made by."""

    settings: Mapping[str, Any]
    size: int
    slots: NDArray[np.uint64] | None  # None: features are hashed
    values: NDArray[np.float32] | None

    @classmethod
    def of(cls, features: TextFeatures) -> RowMaker:
        """To be sent to other machines."""
        numbering = features.numbering
        slots = None
        if isinstance(numbering, InternedFeatures):
            slots = numbering.tensors(with_df=False)["slots"]
        settings = features.get_params(deep=False)
        return cls(settings, numbering.size, slots, features.own_values)

    def features(self) -> TextFeatures:
        """Those that make the same rows."""
        made = TextFeatures(**self.settings)
        made._start()
        if self.slots is not None:
            made._features = InternedFeatures.frozen(self.slots, self.size)
        made._values = self.values
        return made

    def rows(self, texts: Any, threads: int = 1) -> CsrRows:
        """Of texts."""
        return self.features().rows(texts, threads)
