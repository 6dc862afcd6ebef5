"""Taggers decoded in every way: brute force, threads, sizes from nothing to very large."""

import signal
from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.special import logsumexp, xlogy

from linnet.errors import DataError
from linnet.model import ChainModel, ChainRules, LabelWeights

from .every_output import KINDS, Tagged, tagger

CASES = [(kind, masked) for kind in KINDS for masked in (False, True)]


def asked(kind: str, masked: bool, seed: int = 0, scale: float = 1.0) -> Tagged:
    return tagger(seed, **KINDS[kind], masked=masked, scale=scale)


@pytest.mark.parametrize(("seed", "scale"), [(0, 1.0), (1, 1.0), (2, 300.0)])
@pytest.mark.parametrize(("kind", "masked"), CASES)
def test_every_question_equals_brute_force(kind: str, masked: bool, seed: int, scale: float) -> None:
    case = asked(kind, masked, seed, scale)
    model, args, more = case.model, case.args, case.more
    best, score = model.best(*args, **more)
    P, log_z = model.marginals(*args, **more)
    ranked = model.kbest(*args, 7, **more)
    entropy = model.entropy(*args, **more)
    given = model.scores_of(best, *args, **more)
    for i, (begin, end) in enumerate(pairwise(case.offsets)):
        if begin == end:
            assert score[i] == log_z[i] == entropy[i] == 0
            assert ranked[i][0].size == ranked[i][1].size == 0
            continue
        outputs, scores = case.outputs(i)
        order = np.argsort(-scores)[:7]
        assert tuple(best[begin:end]) == outputs[order[0]]
        assert score[i] == pytest.approx(scores.max(), rel=1e-10, abs=1e-10)
        assert given[i] == pytest.approx(scores.max(), rel=1e-10, abs=1e-10)
        assert log_z[i] == pytest.approx(logsumexp(scores), rel=1e-10, abs=1e-10)
        share = np.exp(scores - logsumexp(scores))
        expected = np.zeros((end - begin, model.n_labels))
        for y, p in zip(outputs, share, strict=True):
            expected[np.arange(end - begin), y] += p
        assert_allclose(P[begin:end], expected, rtol=1e-10, atol=1e-10)
        assert entropy[i] == pytest.approx(-xlogy(share, share).sum(), abs=1e-9 * scale)
        assert_allclose(ranked[i][0], scores[order], rtol=1e-10, atol=1e-10)
        assert [tuple(y) for y in ranked[i][1]] == [outputs[k] for k in order]


@pytest.mark.parametrize("labels", [2, 5, 9, 18])
@pytest.mark.parametrize("kind", KINDS)
def test_kernels_equal_the_generic_sweep(kind: str, labels: int) -> None:
    case = tagger(10, **KINDS[kind], labels=labels, lengths=(1, 2, 3, 30), masked=labels > 2)
    best, score = case.model.best(*case.args, **case.more)
    ranked = case.model.kbest(*case.args, 1, **case.more)
    assert_array_equal(best, np.concatenate([y[0] for _, y in ranked]))
    assert_allclose(score, [s[0] for s, _ in ranked], rtol=1e-12)


@pytest.mark.parametrize("kind", [kind for kind in KINDS if kind.startswith("local")])
def test_local_normalisation_sums_to_one(kind: str) -> None:
    case = asked(kind, False)
    log_z = case.model.marginals(*case.args, **case.more)[1]
    assert_allclose(log_z, 0, atol=1e-12)


@pytest.mark.parametrize(("kind", "masked"), CASES)
def test_samples_have_the_probabilities(kind: str, masked: bool) -> None:
    case = tagger(2, **KINDS[kind], masked=masked, lengths=(3,), labels=3)
    n = 4000
    (samples,) = case.model.sample(*case.args, n, 7, **case.more)
    assert samples.shape == (n, 3)
    outputs, scores = case.outputs(0)
    share = np.exp(scores - logsumexp(scores))
    place = {y: k for k, y in enumerate(outputs)}
    counts = np.bincount([place[tuple(y)] for y in samples], minlength=len(outputs))
    deviation = np.sqrt(share * (1 - share) / n)
    assert (np.abs(counts / n - share) <= 4.5 * deviation + 1e-3).all()
    (again,) = case.model.sample(*case.args, n, 7, **case.more)
    assert_array_equal(samples, again)
    (others,) = case.model.sample(*case.args, n, 8, **case.more)
    assert (samples != others).any()


def answers(case: Tagged, threads: int) -> list[Any]:
    m, args, more = case.model, case.args, case.more | {"threads": threads}
    found = [*m.best(*args, **more), *m.marginals(*args, **more), m.entropy(*args, **more)]
    found += [array for pair in m.kbest(*args, 3, **more) for array in pair]
    return found + m.sample(*args, 2, 5, **more)


