"""Segments: tags to codes and back, objectives and decoding against listing every segmentation."""

from dataclasses import dataclass

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.special import logsumexp

from linnet import _core, testing
from linnet.data import Sequences
from linnet.data.chunks import SCHEMES, convert_tags, legal_transitions
from linnet.data.segments import SegmentShape
from linnet.errors import DataError, RefusedError
from linnet.model import ChainRules, SegmentModel
from linnet.structures import Learnt, Problem, Segments

from ..structured import places
from .chains import rows

LOSSES = ["perceptron", "hinge", "logistic", "softmax_margin"]
SHAPES = {"any length": 0, "longest 2": 2, "longest 7": 7}


@dataclass
class Case:
    """Random features and segments."""

    X: sp.csr_matrix
    offsets: np.ndarray
    codes: np.ndarray
    shape: SegmentShape
    weights: np.ndarray

    @property
    def problem(self) -> Problem:
        segments = Segments(rows(self.X), self.offsets, self.codes, self.shape)
        return Problem(
            segments, "logistic", "l2", self.weights, l1=0.0, l2=1.0, C=1.0, tol=1e-3, seed=0
        )

    @property
    def data(self) -> _core.SegmentData:
        data = self.problem.data()
        assert isinstance(data, _core.SegmentData)
        return data

    def point(self, seed: int = 1) -> np.ndarray:
        """Random weights, zero in the padding."""
        data, K, L = self.data, self.shape.n_types, self.shape.lengths
        w = np.random.default_rng(seed).normal(size=data.dim)
        w[: places(data).lengths].reshape(-1, data.stride)[:, 3 * K + 1 :] = 0
        w[places(data).lengths + L * K : places(data).transitions] = 0
        w[places(data).transitions + (K + 1) ** 2 :] = 0
        return w

    def theta(self, w: np.ndarray, i: int) -> np.ndarray:
        data, K = self.data, self.shape.n_types
        W = w[: places(data).lengths].reshape(-1, data.stride)[:, : 3 * K + 1]
        own = self.X[self.offsets[i] : self.offsets[i + 1]].astype(np.float64) @ W[1:] + W[0]
        lengths = w[places(data).lengths : places(data).lengths + self.shape.lengths * K]
        moves = w[places(data).transitions : places(data).transitions + (K + 1) ** 2]
        return np.concatenate([own.ravel(), lengths, moves])

    def outputs(self, i: int) -> list[tuple[tuple[int, ...], list[int]]]:
        """(codes, parts) of every segmentation."""
        T, K = int(self.offsets[i + 1] - self.offsets[i]), self.shape.n_types
        every = testing.all_segmentations(T, K, self.shape.lengths, self.shape.longest)
        columns = 3 * K + 1
        found = []
        for parts in every:
            codes = {
                p // columns: p % columns for p in parts if p < T * columns and p % columns <= 2 * K
            }
            found.append((tuple(codes[t] for t in range(T)), parts))
        return found

    def gold(self, i: int) -> tuple[int, ...]:
        return tuple(self.codes[self.offsets[i] : self.offsets[i + 1]].tolist())

    def loss(self, name: str, w: np.ndarray, i: int) -> float:
        theta, gold, cost = self.theta(w, i), self.gold(i), name in ("hinge", "softmax_margin")
        scores = {
            codes: theta[parts].sum() + cost * sum(a != b for a, b in zip(codes, gold, strict=True))
            for codes, parts in self.outputs(i)
        }
        every = np.array(list(scores.values()))
        top = logsumexp(every) if name in ("logistic", "softmax_margin") else every.max()
        return float(top - scores[gold])


