"""Any features of input and output together, over the labels or over candidates."""

from typing import Any

import numpy as np
import pytest

import linnet
from linnet.errors import DataError, RefusedError, TrainingWarning
from linnet.losses import LOSSES

from ... import problems

TEXTS = [
    ("owlets hoot at dusk", "owl"),
    ("a swiftlet by the cave", "swift"),
    ("the wrens sing", "wren"),
    ("two larks rise", "lark"),
    ("swifts scream and circle", "swift"),
    ("an owlish face", "owl"),
]
INPUTS, LABELS = [t for t, _ in TEXTS], [label for _, label in TEXTS]
TRAINABLE = [name for name in LOSSES if name != "joint_likelihood"]


def prefix(text: str, label: str) -> list[str]:
    """One weight for all labels: does a word begin with the name?"""
    return ["a word begins with the label"] if any(w.startswith(label) for w in text.split()) else []


@pytest.mark.parametrize("loss", TRAINABLE)
def test_every_loss_learns_the_prefix(loss: str) -> None:
    model = linnet.JointClassifier(prefix, loss).fit(INPUTS, LABELS)
    assert model.coef_.shape == (1,)
    assert model.coef_[0] > 0
    assert model.score(INPUTS, LABELS) == 1
    # labels never seen in training are found by the same weight
    model = linnet.JointClassifier(prefix, loss, labels=["finch"]).fit(INPUTS, LABELS)
    assert model.predict(["finches at the feeder", "larkspur"]).tolist() == ["finch", "lark"]


@pytest.mark.parametrize("loss", [name for name in TRAINABLE if LOSSES[name].probability_scale])
def test_probabilities(loss: str) -> None:
    model = linnet.JointClassifier(prefix, loss).fit(INPUTS, LABELS)
    p = model.predict_proba(INPUTS)
    np.testing.assert_allclose(p.sum(axis=1), 1)
    np.testing.assert_array_equal(model.classes_[p.argmax(axis=1)], LABELS)


def test_margins_have_no_probabilities() -> None:
    with pytest.raises(AttributeError, match="margins, not probabilities"):
        linnet.JointClassifier(prefix, "hinge").fit(INPUTS, LABELS).predict_proba(INPUTS)


def block(document: dict[int, float], label: int) -> dict[str, float]:
    features = {f"{j} {label}": value for j, value in document.items()}
    return features | {f"constant {label}": 1.0}


@pytest.mark.parametrize(
    ("loss", "learner", "penalty"),
    [
        ("logistic", "lbfgs", "l2"),
        ("logistic", "owlqn", "l1"),
        ("softmax_margin", "cg", "l2"),
        ("exponential", "lbfgs", "l2"),
        ("squared", "lbfgs", "l2"),
    ],
)
def test_block_features_are_the_classifier(loss: str, learner: str, penalty: str) -> None:
    X, y = problems.topics(n=60, labels=3)
    documents = [dict(zip(row.indices.tolist(), row.data.tolist(), strict=True)) for row in X]
    settings: dict[str, Any] = {"C": 0.5, "tol": 1e-8}
    flat = linnet.LinearClassifier(loss, learner, penalty, **settings).fit(X, y)
    joint = linnet.JointClassifier(block, loss, learner, penalty, **settings).fit(documents, y)
    assert joint.record_.objective == pytest.approx(flat.record_.objective, rel=1e-6)
    np.testing.assert_allclose(joint.decision_function(documents), flat.decision_function(X), atol=1e-3)
    np.testing.assert_array_equal(joint.predict(documents), flat.predict(X))


@pytest.mark.parametrize("learner", ["perceptron", "pa", "mira", "arow"])
def test_block_features_are_the_online_classifier(learner: str) -> None:
    """The same steps in the same order: the same weights, wherever they are kept."""
    X, y = problems.topics(n=60, labels=3)
    documents = [dict(zip(row.indices.tolist(), row.data.tolist(), strict=True)) for row in X]
    settings: dict[str, Any] = {"shuffle": False, "max_iter": 3}
    flat = linnet.LinearClassifier("hinge", learner, "none", **settings).fit(X, y)
    joint = linnet.JointClassifier(block, "hinge", learner, "none", **settings).fit(documents, y)
    assert joint.record_.mistakes == flat.record_.mistakes
    np.testing.assert_allclose(
        joint.decision_function(documents), flat.decision_function(X), rtol=1e-4, atol=1e-4
    )


@pytest.mark.filterwarnings("ignore:the data are separable")
@pytest.mark.parametrize("loss", TRAINABLE)
@pytest.mark.parametrize("penalty", ["l2", "l1", "none"])
def test_candidates_of_different_lengths(loss: str, penalty: str) -> None:
    X, gold = problems.candidates()
    model = linnet.Reranker(loss, penalty=penalty).fit(X, gold)
    assert {len(s) for s in model.scores(X)} == {2, 3, 4, 5}
    assert model.score(X, gold) > 0.8
    assert model.predict([[["a", "b"]], [["p"], ["a", "b", "c"]]]).tolist() == [0, 1]


