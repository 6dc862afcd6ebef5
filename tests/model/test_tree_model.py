"""Parsers as they are trained by default, and what their models tell."""

import json
from dataclasses import replace
from functools import cache
from itertools import pairwise

import numpy as np
import pytest

from linnet.data.samples import load_trees
from linnet.data.trees import Trees
from linnet.errors import DataError
from linnet.features.arcs import ArcFeatures
from linnet.learners.batch import LBFGS
from linnet.learners.passive_aggressive import MIRA
from linnet.learners.sgd import AdaGrad
from linnet.model.trees import TreeModel
from linnet.training.counted_parser import DISTANCES, count_parser
from linnet.training.parser import ParserSettings, train_parser


def fit(trees: Trees, **settings: object) -> TreeModel:
    arcs = ArcFeatures(hash_bits=16).compile(trees.columns)
    relations = ArcFeatures(templates="relations", hash_bits=13).compile(trees.columns)
    model, record = train_parser(trees, arcs, relations, ParserSettings(**settings))  # type: ignore[arg-type]
    assert record.structure == "tree"
    assert record.n_iter > 0
    return model


@cache
def fitted(order: int = 2, projective: bool = True) -> TreeModel:
    return fit(load_trees("rambles-train"), order=order, projective=projective, epochs=5)


@cache
def unseen_trees() -> Trees:
    return load_trees("rambles-test")


KINDS = [(1, True), (2, True), (1, False)]


@pytest.mark.parametrize("kind", KINDS, ids=str)
def test_heads_and_relations_are_found(kind: tuple[int, bool]) -> None:
    trees, model = unseen_trees(), fitted(*kind)
    heads, scores = model.best(trees)
    assert (heads == trees.heads).mean() > 0.95
    names = np.array(load_trees("rambles-train").relations.names)
    gold = np.array(trees.relations.names)[trees.relations.codes]
    assert (names[model.relations(trees, heads)] == gold).mean() > 0.95
    for threads in (1, 3):
        again, same = model.best(trees, threads)
        np.testing.assert_array_equal(again, heads)
        np.testing.assert_array_equal(same, scores)


@pytest.mark.parametrize("kind", KINDS, ids=str)
def test_known_heads_are_kept(kind: tuple[int, bool]) -> None:
    trees, model = unseen_trees(), fitted(*kind)
    known = np.full(trees.tokens, -1, np.int32)
    known[trees.offsets[:-1]] = np.minimum(2, trees.lengths)
    heads, _ = model.best(trees, known=known)
    free, _ = model.best(trees)
    np.testing.assert_array_equal(heads[known >= 0], known[known >= 0])
    assert (free[known >= 0] != known[known >= 0]).any()
    arcs, mu = model.marginals(trees, known=known)
    words = np.repeat(np.arange(trees.tokens), np.diff(arcs.starts))
    sure = (known[words] >= 0) & (arcs.heads == known[words])
    np.testing.assert_allclose(mu[sure], 1, rtol=1e-6)


@pytest.mark.parametrize("kind", KINDS, ids=str)
def test_runners_up_are_the_best_trees_with_another_head(kind: tuple[int, bool]) -> None:
    trees, model = unseen_trees().take(range(4)), fitted(*kind)
    heads, _ = model.best(trees)
    arcs = model.candidates(trees)
    scores, others, siblings = model.runners_up(trees, heads, threads=2)
    for i, (begin, end) in enumerate(pairwise(trees.offsets.tolist())):
        one, n = trees.take([i]), end - begin
        for m in range(1, n + 1):
            t = begin + m - 1
            forced = {}
            for head in arcs.heads[arcs.starts[t] : arcs.starts[t + 1]].tolist():
                if head != heads[t]:
                    known = np.full(n, -1, np.int32)
                    known[m - 1] = head
                    tree, [score] = model.best(one, known=known)
                    forced[head] = float(score), tree
            best = max(forced, key=lambda head: forced[head][0])
            assert (others[t], scores[t]) == (best, pytest.approx(forced[best][0], rel=1e-5))
            step = -1 if best < m else 1
            between = range(m + step, best, step)
            sibling = next((s for s in between if forced[best][1][s - 1] == best), 0)
            assert siblings[t] == sibling


@pytest.mark.parametrize("kind", KINDS, ids=str)
def test_a_word_alone_has_no_runner_up(kind: tuple[int, bool]) -> None:
    one = unseen_trees().take([0])
    word = Trees.from_lists([[{name: one.column(name)[0][0] for name in one.columns}]])
    scores, others, siblings = fitted(*kind).runners_up(word, np.zeros(1, np.int32))
    assert (scores[0], others[0], siblings[0]) == (-np.inf, -1, 0)
    for wrong in (np.zeros(2, np.int32), np.zeros(0, np.int32)):
        with pytest.raises(ValueError, match="one head for each token"):
            fitted(*kind).runners_up(word, wrong)


