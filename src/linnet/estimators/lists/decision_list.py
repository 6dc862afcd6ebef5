"""Decision lists of texts and of rows of symbols."""

from __future__ import annotations

import math
from typing import Any

from linnet._params import whole
from linnet.data import CsrRows
from linnet.estimators.lists.rows import RowList
from linnet.estimators.text.by_rows import TextByRows
from linnet.estimators.text.targets import Targets
from linnet.explain.evidence import Evidence, ListExplanation, Weights
from linnet.model.decision_list import DecisionListModel

SHOWN = 5  # entries beside the one that decides


class _Listed:
    """What both have in common."""

    method = "decision list"
    alpha: float
    min_count: int
    classes_: Any
    features_: Any
    model_: Any

    def _check_own(self) -> None:
        if not isinstance(self.alpha, (int, float)) or not 0 < self.alpha < math.inf:
            raise ValueError(f"alpha must be a positive number, not {self.alpha!r:.60}")
        whole("min_count", self.min_count, 1)

    def _learn(self, rows: CsrRows, targets: Targets, texts: Any) -> DecisionListModel:
        return DecisionListModel.learn(
            rows,
            targets.codes,
            len(targets.classes),
            float(self.alpha),
            whole("min_count", self.min_count),
        )

    @property
    def rules_text_(self) -> list[str]:
        """The entries in their order, to be read."""
        names, model = self.features_.names, self.model_
        listed = zip(model.entries.tolist(), model.labels.tolist(), strict=True)
        said = [f"{names[feature]} -> {self.classes_[label]}" for feature, label in listed]
        return [*said, f"else -> {self.classes_[model.default]}"]

    def inspect(self, top: int = 10) -> Weights:
        """For each label the first entries that give it, with their log odds."""
        top = whole("top", top, 0)
        names, model, odds = self.features_.names, self.model_, self.model_.odds
        rows: dict[str, list[tuple[str, float]]] = {str(c): [] for c in self.classes_.tolist()}
        for k, (feature, label) in enumerate(zip(model.entries.tolist(), model.labels, strict=True)):
            own = rows[str(self.classes_[label])]
            if len(own) < top:
                own.append((str(names[feature]), math.log(odds[k])))
        return Weights(rows)

    def _explain_rows(self, rows: CsrRows, texts: Any, whats: list[str]) -> list[Any]:
        model, names = self.model_, self.features_.names
        ranks, told = model.ranks(rows), []
        for i, what in enumerate(whats):
            own = sorted(set(ranks[rows.indptr[i] : rows.indptr[i + 1]].tolist()) - {len(model)})
            listed = [
                Evidence(
                    k + 1,
                    str(names[model.entries[k]]),
                    str(self.classes_[model.labels[k]]),
                    int(model.counts[k, 0]),
                    int(model.counts[k, 1]),
                    n == 0,
                )
                for n, k in enumerate(own[: SHOWN + 1])
            ]
            if not listed:
                label = str(self.classes_[model.default])
                right, wrong = model.default_counts
                listed = [Evidence(len(model) + 1, "else", label, right, wrong, True)]
            told.append(ListExplanation(what, listed[0].label, listed))
        return told


class TextDecisionList(_Listed, TextByRows):
    """A decision list of words: the first of them that a text has gives its label.

    Words are ordered by (n_wc + α) / (n_w − n_wc + α), the odds of the label c that word w goes with
    most; those less sure than the most frequent label, which ends the list, are left out. Other words
    of the text are not looked at. [Rivest 1987; Yarowsky 1994]

    Parameters
    ----------
    features : 'auto', which words a text has, or `TextFeatures` to say other n-grams
    alpha : added to counts: how much a word of few texts is mistrusted
    min_count : words of fewer texts are left out

    Attributes
    ----------
    classes_, features_, model_ (a `DecisionListModel`), rules_text_, record_

    Examples
    --------
    >>> from linnet import TextDecisionList
    >>> X = ["a bass sings", "the bass sings low", "he caught a bass", "fried bass for lunch"]
    >>> found = TextDecisionList().fit(X, ["music", "music", "fish", "fish"])
    >>> found.predict(["the bass sings"]).tolist()
    ['music']
    """

    def __init__(
        self,
        features: Any = "auto",
        *,
        alpha: float = 0.1,
        min_count: int = 1,
        text: str = "text",
        missing: Any = "auto",
        n_jobs: int | None = None,
    ) -> None:
        self.features = features
        self.alpha = alpha
        self.min_count = min_count
        self.text = text
        self.missing = missing
        self.n_jobs = n_jobs


class DecisionList(_Listed, RowList):
    """A decision list over rows of symbols: features are ``column=value``, as of `TextDecisionList`.

    With ``conjunctions=k`` tests are of up to k columns together: a k-decision list, which holds every
    k-DNF and k-CNF. [Rivest 1987]

    Examples
    --------
    >>> from linnet import DecisionList
    >>> X = [["red", "round"], ["red", "long"], ["green", "round"], ["green", "long"]]
    >>> found = DecisionList().fit(X, ["fruit", "fruit", "fruit", "other"])
    >>> found.rules_text_
    ['x0=red -> fruit', 'x1=round -> fruit', 'else -> fruit']
    """

    def __init__(
        self,
        *,
        alpha: float = 0.1,
        min_count: int = 1,
        conjunctions: int = 1,
        n_jobs: int | None = None,
    ) -> None:
        self.alpha = alpha
        self.min_count = min_count
        self.conjunctions = conjunctions
        self.n_jobs = n_jobs
