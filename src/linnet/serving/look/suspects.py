"""Labels that look wrong: by scores of models that have not seen the text."""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from linnet.errors import DataError
from linnet.evaluation import plain, stratified
from linnet.serving.look.labelling import Label, sure_of

Array = NDArray[np.float64]
Told = dict[str, Any]
FOLDS = 5


def out_of_sample(
    model: Any, texts: Sequence[str], labels: Sequence[Any], folds: int = FOLDS,
    tell: Callable[[float], None] = lambda _: None,
) -> tuple[Array, NDArray[Any]]:  # fmt: skip
    """(texts, labels): how probable each is to a model of the same settings that never saw the text.

    Scores that are margins rank alike. Of several labels each has a probability of its own, which is
    nan where no text that was trained on had it.
    """
    several = not all(isinstance(one, str) for one in labels)
    sets = [(one,) if isinstance(one, str) else tuple(map(str, one)) for one in labels]
    names = np.unique([str(label) for one in sets for label in one])
    times = Counter(label for one in sets for label in one)
    if len(names) < (1 if several else 2):
        raise DataError("all texts have the same label: none looks wrong beside the others")
    folds = max(2, min(folds, len(texts) // 2))
    found = np.full((len(texts), len(names)), np.nan if several else 0.0)
    strata = [min(one, key=lambda label: (times[label], label), default="") for one in sets]
    least = min(Counter(strata).values())
    even = least >= folds and len(set(strata)) > 1
    splits = stratified(strata, folds) if even else plain(len(texts), folds)
    given = sets if several else [label for (label,) in sets]
    for done, (train, test) in enumerate(splits):
        fresh = model.__sklearn_clone__()
        fresh.thresholds = None
        fresh.fit([texts[i] for i in train], [given[i] for i in train])
        fresh.n_jobs = model.n_jobs
        shares = sure_of(fresh, [texts[i] for i in test])
        place = {str(name): k for k, name in enumerate(names)}
        columns = np.array([place[str(label)] for label in fresh.classes_])
        found[np.ix_(np.asarray(test), columns)] = shares
        tell((done + 1) / folds)
    return found, names


def ranked(shares: Array, names: NDArray[Any], labels: Sequence[Any]) -> list[Told]:
    """Texts whose label is not the best one, the least probable first; with the label suggested.

    How probable the given label is says more than how far it is behind: a text that models are unsure
    of has no label that is nearly impossible.
    """
    place = {str(name): k for k, name in enumerate(names)}
    gold = np.array([place[str(label)] for label in labels])
    own = shares[np.arange(len(gold)), gold]
    wrong = np.flatnonzero(shares.argmax(axis=1) != gold)
    order = wrong[np.argsort(own[wrong], kind="stable")]
    return [
        {
            "place": int(i),
            "label": str(names[gold[i]]),
            "suggested": str(names[int(shares[i].argmax())]),
            "given": float(own[i]),
            "best": float(shares[i].max()),
        }
        for i in order
    ]


def ranked_sets(shares: Array, names: NDArray[Any], labels: Sequence[Sequence[str]]) -> list[Told]:
    """Texts of which a label is set that should not be, or is missing and should be.

    The least probable yes or no comes first. What is suggested is the set with all of a text's doubtful
    labels turned.
    """
    has = np.array([[name in one for name in names.tolist()] for one in map(set, labels)])
    own = np.where(has, shares, 1 - shares)
    own[np.isnan(own)] = 1.0  # nobody can tell
    least = own.min(axis=1)
    doubted = np.flatnonzero(least < 0.5)
    found = []
    for i in doubted[np.argsort(least[doubted], kind="stable")].tolist():
        wrong = np.flatnonzero(own[i] < 0.5)
        wrong = wrong[np.argsort(own[i, wrong], kind="stable")]
        turned = has[i].copy()
        turned[wrong] = ~turned[wrong]
        found.append(
            {
                "place": i,
                "label": [str(name) for name in names[has[i]]],
                "suggested": [str(name) for name in names[turned]],
                "given": float(least[i]),
                "best": float(1 - least[i]),
                "doubts": [
                    {"label": str(names[k]), "set": bool(has[i, k]), "probable": float(shares[i, k])}
                    for k in wrong.tolist()
                ],
            }
        )
    return found


class Search:
    """Labels that look wrong, looked for by a thread: the page goes on answering meanwhile."""

    def __init__(self, model: Any, texts: Sequence[str], labels: Sequence[Label]) -> None:
        self.share = 0.0  # of the models that are trained
        self._found: list[Told] | None = None
        self._problem: Exception | None = None
        self._stopped = False
        given = (model, texts, labels)
        self._thread = threading.Thread(target=self._run, args=given, name="linnet-doubts", daemon=True)
        self._thread.start()

    def _run(self, model: Any, texts: Sequence[str], labels: Sequence[Any]) -> None:
        try:
            order = ranked_sets if model.several_ else ranked
            self._found = order(*out_of_sample(model, texts, labels, tell=self._tell), labels)
        except Exception as error:  # for who asks
            self._problem = error

    def _tell(self, share: float) -> None:
        if self._stopped:
            raise InterruptedError("nobody waits for it any more")
        self.share = share

    def rows(self) -> list[Told] | None:
        """What `ranked` tells; None as long as it lasts."""
        if self._thread.is_alive():
            return None
        if self._problem is not None:
            raise self._problem
        return self._found

    def stop(self) -> None:
        """No later than the model is trained that is being trained."""
        self._stopped = True
        self._thread.join()
