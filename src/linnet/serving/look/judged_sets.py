"""Errors, of texts with several labels each: yes or no of every label, and thresholds of their own."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cached_property
from typing import Any

import numpy as np

from linnet.errors import DataError
from linnet.estimators.text.decisions import thresholds_of
from linnet.evaluation.label_sets import (
    best_threshold,
    chosen_elsewhere,
    counts_of,
    figures,
    with_thresholds,
)
from linnet.explain.explanation import Explanation
from linnet.explain.reasons import because_of_label
from linnet.serving.look.judged import MOST, Judged, Told, matrix
from linnet.serving.look.labelling import Label, said

HOWS = ("right", "missed", "too many", "neither")


class JudgedSets(Judged):
    """A model's sets of labels of labelled texts, computed once."""

    compared = ("accuracy", "micro_f1", "macro_f1")

    @cached_property
    def labels(self) -> list[str]:
        """Those of the model, then those that it does not know."""
        met = {label for one in self.gold for label in one}
        return [*self.names, *sorted(met - set(self.names))]

    def _flags(self, sets: list[Label]) -> Any:
        place = {label: k for k, label in enumerate(self.labels)}
        found = np.zeros((len(sets), len(self.labels)), dtype=bool)
        for i, one in enumerate(sets):
            found[i, [place[label] for label in one]] = True
        return found

    @cached_property
    def has(self) -> Any:
        """(texts, labels): which labels they have."""
        return self._flags(self.gold)

    @cached_property
    def said(self) -> Any:
        """(texts, labels): which are said."""
        return self._flags(self.guess)

    @cached_property
    def values(self) -> Any:
        """(texts, labels that the model knows): probabilities, or scores."""
        return np.asarray(self.scores if self.chances is None else self.chances, np.float64)

    @cached_property
    def limits(self) -> Any:
        """(labels,): from which value on the model says them."""
        if self.chances is None:
            return np.zeros(len(self.names))
        return thresholds_of(self.model.thresholds, self.model.classes_, default=0.5)

    def _confused(self, told: Told) -> Told:
        return {"instead": matrix(told["instead"]), "several": True, "thresholds": self.thresholds({})}

    def _asked_of(self, label: str) -> tuple[Any, Any, int]:
        """Every yes and no of all labels, or of one."""
        known = len(self.names)
        if not label:
            return self.values, self.has[:, :known], int(self.has.sum())
        k = self.names.index(label)
        return self.values[:, k], self.has[:, k], int(self.has[:, k].sum())

    # ------------------------------------------------------------------ texts

    def _text(self, i: int, why: bool = True, about: int | None = None) -> Told:
        """A text, and the reasons of one of its labels: of ``about``, or what is wrong by most."""
        found: Told = {
            "place": i,
            "text": self.texts[i][:2000],
            "gold": self.gold[i],
            "guess": self.guess[i],
            "because": [],
        }
        k = self._worst(i) if about is None else about
        if k is None or k >= len(self.names):
            return found
        found |= {
            "about": self.names[k],
            "how": self._how(i, k),
            "sure": None if self.chances is None else float(self.chances[i, k]),
            "score": float(self.scores[i, k]),
        }
        if why and self.model.model_.votes is None:
            explanation = self.model.explain(self.texts[i])
            if isinstance(explanation, Explanation):
                yes = bool(self.said[i, k])
                found["because"] = because_of_label(explanation, self.names[k], yes)
        return found

    def _worst(self, i: int) -> int | None:
        """The label that is wrong by most, of those that the model knows."""
        known = len(self.names)
        wrong = np.flatnonzero(self.has[i, :known] != self.said[i, :known])
        if not len(wrong):
            return None
        return int(wrong[np.abs(self.values[i] - self.limits)[wrong].argmax()])

    def _how(self, i: int, k: int) -> str:
        return HOWS[(0 if self.said[i, k] else 1) if self.has[i, k] else (2 if self.said[i, k] else 3)]

    def cell(self, gold: str, guess: str) -> Told:
        """Texts that miss one label and have another too many, the surest first; "" is nothing."""
        missed, extra = self.has & ~self.said, self.said & ~self.has
        part = self._told_of(missed, gold) & self._told_of(extra, guess)
        about = guess or gold
        return self._listed(part, self.labels.index(about) if about in self.labels else None)

    def of_label(self, label: str, how: str) -> Told:
        """Texts by what became of one label, the surest first."""
        if label not in self.labels or how not in HOWS:
            raise DataError(f"a label of the data and one of {', '.join(HOWS)} are wanted")
        k = self.labels.index(label)
        part = (self.has[:, k] == (how in HOWS[:2])) & (self.said[:, k] == (how in (HOWS[0], HOWS[2])))
        return self._listed(part, k)

    def _told_of(self, flags: Any, label: str) -> Any:
        if not label:
            return ~flags.any(axis=1)
        if label not in self.labels:
            raise DataError(f"there is no label {label!r:.80}")
        return flags[:, self.labels.index(label)]

    def _listed(self, part: Any, about: int | None) -> Told:
        places = np.flatnonzero(part)
        if about is not None and about < len(self.names):
            far = np.abs(self.values[places, about] - self.limits[about])
            places = places[np.argsort(-far, kind="stable")]
        shown = [self._text(i, about=about) for i in places[:MOST].tolist()]
        return {"texts": shown, "all": len(places)}

    # ------------------------------------------------------------------ thresholds

    @cached_property
    def _best(self) -> list[Any]:
        known = range(len(self.names))
        return [best_threshold(self.has[:, k], self.values[:, k]) for k in known]

    @cached_property
    def _figures(self) -> Told:
        """As it is, with the best threshold of each label, and with those of the other half."""
        best = [None if one is None else one.at for one in self._best]
        return {
            "now": figures(self.has, self.said),
            "best": figures(self.has, with_thresholds(self.values, self.said, best)),
            "halves": figures(self.has, chosen_elsewhere(self.has, self.said, self.values)),
        }

    def thresholds(self, chosen: Mapping[str, Any]) -> Told:
        """What thresholds would give: those that are chosen, and the best of each label."""
        at: list[float | None] = []
        for name in self.names:
            value = chosen.get(name)
            if value is not None and not isinstance(value, (int, float)):
                raise DataError("thresholds: a number for each label is wanted")
            at.append(value)
        would = with_thresholds(self.values, self.said, at)
        now, then = (counts_of(self.has, flags) for flags in (self.said, would))
        rows = [
            {
                "label": name,
                "texts": int(now.gold[k]),
                "now": float(self.limits[k]),
                "now_f1": float(now.f1[k]),
                "chosen": at[k],
                "precision": float(then.precision[k]),
                "recall": float(then.recall[k]),
                "f1": float(then.f1[k]),
                "best": None if self._best[k] is None else self._best[k].at,
                "best_f1": None if self._best[k] is None else self._best[k].f1,
            }
            for k, name in enumerate(self.names)
        ]
        figures_ = self._figures | {"chosen": figures(self.has, would)}
        return {"rows": rows, "figures": figures_, "probable": self.chances is not None}

    # ------------------------------------------------------------------ parts, and a second model

    def _parts(self, word: str) -> Iterator[tuple[str, Any]]:
        yield from super()._parts(word)
        times = self.has.sum(axis=1)
        for n in np.unique(times).tolist():
            yield f"{n or 'no'} label{'' if n == 1 else 's'}", times == n

    def _of_rival(self) -> list[Label]:
        return said(self.rival, self.rival._scores(self.texts))
