"""Taggers by segments: fit, predict, files, and what is refused."""

from __future__ import annotations

import copy
import pickle
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import linnet
from linnet import Tagger
from linnet.data import samples
from linnet.data.chunks import SCHEMES, convert_tags
from linnet.errors import DataError, RefusedError, TrainingWarning
from linnet.evaluation.spans import span_counts

TRAIN, TEST = samples.load_tagged("sightings-train"), samples.load_tagged("sightings-test")
X = [sentence.split() for sentence in ("the small linnet sings", "a wren hides here", "so it is")]
Y = [["B-NP", "I-NP", "I-NP", "B-VP"], ["B-NP", "I-NP", "B-VP", "O"], ["O", "B-NP", "B-VP"]]


def fitted(y: Any = Y, **settings: Any) -> Tagger:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", TrainingWarning)
        return Tagger(segments=True, **settings).fit(X, y)


def test_is_about_as_good_as_a_chain() -> None:
    by_segments = Tagger(segments=True).fit(*TRAIN)
    chain = Tagger().fit(*TRAIN)
    f1 = [span_counts(TEST[1], t.predict(TEST[0])).f1 for t in (by_segments, chain)]
    assert f1[0] > f1[1] - 0.02
    assert f1[0] > 0.8
    assert "lbfgs" in str(by_segments.choice_)


@pytest.mark.parametrize(
    "settings",
    [
        {},
        {"longest": 3},
        {"loss": "softmax_margin"},
        {"penalty": "l1", "C": 10.0},
        {"loss": "perceptron", "average": False},
        {"loss": "perceptron"},
        {"loss": "hinge"},
        {"learner": "pa", "loss": "hinge"},
        {"learner": "mira", "loss": "hinge"},
        {"learner": "sgd", "loss": "logistic"},
        {"learner": "adagrad", "loss": "hinge"},
        {"learner": "arow", "loss": "hinge"},
        {"learner": "newton"},
    ],
    ids=str,
)
def test_every_learner_learns(settings: dict[str, Any]) -> None:
    tagger = fitted(**settings)
    assert tagger.predict(X) == Y
    assert tagger.score(X, Y) == 1.0


@pytest.mark.parametrize("scheme", SCHEMES)
def test_answers_are_in_the_scheme_of_the_data(scheme: str) -> None:
    y = convert_tags(Y, scheme)
    tagger = fitted(y)
    assert tagger.predict(X) == y
    assert tagger.classes_.tolist() == tagger.model_.shape.tags
    for found, tags in zip(tagger.predict_proba(X), y, strict=True):
        np.testing.assert_allclose(found.sum(axis=1), 1.0)
        assert tagger.classes_[found.argmax(axis=1)].tolist() == tags
    assert tagger.predict(X, k=2)[0][0][0] == y[0]
    best = tagger.sequence_log_proba(X)
    np.testing.assert_allclose(best, tagger.sequence_log_proba(X, y))
    assert (best < 0).all()
    assert (tagger.entropy(X) > 0).all()
    assert len(tagger.sample(X, 3)[0]) == 3


def test_lists_the_probabilities_of_all_segmentations() -> None:
    tagger = fitted()
    (ranked,) = tagger.predict([["a", "small", "wren"]], k=1000)
    assert len(ranked) == len({tuple(tags) for tags, _ in ranked})
    log_p = tagger.sequence_log_proba([["a", "small", "wren"]] * len(ranked), [t for t, _ in ranked])
    assert np.exp(log_p).sum() == pytest.approx(1.0, abs=1e-6)


def test_explains_its_scores() -> None:
    """Every summand of the score is told, and weights are named."""
    for longest in (None, 3):
        tagger = fitted(longest=longest)
        scores = [ranked[0][1] for ranked in tagger.predict(X, k=1)]
        for found, tags, score in zip(tagger.explain(X), Y, scores, strict=True):
            assert found.tags == tags
            assert found.score == pytest.approx(score, rel=1e-5)
            assert str(found)
            assert found.to_html()
        terms = [term.name for term in tagger.explain(X)[0].tokens[2].terms if term.kind == "length"]
        assert terms == ["NP of 3 tokens"]
        assert tagger.explain(X[0]).tokens[3].terms[-2].name == "NP → VP"
    shown = str(tagger.inspect(3))
    assert "first of NP" in shown
    assert "of lengths" in shown
    long = Tagger(segments=True).fit([["wren"] * 6, ["a"]], [["B-NP", *["I-NP"] * 5], ["O"]])
    assert "NP of 5 or more tokens" in str(long.inspect(99))


