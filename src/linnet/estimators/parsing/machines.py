"""Parsers of files that workers read: each its shard, wherever it is."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from linnet.engines import Engine
from linnet.estimators.caching import check_limit
from linnet.estimators.parsing.choice import MOST_BITS, bits_within, choose_parsing, weights_of
from linnet.estimators.parsing.outofcore import (
    PER_WEIGHT,
    PER_WORD,
    WORKING,
    ParserOutOfCore,
    TreesSeen,
)
from linnet.estimators.parsing.settings import learn
from linnet.estimators.ranged_sentences import RangedSentences, RangeShard, Within
from linnet.estimators.sentence_files import FilesInParts
from linnet.training.tree_shards import TreesInParts

SAMPLE = 200_000  # words that candidates are learnt from, and names of features are looked for in


class ParserOnMachines(ParserOutOfCore):
    """Shards that workers make of ranges of files."""

    def __init__(
        self, model: Any, files: FilesInParts, engine: Engine, limit: int | None = None
    ) -> None:
        self.model, self.files, self.engine, self.limit = model, files, engine, limit
        self.left = 0.0 if limit is None else limit - check_limit(limit) - WORKING

    def fit(self) -> None:
        """A first pass over ranges, then learning."""
        model = self.model
        known, seen = RangedSentences(self.files, self.engine), TreesSeen(model.max_words)
        known.look(self.files, seen, model.verbose)
        self._check(seen)
        columns = seen.columns()
        most_bits, sampled = MOST_BITS, SAMPLE
        shards: Sequence[RangeShard | Within] = known.shards()
        if self.limit is not None:
            sampled = min(SAMPLE, int(self.left / 4 / PER_WORD))
            most_bits = bits_within(seen.tokens, len(known.relations), self.left * 0.75 / PER_WEIGHT)
        choice = choose_parsing(model, seen, columns, most_bits)
        if self.limit is not None:
            self._check_room(choice, len(known.relations))
            weights = sum(weights_of(seen.tokens, len(known.relations), most_bits).values())
            beside = float(WORKING + PER_WEIGHT * weights)
            shards = [Within(shard, self.limit, PER_WORD, beside) for shard in known.shards()]
        partial = bool(seen.sums["missing_heads"])
        trees = TreesInParts(known, shards, model.roots, columns, sampled, partial, seen.arcs)
        choice.why.append(
            f"candidates are learnt from a sample of {min(sampled, seen.tokens):,} words, in which "
            f"names are looked for, too"
        )
        found, record = learn(model, trees, choice)
        model.taggers_, model.segmenter_ = {}, None
        shares, names = seen.unsaid_shares(found.columns), known.relations
        parts = [trees.sample()]
        model._learnt(parts, names, choice, [], found, record, seen.statistics(), shares)


def why_here(model: Any, files: FilesInParts) -> str | None:
    """Why workers cannot read trees by themselves, so that rows are sent; None: they can."""
    if files.pipes:
        return f"{files.pipes[0]} can be read only here, and once"
    for name, said in (
        ("tagger", model.tagger is not None),
        ("diagnostics", model.diagnostics is True),
        ("loss='joint_likelihood'", model.loss == "joint_likelihood" or model.learner == "counting"),
    ):
        if said:
            return f"{name} looks at all trees"
    return None
