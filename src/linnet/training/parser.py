"""From trees to a parser: heads by any learner of the grid over whole trees, then relations."""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

import linnet._core as _core
from linnet.data.lifting import lifted
from linnet.data.trees import Trees
from linnet.errors import warn_of_training
from linnet.features.arc_candidates import ArcCandidates
from linnet.features.arcs import ArcFeatures, CandidateArcs
from linnet.learners.base import Learner
from linnet.learners.mixing import Mixing
from linnet.learners.passive_aggressive import PassiveAggressive
from linnet.model.trees import Heads, Reals, TreeModel
from linnet.structures import JointLabels, Learnt, Multiclass, Problem, Tree
from linnet.training import grid
from linnet.training.diagnostics import diagnose_learnt, not_measured
from linnet.training.loop import Stopping
from linnet.training.record import TrainingRecord
from linnet.training.trainer import train
from linnet.training.tree_shards import TreesInParts


@dataclass(frozen=True)
class ParserSettings:
    """How heads are learnt (``learner``, ``loss``, …) and what trees there are.

    The default is MIRA with one constraint: passive-aggressive steps without slack against the best
    tree with its cost, averaged. ``within`` is what `ArcCandidates` keeps; None keeps all arcs. In
    several ``forms`` trees are there one form after the other.
    """

    learner: Learner = field(default_factory=lambda: PassiveAggressive(C=math.inf))
    loss: str = "hinge"
    penalty: str = "none"
    l1: float = 0.0
    l2: float = 0.0
    C: float = 1.0
    margin: float = 1.0
    average: bool = True
    epochs: int = 10
    relation_epochs: int = 5
    forms: int = 1
    projective: bool = True
    single_root: bool = True
    order: int = 2
    within: float | None = 5.0
    tol: float = 1e-3
    seed: int = 0
    threads: int = 1
    show_progress: bool | None = None
    diagnostics: bool | str = "auto"


