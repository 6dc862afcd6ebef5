"""Features: what is seen of a text, of a token, of an arc, of a span."""

from __future__ import annotations

from linnet.features.arc_candidates import ArcCandidates
from linnet.features.arcs import ArcFeatures, CandidateArcs
from linnet.features.events import WordEvents
from linnet.features.lexicons import Lexicon
from linnet.features.packed_weights import PackedWeights
from linnet.features.spans import SpanFeatures
from linnet.features.sparse_weights import SparseWeights
from linnet.features.text.features import TextFeatures
from linnet.features.text.quantise import quantise
from linnet.features.text.ratios import label_ratios, reweighed
from linnet.features.tokens import TokenFeatures

__all__ = [
    "ArcCandidates",
    "ArcFeatures",
    "CandidateArcs",
    "Lexicon",
    "PackedWeights",
    "SpanFeatures",
    "SparseWeights",
    "TextFeatures",
    "TokenFeatures",
    "WordEvents",
    "label_ratios",
    "quantise",
    "reweighed",
]
