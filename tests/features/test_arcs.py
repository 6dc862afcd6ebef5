"""Features of arcs: the language, rows and scores against plain Python, candidates, parts of a file."""

from __future__ import annotations

import pickle
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

import linnet._core as _core
from linnet.data.texts import as_texts
from linnet.errors import DataError
from linnet.features import ArcCandidates, ArcFeatures, CandidateArcs
from linnet.features.arc_recipes import ARC_RECIPES
from linnet.features.arc_templates import parse_arcs
from linnet.features.templates import Known, MissingColumnError
from linnet.learners import Perceptron
from linnet.structures import Multiclass, Problem

COLUMNS = ("form", "lemma", "upos", "xpos", "feats")
SENTENCE = [
    ("Two", "two", "NUM", "CD", "NumType=Card"),
    ("linnets", "linnet", "NOUN", "NNS", "Number=Plur"),
    ("sang", "sing", "VERB", "VBD", "Mood=Ind|Tense=Past"),
    ("in", "in", "ADP", "IN", "_"),
    ("our", "we", "PRON", "PRP$", "Case=Gen|Number=Plur"),
    ("garden", "garden", "NOUN", "NN", "Number=Sing"),
]
TREE = np.array([2, 3, 0, 6, 6, 3], np.int32)


def sentences(*tokens: list[tuple[str, ...]]) -> Any:
    rows = [token for sentence in tokens for token in sentence]
    columns = {name: as_texts([row[k] for row in rows]) for k, name in enumerate(COLUMNS)}
    offsets = np.cumsum([0, *map(len, tokens)], dtype=np.int64)
    return SimpleNamespace(columns=columns, offsets=offsets)


def names(templates: list[str], head: int, modifier: int, tree: Any = None) -> list[str]:
    features = ArcFeatures(templates=templates, hash_bits=20).compile(COLUMNS)
    return [name for _, name in features.names(sentences(SENTENCE), 0, head, modifier, tree)]


def some_sentences(seed: int, lengths: list[int]) -> tuple[Any, NDArray[np.int32]]:
    """Random tokens with random trees, in which heads stand anywhere."""
    rng = np.random.default_rng(seed)
    made, heads = [], []
    for length in lengths:
        made.append([SENTENCE[k] for k in rng.integers(0, len(SENTENCE), length)])
        order = rng.permutation(length) + 1
        tree = np.zeros(length, np.int32)
        for k in range(1, length):
            tree[order[k] - 1] = order[rng.integers(0, k)]
        heads.append(tree)
    return sentences(*made), np.concatenate([*heads, np.zeros(0, np.int32)])


# The language


@pytest.mark.parametrize(
    ("template", "arc", "expected"),
    [
        ("h.form m.upos", (3, 2), ["h.form=sang m.upos=NOUN"]),
        ("h.upos m.upos[-1]", (3, 1), ["h.upos=VERB m.upos[-1]=_ROOT"]),
        ("h.upos[-1] m.form[+1]", (0, 6), ["h.upos[-1]=_B-1 m.form[+1]=_B+1"]),
        ("direction distance", (3, 6), ["direction=right distance=3"]),
        ("distance", (0, 6), ["distance=6-7"]),
        ("m.suffix3 h.suffix3", (3, 4), ["m.suffix3=_ h.suffix3=ang"]),
        ("h.lower m.shape", (1, 2), ["h.lower=two m.shape=x"]),
        ("m.feats(Number) h.feats(Case)", (3, 5), ["m.feats(Number)=Plur h.feats(Case)=_"]),
        ("m.first.upos h.last.form", (3, 6), ["m.first.upos=ADP h.last.form=garden"]),
        ("h.head.upos m.first.form", (6, 5), ["h.head.upos=VERB m.first.form=_"]),
        ("h.head.upos", (3, 2), ["h.head.upos=_ROOT"]),
        ("h.upos *", (3, 2), ["h.upos=VERB", "h.upos=VERB direction=left distance=1"]),
    ],
)
def test_what_templates_see(template: str, arc: tuple[int, int], expected: list[str]) -> None:
    assert names([template], *arc, TREE) == expected


