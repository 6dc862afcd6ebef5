"""Learning without labels: likelihoods that never fall, gradients, and what brute force finds."""

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.sparse import csr_array
from sklearn.naive_bayes import MultinomialNB
from sklearn.semi_supervised import LabelSpreading
from sklearn.utils.extmath import randomized_svd

from linnet.learners.unlabelled import (
    co_train,
    directions,
    exchange_classes,
    most_certain,
    naive_bayes_em,
    neighbour_graph,
    self_train,
    spread,
)
from linnet.learners.unlabelled.word_classes import _bigrams, _Exchange


def problem(seed: int, labels: int = 3, n: int = 12, m: int = 30, words: int = 8):
    random = np.random.default_rng(seed)
    codes = (np.arange(n) % labels).astype(np.int32)
    rows = csr_array(random.poisson(0.7, (n, words)).astype(float))
    return rows, codes, csr_array(random.poisson(0.7, (m, words)).astype(float))


@given(st.integers(0, 10**6), st.sampled_from([0.01, 0.1, 1.0, 5.0]), st.sampled_from([0.1, 1.0]))
@settings(max_examples=40, deadline=None)
def test_the_objective_of_em_never_falls(seed, weight, smoothing):
    rows, codes, unlabelled = problem(seed)
    found = naive_bayes_em(rows, np.eye(3)[codes], unlabelled, weight, smoothing, tol=0.0)
    assert (np.diff(found.objectives) >= -1e-9 * np.abs(found.objectives[1:])).all()
    assert np.allclose(found.posteriors.sum(axis=1), 1)


def test_em_without_weight_is_naive_bayes_and_its_objective_is_the_joint_likelihood():
    rows, codes, unlabelled = problem(1)
    found = naive_bayes_em(rows, np.eye(3)[codes], unlabelled, weight=0.0, smoothing=0.5)
    peer = MultinomialNB(alpha=0.5).fit(rows, codes)
    assert np.allclose(found.log_words, peer.feature_log_prob_)
    dense = unlabelled.toarray()
    weighed = naive_bayes_em(rows, np.eye(3)[codes], unlabelled, weight=0.3, smoothing=0.5, max_iter=3)
    by_hand = 0.0
    for row, code in zip(rows.toarray(), codes, strict=True):
        by_hand += weighed.log_labels[code] + row @ weighed.log_words[code]
    for row in dense:
        joint = [weighed.log_labels[y] + row @ weighed.log_words[y] for y in range(3)]
        by_hand += 0.3 * np.log(np.sum(np.exp(joint)))
    by_hand += 0.5 * (weighed.log_words.sum() + weighed.log_labels.sum())
    assert weighed.objectives[-1] == pytest.approx(by_hand)


def test_directions_are_those_of_the_exact_decomposition():
    rows = csr_array(np.random.default_rng(0).normal(size=(60, 40)) @ np.diag(0.7 ** np.arange(40)))
    found = directions(rows, 5)
    _, _, exact = np.linalg.svd(rows.toarray())
    assert np.allclose(np.abs(exact[:5] @ found), np.eye(5), atol=1e-3)
    assert np.allclose(found.T @ found, np.eye(5), atol=1e-4)
    peer = randomized_svd(rows, 5, random_state=0)[2]
    assert np.allclose(np.abs(peer @ found), np.eye(5), atol=1e-3)
    assert np.array_equal(found, directions(rows, 5))  # the same seed, the same bits


def test_directions_of_rows_with_few_dimensions_are_no_more_than_these():
    rows = csr_array(np.outer(np.arange(1, 9.0), np.arange(1, 6.0)))
    assert directions(rows, 5).shape == (5, 1)


def test_the_graph_joins_nearest_neighbours_and_labels_spread_as_in_closed_form():
    vectors = np.random.default_rng(2).normal(size=(30, 4)).astype(np.float32)
    graph = neighbour_graph(vectors, 4).toarray()
    units = vectors / np.linalg.norm(vectors, axis=1, keepdims=True)
    cosines = units @ units.T
    np.fill_diagonal(cosines, -2)
    near = np.argsort(-cosines, axis=1)[:, :4]
    expected = np.zeros((30, 30))
    for i, places in enumerate(near):
        expected[i, places] = np.maximum(cosines[i, places], 0) ** 3
    expected = np.maximum(expected, expected.T)
    assert np.allclose(graph, expected, atol=1e-5)

    given_ = np.zeros((30, 2))
    given_[0, 0] = given_[1, 1] = 1
    found = spread(csr_array(graph), given_, alpha=0.8, max_iter=500)
    degrees = graph.sum(axis=1)
    steps = graph / np.sqrt(np.outer(degrees, degrees))
    exact = np.linalg.solve(np.eye(30) - 0.8 * steps, 0.2 * given_)
    exact /= exact.sum(axis=0)
    exact /= exact.sum(axis=1, keepdims=True)
    assert np.allclose(found, exact, atol=1e-8)


