"""Neighbours against a plain count: every metric, weighting and decay."""

import math
from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from linnet import MemoryClassifier
from linnet.model.instances import DECAYS, METRICS, weights_of

ROWS = st.lists(
    st.tuples(*[st.sampled_from("abcdef")] * 3, st.sampled_from("XYZ")), min_size=2, max_size=40
).filter(lambda rows: len({row[-1] for row in rows}) > 1)


def difference(X, y, f, metric, rare, v, w):
    """δ of two values of feature f, from the counts themselves."""
    if v == w and any(row[f] == v for row in X):
        return 0.0
    of = [[label for row, label in zip(X, y, strict=True) if row[f] == u] for u in (v, w)]
    if metric == "overlap" or min(map(len, of)) < rare:
        return 1.0
    return 0.5 * sum(abs(of[0].count(c) / len(of[0]) - of[1].count(c) / len(of[1])) for c in set(y))


def brute_force(memory, X, y, query, k):
    """[(distance, [instances])] of the k nearest distances."""
    weights = memory.model_.weights
    found = {}
    for i, row in enumerate(X):
        d = sum(
            w * difference(X, y, f, memory.metric, memory.rare, row[f], query[f])
            for f, w in enumerate(weights)
        )
        found.setdefault(round(d / max(weights.sum(), 1e-300), 9), []).append((i, d))
    return [(found[key][0][1], [i for i, _ in found[key]]) for key in sorted(found)[:k]]


def vote(memory, y, sets):
    """Votes as the manual of TiMBL has them."""
    near, far = sets[0][0], sets[-1][0]
    votes = Counter()
    for d, instances in sets:
        weight = {
            "equal": 1.0,
            "inverse": 1 / (d + np.finfo(float).eps),
            "linear": 1.0 if d == near else (far - d) / (far - near),
            "exponential": math.exp(-memory.decay_a * d**memory.decay_b),
        }[memory.decay]
        for i in instances:
            votes[y[i]] += weight
    most = max(votes.values())
    return votes, sorted(c for c, v in votes.items() if v >= most * (1 - 1e-9))


@settings(max_examples=60, deadline=None)
@given(ROWS, ROWS, st.integers(1, 4), st.sampled_from(METRICS), st.data())
def test_neighbours_and_votes_are_those_of_brute_force(rows, others, k, metric, data):
    X, y = [row[:3] for row in rows], [row[3] for row in rows]
    queries = [row[:3] for row in others] + [("new", "a", "b")]
    rare = data.draw(st.integers(1, 3)) if metric == "mvdm" else 1
    memory = MemoryClassifier(
        k,
        metric,
        data.draw(st.sampled_from(["gain ratio", "information gain", "chi-square", "none"])),
        data.draw(st.sampled_from(DECAYS)),
        rare=rare,
        n_jobs=1,
    ).fit(X, y)
    found, labels = memory.kneighbors(queries), memory.predict(queries).tolist()
    shares = memory.predict_proba(queries)
    for query, pairs, label, share in zip(queries, found, labels, shares, strict=True):
        sets = brute_force(memory, X, y, query, k)
        assert {i for i, _ in pairs} == {i for _, instances in sets for i in instances}
        for i, d in pairs:
            assert d == pytest.approx(next(e for e, members in sets if i in members), abs=1e-9)
        votes, best = vote(memory, y, sets)
        if len(best) > 1:  # one more distance, then what is frequent
            more, narrower = vote(memory, y, brute_force(memory, X, y, query, k + 1))
            if len(narrower) == 1:
                assert label == narrower[0]
                votes = more
            else:
                often = max(y.count(c) for c in best)
                assert label == next(c for c in best if y.count(c) == often)
        else:
            assert label == best[0]
        total = sum(votes.values())
        np.testing.assert_allclose(
            share, [votes[c] / total for c in memory.classes_.tolist()], atol=1e-6
        )


