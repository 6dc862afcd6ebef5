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
        ({"all_states": False}, "all_states=False"),
        ({"ends": True}, "ends"),
    ],
)
def test_what_has_no_effect_is_refused(settings, said) -> None:
    tags = [["B-X" if tag == "N" else "O" for tag in row] for row in Y]
    with pytest.raises((RefusedError, ValueError), match=f"order 0.*{said}"):
        tagger(**settings).fit(X, tags)
