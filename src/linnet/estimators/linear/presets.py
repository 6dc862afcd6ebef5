"""The familiar names: each a few settings of `LinearClassifier`.

A preset takes the parameters it is known by; all other settings of `LinearClassifier` pass through.
"""

from __future__ import annotations

from typing import Any, ClassVar

import linnet.learners as learners
from linnet.estimators.linear.classifier import LinearClassifier
from linnet.estimators.linear.input import presence
from linnet.learners import Learner

Settings = dict[str, Any]


class OwnLearner(LinearClassifier):
    """Base of presets that are a learner, and have its settings among their own."""

    def _learner(self, *_: bool) -> Learner:
        own = self.preset["learner"]
        if self.learner != own:
            raise ValueError(
                f"{type(self).__name__} is the learner {own!r} with its settings; use "
                f"LinearClassifier(learner={self.learner!r})"
            )
        return self._own_learner()

    def _own_learner(self) -> Learner:
        raise NotImplementedError


class Perceptron(LinearClassifier):
    """The perceptron, averaged unless told otherwise; ``margin`` > 0 updates on close calls too."""

    # The hinge loss with margin 0 is the perceptron's.
    preset: ClassVar[Settings] = {"loss": "hinge", "learner": "perceptron", "penalty": "none"}

    def __init__(self, average: bool = True, margin: float = 0.0, **settings: Any) -> None:
        super().__init__(average=average, margin=margin, **self.preset | settings)


class VotedPerceptron(LinearClassifier):
    """Every weight vector the perceptron passed through votes, as often as it survived.

    Scores are shares of the votes; ``coef_`` is the last of the vectors.
    """

    preset: ClassVar[Settings] = {"loss": "perceptron", "learner": "voted", "penalty": "none"}

    def __init__(self, max_iter: int | None = 10, **settings: Any) -> None:
        super().__init__(max_iter=max_iter, **self.preset | settings)


class Winnow(OwnLearner):
    """Winnow: ``balanced``, or ``positive`` and ``winnow1`` for non-negative features."""

    preset: ClassVar[Settings] = {"loss": "perceptron", "learner": "winnow", "penalty": "none"}

    def __init__(
        self,
        variant: str = "balanced",
        promotion: float | None = None,
        demotion: float | None = None,
        threshold: float | None = None,
        initial: float = 1.0,
        **settings: Any,
    ) -> None:
        super().__init__(**self.preset | settings)
        self.variant = variant
        self.promotion = promotion
        self.demotion = demotion
        self.threshold = threshold
        self.initial = initial

    def _own_learner(self) -> Learner:
        return learners.Winnow(
            self.variant, self.promotion, self.demotion, self.threshold, self.initial
        )

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.positive_only = self.variant != "balanced"
        return tags


class PassiveAggressive(OwnLearner):
    """Passive-aggressive: ``variant`` 'I' or 'II'; C = inf has no slack."""

    preset: ClassVar[Settings] = {
        "loss": "hinge",
        "learner": "pa",
        "penalty": "none",
        "average": True,
    }

    def __init__(self, C: float = 1.0, variant: str = "I", **settings: Any) -> None:
        super().__init__(C=C, **self.preset | settings)
        self.variant = variant

    def _own_learner(self) -> Learner:
        return learners.PassiveAggressive(self.C, self.variant)


class MIRA(OwnLearner):
    """The smallest change that satisfies ``all`` wrong labels' constraints, or the ``best`` one's."""

    preset: ClassVar[Settings] = {
        "loss": "hinge",
        "learner": "mira",
        "penalty": "none",
        "average": True,
    }

    def __init__(self, C: float = 1.0, constraints: str = "all", **settings: Any) -> None:
        super().__init__(C=C, **self.preset | settings)
        self.constraints = constraints

    def _own_learner(self) -> Learner:
        if self.constraints not in ("all", "best"):
            raise ValueError(f"constraints must be 'all' or 'best', not {self.constraints!r}")
        if self.constraints == "all":
            return learners.MIRA(self.C)
        return learners.PassiveAggressive(self.C, "I")


class AROW(OwnLearner):
    """Adaptive regularisation of weights, diagonal."""

    preset: ClassVar[Settings] = {"loss": "hinge", "learner": "arow", "penalty": "none"}

    def __init__(self, r: float = 1.0, **settings: Any) -> None:
        super().__init__(**self.preset | settings)
        self.r = r

    def _own_learner(self) -> Learner:
        return learners.AROW(self.r)


class AdaBoost(OwnLearner):
    """AdaBoost over stumps that ask whether a feature is there; ``max_iter`` rounds."""

    preset: ClassVar[Settings] = {"loss": "exponential", "learner": "adaboost", "penalty": "none"}

    def __init__(self, stumps: str = "real", max_iter: int | None = 500, **settings: Any) -> None:
        super().__init__(max_iter=max_iter, **self.preset | settings)
        self.stumps = stumps

    def _own_learner(self) -> Learner:
        return learners.AdaBoost(self.stumps)

    def _transform(self, X: Any) -> Any:
        return presence(X)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.poor_score = True  # on data whose features are never absent
        return tags


class LinearSVM(LinearClassifier):
    """Linear support vector machine: ``hinge`` or ``squared_hinge``; C = inf is the hard margin.

    More than two labels: Crammer–Singer with hinge, one against the rest with squared hinge.
    """

    def __init__(self, C: float = 1.0, loss: str = "hinge", **settings: Any) -> None:
        super().__init__(loss, C=C, **settings)


class LogisticRegression(LinearClassifier):
    """Logistic regression, multinomial for more than two labels."""

    def __init__(self, C: float = 1.0, penalty: str = "l2", **settings: Any) -> None:
        super().__init__(penalty=penalty, C=C, **settings)


class MaxEnt(LogisticRegression):
    """Maximum entropy: logistic regression by its other name."""
