"""How a parser learns heads, where its settings say so and where they say 'auto'."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import linnet.learners as learners
from linnet._params import number, whole
from linnet.data.trees import Trees
from linnet.errors import RefusedError
from linnet.estimators.grid_settings import Axes
from linnet.estimators.parsing.choice import ParsingChoice, features_of
from linnet.estimators.sentence_files import not_in_parts
from linnet.features.arcs import ArcFeatures
from linnet.learners.base import Learner
from linnet.losses import LOSSES
from linnet.model.trees import TreeModel
from linnet.regularisers import PENALTIES
from linnet.structures import Cell, Tree
from linnet.structures.template_steps import takes_steps
from linnet.training import TrainingRecord, grid
from linnet.training.counted_parser import count_parser
from linnet.training.parser import (
    ParserSettings,
    diagnose_heads,
    train_parser,
    train_relations,
)
from linnet.training.tree_shards import TreesInParts

LOSS_ORDER = ("hinge", "logistic", "perceptron", "joint_likelihood")
WITHIN = 5.0  # log-probability that candidates may be below the likeliest
LOG_LOSS_C = 1.0
PASSES, RELATION_PASSES = 10, 5
STEP = 0.03  # of log losses, whose weights are averaged: found on a part of EWT


def learn(
    parser: Any, trees: Trees | TreesInParts, choice: ParsingChoice, forms: int = 1
) -> tuple[TreeModel, TrainingRecord]:
    """Heads and relations as the settings say, of trees that are there in so many forms."""
    settings = parser_settings(parser, choice, len(trees), forms)
    if settings.loss == "joint_likelihood":
        if isinstance(trees, TreesInParts):
            raise RefusedError(not_in_parts("loss='joint_likelihood'"))
        return _count(parser, trees, choice)
    joint = _joint(parser, trees, choice, settings)
    return train_parser(trees, choice.arcs, choice.relations, settings, joint)


def _joint(
    parser: Any, trees: Trees | TreesInParts, choice: ParsingChoice, settings: ParserSettings
) -> ArcFeatures | None:
    """Arcs compete together with their relations where the learner can do so, unless told not to."""
    asked = parser.joint
    if asked == "auto" and not takes_steps(settings.learner.step_rule(), settings.loss):
        asked = None
    if asked is None:
        return None
    tokens = trees.tokens // settings.forms
    return features_of(asked, "joint", tokens, choice.columns, choice.why, choice.most_bits)


def _count(parser: Any, trees: Trees, choice: ParsingChoice) -> tuple[TreeModel, TrainingRecord]:
    """The generative baseline, whose features are its own; relations as of other parsers."""
    if choice.order == 2 or parser.features != "auto" or parser.joint not in ("auto", None):
        raise RefusedError(
            "counts are of tags, direction and distance, arc by arc; leave out features, joint and "
            "order=2"
        )
    tag = next(name for name in ("upos", "xpos", "form") if name in choice.arcs.columns)
    one_root = parser.roots == "one"
    model = count_parser(trees, tag, projective=choice.projective, single_root=one_root)
    settings = ParserSettings(
        projective=choice.projective,
        single_root=one_root,
        order=1,
        seed=int(parser.random_state),
        threads=parser._threads(),
        diagnostics=parser.diagnostics,
    )
    weights, stopped = train_relations(trees, choice.relations, settings)
    model = replace(
        model,
        relation_features=choice.relations,
        relation_weights=weights,
        width=len(trees.relations.names),
    )
    choice.why.append(f"heads by counting {tag}, direction and distance")
    record = TrainingRecord("joint_likelihood", "counting", "none", "tree", 1.0, 0.0)
    record.stopped = stopped if stopped == "interrupted" else ""
    record.diagnostics = diagnose_heads(trees, model, settings)
    return model, record


def parser_settings(
    parser: Any, choice: ParsingChoice, sentences: int, forms: int = 1
) -> ParserSettings:
    """Settings given stay; those left to 'auto' go by each other."""
    loss, learner = _loss_and_learner(parser)
    penalty = _penalty(parser, learner)
    average = parser.average
    if average == "auto":
        average = learner.family == "online" and learner.averages and penalty == "none"
    C = parser.C
    if C == "auto":
        log_loss = LOSSES[loss].ring == "log" and penalty != "none"
        C = LOG_LOSS_C if log_loss else getattr(learner, "C", 1.0)
    if not number(C) > 0:
        raise ValueError(f"C must be a positive number, not {C!r}")
    grid.check(learner, Cell(Tree, loss, penalty, bool(average)))
    choice.why.append(f"heads by {learner.name}, loss {loss}")
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
    l1, l2, C = axes._strengths(float(sentences), learner)
    return ParserSettings(
        margin=axes._margin(),
        learner=learner,
        loss=loss,
        penalty=penalty,
        l1=l1,
        l2=l2,
        C=float(C),
        average=bool(average),
        epochs=_passes(parser, learner, forms),
        relation_epochs=math.ceil(RELATION_PASSES / forms),
        forms=forms,
        projective=choice.projective,
        single_root=parser.roots == "one",
        order=choice.order,
        within=_within(parser.candidates),
        tol=1e-3 if parser.tol == "auto" else float(parser.tol),
        seed=int(parser.random_state),
        threads=parser._threads(),
        show_progress=parser.verbose,
        diagnostics=parser.diagnostics,
    )


def _loss_and_learner(parser: Any) -> tuple[str, Learner]:
    """MIRA unless told otherwise; a named loss or learner chooses the other.

    Log losses: steps of one size, whose averages are better than shrinking ones (+3 points of LAS).
    """
    loss, named = parser.loss, parser.learner
    if loss != "auto":
        grid.check_loss(loss)
    if named != "auto":
        learner = grid.resolve(named, None if parser.C == "auto" else parser.C)
        if loss == "auto":
            loss = next((name for name in LOSS_ORDER if name in learner.losses), "hinge")
        return loss, learner
    loss = "hinge" if loss == "auto" else loss
    penalty = "none" if parser.penalty == "auto" else parser.penalty
    grid.check_names(loss, penalty)
    log_steps = LOSSES[loss].ring == "log" and penalty == "none"
    mira = learners.PassiveAggressive(C=math.inf if parser.C == "auto" else parser.C)
    wanted: list[str | Learner] = [
        mira,
        "perceptron",
        "counting",
        learners.SGD(step="constant", eta0=STEP) if log_steps else "sgd",
        "adagrad",
        learners.Mixing(mira),  # on shards
        learners.Mixing("perceptron"),
        "lbfgs",
    ]
    if loss != "hinge":
        del wanted[0]
    return loss, grid.first_legal(wanted, Cell(Tree, loss, penalty))


def _penalty(parser: Any, learner: Learner) -> str:
    if parser.penalty == "auto":
        return "none" if "none" in learner.penalties else sorted(learner.penalties)[0]
    if parser.penalty not in PENALTIES:
        raise ValueError(f"unknown penalty {parser.penalty!r}; known are {', '.join(PENALTIES)}")
    return str(parser.penalty)


def _passes(parser: Any, learner: Learner, forms: int) -> int:
    """A pass goes through all forms of a tree: then fewer will do."""
    if parser.max_iter is not None:
        return whole("max_iter", parser.max_iter)
    return math.ceil(PASSES / forms) if learner.family == "online" else 100


def _within(candidates: Any) -> float | None:
    if candidates == "auto":
        return WITHIN
    return None if candidates is None else float(candidates)
