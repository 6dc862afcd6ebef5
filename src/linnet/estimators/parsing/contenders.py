"""Parsers to compare: each with its objective, and the parameter to tune if there is one."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from linnet.data import Trees
from linnet.estimators.comparing import Contest
from linnet.estimators.parsing.parser import DependencyParser
from linnet.evaluation import Contender, by_trees, plain_held_out

PASSES = (5, 10)
MARGIN = "½‖w − wₜ‖², s(y) ≥ s(ŷ) + cost, by steps"


def parsers(
    features: Any = "auto", roots: str = "one", seed: int = 0, threads: int = 1
) -> dict[str, Contender]:
    """By name; s is the score of a tree, y that of the data, ŷ the best other one."""
    common: dict[str, Any] = {"roots": roots, "random_state": seed, "n_jobs": threads, "verbose": False}

    def own(**fixed: Any) -> Callable[..., DependencyParser]:
        return lambda **tuned: DependencyParser(**common | fixed | tuned)

    def of(**fixed: Any) -> Callable[..., DependencyParser]:
        return own(features=features, **fixed)

    listed = (
        Contender(
            "counting",
            "−Σ log P(word, direction, distance|head)",
            None,
            (),
            own(loss="joint_likelihood"),
        ),
        Contender(
            "perceptron",
            "Σ max(0, s(ŷ) − s(y)), by steps",
            "max_iter",
            PASSES,
            of(loss="perceptron", order=1, projective=True),
        ),
        Contender("MIRA", MARGIN, "max_iter", PASSES, of(order=1, projective=True)),
        Contender("MIRA, siblings", MARGIN, "max_iter", PASSES, of(order=2)),
        Contender("MIRA, any tree", MARGIN, "max_iter", PASSES, of(projective=False)),
        Contender(
            "tree CRF",
            "−Σ log P(y|x), by steps",
            "max_iter",
            PASSES,
            of(loss="logistic", order=1, projective=True),
        ),
        Contender(
            "tree CRF, any tree",
            "−Σ log P(y|x), by steps",
            "max_iter",
            PASSES,
            of(loss="logistic", projective=False),
        ),
        Contender(
            "softmax-margin",
            "−Σ log P(y|x) with cost, by steps",
            "max_iter",
            PASSES,
            of(loss="softmax_margin", order=1, projective=True),
        ),
    )
    return {contender.name: contender for contender in listed}


def tree_contest(
    trees: Trees,
    y: None,
    test: Trees | None,
    *,
    held_out: float,
    metric: str | None,
    features: Any,
    seed: int,
    threads: int,
    roots: str = "one",
) -> Contest:
    """``features`` are as of `DependencyParser`."""
    if y is not None:
        raise ValueError("y goes with texts: Trees hold their heads")
    train = trees
    if test is None:
        ((kept, left),) = plain_held_out(len(trees), held_out, seed)
        train, test = trees.take(kept), trees.take(left)
    return Contest(
        parsers(features or "auto", roots, seed, threads),
        {"scaled": train},
        None,
        {"scaled": test},
        None,
        plain_held_out(len(train), 0.2, seed),
        by_trees,
        metric or "las",
        ("uas", "las"),
        (len(train), len(test)),
        test.tokens,
        "sentences",
    )
