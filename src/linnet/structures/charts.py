"""Trees of a grammar: weights of tags given words, of labels of spans, and of rules."""

from __future__ import annotations

import math
from dataclasses import dataclass, fields, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

import linnet._core as _core
from linnet.data.matrix import rows_between
from linnet.errors import RefusedError
from linnet.grammars.derivations import Derivations
from linnet.grammars.shape import ChartShape
from linnet.structures.base import Reals, Structure, Trait
from linnet.structures.families import Family


@dataclass(frozen=True)
class RuleFamily(Family):
    """What a symbol may become: rules, and words if it is a tag; ragged rows, filled up by nothing.

    ``places`` (given, outcomes) are indices into the tables, taken as one; -1: there is nothing.
    """

    places: NDArray[np.int64] | None = None
    base: Reals | None = None  # of which α is taken; None: 1 of everything

    def values(self) -> Reals:
        """A copy of all of them, (given, outcomes)."""
        assert self.places is not None
        flat = np.concatenate([*(table.ravel() for table in self.tables), [0.0]])
        return np.asarray(flat[self.places])

    def write(self, values: Reals) -> None:
        """The inverse of `values`."""
        assert self.places is not None
        here = self.places >= 0
        flat = np.concatenate([table.ravel() for table in self.tables])
        flat[self.places[here]] = values[here]
        begin = 0
        for table in self.tables:
            table[...] = flat[begin : begin + table.size].reshape(table.shape)
            begin += table.size

    def prior(self, alpha: float) -> Reals:
        """α of every outcome that may be."""
        assert self.places is not None
        held = np.where(self.places >= 0, alpha, 0.0)
        return held if self.base is None else held * self.base


