"""A text classifier that learns from a stream: batches with words and labels that may be new."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from linnet.errors import DataError
from linnet.estimators.text.calibration import RecentScores
from linnet.estimators.text.choice import Choice, streaming
from linnet.estimators.text.settings import calibration_of, linear, unfitted
from linnet.estimators.text.targets import Targets
from linnet.losses import LOSSES
from linnet.training.calibration import Softmax

if TYPE_CHECKING:
    from linnet.estimators.text.classifier import TextClassifier

Columns = Mapping[str, Any] | None


class TextStream:
    """What a text classifier has while batches come: a classifier of rows, and recent scores.

    Margins are calibrated by the scores that each batch had before it was learnt from; with
    ``calibration=None`` what calibrated a fitted model stays.
    """

    def __init__(self, model: TextClassifier, fitted: bool) -> None:
        if model.lexicon is not None and not fitted:
            raise ValueError("lexicon: a stream begins at TextClassifier.from_lexicon(...)")
        self.choice: Choice = streaming(model, fitted)
        self.rows = linear(model, self.choice, grow=True, warm_start=False)
        self.recent = RecentScores()
        self.margins = not (self.rows.loss in LOSSES and LOSSES[self.rows.loss].probability_scale)
        self.calibrates = self.margins and calibration_of(model) is not None
        if fitted:
            self.rows.go_on_from(model.model_, model.classes_, model.record_)

    def begin(self, model: TextClassifier, fitted: bool) -> None:
        """A model that is to learn from it."""
        model.loss_ = self.rows.loss
        known = model.calibrator_ if fitted else None
        usual = Softmax(1.0) if self.calibrates else None
        model.calibrator_ = (known or usual) if self.margins else None
        model.calibrators_, model.joint_ = None, True
        if not fitted:
            model.features_, model.choice_ = unfitted(self.choice.features), self.choice
            model.several_ = False

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


def check_batch(model: TextClassifier, targets: Targets, fitted: bool) -> None:
    """What a stream does not take."""
    if targets.several or (fitted and model.several_):
        raise DataError("partial_fit takes one label per text; use fit for several")
    if fitted and model.model_.packed:
        raise DataError("a quantized model learns no more; train the original on and quantize that")
    if fitted and targets.classes.dtype.kind in "biuf" and isinstance(model.classes_[0], str):
        known, new = model.classes_[0], targets.classes[0]
        raise DataError(f"labels of mixed type: the model knows {known!r}, y has {new!r}")
