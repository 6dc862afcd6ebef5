"""Probabilities of margins without training five more models: one smaller model, one number."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from linnet.data import CsrRows
from linnet.estimators._probabilities import two_columns
from linnet.estimators._targets import Targets
from linnet.estimators.base import Labels
from linnet.estimators.linear import LinearClassifier
from linnet.features import TextFeatures, label_ratios, reweighed
from linnet.training.calibration import Softmax, fit_softmax

HELD_OUT = 2000  # texts: enough for one number
KEPT = 6000  # texts the smaller model learns from


def quick_calibration(
    classifier: Callable[[], LinearClassifier],
    features: TextFeatures,
    rows: CsrRows,
    targets: Targets,
    weights: NDArray[np.float64],
) -> Softmax:
    """A softmax of the scores that a model of part of the texts gives to others.

    Where labels have weighed the features (log-count ratios), those of the others must have no say.
    """
    n = len(targets)
    order = np.random.default_rng(0).permutation(n)
    held = order[: min(HELD_OUT, n // 5)]
    kept = order[len(held) : len(held) + KEPT]
    seen = np.unique(targets.codes[kept])
    held = held[np.isin(targets.codes[held], seen) & (weights[held] > 0)]
    if len(held) < 10 or len(seen) < 2 or not weights[kept].sum() > 0:
        return Softmax(1.0)  # too few to tell
    learnt, tried = rows[kept], rows[held]
    if features.scale == "nb" and not features.has_columns:
        old = features.values
        new = label_ratios(learnt, targets.codes[kept], 2, features.alpha)[:, 1]
        learnt, tried = (reweighed(part, old, new, features.norm) for part in (learnt, tried))
    part = classifier().fit(learnt, targets.codes[kept], sample_weight=weights[kept])
    scores = two_columns(part.model_.scores(tried))
    return fit_softmax(scores, np.searchsorted(seen, targets.codes[held]), weights[held])


class RecentScores:
    """Scores that texts of a stream had before they were learnt from: held out, for nothing."""

    def __init__(self) -> None:
        self._scores: list[NDArray[np.float64]] = []
        self._codes: list[NDArray[np.int32]] = []

    def __bool__(self) -> bool:
        return len(self._codes) > 0

    def add(self, scores: NDArray[np.float64], targets: Targets, classes: Labels) -> None:
        """Keep the last few thousand; a label the model does not know yet tells nothing."""
        codes = targets.known_to(classes).codes
        known = codes >= 0
        self._scores.append(two_columns(scores)[known])
        self._codes.append(codes[known])
        while sum(map(len, self._codes[1:])) >= HELD_OUT:
            del self._scores[0], self._codes[0]

    def calibrator(self, labels: int) -> Softmax:
        """Labels that came later had the score 0 then."""
        codes = np.concatenate(self._codes)
        if len(codes) < 20 or labels < 2:
            return Softmax(1.0)
        wide = [np.pad(s, ((0, 0), (0, labels - s.shape[1]))) for s in self._scores]
        return fit_softmax(np.concatenate(wide), codes, np.ones(len(codes)))
