"""Learning from a stream: one pass like fit, and features and classes that come later."""

import pickle
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import linnet
from linnet import learners
from linnet.errors import DataError, DivergedError, RefusedError

from ... import problems

X, Y = problems.topics()
ONLINE: list[tuple[str, Any, str]] = [
    ("perceptron", "perceptron", "none"),
    ("hinge", "pa", "none"),
    ("hinge", "mira", "none"),
    ("hinge", "arow", "none"),
    ("hinge", "winnow", "none"),
    ("hinge", "pegasos", "l2"),
    ("logistic", "sgd", "l2"),
    ("logistic", "sgd", "l1"),
    ("logistic", "adagrad", "elasticnet"),
    ("squared", learners.SGD(step="inverse", eta0=0.1), "none"),
]


def strength(penalty: str) -> dict[str, Any]:
    return {} if penalty == "none" else {"alpha": 0.01}


@pytest.mark.parametrize(("loss", "learner", "penalty"), ONLINE)
@pytest.mark.parametrize("labels", [Y, Y % 2], ids=["four", "two"])
def test_a_pass_is_an_epoch_of_fit(labels: Any, loss: str, learner: Any, penalty: str) -> None:
    settings: dict[str, Any] = {"random_state": 3} | strength(penalty)
    whole = linnet.LinearClassifier(loss, learner, penalty, max_iter=1, **settings).fit(X, labels)
    streamed = linnet.LinearClassifier(loss, learner, penalty, **settings)
    streamed.partial_fit(X, labels, classes=np.unique(labels))
    np.testing.assert_array_equal(streamed.model_.weights, whole.model_.weights)
    assert streamed.record_.mistakes == whole.record_.mistakes


@pytest.mark.parametrize(("loss", "learner", "penalty"), ONLINE)
@pytest.mark.parametrize("average", [False, True])
def test_batches_are_a_pass(loss: str, learner: Any, penalty: str, average: bool) -> None:
    if average and penalty in ("l1", "elasticnet"):
        pytest.skip("refused, see the grid")
    settings: dict[str, Any] = {"shuffle": False, "average": average} | strength(penalty)
    whole = linnet.LinearClassifier(loss, learner, penalty, max_iter=1, **settings).fit(X, Y)
    streamed = linnet.LinearClassifier(loss, learner, penalty, **settings)
    for part in np.split(np.arange(len(Y)), [1, 20, 90]):
        streamed.partial_fit(X[part], Y[part], classes=range(4))
    np.testing.assert_allclose(
        streamed.model_.weights, whole.model_.weights, rtol=1e-4, atol=1e-6
    )  # lazy penalties are settled after every batch, which rounds
    assert streamed.record_.mistakes == whole.record_.mistakes
    assert streamed.n_iter_ == 4


def test_fit_forgets_and_partial_fit_goes_on() -> None:
    model = linnet.Perceptron(average=False, max_iter=1).fit(X, Y)
    after_fit = model.coef_.copy()
    model.partial_fit(X, Y)
    assert not np.array_equal(model.coef_, after_fit)
    np.testing.assert_array_equal(model.fit(X, Y).coef_, after_fit)


# A stream in which features and classes appear: padded rows of 2, 4, 8 and 16 labels.
STAGES = [(4, 2), (8, 3), (12, 5), (20, 9)]


def stages(n: int = 25) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    rng = np.random.default_rng(0)
    for features, classes in STAGES:
        y = np.concatenate([np.arange(classes), rng.integers(classes, size=n)])
        x = (rng.random((len(y), features)) < 0.4) * rng.integers(1, 3, size=(len(y), features))
        yield x.astype(float), y


def grown(loss: str, learner: Any, average: bool = False) -> Any:
    model = linnet.LinearClassifier(
        loss, learner, "none", grow=True, shuffle=False, average=average, fit_intercept=False
    )
    for x, y in stages():
        model.partial_fit(x, y)
    return model


def best_wrong(scores: np.ndarray, y: int) -> int:
    return int(np.argmax(np.where(np.arange(len(scores)) == y, -np.inf, scores)))


def naive_adagrad(eta: float = 0.1, epsilon: float = 1e-8) -> np.ndarray:
    W, G = np.zeros((9, 20)), np.zeros((9, 20))
    for (features, classes), (xs, ys) in zip(STAGES, stages(), strict=True):
        for x, y in zip(xs, ys, strict=True):
            known = (slice(classes), slice(features))
            scores = W[known] @ x
            p = np.exp(scores - scores.max())
            g = np.outer(p / p.sum() - (np.arange(classes) == y), x)
            G[known] += g**2
            W[known] -= eta * g / np.sqrt(G[known] + epsilon)
    return W


