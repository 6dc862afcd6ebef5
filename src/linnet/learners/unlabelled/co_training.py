"""Co-training: two models with different views teach each other (Blum and Mitchell 1998)."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from linnet.learners.unlabelled.self_training import SHARES, Codes, Scores, Train, most_certain


def co_train(
    views: tuple[Train, Train], labelled: NDArray[np.int64], codes: Codes, unlabelled: NDArray[np.int64]
) -> Scores:
    """The sum of what both models say in the end of the unlabelled examples, (unlabelled, labels).

    In each round what one model is most certain of is learnt by the *other* one.
    """
    lessons = [(unlabelled[:0], codes[:0])] * 2
    scores: list[Scores] = []
    for share in (*SHARES, None):
        scores = [
            train(np.concatenate([labelled, places]), np.concatenate([codes, taken]))[unlabelled]
            for train, (places, taken) in zip(views, lessons, strict=True)
        ]
        if share is not None:
            certain = [most_certain(one, share) for one in scores]
            lessons = [(unlabelled[chosen], taken) for chosen, taken in reversed(certain)]
    return scores[0] + scores[1]
