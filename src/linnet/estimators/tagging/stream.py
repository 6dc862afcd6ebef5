"""A tagger that learns from a stream: batches of sentences with words and tags that may be new."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from linnet.data import Sequences
from linnet.data.chunks import is_chunked
from linnet.data.sequences import MISSING
from linnet.errors import DataError, RefusedError, warn_of_training
from linnet.estimators.tagging.choice import TaggingChoice, streaming_choice
from linnet.estimators.tagging.fitted import codes_of
from linnet.estimators.tagging.rules import scheme_in_use, transition_rules
from linnet.learners.online import OnlineLearner, OnlineSolver
from linnet.model import ChainModel
from linnet.structures import Chain, Problem
from linnet.training import grid
from linnet.training.loop import to_row
from linnet.training.trainer import check_learnt, new_record

if TYPE_CHECKING:
    from linnet.estimators.tagging.tagger import Tagger


@dataclass(frozen=True)
class TagStream:
    """What a tagger has while batches come: a solver that goes on from one to the next."""

    solver: OnlineSolver

    @classmethod
    def learn(
        cls, tagger: Tagger, data: Sequences, classes: Any, sample_weight: Any, before: TagStream | None
    ) -> TagStream:
        """One pass over a batch, going on from the one before; new words and tags get weights."""
        fitted = tagger.__sklearn_is_fitted__()
        if data.labels is None or (data.labels.codes == MISSING).all():
            raise DataError("y is needed: no token of the batch has a tag")
        tags = _grown_tags(tagger, data, classes, fitted)
        choice = streaming_choice(tagger, data, tags, tagger.features_ if fitted else None)
        learner = _learner(tagger, choice, fitted)
        features, pair_features = _features(tagger, choice, fitted)
        rows = features.grow_rows(data, tagger._threads())
        pairs = None if pair_features is None else pair_features.grow_rows(data, tagger._threads())
        labels = codes_of(data.labels, tags)
        scheme = _scheme(tagger, data, tags, fitted)
        rules = transition_rules(scheme, tagger.transitions, tags)
        training = tagger._training(choice)
        chain = tagger._chain_of(training, data, tags, labels, rules, rows, pairs)
        weights = tagger._sentence_weights(data, sample_weight)
        problem = replace(training.problem(chain, weights), spend_rows=False)
        grid.check(learner, problem.cell)
        stream = cls(_resumed(tagger, learner, problem, chain, before, fitted))
        stats = stream.solver.epoch()
        learnt = stream.solver.learnt()
        check_learnt(learner, learnt)
        if not fitted:
            tagger.record_ = new_record(learner, problem)
        _record(tagger, stats, data, len(tags))
        tagger.classes_ = np.array(tags, dtype=np.str_)
        tagger.features_, tagger.pair_features_ = features, pair_features
        tagger.taggers_ = tagger._first()
        tagger.choice_, tagger.loss_ = choice, choice.loss
        tagger.scheme_, tagger.rules_ = scheme, rules
        tagger.model_ = ChainModel.of(learnt, chain)
        if stats.interrupted:
            warn_of_training(
                "training was interrupted in the middle of the batch; the weights so far are kept"
            )
        return stream


def _learner(tagger: Tagger, choice: TaggingChoice, fitted: bool) -> OnlineLearner:
    """A learner that can go on, for a model that can."""
    learner = grid.resolve(choice.learner)
    if not isinstance(learner, OnlineLearner) or not learner.incremental:
        raise RefusedError(
            f"{learner.name} needs all data at once and has no partial_fit; use an online learner "
            f"such as 'perceptron', 'pa' or 'sgd'"
        )
    if tagger.normalisation == "local" or tagger.order == 0:
        raise RefusedError("partial_fit is for chains of order 1 and more, globally normalised")
    if fitted and tagger._chain().states.scales is not None:
        raise DataError("a quantized model learns no more; train the original on and quantize that")
    return learner


def _record(tagger: Tagger, stats: Any, data: Sequences, tags: int) -> None:
    record = tagger.record_
    record.epochs.append(to_row(len(record.epochs) + 1, stats, 0.0))
    record.mistakes += stats.mistakes
    record.diagnostics = {}  # of earlier weights
    record.data = {
        "sentences": record.data.get("sentences", 0) + len(data),
        "tokens": record.data.get("tokens", 0) + data.tokens,
        "tags": tags,
    }


def _grown_tags(tagger: Tagger, data: Sequences, classes: Any, fitted: bool) -> list[str]:
    assert data.labels is not None
    known = tagger.classes_.tolist() if fitted else []
    given = [] if classes is None else [str(tag) for tag in classes]
    seen = [data.labels.names[k] for k in np.unique(data.labels.codes) if k >= 0]
    return list(dict.fromkeys([*known, *given, *seen]))


def _features(tagger: Tagger, choice: TaggingChoice, fitted: bool) -> tuple[Any, Any]:
    if fitted:
        return tagger.features_, tagger.pair_features_
    features = choice.features
    if not hasattr(features, "grow_rows"):
        raise RefusedError(f"{type(features).__name__} needs all data at once; use fit")
    return features, features.pairs()


def _scheme(tagger: Tagger, data: Sequences, tags: list[str], fitted: bool) -> str | None:
    """What is legal stays so, until a batch breaks its rules."""
    assert data.labels is not None
    if tagger.legal == "auto" and fitted and not is_chunked(data.labels.names):
        return tagger.scheme_
    known = data.labels.names if tagger.legal == "auto" else tags
    found = scheme_in_use(tagger.legal, [data], known)
    return found if not fitted or found == tagger.scheme_ else None


def _resumed(
    tagger: Tagger,
    learner: OnlineLearner,
    problem: Problem,
    chain: Chain,
    before: TagStream | None,
    fitted: bool,
) -> OnlineSolver:
    """Go on with the learner of the last batch; after loading, from the weights."""
    if before is not None:
        return before.solver.grown(problem)
    made = learner.stream(problem)
    if fitted:
        made.learner.set_weights(tagger._chain().dense(chain))
    return made
