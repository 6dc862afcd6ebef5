"""A short name for what a model was trained on."""

from __future__ import annotations

from dataclasses import dataclass
from hashlib import blake2b
from typing import Any

import numpy as np
from numpy.typing import NDArray

import linnet._core as _core
from linnet.data.examples import Examples, LabelColumn
from linnet.data.sequences import Sequences


@dataclass(frozen=True)
class TextsSeen:
    """What is known of texts that have gone by."""

    count: int = 0
    bytes: int = 0
    hash: int = 0

    def with_more(self, texts: _core.Texts) -> TextsSeen:
        """And of these."""
        return TextsSeen(
            self.count + len(texts),
            self.bytes + texts.size_in_bytes,
            _core.hash_texts(texts, self.hash),
        )

    def with_hashes(self, hashes: NDArray[np.uint64], size: int) -> TextsSeen:
        """And of texts that others have seen: the hash of each, and the bytes of all."""
        hash_ = _core.combine_hashes(hashes, self.hash)
        return TextsSeen(self.count + len(hashes), self.bytes + size, hash_)


@dataclass(frozen=True)
class LabelledSeen:
    """Texts that have gone by, and their labels, which are still there."""

    texts: TextsSeen
    labels: LabelColumn
    matrix: None = None
    weights: None = None


def fingerprint(examples: Examples | Sequences | LabelledSeen) -> str:
    """64 bits in hex over texts, columns or rows, labels and weights, in their order.

    It depends on the data alone: not on the file's name or format, nor on the machine.
    """
    digest = blake2b(digest_size=8)

    def add(name: str, values: NDArray[Any], dtype: str) -> None:
        digest.update(f"{name} {len(values)}\n".encode())
        digest.update(np.ascontiguousarray(values, dtype).tobytes())

    def add_texts(name: str, texts: _core.Texts | TextsSeen) -> None:
        seen = texts if isinstance(texts, TextsSeen) else TextsSeen().with_more(texts)
        digest.update(f"{name} {seen.count} {seen.hash}\n".encode())

    if isinstance(examples, Sequences):
        matrix = examples.attributes
        add("sentences", examples.offsets, "<i8")
        for name, texts in examples.columns.items():
            add_texts(f"column {name}", texts)
        digest.update("\0".join(examples.attribute_names or ()).encode())
    else:
        matrix = examples.matrix
        if examples.texts is not None:
            add_texts("texts", examples.texts)
    if matrix is not None:
        add("indptr", matrix.indptr, "<i8")
        add("indices", matrix.indices, "<i4")
        add("values", matrix.values, "<f4")
    if examples.labels is not None:
        labels = examples.labels
        used, codes = np.unique(labels.codes, return_inverse=True)
        names = [*labels.names, ""]  # a missing tag has the code -1
        digest.update("\0".join(names[code] for code in used.tolist()).encode())
        add("codes", codes, "<i4")
        if labels.offsets is not None:
            add("offsets", labels.offsets, "<i8")
    if examples.weights is not None:
        add("weights", examples.weights, "<f8")
    return digest.hexdigest()
