"""Classifiers to compare: each with its objective and the parameter to tune."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

import linnet.estimators as estimators
from linnet.data import Examples
from linnet.errors import DataError
from linnet.estimators.comparing import Contest
from linnet.estimators.text.others import Listed, Machine, Nearest
from linnet.estimators.text.rows import RowMaker, RowsClassifier
from linnet.estimators.text.unlabelled.contenders import FORM, unlabelled_contenders
from linnet.evaluation import Contender, by_labels
from linnet.evaluation import held_out as split
from linnet.features import TextFeatures
from linnet.losses import LOSSES

STRENGTHS = (0.1, 1.0, 10.0, 100.0)
DECISION_LIST, NEAREST, RULES = "decision list", "nearest texts", "rules"
KERNEL_PERCEPTRON, KERNEL_SVM = "kernel perceptron", "kernel SVM"
REDUCTIONS = {
    "one against all": ("rest", "label by label"),
    "all pairs": ("pairs", "pair by pair"),
    "output codes": ("ecoc", "column by column"),
    "Kesler": ("kesler", "constraint by constraint"),
}
FORMS = ("scaled", "counts")  # of features


def classifiers(seed: int = 0, threads: int = 1) -> dict[str, Contender]:
    """By name; m is the margin y·w·x, s(y) the score of a label."""

    def of(preset: Callable[..., Any], **fixed: Any) -> Callable[..., RowsClassifier]:
        common = {"random_state": seed, "n_jobs": threads, "diagnostics": False, "tol": 0.01}
        return lambda **tuned: RowsClassifier(preset(**common | fixed | tuned))

    def least(loss: str, penalty: str = "½‖w‖²") -> str:
        return f"{penalty} + C Σ {LOSSES[loss].formula}"

    def listed_by(preset: Callable[..., Any], wrapped: Any = Listed) -> Callable[..., Any]:
        return lambda **tuned: wrapped(preset(n_jobs=threads, **tuned))

    def kernel(machine: Callable[..., Any], **fixed: Any) -> Callable[..., Machine]:
        return lambda **tuned: Machine(machine(n_jobs=threads, random_state=seed, **fixed, **tuned))

    listed = (
        Contender(
            "naive Bayes",
            "−Σ log P(x, y)",
            "smoothing",
            (0.01, 0.1, 1.0),
            of(estimators.NaiveBayes),
            "counts",
        ),
        Contender(
            "averaged perceptron",
            "Σ max(0, −m), by steps",
            "max_iter",
            (5, 10, 20),
            of(estimators.Perceptron),
        ),
        Contender(
            "Winnow, balanced",
            "mistakes, by factors",
            "promotion",
            (1.01, 1.1, 1.5),
            _winnow(of(estimators.Winnow)),
            "counts",
        ),
        Contender("MIRA", "½‖w − wₜ‖² + C ξ, by steps", "C", (0.01, 0.1, 1.0), of(estimators.MIRA)),
        Contender(
            "AROW", "½‖w − wₜ‖²_Σ + ξ²/2r, by steps", "r", (0.01, 0.1, 1.0, 10.0), of(estimators.AROW)
        ),
        Contender(
            "AdaBoost over words",
            "Σ exp(−m), word by word",
            "max_iter",
            (50, 200, 800),
            of(estimators.AdaBoost),
            "counts",
        ),
        Contender("SVM", least("hinge"), "C", STRENGTHS, of(estimators.LinearSVM)),
        Contender(
            "SVM, squared hinge",
            least("squared_hinge"),
            "C",
            STRENGTHS,
            of(estimators.LinearSVM, loss="squared_hinge"),
        ),
        Contender(
            "logistic regression", least("logistic"), "C", STRENGTHS, of(estimators.LogisticRegression)
        ),
        Contender(
            "logistic regression, L1",
            least("logistic", "‖w‖₁"),
            "C",
            STRENGTHS,
            of(estimators.LogisticRegression, penalty="l1"),
        ),
        Contender(
            "least squares, L2",
            least("squared"),
            "C",
            (0.1, 1.0, 10.0),
            of(estimators.LinearClassifier, loss="squared", learner="newton", tol=1e-3),
        ),
        Contender(
            DECISION_LIST,
            "log odds, the surest decides",
            "alpha",
            (0.01, 0.1, 1.0),
            listed_by(estimators.TextDecisionList),
            "counts",
        ),
        Contender(
            NEAREST,
            "k highest cosines vote",
            "k",
            (1, 5, 20),
            listed_by(estimators.TextNeighbors, Nearest),
        ),
        Contender(
            RULES,
            "mistakes, rule by rule",
            "max_rules",
            (50, 200),
            listed_by(estimators.TextBrill),
            "counts",
            usual=False,
        ),
        Contender(
            "voted perceptron",
            "Σ max(0, −m), all hypotheses vote",
            "max_iter",
            (1, 5),
            of(estimators.Perceptron, average="voted"),
            usual=False,
        ),
        Contender(
            KERNEL_PERCEPTRON,
            "mistakes, Gaussian kernel",
            "max_iter",
            (5, 10),
            kernel(estimators.KernelPerceptron),
            usual=False,
        ),
        Contender(
            KERNEL_SVM,
            "½‖w‖² + C Σ ξ, Gaussian kernel",
            "C",
            (1.0, 10.0),
            kernel(estimators.KernelSVM),
            usual=False,
        ),
        *(
            Contender(
                f"SVM, {name}",
                f"½‖w‖² + C Σ ξ, {what}",
                "C",
                STRENGTHS,
                of(estimators.LinearSVM, multiclass=way),
                usual=False,
            )
            for name, (way, what) in REDUCTIONS.items()
        ),
    )
    return {contender.name: contender for contender in listed}


def _winnow(make: Callable[..., RowsClassifier]) -> Callable[..., RowsClassifier]:
    """Promotes and demotes by the same factor."""
    return lambda promotion: make(promotion=promotion, demotion=promotion)


def label_contest(
    X: Any,
    y: Any,
    test: Any,
    *,
    held_out: float,
    metric: str | None,
    features: Any,
    seed: int,
    threads: int,
    unlabeled: Any = None,
) -> Contest:
    """Texts, or rows of numbers; ``features`` are `TextFeatures`; ``unlabeled`` have no labels."""
    train = _examples(X, y, features)
    if test is None:
        ((kept, left),) = split(_labels(train), held_out, seed)
        train, other = train.take(kept), train.take(left)
    else:
        texts, gold = test if isinstance(test, tuple) else (test, None)
        other = _examples(texts, gold, features)
    labels, test_labels = _labels(train), _labels(other)
    seen, unseen, about = _rows(train, other, labels, features, threads)
    known = classifiers(seed, threads)
    if unlabeled is not None:
        if train.texts is None:
            raise DataError(
                f"{train.source} holds numbers, no texts: unlabeled texts do not go with them"
            )
        own = (seen["scaled"].features, seen["counts"].features)
        learners = unlabelled_contenders(unlabeled, *own, seed, threads)
        known |= {contender.name: contender for contender in learners}
        seen, unseen = seen | {FORM: train}, unseen | {FORM: other}
    reasons = _unfit(seen["counts"], labels, train.texts is None)
    notes = [
        f"{', '.join(names)} {'is' if len(names) == 1 else 'are'} left out: {reason}"
        for names, reason in reasons
    ]
    left_out = {name for names, _ in reasons for name in names}
    if several_labels(labels) and unlabeled is not None:
        notes.append("unlabeled texts are not used: they go with one label each")
        known = {name: one for name, one in known.items() if one.features != FORM}
    for name in left_out:
        del known[name]
    return Contest(
        known,
        seen,
        labels,
        unseen,
        test_labels,
        split(labels, 0.2, seed),
        by_labels,
        metric or "accuracy",
        ("accuracy", "macro_f1"),
        (len(labels), len(test_labels)),
        len(test_labels),
        about,
        frozenset(left_out),
        tuple(notes),
    )


def _unfit(counts: Any, labels: list[Any], numbers: bool) -> list[tuple[tuple[str, ...], str]]:
    """Who cannot learn from these data, and why; each is named once."""
    found: list[tuple[tuple[str, ...], str]] = []
    if (counts.rows.values < 0).any():
        found.append((("naive Bayes",), "it counts, and some values are negative"))
    several = several_labels(labels)
    machines = ("voted perceptron", KERNEL_PERCEPTRON, KERNEL_SVM)
    reductions = tuple(f"SVM, {name}" for name in REDUCTIONS)
    lists = (DECISION_LIST, RULES)
    if several:
        names = (*lists, NEAREST, *machines, *reductions)
        return [*found, (names, "they give one label, and these examples have several")]
    if counts.weights is not None and not (np.asarray(counts.weights) == 1).all():
        names = (*lists, NEAREST, KERNEL_PERCEPTRON)
        found.append((names, "they count examples, and cannot weigh them"))
    elif numbers and not np.isin(counts.rows.values, (0, 1)).all():
        found.append((lists, "they ask whether a feature is there, and some values are not 0 or 1"))
    if len(set(labels)) < 3:
        found.append((reductions, "with two labels a reduction is the SVM itself"))
    return found


def several_labels(labels: list[Any]) -> bool:
    """Are there several to an example?"""
    return bool(labels) and isinstance(labels[0], (tuple, list))


def _examples(X: Any, y: Any, features: Any) -> Examples:
    """Nothing of them is missing."""
    reader = estimators.TextClassifier(features or "auto")
    if isinstance(X, Examples):
        if X.texts is None:
            return X
        found = reader._settled(X, y, anew=True)
        left: Examples = X if found.kept is None else X.take(found.kept)
        return replace(left, columns=dict(found.columns or {}))
    texts, columns, labels = reader._read(X, y)
    if labels is None:
        raise DataError("y is needed: labels to learn and to compare with")
    from linnet.data import LabelColumn

    made = labels if isinstance(labels, LabelColumn) else LabelColumn.from_values(list(labels))
    return Examples(texts=texts, labels=made, columns=dict(columns or {}))


def _labels(examples: Examples) -> list[Any]:
    if examples.labels is None:
        raise DataError(f"{examples.source} has no labels")
    return examples.labels.values()


def usual_features(**settings: Any) -> TextFeatures:
    """Of texts, where nothing else is said."""
    return TextFeatures(word=(1, 2), tf="sublinear", scale="idf", **settings)


def _rows(
    train: Examples, test: Examples, y: list[Any], features: Any, threads: int
) -> tuple[dict[str, Any], dict[str, Any], str]:
    """Each half as scaled rows and as counts (for learners that count), and what they are made of."""
    if train.texts is None:
        seen, unseen = (RowMaker().transform(half) for half in (train, test))
        return dict.fromkeys(FORMS, seen), dict.fromkeys(FORMS, unseen), "features as given"
    scaled = features or usual_features()
    unscaled = {"scale": "none", "norm": "none", "tf": "count"}
    counts = TextFeatures(**scaled.get_params(deep=False) | unscaled)
    makers = dict(zip(FORMS, (RowMaker(made, threads) for made in (scaled, counts)), strict=True))
    learnt = {name: maker.fit_transform(train, y) for name, maker in makers.items()}
    other = {name: maker.transform(test) for name, maker in makers.items()}
    return learnt, other, f"{scaled}, {scaled.n_features:,} features"
