"""A fitted pipeline of scikit-learn (vectoriser, weighting, linear classifier) in Linnet's form.

    score_k(doc) = W[0][k] + Σ_j W[j+1][k] · x_j,   x_j = v_j · t(count_j) / norm

What comes after normalising is linear (scalers, selectors, the classifier) and is folded into W.
What cannot be said in this form is refused, with the reason.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from linnet.errors import RefusedError
from linnet.estimators.base import Labels
from linnet.estimators.linear.from_liblinear import block
from linnet.estimators.linear.from_sklearn import LinearPart, linear_part
from linnet.estimators.text.sklearn_steps import TextPart, text_part
from linnet.model import LinearModel

Array = NDArray[np.float64]


@dataclass(frozen=True)
class ImportedPipeline:
    """All that a text classifier needs to predict as the pipeline does."""

    features: dict[str, Any]  # arguments of TextFeatures
    names: list[str]  # of the features, by id
    values: Array  # v_j
    model: LinearModel
    classes: Labels
    loss: str  # by Linnet's name
    joint: bool  # probabilities by softmax over the labels, not label by label
    notes: list[str] = field(default_factory=list)  # where texts may be scored otherwise


@dataclass(frozen=True)
class _Rows:
    """The matrix between two steps: column k is factor[k] · x[column[k]]."""

    tf: str
    values: Array
    norm: str
    column: NDArray[np.intp]
    factor: Array

    @property
    def weighted(self) -> bool:
        return self.norm != "none" or not (self.values == 1).all()

    @property
    def folded(self) -> bool:
        return len(self.column) != len(self.values) or not (self.factor == 1).all()


def import_sklearn(pipeline: Any, texts: Iterable[str] | None = None) -> ImportedPipeline:
    """Take over a fitted pipeline, or a list of its fitted steps, or a search over pipelines.

    `HashingVectorizer` forgets its words: ``texts``, for instance those of training, bring them back.
    Words that are in none of them are not known to the model.
    """
    steps = _steps(pipeline)
    if len(steps) < 2:
        raise _refused("it needs a vectoriser and a classifier")
    text: TextPart = text_part(steps[0], texts)
    n = len(text.buckets) if text.buckets is not None else len(text.names)
    width = text.n_columns
    rows = _Rows(text.tf, np.ones(width), text.norm, np.arange(width), np.ones(width))
    if text.idf is not None:
        rows = replace(rows, values=text.idf)
    for step in steps[1:-1]:
        rows = _after(step, rows)
    linear: LinearPart = linear_part(steps[-1], len(rows.column))
    if linear.presence:  # whatever the values are, only whether they are there
        rows = replace(
            rows, tf="binary", values=np.ones(width), norm="none", factor=np.ones_like(rows.factor)
        )
    weights = np.zeros((width, linear.weights.shape[1]))
    weights[rows.column] = rows.factor[:, None] * linear.weights
    values = rows.values
    if text.buckets is not None:  # a word has the weight of the bucket it fell into
        weights = weights[text.buckets] * text.signs[:, None]
        values = values[text.buckets]
    assert len(weights) == n == len(text.names)
    return ImportedPipeline(
        text.features | {"tf": rows.tf, "scale": _scale(values), "norm": rows.norm},
        text.names,
        values,
        LinearModel(block(weights, linear.intercepts), weights.shape[1], 1.0),
        linear.classes,
        linear.loss,
        linear.joint,
        text.notes + linear.notes,
    )


def _scale(values: Array) -> str:
    return "none" if (values == 1).all() else "idf"


def _steps(pipeline: Any) -> list[Any]:
    """Flat, without those that do nothing."""
    if hasattr(pipeline, "best_estimator_"):
        return _steps(pipeline.best_estimator_)
    if isinstance(pipeline, (list, tuple)):
        return [inner for step in pipeline for inner in _steps(step)]
    if hasattr(pipeline, "steps"):
        return [inner for _, step in pipeline.steps for inner in _steps(step)]
    return [] if pipeline is None or pipeline == "passthrough" else [pipeline]


def _after(step: Any, rows: _Rows) -> _Rows:
    """The matrix after a step between vectoriser and classifier."""
    from sklearn.feature_extraction.text import TfidfTransformer
    from sklearn.preprocessing import Binarizer, MaxAbsScaler, Normalizer, StandardScaler

    name = type(step).__name__
    if type(step) is TfidfTransformer:
        return _tfidf(step, rows)
    if type(step) is Normalizer and step.norm in ("l1", "l2"):
        if rows.folded:
            raise _refused("Normalizer comes after a scaler or a selection; normalise before them")
        return replace(rows, norm=step.norm)  # the norm before, if any, cancels out
    if type(step) is Binarizer and step.threshold == 0 and not rows.folded:
        return replace(rows, tf="binary", values=np.ones_like(rows.values), norm="none")
    if type(step) is MaxAbsScaler or (type(step) is StandardScaler and not step.with_mean):
        scale = step.scale_ if step.scale_ is not None else 1.0
        return replace(rows, factor=rows.factor / scale)
    if hasattr(step, "get_support") and hasattr(step, "inverse_transform"):
        kept = step.get_support(indices=True)
        return replace(rows, column=rows.column[kept], factor=rows.factor[kept])
    raise _refused(
        f"the step {name} is none of TfidfTransformer, Normalizer ('l1', 'l2'), Binarizer (0), "
        f"MaxAbsScaler, StandardScaler without mean, or a selection of features; train again without it"
    )


def _tfidf(step: Any, rows: _Rows) -> _Rows:
    if rows.folded:
        raise _refused("TfidfTransformer comes after a scaler or a selection; weight before them")
    if step.sublinear_tf and rows.weighted:
        raise _refused("TfidfTransformer(sublinear_tf=True) sees rows that are weighted already")
    if step.use_idf and rows.norm != "none" and step.norm is None:
        raise _refused("TfidfTransformer(norm=None) weights rows that are normalised already")
    tf = "sublinear" if step.sublinear_tf and rows.tf == "count" else rows.tf
    values = rows.values * np.asarray(step.idf_) if step.use_idf else rows.values
    return replace(rows, tf=tf, values=values, norm=step.norm or rows.norm)


def _refused(why: str) -> RefusedError:
    return RefusedError(f"the pipeline cannot become a model of Linnet: {why}")
