"""Features: what is seen of a text."""

from __future__ import annotations

from linnet.features.packed_weights import PackedWeights
from linnet.features.quantise import quantise
from linnet.features.ratios import label_ratios, reweighed
from linnet.features.text import TextFeatures

__all__ = ["PackedWeights", "TextFeatures", "label_ratios", "quantise", "reweighed"]
