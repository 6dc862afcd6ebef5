"""Hostile texts, labels and settings for estimators that read text."""

from __future__ import annotations

import warnings
from pathlib import Path
from random import Random
from typing import Any

import numpy as np

import linnet

from ..cases import Case, check_refusal, from_json, to_json

PIECES = (
    "a", "wren", "Ünïcödé", "鷦鷯", "👩‍👩‍👧", " ", "\t", "\n", "\0", "\x1b[31m", "\u202e", "\ufeff",
    "\u200b", "\ud800", "\udfff", "\U0010ffff", "́", "İ", "ß", "ﬃ", "…", "'", '"', "<script>",
    "[red]", "{", "0", "1e999", "-", "_", "=cmd()", "x" * 3000, "𝒳", "\u2028", "\x85", "\r",
)  # fmt: skip
WRONG = (
    None, True, False, -1, 0, 1, 2, 3, 7, 2**31, 2**63, 2**70, -0.5, 0.5, 1.5, 1e-300, 1e300,
    float("nan"), float("inf"), "", "x", "auto", "none", "l1", "l2", "hinge", "logistic", "idf", [],
    ["x"], [None], {}, {"wren": 2.0}, (1, 2), (2, 1), (1.5, 2), (1, 2, 3), "english", "\0",
)  # fmt: skip
ESTIMATORS = ("TextClassifier", "TextFeatures", "Tagger", "CRF", "DependencyParser")
LEFT_ALONE = {"n_jobs", "verbose", "max_iter"}  # that larger ones take longer is no finding


def case(random: Random) -> Case:
    """An estimator with a few settings at random, and what it is to learn."""
    name = random.choice(ESTIMATORS)
    settings = {
        key: random.choice(WRONG)
        for key in random.sample(_settings(name), random.choice((0, 0, 1, 2, 3)))
    }
    texts = [_text(random) for _ in range(random.choice((0, 1, 2, 6, 12)))]
    labels: list[Any] = [random.choice(_labels(random)) for _ in texts]
    return Case(name, to_json({"settings": settings, "texts": texts, "labels": labels}))


def _settings(name: str) -> list[str]:
    return sorted({*getattr(linnet, name)().get_params(deep=False)} - LEFT_ALONE)


def _text(random: Random) -> Any:
    if random.random() < 0.03:
        return random.choice((None, 1, 1.5, [], {}, ["a", "b"]))
    return "".join(random.choice(PIECES) for _ in range(random.choice((0, 1, 3, 9, 40))))


def _labels(random: Random) -> list[Any]:
    return random.choice(
        (["a", "b"], ["a"], [0, 1, 2], ["a\0", "a"], list(PIECES), [None, "a"], [1.5, 2])
    )


def judge(case: Case, folder: Path) -> None:
    """Finite answers for all texts, the same from the file; or a refusal."""
    given = from_json(case.data)
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        try:
            _used(case.name, given, folder / "model")
        except Exception as error:
            check_refusal(error)


def _used(name: str, given: dict[str, Any], path: Path) -> None:
    model, X, y = getattr(linnet, name)(**given["settings"]), given["texts"], given["labels"]
    if name == "TextFeatures":
        assert model.fit_transform(X, y).shape[0] == len(X)
        return
    if hasattr(model, "max_iter"):
        model.set_params(max_iter=3)
    if name != "TextClassifier":
        X = [text.split() if isinstance(text, str) else text for text in X]
        lengths = [len(words) if isinstance(words, (list, dict)) else 1 for words in X]
        y = [[label] * length for length, label in zip(lengths, y, strict=True)]
    if name == "DependencyParser":
        y = [([*range(len(tags))], [f"r{tag}" for tag in tags]) for tags in y]
    model.fit(X, y)
    answers = _answers(model.predict(X))
    assert len(answers) == len(X)
    if name == "TextClassifier":
        assert np.isfinite(model.decision_function(X)).all(), "scores are not finite"
        assert {type(label) for label in answers} <= {type(label) for label in y}, "other labels"
    model.save(path)
    assert _answers(linnet.load(path).predict(X)) == answers, "the file gives other answers"


def _answers(found: Any) -> Any:
    return found.tolist() if isinstance(found, np.ndarray) else found