def test_files_copies_and_threads(tmp_path: Path) -> None:
    tagger = Tagger(segments=True, longest=6, max_iter=20)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", TrainingWarning)
        tagger.fit(*TRAIN)
    tagger.save(tmp_path / "model.linnet")
    expected = tagger.predict(TEST[0]), tagger.predict_proba(TEST[0])
    for other in (
        linnet.load(tmp_path / "model.linnet"),
        pickle.loads(pickle.dumps(tagger)),
        copy.deepcopy(tagger),
    ):
        assert other.get_params() == tagger.get_params()
        assert other.predict(TEST[0]) == expected[0]
        for a, b in zip(other.predict_proba(TEST[0]), expected[1], strict=True):
            np.testing.assert_array_equal(a, b)
    tagger.n_jobs = 2
    assert tagger.predict(TEST[0]) == expected[0]


def test_held_out_sentences_stop_it() -> None:
    tagger = Tagger(segments=True, learner="perceptron", loss="perceptron", patience=1)
    tagger.fit(*TRAIN, dev=TEST)
    assert tagger.record_.epochs[-1].dev_score is not None


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"order": 2}, "order=2"),
        ({"ends": True}, "ends=True"),
        ({"normalisation": "local"}, "normalisation='local'"),
        ({"dictionary": {"wren": ["O"]}}, "dictionary"),
        ({"transitions": {"O": ["O"]}}, "transitions"),
        ({"cost": {("O", "B-NP"): 2.0}, "loss": "hinge"}, "cost"),
        ({"class_weight": "balanced", "loss": "hinge"}, "class_weight"),
        ({"all_states": False}, "all_states"),
        ({"warm_start": True}, "warm_start"),
        ({"learner": "dual"}, "segments"),
        ({"learner": "voted", "loss": "perceptron"}, "does not train segments"),
        ({"features": ["word", "transition: word"]}, "no segments"),
    ],
    ids=str,
)
def test_refuses_what_segments_do_not_do(settings: dict[str, Any], message: str) -> None:
    with pytest.raises(RefusedError, match=message):
        Tagger(segments=True, **settings).fit(X, Y)


def test_refuses_other_forms() -> None:
    tagger = fitted()
    with pytest.raises(RefusedError, match="by segments"):
        tagger.quantize()
    with pytest.raises(RefusedError, match="without rules"):
        tagger.predict(X, known=[[None] * 4, [None] * 4, ["O", None, None]])
    with pytest.raises(RefusedError, match="partial_fit"):
        tagger.partial_fit(X, Y)
    with pytest.raises(RefusedError, match="does not train segments"):
        linnet.HMM(segments=True, ends=False).fit(X, Y)


def test_bad_input() -> None:
    with pytest.raises(DataError, match="'D' is none"):
        Tagger(segments=True).fit([["a", "b"]], [["D", "N"]])
    with pytest.raises(DataError, match="sentence 2 has a token without a tag"):
        Tagger(segments=True).fit(X[:2], [Y[0], [None, *Y[1][1:]]])
    with pytest.raises(
        DataError, match=r"sentence 1: the span of type NP from token 1 on has 3 tokens"
    ):
        Tagger(segments=True, longest=2).fit(X, Y)
    with pytest.raises(ValueError, match="set segments=True"):
        Tagger(longest=2).fit(X, Y)
    for longest in (0, -1, 2.5, True):
        with pytest.raises(ValueError, match="longest must be"):
            Tagger(segments=True, longest=longest).fit(X, Y)
    with pytest.raises(ValueError, match="segments must be"):
        Tagger(segments="yes").fit(X, Y)
    assert fitted().predict([[], ["wren"]])[0] == []


def test_a_long_sentence() -> None:
    tagger = fitted()
    (tags,) = tagger.predict([["the", "small", "linnet", "sings"] * 5000])
    assert len(tags) == 20000
    assert np.isfinite(tagger.sequence_log_proba([["wren"] * 5000])).all()


def test_spans_may_be_longer_than_any_seen() -> None:
    tagger = fitted([["B-NP"] * 4, ["B-NP"] * 4, ["O", "B-VP", "O"]])
    long = [["B-NP", *["I-NP"] * 7]]
    assert np.isfinite(tagger.sequence_log_proba([["so"] * 8], long)).all()
    bounded = fitted(longest=3)
    assert (bounded.sequence_log_proba([["so"] * 8], long) == -np.inf).all()
