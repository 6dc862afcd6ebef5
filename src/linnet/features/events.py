"""Words as events, one per token: what hidden Markov models emit."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from linnet.data.matrix import CsrRows
from linnet.errors import DataError
from linnet.features.compiled import Sentences
from linnet.features.text.stored import StoredFeatures
from linnet.features.tokens import TokenFeatures, Watch

Numbers = NDArray[np.int32]
OTHER = "other"  # the name of the last event

# From the finest to the coarsest; tuned on UD English EWT.
UNKNOWN = ("suffix3 shape", "suffix2 shape", "shape")


class WordEvents(StoredFeatures):
    """Exactly one event for each token, so that events have probabilities.

    A word seen more than ``rare`` times in training is an event itself. Other words are known by
    their class: ``classes`` are templates, each of which gives a token one feature or none, from the
    finest to the coarsest, and the first counts whose feature at least ``support`` rare tokens of the
    training data have. What is left is one event, "other". So unknown words are taken for the rare
    ones they look like.

    >>> from types import SimpleNamespace
    >>> from linnet.data import as_texts
    >>> words = as_texts(["the", "linnet", "the", "wren", "the", "robin"])
    >>> birds = SimpleNamespace(columns={"word": words}, offsets=np.array([0, 6]))
    >>> events = WordEvents(rare=1, classes=["suffix1", "shape"], support=3)
    >>> events.fit_rows(birds).indices.tolist()
    [0, 1, 0, 1, 0, 1]
    >>> list(events.names)
    ['word[0]=the', 'shape[0]=x', 'other']
    """

    def __init__(
        self,
        *,
        rare: int = 1,
        classes: str | Sequence[str] = UNKNOWN,
        support: int = 3,
        word: str = "word",
    ) -> None:
        self.rare = rare
        self.classes = classes
        self.support = support
        self.word = word

    def fit_rows(self, sequences: Sentences, threads: int = 1) -> CsrRows:
        """Learn the events of the tokens and give their rows."""
        words = self._words()
        events = _single(words.fit_rows(sequences, threads), self.word)
        size = words.n_features
        parts, numbers = [words], []
        for template in self._classes():
            part = TokenFeatures(templates=[template])
            found = _single(part.fit_rows(sequences, threads), template)
            open_ = (events < 0) & (found >= 0)
            kept = np.bincount(found[open_], minlength=part.n_features) >= self.support
            numbers.append(np.where(kept, size + np.cumsum(kept) - 1, -1).astype(np.int32))
            events[open_] = numbers[-1][found[open_]]
            size += int(kept.sum())
            parts.append(part)
        self._features, self._numbers = parts, numbers
        return self._rows(events)

    def fit_parts(
        self, parts: Iterable[Sentences], threads: int = 1, watch: Watch | None = None
    ) -> Self:
        """The same of sentences that come in parts, gone through twice for each class."""
        self._features, self._numbers = [self._words().fit_parts(parts, threads, watch)], []
        size = self._features[0].n_features
        for template in self._classes():
            of_class = TokenFeatures(templates=[template]).fit_parts(parts, threads, watch)
            counts = np.zeros(of_class.n_features, np.int64)
            for part in parts:
                found = _single(of_class.rows(part, threads), template)
                open_ = (self._events(part, threads) < 0) & (found >= 0)
                counts += np.bincount(found[open_], minlength=len(counts))
            kept = counts >= self.support
            self._numbers.append(np.where(kept, size + np.cumsum(kept) - 1, -1).astype(np.int32))
            self._features.append(of_class)
            size += int(kept.sum())
        return self

    def rows(self, sequences: Sentences, threads: int = 1) -> CsrRows:
        """One event for each token, be it "other"."""
        self._check_fitted()
        return self._rows(self._events(sequences, threads))

    def _words(self) -> TokenFeatures:
        """Those that are events themselves, to be fitted."""
        if self.rare < 0 or self.support < 1:
            raise ValueError(f"rare={self.rare} must be 0 or more, support={self.support} 1 or more")
        return TokenFeatures(templates=[self.word], min_df=int(self.rare) + 1)

    def _events(self, sequences: Sentences, threads: int) -> Numbers:
        """By the words and classes there are, -1 where none of them knows a token."""
        words, *classes = self._features
        events = _single(words.rows(sequences, threads), self.word)
        for part, numbers in zip(classes, self._numbers, strict=True):
            if (events >= 0).all():
                break
            found = _single(part.rows(sequences, threads), "")
            open_ = (events < 0) & (found >= 0)
            events[open_] = numbers[found[open_]]
        return events

    def grow_rows(self, sequences: Sentences, threads: int = 1) -> CsrRows:
        """Rows of more sentences; the events stay those of the first, whose counts they are."""
        return (self.rows if self._fitted else self.fit_rows)(sequences, threads)

    @property
    def n_features(self) -> int:
        self._check_fitted()
        kept = sum(int((numbers >= 0).sum()) for numbers in self._numbers)
        return self._features[0].n_features + kept + 1

    @property
    def names(self) -> Sequence[str]:
        """What each event stands for."""
        self._check_fitted()
        words, *classes = self._features
        names = list(words.names)
        for part, numbers in zip(classes, self._numbers, strict=True):
            known = part.names
            names += [known[k] for k in np.flatnonzero(numbers >= 0).tolist()]
        return [*names, OTHER]

    @property
    def columns(self) -> list[str]:
        """The columns that are looked at."""
        self._check_fitted()
        return list(dict.fromkeys(name for part in self._features for name in part.columns))

    @property
    def transitions(self) -> bool:
        """An HMM has transitions."""
        return True

    def pairs(self) -> None:
        """Transitions do not see events."""

    # Parts of a model file

    def spec(self) -> dict[str, Any]:
        """Settings and small facts, as JSON; with `tensors` all there is to know."""
        self._check_fitted()
        settings = self.get_params(deep=False) | {"classes": self._classes()}
        return {"settings": settings, "parts": [part.spec() for part in self._features]}

    def tensors(self) -> dict[str, NDArray[Any]]:
        """The vocabularies of words and classes, and the numbers of classes as events."""
        self._check_fitted()
        found = {
            f"part{k}.{name}": array
            for k, part in enumerate(self._features)
            for name, array in part.tensors().items()
        }
        return found | {f"numbers{k}": numbers for k, numbers in enumerate(self._numbers)}

    @classmethod
    def from_parts(cls, spec: Mapping[str, Any], tensors: Mapping[str, NDArray[Any]]) -> Self:
        """The inverse; arrays are not copied and may be those of a mapped file."""
        try:
            self = cls(**spec["settings"])
            self._features = [
                TokenFeatures.from_parts(part, _under(f"part{k}.", tensors))
                for k, part in enumerate(spec["parts"])
            ]
            self._numbers = [tensors[f"numbers{k}"] for k in range(len(self._features) - 1)]
            self._check_numbers()
        except (KeyError, TypeError, AttributeError, IndexError) as error:
            raise DataError(f"the events are damaged: {error}") from None
        return self

    # Within

    kind: ClassVar[str] = "event"
    _features: list[TokenFeatures]  # words, then classes
    _numbers: list[Numbers]  # of each class: the events of its features, -1 for none

    def _classes(self) -> list[str]:
        return self.classes.splitlines() if isinstance(self.classes, str) else list(self.classes)

    def _rows(self, events: Numbers) -> CsrRows:
        """A row of one event for each token."""
        size = self.n_features
        events[events < 0] = size - 1
        n = len(events)
        return CsrRows(
            np.arange(n + 1, dtype=np.int64), events, np.ones(n, np.float32), size, distinct=True
        )

    def _check_numbers(self) -> None:
        """Events are numbered one after the other, words first; a damaged file may say otherwise."""
        size = self._features[0].n_features
        for part, numbers in zip(self._features[1:], self._numbers, strict=True):
            kept = numbers[numbers >= 0] if numbers.dtype == np.int32 else None
            if kept is None or numbers.shape != (part.n_features,):
                raise DataError("the events are damaged: the numbers of a class do not fit it")
            if not np.array_equal(kept, np.arange(size, size + len(kept))):
                raise DataError("the events are damaged: they are not numbered in order")
            size += len(kept)


def _single(rows: CsrRows, template: str) -> Numbers:
    """The feature of each token, -1 where there is none."""
    sizes = np.diff(rows.indptr)
    if sizes.max(initial=0) > 1:
        raise ValueError(
            f"the template {template!r} gives some tokens several features; an event needs one"
        )
    numbers = np.full(len(rows), -1, np.int32)
    numbers[sizes == 1] = rows.indices
    return numbers


def _under(prefix: str, tensors: Mapping[str, NDArray[Any]]) -> dict[str, NDArray[Any]]:
    return {
        name.removeprefix(prefix): array for name, array in tensors.items() if name.startswith(prefix)
    }
