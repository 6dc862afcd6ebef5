"""What scores and probabilities are worth beyond the best label: curves, thresholds, errors."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from linnet.errors import DataError

Array = NDArray[np.float64]
Flags = NDArray[np.bool_]


@dataclass(frozen=True)
class PrecisionRecall:
    """Precision and recall at falling thresholds of the score, from recall 0 on."""

    recall: Array
    precision: Array
    threshold: Array
    average_precision: float

    def thinned(self, points: int = 41) -> PrecisionRecall:
        """At most so many points, evenly spread over recall; the first and the last are kept."""
        if len(self.recall) <= points:
            return self
        wanted = np.linspace(self.recall[0], self.recall[-1], points)
        kept = np.unique(np.append(np.searchsorted(self.recall, wanted), len(self.recall) - 1))
        return PrecisionRecall(
            self.recall[kept], self.precision[kept], self.threshold[kept], self.average_precision
        )


def precision_recall(positive: Flags, scores: Array) -> PrecisionRecall:
    """The curve of one label against the rest, by scikit-learn."""
    from sklearn.metrics import average_precision_score, precision_recall_curve

    positive = np.asarray(positive, dtype=bool)
    if not positive.any():
        raise DataError("no example has the label: there is no recall to speak of")
    precision, recall, threshold = precision_recall_curve(positive, scores)
    # scikit-learn goes from the lowest threshold, where recall is 1, to a last point without one.
    return PrecisionRecall(
        recall[-2::-1],
        precision[-2::-1],
        threshold[::-1].astype(np.float64),
        float(average_precision_score(positive, scores)),
    )


@dataclass(frozen=True)
class Covered:
    """Answers below a threshold of confidence left out: how many remain, how many are right."""

    threshold: float
    coverage: float
    accuracy: float | None  # None: nothing remains


def selective(correct: Flags, confidence: Array, thresholds: Any) -> list[Covered]:
    """Coverage and accuracy on what is covered, for a system that is unsure below each threshold."""
    rows = []
    for threshold in thresholds:
        kept = np.asarray(confidence >= threshold)
        accuracy = float(correct[kept].mean()) if kept.any() else None
        rows.append(Covered(float(threshold), float(kept.mean()), accuracy))
    return rows


def log_loss(gold: NDArray[np.integer[Any]], probabilities: Array) -> float:
    """Mean of −log P(gold), in nats; a gold label without a column (code ≥ columns) has P = 0.

    Probabilities are kept above the smallest step of their type, so that one 0 is not infinity.
    """
    p = _gold_probability(gold, probabilities)
    smallest = float(np.finfo(probabilities.dtype).eps)
    return float(-np.log(np.clip(p, smallest, 1.0)).mean())


def brier(gold: NDArray[np.integer[Any]], probabilities: Array) -> float:
    """Mean over examples of Σ_k (P(k) − [k is gold])²: from 0 to 2, for two labels too."""
    squares = np.square(probabilities.astype(np.float64)).sum(axis=1)
    return float((squares - 2 * _gold_probability(gold, probabilities) + 1).mean())


def label_losses(gold: Flags, probabilities: Array) -> tuple[float, float]:
    """(log loss, Brier score) of several labels each: means over examples and labels, yes or no.

    ``gold`` and ``probabilities`` are (examples, labels).
    """
    p = np.where(gold, probabilities, 1.0 - probabilities)
    smallest = float(np.finfo(probabilities.dtype).eps)
    return float(-np.log(np.clip(p, smallest, 1.0)).mean()), float(np.square(1.0 - p).mean())


def _gold_probability(gold: NDArray[np.integer[Any]], probabilities: Array) -> Array:
    known = gold < probabilities.shape[1]
    column = np.where(known, gold, 0)
    return np.asarray(np.where(known, probabilities[np.arange(len(gold)), column], 0.0))


@dataclass(frozen=True)
class SureBin:
    """Answers that are about equally sure, and how many of them are right."""

    texts: int
    sure: float  # mean probability
    right: float  # share


def reliability(right: Flags, sure: Array, bins: int = 10) -> list[SureBin]:
    """Answers by how sure they are, in classes of equal width; empty ones are left out."""
    at = np.minimum((np.asarray(sure) * bins).astype(int), bins - 1)
    parts = [at == b for b in range(bins) if (at == b).any()]
    return [
        SureBin(int(part.sum()), float(sure[part].mean()), float(right[part].mean())) for part in parts
    ]


@dataclass(frozen=True)
class Mistake:
    """An example and by how much the best wrong label beat its gold label."""

    example: int
    margin: float


def worst_errors(
    gold: NDArray[np.integer[Any]], guess: NDArray[np.integer[Any]], scores: Array, n: int = 10
) -> list[Mistake]:
    """The n wrong answers of the largest margin, largest first.

    ``scores`` is (examples, labels); gold labels without a column have no margin and are left out.
    """
    rows = np.flatnonzero((gold != guess) & (gold < scores.shape[1]) & (guess < scores.shape[1]))
    margins = scores[rows, guess[rows]] - scores[rows, gold[rows]]
    order = np.argsort(-margins, kind="stable")[:n]
    return [Mistake(int(rows[i]), float(margins[i])) for i in order]


def columns(scores: Array) -> Array:
    """(n, labels): a single score s of the second label becomes −s/2, s/2, whose difference it is."""
    scores = np.asarray(scores, dtype=np.float64)
    if scores.ndim == 2 and scores.shape[1] > 1:
        return scores
    half = scores.reshape(-1, 1) / 2
    return np.hstack([-half, half])
