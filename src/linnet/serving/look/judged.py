"""Errors: how good a model is on labelled texts, where it fails, and why."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict
from functools import cached_property
from itertools import pairwise
from math import sqrt
from typing import Any

import numpy as np

from linnet.errors import DataError
from linnet.evaluation import leaks, near_duplicates, report, versus
from linnet.evaluation.curves import columns, reliability
from linnet.evaluation.metrics import most_confused
from linnet.explain.explanation import Explanation
from linnet.explain.reasons import because
from linnet.serving.look.labelling import Label, labels_of, said

Told = dict[str, Any]
MOST = 100  # texts of a list
MOST_LABELS = 30  # of a confusion matrix
POINTS = 101  # of a curve over thresholds
Z = 1.959964  # of a 95 % interval


class Judged:
    """A model's answers to labelled texts, computed once; of texts with sets of labels `JudgedSets`."""

    compared: tuple[str, ...] = ("accuracy", "macro_f1")  # by which two models are
    kept: tuple[str, ...] = ("examples", "errors", "metrics", "intervals", "per_label", "unseen_labels")

    def __init__(
        self,
        model: Any,
        texts: Sequence[str],
        labels: Sequence[Any],
        beside: Mapping[str, Sequence[Any]] | None = None,
        rival: Any = None,
        train: Sequence[str] | None = None,
    ) -> None:
        self.model, self.texts, self.gold = model, list(texts), labels_of(labels, model.several_)
        self.beside, self.rival, self.train = beside or {}, rival, train
        self.names = [str(label) for label in model.classes_.tolist()]

    @cached_property
    def scores(self) -> Any:
        """(texts, labels)."""
        return self.model._scores(self.texts)

    @cached_property
    def guess(self) -> list[Label]:
        """Labels, or sets of them."""
        return said(self.model, self.scores)

    @cached_property
    def chances(self) -> Any:
        """(texts, labels), or None."""
        return self.model._probabilities(self.scores) if self.model.no_probabilities() is None else None

    @cached_property
    def right(self) -> Any:
        """(texts,): whether the guess is right."""
        return np.array([a == b for a, b in zip(self.gold, self.guess, strict=True)])

    @cached_property
    def overview(self) -> Told:
        """Metrics with intervals, labels, confusions, curves."""
        told = report(
            self.gold,
            self.guess,
            classes=self.names,
            scores=self.model._decision(self.scores),
            probabilities=self.chances,
            unsure=str(getattr(self.model, "unsure", None)),
            sequences=False,
            worst=MOST,
        )
        found: Told = {name: told[name] for name in self.kept}
        found |= {name: told[name] for name in ("log_loss", "brier") if name in told}
        found["worst"] = [self._text(error["example"]) for error in told["worst_errors"][:20]]
        found["curves"] = self.curves("")
        return found | self._confused(told)

    def _confused(self, told: Told) -> Told:
        return {"confusion": matrix(told["confusion"])}

    # ------------------------------------------------------------------ thresholds

    def curves(self, label: str) -> Told:
        """What thresholds do to one label, or to all answers where no label is named.

        Of a label: above the threshold a text is called so. Of all: below it nothing is said.
        """
        if label and label not in self.names:
            raise DataError(f"the model has no label {label!r:.80}")
        sure, right, wanted = self._asked_of(label)
        found: Told = {"label": label, "probable": self.chances is not None}
        low, high = (0.0, 1.0) if self.chances is not None else (float(sure.min()), float(sure.max()))
        found["points"] = [
            _at_threshold(at, sure, right, wanted) for at in np.linspace(low, high, POINTS).tolist()
        ]
        rows = reliability(right.ravel(), sure.ravel()) if self.chances is not None else None
        found["reliability"] = None if rows is None else [asdict(row) for row in rows]
        return found

    @cached_property
    def values(self) -> Any:
        """(texts, labels): probabilities, or scores."""
        return columns(self.model._decision(self.scores)) if self.chances is None else self.chances

    def _asked_of(self, label: str) -> tuple[Any, Any, int]:
        """How sure answers are, or of one label yeses, which of them are right, and how many should."""
        if not label:
            return self.values.max(axis=1), self.right, len(self.gold)
        right = np.array([one == label for one in self.gold])
        return self.values[:, self.names.index(label)], right, int(right.sum())

    # ------------------------------------------------------------------ texts

    def _text(self, i: int, why: bool = True) -> Told:
        found: Told = {
            "place": i,
            "text": self.texts[i][:2000],
            "gold": self.gold[i],
            "guess": self.guess[i],
            "sure": None if self.chances is None else float(self.chances[i].max()),
            "because": [],
        }
        gold, guess = self.gold[i], self.guess[i]
        if not (why and isinstance(gold, str) and isinstance(guess, str)) or gold == guess:
            return found
        if {gold, guess} <= {*self.names} and self.model.model_.votes is None:
            explanation = self.model.explain(self.texts[i])
            if isinstance(explanation, Explanation):
                found["because"] = because(explanation, guess, gold)
        return found

    def cell(self, gold: str, guess: str) -> Told:
        """The texts of one label that were given another, the surest first."""
        places = [
            i for i, pair in enumerate(zip(self.gold, self.guess, strict=True)) if pair == (gold, guess)
        ]
        lead = columns(self.model._decision(self.scores)).max(axis=1)
        places.sort(key=lambda i: -lead[i])
        return {"texts": [self._text(i) for i in places[:MOST]], "all": len(places)}

    # ------------------------------------------------------------------ slices

    def slices(self, word: str = "") -> list[Told]:
        """Accuracy of parts of the data: by length, by columns, and of texts that contain a word."""
        found = [fraction(name, part, self.right) for name, part in self._parts(word)]
        return [row for row in found if row is not None]

    def _parts(self, word: str) -> Iterator[tuple[str, Any]]:
        """Names of parts, and which texts they have."""
        if word:
            has = np.array([word.casefold() in text.casefold() for text in self.texts])
            yield f"contains {word}", has
            yield f"without {word}", ~has
        lengths = np.array([len(text) for text in self.texts])
        cuts = [-1, *np.unique(np.quantile(lengths, [0.25, 0.5, 0.75], method="lower")), lengths.max()]
        for low, high in pairwise(cuts):
            yield f"{int(low) + 1} to {int(high)} characters", (lengths > low) & (lengths <= high)
        for name, values in self.beside.items():
            cells = np.array([str(value) for value in values])
            kinds, times = np.unique(cells, return_counts=True)
            for kind in kinds[np.argsort(-times, kind="stable")][:8]:
                yield f"{name} = {kind}", cells == kind

    # ------------------------------------------------------------------ the same text twice

    @cached_property
    def repeated(self) -> Told:
        """Texts that are nearly the same, with other labels first; and those that were trained on."""
        pairs = near_duplicates(self.texts) if len(self.texts) <= 100_000 else []
        rows: list[Told] = [
            {
                "texts": [self.texts[near.first][:500], self.texts[near.second][:500]],
                "labels": [self.gold[near.first], self.gold[near.second]],
                "same": self.gold[near.first] == self.gold[near.second],
                "share": near.share,
            }
            for near in pairs
        ]
        rows.sort(key=lambda row: row["same"])
        seen = None
        if self.train is not None:
            seen = [leak.text[:500] for leak in leaks(self.train, self.texts)]
        return {
            "pairs": rows[:MOST],
            "all": len(rows),
            "trained_on": None if seen is None else {"texts": seen[:MOST], "all": len(seen)},
        }

    # ------------------------------------------------------------------ two models

    @cached_property
    def beside_rival(self) -> Told:
        """Where two models differ, and whether that is luck."""
        if self.rival is None:
            raise DataError("no second model was given: linnet look MODEL DATA --against MODEL2")
        other = self._of_rival()
        told = versus(self.gold, self.guess, other, metrics=self.compared, sequences=False)
        differ = [i for i, (a, b) in enumerate(zip(self.guess, other, strict=True)) if a != b]
        differ.sort(key=lambda i: (self.gold[i] in (self.guess[i], other[i]), i), reverse=True)
        rows = [self._text(i, why=False) | {"other": other[i]} for i in differ[:MOST]]
        return told | {"texts": rows, "all": len(differ)}

    def _of_rival(self) -> list[Label]:
        return [str(label) for label in self.rival.predict(self.texts).tolist()]


def _at_threshold(at: float, sure: Any, right: Any, wanted: int) -> Told:
    """Precision and recall of what is said, the share of texts of which something is said, and how much
    is said of one. Both are of texts, or of texts and labels.
    """
    above = sure >= at
    hits, times = int((above & right).sum()), int(above.sum())
    return {
        "threshold": at,
        "precision": hits / times if times else None,
        "recall": hits / wanted if wanted else None,
        "f1": 2 * hits / (times + wanted) if times + wanted else None,
        "coverage": float(above.reshape(len(above), -1).any(axis=1).mean()),
        "each": times / len(above),
    }


def matrix(told: Told) -> Told:
    """The labels that are confused most, each with its row; the others together."""
    return most_confused(told, MOST_LABELS)


def fraction(name: str, part: Any, right: Any) -> Told | None:
    """How much of a part is right, with Wilson's interval; None of a part without anything."""
    n = int(part.sum())
    if not n:
        return None
    p = float(right[part].mean())
    middle = (p + Z * Z / (2 * n)) / (1 + Z * Z / n)
    half = Z / (1 + Z * Z / n) * sqrt(p * (1 - p) / n + Z * Z / (4 * n * n))
    return {"name": name, "texts": n, "right": p, "low": middle - half, "high": middle + half}
