"""Taggers of files that workers read: each its shard, wherever it is."""

from __future__ import annotations

from typing import Any

from linnet.engines import Engine
from linnet.estimators.ranged_sentences import RangedSentences
from linnet.estimators.sentence_files import FilesInParts
from linnet.estimators.tagging.outofcore import SentencesSeen, TaggerOutOfCore, wants_all
from linnet.learners.base import Learner

SAMPLE = 1000  # sentences that tell what columns there are


class TaggerOnMachines(TaggerOutOfCore):
    """Shards that workers make of ranges of files; here are tags, and the vocabulary."""

    def __init__(self, model: Any, files: FilesInParts, engine: Engine) -> None:
        self.model, self.files, self.engine = model, files, engine
        self.limit, self.threads = None, model._threads()

    def fit(self, dev: Any) -> Any:
        """A first pass over ranges, a second one that numbers features, then learning."""
        known = RangedSentences(self.files, self.engine)
        known.look(self.files, SentencesSeen(), self.model.verbose)
        sample = known.first(SAMPLE)
        self._see_tags(known, sample)
        choice = self._chosen(known, sample)
        choice.features.fit_parts(known.parts(), self.threads)
        return self._in_shards(known, sample, choice, known.shards(), self._known_tags(dev))


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
