"""Probabilities of margins without training five more models: one smaller model, one number."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from linnet.data import CsrRows
from linnet.estimators.base import Labels
from linnet.estimators.linear.probabilities import two_columns
from linnet.estimators.text.targets import Targets
from linnet.features import TextFeatures, label_ratios, reweighed
from linnet.model import LinearModel
from linnet.training.calibration import Softmax, fit_softmax

HELD_OUT = 1500  # texts: enough for one number
KEPT = 4000  # texts the smaller model learns from


Weights = NDArray[np.float64]


def quick_calibration(
    train: Callable[[CsrRows, Targets, Weights], LinearModel],
    features: TextFeatures,
    rows: CsrRows,
    targets: Targets,
    weights: Weights,
) -> Softmax:
    """A softmax of the scores that a model of part of the texts gives to others.

    Where labels have weighed the features (log-count ratios), those of the others must have no say.
    """
    n = len(targets)
    order = np.random.default_rng(0).permutation(n)
    held = order[: min(HELD_OUT, n // 5)]
    kept = order[len(held) : len(held) + KEPT]
    seen, codes = np.unique(targets.codes[kept], return_inverse=True)
    held = held[np.isin(targets.codes[held], seen) & (weights[held] > 0)]
    if len(held) < 10 or len(seen) < 2 or not weights[kept].sum() > 0:
        return Softmax(1.0)  # too few to tell
    some = rows[np.concatenate([kept, held])]  # together, since rows may have to be fetched
    learnt, tried = some[np.arange(len(kept))], some[np.arange(len(kept), len(some))]
    part = Targets(targets.classes[seen], codes.astype(np.int32))
    old = features.own_values
    if features.scale == "nb" and old is not None and not features.has_columns:
        new = label_ratios(learnt, part.codes, 2, features.alpha)[:, 1]
        learnt, tried = (
            reweighed(some, old, new, features.norm, features.elementwise) for some in (learnt, tried)
        )
    occurs = np.zeros(rows.features, dtype=bool)
    occurs[learnt.indices] = True
    used = np.flatnonzero(occurs)  # the weights of all others would be 0, and take their time
    learnt, tried = learnt.among(used), tried.among(used)
    scores = two_columns(train(learnt, part, weights[kept]).scores(tried))
    return fit_softmax(scores, np.searchsorted(seen, targets.codes[held]), weights[held])


class RecentScores:
    """Scores that texts of a stream had before they were learnt from: held out, for nothing."""

    def __init__(self) -> None:
        self._scores: list[NDArray[np.float64]] = []
        self._codes: list[NDArray[np.int32]] = []

    def add(self, scores: NDArray[np.float64], targets: Targets, classes: Labels) -> None:
        """Keep the last few thousand; a label the model does not know yet tells nothing."""
        codes = targets.known_to(classes).codes
        known = codes >= 0
        self._scores.append(two_columns(scores)[known])
        self._codes.append(codes[known])
        while sum(map(len, self._codes[1:])) >= HELD_OUT:
            del self._scores[0], self._codes[0]

    def calibrator(self, labels: int) -> Softmax | None:
        """None if there are too few to tell; labels that came later had the score 0 then."""
        if sum(map(len, self._codes)) < 20 or labels < 2:
            return None
        codes = np.concatenate(self._codes)
        wide = [np.pad(s, ((0, 0), (0, labels - s.shape[1]))) for s in self._scores]
        return fit_softmax(np.concatenate(wide), codes, np.ones(len(codes)))
