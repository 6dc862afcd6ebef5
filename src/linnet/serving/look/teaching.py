"""Teach: texts without labels, the most useful first, and a model that learns from every answer."""

from __future__ import annotations

import copy
import time
from collections import Counter
from collections.abc import Mapping, Sequence
from functools import cached_property
from itertools import repeat
from typing import Any

import numpy as np
from numpy.typing import NDArray

from linnet.errors import DataError
from linnet.serving.look.decisions import Decision, Decisions
from linnet.serving.look.labelling import Label, guessed, label_of, labels_of, leads, sure_of
from linnet.serving.look.learning import REMINDED, Learning
from linnet.serving.look.trying import shares
from linnet.serving.look.weak import WeakLabels

Array = NDArray[np.float64]
Told = dict[str, Any]
ORDERS = ("mixture", "least sure", "most telling", "random")
SHOWN = 6  # texts of the queue that are told
WEAK = 0.2  # what a weak label weighs, beside one that a person gave


class Teaching:
    """A pool of texts, what was decided of them, and the model as it is now.

    With examples to learn from, the model is fitted anew to them and the decisions; without, or where
    that takes long, it goes on from its weights (`Learning`). What a person decided is kept apart from
    what a model guessed.
    """

    def __init__(
        self,
        model: Any,
        pool: Sequence[str],
        decisions: Decisions,
        train: tuple[Sequence[str], Sequence[Any]] | None = None,
        seed: int = 0,
    ) -> None:
        self.first, self.model, self.several = model, model, model.several_
        self.pool, self.decisions = list(pool), decisions
        self.train = None if train is None else (train[0], labels_of(train[1], self.several))
        self.random = np.random.default_rng(seed).permutation(len(self.pool))
        self.order = "mixture"
        self.weak, self.learns_weak = WeakLabels(self.pool, decisions, self.several), False
        self.milliseconds = 0.0
        self.learning = Learning(model, self._go_on, None if train is None else self._refit)
        self.learn()

    # ------------------------------------------------------------------ what is decided

    def decided(self) -> list[Decision]:
        """What stands of this view."""
        return self.decisions.standing("teach")

    def _labelled(self) -> list[tuple[Decision, Label]]:
        """The same, without what was passed over; of a model of several labels all have sets."""
        try:
            return [
                (one, label_of(one.label, self.several))
                for one in self.decided()
                if one.label is not None
            ]
        except DataError as error:
            raise DataError(f"{self.decisions.path}: {error}; name another by --decisions") from None

    def decide(self, place: int, label: Label | None, note: str = "") -> None:
        """A person's label of a text, or None to pass over it; on the disk when this returns."""
        if not 0 <= place < len(self.pool):
            raise DataError(f"there is no text {place} in the queue of {len(self.pool)}")
        (guess,) = guessed(self.model, [self.pool[place]])
        self.decisions.add(
            text=self.pool[place], label=label, view="teach", place=place, guess=guess, note=note
        )
        self.learn()

    def undo(self) -> int | None:
        """Take the last decision back; the text it was about."""
        standing = self.decided()
        if not standing:
            return None
        self.decisions.add(undone=standing[-1].number, view="teach")
        self.learn()
        return standing[-1].place

    def rule(self, asked: Mapping[str, Any]) -> Told:
        """Rules: one is added or removed, or whether the model learns from what they say is changed."""
        before = self._weak()
        if isinstance(asked.get("remove"), int):
            self.weak.remove(asked["remove"])
        elif "rule" in asked:
            given = [asked.get(name) for name in ("kind", "rule", "label")]
            if not all(isinstance(one, str) and len(one) <= 100_000 for one in given):
                raise DataError("a rule is three strings: kind, rule and label")
            self.weak.add(*map(str, given))
        if isinstance(asked.get("learn"), bool):
            self.learns_weak = asked["learn"]
        if self._weak() != before:
            self.learn(anew=True)
        return self.ruled()

    def ruled(self) -> Told:
        """What rules say, beside what was decided."""
        decided = {one.text: label for one, label in self._labelled()}
        told = {"learn": self.learns_weak, "weight": WEAK, "several": self.several}
        return self.weak.told(decided) | told

    def _weak(self) -> dict[int, Label]:
        """What is learnt from rules, by place: of several labels what they name is added to the
        answers of the model as it came, for rules say nothing of other labels.
        """
        if not self.learns_weak:
            return {}
        found = self.weak.labels()
        if not self.several:
            return found
        return {i: label_of({*label, *self._first_answers[i]}, True) for i, label in found.items()}

    @cached_property
    def _first_answers(self) -> list[Label]:
        return guessed(self.first, self.pool)

    # ------------------------------------------------------------------ what is learnt

    def learn(self, anew: bool = False) -> None:
        """From all that was decided, and from what rules say if that is wanted."""
        began = time.perf_counter()
        made: dict[int, tuple[str, Label, float]] = {
            one.number: (one.text, label, 1.0) for one, label in self._labelled()
        }
        decided = {one.text for one in self.decided()}
        for i, label in self._weak().items():
            if self.pool[i] not in decided:
                made[-1 - i] = (self.pool[i], label, WEAK)
        self.model = self.learning.learnt(made, anew)
        self._scores: Any = None
        self.milliseconds = 1000 * (time.perf_counter() - began)

    def _refit(self, made: list[Any]) -> Any:
        assert self.train is not None
        known = zip(*self.train, repeat(1.0), strict=False)
        texts, labels, weights = zip(*known, *made, strict=True)
        weighed = self.learns_weak
        return self.first.__sklearn_clone__().fit(
            list(texts), list(labels), sample_weight=weights if weighed else None
        )

    def _go_on(self, base: Any, made: list[Any]) -> Any:
        decided = {text for text, _, _ in made}
        known = [(text, label, 1.0) for text, label in self.reminders if text not in decided]
        texts, labels, weights = zip(*known, *made, strict=True)
        model = copy.copy(base)
        model.calibration = None  # what calibrates it stays: of reminders it would be all too sure
        weighed = self.learns_weak
        model.partial_fit(list(texts), list(labels), sample_weight=weights if weighed else None)
        model.calibration = base.calibration
        return model

    @cached_property
    def reminders(self) -> list[tuple[str, Label]]:
        """Texts with their labels, or with what the model says of them as it came."""
        random = np.random.default_rng(0)
        if self.train is not None:
            some = random.permutation(len(self.train[0]))[:REMINDED].tolist()
            return [(self.train[0][i], self.train[1][i]) for i in some]
        sure = sure_of(self.first, self.pool)
        how = leads(sure, True) if self.several else sure.max(axis=1)
        most = np.argsort(-how, kind="stable")[: len(self.pool) * 9 // 10]
        some = random.permutation(most)[: min(REMINDED, len(self.pool) // 2)].tolist()
        texts = [self.pool[i] for i in some]
        return list(zip(texts, guessed(self.first, texts) if texts else [], strict=True))

    @property
    def chances(self) -> Array:
        """(pool, labels): probabilities, or what ranks alike."""
        if self._scores is None:
            self._scores = sure_of(self.model, self.pool)
        return np.asarray(self._scores)

    @cached_property
    def density(self) -> Array:
        """(pool,): how alike a text is to the others: its row times the mean row."""
        rows = self.first.features_.rows(_texts(self.pool))
        matrix = _sparse(rows)
        mean = np.asarray(matrix.mean(axis=0)).ravel()
        return np.asarray(matrix @ mean)

    def _left(self) -> Any:
        """Places of texts that were not decided, in random order."""
        decided = [self._places.get(one.text, []) for one in self.decided()]
        open_ = np.ones(len(self.pool), dtype=bool)
        open_[[place for places in decided for place in places]] = False
        return self.random[open_[self.random]]

    @cached_property
    def _places(self) -> dict[str, list[int]]:
        """Of each text of the pool."""
        found: dict[str, list[int]] = {}
        for i, text in enumerate(self.pool):
            found.setdefault(text, []).append(i)
        return found

    def queue(self, order: str, most: int | None = None) -> list[int]:
        """Places of texts that were not decided, the most useful first; all, or the first of them.

        'least sure' is the smallest lead of the best answer over the second; 'most telling' weighs that
        by how many other texts are like it (information density, Settles and Craven 2008); a mixture
        takes from all three by turns.
        """
        if order not in ORDERS:
            raise DataError(f"order: one of {', '.join(ORDERS)} is wanted, not {order!r}")
        left = self._left()
        if not len(left) or order == "random":
            return [int(i) for i in left[:most]]
        lead = leads(self.chances, self.several)
        unsure = left[np.argsort(lead[left], kind="stable")][:most]
        if order == "least sure":
            return [int(i) for i in unsure]
        telling = left[np.argsort(-((1 - lead) * self.density)[left], kind="stable")][:most]
        if order == "most telling":
            return [int(i) for i in telling]
        return by_turns(unsure, telling, left[:most], len(self.decided()))[:most]

    def told(self, order: str | None = None) -> Told:
        """The queue, what the model makes of its first texts, and how far one has come."""
        self.order = order or self.order
        began = time.perf_counter()
        shown = self.queue(self.order, SHOWN)
        texts = [self.pool[i] for i in shown]
        listed = shares(self.model, texts) if shown else []
        guesses = guessed(self.model, texts) if shown else []
        decided, labelled = self.decided(), self._labelled()
        agreed = [one.guess == label for one, label in labelled]
        return {
            "several": self.several,
            "order": self.order,
            "orders": ORDERS,
            "texts": [
                {"place": i, "text": self.pool[i][:20_000], "labels": each[:10], "guess": guess}
                for i, each, guess in zip(shown, listed, guesses, strict=True)
            ],
            "left": len(self._left()),
            "labels": [str(label) for label in self.model.classes_.tolist()],
            "counts": Counter(
                name
                for _, label in labelled
                for name in ((label,) if isinstance(label, str) else label or ("no label",))
            ),
            "decided": len(decided),
            "agreed": agreed[-50:],
            "last": [
                {"text": one.text[:300], "label": one.label, "guess": one.guess, "note": one.note}
                for one in reversed(decided[-5:])
            ],
            **self.learning.told(),
            "milliseconds": self.milliseconds + 1000 * (time.perf_counter() - began),
            "file": self.decisions.path,
        }


def by_turns(unsure: Any, telling: Any, random: Any, turn: int = 0) -> list[int]:
    """The mixture: two of the least sure to one of the others, each once.

    Queues are ranked anew after each decision, so ``turn``, the number of decisions, says whose text is
    the first.
    """
    rows = [unsure.tolist(), telling.tolist(), [*unsure[1:].tolist(), -1], random.tolist()]
    turns = zip(*rows[turn % 4 :], *rows[: turn % 4], strict=True)
    return list(dict.fromkeys(place for some in turns for place in some if place >= 0))


def _texts(pool: list[str]) -> Any:
    from linnet.data.texts import as_texts

    return as_texts(pool)


def _sparse(rows: Any) -> Any:
    from scipy.sparse import csr_array

    return csr_array((rows.values, rows.indices, rows.indptr), shape=rows.shape)
