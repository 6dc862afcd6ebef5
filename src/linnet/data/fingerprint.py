"""A short name for what a model was trained on."""

from __future__ import annotations

from hashlib import blake2b
from typing import Any

import numpy as np
from numpy.typing import NDArray

import linnet._core as _core
from linnet.data.examples import Examples


def fingerprint(examples: Examples) -> str:
    """64 bits in hex over texts or rows, labels and weights, in their order.

    It depends on the data alone: not on the file's name or format, nor on the machine.
    """
    digest = blake2b(digest_size=8)

    def add(name: str, values: NDArray[Any], dtype: str) -> None:
        digest.update(f"{name} {len(values)}\n".encode())
        digest.update(np.ascontiguousarray(values, dtype).tobytes())

    if examples.texts is not None:
        digest.update(f"texts {len(examples.texts)} {_core.hash_texts(examples.texts)}\n".encode())
    if examples.matrix is not None:
        add("indptr", examples.matrix.indptr, "<i8")
        add("indices", examples.matrix.indices, "<i4")
        add("values", examples.matrix.values, "<f4")
    if examples.labels is not None:
        labels = examples.labels
        used, codes = np.unique(labels.codes, return_inverse=True)
        digest.update("\0".join(labels.names[code] for code in used.tolist()).encode())
        add("codes", codes, "<i4")
        if labels.offsets is not None:
            add("offsets", labels.offsets, "<i8")
    if examples.weights is not None:
        add("weights", examples.weights, "<f8")
    return digest.hexdigest()
