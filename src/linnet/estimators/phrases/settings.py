"""How a parser of phrases learns, where its settings say so and where they say 'auto'."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

import linnet._core as _core
import linnet.learners as learners
from linnet._params import is_whole, number, whole
from linnet.data.bracket_chains import ChainedBrackets
from linnet.data.brackets import Brackets
from linnet.estimators.grid_settings import Axes
from linnet.estimators.tagging.first import check_folds
from linnet.features.spans import SpanFeatures
from linnet.learners.base import Learner
from linnet.learners.checks import check_room
from linnet.losses import LOSSES
from linnet.model.brackets import BracketModel
from linnet.regularisers import PENALTIES
from linnet.structures import Bracketing, Cell, Problem
from linnet.training import TrainingRecord, grid
from linnet.training.loop import Stopping
from linnet.training.trainer import train

LOSS_ORDER = ("softmax_margin", "hinge", "logistic", "perceptron")
PASSES = 8
STEP = 0.1  # of AdaGrad, found on the development part of a sample of the Penn treebank
FEWEST_BITS, MOST_BITS = 12, 17
PER_WORD = 2  # rows of weights for each word


@dataclass
class PhraseChoice:
    """The settings in use, and the reasons."""

    why: list[str] = field(default_factory=list)

    def __str__(self) -> str:
        return "\n".join(self.why)


def check_settings(parser: Any) -> None:
    """Those that are not looked at elsewhere."""
    whole("max_words", parser.max_words)
    if parser.max_iter is not None:
        whole("max_iter", parser.max_iter)
    if not 0 <= number(parser.tol) < math.inf and parser.tol != "auto":
        raise ValueError(f"tol must be a number of 0 or more, or 'auto', not {parser.tol!r}")
    if not is_whole(parser.random_state, 0) or parser.random_state >= 2**63:
        raise ValueError(f"random_state must be a whole number, not {parser.random_state!r}")
    if parser.second not in (True, False, "auto"):
        raise ValueError(f"second must be 'auto', True or False, not {parser.second!r}")
    check_threshold(parser.threshold)
    check_folds(parser.jackknife)


def check_threshold(threshold: Any) -> None:
    """Of probabilities."""
    if not 0 <= number(threshold) <= 1:
        raise ValueError(f"threshold must be a number from 0 to 1, not {threshold!r}")


def features_of(parser: Any, trees: Brackets, why: list[str]) -> SpanFeatures:
    """Features as asked for, made ready; 'auto' is the recipe."""
    asked = parser.features
    if isinstance(asked, SpanFeatures):
        made = SpanFeatures(**asked.get_params(deep=False))
    else:
        bits = math.ceil(math.log2(max(1, trees.tokens) * PER_WORD))
        bits = min(max(bits, FEWEST_BITS), MOST_BITS)
        made = SpanFeatures(templates="spans" if asked == "auto" else asked, hash_bits=bits)
        why.append(f"features of spans: 2^{bits} rows of weights")
    return made.fit(trees.sequences)


def first_look(
    parser: Any, trees: Brackets, partial: NDArray[np.bool_] | None, why: list[str]
) -> tuple[BracketModel, TrainingRecord]:
    """A model of brackets, by any learner of the grid."""
    chained = ChainedBrackets.of(trees)
    why.append(f"labels: {len(chained.names)}, chains of brackets over the same words among them")
    features = features_of(parser, trees, why)
    check_room(
        16.0 * (features.n_features + 1) * _core.padded(len(chained.names)),
        "ConstituencyParser",
        f"every pair of the {features.n_features} features and {len(chained.names)} labels",
        "; use features=SpanFeatures(hash_bits=…) with fewer bits",
    )
    structure = structure_of(trees, chained, features, partial)
    problem, learner, passes = problem_of(parser, structure, why)
    stopping = Stopping(passes, meant=learner.family == "online")
    trained = train(learner, problem, stopping, parser.verbose, "training of brackets")
    weights = np.ascontiguousarray(trained.learnt.weights, np.float32)
    block = weights.reshape(features.n_features + 1, -1)
    model = BracketModel(features, chained.names, block, structure.whole)
    return model, trained.record


def structure_of(
    trees: Brackets,
    chained: ChainedBrackets,
    features: SpanFeatures,
    partial: NDArray[np.bool_] | None = None,
    sets: Sequence[tuple[str, ...]] | None = None,
) -> Bracketing:
    """Trees for learners."""
    tokens = features.over(trees.sequences, sets)
    complete = trees.lengths > 0 if partial is None else (trees.lengths > 0) & ~partial
    ends = np.zeros(len(trees), np.int64)
    np.maximum.at(ends, trees.sentences, np.where(trees.begins == 0, trees.ends, 0))
    return Bracketing(
        features.rows(tokens),
        np.ascontiguousarray(trees.offsets, np.int64),
        chained.starts,
        chained.begins,
        chained.ends,
        chained.codes,
        len(chained.names),
        bool((ends == trees.lengths)[complete].all()),
        None if partial is None else partial.astype(np.uint8),
        tokens,
        features.compiled,
    )


def problem_of(parser: Any, structure: Bracketing, why: list[str]) -> tuple[Problem, Learner, int]:
    """What is to be learnt, and by whom; settings left to 'auto' go by each other."""
    loss, learner = _loss_and_learner(parser)
    penalty = _penalty(parser, learner)
    average = parser.average
    if average == "auto":
        average = learner.family == "online" and learner.averages and penalty == "none"
    C = parser.C
    if C == "auto":
        C = getattr(learner, "C", 1.0)
    if not number(C) > 0:
        raise ValueError(f"C must be a positive number, not {C!r}")
    grid.check(learner, Cell(Bracketing, loss, penalty, bool(average)))
    why.append(f"brackets by {learner.name}, loss {loss}")
    axes = Axes(
        loss,
        learner,
        penalty,
        C=C,
        alpha=parser.alpha,
        l1_ratio=parser.l1_ratio,
        margin=parser.margin,
        average=average,
        max_iter=None,
        tol=0.0,
        random_state=0,
    )
    l1, l2, C = axes._strengths(float(structure.size), learner)
    problem = Problem(
        structure,
        loss,
        penalty,
        np.ones(structure.size),
        l1,
        l2,
        float(C),
        tol=1e-3 if parser.tol == "auto" else float(parser.tol),
        seed=int(parser.random_state),
        average=bool(average),
        margin=axes._margin(),
        threads=parser._threads(),
    )
    if parser.max_iter is not None:
        return problem, learner, whole("max_iter", parser.max_iter)
    return problem, learner, PASSES if learner.family == "online" else 100


def _loss_and_learner(parser: Any) -> tuple[str, Learner]:
    """Softmax-margin by AdaGrad unless told otherwise; a named loss or learner chooses the other."""
    loss, named = parser.loss, parser.learner
    if loss != "auto":
        grid.check_loss(loss)
    if named != "auto":
        learner = grid.resolve(named, None if parser.C == "auto" else parser.C)
        if loss == "auto":
            loss = next((name for name in LOSS_ORDER if name in learner.losses), "hinge")
        return loss, learner
    loss = "softmax_margin" if loss == "auto" else loss
    penalty = "none" if parser.penalty == "auto" else parser.penalty
    grid.check_names(loss, penalty)
    mira = learners.PassiveAggressive(C=math.inf if parser.C == "auto" else parser.C)
    steps = learners.AdaGrad(eta0=STEP)
    log = LOSSES[loss].ring == "log"
    wanted: list[str | Learner] = [steps, "sgd", "lbfgs"] if log else [mira, "perceptron", steps, "sgd"]
    if loss == "perceptron":
        del wanted[0]
    return loss, grid.first_legal(wanted, Cell(Bracketing, loss, penalty))


def _penalty(parser: Any, learner: Learner) -> str:
    if parser.penalty == "auto":
        return "none" if "none" in learner.penalties else sorted(learner.penalties)[0]
    if parser.penalty not in PENALTIES:
        raise ValueError(f"unknown penalty {parser.penalty!r}; known are {', '.join(PENALTIES)}")
    return str(parser.penalty)
