"""Heads chosen in view of relations: every step and every answer against all labelled trees."""

import math
from collections.abc import Iterator
from dataclasses import replace
from functools import cache
from itertools import product
from typing import Any

import numpy as np
import pytest

import linnet._core as _core
from linnet.data.trees import Trees
from linnet.errors import RefusedError
from linnet.features.arcs import ArcFeatures, CandidateArcs
from linnet.learners import LEARNERS
from linnet.learners.passive_aggressive import PassiveAggressive
from linnet.model.trees import TreeModel
from linnet.testing import all_heads
from linnet.training.parser import ParserSettings, train_parser

SHAPES: list[dict[str, Any]] = [
    {"projective": True, "order": 1},
    {"projective": True, "order": 2},
    {"projective": False, "order": 1},
    {"projective": True, "order": 2, "single_root": False},
]
ARCS = ["h.upos m.upos *", "h.lemma m.upos", "h.upos s.upos m.upos"]
JOINT = ["h.upos", "m.lemma direction", "h.upos m.upos *", "h.upos between.upos m.upos", "m.upos"]
RELATIONS = ["advmod", "det", "nsubj", "root"]
Labelled = tuple[tuple[int, ...], tuple[int, ...]]  # heads and relations


@cache
def sentence() -> Trees:
    words = [("a", "a", "DET"), ("linnet", "linnet", "NOUN")]
    words += [("sings", "sing", "VERB"), ("today", "today", "ADV")]
    names = [["det", "nsubj", "root", "advmod"]]
    return Trees.from_lists([words], [[2, 3, 0, 3]], names, names=("form", "lemma", "upos"))


@cache
def features() -> tuple[ArcFeatures, ArcFeatures]:
    columns = sentence().columns
    return (
        ArcFeatures(templates=ARCS, hash_bits=14).compile(columns),
        ArcFeatures(templates=JOINT, hash_bits=12).compile(columns),
    )


@cache
def places(head: int, modifier: int, sibling: int | None) -> list[int]:
    """Of the weights of an arc, or of an arc with its sibling."""
    arcs, _ = features()
    return [f + 1 for f, _ in arcs.names(sentence(), 0, head, modifier, sibling=sibling)]


@cache
def joint_places(head: int, modifier: int, relation: int) -> list[int]:
    arcs, joint = features()
    first, stride = arcs.n_features + 1, _core.padded(len(RELATIONS))
    return [first + (f + 1) * stride + relation for f, _ in joint.names(sentence(), 0, head, modifier)]


def every_place(tree: Labelled, order: int) -> list[int]:
    """f(x, y) as a list of places."""
    heads, relations = tree
    found = []
    for m, (h, r) in enumerate(zip(heads, relations, strict=True), 1):
        found += places(h, m, None) + joint_places(h, m, r)
        if order == 2:
            between = [s for s in range(min(h, m) + 1, max(h, m)) if heads[s - 1] == h]
            found += places(h, m, 0 if not between else max(between) if h < m else min(between))
    return found


def labelled_trees(shape: dict[str, Any]) -> Iterator[Labelled]:
    given = {name: shape[name] for name in ("projective", "single_root") if name in shape}
    for heads in all_heads(4, **given):
        for relations in product(range(len(RELATIONS)), repeat=4):
            yield heads, relations


def gold_tree() -> Labelled:
    trees = sentence()
    assert trees.relations.names == RELATIONS
    return tuple(trees.heads.tolist()), tuple(trees.relations.codes.tolist())


def cost(tree: Labelled) -> int:
    return sum(
        a != b
        for mine, right in zip(tree, gold_tree(), strict=True)
        for a, b in zip(mine, right, strict=True)
    )


@cache
def feature_table(key: str) -> tuple[list[Labelled], np.ndarray, np.ndarray]:
    """All trees, their places (padded by -1) and their costs."""
    shape = next(s for s in SHAPES if str(s) == key)
    trees = list(labelled_trees(shape))
    lists = [every_place(tree, shape["order"]) for tree in trees]
    width = max(map(len, lists))
    table = np.array([row + [-1] * (width - len(row)) for row in lists])
    return trees, table, np.array([cost(tree) for tree in trees])