def case(longest: int = 0, seed: int = 0, types: int = 2, scheme: str = "iob2") -> Case:
    rng = np.random.default_rng(seed)
    sizes = np.array([3, 0, 1, 4, 2, 4])
    offsets = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
    shape = SegmentShape(("X", "Y", "Z")[:types], scheme, longest)
    codes: list[int] = []
    for size in sizes:
        left = int(size)
        while left:
            d = int(rng.integers(1, min(left, longest or left) + 1))
            y = int(rng.integers(0, types + 1))
            codes += [0] * d if y == 0 else [y, *[types + y] * (d - 1)]
            left -= d
    X = sp.random(int(offsets[-1]), 5, 0.5, "csr", rng=rng, dtype=np.float64).astype(np.float32)
    return Case(X, offsets, np.array(codes, np.int32), shape, rng.uniform(0.5, 2, len(sizes)))


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("loss", LOSSES)
def test_objective_equals_brute_force(shape: str, loss: str) -> None:
    own = case(SHAPES[shape])
    w = own.point()
    value, _ = _core.BatchObjective(own.data, loss, 0.3).evaluate(w)
    expected = sum(own.weights[i] * own.loss(loss, w, i) for i in range(6) if i != 1)
    assert value == pytest.approx(0.15 * w @ w + expected, rel=1e-10)


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("loss", [*LOSSES, "squared_hinge", "probability", "exponential"])
def test_gradient_against_differences(shape: str, loss: str) -> None:
    own = case(SHAPES[shape], seed=2)
    w, direction, h = 0.5 * own.point(), own.point(7), 1e-6
    objective = _core.BatchObjective(own.data, loss, 0.1)
    _, gradient = objective.evaluate(w)
    up, down = objective.evaluate(w + h * direction)[0], objective.evaluate(w - h * direction)[0]
    assert gradient @ direction == pytest.approx((up - down) / (2 * h), rel=1e-5, abs=1e-5)


def test_hessian_against_differences() -> None:
    own = case(3)
    w, v, h = 0.3 * own.point(), own.point(8), 1e-5
    objective = _core.BatchObjective(own.data, "logistic", 0.1)
    up, down = objective.evaluate(w + h * v)[1], objective.evaluate(w - h * v)[1]
    objective.evaluate(w)
    np.testing.assert_allclose(objective.hessian_times(v), (up - down) / (2 * h), atol=1e-5)


@pytest.mark.parametrize("scheme", SCHEMES)
@pytest.mark.parametrize("shape", SHAPES)
def test_model_equals_brute_force(shape: str, scheme: str) -> None:
    """Best, k best, scores and marginals, in the tags of every scheme."""
    own = case(SHAPES[shape], seed=4, scheme=scheme)
    w = own.point().astype(np.float32).astype(np.float64)
    model = SegmentModel.of(Learnt(w), own.problem.structure)
    best, scores = model.best(own.X, own.offsets)
    P, log_z = model.marginals(own.X, own.offsets)
    listed = model.kbest(own.X, own.offsets, 1000)
    entropy = model.entropy(own.X, own.offsets, threads=2)
    assert model.n_labels == P.shape[1] == len(own.shape.tags)
    for i in range(6):
        begin, end = own.offsets[i : i + 2]
        if begin == end:
            assert scores[i] == log_z[i] == 0
            continue
        theta, ends = own.theta(w, i), np.array([0, end - begin])
        found = {
            tuple(own.shape.write(np.array(codes, np.int32), ends).tolist()): theta[parts].sum()
            for codes, parts in own.outputs(i)
        }
        assert len(found) == len(own.outputs(i))
        top = max(found, key=lambda tags: found[tags])
        assert tuple(best[begin:end].tolist()) == top
        assert scores[i] == pytest.approx(found[top], rel=1e-6)
        every = np.array(list(found.values()))
        assert log_z[i] == pytest.approx(logsumexp(every), rel=1e-6)
        p = np.exp(every - logsumexp(every))
        expected = np.zeros((end - begin, model.n_labels))
        for tags, mass in zip(found, p, strict=True):
            expected[np.arange(end - begin), tags] += mass
        np.testing.assert_allclose(P[begin:end], expected, atol=1e-5)
        assert entropy[i] == pytest.approx(-(p * np.log(p)).sum(), rel=1e-4)
        k_scores, k_tags = listed[i]
        assert {tuple(tags) for tags in k_tags.tolist()} == set(found)
        np.testing.assert_allclose(k_scores, np.sort(every)[::-1], rtol=1e-5, atol=1e-5)
        again = model.scores_of(
            k_tags.ravel(), sp.vstack([own.X[begin:end]] * len(k_tags), "csr"),
            np.arange(len(k_tags) + 1) * (end - begin),
        )  # fmt: skip
        np.testing.assert_allclose(again, k_scores, rtol=1e-5, atol=1e-5)


def test_samples_follow_the_marginals() -> None:
    own = case(seed=5)
    model = SegmentModel.of(Learnt(0.5 * own.point()), own.problem.structure)
    P, _ = model.marginals(own.X, own.offsets)
    drawn = model.sample(own.X, own.offsets, 4000, 3)
    share = np.stack([(drawn[3] == k).mean(axis=0) for k in range(model.n_labels)], axis=1)
    np.testing.assert_allclose(share, P[own.offsets[3] : own.offsets[4]], atol=0.04)


