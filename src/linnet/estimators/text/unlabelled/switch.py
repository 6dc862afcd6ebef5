"""Are unlabelled texts of use? Held-out labelled texts say, and where these are few, experience."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from linnet.estimators.text.unlabelled.pool import Array, Codes, Places

FOLDS = 5
REPEATS = ((60, 4), (300, 2))  # fewer labelled texts than this: folds are drawn so often
PRIORS = {"joint": (0.05, 0.04), "vectors": (0.005, 0.015)}  # gain to expect, and how far to trust that
LEAST = 0.015  # to be gained: with all of the labels it will be less than with four fifths of them
Scores = Callable[[Places, Places], Array]  # places to learn from, places held out -> their scores


@dataclass(frozen=True)
class Gain:
    """What unlabelled texts add to accuracy on held-out labelled ones."""

    plain: float
    other: float
    error: float  # standard error of the difference
    texts: int
    prior: tuple[float, float] = PRIORS["joint"]

    @property
    def expected(self) -> float:
        """The difference, drawn towards what is usual where labels are few."""
        usual, spread = self.prior
        trust = spread**2 / (spread**2 + self.error**2)
        return trust * (self.other - self.plain) + (1 - trust) * usual

    def __str__(self) -> str:
        return (
            f"accuracy on {self.texts:,} held-out labelled texts {100 * self.plain:.1f} % without and "
            f"{100 * self.other:.1f} % with them"
        )


def folds(codes: Codes, seed: int) -> list[tuple[Places, Places]]:
    """Places to learn from and places held out; a label always keeps an example to learn from."""
    random = np.random.default_rng(seed)
    n = len(codes)
    repeats = next((times for most, times in REPEATS if n < most), 1)
    found = []
    for _ in range(repeats):
        order = random.permutation(n)
        number = np.empty(n, dtype=np.int64)  # of the fold that holds a text out
        for code in np.unique(codes):
            own = order[codes[order] == code]
            number[own] = -1 if len(own) < 2 else (np.arange(len(own)) + code) % FOLDS
        for fold in range(FOLDS):
            held = np.flatnonzero(number == fold)
            if len(held):
                found.append((np.flatnonzero(number != fold), held))
    return found


def gain(
    splits: list[tuple[Places, Places]],
    plain: Scores,
    other: Scores,
    codes: Codes,
    weights: Array,
    prior: tuple[float, float],
) -> tuple[Gain | None, Array, NDArray[np.int64]]:
    """What is gained, and the scores of the other model with the places they belong to."""
    right = np.zeros((2, len(codes)))
    times = np.zeros(len(codes))
    scores, places = [], []
    for kept, held in splits:
        said = other(kept, held)
        for side, found in enumerate((plain(kept, held), said)):
            right[side, held] += found.argmax(axis=1) == codes[held]
        times[held] += 1
        scores.append(said)
        places.append(held)
    seen = times > 0
    if not seen.any():
        return None, np.empty((0, 2)), np.empty(0, dtype=np.int64)
    shares = right[:, seen] / times[seen]
    means = np.average(shares, axis=1, weights=weights[seen])
    # One more text where each model alone is right keeps few texts from looking certain.
    difference = np.append(shares[1] - shares[0], [1.0, -1.0])
    error = float(difference.std() / np.sqrt(len(difference)))
    found_gain = Gain(float(means[0]), float(means[1]), error, int(seen.sum()), prior)
    return found_gain, np.concatenate(scores), np.concatenate(places)
