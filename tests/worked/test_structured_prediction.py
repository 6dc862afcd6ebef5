"""Block features, error against likelihood, margins, MIRA, chains and polynomial maps by hand."""

from itertools import pairwise, product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from linnet import (
    JointClassifier,
    LinearClassifier,
    LinearSVM,
    LogisticRegression,
    Perceptron,
    _core,
    testing,
)
from linnet.data import as_rows
from linnet.errors import NotSeparableError, TrainingWarning
from linnet.model import LinearModel, best_labels

# ---------------------------------------------------------------- block features

WORDS = ["George", "Washington", "Bridge", "General"]
PERSON, OBJECT = 0, 1
NAMES = [
    ("General George Washington", PERSON, [1, 1, 0, 1, 0, 0, 0, 0]),
    ("George Washington Bridge", OBJECT, [0, 0, 0, 0, 1, 1, 1, 0]),
    ("George Washington George", OBJECT, [0, 0, 0, 0, 1, 1, 0, 0]),
]


def contains(text: str) -> np.ndarray:
    """One where a word occurs, however often."""
    return np.array([[float(word in text.split()) for word in WORDS]])


def gold_features(x: np.ndarray, label: int, labels: int, bias: float) -> np.ndarray:
    """f(x, y) of one instance, (features + 1, labels); row 0 is the constant feature."""
    data = _core.BlockData(as_rows(x, bias), np.array([label], np.int32), labels, False)
    return _core.count_gold(data).reshape(-1, _core.padded(labels))[:, :labels]


@pytest.mark.parametrize(("text", "label", "expected"), NAMES)
def test_block_vectors_without_a_bias(text, label, expected) -> None:
    f = gold_features(contains(text), label, 2, bias=0.0)
    np.testing.assert_array_equal(f[1:].T.ravel(), expected)


@pytest.mark.parametrize(("text", "label", "expected"), NAMES)
def test_block_vectors_with_a_bias_in_every_block(text, label, expected) -> None:
    f = gold_features(contains(text), label, 2, bias=1.0)
    person, thing = np.split(np.array(expected), 2)
    with_bias = [*person, float(label == PERSON), *thing, float(label == OBJECT)]
    np.testing.assert_array_equal(np.vstack([f[1:], f[:1]]).T.ravel(), with_bias)


def test_joint_features_of_the_names_are_the_same_blocks() -> None:
    def features(text, label):
        return [f"{word} & {label}" for word in sorted(set(text.split()))]

    texts, labels = [n[0] for n in NAMES], ["Person" if n[1] == PERSON else "Object" for n in NAMES]
    names = [f"{word} & {label}" for label in ("Person", "Object") for word in WORDS]
    joint = JointClassifier(features, "perceptron", "perceptron", "none").fit(texts, labels)
    assert sorted(joint.vocabulary_.names) == sorted(names)
    for text, label, (_, _, expected) in zip(texts, labels, NAMES, strict=True):
        row = joint.vocabulary_.matrix([features(text, label)], grow=False).toarray()[0]
        by_name = dict(zip(joint.vocabulary_.names, row, strict=True))
        assert [by_name[name] for name in names] == expected
    assert joint.score(texts, labels) == 1


def test_blocks_written_out_and_blocks_of_the_classifier_learn_the_same_weights() -> None:
    rng = np.random.default_rng(0)
    X, y = rng.integers(0, 3, (40, 5)).astype(float), rng.integers(0, 3, 40)

    def features(x, label):
        return {f"{j},{label}": value for j, value in enumerate(x)}

    settings = {"loss": "perceptron", "learner": "perceptron", "penalty": "none", "shuffle": False}
    joint = JointClassifier(features, **settings, max_iter=3).fit(X, y)
    block = LinearClassifier(**settings, max_iter=3, fit_intercept=False).fit(X, y)
    weights = dict(zip(joint.vocabulary_.names, joint.coef_, strict=True))
    written_out = [[weights[f"{j},{label}"] for j in range(5)] for label in range(3)]
    np.testing.assert_array_equal(block.coef_, written_out)
    assert block.record_.mistakes == joint.record_.mistakes


# ---------------------------------------------------------------- fewest errors, highest likelihood

MANY = np.vstack([np.tile([-1.0, 1.0], (1000, 1)), [[3.0, 1.0]]])
MANY_LABELS = np.array([0] * 1000 + [1], np.int32)


