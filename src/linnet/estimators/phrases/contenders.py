"""Parsers of phrases to compare: each with its objective, and the parameter to tune."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from linnet.data.brackets import Brackets
from linnet.estimators.comparing import Contest
from linnet.estimators.grammars.parser import GrammarParser
from linnet.estimators.phrases.input import cleaned
from linnet.estimators.phrases.parser import ConstituencyParser
from linnet.evaluation import Contender, by_brackets, plain_held_out

PASSES = (4, 8)
PARENTS = (1, 2)  # how many labels a symbol of a grammar knows, its own and those above


def parsers(features: Any = "auto", seed: int = 0, threads: int = 1) -> dict[str, Contender]:
    """By name; s is the score of a tree, y that of the data, ŷ the best other one."""
    common: dict[str, Any] = {
        "features": features,
        "random_state": seed,
        "n_jobs": threads,
        "verbose": False,
        "jackknife": 5,
        "second": False,
    }

    def of(**fixed: Any) -> Callable[..., ConstituencyParser]:
        return lambda **tuned: ConstituencyParser(**common | fixed | tuned)

    grammar: dict[str, Any] = {"decode": "brackets", "n_jobs": threads, "verbose": False}
    listed = (
        Contender(
            "PCFG",
            "−Σ log P(x, y), by counting rules",
            "vertical",
            PARENTS,
            lambda **tuned: GrammarParser(**grammar | tuned),
        ),
        Contender(
            "perceptron",
            "Σ max(0, s(ŷ) − s(y)), by steps",
            "max_iter",
            PASSES,
            of(loss="perceptron"),
        ),
        Contender(
            "MIRA",
            "½‖w − wₜ‖², s(y) ≥ s(ŷ) + cost, by steps",
            "max_iter",
            PASSES,
            of(loss="hinge"),
        ),
        Contender("CRF", "−Σ log P(y|x), by steps", "max_iter", PASSES, of(loss="logistic")),
        Contender(
            "softmax-margin",
            "−Σ log P(y|x) with cost, by steps",
            "max_iter",
            PASSES,
            of(loss="softmax_margin"),
        ),
        Contender(
            "two looks",
            "the same, then over trees of what is probable",
            "max_iter",
            PASSES,
            of(loss="softmax_margin", second="auto"),
        ),
    )
    return {contender.name: contender for contender in listed}


def bracket_contest(
    trees: Brackets,
    y: None,
    test: Brackets | None,
    *,
    held_out: float,
    metric: str | None,
    features: Any,
    seed: int,
    threads: int,
) -> Contest:
    """``features`` are as of `ConstituencyParser`."""
    if y is not None:
        raise ValueError("y goes with texts: Brackets hold their trees")
    train = cleaned(trees)
    if test is None:
        ((kept, left),) = plain_held_out(len(train), held_out, seed)
        train, test = train.take(kept), train.take(left)
    return Contest(
        parsers(features or "auto", seed, threads),
        {"scaled": train},
        None,
        {"scaled": test},
        None,
        plain_held_out(len(train), 0.2, seed),
        by_brackets,
        metric or "f1",
        ("f1", "exact"),
        (len(train), len(test)),
        test.tokens,
        "sentences",
    )