def train_parser(
    trees: Trees | TreesInParts,
    arcs: ArcFeatures,
    relations: ArcFeatures | None,
    settings: ParserSettings,
    joint: ArcFeatures | None = None,
) -> tuple[TreeModel, TrainingRecord]:
    """A model of heads and, by ``relations``, of their names; all features are compiled.

    With ``joint``, arcs compete together with relations, of which these features are. An interrupt ends
    what is being learnt: heads stay as they are then, and relations are learnt in one pass. Of trees
    in parts the first pass learns from a sample.
    """
    first_pass = None
    if settings.within is not None:
        first_pass = ArcCandidates(within=settings.within, random_state=settings.seed)
        sample = trees if isinstance(trees, Trees) else trees.sample()
        if settings.forms > 1:
            sample = sample.take(range(len(sample) // settings.forms))
        first_pass.fit(_seen(sample, arcs), sample.heads)
        del sample
    made = HeadsOf(arcs, first_pass, settings, joint)
    problem = _heads(trees, made, settings)
    stopping = Stopping(settings.epochs, meant=settings.learner.family == "online")
    trained = train(settings.learner, problem, stopping, settings.show_progress, "training of heads")
    record, learnt = trained.record, trained.learnt
    del trained  # its solver is as large as what it has learnt
    if isinstance(trees, Trees):
        candidates = len(problem.structure.candidates) if isinstance(problem.structure, Tree) else 0
        record.facts["candidates_per_word"] = candidates / max(1, trees.tokens)
        record.diagnostics = diagnose_learnt(settings.diagnostics, problem, learnt, trees.tokens)
    elif settings.diagnostics is not False:
        record.diagnostics = not_measured("trees were read shard by shard")
    del problem
    weights = np.ascontiguousarray(learnt.weights, np.float32)
    of_relations = weights[arcs.n_features + 1 :]
    width = len(_relation_names(trees))
    model = TreeModel(
        arcs,
        weights[: arcs.n_features + 1],
        settings.projective,
        settings.single_root,
        settings.order,
        first_pass,
        width=width,
        joint_features=joint,
        joint_weights=None if joint is None else of_relations.reshape(-1, _core.padded(width)),
    )
    if relations is not None:
        if record.stopped == "interrupted":
            settings = replace(settings, relation_epochs=1)
            warn_of_training(
                "relations are learnt in one pass now; interrupted once more, in a part of it"
            )
        weights, stopped = train_relations(trees, relations, settings)
        model = replace(model, relation_features=relations, relation_weights=weights)
        if stopped == "interrupted":
            record.stopped = stopped
    return model, record


@dataclass(frozen=True)
class HeadsOf:
    """Trees as a structure of heads, see `tree_of`."""

    arcs: ArcFeatures
    first_pass: ArcCandidates | None
    settings: ParserSettings
    joint: ArcFeatures | None = None

    def __call__(self, trees: Trees) -> Tree:
        tree = tree_of(trees, self.arcs, self.first_pass, self.settings, self.joint)
        return tree if self.joint is None else replace(tree, source=partial(self, trees))


def _heads(trees: Trees | TreesInParts, made: HeadsOf, settings: ParserSettings) -> Problem:
    if isinstance(trees, Trees):
        return tree_problem(made(trees), settings)
    elsewhere = trees.elsewhere(made)
    return replace(tree_problem(made(trees.nothing), settings), elsewhere=elsewhere)


def _relation_names(trees: Trees | TreesInParts) -> list[str]:
    return trees.relations.names if isinstance(trees, Trees) else trees.names


def diagnose_heads(trees: Trees, model: TreeModel, settings: ParserSettings) -> dict[str, Any]:
    """What theory says of the heads of a model, without relations."""
    problem = tree_problem(tree_of(trees, model.arcs, model.first_pass, settings), settings)
    return diagnose_learnt(settings.diagnostics, problem, Learnt(model.weights), trees.tokens)


@dataclass(frozen=True)
class _Seen:
    columns: dict[str, _core.Texts]
    offsets: NDArray[np.int64]


def _seen(trees: Trees, arcs: ArcFeatures) -> _Seen:
    """The columns that features of arcs look at: the first pass has no others."""
    return _Seen({name: trees.columns[name] for name in arcs.columns}, trees.offsets)


def tree_of(
    trees: Trees,
    arcs: ArcFeatures,
    first_pass: ArcCandidates | None,
    settings: ParserSettings,
    joint: ArcFeatures | None = None,
) -> Tree:
    """Trees as a structure; gold arcs are always among the candidates."""
    heads = _targets(trees, settings)
    offsets = np.ascontiguousarray(trees.offsets, np.int64)
    if first_pass is None:
        candidates = CandidateArcs.all(offsets)
    else:
        candidates = first_pass.arcs(trees, heads, settings.threads)
    tokens = arcs.over(trees, settings.threads)
    return Tree(
        tokens.rows(candidates.starts, candidates.heads),
        offsets,
        np.ascontiguousarray(heads, np.int32),
        candidates.starts,
        candidates.heads,
        settings.projective,
        settings.single_root,
        settings.order,
        tokens,
        None if joint is None else _joint_labels(trees, joint, settings.threads),
    )


def tree_problem(tree: Tree, settings: ParserSettings) -> Problem:
    """A problem for any learner."""
    return Problem(
        tree,
        settings.loss,
        settings.penalty,
        np.ones(tree.size),
        settings.l1,
        settings.l2,
        settings.C,
        settings.tol,
        settings.seed,
        average=settings.average,
        margin=settings.margin,
        threads=settings.threads,
    )


def _joint_labels(trees: Trees, features: ArcFeatures, threads: int) -> JointLabels:
    codes = np.ascontiguousarray(trees.relations.codes, np.int32)
    width = len(trees.relations.names)
    return JointLabels(features.over(trees, threads), codes, width, features.n_features)


STEPS = ("perceptron", "pa", "mira")


def _targets(trees: Trees, settings: ParserSettings) -> Heads:
    """The heads to learn.

    Where trees are to be projective, those with arcs that cross are lifted; an objective without its
    gold outputs in reach would have no bound. Steps, which move from the tree that was found to the
    gold one, take whole trees as they are: measured to be better.
    """
    if not settings.projective:
        return trees.heads
    heads = lifted(trees.heads, trees.offsets, settings.single_root)
    if settings.learner.name not in STEPS:
        return heads
    some_missing = np.logical_or.reduceat(np.append(trees.heads < 0, False), trees.offsets[:-1])
    return np.where(np.repeat(some_missing, trees.lengths), heads, trees.heads)


@dataclass(frozen=True)
class RelationsOf:
    """Trees as a flat problem, of which gold arc has which relation."""

    features: ArcFeatures
    width: int

    def __call__(self, trees: Trees) -> Multiclass:
        heads: Heads = np.where(trees.relations.codes >= 0, trees.heads, -1).astype(np.int32)
        rows = self.features.rows(trees, CandidateArcs.of_tree(heads), trees.heads)
        labels = np.ascontiguousarray(trees.relations.codes[heads >= 0], np.int32)
        return Multiclass(rows, labels, self.width)


def train_relations(
    trees: Trees | TreesInParts, features: ArcFeatures, settings: ParserSettings
) -> tuple[Reals, str]:
    """Weights (features + 1, stride) of the relations of gold arcs, by averaged steps.

    And why training stopped.
    """
    made = RelationsOf(features, len(_relation_names(trees)))
    structure = made(trees if isinstance(trees, Trees) else trees.nothing)
    problem = Problem(
        structure,
        "hinge",
        "none",
        np.ones(structure.size),
        0.0,
        0.0,
        1.0,
        settings.tol,
        settings.seed,
        average=True,
        threads=settings.threads,
        elsewhere=None if isinstance(trees, Trees) else trees.of_arcs(made),
    )
    stopping = Stopping(settings.relation_epochs, meant=True)
    steps = PassiveAggressive(C=math.inf)
    learner = grid.first_legal([steps, Mixing(steps)], problem.cell)
    trained = train(learner, problem, stopping, settings.show_progress, "training of relations")
    stride = len(trained.learnt.weights) // (features.n_features + 1)
    weights = np.ascontiguousarray(trained.learnt.weights, np.float32).reshape(-1, stride)
    return weights, trained.record.stopped
