"""Labels that look wrong: by scores of models that have not seen the text."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from linnet.errors import DataError
from linnet.evaluation import plain, stratified

Array = NDArray[np.float64]
Told = dict[str, Any]
FOLDS = 5


def out_of_sample(
    model: Any, texts: Sequence[str], labels: Sequence[Any], folds: int = FOLDS,
    tell: Callable[[float], None] = lambda _: None,
) -> tuple[Array, NDArray[Any]]:  # fmt: skip
    """(texts, labels): how probable each is to a model of the same settings that never saw the text.

    Scores that are margins are put through a softmax: they rank alike.
    """
    names, codes = np.unique(np.asarray(labels, dtype=object).astype(str), return_inverse=True)
    if len(names) < 2:
        raise DataError("all texts have the same label: none looks wrong beside the others")
    least = int(np.bincount(codes).min())
    folds = max(2, min(folds, len(texts) // 2))
    found = np.zeros((len(texts), len(names)))
    splits = stratified(codes.tolist(), folds) if least >= folds else plain(len(texts), folds)
    for done, (train, test) in enumerate(splits):
        fresh = model.__sklearn_clone__()
        fresh.thresholds = None
        fresh.fit([texts[i] for i in train], [str(names[codes[i]]) for i in train])
        fresh.n_jobs = model.n_jobs
        shares = sure_of(fresh, [texts[i] for i in test])
        place = {str(name): k for k, name in enumerate(names)}
        columns = np.array([place[str(label)] for label in fresh.classes_])
        found[np.ix_(np.asarray(test), columns)] = shares
        tell((done + 1) / folds)
    return found, names


def sure_of(model: Any, texts: list[str]) -> Array:
    """(texts, labels): probabilities, or a softmax of margins, which ranks alike."""
    scores = model._scores(texts)
    if model.no_probabilities() is None:
        return np.asarray(model._probabilities(scores))
    values = model._decision(scores)
    values = np.stack([-values, values], axis=1) if values.ndim == 1 else values
    powers = np.exp(values - values.max(axis=1, keepdims=True))
    return np.asarray(powers / powers.sum(axis=1, keepdims=True))


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


class Search:
    """Labels that look wrong, looked for by a thread: the page goes on answering meanwhile."""

    def __init__(self, model: Any, texts: Sequence[str], labels: Sequence[Any]) -> None:
        self.share = 0.0  # of the models that are trained
        self._found: list[Told] | None = None
        self._problem: Exception | None = None
        self._stopped = False
        given = (model, texts, labels)
        self._thread = threading.Thread(target=self._run, args=given, name="linnet-doubts", daemon=True)
        self._thread.start()

    def _run(self, model: Any, texts: Sequence[str], labels: Sequence[Any]) -> None:
        try:
            self._found = ranked(*out_of_sample(model, texts, labels, tell=self._tell), labels)
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
