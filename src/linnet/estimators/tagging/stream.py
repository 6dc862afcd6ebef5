"""Taggers that learn from a stream: ``partial_fit``, with words and tags that may be new."""

from __future__ import annotations

import warnings
from dataclasses import replace
from typing import Any, Self

import numpy as np

from linnet.data import Sequences
from linnet.data.chunks import is_chunked
from linnet.data.sequences import MISSING
from linnet.errors import DataError, RefusedError, TrainingWarning
from linnet.estimators.tagging.choice import TaggingChoice
from linnet.estimators.tagging.fitted import FittedTagger, codes_of, read_sentences
from linnet.estimators.tagging.rules import scheme_in_use, transition_rules
from linnet.learners.online import OnlineLearner, OnlineSolver
from linnet.model import ChainModel
from linnet.structures import Chain, Problem
from linnet.training import grid
from linnet.training.loop import to_row
from linnet.training.trainer import check_learnt, new_record


class StreamingTagger(FittedTagger):
    """Taggers whose learner is online."""

    legal: Any
    transitions: Any
    normalisation: str
    order: int
    _stream: OnlineSolver | None

    def partial_fit(
        self, X: Any, y: Any = None, classes: Any = None, sample_weight: Any = None
    ) -> Self:
        """One pass over a batch of sentences, going on from the weights there are.

        New words and tags get weights of their own; tags are appended to ``classes_`` as they come.
        With learner 'auto' it is the averaged perceptron. A model that was fitted or loaded goes on
        from its weights.
        """
        settings: Any = self
        settings._check_settings()
        if settings.segments:
            raise RefusedError("partial_fit does not learn segments; use fit, or leave out segments")
        data = read_sentences(X, y)
        fitted = self.__sklearn_is_fitted__()
        if data.labels is None or (data.labels.codes == MISSING).all():
            raise DataError("y is needed: no token of the batch has a tag")
        tags = self._grown_tags(data, classes, fitted)
        choice = self._stream_choice(data, tags, fitted)
        learner = self._stream_learner(choice, fitted)
        features, pair_features = self._stream_features(choice, fitted)
        rows = features.grow_rows(data, self._threads())
        pairs = None if pair_features is None else pair_features.grow_rows(data, self._threads())
        labels = codes_of(data.labels, tags)
        scheme = self._stream_scheme(data, tags, fitted)
        rules = transition_rules(scheme, self.transitions, tags)
        weights = settings._sentence_weights(data, sample_weight)
        training = settings._training(choice)
        chain = settings._chain_of(training, data, tags, labels, rules, rows, pairs)
        problem = replace(training.problem(chain, weights), spend_rows=False)
        grid.check(learner, problem.cell)
        stream = self._resumed(learner, problem, chain, fitted)
        stats = stream.epoch()
        learnt = stream.learnt()
        check_learnt(learner, learnt)
        if not fitted:
            self.record_ = new_record(learner, problem)
        self._record_batch(stats, data, len(tags))
        self.classes_ = np.array(tags, dtype=np.str_)
        self.features_, self.pair_features_ = features, pair_features
        self.choice_, self.loss_ = choice, choice.loss
        self.scheme_, self.rules_ = scheme, rules
        self.model_, self.voter_, self._stream = ChainModel.of(learnt, chain), None, stream
        if stats.interrupted:
            warnings.warn(
                "training was interrupted in the middle of the batch; the weights so far are kept",
                TrainingWarning,
                stacklevel=2,
            )
        return self

    def _stream_learner(self, choice: TaggingChoice, fitted: bool) -> OnlineLearner:
        """A learner that can go on, for a model that can."""
        learner = grid.resolve(choice.learner)
        if not isinstance(learner, OnlineLearner) or not learner.incremental:
            raise RefusedError(
                f"{learner.name} needs all data at once and has no partial_fit; use an online learner "
                f"such as 'perceptron', 'pa' or 'sgd'"
            )
        if self.normalisation == "local" or self.order == 0:
            raise RefusedError("partial_fit is for chains of order 1 and 2, globally normalised")
        if fitted and self._chain().states.scales is not None:
            raise DataError("a quantized model learns no more; train the original on and quantize that")
        return learner

    def _record_batch(self, stats: Any, data: Sequences, tags: int) -> None:
        self.record_.epochs.append(to_row(len(self.record_.epochs) + 1, stats, 0.0))
        self.record_.mistakes += stats.mistakes
        seen = self.record_.data
        self.record_.data = {
            "sentences": seen.get("sentences", 0) + len(data),
            "tokens": seen.get("tokens", 0) + data.tokens,
            "tags": tags,
        }

    def _grown_tags(self, data: Sequences, classes: Any, fitted: bool) -> list[str]:
        assert data.labels is not None
        known = self.classes_.tolist() if fitted else []
        given = [] if classes is None else [str(tag) for tag in classes]
        seen = [data.labels.names[k] for k in np.unique(data.labels.codes) if k >= 0]
        return list(dict.fromkeys([*known, *given, *seen]))

    def _stream_choice(self, data: Sequences, tags: list[str], fitted: bool) -> TaggingChoice:
        from linnet.estimators.tagging.choice import streaming_choice

        return streaming_choice(self, data, tags, self.features_ if fitted else None)

    def _stream_features(self, choice: TaggingChoice, fitted: bool) -> tuple[Any, Any]:
        if fitted:
            return self.features_, self.pair_features_
        features = choice.features
        if not hasattr(features, "grow_rows"):
            raise RefusedError(f"{type(features).__name__} needs all data at once; use fit")
        return features, features.pairs()

    def _stream_scheme(self, data: Sequences, tags: list[str], fitted: bool) -> str | None:
        """What is legal stays so, until a batch breaks its rules."""
        assert data.labels is not None
        if self.legal == "auto" and fitted and not is_chunked(data.labels.names):
            return self.scheme_
        found = scheme_in_use(self.legal, data, data.labels.names if self.legal == "auto" else tags)
        return found if not fitted or found == self.scheme_ else None

    def _resumed(
        self, learner: OnlineLearner, problem: Problem, chain: Chain, fitted: bool
    ) -> OnlineSolver:
        """Go on with the learner of the last batch; after loading, from the weights."""
        stream: OnlineSolver | None = getattr(self, "_stream", None)
        if stream is not None:
            return stream.grown(problem)
        made = learner.stream(problem)
        if fitted:
            made.learner.set_weights(self._chain().dense(chain))
        return made
