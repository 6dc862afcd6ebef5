"""The whole report is plain data and agrees with its parts."""

import json
import tracemalloc

import numpy as np
import pytest

from linnet.errors import DataError
from linnet.evaluation import answers, bootstrap, report, versus


def test_two_labels() -> None:
    gold = ["ham", "ham", "spam", "spam", "spam"]
    scores = np.array([-1.0, 2, 3, -2, 1])
    guess = ["spam" if s > 0 else "ham" for s in scores]
    odds = 1 / (1 + np.exp(-scores))
    told = report(
        gold,
        guess,
        classes=["ham", "spam"],
        scores=scores,
        probabilities=np.stack([1 - odds, odds], axis=1),
    )
    assert json.loads(json.dumps(told)) == told
    assert told["metrics"]["accuracy"] == 0.6
    assert told["intervals"]["accuracy"]["low"] <= 0.6 <= told["intervals"]["accuracy"]["high"]
    assert "coverage" not in told["metrics"]
    assert "hamming_loss" not in told["metrics"]
    assert told["positive"]["label"] == "spam"
    assert told["positive"]["false_positive_rate"] == 0.5
    assert told["positive"]["specificity"] == 0.5
    assert told["confusion"]["counts"] == [[1, 1], [1, 2]]
    assert [e["example"] for e in told["worst_errors"]] == [1, 3]
    assert told["worst_errors"][0]["margin"] == 2
    assert set(told["precision_recall"]) == {"ham", "spam"}
    assert 0 < told["log_loss"] < 2
    assert told["unseen_labels"] == []
    ham = report(gold, guess, classes=["ham", "spam"], positive="ham")
    assert ham["positive"]["recall"] == 0.5
    with pytest.raises(ValueError, match="no label is called 'eggs'; there are 'ham', 'spam'"):
        report(gold, guess, positive="eggs")


def test_labels_never_seen_in_training_are_errors_and_are_listed() -> None:
    gold = ["a", "b", "new", "new"]
    told = report(
        gold,
        ["a", "b", "a", "a"],
        classes=["a", "b"],
        scores=np.array([-1.0, 1, -3, -1]),
        probabilities=np.full((4, 2), 0.5),
    )
    assert told["labels"] == ["a", "b", "new"]
    assert told["unseen_labels"] == [{"label": "new", "examples": 2}]
    assert told["metrics"]["accuracy"] == 0.5
    assert told["worst_errors"] == []
    assert "positive" not in told
    with pytest.raises(ValueError, match="two labels only"):
        report(gold, gold, positive="a")


def test_unsure_answers() -> None:
    told = report(["a", "b", "a"], ["a", "unsure", "b"], classes=["a", "b"], unsure="unsure")
    assert told["metrics"]["coverage"] == pytest.approx(2 / 3)
    assert told["metrics"]["covered_accuracy"] == 0.5
    assert told["confusion"]["guessed"] == ["a", "b", None]


def test_several_labels_each() -> None:
    gold = [["a"], ["a", "b"], []]
    told = report(
        gold,
        [["a"], ["a"], []],
        classes=["a", "b"],
        scores=np.array([[1.0, -1], [1, -1], [-1, -1]]),
        probabilities=np.array([[0.8, 0.1], [0.7, 0.4], [0.2, 0.2]]),
    )
    assert told["multilabel"]
    assert told["metrics"]["accuracy"] == pytest.approx(2 / 3)
    assert told["metrics"]["hamming_loss"] == pytest.approx(1 / 6)
    assert "confusion" not in told
    assert 0 < told["brier"] < 0.2
    assert json.loads(json.dumps(told)) == told


def test_two_systems() -> None:
    gold = ["a", "b"] * 30
    told = versus(gold, ["a"] * 60, gold)
    assert told["mcnemar"] == {"only_first": 0, "only_second": 30, "p": pytest.approx(2 * 0.5**30)}
    assert [d["metric"] for d in told["differences"]] == ["accuracy", "macro_f1"]
    assert told["differences"][0]["difference"]["value"] == 0.5
    assert json.loads(json.dumps(told)) == told


