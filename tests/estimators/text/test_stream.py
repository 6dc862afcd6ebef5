"""A stream of texts: words and labels that were never seen before, batch by batch."""

from __future__ import annotations

import copy
import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import linnet
from linnet import TextClassifier
from linnet.data import Examples, LabelColumn, as_texts
from linnet.errors import DataError
from linnet.features import TextFeatures
from linnet.learners import SGD

from ...birds import ALL_BIRDS, ALL_TEXTS, BIRDS, HELD_BIRDS, HELD_TEXTS, TEXTS, TWO_BIRDS, TWO_TEXTS

BATCHES = [(ALL_TEXTS[i : i + 50], ALL_BIRDS[i : i + 50]) for i in range(0, 400, 50)]


def streamed(**settings: object) -> TextClassifier:
    model = TextClassifier(**settings)
    for texts, birds in BATCHES:
        model.partial_fit(texts, birds)
    return model


@pytest.mark.parametrize(
    "settings",
    [
        {},
        {"loss": "logistic", "learner": "sgd"},
        {"classifier": linnet.Perceptron()},
        {"classifier": linnet.PassiveAggressive()},
        {"classifier": linnet.MIRA()},
        {"classifier": linnet.AROW(r=0.5)},
        {"classifier": linnet.Winnow()},
        {"features": TextFeatures(hash_bits=12)},
        {"features": TextFeatures(word=(1, 1), chars_wb=(2, 3), mix={"word": 2.0}, tf="sublinear")},
        {"features": TextFeatures(scale="idf", tf="sublinear")},
    ],
    ids=str,
)
def test_words_and_labels_may_come_at_any_time(settings: dict, tmp_path: Path) -> None:
    model = TextClassifier(**settings)
    sizes = []
    for begin, (texts, birds) in enumerate(BATCHES):
        assert model.partial_fit(texts, birds) is model
        sizes.append(model.features_.n_features)
        assert model.model_.features == sizes[-1]
        assert set(model.predict(HELD_TEXTS)) <= set(model.classes_.tolist())
        found = model.predict_proba(HELD_TEXTS)
        assert found.shape == (len(HELD_TEXTS), len(model.classes_))
        np.testing.assert_allclose(found.sum(axis=1), 1)
        assert begin or len(model.record_.epochs) == 1
    assert sizes == sorted(sizes)
    assert sizes[0] < sizes[-1] or model.features_.hash_bits
    assert model.score(HELD_TEXTS, HELD_BIRDS) > 0.4
    model.save(tmp_path / "m")
    found = linnet.load(tmp_path / "m")
    np.testing.assert_array_equal(
        found.decision_function(HELD_TEXTS), model.decision_function(HELD_TEXTS)
    )


def test_one_label_first() -> None:
    model = TextClassifier().partial_fit(["red breast", "red wing"], ["linnet", "linnet"])
    assert model.predict(["red", "grey"]).tolist() == ["linnet", "linnet"]
    assert model.predict_proba(["red", "grey"]).tolist() == [[1.0], [1.0]]
    assert model.explain("red").label == "linnet"
    model.partial_fit(["grey neck", "grey bill"] * 3, ["heron"] * 6)
    assert model.classes_.tolist() == ["linnet", "heron"]  # in the order they came
    assert model.predict(["red breast", "grey neck"]).tolist() == ["linnet", "heron"]
    assert model.predict_proba(["red"]).shape == (1, 2)
    model.partial_fit(["big eyes", "red breast", "grey neck"] * 3, ["owl", "linnet", "heron"] * 3)
    assert model.predict(["red breast", "grey neck", "eyes"]).tolist() == ["linnet", "heron", "owl"]
    assert model.explain("eyes").label == "owl"


def test_classes_may_be_announced() -> None:
    model = TextClassifier().partial_fit(["red"], ["linnet"], classes=["heron", "linnet", "owl"])
    assert model.classes_.tolist() == ["heron", "linnet", "owl"]
    assert model.predict_proba(["red"]).shape == (1, 3)
    with pytest.raises(DataError, match="mixed type"):
        model.partial_fit(["red"], [3])


def test_same_bits_each_time_and_for_any_threads() -> None:
    one, two, three = streamed(), streamed(n_jobs=2), streamed(n_jobs=3)
    for other in (two, three):
        assert one.model_.weights.tobytes() == other.model_.weights.tobytes()
        assert list(one.features_.names) == list(other.features_.names)
        assert one.calibrator_ == other.calibrator_


