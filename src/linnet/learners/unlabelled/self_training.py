"""Self-training: what a model is most certain of it learns from, more in each round."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

Codes = NDArray[np.int32]
Scores = NDArray[np.float64]
Train = Callable[[NDArray[np.int64], Codes], Scores]  # places and labels in, (all, labels) scores out
SHARES = (0.1, 0.3, 0.6)  # of the unlabelled examples, round by round


def self_train(
    train: Train, labelled: NDArray[np.int64], codes: Codes, unlabelled: NDArray[np.int64]
) -> tuple[NDArray[np.int64], Codes]:
    """Places of unlabelled examples that were taken for certain in the end, and their labels.

    Every round starts from all unlabelled examples, so that an early mistake can be taken back.
    """
    places, taken = unlabelled[:0], codes[:0]
    for share in SHARES:
        learnt = np.concatenate([labelled, places]), np.concatenate([codes, taken])
        scores = train(*learnt)[unlabelled]
        chosen, taken = most_certain(scores, share)
        places = unlabelled[chosen]
    return places, taken


def most_certain(scores: Scores, share: float) -> tuple[NDArray[np.int64], Codes]:
    """Examples with the largest margins between best and second label: the same number for each label.

    A label that few examples are taken for gets all of these, and no more: it is not made up.
    """
    n, labels = scores.shape
    best = scores.argmax(axis=1)
    margins = scores.max(axis=1) - np.partition(scores, -2, axis=1)[:, -2]
    most = max(1, int(share * n / labels))
    found = [np.empty(0, dtype=np.int64)]
    for label in range(labels):
        own = np.flatnonzero(best == label)
        found.append(own[np.argsort(-margins[own], kind="stable")[:most]])
    chosen = np.sort(np.concatenate(found))
    return chosen, best[chosen].astype(np.int32)


def as_columns(scores: Any) -> Scores:
    """One score for two labels is two: −s and s."""
    scores = np.asarray(scores, dtype=np.float64)
    return np.hstack([-scores, scores]) if scores.shape[1] == 1 else scores
