"""A vocabulary in a file of its smallest size.

Prediction reads the table of slots, which is mapped and stays as it is. All else is for learning on
and for showing names: it is compressed by zlib, and unpacked when somebody asks for it.
"""

from __future__ import annotations

import zlib
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from linnet.errors import DataError

Tensors = dict[str, NDArray[Any]]
SUFFIX = ".deflated"
LEVEL = 6  # what zlib itself takes
_LOW = np.uint64(0xFFFFFFFF)
_SHIFT = np.uint64(32)
# Slots begin with the low half of a hash, and a feature lies in or behind the line of eight slots where
# the high half sends it. So the high half differs little from what the line says; the lead keeps it
# positive.
_LEAD = np.uint32(1 << 20)


def deflated(tensors: Mapping[str, NDArray[Any]]) -> Tensors:
    """The tensors of a vocabulary with names, made small."""
    found = dict(tensors)
    name_bytes, offsets = found.pop("name_bytes"), found.pop("name_offsets")
    found["names" + SUFFIX] = _deflate(name_bytes.tobytes())
    found["name_lengths" + SUFFIX] = _deflate_numbers(np.diff(offsets).astype(np.uint32))
    if "df" in found:
        found["df" + SUFFIX] = _deflate_numbers(found.pop("df"))
    slots, hashes = found["slots"], found.pop("hashes")
    places, ids = _features(slots)
    if len(ids) == len(hashes) and (ids < len(hashes)).all():
        high = (hashes[ids] >> _SHIFT).astype(np.uint32)
        rest = high - _expected(places, len(slots))
        if np.array_equal(_hashes(slots, rest, len(hashes)), hashes):
            found["hashes" + SUFFIX] = _deflate_numbers(rest)
            return found
    found["hashes"] = hashes  # of another table; whoever made it
    return found


def is_deflated(tensors: Mapping[str, NDArray[Any]]) -> bool:
    """Was it made by `deflated`?"""
    return "names" + SUFFIX in tensors


class DeflatedVocabulary(Mapping[str, NDArray[Any]]):
    """The tensors that `deflated` was given; each is unpacked when it is first asked for."""

    def __init__(
        self,
        tensors: Mapping[str, NDArray[Any]],
        slots: NDArray[np.uint64],
        size: int,
        with_df: bool,
    ) -> None:
        self._packed = tensors
        self._size = size
        self._ready: Tensors = {"slots": slots}
        if "hashes" in tensors:
            self._ready["hashes"] = tensors["hashes"]
        self._names = ["slots", "hashes", "name_bytes", "name_offsets", *(["df"] if with_df else [])]
        wanted = ["names", "name_lengths", *([] if "hashes" in tensors else ["hashes"])]
        for name in wanted + self._names[4:]:
            array = tensors.get(name + SUFFIX)
            if array is None or array.dtype != np.uint8 or array.ndim != 1:
                raise _damaged(f"{name + SUFFIX} is missing or not of bytes")
        hashes = self._ready.get("hashes")
        if hashes is not None and (hashes.dtype != np.uint64 or hashes.shape != (size,)):
            raise _damaged("there must be one hash for each feature")

    def __getitem__(self, name: str) -> NDArray[Any]:
        if name not in self._names:
            raise KeyError(name)
        if name not in self._ready:
            self._ready[name] = self._unpacked(name)
        return self._ready[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._names)

    def __len__(self) -> int:
        return len(self._names)

    def _unpacked(self, name: str) -> NDArray[Any]:
        if name == "name_offsets":
            lengths = self._numbers("name_lengths", self._size)
            return np.concatenate([np.zeros(1, np.int64), np.cumsum(lengths, dtype=np.int64)])
        if name == "name_bytes":
            return self._bytes("names", int(self["name_offsets"][-1]))
        if name == "df":
            return self._numbers("df", self._size)
        slots = self["slots"]
        return _hashes(slots, self._numbers("hashes", int(np.count_nonzero(slots))), self._size)

    def _numbers(self, name: str, size: int) -> NDArray[np.uint32]:
        planes = self._bytes(name, 4 * size).reshape(4, size)
        return np.ascontiguousarray(planes.T).view("<u4").reshape(-1).astype(np.uint32, copy=False)

    def _bytes(self, name: str, size: int) -> NDArray[np.uint8]:
        """Exactly so many: a file cannot ask for more memory than its features and names need."""
        unpacker = zlib.decompressobj()
        try:
            data = unpacker.decompress(self._packed[name + SUFFIX].tobytes(), size + 1)
        except (zlib.error, OverflowError) as error:
            raise _damaged(f"{name}: {error}") from None
        if len(data) != size or not unpacker.eof:
            raise _damaged(f"{name} must be {size} bytes")
        return np.frombuffer(data, np.uint8)


def _features(slots: NDArray[np.uint64]) -> tuple[NDArray[np.intp], NDArray[np.uint64]]:
    """The slots that are taken, and the numbers of the features in them."""
    places = np.flatnonzero(slots)
    return places, (slots[places] & _LOW) - np.uint64(1)


def _expected(places: NDArray[np.intp], slots: int) -> NDArray[np.uint32]:
    """The least high half of a hash whose home is the line of this slot, less the lead."""
    lines = places.astype(np.uint64) & ~np.uint64(7)
    least = (lines << _SHIFT) // np.uint64(slots)
    return least.astype(np.uint32) - _LEAD


def _hashes(slots: NDArray[np.uint64], rest: NDArray[np.uint32], size: int) -> NDArray[np.uint64]:
    places, ids = _features(slots)
    if len(places) != size or not (ids < size).all():
        raise _damaged("its table has not one slot for each feature")
    high = (rest + _expected(places, len(slots))).astype(np.uint64)
    found = np.zeros(size, np.uint64)
    found[ids.astype(np.intp)] = high << _SHIFT | slots[places] >> _SHIFT
    return found


def _deflate_numbers(numbers: NDArray[np.uint32]) -> NDArray[np.uint8]:
    """First all low bytes, then all next ones …: high bytes are mostly equal."""
    planes = numbers.astype("<u4").view(np.uint8).reshape(-1, 4).T
    return _deflate(np.ascontiguousarray(planes).tobytes())


def _deflate(data: bytes) -> NDArray[np.uint8]:
    return np.frombuffer(zlib.compress(data, LEVEL), np.uint8)


def _damaged(how: str) -> DataError:
    return DataError(f"the text features are damaged: {how}")
