"""Text classifiers that learn from a stream: ``partial_fit``, with words and labels that may be new."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Self

from linnet.errors import DataError
from linnet.estimators.base import class_weight_on_stream
from linnet.estimators.linear.classifier import LinearClassifier
from linnet.estimators.text.calibration import RecentScores
from linnet.estimators.text.choice import streaming
from linnet.estimators.text.fitted import FittedText, check_lengths
from linnet.estimators.text.settings import check_settings, class_weight_of, linear, unfitted
from linnet.estimators.text.targets import Targets, read_targets
from linnet.estimators.text.weights import weights_of
from linnet.losses import LOSSES
from linnet.training.calibration import Softmax

Columns = Mapping[str, Any] | None


class StreamingText(FittedText):
    """Text classifiers whose learner is online."""

    lexicon: Any
    _stream: LinearClassifier | None

    def partial_fit(
        self, X: Any, y: Any = None, classes: Any = None, sample_weight: Any = None
    ) -> Self:
        """Learn from a batch, going on from the weights there are; words and labels may be new.

        A model that was fitted or loaded goes on with an online learner from its weights. Margins are
        calibrated by the scores that each batch had before it was learnt from.
        """
        texts, columns, y = self._read(X, y)
        targets = read_targets(y)
        check_lengths(texts, targets)
        fitted = self.__sklearn_is_fitted__()
        if targets.several or (fitted and self.several_):
            raise DataError("partial_fit takes one label per text; use fit for several")
        if fitted and self.packed_ is not None:
            raise DataError("a quantized model learns no more; train the original on and quantize that")
        if fitted and targets.classes.dtype.kind in "biuf" and isinstance(self.classes_[0], str):
            known, new = self.classes_[0], targets.classes[0]
            raise DataError(f"labels of mixed type: the model knows {known!r}, y has {new!r}")
        class_weight = class_weight_on_stream(class_weight_of(self), targets.classes)
        weights = weights_of(X, sample_weight, class_weight, targets)
        before = self.__dict__.copy()
        try:
            self._learn(texts, columns, targets, classes, weights, fitted)
        except BaseException:
            self.__dict__.clear()
            self.__dict__.update(before)
            if fitted and self.features_.n_features >= self.n_weights_:  # new words have numbers
                self._set_model(self.model_.grown(self.features_.n_features, self.width_))
            raise
        return self

    def _learn(
        self, texts: Any, columns: Columns, targets: Targets, classes: Any, weights: Any, fitted: bool
    ) -> None:
        if getattr(self, "_stream", None) is None:
            check_settings(self)
            self._begin_stream(fitted)
        assert self._stream is not None
        if fitted:
            self._recent.add(self._scores_of(texts, columns), targets, self.classes_)
        rows = self.features_.grow_rows(texts, threads=self._threads())
        self._stream.partial_fit(rows, targets.values(), classes, weights)
        self.classes_, self.record_ = self._stream.classes_, self._stream.record_
        self._set_model(self._stream.model_)
        if not LOSSES[self.loss_].probability_scale:
            self.calibrator_ = self._recent.calibrator(len(self.classes_)) or self.calibrator_

    def _begin_stream(self, fitted: bool) -> None:
        if self.lexicon is not None and not fitted:
            raise ValueError("lexicon: a stream begins at TextClassifier.from_lexicon(...)")
        choice = streaming(self, fitted)
        self._stream = linear(self, choice, grow=True, warm_start=False)
        self.loss_, self._recent = self._stream.loss, RecentScores()
        margins = not (self.loss_ in LOSSES and LOSSES[self.loss_].probability_scale)
        known = self.calibrator_ if fitted else None
        self.calibrator_ = (known or Softmax(1.0)) if margins else None
        self.calibrators_, self.joint_ = None, True
        if fitted:
            self._stream.go_on_from(self.model_, self.classes_, self.record_)
            return
        self.features_, self.choice_ = unfitted(choice.features), choice
        self.several_ = False
