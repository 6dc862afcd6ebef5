"""Errors, of parsers of phrases: which brackets are found, what was said instead, and why."""

from __future__ import annotations

from dataclasses import asdict
from functools import cached_property
from typing import Any

import numpy as np

from linnet.data.brackets import Brackets
from linnet.errors import DataError
from linnet.evaluation import bootstrap, bracket_scores
from linnet.evaluation.bracket_pairs import NONE, bracket_pairs
from linnet.evaluation.metrics import gather
from linnet.serving.look.judged import MOST, fraction, matrix
from linnet.serving.look.phrase_models import is_grammar, judged_trees
from linnet.serving.look.slicing import by_length

Told = dict[str, Any]
METRICS = ("precision", "recall", "f1", "unlabelled_f1", "exact", "tagging_accuracy")
COMPARED = ("f1", "precision", "recall", "exact")
NOTHING = "no bracket"  # said in place of a gold one that is missing, right where one is too many
MOST_REASONS, MOST_KINDS = 5, 8
SHOWN = 8  # words of a phrase that is spoken of
WIDTHS = ((1, 1), (2, 3), (4, 7), (8, None))  # words of a phrase


def check_brackets(gold: Brackets) -> None:
    """There is something to compare with."""
    if not gold.constituents:
        raise DataError("trees with brackets are wanted")


