"""The votes of a tagger in its model file: what each update changed, in as few bytes as hold it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

import linnet._core as _core
from linnet.data import CsrRows, as_rows
from linnet.errors import DataError
from linnet.model import ChainModel
from linnet.structures import Chain

Tensors = dict[str, NDArray[Any]]
CHANGES = (np.int8, np.float32, np.float64)  # steps of the perceptron are whole, as a rule
LARGEST_CHANGE = 1e30  # sums of them stay finite
MOST_VOTES = 2.0**62


def pack_votes(votes: _core.OutputVotes) -> Tensors:
    """Votes of each weight vector; of each update how many weights it changed, which, and by what."""
    _, survived, ends, weights, changes = votes.state()
    return {
        "survived": _narrow(survived),
        "counts": _narrow(np.diff(ends, prepend=0)),
        "weights": _narrow(weights),
        "changes": next(
            short for kind in CHANGES if np.array_equal(short := _cast(changes, kind), changes)
        ),
    }


def unpack_votes(tensors: Mapping[str, NDArray[Any]], model: ChainModel) -> _core.OutputVotes:
    """The inverse, for the chains that a model scores; raises DataError for what is no vote."""
    arrays = [tensors.get(name) for name in ("survived", "counts", "weights", "changes")]
    if not all(array is not None and array.ndim == 1 for array in arrays):
        raise DataError("the votes of the tagger are damaged: some are not there")
    survived, counts, weights, changes = (array for array in arrays if array is not None)
    if (
        any(array.dtype.kind != "u" for array in (survived, counts, weights))
        or changes.dtype.type not in CHANGES
        or not survived.sum(dtype=np.float64) < MOST_VOTES
        or counts.sum(dtype=np.float64) != len(weights)
        or not (np.abs(changes.astype(np.float64)) < LARGEST_CHANGE).all()
    ):
        raise DataError("the votes of the tagger are damaged: they do not fit together")
    if model.order == 0 or model.local:
        raise DataError("votes are for whole sequences of tags, which its model does not score")
    ends = model.start is not None
    dim = _weights_of(model, ends)
    wide = (survived.astype(np.int64), counts.astype(np.int64).cumsum(), weights.astype(np.int64))
    return _core.OutputVotes.from_state((dim, *wide, changes.astype(np.float64)))


def _weights_of(model: ChainModel, ends: bool) -> int:
    """How many weights the learner of such a model has, padding included."""
    pairs = None if model.pairs is None else _no_rows(model.pairs.features, model.pair_bias)
    rows, nothing = _no_rows(model.features, model.bias), np.zeros(0, np.int32)
    chain = Chain(rows, np.zeros(1, np.int64), nothing, model.n_labels, model.order, ends, pairs=pairs)
    return chain.layout.dim


def _no_rows(features: int, bias: float) -> _core.Rows:
    empty = CsrRows(np.zeros(1, np.int64), np.zeros(0, np.int32), np.zeros(0, np.float32), features)
    return as_rows(empty, bias)


def _narrow(numbers: NDArray[np.int64]) -> NDArray[Any]:
    return numbers.astype(np.min_scalar_type(int(numbers.max(initial=0))))


def _cast(changes: NDArray[np.float64], kind: Any) -> NDArray[Any]:
    with np.errstate(all="ignore"):
        return changes.astype(kind)
