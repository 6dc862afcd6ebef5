"""A text classifier once it is fitted: scores, labels, probabilities, explanations, other forms."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

import linnet._core as _core
from linnet._params import whole
from linnet.data import Examples
from linnet.data.text_file import is_file_name
from linnet.errors import DataError, MissingColumnError
from linnet.estimators.base import Labels
from linnet.estimators.linear import probabilities as _probabilities
from linnet.estimators.scored import ScoredClassifier
from linnet.estimators.text.choice import Choice
from linnet.estimators.text.decisions import several, tabulated, thresholds_of, with_unsure
from linnet.estimators.text.missing import Settled, settled
from linnet.estimators.text.targets import Targets, read_targets
from linnet.features import TextFeatures, quantise
from linnet.losses import LOSSES
from linnet.model import LinearModel, best_labels
from linnet.structures import Weights
from linnet.training import TrainingRecord
from linnet.training.calibration import Calibrator, Softmax, calibrated

Array = NDArray[np.float64]
Columns = Mapping[str, Any] | None


class FittedText(ScoredClassifier):
    """Texts in, scores and what follows from them out."""

    reads_text = True
    takes_several = True
    in_progress = ("_stream", "_scorer")

    classes_: Labels
    features_: TextFeatures
    record_: TrainingRecord
    choice_: Choice
    loss_: str
    several_: bool  # may a text have several labels?
    table_: str = ""  # "dense" or "sparse" if these are a matrix of 0 and 1
    joint_: bool  # were all labels trained together?
    calibrator_: Softmax | None  # of all scores at once
    calibrators_: list[Calibrator] | None  # of each label's
    means_: dict[str, float]  # of numbers beside the text, for those that are missing
    model_: LinearModel

    features: str | TextFeatures
    learner: Any
    penalty: str
    loss: str
    calibration: str | None
    thresholds: Any
    unsure: Any
    text: str
    missing: Any
    n_jobs: int | None

    # ------------------------------------------------------------------ the weights

    def _set_model(self, model: LinearModel) -> None:
        """Weights in single precision, as the model file keeps them: what is loaded predicts alike."""
        self.model_ = model.single()
        self._scorer: Any = None

    @property
    def weighs_words(self) -> bool:
        """Are there weights of words, that explain scores? Lists and memories have none."""
        return isinstance(self.model_, LinearModel)

    # ------------------------------------------------------------------ prediction

    def _decision(self, scores: Array) -> Array:
        return scores if self.several_ else super()._decision(scores)

    def predict(self, X: Any) -> Any:
        """The best label of each text, or ``unsure``; of several labels tuples, or a matrix of 0 and 1
        if they were given as one.
        """
        return self._decide(self._scores(X))

    def _decide(self, scores: Array) -> Any:
        if self.several_:
            above = self._above(scores)
            return tabulated(above, self.table_) if self.table_ else several(above, self.classes_)
        if self.thresholds is None:
            return super()._decide(scores)
        best = np.minimum(best_labels(scores), len(self.classes_) - 1)
        limits = thresholds_of(self.thresholds, self.classes_, default=0.0)
        return with_unsure(best, self._probabilities(scores), limits, self.classes_, self.unsure)

    def _above(self, scores: Array) -> NDArray[np.bool_]:
        """(n, labels): which of several labels each text has."""
        if self.thresholds is None:
            return scores > 0
        limits = thresholds_of(self.thresholds, self.classes_, default=0.5)
        return np.asarray(self._probabilities(scores) >= limits)

    def score(self, X: Any, y: Any = None, sample_weight: Any = None) -> float:
        """Accuracy: the share of texts whose label, or all of whose labels, are right."""
        self._check_fitted()
        found = self._settled(X, y)
        targets = read_targets(found.y, self.several_, self.classes_)
        check_lengths(found.texts, targets)
        gold, scores = targets.values(), self._scores_of(found.texts, found.columns)
        sample_weight = found.left(sample_weight)
        if not self.several_:
            return float(np.average(self._decide(scores) == gold, weights=sample_weight))
        predicted = several(self._above(scores), self.classes_)
        right = [set(a) == set(b) for a, b in zip(predicted, gold, strict=True)]
        return float(np.average(right, weights=sample_weight))

    def explain(self, X: Any, columns: Columns = None, by: str = "word") -> Any:
        """What every n-gram, or word, adds to the score of every label; see `linnet.explain`.

        One text gives one explanation; texts as ``predict`` takes them give a list. ``columns`` are
        what stands beside one text, a value for each name. ``by`` is what is shown, 'word', 'feature'
        or, of AdaBoost, 'stump'.
        """
        self._check_fitted()
        if isinstance(X, (str, bytes)):
            return self._explain(X, columns, by)
        return list(self.explanations(X, by))

    def explanations(self, X: Any, by: str = "word") -> Iterator[Any]:
        """The same of texts, one after the other."""
        self._check_fitted()
        texts, table, _ = self._read(X, None)
        wanted = (*self.features_.numeric, *self.features_.categorical)
        beside = {name: _listed(table[name]) for name in wanted if table is not None and name in table}
        for i in range(len(texts)):
            yield self._explain(texts[i], {name: column[i] for name, column in beside.items()}, by)

    def _explain(self, text: str | bytes, columns: Columns, by: str) -> Any:
        from linnet.explain import explain
        from linnet.explain.stumps import explain_stumps

        model = self.model_
        if model.votes is not None:
            raise ValueError("a model that votes has no weights to explain its scores by")
        if len(self.classes_) == 1:  # a stream that has shown one label so far
            model = replace(model, width=1)
        if columns:
            one = {name: np.ravel(np.asarray([value])) for name, value in columns.items()}
            filled = settled(self, [text], "text", one, None, anew=False).columns or {}
            columns = {name: values[0] for name, values in filled.items()}
        names = [str(label) for label in self.classes_.tolist()]
        if by == "stump":
            return explain_stumps(self.features_, model, names, self.record_.facts, text, columns)
        found = explain(self.features_, model, names, text, columns, by)
        scores = self._sound(found.scores[None, :])
        probabilities = None
        if self.no_probabilities() is None:
            probabilities = dict(zip(names, self._probabilities(scores)[0].tolist(), strict=True))
        return replace(found, probabilities=probabilities, answer=self._answer(scores, found.label))

    def _answer(self, scores: Array, best: str) -> str | None:
        """What is predicted, where that is not simply the best label."""
        if self.several_:
            (labels,) = several(self._above(scores), self.classes_)
            return ", ".join(map(str, labels)) or "no label"
        said = self._decide(scores)[0]
        return None if str(said) == best else str(said)

    def inspect(self, top: int = 10) -> Any:
        """The features with the largest weights, for each label; see `linnet.explain.top_weights`."""
        from linnet.explain import top_weights

        self._check_fitted()
        top = whole("top", top, 0)
        return top_weights(self.features_, self.model_, self.classes_.tolist(), top)

    def _scores(self, X: Any) -> Array:
        self._check_fitted()
        texts, columns, _ = self._read(X, None)
        return self._scores_of(texts, columns)

    def _scores_of(self, texts: _core.Texts, columns: Columns) -> Array:
        """Fused in the core: no row is built, unless something else scores in place of weights."""
        check_beside(self.features_, columns, self.text)
        model = self.model_
        if model.votes is not None:
            rows = self.features_.rows(texts, columns=columns, threads=self._threads())
            return self._sound(model.scores(rows, self._threads()))
        if self._scorer is None:
            self._scorer = self.features_.scorer(model.stored, model.width, model.bias)
        return self._sound(self._scorer.scores(texts, columns=columns, threads=self._threads()))

    def _probabilities(self, scores: Array) -> Array:
        why = self.no_probabilities()
        if why is not None:
            raise ValueError(why)
        if len(self.classes_) == 1 and not self.several_:  # a stream that has shown one label so far
            return np.ones((len(scores), 1))
        if self.calibrators_ is not None:
            return calibrated(self.calibrators_, scores)
        if self.calibrator_ is not None:
            return self.calibrator_(_probabilities.two_columns(scores))
        scale = LOSSES[self.loss_].probability_scale
        if self.joint_:
            return _probabilities.softmax(scale * scores, fallback=self.model_.intercept)
        each = _probabilities.sigmoid(scale * scores)
        return each if self.several_ else np.asarray(each / each.sum(axis=1, keepdims=True))

    # ------------------------------------------------------------------ other forms

    def file_parts(self) -> tuple[dict[str, Any], dict[str, NDArray[Any]]]:
        """What a model file holds."""
        from linnet.estimators.text.file import text_parts

        return text_parts(self)

    def quantize(
        self,
        bits: int = 8,
        keep: int | None = None,
        max_bytes: int | None = None,
        names: bool = False,
    ) -> Self:
        """A smaller model: the features that matter most, weights in 8 or 4 bits.

        ``keep`` and ``max_bytes`` bound the features that are kept and the size of the file.
        """
        from linnet.estimators.text.file import fixed_bytes

        self._check_fitted()
        if self.model_.packed:
            raise ValueError("this model is quantized already; quantize the original")
        if self.model_.votes is not None:
            raise ValueError("a model that votes has no weights to pack")
        small = self._with_fitted()
        room = None if max_bytes is None else max_bytes - fixed_bytes(self)
        if room is not None and room < 100:
            raise ValueError(
                f"max_bytes={max_bytes} leaves no room for features: settings, labels and record take "
                f"{fixed_bytes(self)}"
            )
        small.features_, packed = quantise(
            self.features_, self.model_.weights, self.model_.width, bits, keep, room, names
        )
        small._set_model(LinearModel(packed, packed.width, self.model_.bias))
        return small

    # ------------------------------------------------------------------ what is asked of it

    def _read(self, X: Any, y: Any) -> tuple[_core.Texts, Columns, Any]:
        """Texts, columns beside them, and labels if X brings them along; nothing of it is missing."""
        found = self._settled(X, y)
        return found.texts, found.columns, found.y

    def _settled(self, X: Any, y: Any, anew: bool = False) -> Settled:
        """The same, and which examples are left."""
        if isinstance(X, os.PathLike) or is_file_name(X):
            from linnet.estimators.text.reading import read_file

            X = read_file(self, X)
        if isinstance(X, str):
            raise DataError(
                f"X is a single text; pass a list of texts, [X]; if {X[:60]!r} is the name of a file, "
                f"there is none"
            )
        if isinstance(X, Examples):
            if X.texts is None:
                raise DataError(f"{X.source} has numbered features, no texts; use LinearClassifier")
            y = X.labels if y is None else y
            lines = X.line_of if len(X.lines) else None
            return settled(self, X.texts, "X", X.columns, y, anew, lines)
        if hasattr(X, "column_names"):  # Arrow
            X = {name: X[name] for name in X.column_names}
        if isinstance(X, Mapping) or hasattr(X, "columns"):
            if self.text not in X:
                raise DataError(
                    f"X is a table without a column {self.text!r}; it has {names_of(X)}: name one by "
                    f"text="
                )
            return settled(self, X[self.text], f"X[{self.text!r}]", X, y, anew)
        return settled(self, X, "X", None, y, anew)

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "model_")

    @property
    def coef_(self) -> Weights:
        """(1 or labels, features)."""
        return self.model_.coef

    @property
    def intercept_(self) -> Weights:
        """(1 or labels,)."""
        return self.model_.intercept

    def get_feature_names_out(self, input_features: Any = None) -> NDArray[Any]:
        """Names of the features, in the order of ``coef_``."""
        self._check_fitted()
        return np.asarray(self.features_.names, dtype=object)

    def no_probabilities(self) -> str | None:
        """Margins are none, unless they are calibrated."""
        loss = getattr(self, "loss_", self.loss)
        if self.__sklearn_is_fitted__() and self._sums_margins():
            calibrated = self.calibrator_ is not None or self.calibrators_ is not None
            told = "scores are sums of margins, not probabilities; use calibration='auto'"
            return None if calibrated else told
        if not isinstance(loss, str) or loss not in LOSSES or LOSSES[loss].probability_scale:
            return None  # not known yet, or as it should be
        if getattr(self, "several_", False) or self.calibration is None:
            return (
                f"scores of loss {loss!r} are margins, not probabilities; use loss='logistic', or with "
                f"one label per text calibration='auto'"
            )
        if self.__sklearn_is_fitted__() and self.calibrator_ is None and self.calibrators_ is None:
            return f"the margins of loss {loss!r} were not calibrated when this model was made"
        return None

    def _sums_margins(self) -> bool:
        """Are several labels put together of problems of two, other than one against the rest?"""
        return "reduction" in self.record_.facts

    def nonzero_weights(self) -> int:
        """How many weights are not zero, the intercept's included."""
        return int(np.count_nonzero(self.coef_) + np.count_nonzero(self.intercept_))

    def __getstate__(self) -> dict[str, Any]:
        """What lives in the core is made anew."""
        return super().__getstate__() | {"_stream": None, "_scorer": None}


