"""The training loop of parsers: the steps of the generic learners, and what they promise."""

import math
import warnings
from dataclasses import replace
from functools import cache
from typing import Any

import numpy as np
import pytest

import linnet._core as _core
from linnet.data.heads import nonprojective_arcs
from linnet.data.lifting import lifted
from linnet.data.trees import Trees
from linnet.errors import RefusedError, TrainingWarning
from linnet.features.arcs import CandidateArcs
from linnet.learners import LEARNERS
from linnet.learners.passive_aggressive import MIRA, PassiveAggressive
from linnet.learners.perceptron import Perceptron
from linnet.structures import Problem
from linnet.testing import all_heads

from ..grid.small_parser import best_heads, features, problem_of, trained, treebank, without_templates
from ..structured import changed

SHAPES: list[dict[str, Any]] = [
    {"projective": True, "order": 1},
    {"projective": True, "order": 2},
    {"projective": False, "order": 1},
    {"projective": True, "order": 1, "single_root": False},
    {"projective": True, "order": 2, "single_root": False},
]


def partial(trees: Trees) -> Trees:
    """Every third head is missing."""
    heads = trees.heads.copy()
    heads[::3] = -1
    return replace(trees, heads=heads)


def pruned(trees: Trees) -> CandidateArcs:
    """Neighbours, the root and the gold head."""
    starts, heads = [0], []
    for begin, end in zip(trees.offsets[:-1], trees.offsets[1:], strict=True):
        for m in range(1, end - begin + 1):
            some = {0, m - 1, min(m + 1, int(end - begin)), max(0, int(trees.heads[begin + m - 1]))}
            heads += sorted(some - {m})
            starts.append(len(heads))
    return CandidateArcs(np.array(starts, np.int64), np.array(heads, np.int32))


@pytest.mark.parametrize("shape", SHAPES, ids=str)
@pytest.mark.parametrize("average", [False, True])
@pytest.mark.parametrize(
    ("learner", "loss"),
    [
        (Perceptron(), "perceptron"),
        (Perceptron(), "hinge"),
        (PassiveAggressive(C=math.inf), "hinge"),
        (PassiveAggressive(C=1 / 32), "hinge"),
    ],
    ids=str,
)
def test_the_fast_loop_takes_the_steps_of_the_generic_one(
    shape: dict[str, Any], average: bool, learner: Any, loss: str
) -> None:
    trees = treebank()
    problem = problem_of(trees, loss, average=average, arcs=pruned(trees), bits=16, **shape)
    fast = trained(learner, problem, 4).learnt.weights
    slow = trained(learner, without_templates(problem), 4).learnt.weights
    assert np.abs(slow).max() > 0.01
    np.testing.assert_allclose(fast, slow, rtol=1e-4, atol=1e-5 * np.abs(slow).max())


def test_missing_heads_are_completed_by_the_best_tree_that_agrees() -> None:
    trees = treebank()
    trees = partial(replace(trees, heads=lifted(trees.heads, trees.offsets)))
    problem = problem_of(trees, arcs=pruned(trees), bits=16)
    learner = PassiveAggressive(C=math.inf)
    fast = trained(learner, problem, 3).learnt.weights
    slow = trained(learner, without_templates(problem), 3).learnt.weights
    np.testing.assert_allclose(fast, slow, rtol=1e-4, atol=1e-5)
    assert (best_heads(fast, problem) == treebank().heads).mean() > 0.7


@cache
def numbers(head: int, modifier: int, sibling: int | None) -> list[int]:
    """The features of a part of the short sentence."""
    names = features(16).names(short_sentence(), 0, head, modifier, sibling=sibling)
    return [feature + 1 for feature, _ in names]