@pytest.mark.parametrize("kind", KINDS, ids=str)
def test_marginals_and_lists_agree_with_the_best_tree(kind: tuple[int, bool]) -> None:
    trees, model = unseen_trees().take(range(8)), fitted(*kind)
    heads, scores = model.best(trees)
    arcs, mu = model.marginals(trees)
    np.testing.assert_allclose(np.add.reduceat(mu, arcs.starts[:-1]), 1, rtol=1e-6)
    for i, ranked in enumerate(model.kbest(trees, 4)):
        begin, end = trees.offsets[i], trees.offsets[i + 1]
        np.testing.assert_array_equal(ranked[0][1], heads[begin:end])
        assert ranked[0][0] == pytest.approx(scores[i], rel=1e-5)
        assert [score for score, _ in ranked] == sorted((score for score, _ in ranked), reverse=True)
        assert len({tuple(found) for _, found in ranked}) == len(ranked)


@pytest.mark.parametrize("kind", KINDS, ids=str)
def test_models_are_their_parts(kind: tuple[int, bool]) -> None:
    model = fitted(*kind)
    copy = TreeModel.from_parts(json.loads(json.dumps(model.spec())), model.tensors())
    for made, expected in zip(copy.best(unseen_trees()), model.best(unseen_trees()), strict=True):
        np.testing.assert_array_equal(made, expected)
    broken = model.tensors() | {"arcs": model.weights[:-1]}
    with pytest.raises(DataError):
        TreeModel.from_parts(model.spec(), broken)
    with pytest.raises(DataError, match="damaged"):
        TreeModel.from_parts({}, {})


@pytest.mark.parametrize(
    "settings",
    [
        {"learner": MIRA(k=3)},
        {"learner": AdaGrad(), "loss": "softmax_margin"},
        {
            "learner": LBFGS(),
            "loss": "logistic",
            "penalty": "l2",
            "l2": 1.0,
            "average": False,
            "epochs": 99,
        },
        {"within": None},
        {"single_root": False},
    ],
    ids=str,
)
def test_any_learner_trains_parsers(settings: dict[str, object]) -> None:
    trees = load_trees("rambles-train").take(range(60))
    model = fit(trees, **{"epochs": 8, "order": 1, "tol": 0.1} | settings)
    assert (model.best(trees)[0] == trees.heads).mean() > 0.9


def test_partial_trees_and_crossing_arcs() -> None:
    trees = load_trees("rambles-train")
    assert trees.nonprojective().any()
    heads = trees.heads.copy()
    heads[::5] = -1
    model = fit(replace(trees, heads=heads), epochs=4)
    assert (model.best(unseen_trees())[0] == unseen_trees().heads).mean() > 0.93


def test_a_500_word_sentence_and_none_at_all() -> None:
    words = [(f"word{k % 7}", "lemma", "NOUN") for k in range(500)]
    long = Trees.from_lists([words, words[:1]], names=("form", "lemma", "upos"))
    for kind in KINDS:
        heads, _ = fitted(*kind).best(long)
        assert (heads == 0).sum() == 2
        nothing, scores = fitted(*kind).best(long.take([]))
        assert len(nothing) == len(scores) == 0


def test_counted_parsers_are_probabilities() -> None:
    trees = load_trees("rambles-train")
    model = count_parser(trees, alpha=0.5)
    assert (model.best(trees)[0] == trees.heads).mean() > 0.6
    # the first arc of the treebank, counted by hand
    tags = [tag for sentence in trees.column("upos") for tag in sentence]
    begin = np.repeat(trees.offsets[:-1], trees.lengths)
    heads = ["_ROOT" if h == 0 else tags[b + h - 1] for h, b in zip(trees.heads, begin, strict=True)]
    place = np.arange(trees.tokens) - begin + 1
    seen = list(zip(heads, tags, trees.heads < place, np.abs(trees.heads - place), strict=True))
    assert seen[0][3] <= 5  # distances of which each is a bucket
    probability = (seen.count(seen[0]) + 0.5) / (
        heads.count(heads[0]) + 0.5 * len(set(tags)) * 2 * DISTANCES
    )
    score = sum(
        model.weights[1 + number]
        for number, _ in model.arcs.names(trees, 0, head=int(trees.heads[0]), modifier=1)
    )
    assert score == pytest.approx(np.log(probability), rel=1e-5)
    with pytest.raises(ValueError, match="alpha"):
        count_parser(trees, alpha=0.0)
