"""An ordered list of rules that change tags, and the tags that words begin with."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

import linnet._core as _core
from linnet.data import Sequences
from linnet.features.rule_templates import RuleColumn, RuleTemplate

Codes = NDArray[np.int32]
RARE = 10  # words that occur no more often tell what unknown words are like


class Coded(dict[str, tuple[Codes, list[str]]]):
    """Of each column the number of each token's value, and the values: made once for all who ask."""

    def __init__(self, data: Sequences) -> None:
        super().__init__()
        self.columns = data.columns

    def __missing__(self, name: str) -> tuple[Codes, list[str]]:
        self[name] = found = self.columns[name].codes()
        return found


@dataclass(frozen=True)
class WordTags:
    """The most frequent tag of each word; of unknown words that of the longest known ending."""

    words: dict[str, int]
    endings: dict[str, int]  # with a sign in front for a capital; "" knows every word
    longest: int

    @classmethod
    def learn(cls, texts: _core.Texts, gold: Codes, tags: int, longest: int) -> WordTags:
        """Ties go to the tag that is first in order. A token without a tag (-1) is not counted."""
        codes, names = texts.codes()
        counted = gold >= 0
        table = np.zeros((len(names), tags), np.int64)
        np.add.at(table, (codes[counted], gold[counted]), 1)
        total = table.sum(axis=1)
        best = table.argmax(axis=1)
        words = {name: int(best[k]) for k, name in enumerate(names) if total[k]}
        ends: dict[str, Counter[int]] = defaultdict(Counter)
        for k in np.flatnonzero((total > 0) & (total <= RARE)).tolist():
            there = np.flatnonzero(table[k])
            for ending in endings_of(names[k], longest):
                for tag in there.tolist():
                    ends[ending][tag] += int(table[k, tag])
        found = {e: min(c, key=lambda tag: (-c[tag], tag)) for e, c in ends.items()}
        return cls(words, found | {"": int(table.sum(axis=0).argmax())}, longest)

    def tag(self, codes: Codes, names: Sequence[str]) -> Codes:
        """A tag for each token; a token is a number of its word's name."""
        found = [self._of(name) for name in names]
        return np.asarray(found, np.int32)[codes] if found else np.zeros(0, np.int32)

    def _of(self, word: str) -> int:
        tag = self.words.get(word)
        return self.endings[self._ending(word)] if tag is None else tag

    def _ending(self, word: str) -> str:
        return next(e for e in [*endings_of(word, self.longest), ""] if e in self.endings)

    def reason(self, word: str) -> str:
        """What tells the tag of a word."""
        if word in self.words:
            return "its word"
        ending = self._ending(word)
        return f"the ending -{ending[1:]}" if ending else "the most frequent tag"


def endings_of(word: str, longest: int) -> list[str]:
    """The longest first; ``A`` in front is a capital, ``a`` is none."""
    sign = "A" if word[:1].isupper() else "a"
    return [sign + word[-n:] for n in range(min(longest, len(word)), 0, -1)]


