"""What first looks make of sentences whose trees they have not seen: candidates for the second look.

Of a partial tree they make a whole one, the best that has what is known, for the second look to learn.
"""

from __future__ import annotations

from itertools import islice
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from linnet.data.bracket_chains import ChainedBrackets
from linnet.data.brackets import Brackets
from linnet.data.sequences import Sequences
from linnet.estimators.phrases.settings import first_look
from linnet.model.brackets import BracketModel
from linnet.model.phrases import SpanRule
from linnet.structures.forest import Candidates

FOLDS = 5  # of first looks
LEAST = 0.002  # how probable a candidate is at least


class Jackknifed(NamedTuple):
    """Of each training sentence."""

    candidates: Candidates
    gold: ChainedBrackets  # whole trees


def jackknifed(
    parser: Any, trees: Brackets, partial: NDArray[np.bool_] | None, first: BracketModel
) -> Jackknifed:
    """By a first look that has not seen the tree of the sentence."""
    fold = np.random.default_rng(int(parser.random_state)).permutation(len(trees)) % FOLDS
    code = {chain: k for k, chain in enumerate(first.chains)}
    rows: list[NDArray[Any]] = []
    gold = _Gold(ChainedBrackets.of(trees, first.chains))
    for k in range(FOLDS):
        inside, outside = np.flatnonzero(fold == k), np.flatnonzero(fold != k)
        unfinished = None if partial is None else partial[outside]
        model, record = first_look(parser, trees.take(outside), unfinished, [])
        if record.interrupted:
            raise KeyboardInterrupt
        sentences = trees.sequences.take(inside)
        found = model.candidates_of(model.features.over(sentences), None, LEAST, parser._threads())
        codes = np.array([code[chain] for chain in model.chains], np.int32)[found.codes]
        sentence = inside[np.repeat(np.arange(len(inside)), np.diff(found.starts))]
        rows.append(np.rec.fromarrays([sentence, found.begins, found.ends, codes, found.scores]))
        if partial is not None:
            gold.complete(model, trees.sequences, inside[partial[inside]], parser._threads())
    joined = np.concatenate(rows)
    joined = joined[np.argsort(joined["f0"], kind="stable")]
    starts = np.searchsorted(joined["f0"], np.arange(len(trees) + 1)).astype(np.int64)
    log_p = np.log(np.clip(joined["f4"], LEAST, 1.0)).astype(np.float32)
    begins, ends, codes = (np.ascontiguousarray(joined[name]) for name in ("f1", "f2", "f3"))
    return Jackknifed(Candidates(starts, begins, ends, codes, log_p), gold.whole())


class _Gold:
    """Brackets of each sentence by their words, with numbers of chains: what is known, then all."""

    def __init__(self, known: ChainedBrackets) -> None:
        self._names = known.names
        spans = zip(known.begins.tolist(), known.ends.tolist(), known.codes.tolist(), strict=True)
        each = iter([((begin, end), code) for begin, end, code in spans])
        sizes = np.diff(known.starts).tolist()
        self._trees = [dict(islice(each, size)) for size in sizes]

    def complete(
        self, model: BracketModel, sentences: Sequences, which: NDArray[np.int64], threads: int
    ) -> None:
        """By the best trees that have what is known; of chains that the model has not, the words."""
        number = {chain: k for k, chain in enumerate(model.chains)}
        code = {chain: k for k, chain in enumerate(self._names)}
        every = frozenset(range(len(model.chains)))
        rules = []
        for i, sentence in enumerate(which.tolist()):
            for (begin, end), known in self._trees[sentence].items():
                own = number.get(self._names[known])
                codes = every if own is None else frozenset([own])
                rules.append(SpanRule(i, begin, end, True, codes))
        found = model.best(sentences.take(which), rules, threads)
        for i, sentence in enumerate(which.tolist()):
            tree = self._trees[sentence]
            for k in range(int(found.starts[i]), int(found.starts[i + 1])):
                span = int(found.begins[k]), int(found.ends[k])
                tree.setdefault(span, code[model.chains[found.codes[k]]])

    def whole(self) -> ChainedBrackets:
        """As arrays, in the order in which brackets open."""
        order = [sorted(tree, key=lambda span: (span[0], -span[1])) for tree in self._trees]
        starts = np.cumsum([0, *map(len, order)], dtype=np.int64)
        begins, ends = (
            np.array([span[side] for spans in order for span in spans], np.int32) for side in (0, 1)
        )
        pairs = zip(self._trees, order, strict=True)
        codes = np.array([tree[span] for tree, spans in pairs for span in spans], np.int32)
        return ChainedBrackets(starts, begins, ends, codes, self._names)