def test_without_calibration_what_was_there_stays() -> None:
    assert streamed(calibration=None).no_probabilities() is not None
    model = TextClassifier().fit(ALL_TEXTS, ALL_BIRDS)
    before = model.calibrator_
    model.calibration = None
    model.partial_fit(ALL_TEXTS[:100], ALL_BIRDS[:100])
    assert model.calibrator_ == before
    model.calibration = "auto"
    assert model.predict_proba(ALL_TEXTS[:2]).sum(axis=1) == pytest.approx(1.0)


def test_the_stream_is_calibrated_by_what_it_has_not_seen() -> None:
    model = streamed()
    assert model.calibrator_.a != 1.0
    at = np.searchsorted(np.sort(model.classes_), HELD_BIRDS)
    order = np.argsort(model.classes_)
    likelihood = np.log(model.predict_proba(HELD_TEXTS)[:, order][np.arange(len(at)), at]).mean()
    assert likelihood > np.log(1 / 6) / 2


@pytest.mark.parametrize(
    "fitted",
    [
        {},
        {"loss": "logistic"},
        {"calibration": "sigmoid"},
        {"features": TextFeatures(scale="nb")},
        {"features": TextFeatures(scale="idf", min_df=2)},
        {"features": TextFeatures(hash_bits=12, keep_names=True)},
        {"classifier": linnet.VotedPerceptron()},
    ],
    ids=str,
)
@pytest.mark.parametrize("labels", [2, 6])
@pytest.mark.parametrize("how", ["as it is", "loaded", "pickled", "copied"])
def test_a_fitted_model_goes_on(fitted: dict, labels: int, how: str, tmp_path: Path) -> None:
    X, y = (TWO_TEXTS, TWO_BIRDS) if labels == 2 else (TEXTS, BIRDS)
    model = TextClassifier(**fitted).fit(X, y)
    if how == "loaded":
        model.save(tmp_path / "m")
        model = linnet.load(tmp_path / "m")
        assert not model.model_.weights.flags.writeable
    elif how == "pickled":
        model = pickle.loads(pickle.dumps(model))
    elif how == "copied":
        model = copy.deepcopy(model)
    if "classifier" in fitted and how != "loaded":
        with pytest.raises(AttributeError, match="partial_fit"):
            model.partial_fit(["a nightjar churring"], ["nightjar"])
        assert model.score(X, y) > 0.9
        return
    for _ in range(3):
        model.partial_fit(["a nightjar churring at night"] * 4 + X[:30], ["nightjar"] * 4 + y[:30])
        assert model.predict(HELD_TEXTS).shape == (len(HELD_TEXTS),)
    assert model.classes_.tolist() == [*sorted(set(y)), "nightjar"]
    assert model.predict(["nightjar churring"]).tolist() == ["nightjar"]
    assert model.score(X, y) > 0.85
    found = model.predict_proba(HELD_TEXTS)
    assert found.shape == (len(HELD_TEXTS), labels + 1)
    np.testing.assert_allclose(found.sum(axis=1), 1)
    explained = model.explain("a nightjar churring")
    np.testing.assert_allclose(explained.scores, model._scores(["a nightjar churring"])[0], atol=1e-5)


def test_loaded_and_kept_in_memory_go_on_alike(tmp_path: Path) -> None:
    model = TextClassifier().fit(TEXTS, BIRDS)
    model.save(tmp_path / "m")
    loaded = linnet.load(tmp_path / "m")
    for texts, birds in BATCHES[:3]:
        model.partial_fit(texts, birds)
        loaded.partial_fit(texts, birds)
    np.testing.assert_array_equal(model.coef_, loaded.coef_)
    assert linnet.load(tmp_path / "m").features_.n_features < loaded.features_.n_features


@pytest.mark.parametrize("begun", ["nothing", "a stream", "a fit"])
def test_a_bad_batch_does_no_harm(begun: str) -> None:
    model = TextClassifier()
    if begun == "a stream":
        model.partial_fit(TEXTS, BIRDS)
    elif begun == "a fit":
        model.fit(TEXTS, BIRDS)
    before = None if begun == "nothing" else model.decision_function(HELD_TEXTS)
    bad: list[tuple[list[str], list]] = [
        (["words never seen", "beyond count"], ["owl", 3]),
        (["other words", "still others"], [4, 5]),
        (["more words"], ["owl", "owl"]),
    ]
    for texts, labels in bad[: 1 if begun == "nothing" else 3]:
        with pytest.raises(DataError):
            model.partial_fit(texts, labels)
    with pytest.raises(DataError, match="sample_weight"):
        model.partial_fit(["heavy words"], ["owl"], sample_weight=[-1])
    with pytest.raises(ValueError, match="unknown loss"):
        TextClassifier(loss="nonsense", learner="sgd").partial_fit(TEXTS, BIRDS)
    if before is not None:
        np.testing.assert_array_equal(model.decision_function(HELD_TEXTS), before)
    for _ in range(3):
        model.partial_fit(["tu-whit tu-whoo"] * 5 + TEXTS[:20], ["owl"] * 5 + BIRDS[:20])
    assert model.predict(["tu-whit"]).tolist() == ["owl"]