def test_votes_are_equal_though_distances_are_rounded():
    """One at distance 1, two at distance 2: one vote each, so that the next distance decides."""
    X = [("a", "a", "a"), ("a", "a", "a"), ("a", "a", "b"), ("a", "b", "a")]
    memory = MemoryClassifier(2, "overlap", "none", "inverse").fit(X, ["X", "X", "Y", "Z"])
    query = [("new", "a", "b")]
    assert [round(d, 9) for _, d in memory.kneighbors(query)[0]] == [1, 2, 2]
    assert memory.predict(query).tolist() == ["X"]  # the more frequent one; Y came first by rounding
    memory.fit(X, ["X", "X", "Y", "Y"])
    assert memory.predict(query).tolist() == ["Y"]
    np.testing.assert_allclose(memory.predict_proba(query), [[3 / 7, 4 / 7]], atol=1e-9)


@settings(max_examples=20, deadline=None)
@given(ROWS, st.integers(1, 3))
def test_many_instances_and_threads_change_nothing(rows, k):
    X, y = [row[:3] for row in rows], [row[3] for row in rows]
    one = MemoryClassifier(k, "mvdm", n_jobs=1).fit(X, y)
    two = MemoryClassifier(k, "mvdm", n_jobs=2).fit(X, y)
    assert (one.predict(X * 9) == two.predict(X * 9)).all()
    assert one.kneighbors(X) == two.kneighbors(X)


def test_weights_by_hand():
    """Quinlan's weather: outlook gains 0.247 of 0.940 bits, and is split into 1.577 of them."""
    outlook = np.array([0] * 5 + [1] * 4 + [2] * 5, np.int32)  # sunny, overcast, rain
    play = np.array([0, 0, 0, 1, 1, 1, 1, 1, 1, 1, 1, 1, 0, 0], np.int32)
    told = weights_of(outlook, play, 2)
    assert told["information gain"] == pytest.approx(0.2467, abs=1e-4)
    assert told["split info"] == pytest.approx(1.5774, abs=1e-4)
    assert told["gain ratio"] == pytest.approx(0.1564, abs=1e-4)
    table = np.array([[3, 2], [0, 4], [2, 3]])
    expected = table.sum(1, keepdims=True) * table.sum(0) / table.sum()
    assert told["chi-square"] == pytest.approx(((table - expected) ** 2 / expected).sum())


def test_mvdm_by_hand():
    """P(X|a) = 2/3, P(X|b) = 1/2: they are 1/6 apart; c and a value that is new are compared whole."""
    X = [["a"], ["a"], ["a"], ["b"], ["b"], ["c"]]
    memory = MemoryClassifier(1, "mvdm", "none").fit(X, list("XXYXYY"))
    core, number = memory.model_.memory, memory.model_.numbers[0]
    assert core.distance(0, number["a"], number["b"]) == pytest.approx(1 / 6)
    assert core.distance(0, number["a"], number["c"]) == pytest.approx(2 / 3)
    assert core.distance(0, number["a"], -1) == 1.0
    rare = MemoryClassifier(1, "mvdm", "none", rare=3).fit(X, list("XXYXYY"))
    assert rare.model_.memory.distance(0, number["a"], number["b"]) == 1.0


@settings(max_examples=60, deadline=None)
@given(ROWS, ROWS)
def test_a_tree_is_what_its_statement_says(rows, others):
    X, y = [row[:3] for row in rows], [row[3] for row in rows]
    queries = [row[:3] for row in others]
    memory = MemoryClassifier(algorithm="igtree").fit(X, y)
    order = memory.model_.order

    def default(members):
        counts = Counter(y[i] for i in members)
        return min(counts, key=lambda c: (-counts[c], -y.count(c), c))

    def answer(query):
        members = range(len(X))
        for f in order:
            if len({y[i] for i in members}) == 1:
                break
            below = [i for i in members if X[i][f] == query[f]]
            if not below:
                break
            members = below
        return default(members)

    assert memory.predict(queries).tolist() == [answer(query) for query in queries]


def test_what_has_no_effect_is_refused():
    X, y = [["a"], ["b"]], [0, 1]
    for wrong in (
        {"k": 0},
        {"metric": "cosine"},
        {"weights": "much"},
        {"weights": [1.0, 2.0]},
        {"weights": [-1.0]},
        {"decay": "fast"},
        {"decay_a": 2.0},
        {"rare": 2},
        {"algorithm": "igtree", "k": 3},
        {"algorithm": "igtree", "weights": "none"},
    ):
        with pytest.raises(ValueError, match=next(iter({*wrong} - {"algorithm"}))):
            MemoryClassifier(**wrong).fit(X, y)
