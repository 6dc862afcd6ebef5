"""The text regressor: raw text in, numbers out."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from linnet._params import whole
from linnet.data import Examples, LabelColumn
from linnet.errors import DataError
from linnet.estimators.linear.regressor import LinearRegressor, numbers
from linnet.estimators.text.choice import Choice, beside, usual_features
from linnet.estimators.text.fitted import FittedText, check_beside
from linnet.estimators.text.settings import unfitted
from linnet.features import TextFeatures
from linnet.learners.base import Learner

Array = NDArray[np.float64]
VALUE = "value"  # what its one score is called


class TextRegressor(FittedText):
    """A regressor of texts: a number for each, by squared error.

    Parameters
    ----------
    features : 'auto' or `TextFeatures`
        'auto' goes by the length and number of the texts; ``choice_`` says what it chose and why
    learner, penalty, C, alpha, l1_ratio, average, max_iter, tol : as of `LinearRegressor`
    text : the name of the column of texts where X is a table (a data frame, a dict of columns)
    missing : as of `TextClassifier`; examples without a target are left out
    numeric, categorical, statistics, preprocessor, tokenizer, strip_html, normalize, strip_accents :
        as of `TextClassifier`

    Attributes
    ----------
    features_, model_ (a `LinearModel`), record_, choice_, coef_, intercept_

    Examples
    --------
    >>> from linnet import TextRegressor
    >>> notes = ["two wrens", "ten wrens", "two linnets", "ten linnets"]
    >>> counts = TextRegressor(C=100.0).fit(notes, [2, 10, 2, 10])
    >>> counts.predict(["ten birds"]).round(1) > counts.predict(["two birds"]).round(1)
    array([ True])
    """

    task = "regress"
    kind = "regressor"
    takes_several = False

    loss = "squared"
    calibration = thresholds = unsure = None

    def __init__(
        self,
        features: str | TextFeatures = "auto",
        learner: str | Learner = "auto",
        penalty: str = "l2",
        *,
        C: float = 1.0,
        alpha: float | None = None,
        l1_ratio: float = 0.5,
        average: bool = False,
        max_iter: int | None = None,
        tol: float = 1e-4,
        text: str = "text",
        missing: Any = "auto",
        numeric: Any = (),
        categorical: Any = (),
        statistics: Any = (),
        preprocessor: Any = None,
        tokenizer: Any = None,
        strip_html: bool = False,
        normalize: str | None = None,
        strip_accents: bool = False,
        random_state: Any = 0,
        n_jobs: int | None = None,
        verbose: bool | None = None,
    ) -> None:
        self.features = features
        self.learner = learner
        self.penalty = penalty
        self.C = C
        self.alpha = alpha
        self.l1_ratio = l1_ratio
        self.average = average
        self.max_iter = max_iter
        self.tol = tol
        self.text = text
        self.missing = missing
        self.numeric = numeric
        self.categorical = categorical
        self.statistics = statistics
        self.preprocessor = preprocessor
        self.tokenizer = tokenizer
        self.strip_html = strip_html
        self.normalize = normalize
        self.strip_accents = strip_accents
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self:
        """Train on texts X and their numbers y; X may bring them along, as `Examples` of a file do."""
        found = self._settled(X, y, anew=True)
        targets = self._targets(X, found.y, found.kept)
        if len(targets) != len(found.texts):
            raise DataError(f"X has {len(found.texts)} texts but y has {len(targets)} targets")
        if len(targets) == 0:
            raise DataError("X is empty: give one or more texts")
        given = X.weights if sample_weight is None and isinstance(X, Examples) else sample_weight
        choice = self._choose(found.texts)
        features = unfitted(choice.features)
        if features.scale == "nb":
            raise ValueError("features: scale='nb' goes by labels, not by numbers; use 'idf' or 'none'")
        check_beside(features, found.columns, self.text)
        rows = features.fit_rows(found.texts, None, 0, columns=found.columns, threads=self._threads())
        if not rows.entries:
            raise DataError("X: no text has any feature, so there is nothing to learn from")
        inner = self._inner().fit(rows, targets, sample_weight=found.left(given))
        self.features_, self.choice_, self.means_ = features, choice, found.means
        self.classes_, self.several_, self.joint_, self.loss_ = (
            np.array([VALUE]),
            False,
            True,
            "squared",
        )
        self.calibrator_ = self.calibrators_ = None
        self.record_ = inner.record_
        self.record_.data = {"texts": len(targets), "bytes": int(found.texts.size_in_bytes)}
        if isinstance(X, Examples):
            from linnet.estimators.text.reading import remembered

            self.record_.data |= remembered(X)
        self._set_model(inner.model_.single().compact())
        return self

    def _inner(self) -> LinearRegressor:
        names = ("alpha", "l1_ratio", "average", "max_iter", "tol", "random_state", "n_jobs", "verbose")
        given = {name: getattr(self, name) for name in names}
        return LinearRegressor("squared", self.learner, self.penalty, C=self.C, **given)

    def _choose(self, texts: Any) -> Choice:
        features, why = self.features, ["loss: squared, a number for each text"]
        if features == "auto":
            mean = texts.size_in_bytes / max(len(texts), 1)
            features, reason = usual_features(len(texts), mean)
            why.insert(0, f"features: {reason}")
        elif not isinstance(features, TextFeatures):
            raise ValueError(f"features must be 'auto' or TextFeatures(...), not {features!r}")
        assert isinstance(features, TextFeatures)
        return Choice(
            beside(self, features), "squared", self.learner, self.penalty, self.C, self.tol, why=why
        )

    def _targets(self, X: Any, y: Any, kept: Any) -> Array:
        """Numbers; those of a file are told by their line."""
        return label_numbers(y, X, kept) if isinstance(y, LabelColumn) else numbers(y)

    # ------------------------------------------------------------------ prediction

    def predict(self, X: Any) -> Array:
        """A number for each text."""
        return self._scores(X)[:, 0]

    def _decide(self, scores: Array) -> Array:
        return scores[:, 0]

    def score(self, X: Any, y: Any = None, sample_weight: Any = None) -> float:
        """R², the share of the variance that is explained."""
        from sklearn.metrics import r2_score

        self._check_fitted()
        found = self._settled(X, y)
        gold = self._targets(X, found.y, found.kept)
        guess = self._scores_of(found.texts, found.columns)[:, 0]
        return float(r2_score(gold, guess, sample_weight=found.left(sample_weight)))

    def _explain(self, text: str | bytes, columns: Any, by: str) -> Any:
        return replace(super()._explain(text, columns, by), number=True)

    def _answer(self, scores: Array, best: str) -> str | None:
        return None

    def inspect(self, top: int = 10) -> Any:
        """The features that raise the number most, and those that lower it most."""
        from linnet.explain import top_weights

        self._check_fitted()
        return top_weights(self.features_, self.model_, ["lower", "higher"], whole("top", top, 0))

    def no_probabilities(self) -> str | None:
        """Never."""
        return "a regressor predicts numbers, and has no probabilities"

    def trials(self, names: frozenset[str], X: Any, y: Any) -> Any:
        """Of texts with numbers."""
        from linnet.estimators.text.regressor_trials import regressor_trials

        return regressor_trials(self, names, X, y)

    def __sklearn_tags__(self) -> Any:
        from sklearn.utils import RegressorTags

        return replace(super().__sklearn_tags__(), regressor_tags=RegressorTags())


def label_numbers(y: LabelColumn, X: Any = None, kept: Any = None) -> Array:
    """Labels that are numbers; what is none is told by its line in the file that X was read from."""
    if y.multilabel:
        raise DataError("texts have lists of labels; a regressor learns one number for each")
    found = np.array([_number(name) for name in y.names], dtype=np.float64)
    wrong = ~np.isfinite(found)
    if wrong.any() and wrong[y.codes].any():
        place = int(wrong[y.codes].argmax())
        at = place if kept is None else int(kept[place])
        where = X.line_of(at) if isinstance(X, Examples) and len(X.lines) else f"y[{at}]"
        raise DataError(
            f"{where}: the target {y.names[y.codes[place]]!r:.60} is no finite number; a regressor "
            f"learns numbers, in the column of labels"
        )
    return np.asarray(found[y.codes])


def _number(name: str) -> float:
    try:
        return float(name)
    except ValueError:
        return float("nan")
