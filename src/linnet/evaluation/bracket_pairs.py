"""What was said in place of each gold bracket: which brackets of two trees stand for each other."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from linnet.data.brackets import Brackets
from linnet.evaluation.brackets import SCORED, BracketScores

Array = NDArray[np.int64]
NONE = -1


@dataclass(frozen=True)
class BracketPairs:
    """Gold and guessed brackets that count by evalb's rules, side by side.

    Brackets of the same words and label are pairs; then others over the same words, from outer to inner
    ones. A gold bracket without a partner is missing, a guessed one is too many.
    """

    names: list[str]  # of labels
    sentences: Array
    gold: Array  # places among the gold brackets; -1: there is none
    guess: Array
    gold_labels: Array  # codes of names; -1: there is none
    guessed_labels: Array

    @property
    def right(self) -> NDArray[np.bool_]:
        """The same words and label."""
        return np.asarray(self.gold_labels == self.guessed_labels)

    def wrong_of(self, sentence: int) -> Array:
        """Numbers of the pairs of a sentence that are not right."""
        return np.flatnonzero((self.sentences == sentence) & ~self.right)


def bracket_pairs(gold: Brackets, guess: Brackets, scores: BracketScores) -> BracketPairs:
    """Of the sentences that are scored; `scores` are those of the same trees.

    >>> from linnet.evaluation.brackets import bracket_scores
    >>> gold = Brackets.from_nested([("S", ("NP", ("NNS", "linnets")), ("VP", ("VBP", "sing")))])
    >>> guess = Brackets.from_nested([("S", ("NP", ("NNS", "linnets")), ("NP", ("NNS", "sing")))])
    >>> found = bracket_pairs(gold, guess, bracket_scores(gold, guess))
    >>> [(found.names[a], found.names[b]) for a, b in zip(found.gold_labels, found.guessed_labels)]
    [('S', 'S'), ('NP', 'NP'), ('VP', 'NP')]
    """
    sides = (_spans(gold, scores), _spans(guess, scores))
    rows: list[tuple[int, int, int, int, int, int, int]] = []
    for key in sorted({*sides[0], *sides[1]}):
        sentence, begin, less_end = key
        wanted, found = list(sides[0][key]), list(sides[1][key])
        for one in list(wanted):  # those that are right first
            same = next((other for other in found if other[0] == one[0]), None)
            if same is not None:
                wanted.remove(one)
                found.remove(same)
                rows.append((sentence, begin, less_end, one[1], same[1], one[0], same[0]))
        for k in range(max(len(wanted), len(found))):
            a = wanted[k] if k < len(wanted) else (NONE, NONE)
            b = found[k] if k < len(found) else (NONE, NONE)
            rows.append((sentence, begin, less_end, a[1], b[1], a[0], b[0]))
    table = np.array(rows, np.int64).reshape(-1, 7)
    return BracketPairs(scores.names, table[:, 0], table[:, 3], table[:, 4], table[:, 5], table[:, 6])


def _spans(trees: Brackets, scores: BracketScores) -> dict[tuple[int, int, int], list[tuple[int, int]]]:
    """(label, place) of the brackets over each span, by sentence, begin and −end, as they count."""
    rules = scores.rules
    code = {name: k for k, name in enumerate(scores.names)}
    named = [rules.label(name) for name in trees.labels.names]
    table = np.array([*(NONE if name is None else code.get(name, NONE) for name in named), NONE])
    kept = ~trees.tagged_as(*rules.deleted)
    before = np.concatenate([np.zeros(1, np.int64), np.cumsum(kept)])
    sentences = trees.sentences
    first = trees.offsets[:-1][sentences]
    begins, ends = (before[at + first] - before[first] for at in (trees.begins, trees.ends))
    labels = table[trees.labels.codes]
    counted = (labels >= 0) & (ends > begins) & (scores.status[sentences] == SCORED)
    found: dict[tuple[int, int, int], list[tuple[int, int]]] = defaultdict(list)
    for k in np.flatnonzero(counted).tolist():
        key = (int(sentences[k]), int(begins[k]), -int(ends[k]))
        found[key].append((int(labels[k]), k))
    return found
