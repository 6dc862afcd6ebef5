"""Weights: what a model goes by, searched and sorted; and how it was trained."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import Any

import numpy as np

from linnet.errors import DataError
from linnet.features.text.packed import PackedFeatures
from linnet.serving.look.labelling import labels_of, values_of

Told = dict[str, Any]
FAMILIES = ("chars", "chars_wb", "lead", "shape", "skip", "lexicon", "statistics")
MOST, BINS = 200, 24


class Weights:
    """Of one model; features by name, a row for each with the weight of a label."""

    def __init__(self, model: Any) -> None:
        self.model = model

    @cached_property
    def rows(self) -> tuple[list[str], list[str], Any]:
        """Names of features, labels, and weights (labels, features)."""
        if self.model.task != "classify":
            return _listed(self.model)
        features = self.model.features_
        if self.model.model_.votes is not None or not hasattr(self.model, "coef_"):
            raise DataError(
                f"a {type(self.model).__name__} that decides like this has no weights to show"
            )
        if isinstance(features.numbering, PackedFeatures) and not features.numbering.named:
            raise DataError("the names of features were dropped when this model was quantized")
        values = features.values.astype(np.float64)
        values = {"none": values, "abs": np.abs(values), "square": values * values}[
            features.elementwise
        ]
        weights = np.asarray(self.model.coef_, np.float64) * values
        labels = [str(label) for label in self.model.classes_.tolist()]
        if len(weights) == 1 and len(labels) == 2:
            weights = np.concatenate([-weights, weights])
        return list(features.names), labels, weights

    @cached_property
    def families(self) -> Any:
        """Of each feature the family, and the names of all."""
        family = family_of if self.model.task == "classify" else family_of_words
        found = np.array([family(name) for name in self.rows[0]], dtype=object)
        return found, sorted(set(found.tolist()))

    def told(
        self,
        search: str = "",
        label: str | None = None,
        family: str | None = None,
        order: str = "largest",
        most: int = MOST,
    ) -> Told:
        """The features that are asked for, best first."""
        names, labels, weights = self.rows
        of, families = self.families
        label = label if label in labels else None
        kept = np.ones(len(names), dtype=bool) if family not in families else np.asarray(of == family)
        if search:
            folded = search.casefold()
            kept &= np.fromiter((folded in name.casefold() for name in names), bool, len(names))
        places = np.flatnonzero(kept)
        chosen = range(len(labels)) if label is None else [labels.index(label)]
        found = []
        for y in chosen:
            values = weights[y, places]
            sizes = {"largest": -values, "smallest": values, "strongest": -np.abs(values)}.get(order)
            best = places[np.argsort(-values if sizes is None else sizes, kind="stable")[:most]]
            found += [[labels[y], names[j], float(weights[y, j]), str(of[j])] for j in best]
        key = {"smallest": lambda row: row[2], "strongest": lambda row: -abs(row[2])}.get(
            order, lambda row: -row[2]
        )
        found = sorted((row for row in found if row[2] != 0), key=key)[:most]
        return {
            "rows": found,
            "labels": labels,
            "families": families,
            "features": len(names),
            "matching": int(kept.sum()),
        }


def margins(model: Any, texts: Sequence[str], labels: Sequence[Any], of: str) -> Told | None:
    """How far the right label is ahead of the best other one, in classes of equal width.

    Of several labels how far the least sure yes or no is on the right side. A label that the model does
    not know has no margin.
    """
    names = [str(label) for label in model.classes_.tolist()]
    known = {name: k for k, name in enumerate(names)}
    sets = [{one} if isinstance(one, str) else set(one) for one in labels_of(labels, model.several_)]
    kept = [i for i, one in enumerate(sets) if one <= known.keys()]
    if not kept:
        return None
    values = np.array(values_of(model, model._scores([texts[i] for i in kept])))
    gold = np.array([[name in sets[i] for name in names] for i in kept])
    if model.several_:
        ahead = np.where(gold, values, -values).min(axis=1)
    else:
        ahead = values[gold] - np.where(gold, -np.inf, values).max(axis=1)
    times, borders = np.histogram(ahead, BINS)
    bins = zip(borders[:-1].tolist(), borders[1:].tolist(), times.tolist(), strict=True)
    return {
        "of": of,
        "several": model.several_,
        "texts": len(kept),
        "below": int((ahead < 0).sum()),
        "median": float(np.median(ahead)),
        "bins": [{"from": low, "to": high, "texts": n} for low, high, n in bins],
    }


def family_of(name: str) -> str:
    """Which kind of feature a name speaks of.

    >>> family_of("chars_wb:abc"), family_of("on top"), family_of("suffix3[0]=ing")
    ('chars_wb', 'words, 2 in a row', 'suffix3')
    """
    head, colon, _ = name.partition(":")
    if colon and head in FAMILIES:
        return head
    head, equals, _ = name.partition("=")
    if equals and " " not in head:
        return head.partition("[")[0]
    if equals:
        return "several at once"
    words = len(name.split())
    return "words" if words <= 1 else f"words, {words} in a row"


def family_of_words(name: str) -> str:
    """The same, of features that taggers and parsers have.

    >>> [family_of_words(name) for name in ("B-BIRD → O", "punctuation[0]", "suffix3[0]=ing")]
    ['transitions', 'punctuation', 'suffix3']
    """
    if " → " in name:
        return "transitions"
    return family_of(name) if "=" in name else name.partition("[")[0]


def _listed(model: Any) -> tuple[list[str], list[str], Any]:
    """The largest weights of taggers and parsers, by their groups."""
    if not hasattr(model, "inspect"):
        raise DataError(f"the weights of a {type(model).__name__} have no names to show")
    told = model.inspect(500).to_dict()
    rows: list[tuple[str, str, float]] = []
    _gather(told, (), rows)
    names = list(dict.fromkeys(name for _, name, _ in rows))
    groups = list(dict.fromkeys(group for group, _, _ in rows))
    weights = np.zeros((len(groups), len(names)))
    place, column = {g: k for k, g in enumerate(groups)}, {n: k for k, n in enumerate(names)}
    for group, name, weight in rows:
        weights[place[group], column[name]] = weight
    return names, groups, weights


def _gather(told: Any, group: tuple[str, ...], rows: list[tuple[str, str, float]]) -> None:
    """Pairs of name and weight, wherever they stand in what a model tells of itself."""
    if isinstance(told, dict):
        for name, inner in told.items():
            kept = group if name in ("top", "bottom", "tags", "features") else (*group, str(name))
            _gather(inner, kept, rows)
        return
    for item in told if isinstance(told, (list, tuple)) else ():
        pair = (item.get("name", ""), item.get("weight")) if isinstance(item, dict) else item
        if len(pair) >= 2 and isinstance(pair[-1], float):
            rows.append((" ".join(group), " → ".join(map(str, pair[:-1])), pair[-1]))