@pytest.mark.parametrize(("kind", "masked"), CASES)
def test_threads_give_the_same_bits(kind: str, masked: bool) -> None:
    lengths = tuple(np.random.default_rng(3).integers(0, 9, 500))
    case = tagger(3, **KINDS[kind], masked=masked, lengths=lengths, labels=4)
    one = answers(case, 1)
    for threads in (2, 3):
        for a, b in zip(one, answers(case, threads), strict=True):
            assert_array_equal(a, b)


@pytest.mark.parametrize("kind", KINDS)
def test_no_sentences(kind: str) -> None:
    case = tagger(**KINDS[kind], lengths=())
    best, score = case.model.best(*case.args, **case.more)
    assert len(best) == len(score) == 0
    assert case.model.marginals(*case.args, **case.more)[0].shape == (0, 3)
    assert case.model.kbest(*case.args, 2, **case.more) == []


@pytest.mark.parametrize("kind", KINDS)
def test_a_very_long_sentence(kind: str) -> None:
    case = tagger(4, **KINDS[kind], lengths=(100_000,), labels=2)
    best, score = case.model.best(*case.args, **case.more)
    assert case.model.scores_of(best, *case.args, **case.more)[0] == pytest.approx(score[0], rel=1e-9)
    P, log_z = case.model.marginals(*case.args, **case.more)
    assert_allclose(P.sum(axis=1), 1, atol=1e-6)
    assert log_z[0] >= score[0]
    assert (best == P.argmax(axis=1)).mean() > 0.5


@pytest.mark.parametrize("kind", KINDS)
def test_one_label(kind: str) -> None:
    case = tagger(5, **KINDS[kind], labels=1)
    best, score = case.model.best(*case.args, **case.more)
    assert not best.any()
    P, log_z = case.model.marginals(*case.args, **case.more)
    assert_allclose(P, 1)
    assert_allclose(log_z, score, atol=1e-9)
    assert_allclose(case.model.entropy(*case.args, **case.more), 0, atol=1e-9)


def test_a_thousand_labels() -> None:
    case = tagger(6, labels=1000, lengths=(4, 1), ends=True)
    best, score = case.model.best(*case.args)
    P, log_z = case.model.marginals(*case.args)
    assert_allclose(P.sum(axis=1), 1, atol=1e-9)
    assert (log_z > score).all()
    assert_allclose(case.model.scores_of(best, *case.args), score, rtol=1e-12)
    wide = tagger(6, labels=60, lengths=(60_000,), order=2)
    with pytest.raises(DataError, match="GB: use a lower order"):
        wide.model.best(*wide.args)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("question", ["best", "marginals", "entropy", "kbest", "sample"])
def test_rules_that_leave_nothing_name_the_sentence(kind: str, question: str) -> None:
    case = tagger(7, **KINDS[kind], lengths=(2, 3, 2))
    tokens = np.ones((7, 3), np.uint8)
    tokens[4] = 0
    extra = {"kbest": (2,), "sample": (2, 0)}.get(question, ())
    with pytest.raises(DataError, match="sentence 2: the rules allow no sequence"):
        getattr(case.model, question)(
            *case.args, *extra, pairs=case.pairs, rules=ChainRules(tokens=tokens)
        )
    codes = np.zeros(7, np.int32)
    scores = case.model.scores_of(codes, *case.args, pairs=case.pairs, rules=ChainRules(tokens=tokens))
    assert np.isneginf(scores).tolist() == [False, True, False]


def test_eight_bits_are_the_unpacked_weights() -> None:
    rng = np.random.default_rng(8)
    case = tagger(8, ends=True)
    plain = case.model.states
    codes = rng.integers(-127, 128, len(plain.labels)).astype(np.int8)
    scales = rng.random(3).astype(np.float32) / 100
    packed = LabelWeights(plain.starts, plain.labels, codes, scales)
    unpacked = LabelWeights(plain.starts, plain.labels, packed.reals)
    ends = (case.model.transitions, case.model.start, case.model.stop)
    a, b = (ChainModel(3, w, 0.5, 1, False, *ends) for w in (packed, unpacked))
    for x, y in zip(a.marginals(*case.args), b.marginals(*case.args), strict=True):
        assert_array_equal(x, y)
    again = ChainModel.from_parts(a.spec(), a.tensors())
    assert_array_equal(again.best(*case.args)[1], a.best(*case.args)[1])


@pytest.mark.parametrize("kind", KINDS)
def test_packed_weights_are_near(kind: str) -> None:
    case = asked(kind, False)
    plain, packed = case.model.states, case.model.packed().states
    assert packed.scales is not None
    assert (np.abs(packed.reals - plain.reals) <= 0.501 * packed.scales[plain.labels]).all()
    found = case.model.packed().marginals(*case.args, **case.more)[0]
    assert_allclose(found, case.model.marginals(*case.args, **case.more)[0], atol=0.1)


