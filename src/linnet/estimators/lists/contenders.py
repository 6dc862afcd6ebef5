"""Classifiers of rows of symbols to compare: each with its objective and the parameter to tune."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import linnet.estimators as estimators
from linnet.data import CsrRows
from linnet.errors import DataError
from linnet.estimators.comparing import Contest
from linnet.estimators.lists.rows import SymbolFeatures
from linnet.estimators.symbols import Symbols, read_symbols
from linnet.estimators.text.rows import Rows, RowsClassifier
from linnet.estimators.text.targets import read_targets
from linnet.estimators.trials import GAINS, SMOOTHINGS
from linnet.evaluation import Contender, by_labels
from linnet.evaluation import held_out as split
from linnet.losses import LOSSES

STRENGTHS = (0.1, 1.0, 10.0)
FORM, VALUES = "symbols", "values"  # rows as they are, or a feature for each value of a column


def symbol_classifiers(seed: int = 0, threads: int = 1) -> dict[str, Contender]:
    """By name; linear ones learn from a feature for each value of a column."""

    def own(kind: Callable[..., Any], **fixed: Any) -> Callable[..., Any]:
        return lambda **tuned: kind(n_jobs=threads, **fixed, **tuned)

    def linear(preset: Callable[..., Any]) -> Callable[..., RowsClassifier]:
        common = {"random_state": seed, "n_jobs": threads, "diagnostics": False}
        return lambda **tuned: RowsClassifier(preset(**common, **tuned))

    memory, entries, rules = (
        estimators.MemoryClassifier,
        estimators.DecisionList,
        estimators.BrillClassifier,
    )
    nearest = "k nearest distances vote"
    listed = (
        Contender("memory, overlap", nearest, "k", (1, 3, 5), own(memory), FORM),
        Contender("memory, MVDM", nearest, "k", (1, 5, 9), own(memory, metric="mvdm"), FORM),
        Contender(
            "memory, MVDM, decay",
            "they vote by distance",
            "k",
            (1, 5, 9),
            own(memory, metric="mvdm", decay="inverse"),
            FORM,
        ),
        Contender("IGTree", "values by gain", "weights", GAINS, own(memory, algorithm="igtree"), FORM),
        Contender(
            "decision list", "log odds, the surest decides", "alpha", SMOOTHINGS, own(entries), FORM
        ),
        Contender("rules", "mistakes, rule by rule", "max_rules", (50, 200), own(rules), FORM),
        Contender(
            "decision list of pairs",
            "log odds of two values",
            "alpha",
            SMOOTHINGS,
            own(entries, conjunctions=2),
            FORM,
            usual=False,
        ),
        Contender(
            "rules of pairs",
            "mistakes, two values a rule",
            "max_rules",
            (50, 200),
            own(rules, conjunctions=2),
            FORM,
            usual=False,
        ),
        Contender(
            "naive Bayes",
            "−Σ log P(x, y)",
            "smoothing",
            SMOOTHINGS,
            linear(estimators.NaiveBayes),
            VALUES,
        ),
        Contender(
            "averaged perceptron",
            "Σ max(0, −m), by steps",
            "max_iter",
            (5, 10, 20),
            linear(estimators.Perceptron),
            VALUES,
        ),
        Contender(
            "SVM",
            f"½‖w‖² + C Σ {LOSSES['hinge'].formula}",
            "C",
            STRENGTHS,
            linear(estimators.LinearSVM),
            VALUES,
        ),
        Contender(
            "logistic regression",
            f"½‖w‖² + C Σ {LOSSES['logistic'].formula}",
            "C",
            STRENGTHS,
            linear(estimators.LogisticRegression),
            VALUES,
        ),
    )
    return {contender.name: contender for contender in listed}


def symbol_contest(
    X: Any,
    y: Any,
    test: Any,
    *,
    held_out: float,
    metric: str | None,
    features: Any,
    seed: int,
    threads: int,
) -> Contest:
    """Rows of symbols, as `MemoryClassifier` reads them."""
    if features is not None:
        raise ValueError("features are of texts and sentences; rows of symbols are their columns")
    train = Symbols.of(X)
    labels = _labels(y, train)
    if test is None:
        ((kept, left),) = split(labels, held_out, seed)
        other, gold = train.take(left), [labels[i] for i in left]
        train, labels = train.take(kept), [labels[i] for i in kept]
    else:
        rows, gold = test if isinstance(test, tuple) else (test, None)
        other = Symbols.of(rows, list(train))
        gold = _labels(gold, other)
    values = SymbolFeatures(list(train), 1)
    seen = {FORM: train, VALUES: _rows(values, train, learn=True)}
    unseen = {FORM: other, VALUES: _rows(values, other)}
    return Contest(
        symbol_classifiers(seed, threads),
        seen,
        labels,
        unseen,
        gold,
        split(labels, 0.2, seed),
        by_labels,
        metric or "accuracy",
        ("accuracy", "macro_f1"),
        (len(labels), len(gold)),
        len(gold),
        f"{len(train)} columns, {len(values.names):,} values",
    )


def _labels(y: Any, rows: Symbols) -> list[Any]:
    if y is None:
        raise DataError("y is needed: labels to learn and to compare with")
    labels: list[Any] = read_targets(y, several=False).values().tolist()
    size = len(next(iter(rows.values())))
    if len(labels) != size:
        raise DataError(f"X has {size} rows, and y {len(labels)} labels")
    return labels


def _rows(features: SymbolFeatures, rows: Symbols, learn: bool = False) -> Rows:
    made: CsrRows = features.rows(read_symbols(rows)[1], learn)
    return Rows(made, None, None)
