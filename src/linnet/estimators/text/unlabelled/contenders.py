"""Learners from texts without labels, to be compared with those that learn from labels alone."""

from __future__ import annotations

from typing import Any, Self

import linnet.estimators as estimators
from linnet.data import Examples
from linnet.evaluation import Contender
from linnet.features import TextFeatures

FORM = "texts"  # of the data: these learn from texts, whose features they choose with the others'
SWITCH = "with unlabelled texts"
WEIGHT = "unlabeled_weight"


class WithUnlabelled:
    """A classifier of texts, and the texts that it learns from beside those with labels."""

    def __init__(self, inner: Any, unlabeled: Any) -> None:
        self.inner = inner
        self.unlabeled = unlabeled

    def fit(self, data: Examples, y: Any) -> Self:
        """Learn."""
        self.inner.fit(data.texts, y, sample_weight=data.weights, unlabeled=self.unlabeled)
        self.record_, self.coef_ = self.inner.record_, self.inner.coef_
        self.intercept_ = self.inner.intercept_
        return self

    def predict(self, data: Examples) -> Any:
        """Labels."""
        return self.inner.predict(data.texts)

    def predict_proba(self, data: Examples) -> Any:
        """Probabilities of labels."""
        return self.inner.predict_proba(data.texts)


def unlabelled_contenders(
    unlabeled: Any, features: TextFeatures, counts: TextFeatures, seed: int, threads: int
) -> list[Contender]:
    """One for each way to use them, over the same n-grams as all others."""

    def by(method: str) -> Any:
        plain = counts if method == "em" else features
        common: dict[str, Any] = {"random_state": seed, "n_jobs": threads, "verbose": False}
        return lambda **tuned: WithUnlabelled(
            estimators.TextClassifier(
                TextFeatures(**plain.get_params(deep=False)), unlabeled_method=method, **common, **tuned
            ),
            unlabeled,
        )

    weighed = (
        ("EM", "−Σ log P(x, y) − λ Σ log P(x)", "em", (0.03, 0.1, 0.3, 1.0)),
        ("entropy regularisation", "½‖w‖² + C Σ log loss + λ Σ H", "entropy", (0.01, 0.03, 0.1)),
        ("self-training", "its own surest labels are learnt", "self", (0.1, 0.3)),
        ("co-training", "two halves of the features teach each other", "co", (0.1, 0.3)),
        ("label propagation", "labels spread to neighbours, and are learnt", "propagate", (0.1, 0.3)),
    )
    return [
        Contender(SWITCH, "held-out texts decide", None, (), by("auto"), FORM),
        *(
            Contender(name, how, WEIGHT, values, by(method), FORM)
            for name, how, method, values in weighed
        ),
    ]