class JudgedPhrases:
    """A parser's trees of sentences that have trees, computed once; brackets count as evalb has it."""

    def __init__(self, model: Any, gold: Brackets, rival: Any = None) -> None:
        check_brackets(gold)
        self.model, self.gold, self.rival = model, gold.cleaned(), rival
        self.words = self.gold.column("word")

    @cached_property
    def guess(self) -> Brackets:
        """Trees of the model."""
        return judged_trees(self.model, self.gold)

    @cached_property
    def found(self) -> Any:
        """Counts of each sentence."""
        return bracket_scores(self.gold, self.guess)

    @cached_property
    def pairs(self) -> Any:
        """Gold and guessed brackets side by side."""
        return bracket_pairs(self.gold, self.guess, self.found)

    @cached_property
    def wrong(self) -> Any:
        """(sentences,): brackets that are missing, too many, or have another label."""
        pairs = self.pairs
        return np.bincount(pairs.sentences[~pairs.right], minlength=len(self.gold))

    @cached_property
    def overview(self) -> Told:
        """Metrics with intervals, confusions of labels, each of these, the worst sentences."""
        found, pairs = self.found, self.pairs
        sure = bootstrap(found.tally(), METRICS) if found.scored.any() else {}
        order = [int(i) for i in np.argsort(-self.wrong, kind="stable")[:20] if self.wrong[i]]
        return {
            "kind": "phrases",
            "examples": int(found.gold.sum()),
            "errors": int((found.gold - found.matched).sum()),
            "too_many": int((pairs.gold == NONE).sum()),
            "not_scored": int((~found.scored).sum()),
            "metrics": {name: one.value for name, one in sure.items()},
            "intervals": {name: asdict(one) for name, one in sure.items()},
            "confusion": matrix(self._confusion),
            "worst": [self._sentence(i) for i in order],
            "per_label": found.by_label(),
        }

    @property
    def _names(self) -> list[str]:
        """Labels, and that there is none."""
        return [*self.pairs.names, NOTHING]

    @cached_property
    def _confusion(self) -> Told:
        last = len(self.pairs.names)
        both = (self.pairs.gold_labels, self.pairs.guessed_labels)
        rows, columns = (np.where(labels < 0, last, labels) for labels in both)
        return gather(rows, columns, last + 1).told(self._names, self._names)

    # ------------------------------------------------------------------ sentences

    def _sentence(self, i: int, chosen: tuple[int, int] | None = None, why: bool = True) -> Told:
        """A sentence with both trees, its brackets that are wrong, and why one of them was said."""
        pairs = self.pairs
        wrong = pairs.wrong_of(i)
        labels = pairs.gold_labels[wrong], pairs.guessed_labels[wrong]
        rows = [
            {"words": self._phrase(i, int(k)), "gold": self._name(a), "guess": self._name(b)}
            for k, a, b in zip(wrong, *labels, strict=True)
        ]
        wanted = [k for k, pair in zip(wrong, zip(*labels, strict=True), strict=True) if pair == chosen]
        said = [k for k in wanted or wrong if pairs.guess[k] != NONE]
        return {
            "place": i,
            "words": self.words[i],
            "wrong": rows,
            "gold": _told(self.gold, i, pairs.gold[wrong]),
            "guess": _told(self.guess, i, pairs.guess[wrong]),
            "because": self._because(i, int(pairs.guess[said[0]])) if why and said else [],
        }

    def _name(self, label: int) -> str:
        return NOTHING if label == NONE else str(self.pairs.names[label])

    def _phrase(self, i: int, pair: int) -> str:
        """The words of a bracket that is in one of the trees."""
        in_gold = self.pairs.gold[pair] != NONE
        trees, at = (self.gold, self.pairs.gold) if in_gold else (self.guess, self.pairs.guess)
        k = at[pair]
        return " ".join(self.words[i][trees.begins[k] : trees.ends[k]])

    def _because(self, i: int, place: int) -> list[Told]:
        """What speaks for a bracket that was said, beside the best tree without it."""
        if is_grammar(self.model):
            return []
        span = (int(self.guess.begins[place]), int(self.guess.ends[place]))
        tree = self.guess[i]
        try:
            (one,) = self.model.explain([list(zip(tree.words, tree.tags, strict=True))], span)
        except DataError:  # the tree with least risk is not the one that scores best
            return []
        (found,) = one.explained
        terms = sorted((t for t in found.terms if t.difference > 0), key=lambda t: -t.difference)
        phrase = " ".join(tree.words[slice(*span)][:SHOWN]) + (
            " …" if span[1] - span[0] > SHOWN else ""
        )
        of, over = f"{found.label} over “{phrase}”", found.other
        return [
            {"feature": t.name, "share": t.difference, "for": of, "over": over or NOTHING}
            for t in terms[:MOST_REASONS]
        ]

    def cell(self, gold: str, guess: str) -> Told:
        """The sentences in which a bracket of one label was given another, or none, or is too many."""
        number = {name: k for k, name in enumerate(self.pairs.names)} | {NOTHING: NONE}
        pair = number.get(gold, -2), number.get(guess, -2)
        pairs = self.pairs
        there = (pairs.gold_labels == pair[0]) & (pairs.guessed_labels == pair[1])
        rows = np.unique(pairs.sentences[there]).tolist()
        return {"texts": [self._sentence(i, pair) for i in rows[:MOST]], "all": len(rows)}

    # ------------------------------------------------------------------ slices, and a second model

    def slices(self, word: str = "") -> list[Told]:
        """Gold brackets that are found: in sentences by length, of so many words, by label."""
        pairs = self.pairs
        at = np.flatnonzero(pairs.gold != NONE)
        right, sentences, places = pairs.right[at], pairs.sentences[at], pairs.gold[at]
        begins, ends = self.gold.begins[places], self.gold.ends[places]
        found: list[Told | None] = []
        if word:
            spans = zip(sentences.tolist(), begins.tolist(), ends.tolist(), strict=True)
            has = np.array([_within(word, self.words[i][b:e]) for i, b, e in spans], dtype=bool)
            found.append(fraction(f"phrases with {word}", has, right))
            found.append(fraction("other phrases", ~has, right))
        lengths = self.gold.lengths[sentences]
        found += by_length(lengths, right, "in sentences of {} words")
        for low, high in WIDTHS:
            part = (ends - begins >= low) & (ends - begins <= (high or np.inf))
            words = f"{low} or more words" if high is None else f"{low} to {high} words"
            found.append(fraction(f"phrases of {'1 word' if high == 1 else words}", part, right))
        labels = pairs.gold_labels[at]
        times = np.bincount(labels, minlength=len(pairs.names))
        for k in np.argsort(-times, kind="stable")[:MOST_KINDS].tolist():
            found.append(fraction(f"label {pairs.names[k]}", labels == k, right))
        return [row for row in found if row is not None]

    @cached_property
    def beside_rival(self) -> Told:
        """Where two parsers differ, and whether that is luck."""
        if self.rival is None:
            raise DataError("no second model was given: linnet look MODEL DATA --against MODEL2")
        other = judged_trees(self.rival, self.gold)
        theirs = bracket_scores(self.gold, other)
        both = zip(self.guess, other, strict=True)
        differ = [i for i, (a, b) in enumerate(both) if a.constituents != b.constituents]
        nothing = np.zeros(0, np.int64)
        return {
            "differences": [asdict(self.found.versus(theirs, name)) for name in COMPARED],
            "texts": [
                self._sentence(i, why=False) | {"other": _told(other, i, nothing)}
                for i in differ[:MOST]
            ],
            "all": len(differ),
        }


def _told(trees: Brackets, i: int, wrong: Any) -> Told:
    """A tree, and which of its brackets are wrong."""
    tree = trees[i]
    first = int(trees.starts[i])
    return {
        "words": list(tree.words),
        "tags": list(tree.tags),
        "brackets": [[b, e, label] for b, e, label in tree.spans()],
        "wrong": sorted(int(k) - first for k in wrong if k != NONE),
    }


def _within(word: str, phrase: list[str]) -> bool:
    return any(word.casefold() in one.casefold() for one in phrase)