def in_blocks(w: list[float]) -> LinearModel:
    """Weights written label by label, two features each, no intercept."""
    weights = np.zeros((3, _core.padded(2)))
    weights[1:, :2] = np.reshape(w, (2, 2)).T
    return LinearModel(weights, 2, 0.0)


def log_likelihood(model: LinearModel) -> float:
    data = _core.BlockData(as_rows(MANY, 0.0), MANY_LABELS, 2, False)
    objective = _core.BatchObjective(data, "logistic", l2=0.0)
    return -objective.evaluate(model.weights.reshape(-1))[0]


@pytest.mark.parametrize(
    ("w", "errors", "expected"), [([-1, 0, 1, 0], 0, -126.930), ([-1, 7, 1, 0], 1, -1.4367)]
)
def test_fewer_errors_may_mean_a_lower_likelihood(w, errors, expected) -> None:
    model = in_blocks(w)
    assert (best_labels(model.scores(MANY)) != MANY_LABELS).sum() == errors
    digits = 3 if errors == 0 else 4
    assert round(log_likelihood(model), digits) == expected


def test_the_scores_of_the_two_weight_vectors() -> None:
    few_errors, likely = in_blocks([-1, 0, 1, 0]), in_blocks([-1, 7, 1, 0])
    np.testing.assert_array_equal(few_errors.scores(MANY[[0, -1]]), [[1, -1], [-3, 3]])
    np.testing.assert_array_equal(likely.scores(MANY[[0, -1]]), [[8, -1], [4, 3]])


# ---------------------------------------------------------------- separable data have no maximum


def test_the_likelihood_of_separable_data_has_no_maximum() -> None:
    # A concave function need not attain its supremum: any separating w is beaten by 2w.
    values = [log_likelihood(in_blocks([-s, 0, s, 0])) for s in (1, 2, 4, 8, 16)]
    assert np.all(np.diff(values) > 0)
    assert values[-1] < 0
    norms = []
    for tol in (1e-2, 1e-6):
        with pytest.warns(TrainingWarning, match="separable"):
            fitted = LogisticRegression(penalty="none", learner="lbfgs", tol=tol).fit(MANY, MANY_LABELS)
        norms.append(fitted.record_.diagnostics["norm_l2"])
    assert norms[1] > 1.5 * norms[0]


def test_a_penalty_gives_it_one() -> None:
    weights = [
        LogisticRegression(learner=learner, tol=1e-8, fit_intercept=False).fit(MANY, MANY_LABELS).coef_
        for learner in ("lbfgs", "newton", "cg")
    ]
    np.testing.assert_allclose(weights[1:], [weights[0]] * 2, rtol=1e-4)


# ---------------------------------------------------------------- margins and MIRA


def test_the_margin_is_the_largest_gap_that_all_instances_keep() -> None:
    rng = np.random.default_rng(3)
    X = rng.normal(size=(12, 20))
    y = rng.permutation(np.repeat([0, 1, 2], 4))
    model = LinearSVM(C=1).fit(X, y)
    facts = model.record_.diagnostics
    scores = model.decision_function(X)
    gaps = scores[np.arange(12), y][:, None] - scores
    wrong = np.arange(3) != y[:, None]
    gamma = facts["functional_margin"]
    assert (gaps[wrong] >= gamma).all()
    assert not (gaps[wrong] >= gamma + 1e-9).all()
    assert gaps[wrong].max() > gamma + 0.1  # the smallest such number would be another one
    assert facts["geometric_margin"] == pytest.approx(gamma / facts["norm_l2"])


def test_mira_asks_the_margin_of_the_new_weights() -> None:
    start = np.zeros((3, _core.padded(3)), np.float32)
    start[1:, :3] = [[0.5, 0.25, -1], [0, 1, 2]]
    x = np.array([[1.0, 1.0]])
    data = _core.BlockData(as_rows(x, 0.0), np.array([1], np.int32), 3, False)
    learner = _core.Mira("hinge", data.dim, C=np.inf)
    learner.set_weights(start.ravel())
    learner.epoch(data)
    after = learner.weights().reshape(start.shape)[1:, :3]
    old, new = x[0] @ start[1:, :3], x[0] @ after
    assert (old[1] - old[[0, 2]] < 1).all()  # so there was something to do
    # Lifting the gap to the third label to 1 takes the first one past it: 1.125.
    np.testing.assert_allclose(new[1] - new[[0, 2]], [1.125, 1], atol=1e-6)


# ---------------------------------------------------------------- chains