def vector(problem: Problem, heads: tuple[int, ...]) -> np.ndarray:
    """f(x, y) of the short sentence."""
    found = np.zeros(problem.rows.features + 1)
    for m, h in enumerate(heads, 1):
        parts: list[int | None] = [None]
        if problem.structure.order == 2:
            between = [s for s in range(min(h, m) + 1, max(h, m)) if heads[s - 1] == h]
            parts.append(0 if not between else max(between) if h < m else min(between))
        for part in parts:
            np.add.at(found, numbers(h, m, part), 1)
    return found


WORDS = 5


@cache
def short_sentence() -> Trees:
    words = [("a", "a", "DET"), ("grey", "grey", "ADJ"), ("linnet", "linnet", "NOUN")]
    words += [("sings", "sing", "VERB"), ("today", "today", "ADV")]
    return Trees.from_lists([words], [[3, 3, 4, 0, 4]], names=("form", "lemma", "upos"))


@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_scores_best_trees_and_marginals_by_brute_force(shape: dict[str, Any]) -> None:
    trees = short_sentence()
    problem = problem_of(trees, bits=16, **shape)
    w = np.random.default_rng(0).normal(size=problem.rows.features + 1).astype(np.float32)
    w[0] = 0
    outputs = list(all_heads(WORDS, shape.get("single_root", True), shape["projective"]))
    scores = np.array([vector(problem, y) @ w for y in outputs])
    tree = problem.structure
    assert tree.tokens is not None
    arguments = (tree.tokens, tree.starts, tree.candidates, w, 0.0, None, tree.core)
    heads, value = _core.best_trees(*arguments)
    assert tuple(heads) == outputs[int(scores.argmax())]
    assert value[0] == pytest.approx(scores.max(), rel=1e-5)
    ranked = _core.k_best_trees(*arguments, k=5)[0]
    assert [score for score, _ in ranked] == pytest.approx(np.sort(scores)[::-1][:5], rel=1e-5)
    assert tuple(ranked[0][1]) == outputs[int(scores.argmax())]
    mu, log_z = _core.arc_marginals(*arguments)
    shares = np.exp(scores - scores.max())
    assert log_z[0] == pytest.approx(np.log(shares.sum()) + scores.max(), rel=1e-5)
    for m in range(1, WORDS + 1):
        for a in range(tree.starts[m - 1], tree.starts[m]):
            mass = sum(
                p for p, y in zip(shares, outputs, strict=True) if y[m - 1] == tree.candidates[a]
            )
            assert mu[a] == pytest.approx(mass / shares.sum(), abs=1e-4)


@pytest.mark.parametrize("shape", SHAPES, ids=str)
@pytest.mark.parametrize("learner", [PassiveAggressive(C=math.inf), MIRA(C=math.inf, k=4)], ids=str)
def test_constraints_hold_after_the_step(shape: dict[str, Any], learner: Any) -> None:
    trees = short_sentence()
    problem = problem_of(trees, "hinge", bits=16, **shape)
    gold = tuple(trees.heads.tolist())
    outputs = list(all_heads(WORDS, shape.get("single_root", True), shape["projective"]))
    costs = np.array([sum(a != b for a, b in zip(y, gold, strict=True)) for y in outputs])
    w = trained(learner, problem, 1).learnt.weights.astype(np.float64)
    differences = np.array([vector(problem, gold) - vector(problem, y) for y in outputs])
    held = differences @ w >= costs - 1e-4
    # At zero weights the cost alone decides, so that the constraints are of some trees of most cost.
    k = getattr(learner, "k", 1)
    assert (held & (costs >= np.sort(costs)[-k])).sum() >= k
    if k == 1:  # the shortest step that does it, towards one of them
        steps = costs[:, None] / np.maximum((differences**2).sum(1), 1)[:, None] * differences
        assert any(np.allclose(w, step, atol=1e-4) for step in steps[costs == costs.max()])


def objective(problem: Problem, w: np.ndarray) -> float:
    """The logistic loss of the first sentence, listed."""
    trees = short_sentence()
    shape = problem.structure
    outputs = list(all_heads(WORDS, shape.single_root, shape.projective))
    scores = np.array([vector(problem, y) @ w for y in outputs])
    gold = vector(problem, tuple(trees.heads.tolist())) @ w
    return float(np.log(np.exp(scores - scores.max()).sum()) + scores.max() - gold)