@dataclass(frozen=True)
class Charts(Structure):
    """Sentence i is words [offsets[i], offsets[i + 1]); ``gold`` are their trees.

    ``lexicon`` (words, tags) says which words tags may become, and how likely before anything is
    counted; None: all alike. ``spans`` are rows of all spans of sentences, those that end first before
    others, then the longer ones first.
    """

    rows: _core.Rows
    offsets: NDArray[np.int64]
    gold: Derivations
    shape: ChartShape
    spans: _core.Rows | None = None
    lexicon: Reals | None = None

    name = "grammar"
    plural = "trees of a grammar"
    outputs = "a tree of phrases over the words of a sentence"
    complete = "the whole tree of every sentence"
    traits = frozenset(
        {
            Trait.TIED,
            Trait.MANY_PARTS,
            Trait.COUNTED,
            Trait.EXPECTED,
            Trait.SUMMED_OUT,
            Trait.EXACT_SUMS,
        }
    )

    def dataset(self, weights: Reals) -> _core.ChartData:
        """A site for each word and each span; rules are tied."""
        given: dict[str, Any] = {each.name: getattr(self.gold, each.name) for each in fields(self.gold)}
        return _core.ChartData(
            self.rows, self.offsets, self.shape.core, **given, weights=weights, spans=self.spans
        )

    @property
    def size(self) -> int:
        """Of sentences."""
        return len(self.offsets) - 1

    @property
    def width(self) -> int:
        """Tags."""
        return len(self.shape.tags)

    @property
    def n_weights(self) -> float:
        """Of words, spans and rules."""
        spans = 1.0 if self.spans is None else self.spans.features + 1.0
        tags, labels = _core.padded(self.width), _core.padded(len(self.shape.labels))
        rules = len(self.shape.binary) + len(self.shape.unary)
        return (self.rows.features + 1.0) * tags + spans * labels + rules

    @property
    def partial(self) -> bool:
        """Are some trees hidden?"""
        return bool(self.gold.hidden.any())

    def labelled(self) -> NDArray[np.bool_] | None:
        """Sentences whose trees are there, if they use every symbol."""
        whole = self.gold.hidden == 0
        words = np.repeat(whole, np.diff(self.offsets))
        rules = np.unique(self.gold.rules)
        both = [self.shape.binary[:, 0], self.shape.unary[:, 0]]
        parents = np.concatenate(both)
        seen = {*parents[rules].tolist(), *self.shape.tags[np.unique(self.gold.tags[words])].tolist()}
        every = {*parents.tolist(), *self.shape.tags.tolist()}
        return np.asarray(whole) if seen >= every else None

    def part(self, begin: int, end: int) -> Charts:
        """Some of the sentences."""
        first, last = int(self.offsets[begin]), int(self.offsets[end])
        spans = self.spans
        if spans is not None:
            lengths = np.diff(self.offsets)
            starts = np.concatenate([[0], np.cumsum(lengths * (lengths + 1) // 2)])
            spans = rows_between(spans, int(starts[begin]), int(starts[end]))
        return replace(
            self,
            rows=rows_between(self.rows, first, last),
            offsets=self.offsets[begin : end + 1] - first,
            gold=self.gold.part(begin, end, first, last),
            spans=spans,
        )

    def log_outputs(self) -> float:
        """Every split, rule and chain of unary rules by itself: at most so many trees."""
        n = int(np.diff(self.offsets).max(initial=0))
        if n == 0:
            return 0.0
        shapes = n * math.log(4)
        rules = (n - 1) * math.log(max(len(self.shape.binary), 1))
        chains = (2 * n - 1) * self.shape.chains * math.log(len(self.shape.unary) + 1)
        return shapes + rules + chains + n * math.log(max(self.width, 1))

    def check_events(self) -> None:
        """One event for each word, and none for spans."""
        if self.spans is not None:
            raise RefusedError(
                "features of spans overlap, so that a grammar that counts has none: leave spans out, "
                "or use a discriminative learner such as 'perceptron'"
            )
        _core.check_events(self.rows)

    def families(self, flat: Reals) -> list[Family]:
        """What each symbol may become: words of tags, rules of phrases, both of those that are both."""
        part = self.layout.parts(flat)
        words = part["tokens"][1:]  # (words, tags)
        tied = [part[name] for name in ("rules", "unaries") if name in part]
        parents = np.concatenate([self.shape.binary[:, 0], self.shape.unary[:, 0]])
        number = {k: j for j, k in enumerate(self.shape.tags.tolist())}
        phrases = np.unique(parents).tolist()
        pure = np.array([j for k, j in number.items() if k not in set(phrases)], np.int64)
        both = [k for k in phrases if k in number]
        rules_only = [k for k in phrases if k not in number]
        found: list[Family] = []
        if len(pure):
            places = np.arange(words.size).reshape(words.shape)[:, pure].T
            lexicon = None if self.lexicon is None else self.lexicon[:, pure].T
            found.append(RuleFamily((words,), True, None, places, lexicon))
        if rules_only:
            found.append(RuleFamily(tuple(tied), False, None, _listed(parents, rules_only)))
        if both:
            rules = _listed(parents, both)
            tags = [number[k] for k in both]
            own = np.arange(words.size).reshape(words.shape)[:, tags].T
            after = np.where(rules >= 0, rules + words.size, -1)
            base = np.ones((len(both), own.shape[1] + rules.shape[1]))
            if self.lexicon is not None:
                base[:, : own.shape[1]] = self.lexicon[:, tags].T
            places = np.concatenate([own, after], axis=1)
            found.append(RuleFamily((words, *tied), True, None, places, base))
        return found

    def __getstate__(self) -> dict[str, Any]:
        """Rows are pickled, the layout is made anew."""
        return {name: value for name, value in self.__dict__.items() if name != "layout"}


def _listed(parents: NDArray[Any], wanted: list[int]) -> NDArray[np.int64]:
    """The rules of each symbol, one row each, filled up by -1."""
    own = [np.flatnonzero(parents == k) for k in wanted]
    found = np.full((len(own), max(map(len, own))), -1, np.int64)
    for row, rules in zip(found, own, strict=True):
        row[: len(rules)] = rules
    return found
