"""Hidden Markov models: counts by hand, EM against enumeration."""

from dataclasses import replace
from itertools import pairwise, product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.special import logsumexp

from linnet import _core
from linnet.errors import DataError, RefusedError
from linnet.learners import EM, LBFGS, Counting
from linnet.model import ChainModel
from linnet.structures import Cell, Chain, ChainRules, Learnt, Multiclass
from linnet.training.loop import Stopping
from linnet.training.trainer import train

from ..structured import changed
from .tag_problems import event_csr, event_rows, random_tags, tag_problem, weights_of

# the linnet sings / linnet sings / the wren: tags D N V
WORDS = np.array([0, 1, 2, 1, 2, 0, 3])
TAGS = [[0, 1, 2], [1, 2], [0, 1]]


def families(problem, flat):
    """Views: events (tags, events), next (tags, tags), first (tags,) and last (tags,) tags."""
    part, none = problem.structure.layout.parts(flat), np.zeros(0)
    ends = (part.get("start", none), part.get("stop", none))
    return part["tokens"][1:].T, part["transitions"], *ends


def tables(problem, weights):
    """The same as probabilities."""
    return [np.exp(part) for part in families(problem, weights)]


def test_relative_frequencies_by_hand() -> None:
    problem = tag_problem(event_rows(WORDS, 4), TAGS, 3)
    w = weights_of(Counting(smoothing=0.0).solver(problem))
    emit, move, first, last = tables(problem, w)
    np.testing.assert_allclose(emit, [[1, 0, 0, 0], [0, 2 / 3, 0, 1 / 3], [0, 0, 1, 0]])
    np.testing.assert_allclose(move, [[0, 1, 0], [0, 0, 2 / 3], [0, 0, 0]])
    np.testing.assert_allclose(last, [0, 1 / 3, 1])
    np.testing.assert_allclose(first, [2 / 3, 1 / 3, 0])
    assert not np.isnan(w).any()


def test_smoothing_by_hand_apart_for_transitions() -> None:
    problem = tag_problem(event_rows(WORDS, 4), TAGS, 3)
    learner = Counting(smoothing=0.5, transition_smoothing=1.0)
    emit, move, first, last = tables(problem, weights_of(learner.solver(problem)))
    np.testing.assert_allclose(emit[1], np.array([0.5, 2.5, 0.5, 1.5]) / 5)
    np.testing.assert_allclose([*move[1], last[1]], np.array([1, 1, 3, 2]) / 7)
    np.testing.assert_allclose(first, np.array([3, 2, 1]) / 6)


@pytest.mark.parametrize("alpha", [0.0, 0.1, 2.0])
@pytest.mark.parametrize("ends", [False, True])
def test_families_sum_to_one_and_the_score_is_the_log_joint(alpha, ends) -> None:
    events, y = random_tags(1)
    problem = tag_problem(event_rows(events, 4, bias=1.0), y, 3, ends=ends)
    w = weights_of(Counting(smoothing=alpha).solver(problem))
    emit, move, first, last = tables(problem, w)
    np.testing.assert_allclose(emit.sum(axis=1), 1)
    np.testing.assert_allclose(move.sum(axis=1) + (last if ends else 0), 1)
    if ends:
        assert first.sum() == pytest.approx(1)
    log_joint = 0.0
    for tags, (begin, end) in zip(y, pairwise(problem.structure.offsets), strict=True):
        log_joint += np.log(emit[tags, events[begin:end]]).sum()
        log_joint += sum(np.log(move[a, b]) for a, b in pairwise(tags))
        log_joint += np.log(first[tags[0]] * last[tags[-1]]) if ends else 0
    _, likelihood, _ = _core.expected_counts(problem.data(), w)
    assert likelihood == pytest.approx(log_joint)


def test_tags_without_counts_and_words_without_tags_give_no_nan() -> None:
    problem = tag_problem(event_rows(WORDS, 5), TAGS, 4)
    w = weights_of(Counting(smoothing=0.0).solver(problem))
    assert not np.isnan(w).any()
    model = ChainModel.of(Learnt(w), problem.structure)
    best, score = model.best(event_csr(WORDS, 5), problem.structure.offsets)
    assert best.tolist() == [tag for tags in TAGS for tag in tags]
    assert np.isfinite(score).all()
    marginals, log_z = model.marginals(event_csr(WORDS, 5), problem.structure.offsets)
    np.testing.assert_allclose(marginals.sum(axis=1), 1)
    assert (log_z >= score).all()
    with pytest.raises(DataError, match=r"sentence 1: .* without smoothing"):
        model.best(event_csr(np.array([4]), 5), np.array([0, 1]))


