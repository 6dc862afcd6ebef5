"""Document vectors: the directions in which rows vary most, by a randomised decomposition.

Halko, Martinsson and Tropp (2011): a random projection, power iterations, and a small exact problem.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

MORE = 10  # random directions beyond those wanted
ROUNDS = 2  # of power iteration


def directions(rows: Any, size: int, seed: int = 0) -> NDArray[np.float32]:
    """V, (features, size or fewer): the leading right singular vectors of sparse ``rows``.

    A text's vector is Vᵀx. It is linear in the row: what a model says of vectors it says of words.
    """
    n, features = rows.shape
    width = min(size + MORE, n, features)
    rows = rows.astype(np.float32)
    across = rows.T.tocsr()
    random = np.random.default_rng(seed).standard_normal((features, width), dtype=np.float32)
    basis = np.linalg.qr(rows @ random)[0]  # (n, width)
    for _ in range(ROUNDS):
        basis = np.linalg.qr(rows @ (across @ basis))[0]  # of texts alone: there are more features
    small = across @ basis  # (features, width): its left singular vectors are V
    values, turned = np.linalg.eigh((small.T @ small).astype(np.float64))
    kept = np.argsort(-values, kind="stable")[: min(size, width)]
    kept = kept[values[kept] > 1e-7 * values.max(initial=0.0)]
    found = small @ (turned[:, kept] / np.sqrt(values[kept])).astype(np.float32)
    signs = np.where(found.sum(axis=0) < 0, -1, 1)  # one of two that are as good
    return np.asarray(found * signs, dtype=np.float32)