def scores_of(w: np.ndarray, table: np.ndarray) -> np.ndarray:
    return np.append(w.astype(np.float64), 0.0)[table].sum(axis=1)


def vector(tree: Labelled, order: int, size: int) -> np.ndarray:
    found = np.zeros(size)
    np.add.at(found, every_place(tree, order), 1)
    return found


def trainer(shape: dict[str, Any], step: str, average: bool = False) -> _core.ParserTrainer:
    trees, (arcs, joint) = sentence(), features()
    candidates = CandidateArcs.all(trees.offsets)
    core = _core.TreeShape(shape["projective"], shape.get("single_root", True), shape["order"])
    return _core.ParserTrainer(
        arcs.over(trees),
        candidates.starts,
        candidates.heads,
        trees.heads,
        core,
        step=step,
        average=average,
        joint=joint.over(trees),
        relations=np.ascontiguousarray(trees.relations.codes, np.int32),
        width=len(RELATIONS),
    )


@pytest.mark.parametrize("step", ["pa", "perceptron"])
@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_every_step_is_towards_gold_from_the_best_labelled_tree(
    shape: dict[str, Any], step: str
) -> None:
    trees, table, costs = feature_table(str(shape))
    learner = trainer(shape, step)
    before = learner.weights()
    gold = vector(gold_tree(), shape["order"], len(before))
    steps = 0
    for _ in range(12):
        stats = learner.epoch()
        after = learner.weights()
        augmented = scores_of(before, table) + costs
        loss = augmented.max() - gold @ before
        moved = after - before
        if not moved.any():
            assert loss <= 1e-5
            assert stats.updates == 0
            break
        steps += 1
        best = np.flatnonzero(augmented > augmented.max() - 1e-4)
        differences = (gold - vector(trees[k], shape["order"], len(before)) for k in best)
        taus = ((1.0 if step == "perceptron" else loss / (d @ d), d) for d in differences if d.any())
        assert any(np.allclose(moved, tau * d, rtol=1e-3, atol=1e-6) for tau, d in taus)
        before = after
    assert steps >= (2 if step == "pa" else 1)
    assert trees[int(np.argmax(scores_of(before, table)))] == gold_tree()


def joint_model(shape: dict[str, Any], seed: int = 0) -> TreeModel:
    rng = np.random.default_rng(seed)
    arcs, joint = features()
    weights = rng.normal(size=arcs.n_features + 1).astype(np.float32)
    stride = _core.padded(len(RELATIONS))
    relations = rng.normal(size=(joint.n_features + 1, stride)).astype(np.float32)
    weights[0] = relations[0] = 0
    made = TreeModel(arcs, weights, width=len(RELATIONS), joint_features=joint, joint_weights=relations)
    return replace(made, **shape)


def joined(model: TreeModel) -> np.ndarray:
    assert model.joint_weights is not None
    return np.concatenate([model.weights, model.joint_weights.ravel()])


@pytest.mark.parametrize("shape", SHAPES, ids=str)
@pytest.mark.parametrize("seed", range(3))
def test_best_trees_are_the_heads_of_the_best_labelled_trees(shape: dict[str, Any], seed: int) -> None:
    trees, table, _ = feature_table(str(shape))
    model = joint_model(shape, seed)
    scores = scores_of(joined(model), table)
    heads, values = model.best(sentence())
    assert tuple(heads.tolist()) == trees[int(np.argmax(scores))][0]
    assert values[0] == pytest.approx(scores.max(), abs=1e-4)
    by_heads: dict[tuple[int, ...], float] = {}
    for (found, _), score in zip(trees, scores.tolist(), strict=True):
        by_heads[found] = max(by_heads.get(found, -math.inf), score)
    wanted = sorted(by_heads.values(), reverse=True)[:5]
    ranked = model.kbest(sentence(), 5)[0]
    assert [score for score, _ in ranked] == pytest.approx(wanted, abs=1e-4)
    assert all(by_heads[tuple(h.tolist())] == pytest.approx(s, abs=1e-4) for s, h in ranked)
    known = np.array([-1, 1, -1, -1], np.int32)
    least = max(s for h, s in by_heads.items() if h[1] == 1)
    assert model.best(sentence(), known=known)[1][0] == pytest.approx(least, abs=1e-4)


