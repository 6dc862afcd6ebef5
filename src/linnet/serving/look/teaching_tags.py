"""Teach, for taggers: sentences are given spans or tags, and the model goes on learning."""

from __future__ import annotations

import copy
import time
from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from linnet.data.chunks import (
    Chunks,
    as_column,
    find_chunks,
    is_chunked,
    tag_parts,
    write_chunks,
)
from linnet.data.joined_sentences import join_sentences
from linnet.data.sequences import Sequences, token_strings
from linnet.errors import DataError, RefusedError
from linnet.serving.look.decisions import Decision, Decisions
from linnet.serving.look.learning import Learning
from linnet.serving.look.sentence_queue import SentenceQueue
from linnet.serving.look.teaching import ORDERS, SHOWN

Told = dict[str, Any]
PASSES, REMINDED = 2, 300  # of a model that goes on from its weights, and how much it is reminded of
MOST_WORDS = 2000  # of a sentence that is shown


class TeachingTags:
    """A pool of sentences, as lists of words, what was decided of them, and the model as it is now.

    It learns as `Learning` has it, the reminders being sentences. What a person decided is kept apart
    from what a model guessed.
    """

    def __init__(
        self,
        model: Any,
        pool: Sequence[Sequence[str]],
        decisions: Decisions,
        train: Sequences | None = None,
        seed: int = 0,
    ) -> None:
        self.first, self.model = model, model
        self.sentences = SentenceQueue(pool, seed)
        self.pool = self.sentences.pool
        self.decisions, self.word = decisions, model._word_name()
        self.train = None if train is None else self._words_alone(train)
        self.order, self.milliseconds = "mixture", 0.0
        self.refused: str | None = None
        self.spans = is_chunked(model.classes_.tolist())
        self.learning = Learning(model, self._go_on, None if train is None else self._refit)
        self.learn()

    # ------------------------------------------------------------------ what is decided

    def decided(self) -> list[Decision]:
        """What stands of this view."""
        return [one for one in self.decisions.standing("teach") if one.words is not None]

    def decide(self, place: int, asked: Mapping[str, Any]) -> None:
        """A person's spans or tags of a sentence, or null to pass over it."""
        if not 0 <= place < len(self.pool):
            raise DataError(f"there is no sentence {place} in the queue of {len(self.pool)}")
        words = self.pool[place]
        tags = None
        if self.spans and asked.get("spans") is not None:
            tags = self._written(_spans(asked["spans"], len(words)), len(words))
        elif asked.get("tags") is not None:
            tags = _tags(asked["tags"], len(words))
        self.decisions.add(
            text=" ".join(words),
            words=words,
            tags=tags,
            view="teach",
            place=place,
            guesses=self._tagged([place])[0],
            note=str(asked.get("note") or "")[:2000],
        )
        self.learn()

    def undo(self) -> int | None:
        """Take the last decision back; the sentence it was about."""
        last = self.decisions.undo(self.decided())
        if last is not None:
            self.learn()
        return None if last is None else last.place

    def _written(self, spans: list[tuple[int, int, str]], size: int) -> list[str]:
        """As the model writes spans down."""
        names = sorted({type_ for _, _, type_ in spans})
        begins, ends, types = (
            np.array([row[k] if k < 2 else names.index(row[2]) for row in spans], np.int64)
            for k in range(3)
        )
        scheme = getattr(self.first, "scheme_", None) or "iob2"
        column = write_chunks(Chunks(begins, ends, types, names), np.array([0, size]), scheme)
        return [column.names[code] for code in column.codes]

    # ------------------------------------------------------------------ what is learnt

    def learn(self, anew: bool = False) -> None:
        """From all that was decided."""
        began = time.perf_counter()
        made = {one.number: one for one in self.decided() if one.tags is not None}
        self.model, self.refused = self.first, None
        try:
            self.model = self.learning.learnt(made, anew)
        except (RefusedError, ValueError) as error:
            self.refused = str(error)  # decisions are kept all the same
        self.__dict__.pop("leads", None)
        self.milliseconds = 1000 * (time.perf_counter() - began)

    def _refit(self, made: list[Decision]) -> Any:
        assert self.train is not None
        return self.first.__sklearn_clone__().fit(join_sentences([self.train, self._decided(made)]))

    def _go_on(self, base: Any, made: list[Decision]) -> Any:
        given = join_sentences([self._reminders, self._decided(made)])
        model = copy.copy(base)
        if base.loss_ == "logistic":  # whose steps are smaller where it is right, and stay probable
            model.learner, model.loss = "sgd", "logistic"
        for _ in range(PASSES):
            model.partial_fit(given)
        return model

    def _decided(self, made: list[Decision]) -> Sequences:
        return self._sentences([one.words or [] for one in made], [one.tags for one in made])

    @cached_property
    def _reminders(self) -> Sequences:
        """Sentences with their tags, or as the model tags them as it came."""
        if self.train is not None:
            return self.train.take(np.random.default_rng(0).permutation(len(self.train))[:REMINDED])
        some = [self.pool[i] for i in self.sentences.random[:REMINDED]]
        return self._sentences(some, self.first.predict(self._sentences(some)))

    def _sentences(self, words: Sequence[Sequence[str]], tags: Any = None) -> Sequences:
        """The one column is called as the model calls words."""
        return Sequences.from_lists([[(w,) for w in one] for one in words], tags, names=(self.word,))

    def _words_alone(self, given: Sequences) -> Sequences:
        words = given.by_sentence(token_strings(given.columns[self.word]))
        return self._sentences(words, given.tags())

    def _tagged(self, places: Sequence[int]) -> list[list[str]]:
        found = self.model.predict(self._sentences([self.pool[i] for i in places]))
        return [list(tags) for tags in found]

    @cached_property
    def leads(self) -> NDArray[np.float64]:
        """(pool,): how sure the model is of the tag it is least sure of.

        Without probabilities, how far the best tags are ahead of the second best, for each word.
        """
        if not self.pool:
            return np.zeros(0)
        data = self._sentences(self.pool)
        if self.model.no_probabilities() is None:
            return np.array([row.max(axis=1).min() for row in self.model.predict_proba(data)])
        best = self.model.predict(data, k=2)
        return np.array([two[0][1] - two[1][1] if len(two) > 1 else np.inf for two in best], np.float64)

    def queue(self, order: str) -> list[int]:
        """Places of sentences that were not decided, the most useful first; as of texts."""
        done = {tuple(one.words or ()) for one in self.decided()}
        return self.sentences.queue(order, done, lambda: self.leads)

    def told(self, order: str | None = None) -> Told:
        """The queue, what the model makes of its first sentences, and how far one has come."""
        self.order = order or self.order
        began = time.perf_counter()
        queue = self.queue(self.order)
        shown = queue[:SHOWN]
        guesses = self._tagged(shown) if shown else []
        decided = self.decided()
        tagged = [one for one in decided if one.tags is not None]
        classes = [str(tag) for tag in self.model.classes_.tolist()]
        return {
            "kind": "spans" if self.spans else "tags",
            "order": self.order,
            "orders": ORDERS,
            "types": tag_parts(classes).names if self.spans else classes,
            "sentences": [
                {"place": i, "words": self.pool[i][:MOST_WORDS], **self._guess(tags)}
                for i, tags in zip(shown, guesses, strict=True)
            ],
            "left": len(queue),
            "decided": len(decided),
            "agreed": [one.guesses == one.tags for one in tagged][-50:],
            "last": [
                {"text": one.text[:300], "tags": self._named(one), "note": one.note}
                for one in reversed(decided[-5:])
            ],
            "refused": self.refused,
            **self.learning.told(),
            "milliseconds": self.milliseconds + 1000 * (time.perf_counter() - began),
            "file": self.decisions.path,
        }

    def _guess(self, tags: list[str]) -> Told:
        return {"spans": spans_of(tags)} if self.spans else {"tags": tags}

    def _named(self, one: Decision) -> str | None:
        """In a line."""
        if one.tags is None or not self.spans:
            return None if one.tags is None else " ".join(one.tags)[:300]
        words = one.words or []
        found = [f"{' '.join(words[b:e])} ({type_})" for b, e, type_ in spans_of(one.tags)]
        return ", ".join(found) or "no span"


