"""Chains as a dataset: objectives and gradients by brute force, and every learner on them."""

from itertools import pairwise

import numpy as np
import pytest
import scipy.sparse as sp

from linnet import _core
from linnet.model import ChainModel
from linnet.structures import Learnt

from ..structured import places
from .chains import Sentences, chain_problem, point, problem, rows, windows

LOSSES = ["perceptron", "hinge", "logistic", "softmax_margin"]
SHAPES = {
    "tied": {},
    "no ends": {"ends": False},
    "one label": {"labels": 1},
    "order 2": {"order": 2},
    "order 3": {"order": 3},
    "order 3, no ends": {"order": 3, "ends": False},
    "order 4": {"order": 4, "labels": 2, "longest": 6},
    "observed": {"pairs": True},
    "partial": {"missing": 0.4},
    "partial, order 2": {"missing": 0.4, "order": 2},
    "partial, order 3": {"missing": 0.4, "order": 3},
    "unlabelled": {"missing": 1.0},
}


def free(w: np.ndarray, sentences: Sentences) -> np.ndarray:
    """Padding is no weight: zero there."""
    L, data = sentences.labels, sentences.data
    blocks = [(0, sentences.X.shape[1] + 1, L), (places(data).transitions, 1, L * L)]
    if sentences.ends:
        blocks += [(places(data).start, 1, L), (places(data).stop, 1, L)]
    for size, name in windows(sentences.order).items():
        blocks.append((getattr(places(data), name), 1, L**size))
    if sentences.pair_rows is not None:
        blocks.append((places(data).pairs, sentences.pair_rows.shape[1] + 1, L * L))
    used = np.zeros(data.dim, bool)
    for base, count, width in blocks:
        stride = _core.padded(width)
        used[base : base + count * stride].reshape(count, stride)[:, :width] = True
    return np.where(used, w, 0)


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("loss", LOSSES)
def test_objective_equals_brute_force(shape: str, loss: str) -> None:
    sentences = problem(3, **SHAPES[shape])
    w = free(point(sentences.data), sentences)
    objective = _core.BatchObjective(sentences.data, loss, 0.3)
    value, _ = objective.evaluate(w)
    assert value == pytest.approx(sentences.objective(loss, w, 0.3), rel=1e-10)


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("loss", [*LOSSES, "squared_hinge", "probability", "exponential"])
def test_gradient_against_differences(shape: str, loss: str) -> None:
    sentences = problem(4, **SHAPES[shape])
    w = free(0.3 * point(sentences.data), sentences)
    objective = _core.BatchObjective(sentences.data, loss, 0.1)
    _, gradient = objective.evaluate(w)
    direction = free(point(sentences.data, 7), sentences)
    h = 1e-6
    up, down = objective.evaluate(w + h * direction)[0], objective.evaluate(w - h * direction)[0]
    assert gradient @ direction == pytest.approx((up - down) / (2 * h), rel=1e-5, abs=1e-5)


@pytest.mark.parametrize("shape", ["tied", "order 2", "order 3", "observed"])
@pytest.mark.parametrize("loss", ["logistic", "softmax_margin", "probability"])
def test_hessian_against_differences(shape: str, loss: str) -> None:
    sentences = problem(5, **SHAPES[shape])
    data = sentences.data
    w, v = free(0.3 * point(data), sentences), free(point(data, 8), sentences)
    objective, h = _core.BatchObjective(data, loss, 0.1), 1e-5
    up, down = objective.evaluate(w + h * v)[1], objective.evaluate(w - h * v)[1]
    objective.evaluate(w)
    np.testing.assert_allclose(objective.hessian_times(v), (up - down) / (2 * h), atol=1e-5)


