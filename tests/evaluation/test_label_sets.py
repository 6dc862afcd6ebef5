"""Texts with several labels each, against scikit-learn and against all thresholds there are."""

import numpy as np
import pytest
import sklearn.metrics as reference

from linnet.evaluation import answers, report
from linnet.evaluation.label_sets import (
    best_of_each,
    best_threshold,
    chosen_elsewhere,
    figures,
    instead,
    members,
    with_thresholds,
    worst_decisions,
)

NAMES = ["a", "b", "c"]


@pytest.fixture
def flags() -> tuple[np.ndarray, np.ndarray]:
    """(gold, values): labels that values know something of."""
    random = np.random.default_rng(0)
    gold = random.random((200, 3)) < [0.5, 0.2, 0.05]
    return gold, np.clip(0.25 + 0.35 * gold + 0.3 * random.random((200, 3)), 0, 1)


def sets(table: np.ndarray) -> list[list[str]]:
    return [[NAMES[k] for k in np.flatnonzero(row)] for row in table]


def test_what_was_said_instead_by_hand() -> None:
    gold = [["a"], ["a", "b"], [], ["c"], ["a"]]
    said = [["b"], ["c"], ["c"], [], ["a"]]
    found = instead(answers(gold, said))
    cells = list(zip(found.gold.tolist(), found.guess.tolist(), found.times.tolist(), strict=True))
    # a by b; a and b by c; nothing by c; c by nothing; and the last one is right
    assert cells == [(0, 1, 1), (0, 2, 1), (1, 2, 1), (2, 3, 1), (3, 2, 1)]


def test_members_are_the_sets() -> None:
    found = answers([["a"], [], ["c", "a"]], [["b"], ["b"], []])
    assert sets(members(found, found.gold)) == [["a"], [], ["a", "c"]]
    assert sets(members(found, found.guesses[0])) == [["b"], ["b"], []]


def test_figures_agree_with_scikit_learn(flags: tuple[np.ndarray, np.ndarray]) -> None:
    gold, values = flags
    said = values >= 0.5
    found = figures(gold, said)
    assert found["accuracy"] == pytest.approx(reference.accuracy_score(gold, said))
    for average in ("micro", "macro"):
        expected = reference.f1_score(gold, said, average=average, zero_division=0)
        assert found[f"{average}_f1"] == pytest.approx(expected)
    assert found["micro_recall"] == pytest.approx(reference.recall_score(gold, said, average="micro"))


def test_the_best_threshold_is_the_best(flags: tuple[np.ndarray, np.ndarray]) -> None:
    gold, values = flags
    values = values.round(2)  # many are equal
    for k in range(3):
        found = best_threshold(gold[:, k], values[:, k])
        assert found is not None
        tried = [reference.f1_score(gold[:, k], values[:, k] >= at) for at in np.linspace(0, 1, 1001)]
        assert found.f1 == pytest.approx(max(tried))
        assert reference.f1_score(gold[:, k], values[:, k] >= found.at) == pytest.approx(found.f1)
    assert best_threshold(np.zeros(5, bool), np.arange(5.0)) is None


def test_thresholds_of_the_other_half_do_not_see_what_they_judge() -> None:
    """Values that say nothing: thresholds flatter themselves on what chose them, and only there."""
    random = np.random.default_rng(1)
    gold = random.random((400, 3)) < 0.1
    values = random.random((400, 3))
    said = values >= 0.5
    own = figures(gold, with_thresholds(values, said, best_of_each(gold, values)))
    other = figures(gold, chosen_elsewhere(gold, said, values))
    assert own["macro_f1"] > other["macro_f1"]


def test_who_has_no_threshold_stays_as_it_is(flags: tuple[np.ndarray, np.ndarray]) -> None:
    _, values = flags
    said = values >= 0.7
    found = with_thresholds(values, said, [None, 0.4, None])
    assert (found[:, [0, 2]] == said[:, [0, 2]]).all()
    assert (found[:, 1] == (values[:, 1] >= 0.4)).all()


def test_the_worst_decision_is_wrong_by_most() -> None:
    gold = np.array([[1, 0, 0], [1, 1, 0], [0, 0, 1]], bool)
    scores = np.array([[2.0, 1.0, -1.0], [-3.0, -5.0, -1.0], [-1.0, -1.0, 1.0]])
    found = worst_decisions(gold, scores > 0, scores)
    assert [(one.example, one.label, one.missed, one.margin) for one in found] == [
        (1, 1, True, 5.0),
        (0, 1, False, 1.0),
    ]


def test_the_report_has_it_all(flags: tuple[np.ndarray, np.ndarray]) -> None:
    gold, values = flags
    scores = np.log(values / (1 - values))
    told = report(sets(gold), sets(values >= 0.5), classes=NAMES, scores=scores, probabilities=values)
    tables = reference.multilabel_confusion_matrix(gold, values >= 0.5)
    for row, ((neither, too_many), (missed, right)) in zip(told["per_label"], tables, strict=True):
        assert [row[k] for k in ("neither", "too_many", "missed", "right")] == [
            neither, too_many, missed, right,
        ]  # fmt: skip
    assert sum(row["texts"] for row in told["reliability"]) == gold.size
    (half,) = (row for row in told["one_threshold"] if row["threshold"] == 0.5)
    assert half["micro_f1"] == pytest.approx(told["metrics"]["micro_f1"])
    assert told["instead"]["gold"] == [*NAMES, None]
    worst = told["worst_errors"][0]
    assert worst["missed"] == (worst["label"] in worst["gold"])
    assert (worst["label"] in worst["gold"]) != (worst["label"] in worst["guess"])


def test_one_label_that_a_text_may_have_or_not() -> None:
    gold, scores = [["a"], [], ["a"]], np.array([[1.0], [2.0], [-1.0]])
    told = report(gold, [["a"], ["a"], []], classes=["a"], scores=scores)
    assert [one["example"] for one in told["worst_errors"]] == [1, 2]
    assert list(told["precision_recall"]) == ["a"]
