"""Errors, of taggers: how good one is on tagged sentences, where it fails, and why."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from functools import cached_property
from typing import Any

import numpy as np

from linnet.data.chunks import is_chunked
from linnet.data.sequences import Sequences, token_strings
from linnet.errors import DataError
from linnet.evaluation import bootstrap, column_counts, paired_bootstrap
from linnet.evaluation.metrics import gather
from linnet.serving.look.judged import MOST, fraction, matrix
from linnet.serving.look.slicing import by_length

Told = dict[str, Any]
MOST_REASONS = 5


class JudgedTags:
    """A tagger's answers to tagged sentences, computed once."""

    def __init__(self, model: Any, data: Sequences, rival: Any = None) -> None:
        if data.labels is None or (data.labels.codes < 0).any():
            raise DataError("sentences with a tag for each word are wanted")
        self.model, self.data, self.labels, self.rival = model, data, data.labels, rival
        self.words = data.by_sentence(token_strings(data.columns[model._word_name()]))
        self.gold = data.by_sentence(data.labels.values())

    @cached_property
    def column(self) -> Any:
        """Tags of all words, as a column."""
        return self.model.tag(self.data)

    @cached_property
    def guess(self) -> list[list[str]]:
        """Tags of each sentence."""
        return list(self.data.by_sentence(self.column.values()))

    @cached_property
    def found(self) -> Any:
        """Counts of tokens and spans, of each sentence."""
        return column_counts(self.labels, self.column, self.data.offsets)

    @property
    def spans(self) -> bool:
        """Do tags speak of spans?"""
        return is_chunked(self.labels.names) and is_chunked(self.model.classes_.tolist())

    @cached_property
    def wrong(self) -> Any:
        """(sentences,): words whose tag is wrong."""
        return self.found.tokens - self.found.right

    @cached_property
    def overview(self) -> Told:
        """Metrics with intervals, confusions, spans by type, and the worst sentences."""
        metrics = ("accuracy", "sentence_accuracy", *(("f1",) if self.spans else ()))
        sure = bootstrap(self.found.tally(), metrics)
        names = {"accuracy": "token_accuracy", "f1": "span_f1"}
        order = [int(i) for i in np.argsort(-self.wrong, kind="stable")[:20] if self.wrong[i]]
        return {
            "kind": "tags",
            "examples": int(self.found.tokens.sum()),
            "errors": int(self.wrong.sum()),
            "metrics": {names.get(name, name): one.value for name, one in sure.items()},
            "intervals": {names.get(name, name): asdict(one) for name, one in sure.items()},
            "confusion": matrix(self._confusion),
            "worst": [self._sentence(i) for i in order],
            "per_label": self._by_type(),
        }

    @cached_property
    def _confusion(self) -> Told:
        gold, guess = self.labels, self.column
        names = sorted({*self.model.classes_.tolist(), *gold.names})
        place = {name: k for k, name in enumerate(names)}
        rows, columns = (
            np.array([place[name] for name in one.names], np.int64)[one.codes] for one in (gold, guess)
        )
        return gather(rows, columns, len(names)).told(names, names)

    def _by_type(self) -> list[Told]:
        """Spans by type, or tags."""
        if self.spans:
            return [
                {"label": row["type"]} | {k: row[k] for k in ("precision", "recall", "f1", "gold")}
                for row in self.found.report()["per_type"]
            ]
        cells, names, rows = self._confusion["cells"], self._confusion["gold"], []
        for k, name in enumerate(names):
            gold = sum(times for a, _, times in cells if a == k)
            said = sum(times for _, b, times in cells if b == k)
            hits = sum(times for a, b, times in cells if a == b == k)
            if gold or said:
                row = {"label": name, "gold": gold, "f1": 2 * hits / (gold + said)}
                row |= {"precision": hits / max(said, 1), "recall": hits / max(gold, 1)}
                rows.append(row)
        return rows

    # ------------------------------------------------------------------ sentences

    def _sentence(self, i: int, pair: tuple[str, str] | None = None) -> Told:
        """A sentence, and why: for its first word of a pair of tags, or the first that errs."""
        rows = list(zip(self.gold[i], self.guess[i], strict=True))
        wanted = (k for k, (a, b) in enumerate(rows) if ((a, b) == pair if pair else a != b))
        at = next(wanted, 0)
        return {
            "place": i,
            "words": self.words[i],
            "golds": self.gold[i],
            "guesses": self.guess[i],
            "at": at,
            "because": self._because(i, at),
        }

    def _because(self, i: int, at: int) -> list[Told]:
        """What speaks for the tag of a word over the tag that came second."""
        if self.gold[i][at] == self.guess[i][at] or self.model.words_lack():
            return []
        (one,) = self.model.explain(self.data.take([i]))
        if at >= len(one.tokens):
            return []
        token = one.tokens[at]
        return [
            {"feature": f"{term.name}", "share": term.difference, "over": token.runner_up}
            for term in token.strongest()[:MOST_REASONS]
            if term.difference > 0
        ]

    def cell(self, gold: str, guess: str) -> Told:
        """The sentences in which a word of one tag was given another."""
        places = [
            i
            for i, (a, b) in enumerate(zip(self.gold, self.guess, strict=True))
            if (gold, guess) in zip(a, b, strict=True)
        ]
        return {"texts": [self._sentence(i, (gold, guess)) for i in places[:MOST]], "all": len(places)}

    # ------------------------------------------------------------------ slices, and a second model

    def slices(self, word: str = "") -> list[Told]:
        """Accuracy of words: in sentences by length, of words that contain something, by their case."""
        words = [one for sentence in self.words for one in sentence]
        right = np.array([a == b for a, b in self._pairs()])
        lengths = np.repeat(self.data.lengths, self.data.lengths)
        found = []
        if word:
            has = np.array([word.casefold() in one.casefold() for one in words])
            found += [fraction(f"words with {word}", has, right), fraction("other words", ~has, right)]
        found += by_length(lengths, right, "sentences of {} words")
        shapes: Mapping[str, Any] = {
            "capitalised": lambda one: one[:1].isupper(),
            "with digits": lambda one: any(c.isdigit() for c in one),
            "without letters or digits": lambda one: not any(c.isalnum() for c in one),
        }
        for name, test in shapes.items():
            found.append(fraction(f"words {name}", np.array([test(one) for one in words]), right))
        return [row for row in found if row is not None]

    def _pairs(self) -> list[tuple[str, str]]:
        both = zip(self.gold, self.guess, strict=True)
        return [pair for a, b in both for pair in zip(a, b, strict=True)]

    @cached_property
    def beside_rival(self) -> Told:
        """Where two taggers differ, and whether that is luck."""
        if self.rival is None:
            raise DataError("no second model was given: linnet look MODEL DATA --against MODEL2")
        column = self.rival.tag(self.data)
        other = self.data.by_sentence(column.values())
        theirs = column_counts(self.labels, column, self.data.offsets)
        tallies = (self.found.tally(), theirs.tally())
        rows = paired_bootstrap(tallies, ("accuracy", "f1") if self.spans else ("accuracy",))
        differ = [i for i, (a, b) in enumerate(zip(self.guess, other, strict=True)) if a != b]
        return {
            "differences": [asdict(row) for row in rows.values()],
            "texts": [self._differing(i, other[i]) for i in differ[:MOST]],
            "all": len(differ),
        }

    def _differing(self, i: int, other: Sequence[str]) -> Told:
        at = next(k for k, (a, b) in enumerate(zip(self.guess[i], other, strict=True)) if a != b)
        return self._sentence(i) | {"others": list(other), "at": at, "because": []}