def tagged(seed: int = 0, n: int = 80, labels: int = 4, longest: int = 9) -> Sentences:
    """Tokens show their label but for noise, and labels like to follow their predecessor."""
    rng = np.random.default_rng(seed)
    lengths = rng.integers(1, longest, n)
    offsets = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)
    y = np.zeros(offsets[-1], np.int32)
    for begin, end in pairwise(offsets):
        y[begin] = rng.integers(labels)
        for t in range(begin + 1, end):
            y[t] = (y[t - 1] + 1) % labels if rng.random() < 0.8 else rng.integers(labels)
    shown = np.where(rng.random(len(y)) < 0.75, y, rng.integers(0, labels, len(y)))
    X = sp.csr_matrix(np.eye(labels, dtype=np.float32)[shown])
    X = sp.hstack([X, sp.random(len(y), 6, 0.3, rng=rng, dtype=np.float64)], "csr").astype(np.float32)
    X = sp.csr_matrix((X.data, X.indices.astype(np.int32), X.indptr.astype(np.int32)), X.shape)
    return Sentences(X, None, offsets, y, labels, np.ones(n))


ONLINE = {
    "perceptron": (_core.Perceptron, "perceptron", {}),
    "averaged perceptron": (_core.Perceptron, "perceptron", {"averaging": True}),
    "PA-I": (_core.PassiveAggressive, "hinge", {"averaging": True, "C": 0.1}),
    "PA-II": (_core.PassiveAggressive, "hinge", {"C": 0.1, "squared_slack": True}),
    "MIRA": (_core.Mira, "hinge", {"averaging": True, "C": 0.1}),
    "MIRA, 5-best": (_core.Mira, "hinge", {"averaging": True, "C": 0.1, "k": 5}),
    "AROW": (_core.Arow, "hinge", {}),
    "SGD": (_core.Sgd, "logistic", {"eta": 0.05, "l2": 1e-3}),
    "SGD, L1": (_core.Sgd, "logistic", {"eta": 0.05, "l1": 1e-3}),
    "SGD, softmax-margin": (_core.Sgd, "softmax_margin", {"eta": 0.05}),
    "AdaGrad": (_core.AdaGrad, "logistic", {"eta": 0.2, "l1": 1e-3}),
    "AdaGrad, hinge": (_core.AdaGrad, "hinge", {"l2": 1e-3}),
}


def accuracy(sentences: Sentences, w: np.ndarray) -> float:
    model = ChainModel.of(Learnt(w), chain_problem(sentences).structure)
    found, _ = model.best(sentences.X, sentences.offsets)
    return float((found == sentences.y).mean())


@pytest.mark.parametrize("name", ONLINE)
@pytest.mark.parametrize("missing", [0.0, 0.3])
def test_online_learners_learn_chains(name: str, missing: float) -> None:
    train, test = tagged(0), tagged(1)
    train.y[np.random.default_rng(2).random(len(train.y)) < missing] = -1
    data = train.data
    rule, loss, settings = ONLINE[name]
    if rule in (_core.Sgd, _core.AdaGrad):
        settings = {**settings, "stride": data.unit}
    learner = rule(loss, data.dim, **settings)
    for _ in range(8):
        stats = learner.epoch(data)
    assert stats.updates >= stats.mistakes > 0
    assert accuracy(test, learner.weights()) > (0.65 if name == "perceptron" else 0.75)
    assert np.isfinite(learner.weights()).all()


def test_perceptron_step_by_hand() -> None:
    """One sentence: w becomes f(x, gold) - f(x, predicted)."""
    X = sp.csr_matrix(np.eye(2, dtype=np.float32))
    sentences = Sentences(
        X, None, np.array([0, 2], np.int64), np.array([1, 0], np.int32), 2, np.ones(1)
    )
    data = sentences.data
    learner = _core.Perceptron("perceptron", data.dim)
    learner.epoch(data, False)  # all zero: labels 0 0 are predicted
    w = learner.weights()
    at = places(data)
    token = w[: at.transitions].reshape(3, 2)
    np.testing.assert_array_equal(token, [[-1, 1], [-1, 1], [0, 0]])  # token 2 was right
    np.testing.assert_array_equal(w[at.transitions : at.transitions + 4], [-1, 0, 1, 0])
    np.testing.assert_array_equal(w[at.start : at.start + 2], [-1, 1])
    np.testing.assert_array_equal(w[at.stop : at.stop + 2], [0, 0])


