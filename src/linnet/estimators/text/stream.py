"""A text classifier that learns from a stream: batches with words and labels that may be new."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

import linnet._core as _core
from linnet.errors import DataError
from linnet.estimators.linear.classifier import LinearClassifier
from linnet.estimators.text.calibration import RecentScores
from linnet.estimators.text.choice import Choice, streaming
from linnet.estimators.text.settings import calibration_of, linear, unfitted
from linnet.estimators.text.targets import Targets
from linnet.losses import LOSSES
from linnet.model import LinearModel
from linnet.training.calibration import Softmax

if TYPE_CHECKING:
    from linnet.estimators.text.classifier import TextClassifier

Columns = Mapping[str, Any] | None
NO_AND_YES = np.array([0, 1], np.int32)


class TextStream:
    """What a text classifier has while batches come: a classifier of rows, and recent scores.

    Margins are calibrated by the scores that each batch had before it was learnt from; with
    ``calibration=None`` what calibrated a fitted model stays.
    """

    several = False

    def __init__(self, model: TextClassifier, fitted: bool) -> None:
        if model.lexicon is not None and not fitted:
            raise ValueError("lexicon: a stream begins at TextClassifier.from_lexicon(...)")
        self.choice: Choice = streaming(model, fitted, self.several)
        self.rows = linear(model, self.choice, grow=True, warm_start=False)
        self.recent = RecentScores()
        self.margins = not (self.rows.loss in LOSSES and LOSSES[self.rows.loss].probability_scale)
        self.calibrates = self.margins and calibration_of(model) is not None
        self._go_on(model, fitted)

    def _go_on(self, model: TextClassifier, fitted: bool) -> None:
        if fitted:
            self.rows.go_on_from(model.model_, model.classes_, model.record_)

    def begin(self, model: TextClassifier, fitted: bool) -> None:
        """A model that is to learn from it."""
        model.loss_ = self.rows.loss
        known = model.calibrator_ if fitted else None
        usual = Softmax(1.0) if self.calibrates else None
        model.calibrator_ = (known or usual) if self.margins else None
        model.calibrators_, model.joint_ = None, not self.several
        if not fitted:
            model.features_, model.choice_ = unfitted(self.choice.features), self.choice
            model.several_ = self.several

    def learn(
        self,
        model: TextClassifier,
        texts: Any,
        columns: Columns,
        targets: Targets,
        classes: Any,
        weights: Any,
    ) -> None:
        """One pass over a batch."""
        if self.calibrates and model.__sklearn_is_fitted__():
            self.recent.add(model._scores_of(texts, columns), targets, model.classes_)
        rows = model.features_.grow_rows(texts, threads=model._threads())
        self.rows.partial_fit(rows, targets.values(), classes, weights)
        model.classes_, model.record_ = self.rows.classes_, self.rows.record_
        model._set_model(self.rows.model_)
        if self.calibrates:
            model.calibrator_ = self.recent.calibrator(len(model.classes_)) or model.calibrator_


class SeveralStream(TextStream):
    """The same of texts with several labels each: every label is a problem of its own."""

    several = True

    def _go_on(self, model: TextClassifier, fitted: bool) -> None:
        self.margins = self.calibrates = False  # as in `fit`: probabilities by losses that have some
        self.parts: list[LinearClassifier] = []  # of each label, in the order of classes

    def learn(
        self,
        model: TextClassifier,
        texts: Any,
        columns: Columns,
        targets: Targets,
        classes: Any,
        weights: Any,
    ) -> None:
        """One pass over a batch, label by label."""
        rows = model.features_.grow_rows(texts, threads=model._threads())
        names: list[Any] = model.classes_.tolist() if model.__sklearn_is_fitted__() else []
        names += [name for name in targets.classes.tolist() if name not in set(names)]
        given = [] if classes is None else np.asarray(classes).tolist()
        names += [name for name in given if name not in set(names)]
        parts, place = [*self.parts], {name: k for k, name in enumerate(targets.classes.tolist())}
        self.parts = []  # if it fails halfway, the next batch goes on from the weights
        block = np.zeros((model.features_.n_features + 1, _core.padded(len(names))), np.float32)
        for k, name in enumerate(names):
            if k == len(parts):
                parts.append(self._part(model, k))
            has = targets.has(place[name]) if name in place else np.zeros(len(targets), dtype=bool)
            parts[k].partial_fit(rows, has.astype(np.int32), NO_AND_YES, weights)
            block[:, k] = parts[k].model_.weights[:, 0]
        record = model.record_ if model.__sklearn_is_fitted__() else parts[0].record_
        record.structure = "multiclass"
        model.classes_, model.record_ = np.asarray(names), record
        model._set_model(LinearModel(block, len(names), parts[0].model_.bias))
        self.parts = parts

    def _part(self, model: TextClassifier, label: int) -> LinearClassifier:
        """Yes and no of one label, from the weights there are, or from none: one score, not two."""
        part = linear(model, self.choice, grow=True, warm_start=False)
        features, bias = model.features_.n_features, 1.0
        weights = np.zeros((features + 1, _core.padded(1)), np.float32)
        if model.__sklearn_is_fitted__() and label < len(model.classes_):
            known, bias = model.model_, model.model_.bias
            weights[: known.features + 1, 0] = known.weights[:, label]
        return part.go_on_from(LinearModel(weights, 1, bias), NO_AND_YES)


def check_batch(model: TextClassifier, targets: Targets, fitted: bool) -> None:
    """What a stream does not take."""
    if fitted and targets.several != model.several_:
        takes, got = ("sets of labels", "one label") if model.several_ else ("one label", "sets")
        raise DataError(f"the model takes {takes} for each text, but y has {got}")
    if targets.several and not fitted and not len(targets.classes):
        raise DataError("y has no labels at all; the first batch is to have one or more")
    if fitted and model.model_.packed:
        raise DataError("a quantized model learns no more; train the original on and quantize that")
    if fitted and targets.classes.dtype.kind in "biuf" and isinstance(model.classes_[0], str):
        known, new = model.classes_[0], targets.classes[0]
        raise DataError(f"labels of mixed type: the model knows {known!r}, y has {new!r}")
