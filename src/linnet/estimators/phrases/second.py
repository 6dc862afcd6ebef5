"""The second look of parsers of phrases: learnt from what first looks leave of new sentences."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

import linnet.learners as learners
from linnet.data.brackets import Brackets
from linnet.errors import RefusedError
from linnet.estimators.phrases.folds import FOLDS, LEAST, jackknifed
from linnet.estimators.phrases.settings import structure_of
from linnet.features.forests import ForestFeatures
from linnet.losses import LOSSES
from linnet.model.brackets import BracketModel
from linnet.model.forests import ForestModel, forest_parts
from linnet.structures import Problem
from linnet.structures.forest import PhraseForest
from linnet.training import TrainingRecord
from linnet.training.loop import Stopping
from linnet.training.trainer import train

FEWEST = 100  # trees
PASSES = 8
STEP = 0.1  # of AdaGrad
DROPOUT = 0.5
PER_WORD = 32  # places of weights
FEWEST_BITS, MOST_BITS = 14, 22


def no_second_look(parser: Any, first: BracketModel, trees: int, record: TrainingRecord) -> str | None:
    """Why there is none; None if there is one. What cannot be done is refused if it was asked for."""
    if parser.second is False:
        return "not asked for"
    if record.interrupted:
        return "training was interrupted"
    refusal = None
    if not LOSSES[record.loss].probability_scale:
        refusal = f"it goes by probabilities, and scores of loss {record.loss!r} are margins"
    elif not first.whole:
        refusal = "some sentences are no phrase as a whole"
    elif trees < FOLDS:
        refusal = f"it is learnt in {FOLDS} folds, and there are fewer trees"
    if refusal is not None and parser.second is True:
        raise RefusedError(f"second=True: {refusal}; leave it at 'auto', or use second=False")
    if refusal is None and trees < FEWEST and parser.second == "auto":
        return f"there are fewer than {FEWEST} trees"
    return refusal


def second_look(
    parser: Any,
    trees: Brackets,
    partial: NDArray[np.bool_] | None,
    first: BracketModel,
    loss: str,
    why: list[str],
) -> tuple[ForestModel, TrainingRecord]:
    """Over candidates of first looks that were learnt without the sentence, in folds.

    Of partial trees these have made whole ones.
    """
    bits = math.ceil(math.log2(max(1, trees.tokens) * PER_WORD))
    features = ForestFeatures(hash_bits=min(max(bits, FEWEST_BITS), MOST_BITS))
    parts = forest_parts(first, features)
    candidates, gold = jackknifed(parser, trees, partial, first)
    structure = PhraseForest(
        structure_of(trees, gold, first.features, sets=parts.sets),
        candidates,
        parts,
        LEAST,
        DROPOUT,
    )
    problem = Problem(
        structure,
        loss,
        "none",
        np.ones(structure.size),
        0.0,
        0.0,
        1.0,
        tol=0.0,
        seed=int(parser.random_state),
        average=True,
        margin=float(parser.margin),
    )
    stopping = Stopping(PASSES, meant=True)
    trained = train(learners.AdaGrad(eta0=STEP), problem, stopping, parser.verbose, "the second look")
    weights = np.ascontiguousarray(trained.learnt.weights, np.float32)
    why.append(
        f"a second look at brackets whose probability is at least {LEAST:g}, learnt in {FOLDS} folds: "
        f"2^{features.hash_bits} weights"
    )
    return ForestModel(first, features, weights, LEAST), trained.record