@pytest.mark.parametrize("missing", [0.0, 0.3])
def test_mira_against_one_output_is_passive_aggressive(missing: float) -> None:
    data = problem(6, sentences=20, missing=missing).data
    mira, pa = _core.Mira("hinge", data.dim, C=0.3), _core.PassiveAggressive("hinge", data.dim, C=0.3)
    for _ in range(3):
        mira.epoch(data, False)
        pa.epoch(data, False)
    np.testing.assert_allclose(mira.weights(), pa.weights(), atol=1e-5)


def test_mira_without_slack_meets_every_constraint() -> None:
    """With all outputs among the k best, one step separates gold from each by its cost."""
    sentences = problem(6, sentences=2, longest=4)
    sentences.offsets = sentences.offsets[-2:] - sentences.offsets[-2]
    sentences.X, sentences.y = sentences.X[-4:], sentences.y[-4:].copy()
    sentences.weights = np.ones(1)
    data = sentences.data
    mira = _core.Mira("hinge", data.dim, C=np.inf, k=3**4)
    mira.epoch(data)
    assert sentences.loss("hinge", mira.weights().astype(float), 0) == pytest.approx(0, abs=1e-4)
    few = _core.Mira("hinge", data.dim, C=np.inf, k=2)
    few.epoch(data)
    norm = np.linalg.norm
    assert norm(few.weights()) <= norm(mira.weights()) + 1e-5  # fewer constraints, a smaller step


@pytest.mark.parametrize("method", ["lbfgs", "newton", "owlqn"])
def test_batch_learners_reach_the_same_optimum(method: str) -> None:
    train = tagged(0)
    objective = _core.BatchObjective(train.data, "logistic", 0.5)
    reference = _core.LBFGS(objective, tol=1e-10)
    solver = {
        "lbfgs": lambda f: _core.LBFGS(f, tol=1e-8),
        "newton": lambda f: _core.NewtonCG(f, tol=1e-8),
        "owlqn": lambda f: _core.OWLQN(f, 0.0, tol=1e-8),
    }[method](_core.BatchObjective(train.data, "logistic", 0.5))
    for run in (reference, solver):
        for _ in range(300):
            stats = run.epoch()
            if stats.converged:
                break
    np.testing.assert_allclose(solver.weights, reference.weights, atol=1e-4)
    assert accuracy(train, np.array(solver.weights)) > 0.8


def test_missing_labels_help() -> None:
    """Unlabelled tokens between labelled ones are summed out; the objective falls."""
    train = tagged(0)
    train.y[np.random.default_rng(0).random(len(train.y)) < 0.5] = -1
    data = train.data
    assert data.partial
    solver = _core.LBFGS(_core.BatchObjective(data, "logistic", 0.5), tol=1e-6)
    values = [solver.epoch().objective for _ in range(30)]
    assert values[-1] < 0.8 * values[0]
    assert accuracy(tagged(1), np.array(solver.weights)) > 0.75


def test_what_needs_all_labels_refuses_partial_ones() -> None:
    data = problem(0, missing=0.5).data
    objective = _core.BatchObjective(data, "logistic", 1.0)
    assert not objective.has_hessian
    with pytest.raises(ValueError, match="Hessian"):
        _core.NewtonCG(objective)
    with pytest.raises(ValueError, match="label of every token"):
        _core.count_gold(data)
    with pytest.raises(ValueError, match="label of every token"):
        _core.BatchObjective(data, "squared", 1.0).evaluate(np.zeros(data.dim))
    with pytest.raises(ValueError, match="label of every token"):
        _core.GIS(objective).epoch()


