"""Kernels of strings: common substrings, and common subsequences with gaps."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

import linnet._core as _core
from linnet._params import flag, number, whole
from linnet.errors import DataError
from linnet.kernels.base import Array, Gram, Kernel, listed

LONGEST = 12  # subsequences that the core counts


class StringKernel(Kernel):
    """Strings as they are, character by character."""

    reads = "strings"

    def read(self, X: Any) -> list[str]:
        """A list of strings."""
        texts = listed(X, "strings")
        for i, text in enumerate(texts):
            if not isinstance(text, str):
                raise DataError(f"X[{i}] is {text!r:.40}; a kernel of strings reads strings")
        return texts

    def _length(self) -> int:
        return whole("length", self.length)  # type: ignore[attr-defined]


class Spectrum(StringKernel):
    """How many substrings of ``length`` characters two strings share, Σ_u count_u(s) count_u(t).

    >>> from linnet.kernels import Spectrum
    >>> Spectrum(2)(["banana"], ["ananas"])
    array([[8.]])
    """

    def __init__(self, length: int = 3) -> None:
        self.length = length

    def lengths(self) -> dict[int, float]:
        """Lengths of substrings, and what an occurrence of each is worth."""
        return {self._length(): 1.0}

    def between(self, A: Any, B: Any, threads: int = 1) -> Gram:
        """(A, B), of strings."""
        rows = substrings([*A, *B], self.lengths())
        return np.asarray((rows[: len(A)] @ rows[len(A) :].T).toarray(), dtype=np.float64)

    def within(self, A: Any, threads: int = 1) -> Gram:
        """Of strings with one another."""
        rows = substrings(A, self.lengths())
        return np.asarray((rows @ rows.T).toarray(), dtype=np.float64)

    def diagonal(self, A: Any, threads: int = 1) -> Array:
        """K(s, s)."""
        rows = substrings(A, self.lengths())
        return np.asarray(rows.multiply(rows).sum(axis=1), dtype=np.float64).ravel()


class Blended(Spectrum):
    """Substrings of 1 to ``length`` characters, one of p characters worth decay^(2p)."""

    def __init__(self, length: int = 3, decay: float = 1.0) -> None:
        super().__init__(length)
        self.decay = decay

    def lengths(self) -> dict[int, float]:
        """Lengths of substrings, and what an occurrence of each is worth."""
        decay = _decay(self.decay)
        return {p: decay**p for p in range(1, self._length() + 1)}


class Gappy(StringKernel):
    """Common subsequences of ``length`` characters, each worth decay^(what it spans in both strings).

    K(s, t) = Σ_u Σ_{i: u = s[i]} Σ_{j: u = t[j]} λ^(l(i) + l(j)); with ``normalised``, as usual,
    divided by √(K(s, s) K(t, t)). [Lodhi et al. 2002]

    >>> from linnet.kernels import Gappy
    >>> Gappy(2, 0.5, normalised=False)(["cat"], ["car"]) == 0.5**4
    array([[ True]])
    """

    def __init__(self, length: int = 3, decay: float = 0.5, normalised: bool = True) -> None:
        self.length = length
        self.decay = decay
        self.normalised = normalised

    def settings(self) -> dict[str, Any]:
        """As the core takes them."""
        flag("normalised", self.normalised)
        length = self._length()
        if length > LONGEST:
            raise ValueError(f"length must be from 1 to {LONGEST}, not {length}")
        return {"length": length, "decay": _decay(self.decay)}

    def between(self, A: Any, B: Any, threads: int = 1) -> Gram:
        """(A, B), of strings."""
        found = self._values(A, B, threads)
        if flag("normalised", self.normalised):
            left, right = self._own(A), self._own(B)
            found *= _inverse_root(left)[:, None] * _inverse_root(right)[None, :]
        return found

    def within(self, A: Any, threads: int = 1) -> Gram:
        """Half of the pairs."""
        found = self._values(A, None, threads)
        if flag("normalised", self.normalised):
            factors = _inverse_root(np.diagonal(found).copy())
            found *= factors[:, None] * factors[None, :]
        return found

    def diagonal(self, A: Any, threads: int = 1) -> Array:
        """K(s, s)."""
        own = self._own(A)
        return (own > 0).astype(np.float64) if self.normalised else own

    def _values(self, A: Any, B: Any, threads: int) -> Array:
        settings = self.settings()
        n = len(A) if B is None else len(B)
        if len(A) == 0 or n == 0:
            return np.zeros((len(A), n))
        characters, offsets = (None, None) if B is None else packed(B)
        return _core.gappy_kernel(*packed(A), characters, offsets, **settings, threads=threads)

    def _own(self, A: Any) -> Array:
        return np.array([self._values([a], [a], 1)[0, 0] for a in A], dtype=np.float64)


def packed(texts: list[str]) -> tuple[NDArray[np.int32], NDArray[np.int64]]:
    """Characters of all strings, and where each begins."""
    characters = np.frombuffer("".join(texts).encode("utf-32-le", "surrogatepass"), np.int32)
    return characters, np.cumsum([0, *map(len, texts)], dtype=np.int64)


def substrings(texts: list[str], lengths: dict[int, float]) -> Any:
    """Sparse rows of counts, times what an occurrence is worth; columns are substrings.

    The number of a substring is the rank of its first characters' number with its last one: exact, and
    without a table of strings.
    """
    from scipy.sparse import csr_matrix, hstack

    characters, offsets = packed(texts)
    row = np.repeat(np.arange(len(texts)), np.diff(offsets))
    left = offsets[row + 1] - np.arange(len(characters)) if len(characters) else np.zeros(0, np.int64)
    numbers = np.zeros(len(characters), np.int64)
    blocks = []
    for p in range(1, max(lengths) + 1):
        starts = np.flatnonzero(left >= p)
        keys = numbers[starts] * (1 << 21) + characters[starts + p - 1]
        kinds, ranks = np.unique(keys, return_inverse=True)
        numbers[starts] = ranks
        if p in lengths:
            values = np.full(len(starts), lengths[p])
            shape = (len(texts), max(len(kinds), 1))
            blocks.append(csr_matrix((values, (row[starts], ranks)), shape=shape))
    return hstack(blocks, format="csr")


def _decay(value: Any) -> float:
    if not 0 < number(value) <= 1:
        raise ValueError(f"decay must be above 0, and up to 1, not {value!r}")
    return float(value)


def _inverse_root(values: Array) -> Array:
    return np.where(values > 0, 1 / np.sqrt(np.where(values > 0, values, 1)), 0.0)
