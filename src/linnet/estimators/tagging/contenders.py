"""Taggers to compare: each with its objective and the parameter to tune."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import linnet.estimators as estimators
from linnet.data import Sequences
from linnet.data.chunks import is_chunked
from linnet.errors import DataError
from linnet.estimators.comparing import Contest
from linnet.estimators.tagging.unlabelled_contenders import unlabelled_contenders
from linnet.evaluation import Contender, by_tags, plain_held_out

STRENGTHS = (0.1, 1.0, 10.0)
EPOCHS = (5, 10, 20)


def taggers(features: Any = "auto", seed: int = 0, threads: int = 1) -> dict[str, Contender]:
    """By name; s is the score of a sequence, y that of the data, ŷ the best other one."""
    common: dict[str, Any] = {"random_state": seed, "n_jobs": threads, "tol": 0.01, "verbose": False}

    def own(preset: Callable[..., Any]) -> Callable[..., Any]:
        return lambda **tuned: preset(**common | tuned)

    def of(preset: Callable[..., Any], **fixed: Any) -> Callable[..., Any]:
        return lambda **tuned: preset(**common | {"features": features} | fixed | tuned)

    listed = (
        Contender("HMM", "−Σ log P(x, y)", "smoothing", (0.01, 0.1, 1.0), own(estimators.HMM)),
        Contender(
            "token by token",
            "½‖w‖² − C Σ log P(yᵢ|x)",
            "C",
            STRENGTHS,
            of(estimators.Tagger, loss="logistic", penalty="l2", order=0),
        ),
        Contender("MEMM", "½‖w‖² − C Σ log P(yᵢ|yᵢ₋₁, x)", "C", STRENGTHS, of(estimators.MEMM)),
        Contender("CRF", "½‖w‖² − C Σ log P(y|x)", "C", STRENGTHS, of(estimators.CRF)),
        Contender(
            "CRF, L1",
            "‖w‖₁ − C Σ log P(y|x)",
            "C",
            STRENGTHS,
            of(estimators.CRF, penalty="l1", tol=1e-3),  # zeros come late
        ),
        Contender(
            "perceptron",
            "Σ max(0, s(ŷ) − s(y)), by steps",
            "max_iter",
            EPOCHS,
            of(estimators.StructuredPerceptron),
        ),
        Contender(
            "MIRA",
            "½‖w − wₜ‖² + C ξ, by steps",
            "C",
            (0.01, 0.1, 1.0),
            of(estimators.StructuredMIRA),
        ),
        Contender(
            "structural SVM",
            "½‖w‖² + C Σ max(0, s(ŷ) + cost − s(y))",
            "C",
            (0.01, 0.1, 1.0),
            of(estimators.StructuredSVM),
        ),
        Contender(
            "rules",
            "mistakes, rule by rule",
            "max_rules",
            (50, 200),
            lambda **tuned: estimators.BrillTagger(n_jobs=threads, **tuned),
        ),
        Contender(
            "memory",
            "k nearest windows vote",
            "k",
            (1, 5, 20),
            lambda **tuned: estimators.MemoryTagger(n_jobs=threads, **tuned),
        ),
    )
    return {contender.name: contender for contender in listed}


def tag_contest(
    data: Sequences,
    y: None,
    test: Sequences | None,
    *,
    held_out: float,
    metric: str | None,
    features: Any,
    seed: int,
    threads: int,
    unlabeled: Any = None,
) -> Contest:
    """``features`` are as of `Tagger`; ``unlabeled`` are sentences without tags."""
    if y is not None:
        raise ValueError("y goes with texts: Sequences hold their tags")
    train = data
    if test is None:
        ((kept, left),) = plain_held_out(len(data), held_out, seed)
        train, test = data.take(kept), data.take(left)
    if data.labels is None or test.labels is None:
        raise DataError("the sentences have no tags to compare with")
    spans = is_chunked(data.labels.names)
    known = taggers(features or "auto", seed, threads)
    notes: list[str] = []
    left_out: set[str] = set()
    if unlabeled is not None:
        found = unlabelled_contenders(unlabeled, train, features or "auto", seed, threads)
        known |= {one.name: one for one in found.contenders}
        left_out |= {name for names, _ in found.left_out for name in names}
        notes += [f"{', '.join(names)} are left out: {why}" for names, why in found.left_out]
    return Contest(
        known,
        {"scaled": train},
        None,
        {"scaled": test},
        None,
        plain_held_out(len(train), 0.2, seed),
        by_tags,
        metric or ("f1" if spans else "accuracy"),
        ("accuracy", "f1") if spans else ("accuracy",),
        (len(train), len(test)),
        test.tokens,
        "sentences",
        frozenset(left_out),
        tuple(notes),
    )