def test_weights_of_sentences_multiply_their_counts() -> None:
    twice = tag_problem(event_rows(WORDS, 4), TAGS, 3, weights=[2, 1, 0])
    rows = event_rows(WORDS[[0, 1, 2, 0, 1, 2, 3, 4]], 4)
    listed = tag_problem(rows, [TAGS[0], TAGS[0], TAGS[1]], 3)
    a, b = (weights_of(Counting(smoothing=0.3).solver(p)) for p in (twice, listed))
    np.testing.assert_allclose(a, b)


def test_forbidden_transitions_have_no_share() -> None:
    allowed = np.ones((3, 3), bool)
    allowed[1, 0] = allowed[2, 2] = False
    problem = tag_problem(event_rows(WORDS, 4), TAGS, 3, rules=ChainRules(transitions=allowed))
    _, move, _, last = tables(problem, weights_of(Counting().solver(problem)))
    assert (move[~allowed] == 0).all()
    np.testing.assert_allclose(move.sum(axis=1) + last, 1)


def test_overlapping_features_are_refused() -> None:
    several = _core.Rows.dense(np.ones((7, 2)))
    with pytest.raises(ValueError, match=r"token 0 has 2 features; .*one event per token"):
        Counting().solver(tag_problem(several, TAGS, 3))
    with pytest.raises(ValueError, match="token 0 has 0 features"):
        EM().solver(tag_problem(_core.Rows.dense(np.zeros((7, 2))), TAGS, 3))
    with pytest.raises(ValueError, match="not all of value 1"):
        Counting().solver(tag_problem(_core.Rows.dense(np.full((7, 1), 2.0)), TAGS, 3))


def test_what_makes_no_sense_is_refused() -> None:
    rows = event_rows(WORDS, 4)
    missing = tag_problem(rows, [[0, -1, 2], *TAGS[1:]], 3)
    with pytest.raises(ValueError, match="EM sums missing ones out"):
        Counting().solver(missing).epoch()
    with pytest.raises(ValueError, match="smoothing must be"):
        Counting(smoothing=-1.0).solver(missing)
    with pytest.raises(ValueError, match="transition_smoothing must be"):
        EM(transition_smoothing=np.inf).solver(missing)
    with pytest.raises(ValueError, match="multinomial"):
        Counting(variant="bernoulli").solver(missing)
    for learner in (Counting(), EM()):
        assert "joint" in (learner.refusal(Cell(Chain, "logistic", "none")) or "")
    assert "use 'counting'" in (EM().refusal(Cell(Multiclass, "joint_likelihood", "none")) or "")
    assert LBFGS().refusal(Cell(Chain, "joint_likelihood", "l2")) is not None


def test_order_two_is_refused() -> None:
    problem = tag_problem(event_rows(WORDS, 4), TAGS, 3)
    with pytest.raises(RefusedError, match="order=1"):
        EM().solver(changed(problem, order=2))


# ---------------------------------------------------------------- EM


def enumerated(problem, w):
    """Expected counts and log-likelihood by listing every tagging that agrees with the labels."""
    emit, move, first, last = families(problem, w)
    counts, total, L = np.zeros_like(w), 0.0, problem.width
    c_emit, c_move, c_first, c_last = families(problem, counts)
    events = problem.events
    for i, (begin, end) in enumerate(pairwise(problem.structure.offsets)):
        known, words = problem.structure.labels[begin:end], events[begin:end]
        outputs = [
            y
            for y in product(range(L), repeat=int(end - begin))
            if all(k in (-1, a) for k, a in zip(known, y, strict=True))
        ]
        scores = np.array(
            [
                emit[list(y), words].sum()
                + sum(move[a, b] for a, b in pairwise(y))
                + first[y[0]]
                + last[y[-1]]
                for y in outputs
            ]
        )
        total += problem.weights[i] * logsumexp(scores)
        for y, p in zip(outputs, problem.weights[i] * np.exp(scores - logsumexp(scores)), strict=True):
            np.add.at(c_emit, (list(y), words), p)
            for a, b in pairwise(y):
                c_move[a, b] += p
            c_first[y[0]] += p
            c_last[y[-1]] += p
    return counts, total


def partly(seed: int, missing: float, **settings):
    events, y = random_tags(seed, missing)
    weights = np.random.default_rng(seed).uniform(0.5, 2, len(y))
    problem = tag_problem(event_rows(events, 4), y, 3, weights, **settings)
    object.__setattr__(problem, "events", events)
    return problem


