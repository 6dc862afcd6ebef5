"""HMM and MEMM as estimators: unknown words, missing tags, files, refusals."""

import numpy as np
import pytest

import linnet
from linnet import HMM, MEMM
from linnet.errors import RefusedError

X = [["the", "linnet", "sings"], ["a", "wren", "hides"], ["a", "wren", "sings"], ["it", "hides"]]
Y = [["D", "N", "V"], ["D", "N", "V"], ["D", "N", "V"], ["P", "V"]]


def test_unknown_words_go_by_their_class_and_their_neighbours() -> None:
    assert HMM().fit(X, Y).predict([["a", "robin", "hides"]]) == [["D", "N", "V"]]


def test_the_score_of_a_sentence_is_its_log_joint() -> None:
    model = HMM(smoothing=0.0, transition_smoothing=0.0, rare=0).fit(X, Y)
    # P(D first) = ¾, P(a|D) = ⅔, P(wren|N) = ⅔, P(sings|V) = ½; transitions are certain
    (tags, score), *_ = model.predict([["a", "wren", "sings"]], k=2)[0]
    assert tags == ["D", "N", "V"]
    assert score == pytest.approx(np.log(3 / 4 * 2 / 3 * 2 / 3 / 2), abs=1e-6)


def test_missing_tags_are_summed_out_and_states_found() -> None:
    some = HMM().fit(X, [Y[0], [None, "N", None], *Y[2:]])
    assert some.record_.learner == "em"
    objectives = [row.objective for row in some.record_.epochs]
    assert objectives == sorted(objectives, reverse=True)
    assert some.predict(X)[1] == ["D", "N", "V"]
    none = HMM(states=["up", "down"], rare=0).fit([["tick", "tock"] * 4, ["tick", "tock"] * 3])
    tick, tock = none.predict([["tick", "tock"]])[0]
    assert {tick, tock} == {"up", "down"}


def test_a_warm_start_goes_on_where_it_was() -> None:
    some = [Y[0], [None, "N", None], *Y[2:]]
    model = HMM(warm_start=True, max_iter=3).fit(X, some)
    first = model.record_.epochs[0].objective
    assert model.fit(X, some).record_.epochs[0].objective < first


@pytest.mark.parametrize("kind", [HMM, MEMM])
def test_files(kind, tmp_path) -> None:
    model = kind().fit(X, Y)
    model.save(tmp_path / "tagger.linnet")
    loaded = linnet.load(tmp_path / "tagger.linnet")
    unknown = [["the", "finch", "Hides", "42"], ["it", "sings"]]
    assert loaded.predict(unknown) == model.predict(unknown)
    for a, b in zip(loaded.predict_proba(unknown), model.predict_proba(unknown), strict=True):
        np.testing.assert_array_equal(a, b)
        np.testing.assert_allclose(a.sum(axis=1), 1)


def test_refusals() -> None:
    with pytest.raises(ValueError, match="one event per token"):
        HMM(features=["word", "suffix1"]).fit(X, Y)
    with pytest.raises(RefusedError, match="none may be missing"):
        MEMM().fit(X, [[None, "N", "V"], *Y[1:]])
    with pytest.raises(RefusedError, match="loss 'logistic', not 'hinge'"):
        linnet.Tagger(loss="hinge", learner="sgd", normalisation="local").fit(X, Y)


def test_tokens_apart_keep_the_prior_of_their_tags() -> None:
    """A chain of order 0 is naive Bayes: a word never seen has the tag that most tokens have."""
    model = linnet.Tagger(["word"], loss="joint_likelihood", learner="counting", order=0)
    model.fit([["a"], ["b"], ["c"], ["d"]], [["N"], ["N"], ["N"], ["D"]])
    assert model.predict([["z"]]) == [["N"]]
