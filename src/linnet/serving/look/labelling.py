"""The label of a text, or the set of its labels: views pass on either, and seldom ask which."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from linnet.errors import DataError

Label = str | tuple[str, ...]  # a set is sorted, and may be empty
Array = NDArray[np.float64]
MOST_CHARACTERS = 2000  # of a label that is asked about


def label_of(value: Any, several: bool) -> Label:
    """As data have it: one label, or a list, tuple or set of them."""
    if not several:
        if isinstance(value, (list, tuple, set, frozenset)):
            raise DataError(
                f"{sorted(map(str, value))} are several labels of a text, and the model gives one"
            )
        return str(value)
    if isinstance(value, (list, tuple, set, frozenset)):
        return tuple(sorted({str(one) for one in value}))
    return (str(value),)


def labels_of(values: Iterable[Any], several: bool) -> list[Label]:
    """The same of many texts."""
    return [label_of(value, several) for value in values]


def check_rival(model: Any, rival: Any, name: str) -> None:
    """Who gives one label to a text, and who gives a set of them, are not compared."""
    if model.task == "classify" and model.several_ != rival.several_:
        gives = "a set of labels" if rival.several_ else "one label"
        raise DataError(f"{name} gives {gives} to a text, and the model does not")


def asked_label(asked: Mapping[str, Any], several: bool, name: str = "label") -> Label | None:
    """As a view asks: a string, of several labels a list of them; None where it is null."""
    value = asked.get(name)
    if value is None:
        return None
    wanted = value if several and isinstance(value, list) else [value]
    for one in wanted:
        if not isinstance(one, str) or not 0 < len(one) <= MOST_CHARACTERS:
            what = "a list of strings" if several else "a string, or null"
            raise DataError(f"{name} is to be {what}")
    if several != isinstance(value, list):
        raise DataError(f"{name}: the model gives {'sets of labels' if several else 'one label'}")
    return label_of(value, several)


def said(model: Any, scores: Any) -> list[Label]:
    """What a model answers by these scores."""
    if not model.several_:
        return [str(label) for label in model._decide(scores).tolist()]
    names = [str(label) for label in model.classes_.tolist()]
    above = np.asarray(model._above(scores))
    return [tuple(sorted(names[k] for k in np.flatnonzero(row))) for row in above]


def guessed(model: Any, texts: list[str]) -> list[Label]:
    """The same of texts; of one label each the best one, be it sure or not."""
    scores = model._scores(texts)
    if model.several_:
        return said(model, scores)
    names = [str(label) for label in model.classes_.tolist()]
    return [names[k] for k in values_of(model, scores).argmax(axis=1)]


def shown(label: Label) -> str:
    """For the eye.

    >>> shown(("heron", "owl")), shown(()), shown("owl")
    ('heron, owl', 'no label', 'owl')
    """
    return label if isinstance(label, str) else ", ".join(label) or "no label"


def values_of(model: Any, scores: Any) -> Array:
    """(texts, labels): scores of all labels, those of two labels too, whose difference is known."""
    values = np.asarray(model._decision(scores))
    return np.stack([-values, values], axis=1) if values.ndim == 1 else values


def sure_of(model: Any, texts: list[str]) -> Array:
    """(texts, labels): probabilities, or what ranks alike: a softmax of margins, a sigmoid of each."""
    scores = model._scores(texts)
    if model.no_probabilities() is None:
        return np.asarray(model._probabilities(scores))
    values = values_of(model, scores)
    if model.several_:
        return np.asarray(1 / (1 + np.exp(-np.clip(values, -500, 500))))
    powers = np.exp(values - values.max(axis=1, keepdims=True))
    return np.asarray(powers / powers.sum(axis=1, keepdims=True))


def leads(chances: Array, several: bool) -> Array:
    """(texts,): how much more probable the best answer is than the second.

    Of several labels answers are sets, and labels independent of one another: the best set has the
    labels that are more probable than not, and the second differs from it by the least sure of them.
    """
    if several:
        sure = np.maximum(chances, 1 - chances).astype(np.float64)
        least = sure.min(axis=1)
        return np.asarray(sure.prod(axis=1) * (2 - 1 / least))  # Π p · (1 − (1 − p_min) / p_min)
    best = chances
    if best.shape[1] > 2:
        best = np.partition(best, best.shape[1] - 2, axis=1)[:, -2:]
    best = np.sort(best, axis=1)
    return np.asarray(best[:, -1] - (best[:, -2] if best.shape[1] > 1 else 0.0))
