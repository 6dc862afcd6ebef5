"""Conjunctions of features, hashed: those that occur."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray

from linnet._memory import memory
from linnet._params import flag, whole
from linnet.errors import DataError, RefusedError
from linnet.kernels.base import Array
from linnet.kernels.maps import Keys, Pieces, Transformer, bits_of, columns_of, hashed, mixed
from linnet.kernels.vectors import Linear


class Conjunctions(Transformer):
    """Products of up to ``degree`` features that a row has, hashed into 2^bits columns.

    With ``negated`` the absence of a feature is a literal too, worth 1: k-DNF and k-decision lists are
    linear in conjunctions of k literals. Single features are among them.
    """

    def __init__(self, degree: int = 2, negated: bool = False, bits: int = 18) -> None:
        self.degree = degree
        self.negated = negated
        self.bits = bits

    def transform(self, X: Any) -> Any:
        """Sparse rows."""
        from scipy.sparse import csr_matrix, vstack

        degree, bits = whole("degree", self.degree), bits_of(self.bits)
        if degree > 3:
            raise ValueError(f"degree must be 1, 2 or 3, not {self.degree!r}")
        rows = self._literals(X)
        _check_room(np.diff(rows.indptr), degree)
        literals = csr_matrix((_keys(rows).view(np.int64), rows.indices, rows.indptr), rows.shape)
        made = []
        for begin, end in _pieces(np.diff(rows.indptr), degree):
            keys, values, of = _conjunctions(literals[begin:end], rows[begin:end], degree)
            made.append(hashed(keys, values, of, end - begin, bits))
        return vstack(made, "csr") if made else csr_matrix((0, 1 << bits))

    def pieces(self, X: Any, names: Sequence[str]) -> Pieces:
        """Conjunctions that hold."""
        row, said, keys, values = self._literals(X), [], [], []
        literals = [f"no {names[j - len(names)]}" if j >= len(names) else names[j] for j in row.indices]
        single = _keys(row)
        for size in range(1, whole("degree", self.degree) + 1):
            places = np.array(list(combinations(range(row.nnz), size)), np.int64).reshape(-1, size)
            key = single[places[:, 0]]
            for column in places.T[1:]:
                key = _joined(key, single[column])
            keys.append(key)
            values.append(row.data[places].prod(axis=1))
            said += [" & ".join(literals[k] for k in chosen) for chosen in places.tolist()]
        columns = columns_of(np.concatenate(keys), bits_of(self.bits))
        return Pieces(said, columns, np.concatenate(values))

    def _literals(self, X: Any) -> Any:
        """The features of each row, and with ``negated`` those that it has not."""
        from scipy.sparse import csr_matrix

        rows = csr_matrix(Linear().read(X), dtype=np.float64)
        rows.sum_duplicates()
        rows.eliminate_zeros()
        return _with_absent(rows) if flag("negated", self.negated) else rows


def _keys(rows: Any) -> Keys:
    return mixed(rows.indices.astype(np.uint64) + np.uint64(1), 1)


def _joined(keys: Keys, literals: Keys) -> Keys:
    return mixed(keys * np.uint64(3) + literals, 2)


def _check_room(sizes: NDArray[np.integer[Any]], degree: int) -> None:
    """Refuse what would not fit into memory: an entry is a number and its place, twice over."""
    n = sizes.astype(np.float64)
    entries = n + (degree > 1) * n * (n - 1) / 2 + (degree > 2) * n * (n - 1) * (n - 2) / 6
    if 32 * entries.sum() > memory():
        raise DataError(
            f"{entries.sum():,.0f} conjunctions of degree {degree} do not fit into memory: give fewer "
            f"features, for instance words alone, or the polynomial kernel"
        )


def _with_absent(rows: Any) -> Any:
    """And a literal, worth 1, of each feature that a row has not."""
    from scipy.sparse import csr_matrix

    n, features = rows.shape
    if features > 1000:
        raise RefusedError(
            f"negated=True makes a literal of each of {features:,} features in every row; give "
            f"1,000 features or fewer"
        )
    values = rows.toarray()
    at_hand = values != 0
    wide = np.c_[at_hand, ~at_hand]
    kept = np.c_[values, np.ones_like(values)][wide]
    starts = np.arange(n + 1) * features  # each feature is there or is not
    return csr_matrix((kept, np.nonzero(wide)[1], starts), shape=(n, 2 * features))


def _pieces(sizes: NDArray[np.integer[Any]], degree: int) -> list[tuple[int, int]]:
    """Runs of rows that have a few million conjunctions together."""
    if len(sizes) == 0:
        return []
    counts = np.cumsum(np.maximum(sizes.astype(np.float64), 1) ** degree)
    borders = np.flatnonzero(np.diff(counts // 4e6, prepend=-1.0))
    return list(zip(borders.tolist(), [*borders[1:].tolist(), len(sizes)], strict=True))


def _conjunctions(literals: Any, rows: Any, degree: int) -> tuple[Keys, Array, NDArray[np.int64]]:
    """Keys, values and rows of the conjunctions of up to so many literals."""
    index, value = literals.data.view(np.uint64), rows.data
    of = np.repeat(np.arange(rows.shape[0]), np.diff(rows.indptr))
    after = rows.indptr[1:].astype(np.int64)[of]  # where the row of a literal ends
    keys, values, whose = [index], [value], [of]
    last_keys, last_values, last = index, value, np.arange(len(index))
    for _ in range(1, degree):
        # Each conjunction is continued by the literals after its last one.
        room = after[last] - 1 - last
        left = np.repeat(np.arange(len(last)), room)
        begins = np.cumsum(room) - room
        right = np.arange(len(left)) - begins[left] + last[left] + 1
        last_keys = _joined(last_keys[left], index[right])
        last_values, last = last_values[left] * value[right], right
        keys.append(last_keys)
        values.append(last_values)
        whose.append(of[right])
    return np.concatenate(keys), np.concatenate(values), np.concatenate(whose)