def test_each_tag_between_once() -> None:
    between = names(["h.form between.upos"], 1, 6)
    assert between == [f"h.form=Two between.upos={tag}" for tag in ("NOUN", "VERB", "ADP", "PRON")]
    again = sentences(SENTENCE[1:2] * 4 + SENTENCE[2:3] + SENTENCE[1:2])
    features = ArcFeatures(templates=["between.upos"]).compile(COLUMNS)
    assert [n for _, n in features.names(again, 0, 6, 1)] == ["between.upos=NOUN", "between.upos=VERB"]
    assert features.names(again, 0, 2, 1) == []


@pytest.mark.parametrize(
    ("template", "message"),
    [
        ("h.upos x.upos", "'x.upos' is no value"),
        ("between.upos between.form", "two values between"),
        ("between.upos[1]", "has a place"),
        ("h.upos[11]", "at most 10"),
        ("*", "before \\*"),
        ("h.suffix0", "is empty"),
    ],
)
def test_templates_that_are_wrong(template: str, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        ArcFeatures(templates=[template]).compile(COLUMNS)


def test_columns_that_are_missing() -> None:
    with pytest.raises(MissingColumnError, match="nothing is called 'tone'"):
        ArcFeatures(templates=["h.tone"]).compile(COLUMNS)
    features = ArcFeatures().compile(["form", "upos"])  # a recipe leaves out what it cannot see
    assert features.columns == ["form", "upos"]
    with pytest.raises(DataError, match="'upos', which is not there"):
        features.over(SimpleNamespace(columns={"form": as_texts(["a"])}, offsets=np.array([0, 1])))
    with pytest.raises(ValueError, match="call compile first"):
        ArcFeatures().spec()


def test_columns_by_other_names() -> None:
    """Plain words and tags do for forms and tags; what comes to the same is there once."""
    plain = ArcFeatures().compile(["word", "pos"])
    assert plain.columns == ["word", "pos"]
    assert parse_arcs(["h.form m.upos[1]"], Known(["word", "pos"]))[0].name == "h.word m.pos[+1]"
    twice = parse_arcs(["h.upos m.upos", "h.xpos m.xpos"], Known(["form", "xpos"]))
    assert [template.name for template in twice] == ["h.xpos m.xpos"]


def test_recipes_are_distinct_templates() -> None:
    for lines in ARC_RECIPES.values():
        templates = parse_arcs(lines, Known(COLUMNS))
        assert len(templates) == sum(1 + line.endswith("*") for line in lines)
        assert len({template.name for template in templates}) == len(templates)


# Rows and scores


@given(seed=st.integers(0, 10**6), lengths=st.lists(st.integers(0, 9), max_size=6))
@settings(max_examples=40, deadline=None)
def test_scores_are_the_sums_of_rows(seed: int, lengths: list[int]) -> None:
    data, _ = some_sentences(seed, lengths)
    features = ArcFeatures(hash_bits=12).compile(COLUMNS)  # few numbers: features fall together
    arcs = CandidateArcs.all(data.offsets)
    rows = features.matrix(data, arcs)
    w = np.random.default_rng(seed).normal(size=features.n_features + 1).astype(np.float32)
    sums = np.zeros(len(arcs))
    for i in range(len(arcs)):
        at = slice(rows.indptr[i], rows.indptr[i + 1])
        assert len(set(rows.indices[at])) == rows.indptr[i + 1] - rows.indptr[i]
        sums[i] = rows.values[at] @ w[1:][rows.indices[at]].astype(np.float64) + 0.5 * w[0]
    scores = features.scores(data, arcs, w, 0.5)
    np.testing.assert_allclose(scores, sums, atol=1e-4)
    assert (features.scores(data, arcs, w, 0.5, threads=3) == scores).all()


def test_rows_are_the_named_features() -> None:
    data, heads = some_sentences(5, [7, 3, 12])
    features = ArcFeatures(templates="relations", hash_bits=16).compile(COLUMNS)
    rows = features.matrix(data, CandidateArcs.of_tree(heads), heads)
    for token in range(len(heads)):
        sentence = int(np.searchsorted(data.offsets, token, "right")) - 1
        begin, end = data.offsets[sentence : sentence + 2]
        named = features.names(
            data, sentence, int(heads[token]), int(token - begin) + 1, heads[begin:end]
        )
        counted: dict[int, float] = {}
        for feature, _ in named:
            counted[feature] = counted.get(feature, 0) + 1
        at = slice(rows.indptr[token], rows.indptr[token + 1])
        assert dict(zip(rows.indices[at].tolist(), rows.values[at].tolist(), strict=True)) == counted


def test_equal_names_equal_numbers() -> None:
    """A feature is its name: over many arcs numbers and names belong together."""
    data, _ = some_sentences(3, [8, 8])
    features = ArcFeatures(hash_bits=30).compile(COLUMNS)
    number: dict[str, int] = {}
    for sentence in range(2):
        for head in range(9):
            for modifier in set(range(1, 9)) - {head}:
                for feature, name in features.names(data, sentence, head, modifier):
                    assert number.setdefault(name, feature) == feature
    assert len(set(number.values())) > 0.999 * len(number)


def test_relations_are_those_of_rows() -> None:
    data, heads = some_sentences(11, [5, 9, 1, 14])
    heads[3] = -1
    features = ArcFeatures(templates="relations", hash_bits=12).compile(COLUMNS)
    arcs = CandidateArcs.of_tree(heads)
    width, rng = 5, np.random.default_rng(0)
    w = rng.normal(size=(features.n_features + 1, _core.padded(width))).astype(np.float32)
    found = features.relations(data, heads, w, width, 1.0)
    rows = features.matrix(data, arcs, heads)
    for k, token in enumerate(np.flatnonzero(heads >= 0)):
        at = slice(rows.indptr[k], rows.indptr[k + 1])
        scores = w[0] + rows.values[at] @ w[1 + rows.indices[at]]
        assert found[token] == np.argmax(scores[:width])
    assert found[3] == -1
    assert (features.relations(data, heads, w, width, 1.0, threads=2) == found).all()


def test_learners_read_rows_that_are_computed() -> None:
    """The same weights as from the same rows in memory; whoever needs memory says so."""
    data, heads = some_sentences(2, [6, 11, 8])
    features = ArcFeatures(templates="relations", hash_bits=12).compile(COLUMNS)
    arcs = CandidateArcs.of_tree(heads)
    labels = np.random.default_rng(1).integers(0, 3, len(arcs)).astype(np.int32)
    computed = features.rows(data, arcs, heads, 1.0)
    matrix = features.matrix(data, arcs, heads)
    kept = _core.Rows.csr(matrix.indptr, matrix.indices, matrix.values, matrix.features, 1.0)
    weights = []
    for rows in (computed, kept):
        problem = Problem(
            Multiclass(rows, labels, 3),
            "perceptron",
            "none",
            np.ones(len(arcs)),
            *(0.0, 0.0, 1.0, 1e-3, 0),
            average=True,
        )
        solver = Perceptron().solver(problem)
        for _ in range(3):
            solver.epoch()
        weights.append(np.array(solver.weights()))
    assert (weights[0] == weights[1]).all()
    assert weights[0].any()
    assert not computed.has_duplicates()
    with pytest.raises(ValueError, match="make them a matrix"):
        assert computed.nonzeros


def test_arcs_that_are_wrong() -> None:
    data = sentences(SENTENCE)
    features = ArcFeatures(hash_bits=10).compile(COLUMNS)
    w = np.zeros(features.n_features + 1, np.float32)
    one = CandidateArcs.of_tree(TREE)
    for heads in ([2, 2, 0, 6, 6, 3], [7, 3, 0, 6, 6, 3], [-1, 3, 0, 6, 6, 3]):
        with pytest.raises(ValueError, match="is no head"):
            features.scores(data, CandidateArcs(one.starts, np.array(heads, np.int32)), w)
    with pytest.raises(ValueError, match="one per token"):
        features.scores(data, CandidateArcs(one.starts[:-1], one.heads[:-1]), w)
    beyond = CandidateArcs(np.array([0, 1000, 2, 3, 4, 5, 6]), one.heads)
    with pytest.raises(ValueError, match="one per token"):
        features.scores(data, beyond, w)
    with pytest.raises(ValueError, match="a weight for each feature"):
        features.scores(data, one, w[:-1])
    relations = ArcFeatures(templates="relations", hash_bits=10).compile(COLUMNS)
    with pytest.raises(ValueError, match="look at a tree"):
        relations.rows(data, one)
    with pytest.raises(ValueError, match="cannot look at the tree"):
        relations.scores(data, one, w)


# Candidates


def test_all_arcs() -> None:
    arcs = CandidateArcs.all(np.array([0, 2, 2, 3]))
    assert arcs.starts.tolist() == [0, 2, 4, 5]
    assert arcs.heads.tolist() == [0, 2, 0, 1, 0]
    assert arcs.recall(np.array([2, 0, 0], np.int32)) == 1
    assert arcs.recall(np.array([-1, -1, -1], np.int32)) == 0


def test_candidates_keep_what_trees_need() -> None:
    data, heads = some_sentences(8, [20, 1, 6, 13])
    first = ArcCandidates(within=0.0, hash_bits=10).fit(data, heads)
    narrow = first.arcs(data)
    features = ArcFeatures(hash_bits=10).compile(COLUMNS)
    w = np.zeros(features.n_features + 1, np.float32)
    assert len(features.scores(data, narrow, w)) == len(narrow)  # they are checked there
    for begin, end in zip(data.offsets[:-1], data.offsets[1:], strict=True):
        for t in range(begin, end):
            kept = set(narrow.heads[narrow.starts[t] : narrow.starts[t + 1]].tolist())
            m = t - begin + 1
            assert {0, m - 1} | ({m + 1} if t + 1 < end else set()) <= kept
    assert narrow.recall(heads) < 1
    assert first.arcs(data, also=heads).recall(heads) == 1
    first.within = 1e9
    assert (first.arcs(data).heads == CandidateArcs.all(data.offsets).heads).all()


def test_candidates_learn_and_come_back() -> None:
    data = sentences(*[SENTENCE] * 20)
    heads = np.tile(TREE, 20)
    first = ArcCandidates(within=1.0, passes=5).fit(data, heads)
    arcs = first.arcs(data)
    assert arcs.recall(heads) == 1
    assert len(arcs) < 0.7 * len(CandidateArcs.all(data.offsets))
    back = ArcCandidates.from_parts(first.spec(), first.tensors())
    assert (back.arcs(data, threads=2).heads == arcs.heads).all()
    again = ArcCandidates(within=1.0, passes=5).fit(data, heads)
    assert (again.tensors()["weights"] == first.tensors()["weights"]).all()
    with pytest.raises(ValueError, match="call fit first"):
        ArcCandidates().arcs(data)
    with pytest.raises(ValueError, match="cannot look at a tree"):
        ArcCandidates(templates=["h.first.upos"]).fit(data, heads)


# Parts of a file


@pytest.mark.parametrize("templates", ["arcs", "relations", ["h.upos m.upos *", "m.feats(Case)"]])
def test_features_come_back(templates: Any) -> None:
    features = ArcFeatures(templates=templates, hash_bits=14).compile(["form", "upos", "feats"])
    data = sentences(SENTENCE)
    for back in (ArcFeatures.from_parts(features.spec()), pickle.loads(pickle.dumps(features))):
        assert back.get_params() == features.get_params()
        assert back.names(data, 0, 3, 6, TREE) == features.names(data, 0, 3, 6, TREE)
    with pytest.raises(DataError, match="damaged"):
        ArcFeatures.from_parts({"settings": {}})
