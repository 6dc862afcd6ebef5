"""The familiar names of sequence models: each a few settings of `Tagger`."""

from __future__ import annotations

from typing import Any, ClassVar

import linnet.learners as learners
from linnet.data import Sequences
from linnet.estimators.tagging.tagger import Tagger
from linnet.features.events import WordEvents
from linnet.learners import Learner

Settings = dict[str, Any]


class CRF(Tagger):
    """The conditional random field (Lafferty, McCallum & Pereira 2001): log P(tags | sentence)."""

    preset: ClassVar[Settings] = {"loss": "logistic"}

    def __init__(self, C: Any = "auto", penalty: str = "l2", **settings: Any) -> None:
        super().__init__(C=C, penalty=penalty, **self.preset | settings)


class HMM(Tagger):
    """The hidden Markov model: P(tags, words) by counting, and by EM where tags are missing.

    ``states`` names or counts the tags when no token has one (Baum–Welch); with some, the others are
    estimated along with the probabilities. Words seen at most ``rare`` times count as their kind.
    """

    preset: ClassVar[Settings] = {"loss": "joint_likelihood", "penalty": "none", "ends": True}

    def __init__(
        self,
        smoothing: float = 0.01,
        transition_smoothing: float = 1.0,
        rare: int = 1,
        states: Any = None,
        max_iter: int | None = None,
        **settings: Any,
    ) -> None:
        super().__init__(max_iter=max_iter, **self.preset | settings)
        self.smoothing = smoothing
        self.transition_smoothing = transition_smoothing
        self.rare = rare
        self.states = states

    def _own_features(self) -> Any:
        return WordEvents(rare=self.rare) if self.features == "auto" else self.features

    def _named_learner(self, partial: bool) -> str | Learner:
        if self.learner != "auto":
            return self.learner
        prior: dict[str, Any] = {
            "smoothing": self.smoothing,
            "transition_smoothing": self.transition_smoothing,
        }
        return learners.EM(**prior) if partial else learners.Counting(**prior)

    def _tags_of(self, data: Sequences) -> list[str]:
        if self.states is None:
            return super()._tags_of(data)
        count = self.states if isinstance(self.states, int) else None
        named = [f"state{k}" for k in range(count)] if count is not None else list(self.states)
        seen = [] if data.labels is None else data.labels.names
        return named if count is not None and not seen else sorted({*named, *seen})


class MEMM(Tagger):
    """The maximum entropy Markov model (McCallum, Freitag & Pereira 2000): P(tag | tag before, words).

    It is trained token by token and suffers from label bias; see the manual.
    """

    preset: ClassVar[Settings] = {"loss": "logistic", "normalisation": "local"}

    def __init__(self, C: Any = "auto", penalty: str = "l2", **settings: Any) -> None:
        super().__init__(C=C, penalty=penalty, **self.preset | settings)


class StructuredPerceptron(Tagger):
    """The perceptron over whole sentences (Collins 2002), averaged unless told otherwise."""

    preset: ClassVar[Settings] = {"loss": "perceptron", "learner": "perceptron", "penalty": "none"}

    def __init__(self, average: bool = True, max_iter: int | None = 10, **settings: Any) -> None:
        super().__init__(average=average, max_iter=max_iter, **self.preset | settings)


class StructuredMIRA(Tagger):
    """The smallest change that sets the k best wrong sequences right (McDonald et al. 2005)."""

    preset: ClassVar[Settings] = {"loss": "hinge", "penalty": "none"}

    def __init__(
        self,
        C: float = 1.0,
        k: int = 1,
        average: bool = True,
        max_iter: int | None = 10,
        **settings: Any,
    ) -> None:
        super().__init__(C=C, average=average, max_iter=max_iter, **self.preset | settings)
        self.k = k

    def _named_learner(self, partial: bool) -> str | Learner:
        return learners.PassiveAggressive(self.C) if self.k == 1 else learners.MIRA(self.C, k=self.k)


class StructuredSVM(Tagger):
    """The structural SVM, or max-margin Markov network, with Hamming or given costs."""

    preset: ClassVar[Settings] = {"loss": "hinge", "penalty": "l2"}

    def __init__(self, C: Any = "auto", cost: Any = None, **settings: Any) -> None:
        super().__init__(C=C, cost=cost, **self.preset | settings)
