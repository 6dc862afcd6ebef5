"""How many spans a tagger finds: precision, recall and F1 as ``conlleval`` counts them.

A span is right if its first token, last token and type are. See `linnet.data.chunks` for how tags
are read.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from linnet.data.chunks import Chunks, as_column, find_chunks
from linnet.data.examples import LabelColumn
from linnet.errors import DataError
from linnet.evaluation.metrics import Counts
from linnet.evaluation.resampling import Interval, bootstrap
from linnet.evaluation.tallies import SumTally

Array = NDArray[np.int64]

# Columns of `SpanCounts.tally`.
SPAN_METRICS = MappingProxyType(
    {
        "accuracy": (5, 6),
        "sentence_accuracy": (7, 8),
        "f1": (3, 4),
        "precision": (0, 1),
        "recall": (0, 2),
    }
)


class Span(NamedTuple):
    """Tokens ``begin`` to ``end`` - 1 of a sentence."""

    begin: int
    end: int
    type: str


def spans(tags: Sequence[str | None], strict: str | None = None) -> list[Span]:
    """The spans of one sentence.

    >>> spans(["B-PER", "I-PER", "O", "I-LOC"])
    [Span(begin=0, end=2, type='PER'), Span(begin=3, end=4, type='LOC')]
    """
    column, offsets = as_column([tags])
    return listed(find_chunks(column, offsets, strict), offsets)[0]


def listed(chunks: Chunks, offsets: Array) -> list[list[Span]]:
    """The spans of each sentence, counted from its first token."""
    out: list[list[Span]] = [[] for _ in range(len(offsets) - 1)]
    sentences = np.searchsorted(offsets, chunks.begins, side="right") - 1
    starts = offsets[sentences]
    for i, begin, end, kind in zip(
        sentences.tolist(),
        (chunks.begins - starts).tolist(),
        (chunks.ends - starts).tolist(),
        chunks.types.tolist(),
        strict=True,
    ):
        out[i].append(Span(begin, end, chunks.names[kind]))
    return out


@dataclass(frozen=True)
class SpanCounts:
    """How often spans of each type are right, guessed and gold, in each sentence."""

    types: list[str]
    hits: Array  # (sentences, types)
    guessed: Array
    gold: Array
    tokens: Array  # (sentences,): with a gold tag
    right: Array  # (sentences,): of these, with the right tag

    def counts(self) -> Counts:
        """For the formulas of `METRICS`: labels are types; accuracy is that of tokens."""
        hits, guessed, gold = (
            part.sum(axis=0).astype(np.float64) for part in (self.hits, self.guessed, self.gold)
        )
        tokens = int(self.tokens.sum())
        right, covered = np.array(self.right.sum(), np.float64), np.array(tokens, np.float64)
        return Counts(tokens, right, covered, hits, guessed, gold)

    @property
    def token_accuracy(self) -> float:
        return float(self.right.sum() / max(self.tokens.sum(), 1))

    @property
    def precision(self) -> float:
        """Right spans among those guessed; 0 if there are none."""
        return _ratio(self.hits.sum(), self.guessed.sum())

    @property
    def recall(self) -> float:
        """Right spans among the gold ones."""
        return _ratio(self.hits.sum(), self.gold.sum())

    @property
    def f1(self) -> float:
        """2 hits / (guessed + gold), over all types."""
        return _ratio(2 * self.hits.sum(), self.guessed.sum() + self.gold.sum())

    def tally(self) -> SumTally:
        """For the bootstrap, and for choosing settings: sentences are the instances."""
        hits, guessed, gold = (part.sum(axis=1) for part in (self.hits, self.guessed, self.gold))
        whole = (self.tokens > 0) & (self.tokens == self.right)
        columns = (hits, guessed, gold, 2 * hits, guessed + gold, self.right, self.tokens)
        table = np.stack([*columns, whole, self.tokens > 0], axis=1).astype(np.float64)
        return SumTally(table, SPAN_METRICS)

    def interval(self, resamples: int = 1000, level: float = 0.95, seed: int = 0) -> Interval:
        """Of F1, by drawing sentences anew (percentile bootstrap)."""
        return bootstrap(self.tally(), ("f1",), resamples=resamples, level=level, seed=seed)["f1"]

    def report(self) -> dict[str, Any]:
        """Everything, as plain data ready for JSON."""
        per_type = self.counts()
        return {
            "sentences": len(self.tokens),
            "tokens": int(self.tokens.sum()),
            "token_accuracy": self.token_accuracy,
            "gold": int(self.gold.sum()),
            "guessed": int(self.guessed.sum()),
            "correct": int(self.hits.sum()),
            "precision": self.precision,
            "recall": self.recall,
            "f1": self.f1,
            "per_type": [
                {
                    "type": name,
                    "gold": int(per_type.gold[k]),
                    "guessed": int(per_type.guessed[k]),
                    "correct": int(per_type.hits[k]),
                    "precision": float(per_type.precision[k]),
                    "recall": float(per_type.recall[k]),
                    "f1": float(per_type.f1[k]),
                }
                for k, name in enumerate(self.types)
            ],
        }

    def conlleval(self) -> str:
        """The table that ``conlleval`` prints, in per cent."""
        told = self.report()
        head = (
            f"processed {told['tokens']} tokens with {told['gold']} phrases; "
            f"found: {told['guessed']} phrases; correct: {told['correct']}.\n"
            f"accuracy: {100 * told['token_accuracy']:6.2f}%; {_percent(told)}"
        )
        rows = [f"{row['type']:>17}: {_percent(row)}  {row['guessed']}" for row in told["per_type"]]
        return "\n".join([head, *rows])


def _percent(row: dict[str, Any]) -> str:
    return (
        f"precision: {100 * row['precision']:6.2f}%; recall: {100 * row['recall']:6.2f}%; "
        f"FB1: {100 * row['f1']:6.2f}"
    )


def _ratio(over: Any, under: Any) -> float:
    return float(over / under) if under else 0.0


def span_counts(
    gold: Sequence[Sequence[str | None]],
    guess: Sequence[Sequence[str | None]],
    strict: str | None = None,
) -> SpanCounts:
    """Count spans in lists of tags, sentence by sentence.

    Tokens without a gold tag are outside in both, and not among those whose accuracy is told.
    ``strict`` names a scheme; spans that are not written as it demands do not count then.

    >>> span_counts([["B-PER", "I-PER", "O"]], [["B-PER", "I-PER", "B-LOC"]]).precision
    0.5
    """
    if len(gold) != len(guess):
        raise DataError(f"there are {len(gold)} sentences, but guesses for {len(guess)}")
    for i, (tags, guesses) in enumerate(zip(gold, guess, strict=True)):
        if len(tags) != len(guesses):
            raise DataError(f"sentence {i + 1} has {len(tags)} tokens, but {len(guesses)} guesses")
    column, offsets = as_column(gold)
    return column_counts(column, as_column(guess)[0], offsets, strict)


def column_counts(
    gold: LabelColumn, guess: LabelColumn, offsets: Array, strict: str | None = None
) -> SpanCounts:
    """The same of columns with one tag per token; sentence i is tokens offsets[i]:offsets[i + 1]."""
    if not len(gold.codes) == len(guess.codes) == offsets[-1]:
        raise DataError(f"{len(gold.codes)} tokens have gold tags, but {len(guess.codes)} guesses")
    known = gold.codes >= 0
    guess = LabelColumn(guess.names, np.where(known, guess.codes, -1).astype(np.int32))
    found, wanted = find_chunks(guess, offsets, strict), find_chunks(gold, offsets, strict)
    types = sorted({*wanted.names, *found.names})
    place = {name: k for k, name in enumerate(types)}
    shape = len(offsets) - 1, len(types)

    def kinds(chunks: Chunks) -> Array:
        return np.array([place[name] for name in chunks.names], np.int64)[chunks.types]

    # At most one gold span begins at a token: its end and type stand there.
    gold_ends, gold_kinds = np.zeros((2, len(known)), np.int64)
    gold_ends[wanted.begins], gold_kinds[wanted.begins] = wanted.ends, kinds(wanted)
    right = (gold_ends[found.begins] == found.ends) & (gold_kinds[found.begins] == kinds(found))

    def table(chunks: Chunks, kept: NDArray[np.bool_] | slice = slice(None)) -> Array:
        sentences = np.searchsorted(offsets, chunks.begins[kept], side="right") - 1
        cells = sentences * shape[1] + kinds(chunks)[kept]
        cells = np.bincount(cells, minlength=shape[0] * shape[1])
        return cells.reshape(shape)

    code = {name: k for k, name in enumerate(gold.names)}
    same = np.array([code.get(name, -2) for name in guess.names] + [-3], np.int64)
    correct = known & (same[guess.codes] == gold.codes)
    return SpanCounts(
        types,
        table(found, right),
        table(found),
        table(wanted),
        _per_sentence(known, offsets),
        _per_sentence(correct, offsets),
    )


def _per_sentence(flags: NDArray[np.bool_], offsets: Array) -> Array:
    sums = np.concatenate([np.zeros(1, np.int64), np.cumsum(flags)])
    return np.asarray(sums[offsets[1:]] - sums[offsets[:-1]])