def test_labels_spread_as_scikit_learn_spreads_them():
    points = np.random.default_rng(3).normal(size=(40, 3)) + 2 * (np.arange(40) % 2)[:, None]
    labels = np.full(40, -1)
    labels[:6] = np.arange(6) % 2
    affinity = np.exp(-2 * ((points[:, None] - points[None]) ** 2).sum(axis=2))
    np.fill_diagonal(affinity, 0)
    given_ = np.zeros((40, 2))
    given_[np.arange(6), labels[:6]] = 1
    peer = LabelSpreading(lambda *_: affinity, alpha=0.7, max_iter=1000, tol=1e-12).fit(points, labels)
    found = spread(csr_array(affinity), given_, alpha=0.7, max_iter=1000)
    # Theirs has no equal masses of labels: undone by dividing by them once more.
    degrees = affinity.sum(axis=1)
    exact = np.linalg.solve(np.eye(40) - 0.7 * affinity / np.sqrt(np.outer(degrees, degrees)), given_)
    assert np.allclose(peer.label_distributions_, exact / exact.sum(axis=1, keepdims=True), atol=1e-6)
    masses = exact / exact.sum(axis=0)
    assert np.allclose(found, masses / masses.sum(axis=1, keepdims=True), atol=1e-8)


@given(st.integers(0, 10**6))
@settings(max_examples=15, deadline=None)
def test_each_exchange_is_the_best_that_one_word_can_make(seed):
    random = np.random.default_rng(seed)
    texts = [[f"w{i}" for i in random.integers(0, 7, 10)] for _ in range(8)]
    number = {f"w{i}": i for i in range(7)}
    bigrams = _bigrams(texts, number)
    state = _Exchange(bigrams, 3)

    def anew(classes):
        table = np.zeros((3, 3))
        for words in texts:
            for a, b in itertools.pairwise(words):
                table[classes[number[a]], classes[number[b]]] += 1
        cells, rows, columns = table.ravel(), table.sum(axis=1), table.sum(axis=0)
        return sum(x * np.log(x) for x in cells if x) - sum(
            x * np.log(x) for x in (*rows, *columns) if x
        )

    for word in range(7):
        tried = []
        for class_ in range(3):
            classes = state.classes.copy()
            classes[word] = class_
            tried.append(anew(classes))
        state.move(word)
        assert state.objective() == pytest.approx(max(tried))


def test_words_that_stand_in_the_same_places_share_a_class():
    random = np.random.default_rng(4)
    birds, verbs = ["linnet", "wren", "robin"], ["sings", "sleeps", "flies"]
    texts = [["the", random.choice(birds), random.choice(verbs), "."] for _ in range(200)]
    found = exchange_classes(texts, size=4)
    assert (np.diff(found.objectives) >= -1e-9).all()
    assert len(set(found.of(birds))) == 1
    assert len(set(found.of(verbs))) == 1
    assert found.of(["linnet"]) != found.of(["sings"])
    assert found.of(["owl"]) == [-1]


def test_the_most_certain_are_as_many_for_each_label():
    scores = np.array([[3.0, 0], [2, 0], [1, 0], [0.5, 0], [0, 0.1], [0, 9.0]])
    chosen, labels = most_certain(scores, 1 / 3)
    assert chosen.tolist() == [0, 5]
    assert labels.tolist() == [0, 1]
    chosen, labels = most_certain(scores[:4], 1.0)  # nobody is taken for the second label
    assert chosen.tolist() == [0, 1]
    assert labels.tolist() == [0, 0]


def _nearest_mean(points):
    def train(places, codes):
        means = np.stack([points[places[codes == k]].mean(axis=0) for k in (0, 1)])
        return -((points[:, None] - means[None]) ** 2).sum(axis=2)

    return train


def test_self_training_and_co_training_follow_clusters():
    random = np.random.default_rng(6)
    gold = np.arange(200) % 2
    points = random.normal(size=(200, 4)) + 3 * gold[:, None]
    labelled, codes = np.arange(2), np.array([0, 1], dtype=np.int32)
    rest = np.arange(2, 200)
    places, taken = self_train(_nearest_mean(points), labelled, codes, rest)
    assert len(places) > 100
    assert (taken == gold[places]).mean() > 0.97
    views = _nearest_mean(points[:, :2]), _nearest_mean(points[:, 2:])
    scores = co_train(views, labelled, codes, rest)
    assert (scores.argmax(axis=1) == gold[rest]).mean() > 0.97


def test_in_co_training_each_view_is_taught_by_the_other():
    lessons = []

    def view(name, sure_of):
        def train(places, codes):
            lessons.append((name, places.tolist(), codes.tolist()))
            scores = np.zeros((6, 2))
            scores[sure_of, 1] = 5.0
            scores[:, 0] += 0.1
            return scores

        return train

    labelled, codes = np.array([0, 1]), np.array([0, 1], dtype=np.int32)
    co_train((view("a", 4), view("b", 5)), labelled, codes, np.arange(2, 6))
    second = {name: dict(zip(places, codes, strict=True)) for name, places, codes in lessons[2:4]}
    assert second["a"][5] == 1
    assert second["b"][4] == 1
