"""Errors, of parsers: how good one is on trees, where it fails, and why."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from functools import cached_property
from typing import Any

import numpy as np

from linnet.data.trees import Trees
from linnet.errors import DataError
from linnet.evaluation import tree_scores
from linnet.evaluation.metrics import gather
from linnet.serving.look.judged import MOST, fraction, matrix
from linnet.serving.look.slicing import by_length

Told = dict[str, Any]
METRICS = ("uas", "las")
MOST_REASONS, LONG = 5, 7  # features that are told; words that a long arc spans
MOST_KINDS = 8  # parts of speech


def check_gold(trees: Trees) -> None:
    """There are heads to compare with."""
    if not (trees.heads >= 0).any():
        raise DataError("sentences with a head for each word are wanted")


class JudgedTrees:
    """A parser's trees of sentences that have trees, computed once.

    Of a word its arc is told, as its relation and its head; it is right if both are.
    """

    def __init__(self, model: Any, gold: Trees, rival: Any = None) -> None:
        check_gold(gold)
        self.model, self.gold, self.rival = model, gold, rival
        self.words = gold.column("form")
        self.lengths = gold.lengths

    @cached_property
    def guess(self) -> Trees:
        """Trees of the model."""
        return self.model.parse_trees(self.gold)  # type: ignore[no-any-return]

    @cached_property
    def found(self) -> Any:
        """Which words got the right head and relation."""
        return tree_scores(self.gold, self.guess.heads, self.guess.relations)

    @cached_property
    def right(self) -> Any:
        """(words that count,)."""
        return self.correct[self.counted]

    @property
    def correct(self) -> Any:
        """(words,): the right head, and the right relation where the parser tells relations."""
        return self.found.right_both if self.found.labelled else self.found.right

    @property
    def counted(self) -> Any:
        """(words,): have a gold arc."""
        return self.found.counted_relations if self.found.labelled else self.found.counted

    @cached_property
    def overview(self) -> Told:
        """Metrics with intervals, confusions of relations, each of these, the worst sentences."""
        intervals = {name: asdict(self.found.interval(name)) for name in self._metrics}
        wrong = self._wrong_words()
        order = [int(i) for i in np.argsort(-wrong, kind="stable")[:20] if wrong[i]]
        return {
            "kind": "trees",
            "examples": int(self.counted.sum()),
            "errors": int(wrong.sum()),
            "metrics": {name: one["value"] for name, one in intervals.items()},
            "intervals": intervals,
            "confusion": matrix(self._confusion),
            "worst": [self._sentence(i) for i in order],
            "per_label": [row | {"label": row["relation"]} for row in self.found.by_relation()]
            if self.found.labelled
            else [],
        }

    @property
    def _metrics(self) -> tuple[str, ...]:
        return METRICS if self.found.labelled else METRICS[:1]

    def _wrong_words(self) -> Any:
        """Of each sentence."""
        wrong = self.counted & ~self.correct
        return np.diff(np.concatenate([[0], np.cumsum(wrong)])[self.gold.offsets])

    @cached_property
    def _confusion(self) -> Told:
        known = self.counted & self.found.labelled
        rows, columns = self.found.gold_relations[known], self.found.relations[known]
        names = list(self.found.names) if self.found.labelled else []
        return gather(rows, columns, len(names)).told(names, names)

    # ------------------------------------------------------------------ sentences

    @cached_property
    def _arcs(self) -> tuple[list[list[str]], list[list[str]]]:
        """Of each word what its arc is, in the gold tree and in the model's."""
        return self._told_arcs(self.gold), self._told_arcs(self.guess)

    def _told_arcs(self, trees: Trees) -> list[list[str]]:
        parts = zip(self.words, trees.head_lists(), trees.relation_lists(), strict=True)
        return [
            [
                "unknown" if h is None else f"{r or 'a word'} of {words[h - 1] if h else 'the root'}"
                for h, r in zip(heads, relations, strict=True)
            ]
            for words, heads, relations in parts
        ]

    def _wrong_at(self, i: int) -> list[int]:
        """Words of a sentence whose arc is wrong."""
        at = slice(self.gold.offsets[i], self.gold.offsets[i + 1])
        wrong = self.counted[at] & ~self.correct[at]
        return [int(k) for k in np.flatnonzero(wrong)]

    def _sentence(self, i: int, at: int | None = None, why: bool = True) -> Told:
        """A sentence, its words that are wrong, and why one of them is, or the first."""
        wrong = self._wrong_at(i)
        at = at if at is not None else next(iter(wrong), 0)
        tree = self.guess.take([i])
        return {
            "place": i,
            "words": self.words[i],
            "golds": self._arcs[0][i],
            "guesses": self._arcs[1][i],
            "wrong": wrong,
            "tree": {"heads": tree.head_lists()[0], "relations": tree.relation_lists()[0]},
            "at": at,
            "because": self._because(i, at) if why and at in wrong else [],
        }

    def _because(self, i: int, at: int) -> list[Told]:
        """What speaks for the head of a word over the one that came second, or for its relation."""
        (one,) = self.model.explain(self.guess.take([i]), word=at + 1)
        (word,) = one.explained
        place = self.gold.offsets[i] + at
        choice = word.relation if self.found.right[place] and word.relation else word.head
        if choice.runner_up is None:
            return []
        names = [choice.chosen, choice.runner_up]
        over = [one.word_at(name) if isinstance(name, int) else str(name) for name in names]
        return [
            {"feature": term.name, "share": term.difference, "for": over[0], "over": over[1]}
            for term in choice.strongest()[:MOST_REASONS]
            if term.difference > 0
        ]

    def cell(self, gold: str, guess: str) -> Told:
        """The sentences in which a word of one relation was given another."""
        place = {name: k for k, name in enumerate(self.found.names)}
        pair = (self.found.gold_relations == place.get(gold, -2)) & (
            self.found.relations == place.get(guess, -2)
        )
        places = np.flatnonzero(pair & self.counted)
        sentences = np.searchsorted(self.gold.offsets, places, side="right") - 1
        first = dict(zip(sentences[::-1].tolist(), places[::-1].tolist(), strict=True))
        rows = sorted(first.items())
        told = [self._sentence(i, int(k - self.gold.offsets[i])) for i, k in rows[:MOST]]
        return {"texts": told, "all": len(rows)}

    # ------------------------------------------------------------------ slices, and a second model

    def slices(self, word: str = "") -> list[Told]:
        """Words that are right: in sentences by length, that contain something, by part of speech."""
        found: list[Told | None] = []
        counted = self.counted
        words = np.array([one for sentence in self.words for one in sentence], dtype=object)[counted]
        if word:
            has = np.array([word.casefold() in one.casefold() for one in words.tolist()], dtype=bool)
            found.append(fraction(f"words with {word}", has, self.right))
            found.append(fraction("other words", ~has, self.right))
        lengths = np.repeat(self.lengths, self.lengths)[counted]
        found += by_length(lengths, self.right, "sentences of {} words")
        spans = np.abs(self._spans()[counted])
        root = self.gold.heads[counted] == 0
        found.append(fraction("words under the root", root, self.right))
        for name, part in (
            ("next to their head", spans == 1),
            (f"{LONG} words off or more", spans >= LONG),
        ):
            found.append(fraction(f"words {name}", part & ~root, self.right))
        if "upos" in self.gold.columns:
            codes, names = self.gold.columns["upos"].codes()
            codes = codes[counted]
            times = np.bincount(codes, minlength=len(names))
            for k in np.argsort(-times, kind="stable")[:MOST_KINDS].tolist():
                found.append(fraction(f"upos = {names[k]}", codes == k, self.right))
        return [row for row in found if row is not None]

    def _spans(self) -> Any:
        """(words,): how far the gold head is."""
        own = np.arange(self.gold.tokens) - np.repeat(self.gold.offsets[:-1], self.lengths) + 1
        return self.gold.heads - own

    @cached_property
    def beside_rival(self) -> Told:
        """Where two parsers differ, and whether that is luck."""
        if self.rival is None:
            raise DataError("no second model was given: linnet look MODEL DATA --against MODEL2")
        trees = self.rival.parse_trees(self.gold)
        theirs = tree_scores(self.gold, trees.heads, trees.relations)
        others = self._told_arcs(trees)
        differ = [i for i, (a, b) in enumerate(zip(self._arcs[1], others, strict=True)) if a != b]
        return {
            "differences": [asdict(self.found.versus(theirs, name)) for name in self._metrics],
            "texts": [self._differing(i, others[i]) for i in differ[:MOST]],
            "all": len(differ),
        }

    def _differing(self, i: int, other: Sequence[str]) -> Told:
        return self._sentence(i, why=False) | {"others": list(other)}