def test_weights_are_repetitions() -> None:
    X, gold = problems.candidates(n=30)
    times = 1 + np.arange(30) % 3
    weighted = linnet.Reranker(tol=1e-8).fit(X, gold, sample_weight=times)
    repeated = [i for i, k in enumerate(times) for _ in range(k)]
    plain = linnet.Reranker(tol=1e-8).fit([X[i] for i in repeated], gold[repeated])
    assert weighted.record_.objective == pytest.approx(plain.record_.objective, rel=1e-8)


def test_a_single_candidate_is_always_right() -> None:
    X = [[["a"]], [["a"], ["b"]]]
    model = linnet.Reranker().fit(X, [0, 1])
    assert model.predict(X).tolist() == [0, 1]
    assert model.predict_proba(X)[0].tolist() == [1.0]


@pytest.mark.parametrize(
    ("loss", "learner", "penalty"), [("logistic", "lbfgs", "l2"), ("hinge", "pa", "none")]
)
def test_diagnostics_of_block_features_are_the_classifier_s(
    loss: str, learner: str, penalty: str
) -> None:
    X, y = problems.topics(n=60, labels=3)
    documents = [dict(zip(row.indices.tolist(), row.data.tolist(), strict=True)) for row in X]
    settings: dict[str, Any] = {"shuffle": False, "tol": 1e-10, "max_iter": 500}
    flat = linnet.LinearClassifier(loss, learner, penalty, fit_intercept=False, **settings)
    expected = flat.fit(X, y, sample_weight=1 + np.arange(60) % 2).record_.diagnostics
    joint = linnet.JointClassifier(without_constant, loss, learner, penalty, **settings)
    found = joint.fit(documents, y, sample_weight=1 + np.arange(60) % 2).record_.diagnostics
    assert found.pop("moment_residual", 0) < 1e-5
    expected.pop("moment_residual", None)
    assert found.keys() == expected.keys()
    for name, value in expected.items():
        assert found[name] == (value if value is None else pytest.approx(value, rel=1e-4)), name


def without_constant(document: dict[int, float], label: int) -> dict[str, float]:
    return {f"{j} & {label}": value for j, value in document.items()}


def test_diagnostics_by_hand() -> None:
    """f(x, right) − f(x, wrong) is (1, −1), then (2, 0); the list of one says nothing."""
    X = [[["a"], ["b"]], [["c"]], [["b"], ["a", "a", "b"]]]
    model = linnet.Reranker("perceptron", "perceptron", "none", shuffle=False).fit(X, [0, 0, 1])
    d = model.record_.diagnostics
    assert d["R"] == 2
    a, b, _ = model.coef_.tolist()
    assert d["functional_margin"] == pytest.approx(min(a - b, 2 * a))
    assert d["errors"] == 0
    assert model.record_.mistakes <= d["mistake_bound"]


def test_separable_candidates_without_a_penalty() -> None:
    with pytest.warns(TrainingWarning, match="the weights grow without bound"):
        linnet.Reranker(penalty="none").fit([[["a"], ["b"]]], [0])


def test_a_failed_fit_leaves_the_model_alone() -> None:
    model = linnet.JointClassifier(prefix).fit(INPUTS, LABELS)
    before = model.predict(INPUTS)
    for X, y in ((INPUTS, LABELS[:2]), ("owl", LABELS), (INPUTS, None), (["a"], ["a"])):
        with pytest.raises(DataError):
            model.fit(X, y)
        np.testing.assert_array_equal(model.predict(INPUTS), before)


def test_labels_may_be_an_array() -> None:
    model = linnet.JointClassifier(prefix, labels=np.array(["finch"])).fit(INPUTS, LABELS)
    assert "finch" in model.classes_


def test_no_held_out_data_to_watch() -> None:
    model = linnet.Reranker(learner=linnet.learners.SGD("reduce"))
    with pytest.raises(RefusedError, match="watches the likelihood of held-out data"):
        model.fit([[["a"], ["b"]]], [0])


def test_score() -> None:
    X = [[["a"], ["b"]], [["b"], ["a"]], [["b"], ["c"]]]
    model = linnet.Reranker("perceptron", "perceptron", "none").fit(X[:2], [0, 1])
    assert model.score(X, [0, 1, 0], sample_weight=[1, 1, 2]) == 0.5
    with pytest.raises(DataError, match=r"3 instances, but y is of shape \(3, 1\)"):
        model.score(X, [[0], [1], [1]])


def test_what_is_not_for_it_is_said() -> None:
    model = linnet.Reranker().fit([[{"a": 1.0}, {"b": 1.0}]] * 2, [0, 0])
    with pytest.raises(RefusedError, match=r"Reranker cannot be saved.*pickle"):
        model.save("nowhere.linnet")
    with pytest.raises(RefusedError, match=r"not Reranker; use linnet\.evaluation\.tune"):
        linnet.tune(linnet.Reranker(), {"C": [1.0]}, [[{"a": 1.0}, {"b": 1.0}]] * 2, [0, 0])