def peak(call) -> int:
    """Bytes that a call allocates at most."""
    tracemalloc.start()
    try:
        call()
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


def test_memory_goes_by_the_pairs_that_occur_and_not_by_all_there_could_be() -> None:
    foreign = [f"a{i}" for i in range(3000)]
    told = {}
    used = peak(lambda: told.update(report(foreign, ["b"] * 3000, classes=["b"], resamples=20)))
    assert used < 3000 * 3001 * 8 / 3  # a table of all pairs
    assert told["confusion"]["cells"][0] == [1, 0, 1]
    assert len(told["confusion"]["cells"]) == 3000
    assert "counts" not in told["confusion"]


def test_cells_are_the_table() -> None:
    told = report(["a", "b", "b", "c"], ["b", "b", None, "c"])["confusion"]
    table = np.zeros((3, 4), int)
    for gold, guess, times in told["cells"]:
        table[gold, guess] = times
    assert table.tolist() == told["counts"] == [[0, 1, 0, 0], [0, 1, 0, 1], [0, 0, 1, 0]]
    assert told["guessed"] == ["a", "b", "c", None]


def test_resamples_of_many_labels_come_in_small_blocks() -> None:
    """Few outcomes, many labels: blocks are bounded by both."""
    labels = [f"l{i}" for i in range(20_000)]
    found = answers(["l0", "l1"], ["l0", "l0"], labels=labels)
    assert peak(lambda: bootstrap(found, ("macro_f1",), resamples=1000)) < 400e6


def test_tags_of_sentences_are_no_sets_of_labels() -> None:
    gold = [["B-BIRD", "I-BIRD", "O", "O"], ["O", "B-BIRD"]]
    turned = [["O", "O", "I-BIRD", "B-BIRD"], ["B-BIRD", "O"]]
    told = report(gold, turned)
    assert told["metrics"]["accuracy"] == 0.0  # as sets of labels they would be equal
    assert (told["sentences"], told["examples"], told["multilabel"]) == (2, 6, False)
    assert (told["spans"]["gold"], told["spans"]["correct"]) == (2, 0)
    half = [["B-BIRD", "I-BIRD", "O", "O"], ["B-BIRD", "O"]]
    told = report(gold, half)
    assert told["metrics"]["accuracy"] == pytest.approx(4 / 6)
    assert list(told["intervals"]) == ["accuracy"]
    plain = report([["D", "N", "N"]], [["D", "N", "V"]])
    assert plain["metrics"]["accuracy"] == pytest.approx(2 / 3)
    assert "spans" not in plain
    assert json.loads(json.dumps(told)) == told
    difference = versus(gold, turned, half)["differences"][0]
    assert (difference["first"], difference["second"]) == (0.0, pytest.approx(4 / 6))


def test_sets_of_labels_stay_sets() -> None:
    gold = [["song", "bird"], ["bird"]]
    for guess in ([("bird", "song"), ("bird",)], [{"bird", "song"}, {"bird"}]):
        assert report(gold, guess)["metrics"]["accuracy"] == 1.0
    assert report(gold, [["bird"], ["bird"]])["multilabel"]
    assert report(gold, gold)["multilabel"]


def test_lists_that_may_be_either_are_asked_about() -> None:
    gold, guess = [["song", "bird"]], [["bird", "song"]]
    with pytest.raises(DataError, match=r"example 1: are these tags of a sentence.*sequences=True or"):
        report(gold, guess)
    assert report(gold, guess, sequences=False)["metrics"]["accuracy"] == 1.0
    assert report(gold, guess, sequences=True)["metrics"]["accuracy"] == 0.0
    with pytest.raises(DataError, match=r"example 1 has a label twice.*example 2 has other numbers"):
        report([["a", "a"], ["b"]], [["a", "b"], ["b", "c"]])
    with pytest.raises(DataError, match="sentence 2: 1 gold tags, but 2 guessed"):
        report([["a", "a"], ["b"]], [["a", "b"], ["b", "c"]], sequences=True)
    with pytest.raises(ValueError, match="not of tags in sentences"):
        report([["a", "a"]], [["a", "b"]], scores=np.zeros((2, 2)))
