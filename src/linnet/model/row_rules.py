"""Rules that change labels of rows, one after the other."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

import linnet._core as _core
from linnet.data import CsrRows

Codes = NDArray[np.int32]


@dataclass(frozen=True)
class RowRules:
    """``rules`` (n, 5): feature, label, label in its place, and what it fixed and broke in training."""

    features: int
    n_labels: int
    default: int  # the label that rows begin with
    rules: NDArray[np.int64]

    votes = None

    @classmethod
    def learn(
        cls,
        rows: CsrRows,
        initial: Codes,
        gold: Codes,
        n_labels: int,
        most: int,
        least: int,
    ) -> RowRules:
        """The rule that sets most labels right, again and again; of equals the first."""
        default = int(np.bincount(gold, minlength=n_labels).argmax())
        rules = _core.learn_row_transformations(
            rows.indptr, rows.indices, rows.features, initial, gold, n_labels, most, least
        )
        return cls(rows.features, n_labels, default, rules)

    def __len__(self) -> int:
        return len(self.rules)

    def begin(self, n: int) -> Codes:
        """The label of most of the training data."""
        return np.full(n, self.default, np.int32)

    def fired(self, rows: CsrRows, initial: Codes) -> tuple[Codes, list[list[int]]]:
        """The labels after the last rule, and which rules changed each row."""
        return self._run(rows, initial, [[] for _ in range(len(rows))])

    def labels(self, rows: CsrRows, initial: Codes) -> Codes:
        """The labels after the last rule."""
        return self._run(rows, initial, None)[0]

    def _run(
        self, rows: CsrRows, initial: Codes, told: list[list[int]] | None
    ) -> tuple[Codes, list[list[int]]]:
        """Rows are looked up by the features that rules name."""
        now = initial.copy()
        named = np.zeros(self.features, bool)
        named[self.rules[:, 0]] = True
        kept = np.flatnonzero(named[rows.indices])
        owner = np.repeat(np.arange(len(rows)), np.diff(rows.indptr))[kept]
        feature = rows.indices[kept]
        order = np.argsort(feature, kind="stable")
        owner, feature = owner[order], feature[order]
        for k, (wanted, before, after, *_) in enumerate(self.rules.tolist()):
            begin, end = np.searchsorted(feature, [wanted, wanted + 1])
            there = owner[begin:end]
            changed = there[now[there] == before]
            now[changed] = after
            if told is not None:
                for row in changed.tolist():
                    told[row].append(k)
        return now, told or []

    def weights(self) -> list[tuple[int, int, int]]:
        """The list as a linear function: (rule, label, weight).

        Feature k of a row is whether rule k changes it, with the weight 2^(k+1) for the new label; the
        label that it began with has 1. So the last rule that fired has the last word.
        """
        return [(k, int(rule[2]), 2 ** (k + 1)) for k, rule in enumerate(self.rules)]
