"""Taggers of files that workers read: each its shard, wherever it is."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import linnet._core as _core
from linnet.engines import Engine
from linnet.estimators.caching import check_limit
from linnet.estimators.ranged_sentences import RangedSentences, Within
from linnet.estimators.sentence_files import FilesInParts
from linnet.estimators.tagging.outofcore import (
    PER_FEATURE,
    PER_WEIGHT,
    WORKING,
    SentencesSeen,
    TaggerOutOfCore,
    wants_all,
)
from linnet.learners.base import Learner

SAMPLE = 1000  # sentences that tell what columns there are


class TaggerOnMachines(TaggerOutOfCore):
    """Shards that workers make of ranges of files; here are tags, and the vocabulary."""

    def __init__(
        self, model: Any, files: FilesInParts, engine: Engine, limit: int | None = None
    ) -> None:
        self.model, self.files, self.engine = model, files, engine
        self.limit, self.threads = limit, model._threads()
        self.left = 0.0 if limit is None else limit - check_limit(limit) - WORKING
        self.shard, self.need = 0, 0.0  # none is here

    def fit(self, dev: Any) -> Any:
        """A first pass over ranges, a second one that numbers features, then learning."""
        known = RangedSentences(self.files, self.engine)
        known.look(self.files, SentencesSeen(), self.model.verbose)
        sample = known.first(SAMPLE)
        self._see_tags(known, sample)
        choice, shards = self._chosen(known, sample), known.shards()
        dev = self._known_tags(dev)
        if self.limit is None:
            choice.features.fit_parts(known.parts(), self.threads)
            return self._in_shards(known, sample, choice, shards, dev)
        features, hashed = self._features(known, sample)
        choice.why.extend(hashed)
        choice = replace(choice, features=features)
        weights = float(features.n_features) * _core.padded(len(self.tags))
        beside = WORKING + PER_FEATURE * features.n_features + PER_WEIGHT * weights
        size = self._per_token(features, sample)
        within = [Within(shard, self.limit, size, beside) for shard in shards]
        return self._in_shards(known, sample, choice, within, dev)

    def _fits(self, *_: Any) -> bool:
        """Sentences are never here."""
        return False


def why_here(model: Any, files: FilesInParts) -> str | None:
    """Why workers cannot read sentences by themselves, so that rows are sent; None: they can."""
    if files.pipes:
        return f"{files.pipes[0]} can be read only here, and once"
    learner = model.learner
    if isinstance(learner, Learner) and not learner.sharded:
        return "the learner says why it does not learn on shards"
    by_token = model.order == 0 or model.normalisation == "local"
    asked = "the view of tokens by themselves" if by_token else wants_all(model)
    return None if asked is None else f"{asked} needs all sentences"