@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_tree_crfs_by_brute_force(shape: dict[str, Any]) -> None:
    problem = problem_of(short_sentence(), "logistic", "l2", bits=16, **shape)
    result = trained("lbfgs", problem)
    w = np.asarray(result.learnt.weights, np.float64)
    expected = objective(problem, w) + 0.5 * w @ w
    assert result.record.objective == pytest.approx(expected, rel=1e-5)
    for direction in np.random.default_rng(1).normal(size=(3, len(w))):
        step = 1e-3 * direction / np.linalg.norm(direction)
        moved = w + step
        assert objective(problem, moved) + 0.5 * moved @ moved >= expected - 1e-7


SECOND_ORDER = [("logistic", "lbfgs", "l2"), ("hinge", "frank_wolfe", "l2"), ("hinge", "mira", "none")]
SECOND_ORDER += [("softmax_margin", "adagrad", "l1"), ("logistic", "sgd", "l2")]
SECOND_ORDER += [("perceptron", "perceptron", "none"), ("logistic", "newton", "l2")]


@pytest.mark.parametrize("cell", SECOND_ORDER, ids=str)
@pytest.mark.parametrize("shape", SHAPES[1:3], ids=str)
@pytest.mark.parametrize("missing", [False, True])
def test_learners_on_siblings_crossing_arcs_and_partial_trees(
    cell: tuple[str, str, str], shape: dict[str, Any], missing: bool
) -> None:
    loss, learner, penalty = cell
    whole = treebank(12)
    if shape["projective"]:
        whole = replace(whole, heads=lifted(whole.heads, whole.offsets))
    trees = partial(whole) if missing else whole
    problem = problem_of(trees, loss, penalty, arcs=pruned(whole), **shape)
    if missing and not LEARNERS[learner].partial_labels:
        with pytest.raises(RefusedError, match="needs the head of every word"):
            trained(learner, problem, 5)
        return
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", TrainingWarning)
        w = trained(learner, problem, 20).learnt.weights
    assert (best_heads(w, problem) == whole.heads).mean() > 0.7


def test_refusals() -> None:
    with pytest.raises(ValueError, match="second order"):
        _core.TreeShape(projective=False, order=2)
    trees = treebank()
    problem = problem_of(trees)
    tree = problem.structure
    few = np.where(tree.candidates == 0, 1, tree.candidates).astype(np.int32)
    with pytest.raises(ValueError, match="no head"):
        changed(problem, candidates=few).data()
    long = Trees.from_lists([[("a", "a", "X")] * 150], [range(150)], names=("form", "lemma", "upos"))
    with pytest.raises(RefusedError, match="exponential"):
        trained("lbfgs", problem_of(long, "exponential", "l2"))


def test_lifting_makes_trees_projective_and_keeps_those_that_are() -> None:
    trees = treebank()
    made = lifted(trees.heads, trees.offsets)
    assert not nonprojective_arcs(made, trees.offsets).any()
    changed = made != trees.heads
    assert 0 < changed.sum() <= trees.nonprojective().sum()
    offsets, projective = np.array([0, 5]), set(all_heads(5))
    for heads in all_heads(5, True, False):
        made = lifted(np.array(heads, np.int32), offsets)
        assert tuple(made) in projective
        assert heads not in projective or tuple(made) == heads


def test_lifted_partial_trees_are_in_some_tree() -> None:
    offsets, projective = np.array([0, 5]), np.array(list(all_heads(5)))
    rng = np.random.default_rng(0)
    for heads in rng.permutation(list(all_heads(5, True, False)))[:300]:
        made = lifted(np.where(rng.random(5) < 0.4, -1, heads).astype(np.int32), offsets)
        assert ((projective == made) | (made == -1)).all(1).any(), (heads, made)
