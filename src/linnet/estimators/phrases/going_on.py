"""A parser of phrases that goes on from its weights over a few trees, such as a person made."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

import linnet.learners as learners
from linnet.data.bracket_chains import ChainedBrackets
from linnet.data.brackets import Brackets
from linnet.errors import DataError
from linnet.estimators.phrases.folds import LEAST
from linnet.estimators.phrases.input import cleaned
from linnet.estimators.phrases.second import DROPOUT
from linnet.estimators.phrases.settings import structure_of
from linnet.learners.base import Learner
from linnet.losses import LOSSES
from linnet.model.brackets import BracketModel
from linnet.model.forests import ForestModel
from linnet.structures import Problem
from linnet.structures.base import Structure
from linnet.structures.forest import Candidates, PhraseForest
from linnet.training.loop import Stopping
from linnet.training.trainer import train

RATE = 0.03  # of AdaGrad, which begins anew: its first steps are the largest


def learnable(parser: Any, trees: Brackets) -> NDArray[np.int64]:
    """Which trees can be learnt without new labels over the same words, or new kinds of roots."""
    first = first_of(parser)
    chained = ChainedBrackets.of(trees, first.chains)
    unknown = np.zeros(len(trees), np.int64)
    np.add.at(unknown, np.repeat(np.arange(len(trees)), np.diff(chained.starts)), chained.codes < 0)
    ends = np.zeros(len(trees), np.int64)
    np.maximum.at(ends, trees.sentences, np.where(trees.begins == 0, trees.ends, 0))
    fits = (ends == trees.lengths) | (not first.whole)
    return np.flatnonzero((unknown == 0) & fits & (trees.lengths > 0))


def first_of(parser: Any) -> BracketModel:
    """The first look of a parser, which may be all of it."""
    model = parser.model_
    return model.first if isinstance(model, ForestModel) else model


def gone_on(parser: Any, trees: Brackets, passes: int = 3, rate: float = RATE) -> Any:
    """The same parser after some passes over these trees; the one that is given stays as it is.

    Both looks go on; margins by passive-aggressive steps, probabilities by small steps of AdaGrad.
    Words are tagged anew by its tagger, which stays as it is.
    """
    trees = cleaned(trees)
    trees = trees.take(learnable(parser, trees))
    if not len(trees):
        raise DataError("none of these trees has only labels that the parser has seen together")
    words = parser._read(trees.sequences, retag=bool(parser.taggers_)).words
    trees = replace(trees, sequences=replace(words, layout=("word", "pos")))
    first = first_of(parser)
    gold = ChainedBrackets.of(trees, first.chains)
    structure = replace(structure_of(trees, gold, first.features), whole=first.whole)
    log = LOSSES[parser.loss_].ring == "log"
    learner: Learner = learners.AdaGrad(eta0=rate) if log else learners.PassiveAggressive(C=0.1)
    loss = parser.loss_ if log else "hinge"
    moved = _moved(parser, learner, structure, loss, first.weights, passes)
    first = replace(first, weights=moved, packed=None)
    made = parser._with_fitted()
    made.model_ = first
    if isinstance(parser.model_, ForestModel):
        parts = parser.model_.parts
        tokens = first.features.over(trees.sequences, parts.sets)
        found = first.candidates_of(tokens, None, LEAST, parser._threads())
        log_p = np.log(np.clip(found.scores, LEAST, 1.0)).astype(np.float32)
        candidates = Candidates(found.starts, found.begins, found.ends, found.codes, log_p)
        forest = PhraseForest(
            structure_of(trees, gold, first.features, sets=parts.sets),
            candidates,
            parts,
            LEAST,
            DROPOUT,
        )
        weights = _moved(parser, learner, forest, loss, parser.model_.weights, passes)
        made.model_ = replace(parser.model_, first=first, weights=weights, packed=None)
    return made


def _moved(
    parser: Any, learner: Learner, structure: Structure, loss: str, weights: Any, passes: int
) -> Any:
    problem = Problem(
        structure,
        loss,
        "none",
        np.ones(structure.size),
        *(0.0, 0.0, 1.0, 0.0, int(parser.random_state)),
        average=False,
        margin=float(parser.margin),
        initial=weights.reshape(-1),
    )
    trained = train(learner, problem, Stopping(passes, meant=True), False, "going on")
    return np.ascontiguousarray(trained.learnt.weights, np.float32).reshape(weights.shape)
