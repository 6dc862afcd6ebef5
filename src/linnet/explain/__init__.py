"""Why a text got its label or a sentence its tags, and what a model goes by."""

from __future__ import annotations

from linnet.explain.explanation import Explanation, Piece
from linnet.explain.segments import explain_segments, segment_weights
from linnet.explain.tag_explanation import TagExplanation, Term, TokenExplanation
from linnet.explain.tag_weights import TagWeights, tag_weights
from linnet.explain.tags import explain_tags
from linnet.explain.text import explain
from linnet.explain.top_weights import TopWeights, top_weights
from linnet.explain.trees import TreeDrawing

__all__ = [
    "Explanation",
    "Piece",
    "TagExplanation",
    "TagWeights",
    "Term",
    "TokenExplanation",
    "TopWeights",
    "TreeDrawing",
    "explain",
    "explain_segments",
    "explain_tags",
    "segment_weights",
    "tag_weights",
    "top_weights",
]
