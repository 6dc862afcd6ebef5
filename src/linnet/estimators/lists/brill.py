"""Transformation-based learning of labels: of texts and of rows of symbols."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from linnet._params import whole
from linnet.data import CsrRows
from linnet.errors import RefusedError, setting
from linnet.estimators.lists.rows import RowList
from linnet.estimators.text.by_rows import TextByRows
from linnet.estimators.text.classifier import TextClassifier
from linnet.estimators.text.targets import Targets
from linnet.explain.evidence import Evidence, ListExplanation, Weights
from linnet.model.row_rules import RowRules

Codes = NDArray[np.int32]


class _Mending:
    """What both have in common."""

    method = "brill"
    max_rules: int
    min_score: int
    initial: Any = "label"
    classes_: Any
    features_: Any
    model_: Any

    def _check_own(self) -> None:
        whole("max_rules", self.max_rules, 0)
        whole("min_score", self.min_score, 1)

    def _learn(self, rows: CsrRows, targets: Targets, texts: Any) -> RowRules:
        labels = len(targets.classes)
        usual = int(np.bincount(targets.codes, minlength=labels).argmax())
        initial = self._begun(texts, targets.classes, np.full(len(targets), usual, np.int32))
        return RowRules.learn(
            rows,
            initial,
            targets.codes,
            labels,
            whole("max_rules", self.max_rules, 0),
            whole("min_score", self.min_score),
        )

    def _begun(self, texts: Any, classes: Any, usual: Codes) -> Codes:
        """The labels that rules begin with."""
        return usual

    def begins_with(self) -> str:
        """The labels that rules mend, in words."""
        if isinstance(self.initial, str):
            return "the most frequent label"
        return f"the label of the first classifier, {type(self.initial).__name__}"

    @property
    def rules_text_(self) -> list[str]:
        """The rules in their order, to be read."""
        return [self._rule(k) for k in range(len(self.model_))]

    def _rule(self, k: int) -> str:
        feature, before, after = self.model_.rules[k, :3].tolist()
        names = self.classes_
        return f"{names[before]} -> {names[after]} if {self.features_.names[feature]}"

    def inspect(self, top: int = 10) -> Weights:
        """For each label the first rules that give it, with how much each mends."""
        top = whole("top", top, 0)
        rows: dict[str, list[tuple[str, float]]] = {str(c): [] for c in self.classes_.tolist()}
        for k, (_, _, after, fixed, broken) in enumerate(self.model_.rules.tolist()):
            own = rows[str(self.classes_[after])]
            if len(own) < top:
                own.append((f"{k + 1}: {self._rule(k)}", float(fixed - broken)))
        return Weights(rows)

    def _explain_rows(self, rows: CsrRows, texts: Any, whats: list[str]) -> list[Any]:
        model = self.model_
        initial = self._begun(texts, self.classes_, model.begin(len(rows)))
        final, fired = model.fired(rows, initial)
        told = []
        for i, what in enumerate(whats):
            first = str(self.classes_[initial[i]])
            own = fired[i] if fired else []
            listed = [Evidence(0, f"begins with {self.begins_with()}", first, 0, 0, decided=not own)]
            for k in own:
                _, _, after, fixed, broken = model.rules[k].tolist()
                label = str(self.classes_[after])
                listed.append(
                    Evidence(k + 1, self._rule(k), label, fixed, broken, decided=k == own[-1])
                )
            told.append(ListExplanation(what, str(self.classes_[final[i]]), listed))
        return told


class TextBrill(_Mending, TextByRows):
    """Texts begin with the most frequent label, and rules mend it, in order.

    A rule is "from -> to if the text has a word". Training takes the rule of the highest score,
    labels it sets right less labels it breaks, applies it, and begins anew; of equals the first.
    [Brill 1995]

    Parameters
    ----------
    features : 'auto', which words a text has, or `TextFeatures` to say other n-grams
    initial : 'label', the most frequent one, or a fitted `TextClassifier` whose labels are mended
    max_rules, min_score : when to stop; at least so many set right, less those broken

    Attributes
    ----------
    classes_, features_, model_ (`RowRules`), rules_text_, record_

    Examples
    --------
    >>> from linnet import TextBrill
    >>> X = ["a bass sings", "the bass sings low", "he caught a bass", "bass for lunch", "fish"]
    >>> found = TextBrill().fit(X, ["music", "music", "fish", "fish", "fish"])
    >>> found.rules_text_
    ['fish -> music if sings']
    """

    def __init__(
        self,
        features: Any = "auto",
        initial: Any = "label",
        *,
        max_rules: int = 200,
        min_score: int = 2,
        text: str = "text",
        missing: Any = "auto",
        n_jobs: int | None = None,
    ) -> None:
        self.features = features
        self.initial = initial
        self.max_rules = max_rules
        self.min_score = min_score
        self.text = text
        self.missing = missing
        self.n_jobs = n_jobs

    def _check_own(self) -> None:
        super()._check_own()
        if isinstance(self.initial, str) and self.initial == "label":
            return
        if not isinstance(self.initial, TextClassifier) or not self.initial.__sklearn_is_fitted__():
            raise ValueError("initial must be 'label' or a fitted TextClassifier")
        if (
            self.initial.several_
            or self.initial.features_.numeric
            or self.initial.features_.categorical
        ):
            raise RefusedError(f"{setting('initial')}: it must give one label, by the text alone")

    def _begun(self, texts: Any, classes: Any, usual: Codes) -> Codes:
        if isinstance(self.initial, str):
            return usual
        number = {label: k for k, label in enumerate(classes.tolist())}
        predicted = self.initial.predict(texts).tolist()
        unknown = {label for label in predicted if label not in number}
        if unknown:
            raise RefusedError(
                f"{setting('initial')}: it gives the label {min(map(str, unknown))}, unknown here"
            )
        return np.array([number[label] for label in predicted], np.int32)

    def _scores_of(self, texts: Any, columns: Any) -> Any:
        rows = self._rows(texts, columns)
        initial = self._begun(texts, self.classes_, self.model_.begin(len(rows)))
        return _one_hot(self.model_.labels(rows, initial), len(self.classes_))


class BrillClassifier(_Mending, RowList):
    """Rows of symbols begin with the most frequent label, and rules mend it; see `TextBrill`.

    With ``conjunctions=k`` rules look at up to k columns together.

    Examples
    --------
    >>> from linnet import BrillClassifier
    >>> X = [["red", "round"], ["red", "long"], ["green", "round"], ["green", "long"]]
    >>> found = BrillClassifier(min_score=1, conjunctions=2).fit(X, [0, 0, 0, 1])
    >>> found.rules_text_
    ['0 -> 1 if x0=green & x1=long']
    """

    def __init__(
        self,
        *,
        max_rules: int = 200,
        min_score: int = 2,
        conjunctions: int = 1,
        n_jobs: int | None = None,
    ) -> None:
        self.max_rules = max_rules
        self.min_score = min_score
        self.conjunctions = conjunctions
        self.n_jobs = n_jobs

    def predict(self, X: Any) -> Any:
        """The label of each row."""
        rows, _ = self._seen(X)
        return self.classes_[self.model_.labels(rows, self.model_.begin(len(rows)))]


def _one_hot(labels: Codes, n_labels: int) -> NDArray[np.float64]:
    made = np.zeros((len(labels), n_labels))
    made[np.arange(len(labels)), labels] = 1.0
    return made