def naive_arow(r: float = 1.0) -> np.ndarray:
    W, S = np.zeros((9, 20)), np.ones((9, 20))
    for (features, classes), (xs, ys) in zip(STAGES, stages(), strict=True):
        for x, y in zip(xs, ys, strict=True):
            scores = W[:classes, :features] @ x
            wrong = best_wrong(scores, y)
            loss = 1 - scores[y] + scores[wrong]
            if loss <= 0:
                continue
            beta = 1 / ((S[[y, wrong], :features] * x**2).sum() + r)
            for label, sign in ((y, 1), (wrong, -1)):
                s = S[label, :features]
                W[label, :features] += sign * loss * beta * s * x
                S[label, :features] = s - beta * (s * x) ** 2
    return W


def test_adagrad_keeps_its_steps_when_labels_come() -> None:
    model = grown("logistic", "adagrad")
    np.testing.assert_allclose(model.coef_, naive_adagrad(), rtol=1e-4, atol=1e-5)
    np.testing.assert_array_equal(model.classes_, np.arange(9))


def test_arow_keeps_its_confidence_when_labels_come() -> None:
    np.testing.assert_allclose(grown("hinge", "arow").coef_, naive_arow(), rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize(
    ("loss", "learner"), [("perceptron", "perceptron"), ("hinge", "pa"), ("logistic", "adagrad")]
)
def test_averages_go_on_when_labels_come(loss: str, learner: str) -> None:
    """The average of all past weights, those of labels and features yet unknown being zero."""
    plain = linnet.LinearClassifier(
        loss, learner, "none", grow=True, shuffle=False, fit_intercept=False
    )
    total, steps = np.zeros((9, 20)), 0
    for x, y in stages():
        # all classes of the stage are there from its first instance on
        plain.partial_fit(x[:1], y[:1], classes=range(y.max() + 1))
        for i in range(len(y)):
            if i > 0:
                plain.partial_fit(x[i : i + 1], y[i : i + 1])
            total[: plain.coef_.shape[0], : x.shape[1]] += plain.coef_
            steps += 1
    averaged = grown(loss, learner, average=True)
    np.testing.assert_allclose(averaged.coef_, total / steps, rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize(("loss", "learner", "penalty"), [row for row in ONLINE if row[2] != "l1"])
def test_every_online_learner_grows(loss: str, learner: Any, penalty: str) -> None:
    model = linnet.LinearClassifier(loss, learner, penalty, grow=True, **strength(penalty))
    for x, y in stages():
        model.partial_fit(x, y)
        assert model.coef_.shape == (len(np.unique(y)), x.shape[1])
        assert np.isfinite(model.model_.weights).all()
    for _ in range(20):
        model.partial_fit(X, Y)
    assert model.score(X, Y) > 0.6


def test_a_pickled_stream_goes_on() -> None:
    model = linnet.Perceptron(average=False, shuffle=False, grow=True)
    batches = list(stages())
    for x, y in batches[:2]:
        model.partial_fit(x, y)
    copy = pickle.loads(pickle.dumps(model))
    for each in (model, copy):
        for x, y in batches[2:]:
            each.partial_fit(x, y)
    np.testing.assert_array_equal(copy.coef_, model.coef_)
    np.testing.assert_array_equal(copy.classes_, model.classes_)


def test_named_features_grow_without_being_told() -> None:
    model = linnet.LinearClassifier("perceptron", "perceptron", "none")
    for _ in range(5):
        model.partial_fit([{"red": 1}, {"tiny": 1}], ["linnet", "wren"])
    model.partial_fit([{"black": 1, "song": "fluting"}] * 3, ["blackbird"] * 3)
    for _ in range(5):
        model.partial_fit([{"red": 1}, {"tiny": 1}, {"black": 1}], ["linnet", "wren", "blackbird"])
    assert model.classes_.tolist() == ["linnet", "wren", "blackbird"]
    assert model.get_feature_names_out().tolist() == ["red", "tiny", "black", "song=fluting"]
    assert model.predict([{"red": 1}, {"tiny": 1}, {"black": 1}, {"unknown": 1}]).tolist()[:3] == [
        "linnet",
        "wren",
        "blackbird",
    ]


def test_two_columns_from_one_decide_alike() -> None:
    """A third label after fitting two: one weight per feature becomes a column for each label."""
    notes = [{"red": 1}, {"tiny": 1}, {"red": 1, "tiny": 2}] * 4
    model = linnet.LinearClassifier("hinge", "pa", "none").fit(notes, ["a", "b", "b"] * 4)
    before = model.decision_function(notes)
    assert model.coef_.shape == (1, 2)
    wide = model.model_.grown(2, 2)
    np.testing.assert_allclose(
        np.diff(wide.scores(model.vocabulary_.matrix(notes, grow=False)))[:, 0], before, rtol=1e-6
    )
    model.partial_fit([{"black": 1}], ["c"])
    assert model.coef_.shape == (3, 3)
    np.testing.assert_allclose(np.diff(model.coef_[:2, :2], axis=0), 2 * wide.coef[1:], rtol=1e-6)


def test_one_class_so_far() -> None:
    model = linnet.LinearClassifier("logistic", "sgd", grow=True)
    model.partial_fit(X[:3], ["a"] * 3)
    assert model.predict(X[:2]).tolist() == ["a", "a"]
    np.testing.assert_array_equal(model.predict_proba(X[:2]), [[1.0], [1.0]])
    model.partial_fit(X[3:6], ["b"] * 3)
    assert model.predict_proba(X[:2]).shape == (2, 2)


@pytest.mark.parametrize(
    ("first", "then", "message"),
    [
        ((X, Y % 2), (X, Y), "labels never seen before: \\[2, 3\\].*grow=True"),
        ((X, Y), (X[:, :2], Y), "X has 2 features"),
        ((X, Y), (X, Y[:3]), "rows but y has 3 labels"),
        ((X, Y), (X, Y + 0.5), "continuous"),
        ((X, Y), ([{"a": 1}], [0]), "began with a matrix, but this batch is named features"),
        (([{"a": 1}, {"b": 1}], [0, 1]), ([{"a": np.nan}], [1]), "feature 'a' has value nan"),
    ],
)
def test_bad_batches(first: Any, then: Any, message: str) -> None:
    model = linnet.LinearClassifier(learner="sgd").partial_fit(*first, classes=np.unique(first[1]))
    with pytest.raises(ValueError, match=message):
        model.partial_fit(*then)


def test_growing_streams_keep_their_kind() -> None:
    model = linnet.LinearClassifier(learner="sgd", grow=True).partial_fit(X, Y)
    with pytest.raises(DataError, match="fewer than the 20 seen before"):
        model.partial_fit(X[:, :3], Y)
    with pytest.raises(DataError, match="mixed type"):
        model.partial_fit(X, ["a"] * len(Y))
    named = linnet.LinearClassifier(learner="sgd").partial_fit([{"a": 1}, {"b": 1}], [0, 1])
    with pytest.raises(DataError, match="mixed type"):
        named.partial_fit([{"a": 1}], ["x"])


def test_what_does_not_stream() -> None:
    assert not hasattr(linnet.LogisticRegression(), "partial_fit")
    with pytest.raises(AttributeError, match="needs all data at once"):
        linnet.LinearSVM().partial_fit(X, Y)
    with pytest.raises(ValueError, match="classes must be passed on the first call"):
        linnet.Perceptron().partial_fit(X, Y)
    with pytest.raises(RefusedError, match="sgd does not train with loss 'exponential'"):
        linnet.LinearClassifier("exponential", "sgd").partial_fit(X, Y, classes=range(4))
    with pytest.raises(RefusedError, match="a stream of two labels only"):
        linnet.Winnow("positive").partial_fit(X, Y, classes=range(4))


@pytest.mark.parametrize(
    ("documents", "labels", "weights"),
    [
        ([{"c": 1, "d": 1}, {"e": 2}], ["x"], None),
        ([], [], None),
        ([{"c": 1}], [3], None),
        ([{"c": 1, "d": None}], ["x"], None),
        ([{"c": 1}], ["z"], [-1.0]),
        ([{"c": 1e39}], ["z"], None),
    ],
)
def test_a_refused_batch_leaves_the_model_alone(documents: Any, labels: Any, weights: Any) -> None:
    model, twin = (
        linnet.Perceptron(shuffle=False).partial_fit([{"a": 1}, {"b": 1}], ["x", "y"]) for _ in range(2)
    )
    with pytest.raises(ValueError, match=r".+"):
        model.partial_fit(documents, labels, sample_weight=weights)
    assert model.predict([{"b": 1, "c": 1}]).tolist() == ["y"]
    assert (model.vocabulary_.names, model.classes_.tolist()) == (["a", "b"], ["x", "y"])
    for one in (model, twin):  # and the average goes on where it was
        one.partial_fit([{"a": 1}, {"c": 1}], ["y", "z"])
    np.testing.assert_array_equal(model.coef_, twin.coef_)


def test_a_batch_that_diverges_leaves_the_model_alone() -> None:
    learner = linnet.learners.SGD(step="constant", eta0=10.0)
    model = linnet.LinearClassifier("squared_hinge", learner, "none", grow=True)
    model.partial_fit([[1e-3, 0], [0, 1e-3]], [0, 1])
    before = model.coef_.copy()
    with pytest.raises(DivergedError):
        model.partial_fit(np.full((200, 3), 50.0), np.arange(200) % 3)
    np.testing.assert_array_equal(model.coef_, before)
    assert model.predict([[1.0, 0]]).shape == (1,)
    assert np.isfinite(model.partial_fit([[1e-3, 0]], [1]).coef_).all()


def test_settings_that_need_all_data() -> None:
    for settings, message in (
        ({"calibration": "sigmoid"}, "calibration holds out folds of all data"),
        ({"early_stopping": True}, "a stream has no held-out data to watch"),
        ({"learner": linnet.learners.SGD("reduce")}, "use another step than 'reduce'"),
        ({"class_weight": "balanced"}, "class_weight='balanced' needs all data at once"),
    ):
        model = linnet.LinearClassifier(**{"learner": "sgd"} | settings)
        with pytest.raises(ValueError, match=message):
            model.partial_fit(X, Y, classes=range(4))


def test_class_weights_of_classes_to_come() -> None:
    weighted = linnet.Perceptron(class_weight={"z": 2.0}, average=False)
    weighted.partial_fit([{"a": 1}, {"b": 1}], ["x", "y"]).partial_fit([{"c": 1}], ["z"])
    assert weighted.decision_function([{"c": 1}])[0, 2] == 4  # word and constant


def test_the_record_knows_the_time() -> None:
    assert linnet.Perceptron().partial_fit(X, Y, classes=range(4)).record_.epochs[0].seconds > 0


@pytest.mark.parametrize("variant", ["multinomial", "bernoulli", "complement"])
def test_naive_bayes_adds_up_its_counts(variant: str) -> None:
    """Batches, also after a copy, give what all data give at once."""
    rng = np.random.default_rng(5)
    X, y, weight = rng.poisson(0.5, (90, 12)), rng.integers(0, 3, 90), rng.uniform(0.1, 2, 90)
    whole = linnet.NaiveBayes(variant).fit(X, y, weight)
    model = linnet.NaiveBayes(variant)
    for part in (slice(0, 20), slice(20, 50), slice(50, 90)):
        model.partial_fit(X[part], y[part], [0, 1, 2], weight[part])
        model = pickle.loads(pickle.dumps(model))
    after_fit = linnet.NaiveBayes(variant).fit(X[:60], y[:60], weight[:60])
    after_fit.partial_fit(X[60:], y[60:], sample_weight=weight[60:])
    for other in (model, after_fit):
        np.testing.assert_allclose(other.coef_, whole.coef_, rtol=1e-12)
        np.testing.assert_allclose(other.intercept_, whole.intercept_, rtol=1e-12, atol=1e-14)


def test_naive_bayes_meets_new_words_and_labels() -> None:
    texts: list[dict[str, float]] = [{"a": 1}, {"b": 2}, {"c": 1, "a": 1}, {"a": 3}]
    labels = ["p", "q", "r", "p"]
    stream = linnet.NaiveBayes()
    for text, label in zip(texts, labels, strict=True):
        stream.partial_fit([text], [label])
    with pytest.raises(DataError, match="Negative values"):
        stream.partial_fit([{"a": -1}], ["p"])
    at_once = linnet.NaiveBayes().fit(texts, labels)
    np.testing.assert_allclose(stream.predict_proba(texts), at_once.predict_proba(texts), rtol=1e-12)


def test_probabilities_alone_are_not_counts() -> None:
    settings: Any = {"loss": "joint_likelihood", "learner": "counting", "penalty": "none"}
    model = linnet.TextClassifier(**settings).fit(["a b", "c d"], ["x", "y"])
    with pytest.raises(RefusedError, match="begin with partial_fit"):
        model.partial_fit(["a e"], ["z"])
    stream = linnet.TextClassifier(**settings).partial_fit(["a b", "c d"], ["x", "y"])
    assert stream.partial_fit(["e e a"], ["z"]).predict(["e"]) == ["z"]
