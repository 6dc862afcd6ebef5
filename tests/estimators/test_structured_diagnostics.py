"""The record of taggers and parsers: margins, R and mistake bounds, as predictions show them."""

import math
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import linnet
from linnet import DependencyParser, Tagger
from linnet.errors import TrainingWarning
from linnet.features.arcs import ArcFeatures
from linnet.features.events import WordEvents

from ..grid import cells

NAMES = {"errors", "R", "functional_margin", "geometric_margin", "separates", "mistake_bound"} | {
    "winnow_bound",
    *("norm_l1", "norm_l2", "norm_max", "nonzero_weights"),
}


def fitted(estimator: Any, *data: Any) -> Any:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", TrainingWarning)
        return estimator.fit(*data)


def check_margin(facts: dict[str, Any], best: list[Any], gold: list[Any]) -> None:
    """``best``: of each instance its two best outputs, (output, score)."""
    wrong = [two[0][0] != y for two, y in zip(best, gold, strict=True)]
    assert facts["errors"] == sum(wrong)
    if not any(wrong):
        margins = [two[0][1] - two[1][1] for two in best if len(two) > 1]
        assert facts["functional_margin"] == pytest.approx(min(margins), abs=2e-4)
        assert facts["separates"] == (facts["functional_margin"] > 0)
    else:
        assert facts["functional_margin"] <= 0
        assert facts["mistake_bound"] is None


TAGGERS: list[dict[str, Any]] = [
    {},
    {"learner": "perceptron"},
    {"learner": "perceptron", "order": 2, "ends": True},
    {"learner": "perceptron", "order": 3},
    {"learner": "lbfgs", "all_states": False, "C": 100.0},
    {"learner": "lbfgs", "prune": 0.05, "C": 100.0},
    {"learner": "winnow", "loss": "perceptron"},
    {"features": ["word[0]", "transition: word[0]"], "learner": "sgd"},
]


@pytest.mark.parametrize("settings", TAGGERS, ids=str)
def test_taggers(settings: dict[str, Any]) -> None:
    X, y = cells.tagged()
    if "features" in settings:
        X = cells.words(X)
    tagger = fitted(Tagger(legal=None, **settings), X, y)
    facts = tagger.record_.diagnostics
    assert set(facts) == NAMES
    check_margin(facts, tagger.predict(X, k=2), y)
    if facts["separates"]:
        assert facts["mistake_bound"] == pytest.approx((facts["R"] / facts["geometric_margin"]) ** 2)


def test_segments() -> None:
    X, y = cells.spans(20)
    tagger = fitted(Tagger(segments=True, loss="perceptron", learner="perceptron", legal=None), X, y)
    check_margin(tagger.record_.diagnostics, tagger.predict(X, k=2), y)


@pytest.mark.parametrize("settings", [{"order": 0}, {"normalisation": "local"}])
def test_tokens_by_themselves_are_instances_of_their_own(settings: dict[str, Any]) -> None:
    X, y = cells.tagged()
    facts = fitted(Tagger(learner="lbfgs", legal=None, **settings), X, y).record_.diagnostics
    assert set(facts) == NAMES
    assert facts["errors"] <= sum(map(len, y))


def test_perceptrons_keep_to_the_bound() -> None:
    """Weights that separate bound the mistakes of any order of steps, those of another seed too."""
    X = [[["a"], ["b"], ["a"]], [["b"], ["b"]], [["c"], ["a"], ["c"], ["b"]], [["c"]]]
    y = [["x", "y", "x"], ["y", "y"], ["z", "x", "z", "y"], ["z"]]
    perceptron = {"loss": "perceptron", "learner": "perceptron", "legal": None, "max_iter": 50}
    facts = fitted(Tagger(**perceptron, average=False), X, y).record_.diagnostics
    assert facts["separates"]
    # x = (word, word before, …) are presences: no entry of f(x, y) − f(x, y′) exceeds the tokens
    assert facts["R"] ** 2 <= 2 * (4 * max(len(s) for s in X)) ** 2 * 20
    for seed in range(5):
        other = fitted(Tagger(**perceptron, random_state=seed), X, y)
        assert other.record_.mistakes <= facts["mistake_bound"]


