"""Training on files of texts read in parts: what is chosen, and who may learn from the rows."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

import linnet._core as _core
from linnet import engines
from linnet._memory import shown
from linnet.data import CsrRows
from linnet.errors import DataError, RefusedError, setting
from linnet.estimators.caching import OutgrownError, check_limit
from linnet.estimators.grid_settings import ON_SHARDS
from linnet.estimators.text.choice import Choice, choose
from linnet.estimators.text.looked import Looked, TextFiles
from linnet.estimators.text.settings import linear, unfitted
from linnet.estimators.text.targets import Targets
from linnet.features import TextFeatures
from linnet.features.text.counted import GrowingFeatures
from linnet.formats import why_whole
from linnet.losses import LOSSES

WORKING = 16 * 10**6  # bytes for the texts at hand, and what becomes of them
PER_TEXT = 40  # bytes of a label, a weight, and its place in an order
HASHED = 160  # bytes for a weight, in the most demanding learner that 'auto' takes
WANT_ALL = ("dual", "coordinate")  # families of learners that go back and forth in the rows


@dataclass
class Made:
    """Rows of all texts, and what they were made of."""

    choice: Choice
    features: TextFeatures
    rows: CsrRows
    targets: Targets
    means: dict[str, float] = field(default_factory=dict)  # of numbers beside the texts


class PartedTexts:
    """Files, the limit of memory if there is one, and how rows come to be."""

    def __init__(self, model: Any, files: TextFiles, limit: int | None, threads: int) -> None:
        self.model, self.files, self.limit, self.threads = model, files, limit, threads
        self.why: list[str] = []
        self.at_start = check_limit(limit)

    def made(self) -> tuple[Made, Looked]:
        """Rows, and what of the texts has been kept."""
        model, looked = self.model, None
        auto = isinstance(model.features, str)
        if auto:
            looked = self._looked()
            features = self._choose(looked).features
        else:
            self._choose(None)  # which looks at the settings
            features = model.features
        try:
            features, looked, rows = self._rows(unfitted(features), looked)
        except OutgrownError as error:
            if not auto or looked is None:
                raise
            bits = self._bits(looked)
            features = unfitted(features).set_params(hash_bits=bits, min_df=1, mix=None)
            self.why.append(f"hash_bits: {bits}, since {error.why}")
            features, looked, rows = self._rows(features, looked)
        choice = replace(self._choose(looked), features=features)
        choice = replace(choice, why=[*choice.why, *self.why])
        return self._fitting(Made(choice, features, rows, targets_of(looked))), looked

    def _looked(self) -> Looked:
        """Labels and lengths, which features='auto' goes by."""
        raise NotImplementedError

    def _rows(
        self, features: TextFeatures, looked: Looked | None
    ) -> tuple[TextFeatures, Looked, CsrRows]:
        """Features that have learnt, and the rows of all texts."""
        raise NotImplementedError

    def _fitting(self, made: Made) -> Made:
        """Rows in memory if they fit; otherwise a learner that reads them in order."""
        raise NotImplementedError

    # ------------------------------------------------------------------ what there is

    def _check_parts(self) -> None:
        """Every file can be read in parts."""
        for file in self.files.files:
            why = None if file.path in self.files.pipes else why_whole(file.path, file.form)
            if why is not None:
                raise DataError(f"{file.path} cannot be read in parts: {why}")

    def _choose(self, looked: Looked | None) -> Choice:
        if looked is None:
            return choose(self.model, 0, 0.0, 2, False)
        labels = looked.labels
        mean = looked.texts.bytes / max(looked.texts.count, 1)
        return choose(self.model, looked.texts.count, mean, len(labels.names), labels.multilabel)

    def _check_vocabulary(self, counted: GrowingFeatures) -> None:
        """It must fit below the limit, with what else is held."""
        vocabulary, others = counted.vocabulary_bytes, PER_TEXT * counted.documents
        if self.limit is None or self.at_start + vocabulary + WORKING + others <= self.limit:
            return
        texts_read, limit = f"after {counted.documents:,} texts", shown(self.limit)
        if others > vocabulary:
            raise DataError(
                f"{texts_read} their labels and weights take {shown(others)}, which do not fit into "
                f"{limit}; raise {setting('memory')}"
            )
        size = counted.features.numbering.size
        raise OutgrownError(
            f"{texts_read} the vocabulary has {size:,} features, which do not fit into {limit}",
            f"hash features into fewer ({setting('hash_bits', 20)}), look for shorter n-grams, or "
            f"raise {setting('memory')}",
        )

    def _settle(self, counted: GrowingFeatures, targets: Targets) -> None:
        """All texts have been counted."""
        if targets.several and counted.features.scale == "nb":
            raise ValueError("features: scale='nb' is for one label per text; use 'idf' or 'none'")
        counted.settle(None if targets.several else targets.codes, len(targets.classes))

    def _bits(self, looked: Looked) -> int:
        """Of hashes, so that weights take half of what there is."""
        assert self.limit is not None
        labels = len(looked.labels.names)
        width = 1 if labels == 2 or looked.labels.multilabel else _core.padded(labels)
        room = (self.limit - self.at_start - WORKING) / 2 / (HASHED * width)
        return int(np.clip(np.log2(max(room, 1)), 12, 24))

    # ------------------------------------------------------------------ who learns from it

    def _in_order(self, made: Made, size: float, left: float) -> Made:
        model, several = self.model, made.targets.several
        learner = linear(model, made.choice)._learner(made.rows.features <= 1000)
        goes = getattr(learner, "inner", learner)  # through a shard
        if goes.family not in WANT_ALL:
            return made
        two = several or len(made.targets.classes) == 2
        loss, penalty = made.choice.loss, made.choice.penalty
        smooth = LOSSES[loss].smooth and (two or loss != "squared_hinge")
        other = "sgd" if not smooth else "lbfgs" if penalty in ("l2", "none") else "owlqn"
        on_shards = engines.in_use() is not None
        leaves = f"{setting('memory')} leaves {shown(max(left, 0))}"
        taken = f"rows take {shown(size)}, {leaves}, and {goes.name} goes back and forth in them"
        if model.learner != "auto" or model.classifier is not None:
            use = f"'averaging' of {other!r}" if on_shards and other in ON_SHARDS else repr(other)
            raise RefusedError(f"{taken}; use the learner {use}, which reads them in order")
        taking = ON_SHARDS.get(other, other) if on_shards else other
        settings = model.__sklearn_clone__().set_params(learner=taking, loss=loss, penalty=penalty)
        settings.features = made.choice.features
        choice = choose(settings, len(made.targets), 0.0, len(made.targets.classes), several)
        chosen = f"learner: {other}, which reads rows in order: {taken}"
        made.choice = replace(choice, why=[*made.choice.why, chosen])
        return made

    @staticmethod
    def _check_distinct(distinct: bool, size: float) -> None:
        """Rows that are read in order are not looked through before."""
        if not distinct:
            raise DataError(
                f"hash_bits with mix: blocks of features may meet in a bucket, so rows are looked "
                f"through as a whole, which takes {shown(size)}; leave out mix, or raise "
                f"{setting('memory')}"
            )


def targets_of(looked: Looked) -> Targets:
    """Labels as numbers of classes."""
    labels = looked.labels
    return Targets(np.asarray(labels.names, dtype=np.str_), labels.codes, labels.offsets)


def width_of(targets: Targets) -> int:
    """Weights for each feature."""
    labels = len(targets.classes)
    return 1 if targets.several or labels == 2 else int(_core.padded(labels))


def window_of(limit: int) -> int:
    """Bytes of the file that each reader has in memory.

    Blocks of online learners go by it, so nothing has a say that differs from run to run.
    """
    return int(np.clip(limit // 32, 1 << 22, 1 << 26))