def check_lengths(texts: _core.Texts, targets: Targets, whose: str = "") -> None:
    """As many labels as texts, and one or more."""
    if len(texts) != len(targets):
        raise DataError(f"{whose}X has {len(texts)} texts but {whose}y has labels for {len(targets)}")
    if len(texts) == 0:
        raise DataError(f"{whose}X is empty: give one or more texts")


def check_beside(features: TextFeatures, columns: Columns, text: str) -> None:
    """What features look at beside the text comes with it, in one table."""
    wanted = [*features.numeric, *features.categorical]
    lacking = [name for name in wanted if columns is None or name not in columns]
    if not lacking:
        return
    table = ", ".join(f"{name!r}: […]" for name in (text, *wanted))
    has = "texts alone" if columns is None else f"the columns {names_of(columns)}"
    raise MissingColumnError(
        f"there is no column {lacking[0]!r}, which the model looks at beside the text: X has {has}; "
        f"give a table as X, a data frame or a dict {{{table}}}",
        lacking[0],
    )


def names_of(table: Any) -> list[Any]:
    """Of the columns of a dict or a data frame."""
    return list(table.keys() if isinstance(table, Mapping) else table.columns)


def _listed(column: Any) -> list[Any]:
    """The values of a column of any table."""
    for name in ("tolist", "to_list"):  # NumPy and pandas; Arrow and polars
        if hasattr(column, name):
            found: list[Any] = getattr(column, name)()
            return found
    return list(column)