@dataclass(frozen=True)
class RuleList:
    """Rules in their order; each changes all places at once where its conditions hold.

    ``rules`` is (n, 3 + conditions): template, tag, tag in its place, values by number in ``values``
    of their column; ``counts`` (n, 2): tags of the training data that it fixed and broke.
    """

    tags: list[str]
    templates: list[RuleTemplate]
    values: Mapping[RuleColumn, list[str]]
    rules: NDArray[np.int32]
    counts: NDArray[np.int64]

    def __len__(self) -> int:
        return len(self.rules)

    @cached_property
    def columns(self) -> list[RuleColumn]:
        """Those that do not change, in their order; the tags come before them."""
        return list(self.values)

    @cached_property
    def shapes(self) -> list[list[tuple[int, Sequence[int]]]]:
        """The templates by numbers of columns."""
        return shapes_of(self.templates, self.columns)

    @cached_property
    def _core(self) -> _core.Transformations:
        return _core.Transformations(self.shapes, len(self.columns) + 1, self.rules)

    def tag(
        self, data: Sequences, initial: Codes, threads: int = 1, coded: Coded | None = None
    ) -> Codes:
        """The tags of all tokens; ``coded`` are the columns of these data if somebody has made them."""
        seen = self._seen(Coded(data) if coded is None else coded)
        return self._core.tag(data.offsets, [initial, *seen], threads)

    def fired(self, data: Sequences, initial: Codes) -> NDArray[np.int64]:
        """Rows of (token, rule): each change that was made."""
        return self._core.fired(data.offsets, [initial, *self._seen(Coded(data))])

    def _seen(self, coded: Coded) -> list[Codes]:
        return [numbered(coded, column, self._numbers[column]) for column in self.columns]

    @cached_property
    def _numbers(self) -> dict[RuleColumn, dict[str, int]]:
        return {column: {v: k for k, v in enumerate(vs)} for column, vs in self.values.items()}

    def text(self, k: int) -> str:
        """Rule k, counted from 0, to be read."""
        template, before, after, *values = self.rules[k].tolist()
        said = [
            f"{c.text}={self._value(c.column, v)}"
            for c, v in zip(self.templates[template], values, strict=False)
        ]
        return f"{self.tags[before]} -> {self.tags[after]} if {' & '.join(said)}"

    def _value(self, column: RuleColumn, number: int) -> str:
        return self.tags[number] if column.name == "" else self.values[column][number]

    @cached_property
    def texts(self) -> list[str]:
        """All of them."""
        return [self.text(k) for k in range(len(self))]

    def weights(self) -> list[tuple[str, str, int]]:
        """The list as a linear function: (feature, tag, weight).

        Of a token, feature k is whether rule k changes it, and its weight for the new tag 2^k; the tag
        it begins with has 2^0. Since 2^k exceeds the sum of all smaller powers, the tag of the highest
        sum is that of the last rule that fired. Weights are whole numbers of any size, and exact.
        """
        return [(self.texts[k], self.tags[self.rules[k, 2]], 2 ** (k + 1)) for k in range(len(self))]

    def without_unused(self) -> RuleList:
        """Values that no rule names are dropped; so are columns."""
        used: dict[RuleColumn, set[int]] = {column: set() for column in self.values}
        for row in self.rules.tolist():
            for condition, value in zip(self.templates[row[0]], row[3:], strict=False):
                if condition.column.name:
                    used[condition.column].add(value)
        kept = {column: sorted(numbers) for column, numbers in used.items()}
        place = {c: {v: k for k, v in enumerate(numbers)} for c, numbers in kept.items()}
        rules = self.rules.copy()
        for row in rules:
            for k, condition in enumerate(self.templates[row[0]]):
                if condition.column.name:
                    row[3 + k] = place[condition.column][int(row[3 + k])]
        values = {c: [self.values[c][v] for v in numbers] for c, numbers in kept.items()}
        return RuleList(self.tags, self.templates, values, rules, self.counts)


def columns_of(templates: Sequence[RuleTemplate]) -> list[RuleColumn]:
    """What they look at beside tags."""
    seen = dict.fromkeys(value.column for template in templates for value in template)
    return [column for column in seen if column.name]


def shapes_of(
    templates: Sequence[RuleTemplate], columns: Sequence[RuleColumn]
) -> list[list[tuple[int, Sequence[int]]]]:
    """Templates as the core wants them."""
    place = {RuleColumn(""): 0} | {column: k + 1 for k, column in enumerate(columns)}
    return [[(place[v.column], list(v.offsets)) for v in template] for template in templates]


def numbered(coded: Coded, column: RuleColumn, numbers: Mapping[str, int]) -> Codes:
    """The number of what is seen of each token; -1 for what has none."""
    codes, names = coded[column.name]
    table = np.array([*(numbers.get(column.of(name), -1) for name in names), -1], np.int32)
    return table[codes]


def values_of(data: Sequences, column: RuleColumn) -> list[str]:
    """The values of a column in the order in which rules are compared, which is NLTK's."""
    _, names = data.columns[column.name].codes()
    return sorted({column.of(name) for name in names}, key=repr)


def learn_rules(
    data: Sequences,
    templates: list[RuleTemplate],
    tags: list[str],
    initial: Codes,
    gold: Codes,
    **limits: Any,
) -> tuple[RuleList, bool]:
    """The rules, and whether Ctrl-C ended it; ``tags`` are in the order of their ``repr``."""
    columns, coded = columns_of(templates), Coded(data)
    values = {column: values_of(data, column) for column in columns}
    seen = [numbered(coded, c, {v: k for k, v in enumerate(values[c])}) for c in columns]
    rules, counts, interrupted = _core.learn_transformations(
        data.offsets,
        [initial, *seen],
        gold,
        len(tags),
        shapes_of(templates, columns),
        **limits,
    )
    return RuleList(tags, templates, values, rules, counts).without_unused(), interrupted
