"""A parser that goes on from its weights over a few trees, such as a person has corrected."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

import linnet.learners as learners
from linnet.data.joined_sentences import named_among
from linnet.data.trees import Trees
from linnet.errors import RefusedError
from linnet.learners.base import Learner
from linnet.losses import LOSSES
from linnet.structures import Problem
from linnet.training.loop import Stopping
from linnet.training.parser import ParserSettings, RelationsOf, tree_of, tree_problem
from linnet.training.trainer import train

STEP = 0.03  # of log losses, as in training


def gone_on(parser: Any, trees: Trees, passes: int = 4, C: float = 0.1) -> Any:
    """The same parser after some passes over these trees; the one that is given stays as it is.

    Margins move by passive-aggressive steps of at most ``C``, probabilities by gradients, so that they
    stay probable. Heads that are -1 are not known; relations that the parser has no name for are passed
    over. Its taggers stay as they are.
    """
    model, loss = parser.model_, parser.loss_
    if loss == "joint_likelihood" or model.relation_features is None:
        raise RefusedError("a parser that counts has no steps to go on by; it learns from all trees")
    names = parser.classes_.tolist()
    trees = parser._tagged(replace(trees, relations=named_among(trees.relations, names)))
    log = LOSSES[loss].ring == "log"
    steps: Learner = learners.PassiveAggressive(C=C)
    settings = ParserSettings(
        learner=learners.SGD(step="constant", eta0=STEP) if log else steps,
        loss=loss if log else "hinge",
        average=True,
        projective=model.projective,
        single_root=model.single_root,
        order=model.order,
        threads=parser._threads(),
    )
    tree = tree_of(trees, model.arcs, model.first_pass, settings, model.joint_features)
    parts = [model.weights] if model.joint_weights is None else [model.weights, model.joint_weights]
    initial = np.concatenate([part.reshape(-1) for part in parts])
    problem = replace(tree_problem(tree, settings), initial=initial)
    moved = _moved(settings.learner, problem, passes)
    arcs = model.arcs.n_features + 1
    joint = None if model.joint_weights is None else moved[arcs:].reshape(model.joint_weights.shape)
    flat = RelationsOf(model.relation_features, model.width)(trees)
    relations = model.relation_weights
    if flat.size:
        of_arcs = Problem(
            flat,
            "hinge",
            "none",
            np.ones(flat.size),
            *(0.0, 0.0, 1.0, settings.tol, settings.seed),
            average=True,
            initial=relations.reshape(-1),
            threads=settings.threads,
        )
        relations = _moved(steps, of_arcs, passes).reshape(relations.shape)
    made = parser._with_fitted()
    made.model_ = replace(
        model, weights=moved[:arcs], joint_weights=joint, relation_weights=relations, packed=None
    )
    return made


def _moved(learner: Learner, problem: Problem, passes: int) -> Any:
    trained = train(learner, problem, Stopping(passes, meant=True), False, "going on")
    return np.ascontiguousarray(trained.learnt.weights, np.float32)
