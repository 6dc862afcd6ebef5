"""Who takes part in ``linnet compare``: each with its objective and the parameter to tune."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import linnet
from linnet.cli._rows import RowsClassifier
from linnet.evaluation import Contender
from linnet.losses import LOSSES

STRENGTHS = (0.1, 1.0, 10.0, 100.0)


def contenders(seed: int = 0, threads: int = 1) -> dict[str, Contender]:
    """By name; m is the margin y·w·x, s(y) the score of a label."""

    def of(preset: Callable[..., Any], **fixed: Any) -> Callable[..., RowsClassifier]:
        common = {"random_state": seed, "n_jobs": threads, "diagnostics": False, "tol": 0.01}
        return lambda **tuned: RowsClassifier(preset(**common | fixed | tuned))

    def least(loss: str, penalty: str = "½‖w‖²") -> str:
        return f"{penalty} + C Σ {LOSSES[loss].formula}"

    listed = (
        Contender(
            "naive Bayes",
            "−Σ log P(x, y)",
            "smoothing",
            (0.01, 0.1, 1.0),
            of(linnet.NaiveBayes),
            "counts",
        ),
        Contender(
            "averaged perceptron",
            "Σ max(0, −m), by steps",
            "max_iter",
            (5, 10, 20),
            of(linnet.Perceptron),
        ),
        Contender(
            "Winnow, balanced",
            "mistakes, by factors",
            "promotion",
            (1.01, 1.1, 1.5),
            _winnow(of(linnet.Winnow)),
            "counts",
        ),
        Contender("MIRA", "½‖w − wₜ‖² + C ξ, by steps", "C", (0.01, 0.1, 1.0), of(linnet.MIRA)),
        Contender(
            "AROW", "½‖w − wₜ‖²_Σ + ξ²/2r, by steps", "r", (0.01, 0.1, 1.0, 10.0), of(linnet.AROW)
        ),
        Contender("SVM", least("hinge"), "C", STRENGTHS, of(linnet.LinearSVM)),
        Contender(
            "SVM, squared hinge",
            least("squared_hinge"),
            "C",
            STRENGTHS,
            of(linnet.LinearSVM, loss="squared_hinge"),
        ),
        Contender(
            "logistic regression", least("logistic"), "C", STRENGTHS, of(linnet.LogisticRegression)
        ),
        Contender(
            "logistic regression, L1",
            least("logistic", "‖w‖₁"),
            "C",
            STRENGTHS,
            of(linnet.LogisticRegression, penalty="l1"),
        ),
        Contender(
            "least squares, L2",
            least("squared"),
            "C",
            (0.1, 1.0, 10.0),
            of(linnet.LinearClassifier, loss="squared", learner="newton", tol=1e-3),
        ),
    )
    return {contender.name: contender for contender in listed}


def _winnow(make: Callable[..., RowsClassifier]) -> Callable[..., RowsClassifier]:
    """Promotes and demotes by the same factor."""
    return lambda promotion: make(promotion=promotion, demotion=promotion)
