"""Decision lists: the first feature that is there decides."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from linnet.data import CsrRows

Codes = NDArray[np.int32]
Array = NDArray[np.float64]


@dataclass(frozen=True)
class DecisionListModel:
    """Entries in their order: feature, label, and how often it is right and wrong in training.

    The odds of an entry are (right + α) / (wrong + α); the logarithm is its weight. [Yarowsky 1994]
    """

    features: int  # there are
    n_labels: int
    entries: Codes  # (n,) features
    labels: Codes  # (n,)
    counts: NDArray[np.int64]  # (n, 2): right, wrong
    default: int  # the label of what has none of them
    default_counts: tuple[int, int]
    alpha: float

    votes = None

    @classmethod
    def learn(
        cls, rows: CsrRows, labels: Codes, n_labels: int, alpha: float, least: int
    ) -> DecisionListModel:
        """Each feature has the label it is surest of; those less sure than the default are left out."""
        owner = np.repeat(labels, np.diff(rows.indptr)).astype(np.int64)
        cells, n = np.unique(rows.indices.astype(np.int64) * n_labels + owner, return_counts=True)
        feature, label = cells // n_labels, cells % n_labels
        total = np.bincount(feature, weights=n, minlength=rows.features).astype(np.int64)
        frequency = np.bincount(labels, minlength=n_labels)
        default = int(frequency.argmax())
        right, wrong = n, total[feature] - n
        odds = (right + alpha) / (wrong + alpha)
        least_odds = (frequency[default] + alpha) / (len(labels) - frequency[default] + alpha)
        # surest first, then the more frequent, then the first feature and label
        order = np.lexsort((label, feature, -right, -odds))
        order = order[(odds > least_odds)[order] & (total[feature] >= least)[order]]
        _, first = np.unique(feature[order], return_index=True)
        kept = order[np.sort(first)]
        counts = np.stack([right[kept], wrong[kept]], axis=1).astype(np.int64)
        return cls(
            rows.features,
            n_labels,
            feature[kept].astype(np.int32),
            label[kept].astype(np.int32),
            counts,
            default,
            (int(frequency[default]), int(len(labels) - frequency[default])),
            alpha,
        )

    def __len__(self) -> int:
        return len(self.entries)

    @property
    def odds(self) -> Array:
        """Of each entry, and of the default at the end."""
        counts = np.concatenate([self.counts, [self.default_counts]])
        return np.asarray((counts[:, 0] + self.alpha) / (counts[:, 1] + self.alpha))

    def ranks(self, rows: CsrRows) -> Codes:
        """The place in the list of each entry of rows; the number of entries for what is not in it."""
        place = np.full(self.features, len(self), np.int32)
        place[self.entries] = np.arange(len(self))
        return place[rows.indices]

    def first(self, rows: CsrRows) -> Codes:
        """Which entry decides for each row; the number of entries: the default."""
        found = np.full(len(rows), len(self), np.int32)
        filled = np.flatnonzero(np.diff(rows.indptr))
        if len(filled):
            found[filled] = np.minimum.reduceat(self.ranks(rows), rows.indptr[filled])
        return found

    def scores(self, rows: CsrRows, threads: int = 1) -> Array:
        """(n, labels): the odds of the entry that decides, for its label."""
        first = self.first(rows)
        made = np.zeros((len(rows), self.n_labels))
        made[np.arange(len(rows)), np.append(self.labels, self.default)[first]] = self.odds[first]
        return made

    def weights(self) -> list[tuple[int, int, int]]:
        """The list as a linear function: (feature, label, weight), the default's feature is -1.

        The weight of an entry is twice that of the next: more than all that follow it together. They
        are whole numbers of any size, and exact.
        """
        last = len(self)
        listed = zip(self.entries.tolist(), self.labels.tolist(), strict=True)
        made = [(feature, label, 2 ** (last - k)) for k, (feature, label) in enumerate(listed)]
        return [*made, (-1, self.default, 1)]
