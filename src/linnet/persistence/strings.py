"""Lists of strings as two tensors: all bytes, and where each string begins and ends."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from linnet.persistence.errors import ModelFileError
from linnet.persistence.reading import ModelFile


def pack_strings(name: str, strings: Iterable[str]) -> dict[str, NDArray[Any]]:
    """Tensors ``name.bytes`` (UTF-8) and ``name.offsets`` (int64, one more than strings)."""
    encoded = [s.encode("utf-8", "surrogatepass") for s in strings]
    offsets = np.cumsum([0, *(len(s) for s in encoded)], dtype=np.int64)
    return {f"{name}.bytes": np.frombuffer(b"".join(encoded), np.uint8), f"{name}.offsets": offsets}


class StoredStrings:
    """Strings of a model file; nothing is read before it is asked for."""

    def __init__(self, file: ModelFile, name: str) -> None:
        self.file = file
        self.name = name
        self.bytes = file.tensor(f"{name}.bytes", "u")
        self.offsets = file.tensor(f"{name}.offsets", "i")
        if len(self.offsets) == 0:
            raise self._wrong("have no offsets")

    def __len__(self) -> int:
        return len(self.offsets) - 1

    def decode(self) -> list[str]:
        """All of them."""
        at = self.offsets.astype(np.int64)
        if at[0] != 0 or at[-1] != self.bytes.nbytes or (at[1:] < at[:-1]).any():
            raise self._wrong("have offsets out of order")
        raw, places = self.bytes.tobytes(), at.tolist()
        try:
            return [raw[a:b].decode("utf-8", "surrogatepass") for a, b in pairwise(places)]
        except UnicodeDecodeError:
            raise self._wrong("are not UTF-8") from None

    def _wrong(self, how: str) -> ModelFileError:
        return self.file.error(f"the strings {self.name!r} {how}")