def test_one_token_by_hand() -> None:
    """f(x, y) − f(x, y′) of one token with two features: R² = 2 · 2."""
    settings = {"loss": "perceptron", "learner": "perceptron", "legal": None, "average": False}
    tagger = fitted(Tagger(**settings), [[["a", "b"]], [["c", "b"]]], [["x"], ["y"]])
    facts = tagger.record_.diagnostics
    assert facts["R"] == 2
    check_margin(facts, tagger.predict([[["a", "b"]], [["c", "b"]]], k=2), [["x"], ["y"]])
    # 3 features of tokens with 2 tags each, and 4 transitions
    gamma, u = facts["functional_margin"], facts["norm_l1"]
    assert facts["winnow_bound"] == pytest.approx(2 * math.log(2 * (3 * 2 + 4)) * (u / gamma) ** 2)


PARSERS: list[dict[str, Any]] = [
    {"order": 1, "joint": None, "projective": True},
    {"order": 1, "joint": None, "projective": False},
    {"order": 2, "joint": None, "projective": True},
    {"order": 1, "joint": None, "projective": True, "loss": "logistic", "learner": "adagrad"},
]


@pytest.mark.parametrize("settings", PARSERS, ids=str)
def test_parsers(settings: dict[str, Any]) -> None:
    trees = cells.treebank(12)
    features = ArcFeatures(hash_bits=14)
    parser = fitted(DependencyParser(features, candidates=None, **settings), trees)
    facts = parser.record_.diagnostics
    assert set(facts) == NAMES
    best = [[(list(heads), score) for heads, _, score in two] for two in parser.predict(trees, k=2)]
    check_margin(facts, best, [trees.heads[a:b].tolist() for a, b in _ranges(trees)])


def test_parsers_with_relations() -> None:
    trees = cells.treebank(12)
    facts = fitted(DependencyParser(order=1), trees).record_.diagnostics
    heads = fitted(DependencyParser(order=1, joint=None), trees).record_.diagnostics
    assert set(facts) == NAMES
    assert facts["R"] > heads["R"]  # relations have features besides


def test_parsers_that_count() -> None:
    facts = DependencyParser(loss="joint_likelihood").fit(cells.treebank(12)).record_.diagnostics
    assert set(facts) == NAMES


def _ranges(trees: Any) -> list[tuple[int, int]]:
    return list(zip(trees.offsets[:-1], trees.offsets[1:], strict=True))


@pytest.mark.parametrize("diagnostics", [True, False, "auto"])
def test_whether_it_is_measured(diagnostics: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("linnet.training.diagnostics.FEW_TOKENS", 10)
    X, y = cells.tagged()
    facts = fitted(Tagger(diagnostics=diagnostics), X, y).record_.diagnostics
    if diagnostics == "auto":
        assert set(facts) == {"not_measured"}
        assert "tokens; diagnostics=True measures them" in facts["not_measured"]
    else:
        assert set(facts) == (NAMES if diagnostics else set())


@pytest.mark.parametrize("estimator", [Tagger, DependencyParser])
def test_neither_yes_nor_no(estimator: Any) -> None:
    data = (cells.treebank(3),) if estimator is DependencyParser else cells.tagged()
    with pytest.raises(ValueError, match="diagnostics must be 'auto', True or False, not 'some'"):
        estimator(diagnostics="some").fit(*data)


def test_missing_tags_are_left_out_and_said() -> None:
    X, y = cells.tagged()
    y = [[None, *tags[1:]] if i < 3 else tags for i, tags in enumerate(y)]
    facts = fitted(Tagger(learner="lbfgs", legal=None), X, y).record_.diagnostics
    assert facts["left_out"] == 3


def test_streams_forget_and_files_keep(tmp_path: Path) -> None:
    X, y = cells.tagged()
    tagger = fitted(Tagger(learner="perceptron"), X, y)
    tagger.save(tmp_path / "t.linnet")
    assert linnet.load(tmp_path / "t.linnet").record_.diagnostics == tagger.record_.diagnostics
    tagger.partial_fit(X[:3], y[:3])
    assert tagger.record_.diagnostics == {}


def test_log_of_no_counts() -> None:
    """Some weights of a hidden Markov model are −∞: margins are there, norms have no bound."""
    X, y = cells.tagged()
    hmm = fitted(linnet.HMM(features=WordEvents()), cells.words(X), y)
    facts = hmm.record_.diagnostics
    assert facts["mistake_bound"] is None or np.isfinite(facts["norm_l2"])