@pytest.mark.parametrize("order", [1, 2, 3])
def test_counts_are_those_of_the_gold_sequences(order: int) -> None:
    sentences = problem(2, order=order)
    data = sentences.data
    counts, L = _core.count_gold(data), sentences.labels
    expected = np.zeros((L, L))
    for i, (begin, end) in enumerate(pairwise(sentences.offsets)):
        for a, b in zip(sentences.y[begin:end], sentences.y[begin + 1 : end], strict=False):
            expected[a, b] += sentences.weights[i]
    found = counts[places(data).transitions : places(data).transitions + L * L].reshape(L, L)
    np.testing.assert_allclose(found, expected)
    for size, name in windows(order).items():
        expected = np.zeros((L,) * size)
        for i, (begin, end) in enumerate(pairwise(sentences.offsets)):
            for t in range(begin, end - size + 1):
                expected[tuple(sentences.y[t : t + size])] += sentences.weights[i]
        at = getattr(places(data), name)
        np.testing.assert_allclose(counts[at : at + L**size].reshape(expected.shape), expected)


@pytest.mark.parametrize("loss", LOSSES)
@pytest.mark.parametrize("missing", [0.0, 0.4])
def test_longer_windows_of_no_weight_change_nothing(loss: str, missing: float) -> None:
    """A chain of order k is one of any higher order: value, and gradient where both have weights."""
    lower = problem(8, order=1, missing=missing)
    w = free(point(lower.data), lower)
    value, gradient = _core.BatchObjective(lower.data, loss, 0.0).evaluate(w)
    for order in (2, 3, 4):
        higher = problem(8, order=order, missing=missing)
        wider = np.zeros(higher.data.dim)
        wider[: len(w)] = w  # windows come last
        found, slope = _core.BatchObjective(higher.data, loss, 0.0).evaluate(wider)
        assert found == pytest.approx(value, rel=1e-12)
        np.testing.assert_allclose(slope[: len(w)], gradient, atol=1e-10)


MASKS = {
    "transitions": lambda s, rng: rng.random((s.labels, s.labels)) < 0.7,
    "start": lambda s, rng: rng.random(s.labels) < 0.6,
    "stop": lambda s, rng: rng.random(s.labels) < 0.6,
    "tokens": lambda s, rng: rng.random((len(s.y), s.labels)) < 0.7,
}


def constrained(names: list[str], missing: float, order: int = 1, pairs: bool = False) -> Sentences:
    """Masks that leave the gold labels in."""
    sentences = problem(9, order=order, pairs=pairs)
    rng = np.random.default_rng(5)
    masks = {name: MASKS[name](sentences, rng) for name in names}
    for begin, end in pairwise(sentences.offsets):
        if begin == end:
            continue
        y = sentences.y[begin:end]
        for name, at in {"start": y[0], "stop": y[-1]}.items():
            if name in masks:
                masks[name][at] = True
        if "transitions" in masks:
            masks["transitions"][y[:-1], y[1:]] = True
        if "tokens" in masks:
            masks["tokens"][np.arange(begin, end), y] = True
    sentences.masks = masks
    sentences.y[rng.random(len(sentences.y)) < missing] = -1
    return sentences


@pytest.mark.parametrize("names", [["transitions"], ["start", "stop"], ["tokens"], list(MASKS)])
@pytest.mark.parametrize("missing", [0.0, 0.5])
@pytest.mark.parametrize("loss", LOSSES)
def test_masks_leave_what_is_allowed(names: list[str], missing: float, loss: str) -> None:
    sentences = constrained(names, missing)
    w = free(point(sentences.data), sentences)
    value, gradient = _core.BatchObjective(sentences.data, loss, 0.0).evaluate(w)
    assert value == pytest.approx(sentences.objective(loss, w, 0.0), rel=1e-10)
    assert np.isfinite(gradient).all()


