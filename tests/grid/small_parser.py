"""A parser over few templates: a problem of trees, trained and decoded by the plainest means."""

from dataclasses import dataclass, field, replace
from functools import cache
from typing import Any, Self

import numpy as np

import linnet._core as _core
from linnet.data.samples import load_trees
from linnet.data.trees import Trees
from linnet.features.arcs import ArcFeatures, CandidateArcs
from linnet.learners.base import Learner
from linnet.structures import Problem, Tree
from linnet.training import Stopping, train
from linnet.training.grid import resolve
from linnet.training.record import TrainingRecord
from linnet.training.trainer import Trained

from .small_tagger import SmallModel, strengths

TEMPLATES = [
    "h.upos m.upos *",
    "m.upos direction",
    "h.lemma m.upos",
    "direction distance",
    "h.upos s.upos m.upos",
]


@cache
def treebank(sentences: int = 24, longest: int = 9) -> Trees:
    """Short sentences of the sample."""
    trees = load_trees("rambles-train")
    return trees.take(np.flatnonzero(trees.lengths <= longest)[:sentences])


@cache
def features(bits: int = 10) -> ArcFeatures:
    return ArcFeatures(templates=TEMPLATES, hash_bits=bits).compile(treebank().columns)


def problem_of(
    trees: Trees,
    loss: str = "hinge",
    penalty: str = "none",
    *,
    average: bool = False,
    penalize_intercept: bool = True,
    l1_ratio: float = 0.5,
    bias: float = 0.0,
    projective: bool = True,
    single_root: bool = True,
    order: int = 1,
    bits: int = 10,
    arcs: CandidateArcs | None = None,
    **settings: Any,
) -> Problem:
    """The problem of training on ``trees``; settings as of `Problem`."""
    l1, l2 = strengths(penalty, l1_ratio)
    offsets = np.ascontiguousarray(trees.offsets, np.int64)
    arcs = CandidateArcs.all(offsets) if arcs is None else arcs
    tokens = features(bits).over(trees)
    rows = tokens.rows(arcs.starts, arcs.heads, None, bias)
    shape = (projective, single_root, order)
    given = {
        "structure": Tree(rows, offsets, trees.heads, arcs.starts, arcs.heads, *shape, tokens),
        "loss": loss,
        "penalty": penalty,
        "average": average,
        "penalize_intercept": penalize_intercept,
        "weights": np.ones(len(trees)),
        "l1": l1,
        "l2": l2,
        "C": 1.0,
        "tol": 1e-4,
        "seed": 0,
    }
    return Problem(**given | settings)


def without_templates(problem: Problem) -> Problem:
    """The same for the generic learners alone: rows, but nothing that the fast loop could use."""
    tree = replace(problem.structure)
    _ = tree.siblings  # made while there are tokens
    object.__setattr__(tree, "tokens", None)
    return replace(problem, structure=tree)


def trained(learner: str | Learner, problem: Problem, epochs: int | None = None) -> Trained:
    made = resolve(learner)
    return train(made, problem, Stopping(epochs or min(made.epochs, 100)), show_progress=False)


def best_heads(weights: Any, problem: Problem) -> np.ndarray:
    tree = problem.structure
    assert isinstance(tree, Tree)
    assert tree.tokens is not None
    w = np.ascontiguousarray(weights, np.float32)
    arrays = (tree.tokens, tree.starts, tree.candidates, w)
    return _core.best_trees(*arrays, problem.rows.bias, None, tree.core)[0]


@dataclass
class SmallParser:
    """Settings, fit and score as of an estimator."""

    loss: str
    learner: str
    penalty: str
    C: float = 1.0
    alpha: float | None = None
    l1_ratio: float = 0.5
    average: bool = False
    penalize_intercept: bool = True
    max_iter: int | None = None
    model_: SmallModel = field(init=False)
    record_: TrainingRecord = field(init=False)
    intercept_: np.ndarray = field(init=False)

    def fit(self, X: Trees, y: np.ndarray) -> Self:
        self.problem = problem_of(
            X,
            self.loss,
            self.penalty,
            average=self.average,
            penalize_intercept=self.penalize_intercept,
            l1_ratio=self.l1_ratio,
            bias=1.0,
            C=self.C if self.alpha is None else 1 / (self.alpha * len(X)),
        )
        result = trained(self.learner, self.problem, self.max_iter)
        self.record_ = result.record
        w = np.asarray(result.learnt.weights)
        self.model_ = SmallModel(w, w[1:])
        self.intercept_ = w[:1]
        return self

    def score(self, X: Trees, y: np.ndarray) -> float:
        return float((best_heads(self.model_.weights, self.problem) == y).mean())
