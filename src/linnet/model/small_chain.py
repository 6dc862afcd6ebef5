"""Small taggers: weights in 8 or 4 bits, features that matter little dropped, the rest packed."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from linnet.data.examples import take_ragged
from linnet.errors import DataError
from linnet.features.text.numbering import InternedFeatures
from linnet.features.text.packed import PackedFeatures
from linnet.features.text.quantise import (
    LOAD,
    PackedVocabulary,
    check_bounds,
    pack_vocabulary,
    presence,
)
from linnet.features.tokens import TokenFeatures
from linnet.model.chain import ChainModel
from linnet.model.label_weights import LabelWeights

Tensors = dict[str, NDArray[Any]]
NIBBLES = np.array([q * abs(q) for q in (*range(8), *range(-8, 0))], np.int8)  # q|q| by the nibble q
UNSIGNED = (np.uint8, np.uint16, np.uint32)


def quantise_chain(
    features: Any,
    pair_features: Any,
    model: ChainModel,
    bits: int = 8,
    keep: int | None = None,
    max_bytes: int | None = None,
    names: bool = False,
) -> tuple[Any, Any, ChainModel]:
    """The same tagger in fewer bytes: features in two bytes, their weights in one or a half.

    A weight is an integer times a scale for each label, in 4 bits the square of one; those that become
    0 are dropped. Features are kept in the order of ``max_y |w_jy|`` times the root of how often they
    occur, at most ``keep`` of them and as many as ``max_bytes`` hold. Scores of transitions stay as
    they are; features of transitions are packed, and none of them is dropped for ``keep``.

    Only features that were interned can be dropped: hashed ones and events have their weights packed.
    """
    check_bounds(bits, keep)
    L, pairs = model.n_labels, model.pairs
    if pairs is not None:
        pair_features, pairs = _quantised(pair_features, pairs, L * L, bits, None, None, names)
        if max_bytes is not None:
            arrays = [*pair_features.tensors().values(), *_short_tensors(pairs, bits).values()]
            max_bytes -= sum(array.nbytes for array in arrays)
    features, states = _quantised(features, model.states, L, bits, keep, max_bytes, names)
    return features, pair_features, replace(model, states=states, pairs=pairs)


def _quantised(
    features: Any,
    weights: LabelWeights,
    width: int,
    bits: int,
    keep: int | None,
    max_bytes: int | None,
    names: bool,
) -> tuple[Any, LabelWeights]:
    packed = packed_weights(weights, width, bits)
    if not isinstance(features, TokenFeatures) or not isinstance(features.numbering, InternedFeatures):
        if keep is not None or max_bytes is not None:
            raise ValueError(
                "hashed features and events cannot be dropped: leave out keep and max_bytes"
            )
        return features, packed
    largest = np.zeros(packed.features + 1)
    np.maximum.at(largest, packed.rows, np.abs(packed.reals))
    importance = largest[1:] * presence(None, None, packed.features)
    order = np.argsort(-importance, kind="stable")[: max(1, np.count_nonzero(importance))]
    if max_bytes is not None:
        fitting = _fitting(packed, order, bits, width, max_bytes)
        keep = fitting if keep is None else min(keep, fitting)
    table = pack_vocabulary(features.numbering, order[:keep], names)
    small = features.renumbered(PackedFeatures(table.fingerprints, None, 1.0, table.names))
    return small, _slotted(packed, table)


def packed_weights(weights: LabelWeights, width: int, bits: int) -> LabelWeights:
    """Integers and a scale for each label; the largest weight of a label has the largest integer."""
    reals, labels = weights.reals, weights.labels
    largest = np.zeros(width, np.float32)
    np.maximum.at(largest, labels, np.abs(reals))
    scales = largest / np.float32(127 if bits == 8 else 49)
    scales[scales == 0] = 1
    ratio = np.abs(reals) / scales[labels]
    if bits == 8:
        sizes = np.rint(ratio)
    else:
        q = np.floor(np.sqrt(ratio))
        sizes = (q + (2 * ratio > q * q + (q + 1) * (q + 1))).clip(0, 7) ** 2
    codes = (np.sign(reals) * sizes).clip(-127, 127)
    return _of_codes(weights.rows, labels, codes, scales, len(weights.starts) - 1)


def _of_codes(
    rows: NDArray[Any], labels: NDArray[Any], codes: NDArray[Any], scales: Any, size: int
) -> LabelWeights:
    """Codes of zero left out, but for rows that are faster with all labels."""
    pairs = np.stack([rows, labels], axis=1)
    found = LabelWeights.of_pairs(pairs, codes, size, len(scales))
    return replace(found, weights=found.weights.astype(np.int8), scales=scales)


def _slotted(weights: LabelWeights, packed: PackedVocabulary) -> LabelWeights:
    """Rows where their features now are; the constant feature stays the first."""
    rows = np.concatenate([np.zeros(1, np.int64), packed.order + 1])
    places, starts = take_ragged(np.arange(len(weights.labels)), weights.starts, rows)
    counts = np.zeros(len(packed.fingerprints) + 1, np.int64)
    counts[np.concatenate([np.zeros(1, np.int64), packed.slots + 1])] = np.diff(starts)
    return LabelWeights(
        _starts(counts), weights.labels[places], weights.weights[places], weights.scales
    )


def _fitting(
    weights: LabelWeights, order: NDArray[np.intp], bits: int, width: int, max_bytes: int
) -> int:
    """How many features go into so many bytes of a file."""
    counts = _counts(weights)
    of_slot = 2 + _narrowest(int(counts.max(initial=0)))().itemsize
    of_pair = _narrowest(width - 1)().itemsize + bits / 8
    slots = np.arange(1, len(order) + 1) / LOAD + 2
    sizes = of_slot * slots + of_pair * (counts[0] + np.cumsum(counts[1:][order]))
    found = int(np.searchsorted(sizes, max_bytes, side="right"))
    if found < 1:
        raise ValueError("max_bytes leaves no room for even one feature")
    return found


# ---------------------------------------------------------------------- in a model file


def packed_tensors(model: ChainModel) -> tuple[Tensors, int]:
    """The tensors of a packed model with its weights as short integers, and how many bits each has."""
    found = {n: a for n, a in model.tensors().items() if not n.startswith(("state.", "pair."))}
    parts = {"state.": model.states} | ({} if model.pairs is None else {"pair.": model.pairs})
    bits = 4 if all(np.isin(part.weights, NIBBLES).all() for part in parts.values()) else 8
    for prefix, part in parts.items():
        found |= {prefix + name: array for name, array in _short_tensors(part, bits).items()}
    return found, bits


def _short_tensors(part: LabelWeights, bits: int) -> Tensors:
    """In place of ``starts`` the length of each row; labels in as few bytes as will do.

    In 4 bits two weights to a byte, the earlier in the low nibble.
    """
    counts, kept = _counts(part), np.flatnonzero(part.weights)
    labels, codes = part.labels[kept], part.weights[kept].astype(np.int8)
    assert part.scales is not None
    return {
        "counts": counts.astype(_narrowest(int(counts.max(initial=0)))),
        "labels": labels.astype(_narrowest(int(labels.max(initial=0)))),
        "weights": codes if bits == 8 else _to_nibbles(codes),
        "scales": part.scales,
    }


def _counts(part: LabelWeights) -> NDArray[np.int64]:
    """How many weights of each row are not 0."""
    return np.bincount(part.rows[np.flatnonzero(part.weights)], minlength=len(part.starts) - 1)


def unpacked_tensors(tensors: Mapping[str, NDArray[Any]], bits: int) -> Tensors:
    """The inverse; raises DataError for what `packed_tensors` cannot have given."""
    if bits not in (8, 4):
        raise DataError(f"weights of {bits!r:.20} bits are not known")
    found = {n: a for n, a in tensors.items() if not n.startswith(("state.", "pair."))}
    for prefix in ("state.", "pair."):
        part = {n.removeprefix(prefix): a for n, a in tensors.items() if n.startswith(prefix)}
        if part or prefix == "state.":
            found |= _widened(part, bits).tensors(prefix)
    return found


def _widened(part: Mapping[str, NDArray[Any]], bits: int) -> LabelWeights:
    arrays = [part.get(name) for name in ("counts", "labels", "weights", "scales")]
    if not all(array is not None and array.ndim == 1 for array in arrays):
        raise DataError("the packed weights of the tagger are damaged: some are not there")
    counts, labels, codes, scales = (array for array in arrays if array is not None)
    size = len(labels) if bits == 8 else (len(labels) + 1) // 2
    if (
        counts.dtype.type not in UNSIGNED
        or labels.dtype.type not in UNSIGNED
        or codes.dtype != (np.int8 if bits == 8 else np.uint8)
        or scales.dtype != np.float32
        or len(counts) < 1
        or int(counts.sum(dtype=np.uint64)) != len(labels)
        or int(labels.max(initial=0)) >= len(scales)
        or len(codes) != size
    ):
        raise DataError("the packed weights of the tagger are damaged: they do not fit together")
    rows = np.repeat(np.arange(len(counts)), counts)
    levels = codes if bits == 8 else _of_nibbles(codes, len(labels))
    return _of_codes(rows, labels, levels, scales, len(counts))


def _to_nibbles(levels: NDArray[np.int8]) -> NDArray[np.uint8]:
    nibble = np.zeros(256, np.uint8)
    nibble[NIBBLES.view(np.uint8)] = np.arange(16)
    codes = nibble[levels.view(np.uint8)]
    codes = np.concatenate([codes, np.zeros(len(codes) % 2, np.uint8)])
    return np.asarray(codes[::2] | codes[1::2] << 4)


def _of_nibbles(codes: NDArray[np.uint8], size: int) -> NDArray[np.int8]:
    return NIBBLES[np.stack([codes & 15, codes >> 4], axis=1).reshape(-1)[:size]]


def _starts(counts: NDArray[Any]) -> NDArray[np.int64]:
    return np.concatenate([np.zeros(1, np.int64), np.cumsum(counts, dtype=np.int64)])


def _narrowest(largest: int) -> Any:
    """The smallest type of numbers from 0 to this."""
    return next(kind for kind in UNSIGNED if largest <= np.iinfo(kind).max)
