"""How good a parser is: the share of words that get the right head (UAS) and relation, too (LAS).

Relations count without subtypes (``nsubj:pass`` is ``nsubj``) and punctuation counts as any word,
unless told otherwise. Words whose gold head is missing are not counted.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from types import MappingProxyType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from linnet.data.examples import LabelColumn
from linnet.data.heads import head_lengths, nonprojective_arcs, short_relations
from linnet.data.trees import Heads, Trees
from linnet.errors import DataError
from linnet.evaluation.resampling import Difference, Interval, bootstrap, paired_bootstrap
from linnet.evaluation.spans import _per_sentence, _ratio
from linnet.evaluation.tallies import SumTally

Array = NDArray[np.int64]
Flags = NDArray[np.bool_]

PUNCTUATION = "PUNCT"  # the part of speech (upos) that is left out on request
SENTENCE_LENGTHS = ((1, 5), (6, 10), (11, 20), (21, 30), (31, 40), (41, None))
ARC_LENGTHS = ((1, 1), (2, 2), (3, 6), (7, 14), (15, None))
METRICS = ("uas", "las")
TREE_METRICS = MappingProxyType({"uas": (0, 1), "las": (2, 3)})  # columns of `TreeScores.tally`


@dataclass(frozen=True)
class TreeScores:
    """Which words got the right head and relation; arrays have an entry per word."""

    names: list[str]  # of relations
    offsets: Array
    gold_heads: Heads
    heads: Heads
    gold_relations: Array  # codes of names; -1 is missing
    relations: Array
    counted: Flags  # has a gold head, and is no punctuation that is left out

    @property
    def labelled(self) -> bool:
        """Whether any relation was guessed."""
        return bool((self.relations >= 0).any())

    @property
    def right(self) -> Flags:
        """Of those counted: the right head."""
        return self.counted & np.equal(self.heads, self.gold_heads)

    @property
    def counted_relations(self) -> Flags:
        """Has a gold relation, too."""
        return self.counted & (self.gold_relations >= 0)

    @property
    def right_relations(self) -> Flags:
        """The right relation, to whatever head."""
        return self.counted_relations & np.equal(self.relations, self.gold_relations)

    @property
    def right_both(self) -> Flags:
        """The right head and the right relation."""
        return self.right & self.right_relations

    @property
    def uas(self) -> float:
        """Unlabelled attachment score."""
        return _ratio(self.right.sum(), self.counted.sum())

    @property
    def las(self) -> float:
        """Labelled attachment score."""
        return _ratio(self.right_both.sum(), self.counted_relations.sum())

    @property
    def relation_accuracy(self) -> float:
        """Words with the right relation, be their head right or wrong."""
        return _ratio(self.right_relations.sum(), self.counted_relations.sum())

    @property
    def root_accuracy(self) -> float:
        """Sentences whose roots are exactly the gold ones, of those with a gold root."""
        known = self.gold_heads >= 0
        wrong = known & ((self.gold_heads == 0) != (self.heads == 0))
        rooted = _per_sentence(self.gold_heads == 0, self.offsets) > 0
        good = rooted & (_per_sentence(wrong, self.offsets) == 0)
        return _ratio(good.sum(), rooted.sum())

    def exact(self, labelled: bool = False) -> float:
        """Sentences without a mistake, of those with a word that counts."""
        counted = self.counted_relations if labelled else self.counted
        right = self.right_both if labelled else self.right
        wanted, got = _per_sentence(counted, self.offsets), _per_sentence(right, self.offsets)
        return _ratio(((wanted > 0) & (wanted == got)).sum(), (wanted > 0).sum())

    def tally(self) -> SumTally:
        """For the bootstrap, and for choosing settings: sentences are the instances."""
        columns = (self.right, self.counted, self.right_both, self.counted_relations)
        table = np.stack([_per_sentence(flags, self.offsets) for flags in columns], axis=1)
        return SumTally(table.astype(np.float64), TREE_METRICS)

    def interval(
        self, metric: str = "las", resamples: int = 1000, level: float = 0.95, seed: int = 0
    ) -> Interval:
        """Of UAS or LAS, by drawing sentences anew (percentile bootstrap)."""
        drawn = bootstrap(self.tally(), (metric,), resamples=resamples, level=level, seed=seed)
        return drawn[metric]

    def versus(
        self,
        other: TreeScores,
        metric: str = "las",
        resamples: int = 2000,
        level: float = 0.95,
        seed: int = 0,
    ) -> Difference:
        """Is the other parser better, or is it luck? Both on the same resamples of the sentences."""
        if not np.array_equal(self.counted, other.counted) or len(self.offsets) != len(other.offsets):
            raise DataError("the two scores are not of the same words")
        pair = (self.tally(), other.tally())
        told = paired_bootstrap(pair, (metric,), resamples=resamples, level=level, seed=seed)
        return told[metric]

    def by_sentence_length(self) -> list[dict[str, Any]]:
        """Scores of short and of long sentences."""
        lengths = np.diff(self.offsets)
        each = np.repeat(lengths, lengths)
        rows = []
        for low, high in SENTENCE_LENGTHS:
            inside = _within(each, low, high)
            row: dict[str, Any] = {
                "length": _range(low, high),
                "sentences": int(_within(lengths, low, high).sum()),
                "words": int((self.counted & inside).sum()),
                "uas": _ratio((self.right & inside).sum(), (self.counted & inside).sum()),
            }
            if self.labelled:
                known = self.counted_relations & inside
                row["las"] = _ratio((self.right_both & inside).sum(), known.sum())
            rows.append(row)
        return rows

    def by_relation(self) -> list[dict[str, Any]]:
        """Of each relation, how many arcs are found with head and relation right."""
        known = self.counted_relations
        return [
            {"relation": name}
            | _found(self.right_both, known & (self.relations == k), known & (self.gold_relations == k))
            for k, name in enumerate(self.names)
        ]

    def by_arc_length(self) -> list[dict[str, Any]]:
        """Of arcs so long, how many heads are right: precision by guessed, recall by gold length."""
        gold, guess = (head_lengths(heads, self.offsets) for heads in (self.gold_heads, self.heads))
        rows = [("root", self.heads == 0, self.gold_heads == 0)]
        for low, high in ARC_LENGTHS:
            rows.append((_range(low, high), _within(guess, low, high), _within(gold, low, high)))
        return [
            {"length": name} | _found(self.right, self.counted & guessed, self.counted & wanted)
            for name, guessed, wanted in rows
        ]

    def nonprojective(self) -> dict[str, Any]:
        """Of arcs over words that do not descend from the arc's head, how many heads are right.

        Where none is guessed there is no precision; of the gold ones heads may be right all the same,
        since an arc is projective where the words between hang elsewhere.
        """
        guess, gold = (
            self.counted & nonprojective_arcs(heads, self.offsets)
            for heads in (self.heads, self.gold_heads)
        )
        found = _found(self.right, guess, gold)
        if not guess.any():
            found |= {"precision": None, "f1": None}
        return found

    def report(self, resamples: int = 1000, level: float = 0.95, seed: int = 0) -> dict[str, Any]:
        """Everything, as plain data ready for JSON."""
        metrics = METRICS if self.labelled else METRICS[:1]
        told: dict[str, Any] = {
            "sentences": len(self.offsets) - 1,
            "words": int(self.counted.sum()),
            "uas": self.uas,
            "exact": self.exact(),
            "root_accuracy": self.root_accuracy,
        }
        if self.labelled:
            told |= {
                "las": self.las,
                "exact_labelled": self.exact(labelled=True),
                "relation_accuracy": self.relation_accuracy,
            }
        told["intervals"] = {
            name: asdict(self.interval(name, resamples, level, seed)) for name in metrics
        }
        told["nonprojective"] = self.nonprojective()
        told["by_sentence_length"] = self.by_sentence_length()
        told["by_arc_length"] = self.by_arc_length()
        if self.labelled:
            told["by_relation"] = self.by_relation()
        return told


def _found(right: Flags, guessed: Flags, gold: Flags) -> dict[str, Any]:
    """Arcs of a kind; guessed and gold differ in theirs even where the arc is right.

    An arc of both trees may be non-projective in one of them only.
    """
    precise, recalled = (right & guessed).sum(), (right & gold).sum()
    precision, recall = _ratio(precise, guessed.sum()), _ratio(recalled, gold.sum())
    return {
        "gold": int(gold.sum()),
        "guessed": int(guessed.sum()),
        "precision": precision,
        "recall": recall,
        "f1": _ratio(2 * precision * recall, precision + recall),
    }


def _within(lengths: Array, low: int, high: int | None) -> Flags:
    return (lengths >= low) & (lengths <= (np.inf if high is None else high))


def _range(low: int, high: int | None) -> str:
    if high is None:
        return f"{low}+"
    return str(low) if low == high else f"{low}–{high}"


def tree_scores(
    gold: Trees,
    heads: Heads,
    relations: LabelColumn | None = None,
    *,
    punctuation: bool = True,
    subtypes: bool = False,
) -> TreeScores:
    """Compare guessed heads and relations, one per word, with gold trees.

    ``punctuation=False`` leaves out words whose ``upos`` is PUNCT; ``subtypes=True`` tells
    ``nsubj:pass`` from ``nsubj``.

    >>> gold = Trees.from_lists([["a", "linnet", "sings"]], [[2, 3, 0]], [["det", "nsubj", "root"]])
    >>> round(tree_scores(gold, np.array([3, 3, 0]), gold.relations).uas, 3)
    0.667
    """
    guessed = LabelColumn([], np.full(gold.tokens, -1, np.int32)) if relations is None else relations
    if not len(heads) == len(guessed) == gold.tokens:
        raise DataError(
            f"the gold trees have {gold.tokens} words, but {len(heads)} heads and "
            f"{len(guessed)} relations are guessed"
        )
    wanted = gold.relations
    if not subtypes:
        wanted, guessed = short_relations(wanted), short_relations(guessed)
    names = sorted({*wanted.names, *guessed.names})
    place = {name: k for k, name in enumerate(names)}

    def codes(column: LabelColumn) -> Array:
        return np.array([*(place[name] for name in column.names), -1], np.int64)[column.codes]

    counted = gold.heads >= 0
    if not punctuation:
        counted &= ~_is_punctuation(gold)
    return TreeScores(
        names,
        gold.offsets,
        gold.heads,
        np.asarray(heads, np.int32),
        codes(wanted),
        codes(guessed),
        counted,
    )


def _is_punctuation(gold: Trees) -> Flags:
    if "upos" not in gold.columns:
        raise DataError("punctuation is told by the column upos, which these trees do not have")
    codes, names = gold.columns["upos"].codes()
    return codes == names.index(PUNCTUATION) if PUNCTUATION in names else np.zeros(len(codes), np.bool_)
