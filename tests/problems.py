"""Small problems that several rooms of tests share.

Features are 0 or 1, so that counting, Winnow and elimination can learn them too.
"""

from typing import NamedTuple

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

Array = NDArray[np.float64]


class Flat(NamedTuple):
    """A matrix and labels."""

    X: sp.csr_matrix
    y: NDArray[np.int64]


def disjunction(n: int = 120, features: int = 12, seed: int = 0) -> Flat:
    """Two labels: yes iff one of the first three features is on; about half are."""
    rng = np.random.default_rng(seed)
    X = (rng.random((n, features)) < 0.2).astype(float)
    return Flat(sp.csr_matrix(X), X[:, :3].any(axis=1).astype(np.int64))


def topics(n: int = 160, labels: int = 4, seed: int = 0, noise: float = 0.1) -> Flat:
    """Several labels: three words of its own make a label likely, eight words say nothing."""
    rng = np.random.default_rng(seed)
    y = rng.integers(labels, size=n)
    y[:labels] = np.arange(labels)
    X = (rng.random((n, 3 * labels + 8)) < noise).astype(float)
    for k in range(3):
        X[np.arange(n), 3 * y + k] = rng.random(n) < 0.7
    return Flat(sp.csr_matrix(X), y)


def noisy(
    n: int = 80, features: int = 6, labels: int = 2, seed: int = 0
) -> tuple[Array, NDArray[np.int64]]:
    """Real-valued, not separable: every loss has its minimum well inside."""
    rng = np.random.default_rng(seed)
    X = np.round(rng.normal(size=(n, features)), 3).astype(np.float32).astype(float)
    scores = X @ rng.normal(size=(features, labels)) + 2 * rng.normal(size=(n, labels))
    y = scores.argmax(axis=1)
    y[:labels] = np.arange(labels)
    return X, y


def candidates(n: int = 80, seed: int = 0) -> tuple[list[list[list[str]]], NDArray[np.int64]]:
    """Lists of 2 to 5 candidates; words a, b, c mark the right one, the others are noise."""
    rng = np.random.default_rng(seed)
    X, gold = [], rng.integers(2, size=n)
    for right in gold:
        instance = []
        for j in range(rng.integers(2, 6)):
            marks = [w for w in "abc" if rng.random() < (0.8 if j == right else 0.1)]
            instance.append(marks + [w for w in "pqrstuvwxyz" if rng.random() < 0.1])
        X.append(instance)
    return X, gold


class Tagged(NamedTuple):
    """Tokens as rows, sentences as ranges of tokens, a label per token."""

    X: sp.csr_matrix
    offsets: NDArray[np.int64]
    y: NDArray[np.int32]
    labels: int


def tagging(sentences: int = 40, labels: int = 4, seed: int = 0) -> Tagged:
    """Labels that follow each other in a cycle, mostly; words that say which, but not always."""
    rng = np.random.default_rng(seed)
    lengths = rng.integers(1, 8, sentences)
    offsets = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)
    y = []
    for length in lengths:
        label = int(rng.integers(labels))
        for _ in range(length):
            y.append(label)
            label = (label + 1) % labels if rng.random() < 0.8 else int(rng.integers(labels))
    n = len(y)
    X = (rng.random((n, 2 * labels + 6)) < 0.1).astype(np.float32)
    X[np.arange(n), 2 * np.array(y) + (rng.random(n) < 0.5)] = rng.random(n) < 0.7
    return Tagged(sp.csr_matrix(X), offsets, np.array(y, np.int32), labels)
