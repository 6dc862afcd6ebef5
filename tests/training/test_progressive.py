"""Progressive validation: every example is predicted before it is learnt from, as it were by hand."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import linnet
from linnet import LinearClassifier, TextClassifier
from linnet.errors import RefusedError
from linnet.training.progressive import lines

from ..birds import BIRDS, SEVERAL, TEXTS

RANDOM = np.random.default_rng(3)
X = RANDOM.normal(size=(21, 5))
Y = np.array(["linnet", "owl", "wren"])[(X @ RANDOM.normal(size=(5, 3))).argmax(axis=1)]


def by_hand(settings: dict, y: np.ndarray, weights: np.ndarray) -> dict[str, list]:
    """One example after the other, by `partial_fit`; the hinge loss of each before it."""
    model, table = LinearClassifier(**settings), {}
    losses, mistakes = [], []
    names = np.unique(y).tolist()
    for i in range(len(y)):
        scores = np.zeros(len(names))
        if i:
            found = model.decision_function(X[i : i + 1])[0]
            scores = found if len(names) > 2 else np.array([0.0, found])
        gold = names.index(y[i])
        others = np.delete(scores, gold)
        losses.append(max(0.0, 1 + others.max() - scores[gold]) * weights[i])
        guess = names[int(scores.argmax())]
        mistakes.append(guess != y[i])
        row = {"label": y[i], "predicted": guess, "examples": i + 1}
        row["average_loss"] = sum(losses) / weights[: i + 1].sum()
        row["errors"] = np.mean(mistakes)
        for name, value in row.items():
            table.setdefault(name, []).append(value)
        model.partial_fit(X[i : i + 1], y[i : i + 1], classes=names, sample_weight=weights[i : i + 1])
    kept = [at - 1 for at in lines(len(y))]
    return {name: [values[at] for at in kept] for name, values in table.items()}


@pytest.mark.parametrize("learner", ["perceptron", "pa", "sgd"])
@pytest.mark.parametrize("labels", [2, 3])
def test_as_by_hand(learner: str, labels: int) -> None:
    y = Y if labels == 3 else np.where(Y == "wren", "wren", "owl")
    weights = np.where(np.arange(len(y)) % 2, 1.0, 2.0)
    settings = {"loss": "hinge", "learner": learner, "penalty": "none"}
    if learner == "sgd":
        settings["learner"] = linnet.learners.SGD(step="constant", eta0=0.1)
    model = LinearClassifier(**settings, progressive=True, max_iter=1).fit(X, y, sample_weight=weights)
    found, expected = model.record_.facts["progressive"], by_hand(settings, y, weights)
    assert found["examples"] == [1, 2, 4, 8, 16, 21]
    for name in ("label", "predicted"):
        assert found[name] == expected[name]
    for name in ("average_loss", "errors"):
        np.testing.assert_allclose(found[name], expected[name], rtol=1e-5)
    # 'since last' adds up to the whole.
    sums = np.diff([0.0, *np.cumsum(weights)[np.array(found["examples"]) - 1]])
    total = found["average_loss"][-1] * weights.sum()
    assert np.dot(found["since_last"], sums) == pytest.approx(total)
    # One pass in the order of the data is what was learnt.
    plain = LinearClassifier(**settings, shuffle=False, max_iter=1).fit(X, y, sample_weight=weights)
    np.testing.assert_allclose(model.coef_, plain.coef_, rtol=1e-5)
    assert model.record_.mistakes == plain.record_.mistakes
    assert model.record_.objective == pytest.approx(plain.record_.objective, rel=1e-5)


def test_texts_have_their_labels_and_the_file_keeps_it(tmp_path: Path) -> None:
    model = TextClassifier(learner="perceptron", progressive=True).fit(TEXTS, BIRDS)
    table = model.record_.facts["progressive"]
    assert table["label"] == [BIRDS[at - 1] for at in table["examples"]]
    assert set(table["predicted"]) <= set(BIRDS)
    assert table["errors"][-1] < table["errors"][1]
    model.save(tmp_path / "m.linnet")
    loaded = linnet.load(tmp_path / "m.linnet")
    assert loaded.record_.facts["progressive"] == table
    assert loaded.progressive
    given = TextClassifier(classifier=linnet.Perceptron(progressive=True)).fit(TEXTS, BIRDS)
    assert given.record_.facts["progressive"]["label"] == table["label"]


def test_refusals() -> None:
    with pytest.raises(RefusedError, match="step from example to example; dual does not: use 'sgd'"):
        linnet.LinearSVM(progressive=True).fit(X, Y)
    with pytest.raises(RefusedError, match="trains one label against the rest"):
        LinearClassifier("hinge", "perceptron", "none", multiclass="rest", progressive=True).fit(X, Y)
    with pytest.raises(ValueError, match="each label is trained by itself"):
        TextClassifier(learner="perceptron", progressive=True).fit(TEXTS, SEVERAL)
    with pytest.raises(ValueError, match="progressive must be True or False"):
        linnet.Perceptron(progressive="yes").fit(X, Y)


def test_calibration_does_not_repeat_it() -> None:
    model = linnet.Perceptron(progressive=True, calibration="sigmoid").fit(X, Y)
    assert model.record_.facts["progressive"]["examples"][-1] == len(Y)
    assert model.predict_proba(X).shape == (21, 3)