def test_scores_of_what_is_not_legal() -> None:
    own = case(2)
    model = SegmentModel.of(Learnt(own.point()), own.problem.structure)
    tags = own.shape.tags  # B-X B-Y I-X I-Y O

    def score(*given: str) -> float:
        places = np.array([tags.index(tag) for tag in given], np.int32)
        (found,) = model.scores_of(places, own.X[: len(given)], np.array([0, len(given)]))
        return float(found)

    assert np.isfinite(score("B-X", "I-X", "B-X"))
    assert score("B-X", "I-X", "I-X") == -np.inf  # too long
    assert score("I-X", "I-X", "O") == -np.inf  # does not begin
    with pytest.raises(RefusedError, match="without rules"):
        model.best(own.X, own.offsets, rules=ChainRules(start=np.ones(5, np.uint8)))


TAGS = st.sampled_from(["O", "B-X", "I-X", "E-X", "S-X", "B-Y", "I-Y", "E-Y", "S-Y"])


@settings(max_examples=60, deadline=None)
@given(
    given_tags=st.lists(st.lists(TAGS, min_size=1, max_size=6), min_size=1, max_size=4),
    scheme=st.sampled_from(SCHEMES),
)
def test_codes_say_what_tags_say(given_tags: list[list[str]], scheme: str) -> None:
    """Any tags are spans; written again they are legal, and mean the same."""
    given_tags = [*given_tags, ["B-X", "B-Y"]]
    data = Sequences.from_lists([["w"] * len(tags) for tags in given_tags], given_tags)
    assert data.labels is not None
    shape = SegmentShape.of(data, scheme)
    places = shape.write(shape.read(data.labels, data.offsets), data.offsets)
    written = data.by_sentence([shape.tags[k] for k in places])
    assert written == convert_tags(given_tags, scheme)
    legal = legal_transitions(shape.tags, scheme)
    for b, e in zip(data.offsets[:-1], data.offsets[1:], strict=True):
        assert legal.start[places[b]]
        assert legal.stop[places[e - 1]]
        assert legal.allowed[places[b : e - 1], places[b + 1 : e]].all()


def test_damaged_parts_are_refused() -> None:
    own = case(3)
    model = SegmentModel.of(Learnt(own.point()), own.problem.structure)
    spec, tensors = model.spec(), model.tensors()
    again = SegmentModel.from_parts(spec, tensors)
    np.testing.assert_array_equal(again.best(own.X, own.offsets)[0], model.best(own.X, own.offsets)[0])
    for name, value in [
        ("segments", ["X"]), ("segments", ["X", "X"]), ("segments", 3), ("segments", []),
        ("scheme", "bio"), ("scheme", None), ("longest", -1), ("longest", 2**40), ("longest", 4.0),
        ("longest", 9), ("bias", "1"), ("bias", 1e300),
    ]:  # fmt: skip
        with pytest.raises(DataError, match="damaged"):
            SegmentModel.from_parts(spec | {name: value}, tensors)
    for name in tensors:
        with pytest.raises(DataError, match="damaged"):
            SegmentModel.from_parts(spec, {k: v for k, v in tensors.items() if k != name})
    wide = tensors["state.labels"].copy()
    wide[-1] = 7
    with pytest.raises(DataError, match="damaged"):
        SegmentModel.from_parts(spec, tensors | {"state.labels": wide})


@pytest.mark.parametrize(
    ("codes", "longest", "message"),
    [
        ([0, 3, 0], 0, "token 1: its code makes no segment"),
        ([1, 4, 0], 0, "token 1: its code makes no segment"),
        ([1, 5, 0], 0, "token 1: its code"),
        ([-1, 0, 0], 0, "token 0: its code"),
        ([1, 3, 3], 2, "segment of 3 tokens, the longest allowed is 2"),
    ],
)
def test_wrong_codes_are_refused(codes: list[int], longest: int, message: str) -> None:
    X = sp.csr_matrix(np.eye(3, dtype=np.float32))
    offsets = np.array([0, 3])
    with pytest.raises(ValueError, match=message):
        _core.SegmentData(rows(X), offsets, np.array(codes, np.int32), 2, 5, longest)
