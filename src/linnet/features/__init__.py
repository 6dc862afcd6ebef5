"""Features: what is seen of a text, of a token, and of an arc."""

from __future__ import annotations

from linnet.features.arc_candidates import ArcCandidates
from linnet.features.arcs import ArcFeatures, CandidateArcs
from linnet.features.events import WordEvents
from linnet.features.lexicons import Lexicon
from linnet.features.packed_weights import PackedWeights
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
    "SparseWeights",
    "TextFeatures",
    "TokenFeatures",
    "WordEvents",
    "label_ratios",
    "quantise",
    "reweighed",
]
