"""Teach, for parsers: trees are corrected by hand, and the model goes on learning."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from linnet.errors import DataError
from linnet.serving.look.decisions import Decision, Decisions
from linnet.serving.look.learning import Learning
from linnet.serving.look.sentence_queue import SentenceQueue
from linnet.serving.look.teaching import ORDERS, SHOWN

Told = dict[str, Any]
Words = Sequence[Sequence[str]]
RANKED = 300  # sentences that are parsed anew after each decision, to know how sure the model is
UNASKED = 40_000  # words of trees, up to which a fit in the background is begun without being asked for
MOST_WORDS = 250  # of a sentence of the queue: nobody draws a larger tree


class Kind(Protocol):
    """What trees are: arcs or brackets. A tree is plain data, as a decision has it."""

    name: str
    names: list[str]  # relations, or labels of brackets

    def trees(self, model: Any, sentences: Words) -> list[Told]:
        """What a model says, and how sure it is of each arc or bracket where it can tell."""

    def redrawn(self, model: Any, words: Sequence[str], asked: Mapping[str, Any]) -> Told:
        """The tree of a sentence under what a person has pinned; by hand where the model has none."""

    def checked(self, tree: Any, words: Sequence[str]) -> Told:
        """A person's tree, or DataError."""

    def sure(self, model: Any, sentences: Words) -> NDArray[np.float64]:
        """Of each sentence how sure a model is of its tree, at most 1."""

    def line(self, tree: Told, words: Sequence[str]) -> str:
        """In a line."""

    def go_on(self, base: Any, trees: list[tuple[Sequence[str], Told]]) -> Any:
        """A model after some steps over these trees and what it is to be reminded of."""

    def refit(self, made: list[tuple[Sequence[str], Told]]) -> Any:
        """A model of all that it was trained on, and these."""