@given(st.integers(1, 4), st.integers(1, 3), st.integers(0, 10**6))
def test_the_first_label_is_scored_from_the_start_state(length, labels, seed) -> None:
    """A start state folded into the first token: α₁(u) = w·f(x, start, u), by enumeration."""
    rng = np.random.default_rng(seed)
    chain, start = _core.Chain(length, labels), rng.normal(size=labels)
    theta = rng.normal(size=chain.parts)
    theta[:labels] += start
    states, moves = theta[: length * labels].reshape(length, labels), theta[length * labels :]
    totals = [
        sum(states[t, y] for t, y in enumerate(tags))
        + sum(moves[a * labels + b] for a, b in pairwise(tags))
        for tags in product(range(labels), repeat=length)
    ]
    best, path = chain.solve("max", theta)
    log_z, marginals = chain.solve("log", theta)
    assert best == pytest.approx(max(totals))
    assert log_z == pytest.approx(np.logaddexp.reduce(totals))
    # Following the back-pointers from the best last label gives the best sequence of all.
    tags = list(product(range(labels), repeat=length))[int(np.argmax(totals))]
    np.testing.assert_array_equal(path[: length * labels].reshape(length, labels).argmax(1), tags)
    # Expected features sum over positions and over all pairs of labels.
    _, expected = testing.brute_force("log", testing.all_chains(length, labels), theta)
    np.testing.assert_allclose(marginals, expected, atol=1e-12)
    assert marginals[length * labels :].sum() == pytest.approx(length - 1)


# ---------------------------------------------------------------- polynomial maps


def squares(x: np.ndarray) -> np.ndarray:
    return np.column_stack([x[:, 0] ** 2, np.sqrt(2) * x[:, 0] * x[:, 1], x[:, 1] ** 2])


def degree_two(x: np.ndarray) -> np.ndarray:
    """Six dimensions with the constant, which is the intercept's."""
    return np.column_stack([x[:, 0] ** 2, x[:, 1] ** 2, np.sqrt(2) * x, np.sqrt(2) * x[:, 0] * x[:, 1]])


points = st.lists(
    st.tuples(st.floats(-3, 3, width=32), st.floats(-3, 3, width=32)), min_size=1, max_size=8
).map(np.array)


@given(points, st.tuples(st.floats(-3, 3), st.floats(-3, 3)))
def test_a_linear_score_in_the_mapped_space_is_the_polynomial_kernel(x, z) -> None:
    z = np.array([z])
    plain = LinearModel(np.append(0.0, squares(z)).reshape(-1, 1), 1, bias=0.0)
    np.testing.assert_allclose(plain.scores(squares(x)), (x @ z.T) ** 2, rtol=1e-5, atol=1e-5)
    full = LinearModel(np.append(1.0, degree_two(z)).reshape(-1, 1), 1, bias=1.0)
    np.testing.assert_allclose(full.scores(degree_two(x)), (x @ z.T + 1) ** 2, rtol=1e-4, atol=1e-4)


def test_the_map_separates_a_circle_from_its_middle() -> None:
    rng = np.random.default_rng(0)
    angle, radius = rng.uniform(0, 2 * np.pi, 60), np.repeat([0.5, 2.0], 30)
    x = np.column_stack([radius * np.cos(angle), radius * np.sin(angle)])
    y = (radius > 1).astype(int)
    hard = LinearSVM(C=np.inf, max_iter=200_000)
    with pytest.raises(NotSeparableError):
        hard.fit(x, y)
    for mapped in (squares(x), degree_two(x)):
        hard.fit(mapped, y)
        assert hard.record_.diagnostics["separates"]


def test_the_kernel_perceptron_counts_mistakes_and_is_the_perceptron_of_the_map() -> None:
    """The weights are Σ_t α_t y_t φ(x_t), α_t the mistakes on t; the score of i is a sum over all t."""
    rng = np.random.default_rng(1)
    x = rng.normal(size=(40, 2)).astype(np.float32).astype(float)
    y = np.where((x**2).sum(axis=1) > 1.2, 1, -1)
    kernel, mistakes = (x @ x.T + 1) ** 2, np.zeros(40)
    for _ in range(5):
        for i in range(40):
            score = sum(mistakes[t] * y[t] * kernel[t, i] for t in range(40))
            mistakes[i] += (score > 0) != (y[i] > 0)
    model = Perceptron(average=False, shuffle=False, max_iter=5).fit(degree_two(x), y)
    assert model.record_.mistakes == mistakes.sum()
    np.testing.assert_allclose(
        model.decision_function(degree_two(x)), kernel @ (mistakes * y), rtol=1e-4
    )
