"""Features: what is seen of a text, and of a token."""

from __future__ import annotations

from linnet.features.events import WordEvents
from linnet.features.lexicons import Lexicon
from linnet.features.packed_weights import PackedWeights
from linnet.features.quantise import quantise
from linnet.features.ratios import label_ratios, reweighed
from linnet.features.text import TextFeatures
from linnet.features.tokens import TokenFeatures

__all__ = [
    "Lexicon",
    "PackedWeights",
    "TextFeatures",
    "TokenFeatures",
    "WordEvents",
    "label_ratios",
    "quantise",
    "reweighed",
]
