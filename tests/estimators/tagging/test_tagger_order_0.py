"""Taggers of order 0 are classifiers of tokens, with all that a tagger has."""

import numpy as np
import pytest

import linnet
from linnet.errors import RefusedError

X = [["the", "dog", "runs"], ["a", "dog"], ["dogs", "run", "the", "run"], ["run"], ["the", "run"]] * 3
Y = [["D", "N", "V"], ["D", "N"], ["N", "V", "D", "N"], ["V"], ["D", "N"]] * 3


def tagger(**settings) -> linnet.Tagger:
    given = {"loss": "logistic", "learner": "lbfgs", "C": 1.0, "order": 0, "tol": 1e-10} | settings
    return linnet.Tagger(["word"], **given)


def rows() -> tuple:
    """The rows of tokens, for a classifier of them."""
    words = sorted({word for sentence in X for word in sentence})
    columns = {word: place for place, word in enumerate(words)}
    made = np.zeros((sum(map(len, X)), len(words)))
    for place, word in enumerate(word for sentence in X for word in sentence):
        made[place, columns[word]] = 1
    return made, [tag for tags in Y for tag in tags]


@pytest.mark.parametrize(
    "settings",
    [
        {},
        {"class_weight": {"D": 1.0, "N": 4.0, "V": 0.5}},
        {"class_weight": "balanced"},
        {
            "loss": "hinge",
            "learner": "dual",
            "tol": 1e-6,
            "class_weight": {"D": 3.0, "N": 1.0, "V": 1.0},
        },
    ],
)
def test_equals_a_classifier_of_tokens(settings) -> None:
    model = tagger(**settings).fit(X, Y)
    made, tags = rows()
    given = {"loss": "logistic", "learner": "lbfgs", "C": 1.0, "tol": 1e-10} | settings
    flat = linnet.LinearClassifier(fit_intercept=False, **given).fit(made, tags)
    assert model.record_.objective == pytest.approx(flat.record_.objective, rel=1e-6)
    assert [tag for tags in model.predict(X) for tag in tags] == flat.predict(made).tolist()


def test_costs_of_confusions_matter() -> None:
    settings = {"loss": "softmax_margin"}
    plain = tagger(**settings).fit(X, Y)
    costly = tagger(cost={("N", "V"): 9.0}, **settings).fit(X, Y)
    assert costly.record_.objective > plain.record_.objective
    first, second = (model.predict_marginals([["run"]])[0][0] for model in (plain, costly))
    assert second["N"] > first["N"]  # what is dear is avoided


@pytest.mark.parametrize("learner", ["pa", "perceptron"])
def test_steps_over_all_pairs_are_those_of_a_classifier(learner) -> None:
    given = {"loss": "hinge", "learner": learner, "penalty": "none", "max_iter": 4, "tol": "auto"}
    plain = tagger(**given, shuffle=False).fit(X, Y)
    ones = tagger(**given, shuffle=False, all_states=True).fit(X, Y)
    dense = [model.model_.states.dense(3) for model in (plain, ones)]
    np.testing.assert_allclose(*dense, atol=1e-5)
    assert plain.predict(X) == ones.predict(X)


def test_pairs_that_are_seen_alone_have_weights() -> None:
    given = {"loss": "hinge", "learner": "pa", "penalty": "none", "tol": "auto"}
    model = tagger(**given, all_states=False).fit(X, Y)
    seen = {pair for words, tags in zip(X, Y, strict=True) for pair in zip(words, tags, strict=True)}
    assert 0 < np.count_nonzero(model.model_.states.dense(3)) <= len(seen)
    assert model.predict([["the", "dog"]]) == [["D", "N"]]


def test_tokens_without_tags_weigh_nothing_in_chains_of_one() -> None:
    given = {"loss": "hinge", "learner": "pa", "penalty": "none", "tol": "auto", "max_iter": 4}
    some = [[None if k == 1 else tag for k, tag in enumerate(tags)] for tags in Y]
    plain, ones = (tagger(**given, all_states=a).fit(X, some) for a in (None, True))
    assert plain.predict(X) == ones.predict(X)


def test_warm_starts_of_chains_of_one_go_on() -> None:
    model = tagger(warm_start=True, all_states=False).fit(X, Y)
    before, passes = model.record_.objective, len(model.record_.epochs)
    model.fit(X, Y)
    assert len(model.record_.epochs) < passes
    assert model.record_.objective == pytest.approx(before, rel=1e-6)


def test_warm_starts_go_on_from_the_optimum() -> None:
    model = tagger(warm_start=True).fit(X, Y)
    before, passes = model.record_.objective, len(model.record_.epochs)
    model.fit(X, Y)
    assert len(model.record_.epochs) < passes
    assert model.record_.objective == pytest.approx(before, rel=1e-8)


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ({"constrain_training": True, "legal": "bio"}, "constrain_training"),
        ({"ends": True}, "ends"),
    ],
)
def test_what_has_no_effect_is_refused(settings, said) -> None:
    tags = [["B-X" if tag == "N" else "O" for tag in row] for row in Y]
    with pytest.raises((RefusedError, ValueError), match=f"order 0.*{said}"):
        tagger(**settings).fit(X, tags)
