"""A hidden Markov model as a dot product, log-partition functions and Hamming costs on chains."""

from itertools import pairwise, product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from linnet import CRF, MEMM, Tagger, _core, testing
from linnet.data.matrix import as_rows
from linnet.learners import Counting
from linnet.structures import Chain, Problem

# ---------------------------------------------------------------- an HMM is a linear model

SENTENCE = ["The", "dog", "ate", "the", "homework"]
TAGS = ["Det", "Noun", "Verb"]
GOLD = ["Det", "Noun", "Verb", "Det", "Noun"]
START = [0.6, 0.3, 0.1]
MOVE = np.array([[0.05, 0.9, 0.05], [0.1, 0.2, 0.7], [0.7, 0.25, 0.05]])  # P(next | tag)
EMIT = {  # P(word | Det), P(word | Noun), P(word | Verb)
    "The": [0.3, 0.01, 0.01],
    "the": [0.5, 0.02, 0.01],
    "dog": [0.01, 0.2, 0.05],
    "ate": [0.01, 0.02, 0.4],
    "homework": [0.01, 0.1, 0.03],
}


def scores(start: np.ndarray) -> np.ndarray:
    """The chain's parts: log P(word | tag) per token, the first with the start, then transitions."""
    emissions = np.log([EMIT[word] for word in SENTENCE])
    emissions[0] += start
    return np.concatenate([emissions.ravel(), np.log(MOVE).ravel()])


def parts(tags: list[str]) -> list[int]:
    ids = [TAGS.index(tag) for tag in tags]
    states = [3 * t + y for t, y in enumerate(ids)]
    return states + [15 + 3 * a + b for a, b in pairwise(ids)]


def test_counts_times_log_probabilities_are_the_log_joint() -> None:
    pairs = [("Det", "Noun"), ("Noun", "Verb"), ("Verb", "Det")]
    log_move = [np.log(MOVE[TAGS.index(a), TAGS.index(b)]) for a, b in pairs]
    log_emit = [np.log(EMIT[w][TAGS.index(t)]) for w, t in zip(SENTENCE, GOLD, strict=True)]
    counts = np.array([2, 1, 1, 1, 1, 1, 1, 1])
    dot = counts @ np.concatenate([log_move, log_emit])

    joint = 0.9 * 0.7 * 0.7 * 0.9 * (0.3 * 0.2 * 0.4 * 0.5 * 0.1)
    assert dot == pytest.approx(np.log(joint))

    # The oracle's best sequence is the gold one, its value the same dot product, and μ the counts.
    chain = _core.Chain(5, 3)
    value, mu = chain.solve("max", scores(np.zeros(3)))
    np.testing.assert_array_equal(mu, np.bincount(parts(GOLD), minlength=chain.parts))
    assert value == pytest.approx(dot)
    transition = mu[15:].reshape(3, 3)
    assert [transition[TAGS.index(a), TAGS.index(b)] for a, b in pairs] == [2, 1, 1]
    assert transition.sum() == 4


def test_counting_makes_the_weights_and_the_chain_the_counts() -> None:
    # "The dog ate the homework" alone: relative frequencies, and f(x, y) in the layout of the weights.
    words, tags = [0, 1, 2, 3, 4], [TAGS.index(tag) for tag in GOLD]
    rows = as_rows(np.eye(5)[words], 0.0)
    problem = Problem(
        Chain(rows, np.array([0, 5]), np.array(tags, np.int32), 3, ends=True),
        "joint_likelihood",
        "none",
        np.ones(1),
        **{"l1": 0.0, "l2": 0.0, "C": 1.0, "tol": 1e-4, "seed": 0},
    )
    solver = Counting(smoothing=0.0).solver(problem)
    objective = solver.epoch().objective
    counts, weights = _core.count_gold(problem.data()), solver.weights()
    seen = counts > 0
    # Det → Noun twice; Noun → Verb, Verb → Det, five emissions, the start and the stop once.
    assert sorted(counts[seen]) == [1] * 9 + [2]
    # P(The|Det) = P(the|Det) = ½, P(dog|Noun) = P(homework|Noun) = ½, P(Verb|Noun) = P(stop|Noun) = ½
    assert counts[seen] @ weights[seen] == pytest.approx(6 * np.log(0.5))
    assert objective == pytest.approx(-6 * np.log(0.5))


def test_the_partition_function_of_an_hmm_is_the_probability_of_its_words() -> None:
    chain = _core.Chain(5, 3)
    log_p, mu = chain.solve("log", scores(np.log(START)))
    alpha = np.array(START) * EMIT["The"]  # the forward algorithm, in probabilities
    for word in SENTENCE[1:]:
        alpha = (alpha @ MOVE) * EMIT[word]
    assert log_p == pytest.approx(np.log(alpha.sum()))
    np.testing.assert_allclose(mu[12:15], alpha / alpha.sum(), rtol=1e-9)


