"""Parsers of files that workers read: each its shard, wherever it is."""

from __future__ import annotations

from typing import Any

from linnet.engines import Engine
from linnet.estimators.parsing.choice import choose_parsing
from linnet.estimators.parsing.outofcore import ParserOutOfCore, TreesSeen
from linnet.estimators.parsing.settings import learn
from linnet.estimators.ranged_sentences import RangedSentences
from linnet.estimators.sentence_files import FilesInParts
from linnet.training.tree_shards import TreesInParts

SAMPLE = 200_000  # words that candidates are learnt from, and names of features are looked for in


class ParserOnMachines(ParserOutOfCore):
    """Shards that workers make of ranges of files."""

    def __init__(self, model: Any, files: FilesInParts, engine: Engine) -> None:
        self.model, self.files, self.engine = model, files, engine

    def fit(self) -> None:
        """A first pass over ranges, then learning."""
        model = self.model
        known, seen = RangedSentences(self.files, self.engine), TreesSeen(model.max_words)
        known.look(self.files, seen, model.verbose)
        self._check(seen)
        columns = seen.columns()
        choice = choose_parsing(model, seen, columns)
        partial = bool(seen.sums["missing_heads"])
        trees = TreesInParts(known, known.shards(), model.roots, columns, SAMPLE, partial, seen.arcs)
        choice.why.append(
            f"candidates are learnt from a sample of {min(SAMPLE, seen.tokens):,} words, in which "
            f"names are looked for, too"
        )
        found, record = learn(model, trees, choice)
        model.taggers_ = {}
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
