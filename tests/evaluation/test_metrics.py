"""Metrics against scikit-learn, on one label each, several, and answers left open."""

import numpy as np
import pytest
import sklearn.metrics as reference
from hypothesis import given, settings
from hypothesis import strategies as st

from linnet.errors import DataError
from linnet.evaluation import METRICS, answers, confusion, count, metric

LABELS = ["finch", "linnet", "robin", "wren"]
PAIRS = st.lists(st.tuples(st.sampled_from(LABELS), st.sampled_from(LABELS)), min_size=1, max_size=40)
SETS = st.frozensets(st.sampled_from(LABELS))


@settings(max_examples=60, deadline=None)
@given(PAIRS)
def test_metrics_equal_those_of_scikit_learn(pairs: list[tuple[str, str]]) -> None:
    gold, guess = zip(*pairs, strict=True)
    found = answers(gold, guess, labels=LABELS)
    counts = count(found)
    assert METRICS["accuracy"](counts) == pytest.approx(reference.accuracy_score(gold, guess))
    for average in ("macro", "micro", "weighted"):
        p, r, f, _ = reference.precision_recall_fscore_support(
            gold, guess, average=average, zero_division=0
        )
        values = [METRICS[f"{average}_{name}"](counts) for name in ("precision", "recall", "f1")]
        assert values == pytest.approx([p, r, f])
    table = confusion(found)
    assert (table[:, :-1] == reference.confusion_matrix(gold, guess, labels=LABELS)).all()
    assert not table[:, -1].any()


@settings(max_examples=60, deadline=None)
@given(PAIRS)
def test_specificity_and_false_positive_rate_from_the_table(pairs: list[tuple[str, str]]) -> None:
    gold, guess = zip(*pairs, strict=True)
    counts = count(answers(gold, guess, labels=LABELS))
    tables = reference.multilabel_confusion_matrix(gold, guess, labels=LABELS)
    for k, ((tn, fp), _) in enumerate(tables):
        assert counts.specificity[k] == pytest.approx(tn / (tn + fp) if tn + fp else 0)
        assert counts.false_positive_rate[k] == pytest.approx(fp / (tn + fp) if tn + fp else 0)


@settings(max_examples=60, deadline=None)
@given(st.lists(st.tuples(SETS, SETS), min_size=1, max_size=30))
def test_several_labels_each(pairs: list[tuple[frozenset[str], frozenset[str]]]) -> None:
    gold, guess = zip(*pairs, strict=True)
    counts = count(answers(gold, guess, labels=LABELS))
    Y, G = (np.array([[label in s for label in LABELS] for s in side]) for side in (gold, guess))
    assert METRICS["accuracy"](counts) == pytest.approx(reference.accuracy_score(Y, G))
    assert METRICS["hamming_loss"](counts) == pytest.approx(reference.hamming_loss(Y, G))
    assert METRICS["coverage"](counts) == 1
    f1 = reference.f1_score(Y, G, average="micro", zero_division=0)
    assert METRICS["micro_f1"](counts) == pytest.approx(f1)
    met = (Y | G).any(axis=0)  # scikit-learn takes all columns, we those that occur
    f1 = reference.f1_score(Y, G, average=None, zero_division=0)[met].mean() if met.any() else 0
    assert METRICS["macro_f1"](counts) == pytest.approx(f1)


def test_unsure_is_no_answer() -> None:
    found = answers(["a", "a", "b", "b"], ["a", None, "?", "a"], unsure="?")
    counts = count(found)
    assert METRICS["accuracy"](counts) == 0.25
    assert METRICS["coverage"](counts) == 0.5
    assert METRICS["covered_accuracy"](counts) == 0.5
    assert counts.precision.tolist() == [0.5, 0]
    assert counts.recall.tolist() == [0.5, 0]
    assert confusion(found).tolist() == [[1, 0, 1], [1, 0, 1]]


def test_labels_may_be_numbers() -> None:
    found = answers([0, 1, 1], np.array([0, 1, 0]))
    assert found.labels == ["0", "1"]
    assert METRICS["accuracy"](count(found)) == pytest.approx(2 / 3)


def test_silly_input_is_refused() -> None:
    with pytest.raises(DataError, match="no examples"):
        answers([], [])
    with pytest.raises(DataError, match="2 examples have gold labels, but system 1 answered 1"):
        answers(["a", "b"], ["a"])
    with pytest.raises(DataError, match="example 2 has no gold label"):
        answers(["a", None], ["a", "a"])
    with pytest.raises(ValueError, match=r"unknown metric 'f2'; known are accuracy, .*weighted_recall"):
        metric("f2")
    with pytest.raises(ValueError, match="no confusion matrix"):
        confusion(answers([["a"]], [["a", "b"]]))