def test_probabilities_of_all_sequences_sum_to_one() -> None:
    # Two words long, over every sentence of the vocabulary completed to a distribution.
    emit = np.array(list(EMIT.values()))
    emit = np.vstack([emit, 1 - emit.sum(axis=0)])
    chain, total = _core.Chain(2, 3), 0.0
    for words in product(range(len(emit)), repeat=2):
        states = np.log(emit[list(words)])
        states[0] += np.log(START)
        theta = np.concatenate([states.ravel(), np.log(MOVE).ravel()])
        total += np.exp(chain.solve("log", theta)[0])
    assert total == pytest.approx(1)


# ---------------------------------------------------------------- CRF


@given(st.integers(1, 4), st.integers(2, 3), st.integers(0, 10**6))
def test_the_crf_divides_by_the_sum_of_exponentials(length, labels, seed) -> None:
    rng = np.random.default_rng(seed)
    chain = _core.Chain(length, labels)
    theta = rng.normal(size=chain.parts)
    outputs = list(testing.all_chains(length, labels))
    totals = np.array([theta[o].sum() for o in outputs])
    gold = outputs[seed % len(outputs)]
    loss, gradient = chain.loss("logistic", theta, gold)
    probabilities = np.exp(totals) / np.exp(totals).sum()
    assert loss == pytest.approx(-np.log(probabilities[seed % len(outputs)]))
    expected = sum(
        p * np.bincount(o, minlength=chain.parts) for p, o in zip(probabilities, outputs, strict=True)
    )
    observed = np.bincount(gold, minlength=chain.parts)
    np.testing.assert_allclose(gradient, expected - observed, atol=1e-9)


def forward_and_backward(states, moves, start, stop):
    """Log α from the start state, α₁(u) = w·f(x, start, u), and log β from the stop."""
    length = len(states)
    alpha, beta = np.zeros_like(states), np.zeros_like(states)
    alpha[0] = start + states[0]
    for i in range(1, length):
        alpha[i] = np.logaddexp.reduce(alpha[i - 1][:, None] + moves, axis=0) + states[i]
    beta[-1] = stop
    for i in range(length - 2, -1, -1):
        beta[i] = np.logaddexp.reduce(moves + states[i + 1] + beta[i + 1], axis=1)
    return alpha, beta


@given(st.integers(1, 6), st.integers(1, 4), st.integers(0, 10**6))
def test_the_expectation_of_a_crf_sums_over_positions_and_pairs_of_labels(length, labels, seed) -> None:
    rng = np.random.default_rng(seed)
    states, moves = rng.normal(size=(length, labels)), rng.normal(size=(labels, labels))
    start, stop = rng.normal(size=labels), rng.normal(size=labels)
    theta = np.concatenate([states.ravel(), moves.ravel(), start, stop])
    log_z, mu = _core.ChainOracle(length, labels, True).solve("log", theta)
    alpha, beta = forward_and_backward(states, moves, start, stop)
    assert log_z == pytest.approx(np.logaddexp.reduce(alpha[-1] + stop))
    # E f = Σ_j Σ_{u,v} α_{j−1}(u) exp(w·f(x, u, v)) β_j(v) / Z f(x, u, v)
    expected = np.zeros((labels, labels))
    for j in range(1, length):
        expected += np.exp(alpha[j - 1][:, None] + moves + states[j] + beta[j] - log_z)
    tied = mu[length * labels :][: labels * labels].reshape(labels, labels)
    np.testing.assert_allclose(tied, expected, atol=1e-9)
    np.testing.assert_allclose(
        mu[: length * labels].reshape(length, labels), np.exp(alpha + beta - log_z)
    )


@given(st.integers(1, 6), st.integers(1, 4), st.integers(0, 10**6))
def test_back_pointers_are_followed_from_the_best_end(length, labels, seed) -> None:
    rng = np.random.default_rng(seed)
    states, moves = rng.normal(size=(length, labels)), rng.normal(size=(labels, labels))
    start, stop = rng.normal(size=labels), rng.normal(size=labels)
    alpha, back = start + states[0], []
    for state in states[1:]:
        through = alpha[:, None] + moves
        back.append(through.argmax(axis=0))
        alpha = through.max(axis=0) + state
    tags = [int((alpha + stop).argmax())]  # y_n = argmax α, then y_{i−1} = β(y_i, i)
    for pointers in reversed(back):
        tags.insert(0, int(pointers[tags[0]]))
    theta = np.concatenate([states.ravel(), moves.ravel(), start, stop])
    best, mu = _core.ChainOracle(length, labels, True).solve("max", theta)
    assert best == pytest.approx((alpha + stop).max())
    assert mu[: length * labels].reshape(length, labels).argmax(axis=1).tolist() == tags


# ---------------------------------------------------------------- Hamming cost

STRINGS = [
    ("karolin", "kathrin", 3),
    ("karolin", "kerstin", 3),
    ("1011101", "1001001", 2),
    ("2173896", "2233796", 3),
]


