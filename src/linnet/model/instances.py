"""Instances of symbolic features, kept in memory; how much each feature counts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

import linnet._core as _core

Codes = NDArray[np.int32]
Array = NDArray[np.float64]
METRICS = ("overlap", "mvdm")
WEIGHTS = ("gain ratio", "information gain", "chi-square", "none")
DECAYS = ("equal", "inverse", "linear", "exponential")
ALGORITHMS = ("ib1", "igtree")


@dataclass(frozen=True)
class Column:
    """A feature of all rows: numbers of names."""

    codes: Codes
    names: Sequence[str]

    def among(self, number: dict[str, int]) -> Codes:
        """Numbers of the same names elsewhere; -1 for those that are not there."""
        table = np.array([*(number.get(name, -1) for name in self.names), -1], np.int32)
        return table[self.codes]


def weights_of(column: Codes, labels: Codes, n_labels: int) -> dict[str, float]:
    """Of a feature F and the label C: what F says of C, in bits, and how much there is of it to say.

    information gain H(C) − Σ_v P(v) H(C|v); split info H(F); gain ratio, the one by the other
    [Quinlan 1993]; chi-square of their table.
    """
    pairs = column.astype(np.int64) * n_labels + labels
    cells, n = np.unique(pairs, return_counts=True)
    of_value = np.bincount(column).astype(np.float64)
    of_label = np.bincount(labels, minlength=n_labels).astype(np.float64)
    total = float(len(labels))
    entropy = [_entropy(counts[counts > 0] / total) for counts in (of_label, of_value)]
    joint = _entropy(n / total)
    gain = max(0.0, entropy[0] + entropy[1] - joint)  # H(C) − H(C|F) = H(C) + H(F) − H(C, F)
    expected = of_value[cells // n_labels] * of_label[cells % n_labels]
    chi = total * (float((n.astype(np.float64) ** 2 / expected).sum()) - 1.0)
    return {
        "information gain": gain,
        "gain ratio": gain / entropy[1] if entropy[1] > 0 else 0.0,
        "chi-square": max(0.0, chi),
        "none": 1.0,
        "split info": entropy[1],
    }


def _entropy(p: Array) -> float:
    return float(-(p * np.log2(p)).sum()) + 0.0


@dataclass(frozen=True)
class HowNear:
    """What distances are made of, and how neighbours vote."""

    k: int = 1
    metric: str = "overlap"
    decay: str = "equal"
    a: float = 1.0
    b: float = 1.0
    rare: int = 1
    algorithm: str = "ib1"


@dataclass(frozen=True)
class InstanceModel:
    """All instances: ``rows`` (n, features) are numbers of ``values``, ``labels`` (n,) of classes."""

    names: list[str]
    values: list[list[str]]
    rows: Codes
    labels: Codes
    n_labels: int
    weights: Array
    split: Array  # the entropy of each feature
    how: HowNear

    votes = None  # as of models that vote and have no weights

    @classmethod
    def learn(
        cls,
        names: list[str],
        columns: list[Column],
        labels: Codes,
        n_labels: int,
        weights: Any,
        how: HowNear,
    ) -> InstanceModel:
        """Nothing is thrown away."""
        values, coded = [], []
        for column in columns:
            used = np.unique(column.codes)
            known = sorted({column.names[k] for k in used.tolist()})
            coded.append(column.among({name: k for k, name in enumerate(known)}))
            values.append(known)
        told = [weights_of(column, labels, n_labels) for column in coded]
        own = [t[weights] for t in told] if isinstance(weights, str) else weights
        return cls(
            names,
            values,
            np.ascontiguousarray(np.stack(coded, axis=1), np.int32),
            np.asarray(labels, np.int32),
            n_labels,
            np.asarray(own, np.float64),
            np.array([t["split info"] for t in told]),
            how,
        )

    def __len__(self) -> int:
        return len(self.rows)

    @property
    def features(self) -> int:
        """How many."""
        return len(self.names)

    @cached_property
    def numbers(self) -> list[dict[str, int]]:
        """Of each feature the numbers of its values."""
        return [{name: k for k, name in enumerate(values)} for values in self.values]

    @cached_property
    def order(self) -> list[int]:
        """Features that tell most come first: of a tree by weight, of a search by weight for a bit."""
        if self.how.algorithm == "igtree":
            rank = self.weights
        else:
            rank = self.weights / np.maximum(self.split, 1e-9)
            rank[self.split <= 0] = -1.0
        return [int(f) for f in np.argsort(-rank, kind="stable")]

    @cached_property
    def tree(self) -> _core.IGTree:
        """Of ``algorithm='igtree'``."""
        return _core.IGTree(self.rows, self.labels, self.n_labels, self.order)

    @cached_property
    def memory(self) -> _core.InstanceMemory:
        """Of ``algorithm='ib1'``."""
        sizes = np.array([len(values) for values in self.values], np.int32)
        return _core.InstanceMemory(
            self.rows,
            self.labels,
            self.n_labels,
            sizes,
            self.weights,
            self.order,
            self.how.metric == "mvdm",
            self.how.rare,
        )

    def queries(self, columns: Sequence[Column]) -> Codes:
        """(n, features): what is asked about, by the numbers of its values; -1 is new."""
        coded = [c.among(number) for c, number in zip(columns, self.numbers, strict=True)]
        return np.ascontiguousarray(np.stack(coded, axis=1), np.int32)

    def best(self, queries: Codes, threads: int) -> Codes:
        """The label of each."""
        if self.how.algorithm == "igtree":
            return self.tree.classify(queries, self.features)
        return self._classify(queries, False, threads)[0]

    def shares(self, queries: Codes, threads: int) -> Array:
        """(n, labels): the shares of votes."""
        votes = self._classify(queries, True, threads)[1]
        return np.asarray(votes / votes.sum(axis=1, keepdims=True))

    def _classify(self, queries: Codes, votes: bool, threads: int) -> tuple[Codes, Array]:
        how = self.how
        return self.memory.classify(queries, how.k, how.decay, how.a, how.b, votes, threads)

    def neighbours(self, queries: Codes, threads: int = 1) -> tuple[NDArray[np.int64], Codes, Array]:
        """Instances at the k nearest distances of each query: offsets, instances, distances."""
        return self.memory.neighbours(queries, self.how.k, threads)