class TeachingTrees:
    """A pool of sentences, as lists of words, what was decided of them, and the model as it is now.

    It learns as `Learning` has it: it goes on from its weights at once, and is fitted anew by a thread
    where there are trees to fit it to. A tree that was saved is a person's as a whole; what the
    model had said is kept beside it.
    """

    def __init__(
        self,
        model: Any,
        pool: Words,
        decisions: Decisions,
        train: Any = None,
        seed: int = 0,
    ) -> None:
        from linnet.serving.look.taught_arcs import Arcs
        from linnet.serving.look.taught_phrases import Phrases

        self.first, self.model, self.decisions = model, model, decisions
        drawn = [words for words in pool if len(words) <= MOST_WORDS and all(map(_is_word, words))]
        self.sentences, self.left_out = SentenceQueue(drawn, seed), len(pool) - len(drawn)
        self.pool = self.sentences.pool
        some = [self.pool[i] for i in self.sentences.random]
        self.kind: Kind = (Phrases if model.task == "trees" else Arcs)(model, some, train)
        self.order, self.milliseconds, self.refused = "mixture", 0.0, ""
        refit = None if train is None else self._refit
        unasked = train is None or train.tokens <= UNASKED
        self.learning = Learning(model, self._go_on, refit, background=True, unasked=unasked)
        self.learn()

    # ------------------------------------------------------------------ what is decided

    def decided(self) -> list[Decision]:
        """What stands of this view."""
        return [one for one in self.decisions.standing("teach") if one.words is not None]

    def decide(self, place: int, asked: Mapping[str, Any]) -> None:
        """A person's tree of a sentence, or none to pass over it."""
        words = self._words(place)
        tree = asked.get("tree")
        made = None if tree is None else self.kind.checked(tree, words)
        said = self.kind.trees(self.model, [words])[0]
        self.decisions.add(
            text=" ".join(words),
            words=words,
            tree=made,
            guessed=self.kind.checked(said, words),
            view="teach",
            place=place,
            note=str(asked.get("note") or "")[:2000],
        )
        self.learn()

    def redrawn(self, place: int, asked: Mapping[str, Any]) -> Told:
        """The tree of a sentence under what is pinned."""
        words = self._words(place)
        return {"place": place, "words": words, **self.kind.redrawn(self.model, words, asked)}

    def _words(self, place: int) -> list[str]:
        if not 0 <= place < len(self.pool):
            raise DataError(f"there is no sentence {place} in the queue of {len(self.pool)}")
        return self.pool[place]

    def undo(self) -> int | None:
        """Take the last decision back; the sentence it was about."""
        last = self.decisions.undo(self.decided())
        if last is not None:
            self.learn()
        return None if last is None else last.place

    # ------------------------------------------------------------------ what is learnt

    def learn(self, anew: bool = False) -> None:
        """From all that was decided."""
        began = time.perf_counter()
        made = {one.number: one for one in self.decided() if one.tree is not None}
        self.refused = ""
        try:
            self.model = self.learning.learnt(made, anew)
        except ValueError as error:
            self.model, self.refused = self.learning.base, str(error)  # decisions are kept all the same
        self.__dict__.pop("leads", None)
        self.milliseconds = 1000 * (time.perf_counter() - began)

    def follow(self) -> None:
        """If a thread has fitted the model anew, that is the model."""
        if self.learning.take():
            self.learn()

    def stop(self) -> None:
        """Nobody looks any more."""
        self.learning.stop()

    def _go_on(self, base: Any, made: list[Decision]) -> Any:
        known = self.learning.in_base
        return self.kind.go_on(base, _pairs([one for one in made if one.number not in known]))

    def _refit(self, made: list[Decision]) -> Any:
        return self.kind.refit(_pairs(made))

    @cached_property
    def leads(self) -> NDArray[np.float64]:
        """(pool,): how sure the model is of a tree; NaN but for some that are left, by chance."""
        done = {tuple(one.words or ()) for one in self.decided()}
        some = [i for i in self.sentences.random if tuple(self.pool[i]) not in done][:RANKED]
        found = np.full(len(self.pool), np.nan)
        if some:
            found[some] = self.kind.sure(self.model, [self.pool[i] for i in some])
        return found

    def told(self, order: str | None = None) -> Told:
        """The queue, what the model makes of its first sentence, and how far one has come."""
        self.follow()
        self.order = order or self.order
        began = time.perf_counter()
        done = {tuple(one.words or ()) for one in self.decided()}
        queue = self.sentences.queue(self.order, done, lambda: self.leads)
        shown = queue[:SHOWN]
        sentences: list[Told] = [{"place": i, "words": self.pool[i]} for i in shown]
        if shown:
            sentences[0] |= self.kind.trees(self.model, [self.pool[shown[0]]])[0]
        decided = self.decided()
        drawn = [one for one in decided if one.tree is not None]
        return {
            "kind": self.kind.name,
            "order": self.order,
            "orders": ORDERS,
            "names": self._names(drawn),
            "sentences": sentences,
            "left": len(queue),
            "ranked": min(RANKED, len(queue)),
            "left_out": self.left_out,
            "decided": len(decided),
            "learnt": len(drawn),
            "agreed": [one.guessed == one.tree for one in drawn][-50:],
            "last": [
                {
                    "text": one.text[:300],
                    "tree": None if one.tree is None else self.kind.line(one.tree, one.words or []),
                    "note": one.note,
                }
                for one in reversed(decided[-5:])
            ],
            "refused": self.refused,
            **self.learning.told(),
            "milliseconds": self.milliseconds + 1000 * (time.perf_counter() - began),
            "file": self.decisions.path,
        }

    def _names(self, drawn: list[Decision]) -> list[str]:
        """Those of the model, and those that a person has used."""
        own: set[str] = set()
        for one in drawn:
            tree = one.tree or {}
            own |= {str(name) for name in tree.get("relations", [])}
            own |= {str(row[2]) for row in tree.get("brackets", [])}
        return [*self.kind.names, *sorted(own - set(self.kind.names))]


def _is_word(word: str) -> bool:
    """Without blanks, so that files of brackets can hold it."""
    return word.split() == [word]


def _pairs(made: list[Decision]) -> list[tuple[Sequence[str], Told]]:
    return [(one.words or [], one.tree or {}) for one in made]