def cost_between(gold: str, other: str) -> float:
    """The cost the chain adds to `other`: its score with cost minus without, alone against gold."""
    alphabet = sorted(set(gold + other))
    labels, length = len(alphabet), len(gold)
    chain = _core.Chain(length, labels)

    def states(text: str) -> list[int]:
        return [t * labels + alphabet.index(c) for t, c in enumerate(text)]

    def with_moves(text: str) -> list[int]:
        ids = [alphabet.index(c) for c in text]
        moves = [length * labels + a * labels + b for a, b in pairwise(ids)]
        return states(text) + moves

    theta = np.zeros(chain.parts)
    theta[states(other)] = 10.0  # far above any cost: `other` is the best output, with or without
    hinge = chain.loss("hinge", theta, with_moves(gold))[0]
    return hinge - chain.loss("perceptron", theta, with_moves(gold))[0]


@pytest.mark.parametrize(("a", "b", "distance"), STRINGS)
def test_hamming_distances(a, b, distance) -> None:
    assert cost_between(a, b) == pytest.approx(distance)
    assert cost_between(b, a) == pytest.approx(distance)
    assert cost_between(a, a) == 0


@given(st.integers(1, 4), st.integers(2, 3), st.integers(0, 10**6), st.sampled_from([0.1, 1.0, 10.0]))
def test_the_slack_is_a_maximum_over_the_gold_output_too_and_never_negative(
    length, labels, seed, scale
) -> None:
    rng = np.random.default_rng(seed)
    chain = _core.Chain(length, labels)
    theta = scale * rng.normal(size=chain.parts)
    outputs = list(testing.all_chains(length, labels))
    gold = outputs[int(rng.integers(len(outputs)))]
    tags = length * labels

    def distance(output: list[int]) -> int:
        return len({p for p in output if p < tags} - set(gold))

    slacks = {tuple(o): theta[o].sum() + distance(o) - theta[gold].sum() for o in outputs}
    slack = chain.loss("hinge", theta, gold)[0]
    assert slack == pytest.approx(max(slacks.values()), abs=1e-9)
    assert slacks[tuple(gold)] == 0
    assert slack >= 0


def test_a_gold_output_far_ahead_has_no_slack_where_wrong_ones_alone_would_have_less() -> None:
    chain, gold = _core.Chain(2, 2), [0, 2, 4]
    theta = np.zeros(chain.parts)
    theta[[0, 2]] = 5.0
    assert chain.loss("hinge", theta, gold)[0] == 0
    wrong = [(o, len(set(o[:2]) - set(gold))) for o in testing.all_chains(2, 2) if o != gold]
    assert max(theta[o].sum() + cost - theta[gold].sum() for o, cost in wrong) < 0
    flat = _core.FlatOracle(3)
    assert flat.loss("hinge", np.array([3.0, 0, 1]), [0])[0] == 0
    assert flat.loss("hinge", np.array([1.5, 0, 1]), [0])[0] == 0.5


# ---------------------------------------------------------------- label bias

WHEELS, FRED = (f"The robot wheels {word} round".split() for word in ("are", "Fred"))
NOUN = ["D", "N", "N'", "V", "A"]  # states: the second noun is not the first
VERB = ["D", "N", "V'", 'N"', "R"]
FOLLOWERS = {a: [b for p in (NOUN, VERB) for c, b in pairwise(p) if c == a] for a in {*NOUN, *VERB}}


def paths(kind: type[Tagger], sentence: list[str], followers: object, **tags: str) -> np.ndarray:
    """Log P of the path with the noun and with the verb "wheels"; ``tags`` join states."""
    noun, verb = ([tags.get(state, state) for state in path] for path in (NOUN, VERB))
    model = kind(features=["word"], transitions=followers, C=10.0)
    model.fit([WHEELS] * 3 + [FRED], [noun] * 3 + [verb])
    return model.sequence_log_proba([sentence] * 2, [noun, verb])


def test_the_next_word_means_nothing_to_a_memm_whose_states_have_one_successor() -> None:
    with_are, with_fred = (paths(MEMM, sentence, FOLLOWERS) for sentence in (WHEELS, FRED))
    np.testing.assert_allclose(with_are, with_fred, rtol=1e-12)
    # It was decided at "wheels", and "Fred", a noun wherever it was seen, is a verb.
    assert with_fred[0] > with_fred[1]


def test_it_means_something_to_a_crf() -> None:
    with_are, with_fred = (paths(CRF, sentence, FOLLOWERS) for sentence in (WHEELS, FRED))
    assert with_are[0] > with_are[1]
    assert with_fred[1] > with_fred[0]
    # Two paths are all that the automaton allows.
    np.testing.assert_allclose(np.exp([with_are, with_fred]).sum(axis=1), 1, atol=1e-6)


def test_with_plain_tags_nothing_is_to_be_seen() -> None:
    # Every N may be followed by N, V and R: the word after "wheels" chooses among them.
    plain = {"N'": "N", 'N"': "N", "V'": "V"}
    tags = {"D": ["N"], "N": ["N", "V", "R"], "V": ["N", "A"]}
    with_are, with_fred = (paths(MEMM, sentence, tags, **plain) for sentence in (WHEELS, FRED))
    assert with_are[0] > with_fred[0]
    assert with_fred[1] > with_are[1]
    assert with_fred[1] > with_fred[0]
