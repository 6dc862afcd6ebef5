"""Labelled and unlabelled texts as rows of the same features, and what is made of them once."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

import linnet._core as _core
from linnet.data import CsrRows
from linnet.errors import DataError, setting
from linnet.estimators.text.choice import Choice
from linnet.estimators.text.settings import linear
from linnet.estimators.text.unlabelled.views import features_of, name_of
from linnet.features import TextFeatures
from linnet.learners.unlabelled import directions, exchange_classes, neighbour_graph
from linnet.learners.unlabelled.self_training import as_columns
from linnet.model import LinearModel
from linnet.training import TrainingRecord

Array = NDArray[np.float64]
Codes = NDArray[np.int32]
Places = NDArray[np.int64]
DIRECTIONS = 100  # numbers in a document vector
VECTOR_SHARE = 2.0  # how much longer they are than the row they stand beside
WORD = re.compile(r"\w+")
IN_GRAPH = 10_000  # unlabelled texts that have neighbours, at most


@dataclass(frozen=True)
class Learnt:
    """A model over the rows of a pool, and what its scores are."""

    model: LinearModel
    loss: str
    joint: bool  # were all labels trained together?
    record: TrainingRecord


@dataclass(frozen=True)
class Pool:
    """The first ``labelled`` rows have labels, the others none."""

    settings: Any  # the classifier
    choice: Choice
    features: TextFeatures
    rows: CsrRows
    texts: _core.Texts
    labelled: int
    labels: int
    seed: int

    def weight_of_each(self, usual: float) -> float:
        """What an unlabelled text counts, of a labelled one."""
        asked = self.settings.unlabeled_weight
        return usual if asked is None else float(asked)

    @property
    def unlabelled(self) -> Places:
        """The places of texts without a label."""
        return np.arange(self.labelled, len(self.rows))

    @cached_property
    def matrix(self) -> Any:
        """The rows as SciPy has them."""
        return self.rows.scipy().tocsr()

    @cached_property
    def some(self) -> Places:
        """Unlabelled texts for methods that look at pairs of texts."""
        if len(self.unlabelled) <= IN_GRAPH:
            return self.unlabelled
        drawn = np.random.default_rng(self.seed).permutation(self.unlabelled)[:IN_GRAPH]
        return np.sort(drawn)

    @cached_property
    def directions(self) -> NDArray[np.float32]:
        """V, (features, directions): what document vectors are made by."""
        places = np.concatenate([np.arange(self.labelled), self.some])
        return directions(self.matrix[places], DIRECTIONS, self.seed)

    @cached_property
    def vectors(self) -> NDArray[np.float32]:
        """Vᵀx of each text."""
        return np.asarray(self.matrix @ self.directions)

    @cached_property
    def weighed_directions(self) -> NDArray[np.float32]:
        """As they stand beside the words in `with_vectors`."""
        return np.asarray(np.float32(VECTOR_SHARE) * self.directions)

    @cached_property
    def with_vectors(self) -> CsrRows:
        """Rows with the document vectors beside them, weighed."""
        return widened(self.matrix, VECTOR_SHARE * self.vectors)

    @cached_property
    def graph(self) -> Any:
        """Nearest neighbours among the labelled texts and `some` others, in this order."""
        places = np.concatenate([np.arange(self.labelled), self.some])
        return neighbour_graph(self.vectors[places])

    @cached_property
    def memberships(self) -> Any:
        """(features, classes): 1 where a feature is a word of the class."""
        from scipy.sparse import csr_array

        texts = self.texts
        found = exchange_classes([WORD.findall(texts[i].lower()) for i in range(len(texts))])
        numbers = np.asarray(found.of(self.features.names), dtype=np.int64)
        known = np.flatnonzero(numbers >= 0)
        ones = np.ones(len(known), dtype=np.float32)
        return csr_array((ones, (known, numbers[known])), shape=(self.rows.features, found.size))

    @cached_property
    def with_classes(self) -> CsrRows:
        """Rows with the classes of their words beside them."""
        return widened(self.matrix, (self.matrix @ self.memberships).toarray())

    @cached_property
    def views(self) -> dict[str, CsrRows] | None:
        """Rows of all texts as each view sees them, by its name; None: the user named none."""
        if self.settings.unlabeled_views is None:
            return None
        made = {}
        for view in self.settings.unlabeled_views:
            features, name = features_of(view, self.features), name_of(view)
            try:
                rows = features.fit_rows(self.texts, None, self.labels, self.settings._threads())
            except ValueError as error:  # a setting that has no such value
                raise ValueError(f"the view {name!r}: {error}") from None
            if not rows.entries:
                raise DataError(f"{setting('unlabeled_views')}: no text has any feature of {name}")
            made[name] = rows
        return made

    # ------------------------------------------------------------------ learning from some of it

    def train(
        self, rows: CsrRows, places: Places, codes: Codes, weights: Array | None = None
    ) -> Learnt:
        """The usual classifier of rows; every label must be there."""
        inner = linear(self.settings, self.choice, calibration=None)
        inner.fit(rows[places], codes, sample_weight=weights)
        joint = inner.model_.width == 1 or not inner.trains_one_against_rest()
        return Learnt(inner.model_, inner.loss, joint, inner.record_)

    def scorer(self, rows: CsrRows) -> Any:
        """Places and labels in, scores of all rows out: what self-training asks for."""

        def train(places: Places, codes: Codes) -> Array:
            return as_columns(self.train(rows, places, codes).model.scores(rows))

        return train


def widened(matrix: Any, dense: NDArray[np.float32]) -> CsrRows:
    """Rows with the columns of a dense matrix after their own."""
    from scipy.sparse import csr_array, hstack

    joined = hstack([matrix, csr_array(dense)], format="csr", dtype=np.float32)
    return CsrRows(
        joined.indptr.astype(np.int64),
        joined.indices.astype(np.int32),
        joined.data,
        joined.shape[1],
        distinct=True,
    )


def folded(learnt: Learnt, map_: Any) -> Learnt:
    """A model of [x, Mᵀx] as one of x: w·x + u·Mᵀx = (w + Mu)·x. So vectors are explained by words."""
    model = learnt.model
    block = model.weights
    features = map_.shape[0]
    weights = block[: features + 1].copy()
    weights[1:] += map_ @ block[features + 1 :]
    return Learnt(
        LinearModel(weights, model.width, model.bias), learnt.loss, learnt.joint, learnt.record
    )


def halfway(one: Learnt, other: Learnt) -> Learnt:
    """The mean of two models of the same rows."""
    weights = (one.model.weights + other.model.weights) / 2
    return replace(other, model=LinearModel(weights, one.model.width, one.model.bias))
