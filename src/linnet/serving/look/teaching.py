"""Teach: texts without labels, the most useful first, and a model that learns from every answer."""

from __future__ import annotations

import copy
import time
from collections import Counter
from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from linnet.errors import DataError
from linnet.serving.look.decisions import Decision, Decisions
from linnet.serving.look.suspects import sure_of
from linnet.serving.look.trying import shares
from linnet.serving.look.weak import WeakLabels

Array = NDArray[np.float64]
Told = dict[str, Any]
ORDERS = ("mixture", "least sure", "most telling", "random")
SHOWN = 6  # texts of the queue that are told
WEAK = 0.2  # what a weak label weighs, beside one that a person gave


class Teaching:
    """A pool of texts, what was decided of them, and the model as it is now.

    With examples to learn from, the model is fitted anew to them and the decisions; without, it goes on
    from its weights. What a person decided is kept apart from what a model guessed.
    """

    def __init__(
        self,
        model: Any,
        pool: Sequence[str],
        decisions: Decisions,
        train: tuple[Sequence[str], Sequence[str]] | None = None,
        seed: int = 0,
    ) -> None:
        if model.several_:
            raise DataError("texts are taught to models that give one label to a text")
        self.first, self.model = model, model
        self.pool, self.decisions, self.train = list(pool), decisions, train
        self.random = np.random.default_rng(seed).permutation(len(self.pool))
        self.order = "mixture"
        self.weak, self.learns_weak = WeakLabels(self.pool, decisions), False
        self.milliseconds = 0.0
        self._learn()

    # ------------------------------------------------------------------ what is decided

    def decided(self) -> list[Decision]:
        """What stands of this view."""
        return self.decisions.standing("teach")

    def decide(self, place: int, label: str | None, note: str = "") -> None:
        """A person's label of a text, or None to pass over it; on the disk when this returns."""
        if not 0 <= place < len(self.pool):
            raise DataError(f"there is no text {place} in the queue of {len(self.pool)}")
        guess = shares(self.model, [self.pool[place]])[0][0]["label"]
        self.decisions.add(
            text=self.pool[place], label=label, view="teach", place=place, guess=guess, note=note
        )
        self._learn()

    def undo(self) -> int | None:
        """Take the last decision back; the text it was about."""
        standing = self.decided()
        if not standing:
            return None
        self.decisions.add(undone=standing[-1].number, view="teach")
        self._learn()
        return standing[-1].place

    def rule(self, asked: Mapping[str, Any]) -> Told:
        """Rules: one is added or removed, or whether the model learns from what they say is changed."""
        before = self.weak.labels() if self.learns_weak else {}
        if isinstance(asked.get("remove"), int):
            self.weak.remove(asked["remove"])
        elif "rule" in asked:
            given = [asked.get(name) for name in ("kind", "rule", "label")]
            if not all(isinstance(one, str) and len(one) <= 100_000 for one in given):
                raise DataError("a rule is three strings: kind, rule and label")
            self.weak.add(*map(str, given))
        if isinstance(asked.get("learn"), bool):
            self.learns_weak = asked["learn"]
        if (self.weak.labels() if self.learns_weak else {}) != before:
            self._learn()
        return self.ruled()

    def ruled(self) -> Told:
        """What rules say, beside what was decided."""
        decided = {one.text: str(one.label) for one in self.decided() if one.label is not None}
        return self.weak.told(decided) | {"learn": self.learns_weak, "weight": WEAK}

    # ------------------------------------------------------------------ what is learnt

    def _learn(self) -> None:
        began = time.perf_counter()
        made = [one for one in self.decided() if one.label is not None]
        texts, labels = [one.text for one in made], [str(one.label) for one in made]
        weights = [1.0] * len(made)
        if self.learns_weak:
            decided = {one.text for one in self.decided()}
            ruled = [(self.pool[i], label) for i, label in self.weak.labels().items()]
            ruled = [(text, label) for text, label in ruled if text not in decided]
            texts += [text for text, _ in ruled]
            labels += [label for _, label in ruled]
            weights += [WEAK] * len(ruled)
        if not texts:
            self.model = self.first
        elif self.train is not None:
            self.model = self.first.__sklearn_clone__()
            known = [1.0] * len(self.train[0])
            self.model.fit(
                [*self.train[0], *texts],
                [*map(str, self.train[1]), *labels],
                sample_weight=[*known, *weights] if self.learns_weak else None,
            )
        else:
            self.model = copy.copy(self.first)
            self.model.partial_fit(texts, labels, sample_weight=weights if self.learns_weak else None)
        self._scores: Any = None
        self.milliseconds = 1000 * (time.perf_counter() - began)

    @property
    def chances(self) -> Array:
        """(pool, labels): probabilities, or a softmax of margins, which ranks alike."""
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

    def queue(self, order: str) -> list[int]:
        """Places of texts that were not decided, the most useful first.

        'least sure' is the smallest lead of the best label over the second; 'most telling' weighs that
        by how many other texts are like it (information density, Settles and Craven 2008); a mixture
        takes from all three by turns.
        """
        if order not in ORDERS:
            raise DataError(f"order: one of {', '.join(ORDERS)} is wanted, not {order!r}")
        done = {one.text for one in self.decided()}
        left = np.array([i for i in self.random.tolist() if self.pool[i] not in done], dtype=int)
        if not len(left) or order == "random":
            return [int(i) for i in left]
        best = self.chances
        if best.shape[1] > 2:
            best = np.partition(best, best.shape[1] - 2, axis=1)[:, -2:]
        best = np.sort(best, axis=1)
        lead = best[:, -1] - (best[:, -2] if best.shape[1] > 1 else 0.0)
        unsure = left[np.argsort(lead[left], kind="stable")]
        if order == "least sure":
            return [int(i) for i in unsure]
        telling = left[np.argsort(-((1 - lead) * self.density)[left], kind="stable")]
        if order == "most telling":
            return [int(i) for i in telling]
        return by_turns(unsure, telling, left)

    def told(self, order: str | None = None) -> Told:
        """The queue, what the model makes of its first texts, and how far one has come."""
        self.order = order or self.order
        began = time.perf_counter()
        queue = self.queue(self.order)
        shown = queue[:SHOWN]
        guesses = shares(self.model, [self.pool[i] for i in shown]) if shown else []
        decided = self.decided()
        agreed = [one.guess == one.label for one in decided if one.label is not None]
        return {
            "order": self.order,
            "orders": ORDERS,
            "texts": [
                {"place": i, "text": self.pool[i][:20_000], "labels": each[:10]}
                for i, each in zip(shown, guesses, strict=True)
            ],
            "left": len(queue),
            "labels": [str(label) for label in self.model.classes_.tolist()],
            "counts": Counter(str(one.label) for one in decided if one.label is not None),
            "decided": len(decided),
            "agreed": agreed[-50:],
            "last": [
                {"text": one.text[:300], "label": one.label, "guess": one.guess, "note": one.note}
                for one in reversed(decided[-5:])
            ],
            "milliseconds": self.milliseconds + 1000 * (time.perf_counter() - began),
            "file": self.decisions.path,
        }


def by_turns(unsure: Any, telling: Any, random: Any) -> list[int]:
    """The mixture: two of the least sure to one of the others, each once."""
    turns = zip(
        unsure.tolist(), telling.tolist(), [*unsure[1:].tolist(), -1], random.tolist(), strict=True
    )
    return list(dict.fromkeys(place for turn in turns for place in turn if place >= 0))


def _texts(pool: list[str]) -> Any:
    from linnet.data.texts import as_texts

    return as_texts(pool)


def _sparse(rows: Any) -> Any:
    from scipy.sparse import csr_array

    return csr_array((rows.values, rows.indices, rows.indptr), shape=rows.shape)
