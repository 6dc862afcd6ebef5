"""Text classifiers without weights: rows of texts go in, and a list or a memory answers."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

import linnet._core as _core
from linnet.data import CsrRows, Examples
from linnet.errors import DataError, RefusedError
from linnet.estimators.labels import warn_of_labels
from linnet.estimators.text.choice import Choice
from linnet.estimators.text.fitted import Columns, FittedText, check_beside, check_lengths
from linnet.estimators.text.reading import named_files, read_files, remembered
from linnet.estimators.text.settings import unfitted
from linnet.estimators.text.targets import Targets, read_targets
from linnet.explain.evidence import shortened
from linnet.features import TextFeatures
from linnet.training import TrainingRecord

Array = NDArray[np.float64]


class TextByRows(FittedText):
    """Texts become rows of features; what is learnt of these is said by the families below."""

    takes_several = False
    loss = "auto"
    calibration = None
    thresholds = None
    unsure = None
    numeric: Any = ()
    categorical: Any = ()

    features: Any
    model_: Any
    method = ""  # what the record calls it

    # ------------------------------------------------------------------ what families say

    def _usual_features(self) -> TextFeatures:
        """In place of 'auto': which words a text has."""
        return TextFeatures(tf="binary", scale="none", norm="none")

    def _check_own(self) -> None:
        """Settings of the family."""

    def _learn(self, rows: CsrRows, targets: Targets, texts: _core.Texts | None) -> Any:
        """The model of some rows; without their texts nothing else can give labels to begin with."""
        raise NotImplementedError

    def _explain_rows(self, rows: CsrRows, texts: _core.Texts, whats: list[str]) -> list[Any]:
        """Why each row has its label."""
        raise NotImplementedError

    # ------------------------------------------------------------------ training

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None, dev: Any = None) -> Self:
        """Learn from texts X and their labels, as `TextClassifier` reads them."""
        if dev is not None:
            raise DataError("dev: nothing is stopped or chosen by held-out texts here; leave it out")
        self._threads()
        self._check_own()
        paths = named_files(X, y)
        if paths is not None:
            X = read_files(self.__sklearn_clone__(), paths)
        features = self._unfitted()
        found = self._settled(X, y, anew=True)
        targets = read_targets(found.y)
        check_lengths(found.texts, targets)
        if targets.several:
            raise RefusedError(f"{type(self).__name__} gives one label to a text; use TextClassifier")
        if len(targets.classes) < 2:
            raise DataError(f"y has one class only ({targets.classes.tolist()}); two are needed")
        weights = found.left(sample_weight)
        if weights is not None and not (np.asarray(weights) == 1).all():
            raise RefusedError(f"{type(self).__name__} counts texts, and cannot weigh them")
        warn_of_labels(targets.classes, len(targets.codes))
        check_beside(features, found.columns, self.text)
        rows = features.fit_rows(
            found.texts,
            targets.codes,
            len(targets.classes),
            columns=found.columns,
            threads=self._threads(),
        )
        if not rows.entries:
            raise DataError("X: no text has any feature, so there is nothing to learn from")
        model = self._learn(rows, targets, found.texts)
        record = TrainingRecord("none", self.method, "none", "rows", 0.0, 0.0, stopped="converged")
        record.data = {"texts": len(targets), "labels": len(targets.classes)}
        if isinstance(X, Examples):
            record.data |= remembered(X)
        self.means_ = found.means
        self._set(targets.classes, features, model, record)
        return self

    def _unfitted(self) -> TextFeatures:
        if isinstance(self.features, TextFeatures):
            return unfitted(self.features)
        if isinstance(self.features, str) and self.features == "auto":
            return self._usual_features()
        raise ValueError(f"features must be 'auto' or TextFeatures, not {self.features!r:.60}")

    def _set(self, classes: Any, features: TextFeatures, model: Any, record: TrainingRecord) -> None:
        """What was learnt."""
        self.classes_, self.features_, self.record_ = classes, features, record
        self.several_, self.table_, self.joint_, self.loss_ = False, "", True, "none"
        self.calibrator_ = self.calibrators_ = None
        self.choice_ = Choice(features, "none", self.method, "none", 0.0, 0.0, why=[])
        self._scorer: Any = None
        self.model_ = model

    # ------------------------------------------------------------------ prediction

    def _rows(self, texts: _core.Texts, columns: Columns) -> CsrRows:
        check_beside(self.features_, columns, self.text)
        return self.features_.rows(texts, columns=columns, threads=self._threads())

    def _scores_of(self, texts: _core.Texts, columns: Columns) -> Array:
        return np.asarray(self.model_.scores(self._rows(texts, columns), self._threads()))

    def no_probabilities(self) -> str | None:
        """Of lists there are none."""
        return f"{type(self).__name__} gives labels without probabilities; use TextClassifier"

    def explain(self, X: Any, columns: Columns = None, by: str = "word") -> Any:
        """Why a text has its label, in the terms of the method; one text, or many."""
        self._check_fitted()
        if isinstance(X, (str, bytes)):
            if columns:
                raise RefusedError("columns: give a table of text and columns")
            return next(self.explanations([X], by))
        return list(self.explanations(X, by))

    def explanations(self, X: Any, by: str = "word") -> Iterator[Any]:
        """The same of texts, one after the other."""
        self._check_fitted()
        texts, columns, _ = self._read(X, None)
        whats = [shortened(texts[i]) for i in range(len(texts))]
        yield from self._explain_rows(self._rows(texts, columns), texts, whats)

    def trials(self, names: frozenset[str], X: Any, y: Any) -> Any:
        """Texts are held out whole, and features made anew by each fit."""
        from linnet.estimators.text.trials import list_trials

        return list_trials(self, X, y)

    def nonzero_weights(self) -> int:
        """How many entries, rules or texts are kept."""
        return len(self.model_)

    @property
    def coef_(self) -> Any:
        """There is none."""
        raise AttributeError(f"{type(self).__name__} has no weights")

    intercept_ = coef_

    def quantize(self, *_: Any, **__: Any) -> Any:
        """There are no weights to pack."""
        raise RefusedError(f"{type(self).__name__} has no weights to pack")

    def file_parts(self) -> tuple[dict[str, Any], dict[str, NDArray[Any]]]:
        """What a model file holds."""
        from linnet.estimators.lists.file import text_list_parts

        return text_list_parts(self)
