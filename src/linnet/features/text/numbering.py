"""Two ways to number features: by first occurrence, and by hash."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

import linnet._core as _core
from linnet._params import whole
from linnet.errors import DataError
from linnet.features.text.deflated import DeflatedVocabulary, is_deflated
from linnet.features.text.names import BucketNames, StoredNames

Tensors = dict[str, NDArray[Any]]


class InternedFeatures:
    """A vocabulary: a growing one of the core, or the arrays of a file."""

    collisions = 0

    def __init__(self, min_df: float, max_df: float, max_features: int | None) -> None:
        self._bounds = (min_df, max_df, max_features)
        self._counter: _core.FeatureCounter | None = _core.FeatureCounter()
        self._stored: Mapping[str, NDArray[Any]] = {}
        self._size = 0

    @property
    def size(self) -> int:
        return self._size if self._counter is None else self._counter.size

    def fit(
        self, texts: _core.Texts, analyzer: _core.Analyzer, counted: bool, threads: int
    ) -> _core.CountedRows:
        bounds = self._kept(len(texts))
        counter = _core.FeatureCounter()
        rows = counter.count(texts, analyzer, counted, threads)
        counter.select(*bounds, rows)
        counter.name(texts, analyzer, threads)
        self._counter = counter
        return rows

    def _kept(self, documents: int) -> tuple[float, float, int]:
        """In how many documents features occur, at least and at most, and how many features stay."""
        min_df, max_df, max_features = self._bounds
        lowest = _documents("min_df", min_df, documents)
        highest = _documents("max_df", max_df, documents)
        if highest < lowest and isinstance(min_df, float) == isinstance(max_df, float):
            raise ValueError(f"max_df={max_df} allows fewer documents than min_df={min_df}")
        most = np.iinfo(np.int64).max if max_features is None else whole("max_features", max_features)
        return lowest, highest, int(most)

    def prune(self, documents: int) -> NDArray[np.int32] | None:
        """The same of features that have grown: the new number of each, -1 if it is gone.

        None if all stay.
        """
        renumbered = self._growing().prune(*self._kept(documents))
        return renumbered if len(renumbered) else None

    def seen(self) -> Tensors:
        """What has been counted so far, for a vocabulary elsewhere to `merge`."""
        found = self.tensors(with_df=True)
        del found["slots"]
        return found

    def merge(self, seen: Mapping[str, NDArray[Any]]) -> NDArray[np.int32]:
        """Features that were `seen` in texts that come after all these; their numbers here."""
        return self._growing().merge(
            seen["hashes"], seen["df"], seen["name_bytes"], seen["name_offsets"]
        )

    @classmethod
    def frozen(cls, slots: NDArray[np.uint64], size: int) -> InternedFeatures:
        """Numbers alone, without names: enough to make rows."""
        self = cls(1, 1.0, None)
        self._use({"slots": slots}, size)
        return self

    @property
    def bytes(self) -> int:
        """What the vocabulary takes, or soon will."""
        return 0 if self._counter is None else self._counter.bytes

    def grow(
        self, texts: _core.Texts, analyzer: _core.Analyzer, counted: bool, threads: int
    ) -> _core.CountedRows:
        counter = self._growing()
        rows = counter.count(texts, analyzer, counted, threads)
        counter.name(texts, analyzer, threads)
        return rows

    def _growing(self) -> _core.FeatureCounter:
        if self._counter is None:
            stored = self._stored
            df = stored.get("df")
            if df is None:  # nobody asked for them
                df = np.zeros(self._size, dtype=np.uint32)
            self._counter = _core.FeatureCounter(
                stored["hashes"], df, stored["name_bytes"], stored["name_offsets"]
            )
            self._stored = {}
        return self._counter

    @property
    def table(self) -> _core.FeatureTable:
        slots = self._stored["slots"] if self._counter is None else self._counter.slots
        return _core.FeatureTable.interned(slots, self.size)

    @property
    def names(self) -> Sequence[str]:
        if self._counter is None:
            return StoredNames(self._stored["name_bytes"], self._stored["name_offsets"])
        return StoredNames(self._counter.name_bytes, self._counter.name_offsets)

    @property
    def document_frequencies(self) -> NDArray[np.uint32]:
        if self._counter is None:
            return self._stored["df"]
        return self._counter.document_frequencies

    def tensors(self, with_df: bool) -> Tensors:
        counter = self._counter
        if counter is None:
            return dict(self._stored)
        found: Tensors = {
            "slots": counter.slots,
            "hashes": counter.hashes,
            "name_bytes": counter.name_bytes,
            "name_offsets": counter.name_offsets,
        }
        if with_df:
            found["df"] = counter.document_frequencies
        return found

    def restore(self, tensors: Mapping[str, NDArray[Any]], size: int, with_df: bool) -> None:
        """The inverse of `tensors`; lengths are checked here, ids where they are used."""
        if is_deflated(tensors):
            slots = checked(tensors, {"slots": (np.uint64, None)})["slots"]
            self._use(DeflatedVocabulary(tensors, slots, size, with_df), size)
            return
        wanted: dict[str, tuple[Any, int | None]] = {
            "slots": (np.uint64, None),
            "hashes": (np.uint64, size),
            "name_bytes": (np.uint8, None),
            "name_offsets": (np.int64, size + 1),
        }
        stored = checked(tensors, wanted | ({"df": (np.uint32, size)} if with_df else {}))
        if stored["name_offsets"][0] != 0 or stored["name_offsets"][-1] != len(stored["name_bytes"]):
            raise DataError("the text features are damaged: the names do not end where they should")
        self._use(stored, size)

    def _use(self, stored: Mapping[str, NDArray[Any]], size: int) -> None:
        self._counter = None
        self._stored, self._size = stored, size
        try:
            _core.FeatureTable.interned(stored["slots"], size)
        except ValueError as error:
            raise DataError(f"the text features are damaged: {error}") from None


class HashedFeatures:
    """The leading bits of the hash; beside them, if asked for, a dictionary for the names."""

    def __init__(self, bits: int, keep_names: bool, with_df: bool = True) -> None:
        bits = whole("hash_bits", bits)
        self.table = _core.FeatureTable.hashed(bits)
        self.size = 1 << bits
        self._bits = bits
        self._dictionary = InternedFeatures(1, 1.0, None) if keep_names else None
        self._with_df = with_df  # counting them takes time
        self.document_frequencies: NDArray[np.int64] = np.zeros(0, dtype=np.int64)

    def fit(
        self, texts: _core.Texts, analyzer: _core.Analyzer, counted: bool, threads: int
    ) -> _core.CountedRows:
        return self.grow(texts, analyzer, counted, threads)

    def grow(
        self, texts: _core.Texts, analyzer: _core.Analyzer, counted: bool, threads: int
    ) -> _core.CountedRows:
        if self._dictionary is not None:
            self._dictionary.grow(texts, analyzer, False, threads)
        rows = self.table.count(texts, analyzer, counted, threads)
        if self._with_df:
            if not len(self.document_frequencies):
                self.document_frequencies = np.zeros(self.size, dtype=np.int64)
            elif not self.document_frequencies.flags.writeable:  # those of a file
                self.document_frequencies = self.document_frequencies.copy()
            rows.add_document_frequencies(self.document_frequencies)
        return rows

    def seen(self) -> Tensors:
        """As of `InternedFeatures`: names if they are kept, and documents of buckets that occur."""
        found = {} if self._dictionary is None else self._dictionary.seen()
        if self._with_df:
            found["buckets"] = np.flatnonzero(self.document_frequencies)
            found["bucket_df"] = self.document_frequencies[found["buckets"]]
        return found

    def merge(self, seen: Mapping[str, NDArray[Any]]) -> None:
        """The same, into buckets that have their numbers."""
        if self._dictionary is not None:
            self._dictionary.merge(seen)
        if self._with_df:
            if not len(self.document_frequencies):
                self.document_frequencies = np.zeros(self.size, dtype=np.int64)
            self.document_frequencies[seen["buckets"]] += seen["bucket_df"]

    @property
    def names(self) -> BucketNames:
        if self._dictionary is None:
            return BucketNames(self._bits, np.zeros(0, dtype=np.uint64), ())
        return BucketNames(
            self._bits, self._dictionary.tensors(False)["hashes"], self._dictionary.names
        )

    @property
    def collisions(self) -> int:
        if self._dictionary is None:
            raise ValueError("collisions are counted when names are kept; set keep_names=True")
        return self.names.collisions

    def tensors(self, with_df: bool) -> Tensors:
        found = {} if self._dictionary is None else self._dictionary.tensors(False)
        if with_df:
            found["df"] = self.document_frequencies
        return found

    def restore(self, tensors: Mapping[str, NDArray[Any]], size: int, with_df: bool) -> None:
        """The inverse of `tensors`."""
        if size != self.size:
            raise DataError(f"the text features are damaged: {size} features of {self._bits} bits")
        if with_df:
            self.document_frequencies = checked(tensors, {"df": (np.int64, size)})["df"]
        if self._dictionary is not None:
            named = checked(tensors, {"hashes": (np.uint64, None)})["hashes"]
            self._dictionary.restore(tensors, len(named), with_df=False)


def _documents(name: str, bound: float, documents: int) -> float:
    """A bound on document frequency: an int as it is, a float as a share."""
    if isinstance(bound, (int, np.integer)) and not isinstance(bound, bool) and bound >= 0:
        return float(bound)
    if isinstance(bound, (float, np.floating)) and 0 <= bound <= 1:
        return float(bound) * documents
    raise ValueError(
        f"{name} must be a number of documents (int) or a share from 0.0 to 1.0, not {bound!r}"
    )


def checked(
    tensors: Mapping[str, NDArray[Any]], wanted: Mapping[str, tuple[Any, int | None]]
) -> Tensors:
    """The tensors of these names, if their types and lengths (None: any) are right."""
    found: Tensors = {}
    for name, (dtype, size) in wanted.items():
        if name not in tensors:
            raise DataError(f"the text features are damaged: there is no {name}")
        array = tensors[name]
        if array.dtype != dtype or array.ndim != 1 or size not in (None, len(array)):
            raise DataError(
                f"the text features are damaged: {name} must be {np.dtype(dtype)}"
                f"{'' if size is None else f' of length {size}'}, not {array.dtype} {array.shape}"
            )
        found[name] = array
    return found