def test_bad_questions_are_refused() -> None:
    case = tagger(9)
    model, X, offsets = case.model, case.X, case.offsets
    with pytest.raises(DataError, match="features"):
        model.best(X[:, :3].tocsr(), offsets)
    with pytest.raises(ValueError, match="offsets must run"):
        model.best(X, offsets[:-1])
    with pytest.raises(DataError, match="threads"):
        model.best(X, offsets, threads=0)
    with pytest.raises(DataError, match="k must be"):
        model.kbest(X, offsets, 0)
    with pytest.raises(DataError, match="does not fit"):
        model.best(X, offsets, rules=ChainRules(tokens=np.ones((1, 3), np.uint8)))
    with pytest.raises(DataError, match="no weights of pairs"):
        model.best(X, offsets, pairs=X)
    with pytest.raises(DataError, match="out of range"):
        model.scores_of(np.full(15, 3), X, offsets)
    with pytest.raises(DataError, match="one label for each token"):
        model.scores_of(np.zeros(3), X, offsets)
    seen = tagger(9, observed=True)
    with pytest.raises(DataError, match="missing"):
        seen.model.best(*seen.args)


@pytest.mark.parametrize("kind", KINDS)
def test_parts_of_a_file(kind: str) -> None:
    case = asked(kind, True)
    again = ChainModel.from_parts(case.model.spec(), case.model.tensors())
    for a, b in zip(answers(case, 1), answers(Tagged(again, *vars_of(case)), 1), strict=True):
        assert_array_equal(a, b)


def vars_of(case: Tagged) -> tuple[Any, ...]:
    return case.X, case.offsets, case.pairs, case.rules


def damage(name: str, change: Any) -> Any:
    def apply(spec: dict[str, Any], tensors: dict[str, np.ndarray]) -> None:
        if name in spec:
            spec[name] = change
        elif change is None:
            del tensors[name]
        else:
            tensors[name] = change(tensors[name].copy())

    return apply


def put(at: int, value: Any) -> Any:
    def change(array: np.ndarray) -> np.ndarray:
        array.flat[at] = value
        return array

    return change


@pytest.mark.parametrize(
    "harm",
    [
        damage("state.labels", put(0, 99)),
        damage("state.labels", put(-1, -1)),
        damage("state.labels", put(1, 0)),
        damage("state.starts", put(2, 10**9)),
        damage("state.starts", put(0, 1)),
        damage("state.starts", put(-1, 3)),
        damage("state.starts", lambda a: a[:1]),
        damage("state.weights", put(0, np.nan)),
        damage("state.weights", put(0, np.inf)),
        damage("state.weights", lambda a: a[1:]),
        damage("state.weights", lambda a: a.astype(np.float64)),
        damage("state.weights", lambda a: a.astype(np.int8)),
        damage("state.weights", None),
        damage("pair.labels", put(0, 9)),
        damage("pair.weights", None),
        damage("transitions", put(4, np.nan)),
        damage("transitions", lambda a: a[:2]),
        damage("transitions", None),
        damage("start", lambda a: a[:2]),
        damage("start", put(0, np.nan)),
        damage("labels", 0),
        damage("labels", 2),
        damage("labels", 10**12),
        damage("labels", "many"),
        damage("order", 3),
        damage("order", 2),
        damage("bias", float("nan")),
    ],
)
def test_damaged_files_are_told(harm: Any) -> None:
    model = tagger(1, ends=True, observed=True).model
    spec, tensors = model.spec(), dict(model.tensors())
    harm(spec, tensors)
    with pytest.raises(DataError, match="damaged"):
        ChainModel.from_parts(spec, tensors)


def test_weights_of_zero_are_left_out_but_for_full_rows() -> None:
    pairs = np.array([[2, 1], [0, 0], [2, 0], [1, 2], [3, 6], [3, 1], [3, 2]], np.int32)
    made = LabelWeights.of_pairs(pairs, np.array([1.0, 2.0, 3.0, 0.0, 4.0, 5.0, 6.0]), 5, 7)
    assert made.starts.tolist() == [0, 1, 1, 3, 10, 10]
    assert made.labels.tolist() == [0, 0, 1, *range(7)]
    assert made.reals.tolist() == [2, 3, 1, 0, 5, 6, 0, 0, 0, 4]


def test_equal_scores_go_to_the_earlier_label() -> None:
    model = ChainModel(3, LabelWeights.of_dense(np.zeros((3, 3))), transitions=np.zeros((3, 3), "f"))
    best, _ = model.best(np.ones((4, 2)), np.array([0, 4]))
    assert not best.any()


def test_one_model_serves_many_threads() -> None:
    case = tagger(11, lengths=(20,) * 200, labels=5, ends=True)
    wanted = case.model.marginals(*case.args)[0]
    with ThreadPoolExecutor(4) as pool:
        for found in pool.map(lambda _: case.model.marginals(*case.args)[0], range(12)):
            assert_array_equal(found, wanted)


@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="needs a timer")
def test_interrupt() -> None:
    case = tagger(12, lengths=(200,) * 3000, labels=12)
    before = signal.signal(signal.SIGALRM, signal.default_int_handler)
    signal.setitimer(signal.ITIMER_REAL, 0.2)
    try:
        with pytest.raises(KeyboardInterrupt):
            case.model.kbest(*case.args, 50)
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