def spans_of(tags: Sequence[str]) -> list[list[Any]]:
    """[begin, end, type] of each span.

    >>> spans_of(["B-PER", "I-PER", "O", "B-LOC"])
    [[0, 2, 'PER'], [3, 4, 'LOC']]
    """
    column, offsets = as_column([list(tags)])
    found = find_chunks(column, offsets)
    return [
        [int(b), int(e), found.names[t]]
        for b, e, t in zip(found.begins, found.ends, found.types, strict=True)
    ]


def _spans(given: Any, size: int) -> list[tuple[int, int, str]]:
    """In order, apart from one another, within the sentence."""
    found, at = [], 0
    for row in sorted(given) if isinstance(given, list) and all(map(_is_span, given)) else [None]:
        if row is None or not at <= row[0] < row[1] <= size:
            raise DataError("spans: [[begin, end, type], …] of words is wanted, which do not overlap")
        at = row[1]
        found.append((row[0], row[1], row[2]))
    return found


def _is_span(row: Any) -> bool:
    if not isinstance(row, list) or len(row) != 3 or not all(type(x) is int for x in row[:2]):
        return False
    return isinstance(row[2], str) and bool(row[2].strip())


def _tags(given: Any, size: int) -> list[str]:
    if not isinstance(given, list) or len(given) != size or not all(isinstance(t, str) for t in given):
        raise DataError(f"tags: {size} strings are wanted, one for each word")
    return given