@pytest.mark.parametrize("kind", [{"order": 2}, {"order": 3}, {"pairs": True}])
def test_masks_hold_for_every_kind_of_chain(kind: dict[str, bool]) -> None:
    sentences = constrained(list(MASKS), 0.3, **kind)
    w = free(point(sentences.data), sentences)
    value, _ = _core.BatchObjective(sentences.data, "logistic", 0.0).evaluate(w)
    assert value == pytest.approx(sentences.objective("logistic", w, 0.0), rel=1e-10)


def test_threads_give_the_same_bits() -> None:
    train = tagged(3)
    w = point(train.data)
    one = _core.BatchObjective(train.data, "logistic", 1.0, threads=1).evaluate(w)
    for threads in (2, 3):
        many = _core.BatchObjective(train.data, "logistic", 1.0, threads=threads).evaluate(w)
        assert many[0] == one[0]
        np.testing.assert_array_equal(many[1], one[1])


def test_bad_input_is_refused() -> None:
    X = rows(sp.csr_matrix(np.eye(3, dtype=np.float32)))
    offsets, y = np.array([0, 1, 3], np.int64), np.array([0, 1, 1], np.int32)
    with pytest.raises(ValueError, match="3 tokens but 2 labels"):
        _core.ChainData(X, offsets, y[:2].copy(), 2)
    with pytest.raises(ValueError, match="offsets must run"):
        _core.ChainData(X, np.array([0, 2], np.int64), y, 2)
    with pytest.raises(ValueError, match="offsets decrease"):
        _core.ChainData(X, np.array([0, 3, 1, 3], np.int64), y, 2)
    with pytest.raises(ValueError, match="sentence 1, token 0: the label id is out of range"):
        _core.ChainData(X, offsets, y, 1)
    with pytest.raises(ValueError, match="one weight per sentence"):
        _core.ChainData(X, offsets, y, 2, np.ones(3))
    with pytest.raises(ValueError, match="order 1 or more"):
        _core.ChainData(X, offsets, y, 2, order=0)
    with pytest.raises(ValueError, match="1500 labels would need about 109 GB"):
        _core.ChainData(X, offsets, y, 1500, order=2)
    with pytest.raises(ValueError, match="256 labels would need about 138 GB"):  # 2^32 windows
        _core.ChainData(X, offsets, y, 256, order=3)
    with pytest.raises(ValueError, match="would have 2500000000 transitions"):
        _core.ChainData(X, offsets, y, 50_000)
    with pytest.raises(ValueError, match="does not fit"):
        _core.ChainData(X, offsets, y, 2, start=np.ones(3, bool))
    with pytest.raises(ValueError, match="token 1: its label cannot follow the one before"):
        _core.ChainData(X, offsets, y, 2, transitions=np.array([[True, True], [True, False]]))
    with pytest.raises(ValueError, match="sentence 0, token 0: its label cannot come first"):
        _core.ChainData(X, offsets, y, 2, start=np.array([False, True]))
    missing = _core.ChainData(
        X, offsets, np.array([0, 1, -1], np.int32), 2,
        transitions=np.array([[True, True], [False, False]]),
    )  # fmt: skip
    with pytest.raises(ValueError, match="no allowed output agrees"):
        _core.BatchObjective(missing, "logistic", 1.0).evaluate(np.zeros(missing.dim))


def test_empty_sentences_are_skipped() -> None:
    X = rows(sp.csr_matrix(np.eye(3, dtype=np.float32)))
    y = np.array([0, 1, 1], np.int32)
    gaps = _core.ChainData(X, np.array([0, 0, 1, 1, 3, 3], np.int64), y, 2)
    plain = _core.ChainData(X, np.array([0, 1, 3], np.int64), y, 2)
    assert gaps.size == plain.size == 2
    w = point(plain)
    for loss in LOSSES:
        assert (
            _core.BatchObjective(gaps, loss, 1.0).evaluate(w)[0]
            == _core.BatchObjective(plain, loss, 1.0).evaluate(w)[0]
        )