@pytest.mark.parametrize("missing", [0.0, 0.5, 1.0])
def test_one_step_equals_enumeration(missing) -> None:
    problem = partly(3, missing)
    solver = EM(smoothing=0.2, transition_smoothing=0.5).solver(problem)
    before = solver.weights().copy()
    counts, likelihood, interrupted = _core.expected_counts(problem.data(), before)
    expected, expected_likelihood = enumerated(problem, before)
    assert not interrupted
    np.testing.assert_allclose(counts, expected, atol=1e-10)
    assert likelihood == pytest.approx(expected_likelihood)
    stats = solver.epoch()
    emit, move, first, last = families(problem, expected)
    new_emit, new_move, new_first, new_last = tables(problem, solver.weights())
    np.testing.assert_allclose(new_emit, (emit + 0.2) / (emit + 0.2).sum(axis=1, keepdims=True))
    onward = np.column_stack([move, last]) + 0.5
    onward /= onward.sum(axis=1, keepdims=True)
    np.testing.assert_allclose(np.column_stack([new_move, new_last]), onward)
    np.testing.assert_allclose(new_first, (first + 0.5) / (first + 0.5).sum())
    if missing:
        old = families(problem, before)
        prior = 0.2 * old[0].sum() + 0.5 * sum(part.sum() for part in old[1:])
        assert stats.objective == pytest.approx(-(expected_likelihood + prior))


@given(st.integers(0, 10**6), st.sampled_from([0.3, 0.7, 1.0]), st.sampled_from([0.0, 0.1, 1.0]))
def test_the_objective_never_rises(seed, missing, alpha) -> None:
    solver = EM(smoothing=alpha, transition_smoothing=alpha).solver(partly(seed, missing))
    objectives = [solver.epoch().objective for _ in range(8)]
    assert np.isfinite(objectives).all()
    assert all(b <= a + 1e-9 * abs(a) for a, b in pairwise(objectives))
    assert not np.isnan(solver.weights()).any()


@pytest.mark.parametrize("alpha", [0.0, 0.5])
def test_with_all_labels_it_is_counting(alpha) -> None:
    problem = partly(4, 0.0)
    em, counting = (
        train(learner, problem, Stopping(50))
        for learner in (EM(alpha, None), Counting(smoothing=alpha))
    )
    np.testing.assert_allclose(em.learnt.weights, counting.learnt.weights)
    assert em.record.n_iter == 1
    assert em.record.objective == pytest.approx(counting.record.objective)


def test_it_starts_from_the_labelled_sentences() -> None:
    events, y = random_tags(5, sentences=8)
    half = [*y[:4], *([-1] * len(tags) for tags in y[4:])]
    size = sum(map(len, y[:4]))
    supervised = weights_of(
        Counting(smoothing=0.3).solver(tag_problem(event_rows(events[:size], 4), y[:4], 3))
    )
    solver = EM(0.3, None).solver(tag_problem(event_rows(events, 4), half, 3))
    np.testing.assert_allclose(solver.weights(), supervised)


def test_seeds_and_threads() -> None:
    problem = partly(6, 1.0)
    first, same, other = (
        weights_of(EM().solver(replace(problem, **given)), 5)
        for given in ({}, {"threads": 3}, {"seed": 1})
    )
    np.testing.assert_array_equal(first, same)
    assert np.abs(first - other).max() > 1e-3


def test_it_goes_on_from_given_weights_and_stops() -> None:
    problem = partly(7, 0.6)
    trained = train(EM(0.1, 0.1), replace(problem, tol=1e-10), Stopping(2000))
    assert trained.record.stopped == "converged"
    again = train(EM(0.1, 0.1), replace(problem, initial=trained.learnt.weights), Stopping(5))
    assert again.record.epochs[0].objective == pytest.approx(trained.record.objective, rel=1e-8)


def test_two_regular_tags_are_found_without_labels() -> None:
    # Events 0, 1 alternate with 2, 3: the two hidden tags are told up to their names.
    rng = np.random.default_rng(0)
    sentences = [[t % 2 * 2 + int(rng.integers(2)) for t in range(8)] for _ in range(50)]
    rows = event_rows(np.array(sentences).ravel(), 4)
    problem = tag_problem(rows, [[-1] * 8] * 50, 2)
    trained = train(EM(0.01, 0.01), problem, Stopping(200))
    model = ChainModel.of(trained.learnt, problem.structure)
    best, _ = model.best(event_csr(np.array(sentences).ravel(), 4), problem.structure.offsets)
    truth = np.array(sentences).ravel() // 2
    assert (best == truth).all() or (best == 1 - truth).all()


def test_what_cannot_be_is_told() -> None:
    rows = event_rows(np.array([0, 1, 0]), 2)
    problem = tag_problem(rows, [[0, 1], [-1]], 2)
    initial = np.zeros(problem.data().dim)
    families(problem, initial)[0][:, 0] = -np.inf
    with pytest.raises(ValueError, match=r"sentence 1 has probability 0.*smoothing > 0"):
        _core.expected_counts(problem.data(), initial)
    # A sentence of weight 0 is left out, however unlikely.
    counts, likelihood, _ = _core.expected_counts(problem.data(np.zeros(2)), initial)
    assert likelihood == 0
    assert not counts.any()
