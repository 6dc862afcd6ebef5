"""Taggers that learn from sentences without tags, to be compared with those that do not."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple, Self

import linnet.estimators as estimators
from linnet.data import Sequences
from linnet.errors import DataError, RefusedError
from linnet.estimators.tagging.unlabelled import (
    check_columns,
    read_unlabelled,
    usual_templates,
    word_column,
)
from linnet.evaluation import Contender

SWITCH, CLASSES = "with untagged sentences", "classes of words"
SELF, ENTROPY = "self-training", "entropy regularisation"
WEIGHT = "unlabeled_weight"


class WithUntagged:
    """A tagger, and the sentences that it learns from beside those with tags."""

    def __init__(self, inner: Any, unlabeled: Sequences, method: str, weight: float | None) -> None:
        self.inner = inner
        self.how = {"unlabeled": unlabeled, "unlabeled_method": method, WEIGHT: weight}

    def fit(self, data: Sequences) -> Self:
        """Learn."""
        self.inner.fit(data, **self.how)
        self.record_, self.taggers_ = self.inner.record_, self.inner.taggers_
        return self

    def tag(self, data: Sequences, retag: bool = False) -> Any:
        """Tags."""
        return self.inner.tag(data, retag=retag)

    def predict_proba(self, data: Sequences) -> Any:
        """Probabilities of tags."""
        return self.inner.predict_proba(data)

    def nonzero_weights(self) -> int:
        """As of any tagger."""
        return int(self.inner.nonzero_weights())


class Entrants(NamedTuple):
    """Who takes part, and who cannot learn from these sentences, with the reason."""

    contenders: list[Contender]
    left_out: list[tuple[tuple[str, ...], str]]


def unlabelled_contenders(
    unlabeled: Any, train: Sequences, features: Any, seed: int, threads: int
) -> Entrants:
    """One for each way to use them: conditional random fields over the templates of all others."""
    more = read_unlabelled(unlabeled)
    common: dict[str, Any] = {"random_state": seed, "n_jobs": threads, "verbose": False}

    def crf(**tuned: Any) -> Any:
        return estimators.CRF(features=features, tol=0.01, **common, **tuned)

    def by(method: str) -> Callable[..., Any]:
        def make(unlabeled_weight: float | None = None, **tuned: Any) -> WithUntagged:
            return WithUntagged(crf(**tuned), more, method, unlabeled_weight)

        return make

    usual = "½‖w‖² − C Σ log P(y|x)"
    listed = (
        Contender(SWITCH, "held-out sentences decide", None, (), by("auto")),
        Contender(CLASSES, f"{usual}, classes as features", "C", (0.1, 1.0, 10.0), by("classes")),
        Contender(SELF, "its own surest tags are learnt", WEIGHT, (0.1, 0.3, 1.0), by("self")),
        Contender(ENTROPY, f"{usual} + λ Σ H", WEIGHT, (0.01, 0.03, 0.1), by("entropy")),
    )
    left_out: list[tuple[tuple[str, ...], str]] = []
    for names, check in (
        ((SWITCH, CLASSES), lambda: (word_column(train, more), usual_templates(crf(), train))),
        ((SELF, ENTROPY), lambda: check_columns(train, more)),
    ):
        try:
            check()
        except (DataError, RefusedError) as error:
            left_out.append((names, str(error)))
    out = {name for names, _ in left_out for name in names}
    return Entrants([one for one in listed if one.name not in out], left_out)
