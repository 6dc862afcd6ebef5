"""Naive Bayes with unlabelled texts, by expectation maximisation (Nigam et al. 2000)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]


@dataclass(frozen=True)
class EM:
    """log P(word|label), (labels, words); log P(label); what the unlabelled texts are taken for."""

    log_words: Array
    log_labels: Array
    posteriors: Array  # (texts, labels)
    objectives: list[float]  # after each M step; never falls

    def scores(self, counts: Any) -> Array:
        """Log P(text, label) without what is common to all labels, (texts, labels)."""
        return np.asarray(counts @ self.log_words.T) + self.log_labels


def naive_bayes_em(
    counts: Any,
    given: Array,
    unlabelled: Any,
    weight: float = 0.1,
    smoothing: float = 0.1,
    max_iter: int = 20,
    tol: float = 1e-5,
) -> EM:
    """Maximises log P(θ) + Σ g_iy log P(x_i, y) + λ Σ_u log Σ_y P(x_u, y) over θ.

    ``counts`` (n, words) and ``unlabelled`` (m, words) are sparse counts of words, ``given`` (n,
    labels) how much of each labelled text belongs to each label, λ the ``weight`` of the others. The
    prior P(θ) is Dirichlet: ``smoothing`` is added to every count. λ = 0 is naive Bayes itself.

    The E step takes each unlabelled text for each label by P(label|text); the M step counts. Neither
    lowers the objective.
    """
    seen = np.asarray(counts.T @ given).T  # (labels, words)
    sizes = given.sum(axis=0)
    expected, shares = np.zeros_like(seen), np.zeros_like(sizes)
    found, objectives = _maximised(seen, sizes, smoothing), list[float]()
    while True:
        model = EM(*found, np.empty(0), objectives)
        posteriors, log_evidence = _normalised(model.scores(unlabelled))
        known = float((model.scores(counts) * given).sum())
        prior = smoothing * float(model.log_words.sum() + model.log_labels.sum())
        objectives.append(prior + known + weight * float(log_evidence.sum()))
        small = len(objectives) > 1 and objectives[-1] - objectives[-2] <= tol * abs(objectives[-1])
        if weight == 0 or small or len(objectives) > max_iter:
            return EM(*found, posteriors, objectives)
        expected = np.asarray(unlabelled.T @ posteriors).T
        shares = posteriors.sum(axis=0)
        found = _maximised(seen + weight * expected, sizes + weight * shares, smoothing)


def _maximised(counts: Array, sizes: Array, smoothing: float) -> tuple[Array, Array]:
    words, labels = counts + smoothing, sizes + smoothing
    return np.log(words / words.sum(axis=1, keepdims=True)), np.log(labels / labels.sum())


def _normalised(scores: Array) -> tuple[Array, Array]:
    """P(label|text), and log Σ_y of what it was divided by."""
    top = scores.max(axis=1, keepdims=True)
    parts = np.exp(scores - top)
    sums = parts.sum(axis=1, keepdims=True)
    return parts / sums, (top + np.log(sums))[:, 0]
