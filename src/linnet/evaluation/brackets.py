"""How good trees of phrases are: labelled brackets that are found, as ``evalb`` counts them.

A bracket is right if its first word, last word and label are. By the rules of ``COLLINS.prm``, words
with the tags of traces and punctuation are taken out before, and brackets that hold nothing else;
labels count without functions, and ADVP and PRT are one. The bracket around a tree (TOP, ROOT, or
without a label) is no constituent, so that it never counts.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass, fields, replace
from types import MappingProxyType
from typing import Any

import numpy as np
from numpy.typing import NDArray

import linnet._core as _core
from linnet.data.bracket_cleaning import base_label, kept_words
from linnet.data.brackets import Brackets
from linnet.data.sequences import token_strings
from linnet.errors import DataError
from linnet.evaluation.bracket_counts import common_codes, crossings, matches, per_sentence
from linnet.evaluation.resampling import Difference, Interval, bootstrap, paired_bootstrap
from linnet.evaluation.spans import _ratio
from linnet.evaluation.tallies import SumTally

Array = NDArray[np.int64]
Flags = NDArray[np.bool_]
SCORED, NO_WORDS, OTHER_LENGTH, OTHER_WORDS = range(4)
REASONS = ("scored", "no words", "another number of words", "other words")
METRICS = ("precision", "recall", "f1", "unlabelled_f1", "exact", "tagging_accuracy")
# Columns of `BracketScores.tally`.
BRACKET_METRICS = MappingProxyType(
    {
        "precision": (0, 1),
        "recall": (0, 2),
        "f1": (3, 5),
        "unlabelled_precision": (4, 1),
        "unlabelled_recall": (4, 2),
        "unlabelled_f1": (6, 5),
        "exact": (7, 8),
        "tagging_accuracy": (9, 10),
    }
)


@dataclass(frozen=True)
class EvalbRules:
    """What is counted; the defaults are those of ``COLLINS.prm``, as in most papers."""

    deleted: frozenset[str] = frozenset({"TOP", "-NONE-", ",", ":", "``", "''", "."})
    without_length: frozenset[str] = frozenset({"-NONE-"})  # tags that do not make a sentence longer
    equal: tuple[tuple[str, str], ...] = (("PRT", "ADVP"),)  # the first counts as the second
    equal_words: tuple[tuple[str, str], ...] = ()
    longest: int = 40  # of short sentences, which are told apart

    def same(self, name: str) -> str:
        """What a label or tag is compared as."""
        return dict(self.equal).get(name, name)

    def label(self, name: str) -> str | None:
        """The same without functions; None: such brackets are not counted."""
        short = base_label(name)
        return None if short in self.deleted else self.same(short)


COLLINS = EvalbRules()


@dataclass(frozen=True)
class BracketScores:
    """Counts of each sentence; those of sentences that are not scored are 0."""

    status: Array  # SCORED, or why not
    lengths: Array  # of gold sentences, by which short ones are known
    gold: Array  # brackets
    guessed: Array
    matched: Array  # right in span and label
    unlabelled: Array  # right in span
    crossing: Array  # guessed brackets that cross a gold one
    words: Array
    right_tags: Array
    names: list[str]  # of labels
    by_name: Array  # (sentences, 3, labels): matched, guessed, gold
    rules: EvalbRules = COLLINS

    @property
    def scored(self) -> Flags:
        """Which sentences are."""
        return np.asarray(self.status == SCORED)

    @property
    def precision(self) -> float:
        """Right brackets among those guessed; 0 if there are none."""
        return _ratio(self.matched.sum(), self.guessed.sum())

    @property
    def recall(self) -> float:
        """Right brackets among the gold ones."""
        return _ratio(self.matched.sum(), self.gold.sum())

    @property
    def f1(self) -> float:
        """2 matched / (guessed + gold)."""
        return _ratio(2 * self.matched.sum(), self.guessed.sum() + self.gold.sum())

    @property
    def exact_each(self) -> Flags:
        """Sentences all of whose brackets are right, and no others guessed."""
        same = (self.gold == self.guessed) & (self.guessed == self.matched)
        return np.asarray(self.scored & same)

    @property
    def exact(self) -> float:
        """The share of these."""
        return _ratio(self.exact_each.sum(), self.scored.sum())

    @property
    def average_crossing(self) -> float:
        """Guessed brackets that cross a gold one, per sentence."""
        return _ratio(self.crossing.sum(), self.scored.sum())

    def crossing_at_most(self, most: int) -> float:
        """The share of sentences with so many of them or fewer."""
        return _ratio((self.scored & (self.crossing <= most)).sum(), self.scored.sum())

    @property
    def tagging_accuracy(self) -> float:
        """Words with the right tag, without those that are taken out."""
        return _ratio(self.right_tags.sum(), self.words.sum())

    def take(self, kept: Flags | Array) -> BracketScores:
        """Those of some sentences."""
        single = ("names", "rules")
        parts = {f.name: getattr(self, f.name)[kept] for f in fields(self) if f.name not in single}
        return replace(self, **parts)

    def short(self) -> BracketScores:
        """Those of sentences that are no longer than the rules say."""
        return self.take(self.lengths <= self.rules.longest)

    def tally(self) -> SumTally:
        """For the bootstrap, and for choosing settings: sentences are the instances."""
        columns = (
            *(self.matched, self.guessed, self.gold, 2 * self.matched, self.unlabelled),
            *(self.guessed + self.gold, 2 * self.unlabelled, self.exact_each, self.scored),
            *(self.right_tags, self.words),
        )
        return SumTally(np.stack(columns, axis=1).astype(np.float64), BRACKET_METRICS)

    def interval(
        self, metric: str = "f1", resamples: int = 1000, level: float = 0.95, seed: int = 0
    ) -> Interval:
        """By drawing sentences anew (percentile bootstrap)."""
        drawn = bootstrap(self.tally(), (metric,), resamples=resamples, level=level, seed=seed)
        return drawn[metric]

    def versus(
        self,
        other: BracketScores,
        metric: str = "f1",
        resamples: int = 2000,
        level: float = 0.95,
        seed: int = 0,
    ) -> Difference:
        """Is the other one better, or is it luck? On sentences that are scored in both."""
        if len(self.status) != len(other.status):
            raise DataError("the two scores are not of the same sentences")
        both = self.scored & other.scored
        if not both.any():
            raise DataError("no sentence is scored in both")
        pair = (self.take(both).tally(), other.take(both).tally())
        told = paired_bootstrap(pair, (metric,), resamples=resamples, level=level, seed=seed)
        return told[metric]

    def figures(self) -> dict[str, Any]:
        """All figures, as plain data."""
        spans = self.unlabelled.sum()
        return {
            "sentences": len(self.status),
            "scored": int(self.scored.sum()),
            "not_scored": {
                reason: int((self.status == k).sum())
                for k, reason in enumerate(REASONS)
                if k != SCORED and (self.status == k).any()
            },
            "words": int(self.words.sum()),
            "gold": int(self.gold.sum()),
            "guessed": int(self.guessed.sum()),
            "matched": int(self.matched.sum()),
            "precision": self.precision,
            "recall": self.recall,
            "f1": self.f1,
            "unlabelled_precision": _ratio(spans, self.guessed.sum()),
            "unlabelled_recall": _ratio(spans, self.gold.sum()),
            "unlabelled_f1": _ratio(2 * spans, self.guessed.sum() + self.gold.sum()),
            "exact": self.exact,
            "average_crossing": self.average_crossing,
            "no_crossing": self.crossing_at_most(0),
            "two_or_fewer_crossing": self.crossing_at_most(2),
            "tagging_accuracy": self.tagging_accuracy,
        }

    def report(self, resamples: int = 1000, level: float = 0.95, seed: int = 0) -> dict[str, Any]:
        """Everything, as plain data ready for JSON."""
        told = self.figures()
        if self.scored.any():
            how = {"resamples": resamples, "level": level, "seed": seed}
            sure = bootstrap(self.tally(), METRICS, **how)  # type: ignore[arg-type]
            told["intervals"] = {name: asdict(around) for name, around in sure.items()}
        told["short"] = {"longest": self.rules.longest} | self.short().figures()
        told["by_label"] = self.by_label()
        return told

    def by_label(self) -> list[dict[str, Any]]:
        """Of each label, how many brackets are found."""
        matched, guessed, gold = self.by_name.sum(axis=0)
        return [
            {
                "label": name,
                "gold": int(gold[k]),
                "guessed": int(guessed[k]),
                "precision": _ratio(matched[k], guessed[k]),
                "recall": _ratio(matched[k], gold[k]),
                "f1": _ratio(2 * matched[k], guessed[k] + gold[k]),
            }
            for k, name in enumerate(self.names)
        ]


def bracket_scores(gold: Brackets, guess: Brackets, rules: EvalbRules = COLLINS) -> BracketScores:
    """Compare guessed trees with gold ones, sentence by sentence.

    A sentence is not scored if without what is taken out it has other words in the two, or none.

    >>> gold = Brackets.from_nested([("S", ("NP", ("NNS", "linnets")), ("VP", ("VBP", "sing")))])
    >>> guess = Brackets.from_nested([("S", ("NNS", "linnets"), ("VP", ("VBP", "sing")))])
    >>> bracket_scores(gold, guess).recall
    0.6666666666666666
    """
    if len(gold) != len(guess):
        raise DataError(f"there are {len(gold)} gold trees, but {len(guess)} guessed ones")
    short = ~gold.tagged_as(*rules.without_length)
    lengths = per_sentence(np.flatnonzero(short), gold.offsets)
    ours, theirs = (kept_words(trees, ~trees.tagged_as(*rules.deleted)) for trees in (gold, guess))
    status = _status(ours, theirs, rules)
    kept = np.flatnonzero(status == SCORED)
    ours, theirs = ours.take(kept), theirs.take(kept)
    names = sorted({name for trees in (ours, theirs) for name in _labels(trees, rules) if name})
    code = {name: k for k, name in enumerate(names)}
    first, second = (_counted(trees, rules, code) for trees in (ours, theirs))
    offsets = ours.offsets
    tags = [
        [rules.same(tag) for part in trees.column("pos") for tag in part] for trees in (ours, theirs)
    ]
    right = np.array([a == b for a, b in zip(*tags, strict=True)], np.bool_)
    cells = {
        "gold": per_sentence(first[:, 0], offsets),
        "guessed": per_sentence(second[:, 0], offsets),
        "unlabelled": per_sentence(matches(first[:, :2], second[:, :2])[:, 0], offsets),
        "crossing": per_sentence(second[crossings(first, second, offsets), 0], offsets),
        "words": ours.lengths,
        "right_tags": per_sentence(np.flatnonzero(right), offsets),
    }
    found = matches(first, second)
    by_name = np.stack([_by_name(part, offsets, len(names)) for part in (found, second, first)], axis=1)
    cells["matched"] = per_sentence(found[:, 0], offsets)
    return BracketScores(
        status,
        lengths,
        names=names,
        by_name=_spread(by_name, kept, len(gold)),
        rules=rules,
        **{name: _spread(values, kept, len(gold)) for name, values in cells.items()},
    )


def _status(gold: Brackets, guess: Brackets, rules: EvalbRules) -> Array:
    """Per sentence whether its words are the same, and if not, why."""
    status = np.full(len(gold), SCORED, np.int64)
    same = gold.lengths == guess.lengths
    at = np.flatnonzero(same)
    words = [trees.sequences.take(at).columns["word"] for trees in (gold, guess)]
    if rules.equal_words:
        same_word = dict(rules.equal_words)
        words = [
            _core.Texts.from_list([same_word.get(word, word) for word in token_strings(texts)])
            for texts in words
        ]
    ours, theirs = common_codes(*words)
    offsets = np.concatenate([np.zeros(1, np.int64), np.cumsum(gold.lengths[at])])
    other = per_sentence(np.flatnonzero(ours != theirs), offsets)
    status[at[other > 0]] = OTHER_WORDS
    status[~same] = OTHER_LENGTH
    status[guess.lengths == 0] = NO_WORDS
    return status


def _labels(trees: Brackets, rules: EvalbRules) -> list[str | None]:
    """What each of the labels counts as."""
    return [rules.label(name) for name in trees.labels.names]


def _counted(trees: Brackets, rules: EvalbRules, code: dict[str, int]) -> Array:
    """(brackets, 3): first word and the one after the last, among all words, and label."""
    table = np.array([-1 if n is None else code[n] for n in _labels(trees, rules)] + [-1], np.int64)
    labels = table[trees.labels.codes]
    first = trees.offsets[:-1][trees.sentences]
    rows = np.stack([trees.begins + first, trees.ends + first, labels], axis=1)
    return np.asarray(rows[labels >= 0], np.int64)


def _by_name(rows: Array, offsets: Array, count: int) -> Array:
    """(sentences, labels)."""
    table = np.zeros((len(offsets) - 1, count), np.int64)
    np.add.at(table, (np.searchsorted(offsets, rows[:, 0], side="right") - 1, rows[:, 2]), 1)
    return table


def _spread(values: Array, places: Array, count: int) -> Array:
    """Values of some sentences among 0 of the others."""
    out = np.zeros((count, *values.shape[1:]), np.int64)
    out[places] = values
    return out