def test_missing_relations_cost_nothing_and_are_completed() -> None:
    trees, (arcs, joint) = sentence(), features()
    codes = trees.relations.codes.copy()
    codes[1] = -1
    partial = replace(trees, relations=replace(trees.relations, codes=codes))
    partial = replace(partial, heads=np.array([2, 3, -1, 3], np.int32))
    model, _ = train_parser(partial, arcs, None, ParserSettings(within=None, epochs=8), joint)
    assert model.best(trees)[0].tolist() == [2, 3, 0, 3]


@pytest.mark.parametrize("name", sorted(LEARNERS))
def test_other_learners_are_refused(name: str) -> None:
    learner = LEARNERS[name]()
    if name in ("pa", "perceptron", "mixing", "averaging") or not learner.losses & {
        "hinge",
        "logistic",
    }:
        return
    loss = "hinge" if "hinge" in learner.losses else sorted(learner.losses)[0]
    penalty = "none" if "none" in learner.penalties else sorted(learner.penalties)[0]
    settings = ParserSettings(learner=learner, loss=loss, penalty=penalty, average=False, order=1)
    arcs, joint = features()
    with pytest.raises(RefusedError):
        train_parser(sentence(), arcs, None, settings, joint)


def test_squared_slack_is_refused_too() -> None:
    arcs, joint = features()
    learner = PassiveAggressive(C=1.0, variant="II")
    with pytest.raises(RefusedError, match="together with heads"):
        train_parser(sentence(), arcs, None, ParserSettings(learner=learner), joint)


def test_templates_of_relations_to_be_chosen_cannot_look_at_the_tree() -> None:
    arcs, _ = features()
    joint = ArcFeatures(templates=["m.first.upos"], hash_bits=8).compile(sentence().columns)
    with pytest.raises(ValueError, match="cannot look at the tree"):
        train_parser(sentence(), arcs, None, ParserSettings(), joint)


def test_what_does_not_fit_is_refused() -> None:
    trees, (arcs, joint) = sentence(), features()
    candidates = CandidateArcs.all(trees.offsets)
    given = (arcs.over(trees), candidates.starts, candidates.heads, trees.heads, _core.TreeShape())
    for codes, width in (([0, 1, 2], 4), ([0, 1, 2, 4], 4), ([0, 1, 2, -2], 4), ([0, 0, 0, 0], 0)):
        with pytest.raises(ValueError, match="relation"):
            _core.ParserTrainer(
                *given, joint=joint.over(trees), relations=np.array(codes, np.int32), width=width
            )
    short = _core.JointWeights(joint.over(trees), np.zeros((3, 4), np.float32), 4)
    weights = np.zeros(arcs.n_features + 1, np.float32)
    with pytest.raises(ValueError, match="do not fit"):
        _core.best_trees(*given[:3], weights, 0.0, short, _core.TreeShape())


def test_one_relation_is_enough() -> None:
    trees, (arcs, joint) = sentence(), features()
    alike = Trees.from_lists(
        [list(zip(*(trees.column(n)[0] for n in ("form", "lemma", "upos")), strict=True))],
        [trees.heads.tolist()],
        [["dep"] * 4],
        names=("form", "lemma", "upos"),
    )
    model, _ = train_parser(alike, arcs, None, ParserSettings(within=None, epochs=5), joint)
    assert model.joint_weights is not None
    assert model.joint_weights.shape == (joint.n_features + 1, 1)
    assert model.best(alike)[0].tolist() == trees.heads.tolist()
