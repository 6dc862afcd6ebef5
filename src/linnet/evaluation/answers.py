"""Gold and guessed labels as one table of label sets: one label, several, or none ("unsure")."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from linnet.errors import DataError
from linnet.evaluation.tag_lists import are_sequences, in_a_row, several

Codes = NDArray[np.int64]


@dataclass(frozen=True)
class Answers:
    """What is right and what each system said, by number of a label set.

    Where examples have one label each, set k is label k, and set K, if there is one, is empty: the
    answer of a system that is unsure. So one code serves all three kinds of classification.
    """

    labels: list[str]  # K of them
    sets: list[tuple[int, ...]]  # distinct sets of labels, each sorted
    gold: Codes  # (n,): a set for each example
    guesses: tuple[Codes, ...]  # the same for each system
    multilabel: bool

    def __len__(self) -> int:
        """How many examples."""
        return len(self.gold)

    def correct(self, system: int = 0) -> NDArray[np.bool_]:
        """(n,): exactly the right labels?"""
        return np.asarray(self.gold == self.guesses[system])

    def covered(self, system: int = 0) -> NDArray[np.bool_]:
        """(n,): an answer was given. An empty set is an answer where there may be several labels."""
        if self.multilabel:
            return np.ones(len(self), dtype=bool)
        sizes = np.array([len(members) for members in self.sets])
        return np.asarray(sizes[self.guesses[system]] > 0)

    def has(self, label: int) -> NDArray[np.bool_]:
        """(n,): is this a gold label of the example?"""
        if not self.multilabel:  # set k is label k
            return np.asarray(self.gold == label)
        return np.array([label in members for members in self.sets])[self.gold]

    def take(self, kept: NDArray[Any]) -> Answers:
        """Those of some examples."""
        return Answers(
            self.labels,
            self.sets,
            self.gold[kept],
            tuple(guess[kept] for guess in self.guesses),
            self.multilabel,
        )


def answers(
    gold: Sequence[Any],
    *guessed: Sequence[Any],
    labels: Iterable[Any] = (),
    unsure: str | None = None,
    sequences: bool | None = None,
) -> Answers:
    """Read gold labels and one or more systems' guesses.

    An example's labels are one label, or a list, tuple or set of them; a guess of None, or of the
    name ``unsure``, is no answer. ``labels`` are those the system knows: they come first, in their
    order, labels met beyond them follow sorted.

    ``sequences`` says that lists are tags of sentences, one after the other, and no sets of labels:
    then every tag is an example. None: as `are_sequences` judges.
    """
    if len(gold) == 0:
        raise DataError("there are no examples to evaluate on")
    guesses: list[Sequence[Any]] = list(guessed)
    for number, guess in enumerate(guesses):
        if len(guess) != len(gold):
            raise DataError(
                f"{len(gold)} examples have gold labels, but system {number + 1} answered {len(guess)}"
            )
    if sequences or (sequences is None and are_sequences(gold, *guesses)):
        gold, *rest = in_a_row(gold, *guesses)
        guesses = list(rest)
    columns = [_hashable(column) for column in (gold, *guesses)]
    distinct = [dict.fromkeys(column) for column in columns]
    multilabel = any(isinstance(item, tuple) for column in distinct for item in column)
    as_sets = [{item: _members(item, unsure) for item in column} for column in distinct]
    if not multilabel and () in as_sets[0].values():
        place = next(i for i, item in enumerate(columns[0]) if as_sets[0][item] == ())
        raise DataError(f"example {place + 1} has no gold label; every example needs one")
    known = [str(label) for label in labels]
    met = {label for column in as_sets for members in column.values() for label in members}
    names = known + sorted(met - set(known))
    code = {label: k for k, label in enumerate(names)}
    numbers: dict[tuple[int, ...], int] = {} if multilabel else {(k,): k for k in range(len(names))}

    def number_of(members: tuple[str, ...]) -> int:
        return numbers.setdefault(tuple(sorted(code[label] for label in members)), len(numbers))

    coded = []
    for column, sets in zip(columns, as_sets, strict=True):
        places = {item: number_of(members) for item, members in sets.items()}
        coded.append(np.fromiter((places[item] for item in column), np.int64, len(column)))
    return Answers(names, list(numbers), coded[0], tuple(coded[1:]), multilabel)


def _hashable(column: Sequence[Any]) -> list[Any]:
    """A list, sets of labels as tuples."""
    items = column.tolist() if isinstance(column, np.ndarray) else list(column)
    if {type(item) for item in items} <= {str, type(None)}:
        return items
    return [tuple(sorted(item, key=str)) if several(item) else item for item in items]


def _members(item: Any, unsure: str | None) -> tuple[str, ...]:
    if item is None or (unsure is not None and isinstance(item, str) and item == unsure):
        return ()
    if isinstance(item, tuple):
        return tuple({str(label) for label in item})
    return (str(item),)