def test_settings_may_be_mended_after_a_bad_first_batch() -> None:
    model = TextClassifier(loss="nonsense", learner="sgd")
    with pytest.raises(ValueError, match="unknown loss"):
        model.partial_fit(TEXTS, BIRDS)
    model.set_params(loss="logistic").partial_fit(TEXTS, BIRDS)
    assert model.loss_ == "logistic"


def test_what_a_stream_cannot_do() -> None:
    with pytest.raises(ValueError, match="all texts at once"):
        TextClassifier(TextFeatures(scale="nb")).partial_fit(TEXTS, BIRDS)
    with pytest.raises(ValueError, match="leave statistics"):
        TextClassifier(TextFeatures(statistics=["length"])).partial_fit(TEXTS, BIRDS)
    with pytest.raises(AttributeError, match="no partial_fit"):
        TextClassifier(learner="dual", loss="hinge").partial_fit(TEXTS, BIRDS)
    several = TextClassifier().fit(["a", "b"], [["x"], []])
    with pytest.raises(DataError, match="takes sets of labels"):
        several.partial_fit(["a"], ["x"])
    with pytest.raises(DataError, match="takes one label for each text"):
        TextClassifier().fit(TEXTS, BIRDS).partial_fit(["a"], [["x"]])
    with pytest.raises(DataError, match="no labels at all"):
        TextClassifier().partial_fit(["a"], [[]])
    small = TextClassifier().fit(TEXTS, BIRDS).quantize()
    with pytest.raises(DataError, match="quantized model learns no more"):
        small.partial_fit(TEXTS, BIRDS)


def test_examples_as_batches() -> None:
    weights = np.linspace(1, 2, len(TEXTS))
    examples = Examples(texts=as_texts(TEXTS), labels=LabelColumn.from_values(BIRDS), weights=weights)
    one = TextClassifier().partial_fit(examples)
    two = TextClassifier().partial_fit(TEXTS, BIRDS, sample_weight=weights)
    np.testing.assert_array_equal(one.coef_, two.coef_)


def test_fit_begins_anew() -> None:
    model = streamed()
    expected = TextClassifier().fit(TWO_TEXTS, TWO_BIRDS)
    model.fit(TWO_TEXTS, TWO_BIRDS)
    np.testing.assert_array_equal(model.coef_, expected.coef_)
    assert model.classes_.tolist() == ["heron", "linnet"]


@pytest.mark.parametrize("sets", [False, True])
def test_going_on_begins_at_the_scores_there_are(sets: bool) -> None:
    """A step that is next to nothing changes next to nothing, the intercept not either."""
    labels: Any = [[bird] for bird in BIRDS] if sets else BIRDS
    model = TextClassifier(TextFeatures(scale="none")).fit(TEXTS, labels)  # no counts of documents
    assert model.model_.bias != 1.0
    before = model.decision_function(TEXTS)
    model.learner, model.loss, model.penalty = SGD("constant", 1e-9), "logistic", "none"
    model.partial_fit(TEXTS[:1], labels[:1])
    np.testing.assert_allclose(model.decision_function(TEXTS), before, atol=1e-5)


def test_several_labels_on_a_stream() -> None:
    """As good as all at once, nearly; labels and words may be new, and sets empty."""
    both = [f"{a} {b}" for a, b in zip(TEXTS, reversed(TEXTS), strict=True)]
    sets = [sorted({a, b}) for a, b in zip(BIRDS, reversed(BIRDS), strict=True)]
    model = TextClassifier()
    for _ in range(5):
        for begin in range(0, len(both), 40):
            model.partial_fit(both[begin : begin + 40], sets[begin : begin + 40])
    assert model.several_
    assert model.score(both, sets) > 0.8
    chances = model.predict_proba(both)
    assert ((chances >= 0) & (chances <= 1)).all()
    words = model.features_.n_features
    for _ in range(20):
        model.partial_fit(["a zonk", "nothing at all"], [["zonk"], []])
    assert model.classes_.tolist()[-1] == "zonk"
    assert model.features_.n_features > words
    assert model.predict(["a zonk", "nothing at all"]) == [("zonk",), ()]


def test_a_stream_of_sets_in_any_number_of_threads() -> None:
    sets = [[bird] if i % 3 else [] for i, bird in enumerate(BIRDS)]
    one, four = (TextClassifier(n_jobs=n).partial_fit(TEXTS, sets) for n in (1, 4))
    assert np.array_equal(one.coef_, four.coef_)
