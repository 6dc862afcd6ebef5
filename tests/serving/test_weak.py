"""Rules as weak labels: what they cover, where they are at odds; they never overrule a person."""

from pathlib import Path

import pytest

import linnet
from linnet.data.samples import load
from linnet.errors import DataError
from linnet.serving.look.decisions import Decisions
from linnet.serving.look.exporting import exported
from linnet.serving.look.teaching import Teaching
from linnet.serving.look.weak import WeakLabels, matcher

POOL = ["A heron stood.", "An owl hooted.", "A heron and an owl.", "Owls at dusk.", "Nothing."]


@pytest.fixture
def weak(tmp_path: Path) -> WeakLabels:
    return WeakLabels(POOL, Decisions(str(tmp_path / "d.jsonl")))


def test_coverage_and_conflicts(weak: WeakLabels) -> None:
    weak.add("words", "heron, egret\nbittern", "heron")
    weak.add("pattern", r"\bowls?\b", "owl")
    told = weak.told({"A heron stood.": "heron", "Owls at dusk.": "swift"})
    assert [row["covered"] for row in told["rows"]] == [2, 3]
    assert [row["conflicts"] for row in told["rows"]] == [1, 1]
    assert [(row["right"], row["decided"]) for row in told["rows"]] == [(1, 1), (0, 1)]
    assert (told["covered"], told["conflicts"], told["labelled"]) == (4, 1, 3)
    assert told["example"] == {"text": POOL[2], "labels": ["heron", "owl"]}
    assert weak.labels() == {0: "heron", 1: "owl", 3: "owl"}
    weak.add("words", "stood, heron", "heron")  # two against one
    assert weak.labels()[2] == "heron"


def test_rules_are_decisions_that_stay(weak: WeakLabels) -> None:
    weak.add("words", "heron", "heron")
    weak.add("words", "owl", "owl")
    weak.remove(weak.rules()[0].number)
    again = WeakLabels(POOL, Decisions(weak.decisions.path))
    assert [(one.text, one.label) for one in again.rules()] == [("owl", "owl")]
    assert exported(again.decisions.standing(), "tsv") == b""
    with pytest.raises(DataError, match="there is no rule"):
        again.remove(99)


@pytest.mark.parametrize(
    ("kind", "rule", "label"),
    [
        ("pattern", "(", "a"),
        ("words", " , \n", "a"),
        ("words", "", "a"),
        ("x", "a", "a"),
        ("words", "a", ""),
    ],
)
def test_rules_that_mean_nothing_are_refused(
    weak: WeakLabels, kind: str, rule: str, label: str
) -> None:
    with pytest.raises(DataError):
        weak.add(kind, rule, label)
    assert weak.rules() == []


def test_words_are_whole_and_patterns_are_not() -> None:
    assert matcher("words", "C++")("I like c++!")
    assert not matcher("words", "owl")("howling")
    assert matcher("pattern", "owl")("howling")


def test_what_a_person_decided_is_not_overruled(birds: Path, tmp_path: Path) -> None:
    """The model learns a label from a rule, and another one where a person decided."""
    pool = [f"zonk number {word}" for word in ("one", "two", "three", "four", "five", "six", "seven")]
    teaching = Teaching(
        linnet.load(birds), pool, Decisions(str(tmp_path / "d.jsonl")), load("birds-train")
    )
    teaching.decide(0, "owl")
    told = teaching.rule({"kind": "words", "rule": "zonk", "label": "zonk", "learn": True})
    assert told["learn"]
    assert told["rows"][0]["covered"] == 7
    assert (told["rows"][0]["right"], told["rows"][0]["decided"]) == (0, 1)
    assert teaching.model.predict(["zonk"])[0] == "zonk"
    assert [one.label for one in teaching.decided()] == ["owl"]
    assert teaching.rule({"learn": False})["learn"] is False
    assert "zonk" not in teaching.model.classes_
