"""Small models: features that matter little are dropped, the rest packed to a few bytes each."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

import linnet._core as _core
from linnet._params import is_whole, whole
from linnet.features.packed_weights import PackedWeights
from linnet.features.text.features import TextFeatures
from linnet.features.text.numbering import HashedFeatures, InternedFeatures, Tensors
from linnet.features.text.packed import PackedFeatures

LOAD = 0.7  # features for each slot: fuller tables are searched longer


def check_bounds(bits: int, keep: int | None) -> None:
    """Of weights, and how many features are kept."""
    if not is_whole(bits, 4) or bits not in (8, 4):
        raise ValueError(f"bits must be 8 or 4, not {bits!r}")
    if keep is not None:
        whole("keep", keep)


def quantise(
    features: TextFeatures,
    weights: NDArray[np.floating],
    width: int,
    bits: int = 8,
    keep: int | None = None,
    max_bytes: int | None = None,
    names: bool = False,
) -> tuple[TextFeatures, PackedWeights]:
    """The same model in fewer bytes: weights in 8 or 4 bits, 16-bit fingerprints, v in 8 bits.

    ``weights`` are (features + 1, padded width). Dropping feature j changes the score of a text that
    has it by ``|w_j v_j| / norm``, and √df_j of the texts have it in the root of the mean square:
    features are kept in the order of ``max_y |w_jy| |v_j| √df_j``, at most ``keep`` of them and as many
    as ``max_bytes`` hold. What is dropped leaves the norm too, so that scores grow a little; without a
    norm, features whose weights are all zero are always dropped. Names need more room than all the
    rest and are dropped unless asked for; explanations take them from the text.

    Hashed features have no vocabulary to pack: their weights alone are, and none can be dropped.
    """
    check_bounds(bits, keep)
    weights = np.asarray(weights, dtype=np.float32)
    if weights.shape != (features.n_features + 1, _core.padded(width)):
        raise ValueError(
            f"the weights have shape {weights.shape}, not "
            f"{(features.n_features + 1, _core.padded(width))} as these features and labels need"
        )
    size = features.size
    intercept = weights[0, :width].copy()
    rows, beside = weights[1 : 1 + size, :width], weights[1 + size :, :width].copy()
    numbering = features.numbering
    if isinstance(numbering, HashedFeatures):
        if keep is not None or max_bytes is not None:
            raise ValueError(
                "hashed features cannot be dropped: train with a smaller hash_bits or without hashing"
            )
        return features, PackedWeights.of(rows, intercept, beside, bits)
    if isinstance(numbering, PackedFeatures):
        raise ValueError("this model is quantised already; quantise the original")

    values = features.own_values
    df = numbering.tensors(True).get("df")
    importance = np.abs(rows).max(axis=1, initial=0.0) * presence(values, df, size)
    order = np.argsort(-importance, kind="stable")  # of equal ones the one seen first
    if features.norm == "none":
        keep = min(max(1, int((importance > 0).sum())), len(order) if keep is None else keep)
    scaled = values is not None
    if max_bytes is not None:
        room = max_bytes - 4 * (2 * width + beside.size) - 64
        per_slot = 2 + scaled + width * bits / 8
        keep = min(len(order) if keep is None else keep, int((room / per_slot - 1) * LOAD))
        if keep < 1:
            raise ValueError(f"max_bytes={max_bytes} is too small for even one feature")
    fingerprints, order, slots, kept_names = pack_vocabulary(numbering, order[:keep], names)
    slotted = np.zeros((len(fingerprints), width), dtype=np.float32)
    slotted[slots] = rows[order]
    codes = scale = None
    if values is not None:
        scale = float(np.abs(values[order]).max(initial=0.0)) / 127 or 1.0
        codes = np.zeros(len(fingerprints), dtype=np.int8)
        codes[slots] = np.rint(values[order] / np.float32(scale)).clip(-127, 127)
    packed = PackedFeatures(fingerprints, codes, scale or 1.0, kept_names)
    return features.renumbered(packed), PackedWeights.of(slotted, intercept, beside, bits)


class PackedVocabulary(NamedTuple):
    """A table of slots, and what lies in it."""

    fingerprints: NDArray[np.uint16]  # (slots,)
    order: NDArray[np.intp]  # the features that lie in the table, in the order of their slots
    slots: NDArray[np.int32]  # of each
    names: Tensors | None

    @staticmethod
    def size(features: int) -> int:
        """How many slots so many features get."""
        return int(features / LOAD) + 1


def pack_vocabulary(
    numbering: InternedFeatures, order: NDArray[np.intp], names: bool
) -> PackedVocabulary:
    """The features ``order``, the most important first, in two bytes each; with or without names.

    Two that look alike share a slot: it is the more important one's.
    """
    hashes = np.ascontiguousarray(numbering.tensors(False)["hashes"][order])
    fingerprints, slots = _core.pack_features(hashes, PackedVocabulary.size(len(order)))
    slots, first = np.unique(slots, return_index=True)
    order = order[first]
    kept_names = _names(numbering, order, slots, len(fingerprints)) if names else None
    return PackedVocabulary(fingerprints, order, slots, kept_names)


def presence(
    values: NDArray[np.float32] | None, df: NDArray[np.uint32] | None, size: int
) -> NDArray[np.float64]:
    """|v_j| √df_j: in the root of the mean square, how much of a feature a text has."""
    # Features are numbered by first occurrence, so that by Zipf's law df falls about as 1 / number.
    frequency = 1.0 / np.arange(1, size + 1) if df is None else df
    return np.sqrt(frequency) * (1.0 if values is None else np.abs(values))


def _names(
    numbering: InternedFeatures, order: NDArray[np.intp], slots: NDArray[np.int32], size: int
) -> Tensors:
    """The names of the features kept, each in its slot."""
    lengths = np.zeros(size, dtype=np.int64)
    known = numbering.names
    names = [known[j].encode() for j in order.tolist()]  # in the order of their slots
    lengths[slots] = [len(name) for name in names]
    offsets = np.concatenate([np.zeros(1, dtype=np.int64), np.cumsum(lengths)])
    return {"name_bytes": np.frombuffer(b"".join(names), dtype=np.uint8), "name_offsets": offsets}
