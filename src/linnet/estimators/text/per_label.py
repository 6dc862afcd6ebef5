"""One binary problem per label over shared rows: several labels per text, or features per label."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

import linnet._core as _core
from linnet.data import CsrRows
from linnet.errors import RefusedError, warn_of_training
from linnet.estimators.linear.classifier import LinearClassifier
from linnet.estimators.text.targets import Targets
from linnet.model import LinearModel
from linnet.training import TrainingRecord

Ratios = NDArray[np.float32]  # (features, labels)


def fit_per_label(
    classifier: Callable[[], LinearClassifier],
    rows: CsrRows,
    targets: Targets,
    weights: NDArray[np.float64],
    ratios: Ratios | None = None,
) -> tuple[LinearModel, TrainingRecord]:
    """Each label against the rest. With ``ratios`` the problem of label k sees x_j · r_jk, and r_jk
    goes into the weight afterwards: the model scores the rows as they are.
    """
    labels = len(targets.classes)
    block = np.zeros((rows.features + 1, _core.padded(labels)), dtype=np.float32)
    record: TrainingRecord | None = None
    bias = classifier()._bias
    for label in range(labels):
        has = targets.has(label)
        if has.all() or not has.any():  # nothing to tell apart: always, or never
            block[0, label] = np.where(has.any(), 1.0, -1.0) / (bias or 1.0)
            continue
        try:
            seen = rows if ratios is None else rows.scaled(ratios[:, label])
            part = classifier().fit(seen, has.astype(np.int32), sample_weight=weights)
        except KeyboardInterrupt:  # between two passes; labels learnt so far are kept
            if record is None:
                raise
            record.stopped = "interrupted"
            warn_of_training(f"{targets.classes[label]!r} and later labels have no weights")
            break
        if part.model_.votes is not None:
            raise RefusedError(
                "a learner that votes has no weights for each label by itself; use another, such as "
                "the averaged perceptron"
            )
        learnt = part.model_.weights
        column = learnt[:, 0]
        if part.model_.width == 2:  # naive Bayes scores both, yes and no
            column = learnt[:, 1] - column
        block[:, label] = column
        if ratios is not None:
            block[1:, label] *= ratios[:, label]
        for epoch in part.record_.epochs:
            epoch.label = label
        if record is None:
            record = part.record_
        else:
            record.epochs.extend(part.record_.epochs)
            record.mistakes += part.record_.mistakes
        if part.record_.stopped == "interrupted":
            record.stopped = "interrupted"
            block[0, label + 1 : labels] = -1.0 / (bias or 1.0)  # never, as far as we know
            warn_of_training(f"labels after {targets.classes[label]!r} have no weights yet")
            break
    if record is None:
        record = TrainingRecord("", "", "", "multiclass", 0.0, 0.0, stopped="converged")
    record.structure = "multiclass"
    return LinearModel(block, labels, bias), record
