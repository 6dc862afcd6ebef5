"""Votes for whole sequences of labels, against a replay that keeps every weight vector."""

import pickle
from collections import Counter

import numpy as np
import pytest

from linnet import _core, learners
from linnet.errors import RefusedError
from linnet.model import VotedChain, voted_chain
from linnet.structures import ChainRules

from ..data.chains import Sentences, problem, rows
from .tag_problems import tag_problem


def sentences(seed: int, **shape: object) -> Sentences:
    """Values of halves and weights of quarters: sums are exact, in whatever order."""
    made = problem(seed, sentences=12, **shape)  # type: ignore[arg-type]
    made.X.data[:] = np.random.default_rng(seed).integers(1, 4, made.X.nnz) / 2
    if made.pair_rows is not None:
        made.pair_rows.data[:] = 1
    made.weights = np.random.default_rng(seed).integers(1, 5, 12) / 4
    return made


def oracle(data: Sentences, length: int) -> _core.Oracle:
    if data.order > 1:
        return _core.HigherChain(length, data.labels, data.order, data.ends)
    return _core.Chain(length, data.labels, data.ends, data.pair_rows is not None)


def decode(data: Sentences, w: np.ndarray, i: int) -> tuple[int, ...]:
    length = int(data.offsets[i + 1] - data.offsets[i])
    _, mu = oracle(data, length).solve("max", data.theta(w, i))
    return tuple(np.flatnonzero(mu[: length * data.labels]) % data.labels)


def parts(data: Sentences, y: tuple[int, ...], i: int) -> list[int]:
    return next(held for labels, held in data.outputs(i) if tuple(labels) == y)


def replay(data: Sentences, passes: int) -> list[tuple[np.ndarray, int]]:
    """Every weight vector and how many sentences it survived."""
    w, survived, vectors = np.zeros(data.data.dim), 0, []
    units = np.eye(data.data.dim)
    for i in list(range(len(data.offsets) - 1)) * passes:
        begin, end = data.offsets[i : i + 2]
        if begin == end:
            continue
        gold, found = tuple(data.y[begin:end]), decode(data, w, i)
        if gold == found:
            survived += 1
            continue
        vectors.append((w, survived))
        features = np.stack([data.theta(u, i) for u in units], axis=1)
        moved = features[parts(data, gold, i)].sum(axis=0) - features[parts(data, found, i)].sum(axis=0)
        w, survived = w + data.weights[i] * moved, 1
    return [*vectors, (w, survived)]


@pytest.mark.parametrize(
    "shape", [{}, {"ends": False}, {"order": 2}, {"pairs": True}], ids=["ends", "tied", "2", "pairs"]
)
def test_votes_equal_a_replay(shape: dict[str, bool]) -> None:
    train, test = sentences(1, **shape), sentences(2, **shape)
    learner = _core.OutputVotedPerceptron(train.data.dim)
    for _ in range(2):
        learner.epoch(train.data, False)
    votes = pickle.loads(pickle.dumps(learner.votes()))
    vectors = replay(train, 2)
    assert votes.updates == len(vectors) - 1
    labels, shares = votes.best(test.data)
    k = 0
    for i in range(len(test.offsets) - 1):
        begin, end = test.offsets[i : i + 2]
        if begin == end:
            continue
        ballot: Counter[tuple[int, ...]] = Counter()  # keeps the order of first votes
        for w, survived in vectors:
            ballot[decode(test, w, i)] += survived
        best, count = max(ballot.items(), key=lambda item: item[1])  # the first of equal ones
        assert tuple(labels[begin:end]) == best
        assert shares[k] == pytest.approx(count / ballot.total())
        k += 1


def test_the_learner_gives_a_voter() -> None:
    data = sentences(3)
    y = [data.y[a:b].tolist() for a, b in zip(data.offsets, data.offsets[1:], strict=False)]
    problem_ = tag_problem(rows(data.X), y, data.labels, data.weights, loss="perceptron", shuffle=False)
    solver = learners.VotedPerceptron().solver(problem_)
    solver.epoch()
    voter = pickle.loads(pickle.dumps(VotedChain.of(solver.learnt(), problem_.structure)))
    learner = _core.OutputVotedPerceptron(data.data.dim)
    learner.epoch(data.data, False)
    expected, shares = learner.votes().best(data.data)
    labels, given = voter.best(data.X, data.offsets)
    np.testing.assert_array_equal(labels, expected)
    np.testing.assert_array_equal(given[np.diff(data.offsets) > 0], shares)
    assert given.shape == (12,)
    only = np.zeros(3, np.uint8)
    only[1] = 1
    first = data.offsets[:-1][np.diff(data.offsets) > 0]
    labels, _ = voter.best(data.X, data.offsets, rules=ChainRules(start=only))
    assert (labels[first] == 1).all()


def test_refuses_what_would_take_long(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(voted_chain, "LONGEST_COUNT", 0.0)
    data = sentences(3)
    y = [data.y[a:b].tolist() for a, b in zip(data.offsets, data.offsets[1:], strict=False)]
    problem_ = tag_problem(rows(data.X), y, data.labels, data.weights, loss="perceptron")
    solver = learners.VotedPerceptron().solver(problem_)
    solver.epoch()
    voter = VotedChain.of(solver.learnt(), problem_.structure)
    with pytest.raises(RefusedError, match="average=True"):
        voter.best(data.X, data.offsets)


def test_other_data_and_damaged_states() -> None:
    data = sentences(4)
    learner = _core.OutputVotedPerceptron(data.data.dim)
    learner.epoch(data.data, False)
    votes = learner.votes()
    with pytest.raises(ValueError, match="weights"):
        votes.best(sentences(4, ends=False).data)
    dim, survived, end, weight, change = votes.__getstate__()
    for damaged in [
        (dim, survived[1:], end, weight, change),
        (dim, survived, end[::-1].copy(), weight, change),
        (dim, survived, end, weight + dim, change),
        (dim, -survived - 1, end, weight, change),
        (dim, survived, end, weight[1:], change[1:]),
    ]:
        with pytest.raises(ValueError, match="not the state of a vote"):
            _core.OutputVotes.__new__(_core.OutputVotes).__setstate__(damaged)
    with pytest.raises(ValueError, match="elsewhere"):
        learner.set_weights(np.zeros(data.data.dim, np.float32))


def test_k_best_mira_reaches_the_core() -> None:
    data = sentences(5)
    y = [data.y[a:b].tolist() for a, b in zip(data.offsets, data.offsets[1:], strict=False)]
    problem_ = tag_problem(rows(data.X), y, data.labels, data.weights, loss="hinge", shuffle=False)
    found = {}
    for k in (1, 4):
        solver = learners.MIRA(0.5, k=k).solver(problem_)
        solver.epoch()
        core = _core.Mira("hinge", data.data.dim, C=0.5, k=k)
        core.epoch(data.data, False)
        found[k] = solver.weights()
        np.testing.assert_array_equal(found[k], core.weights())
    assert not np.array_equal(found[1], found[4])
