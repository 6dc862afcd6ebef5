"""Why a text got its label, a sentence its tags or its tree, and what a model goes by."""

from __future__ import annotations

from linnet.explain.arc_weights import ArcWeights, arc_weights
from linnet.explain.arcs import explain_tree
from linnet.explain.brackets import BracketDrawing
from linnet.explain.explanation import Explanation, Piece
from linnet.explain.segments import explain_segments, segment_weights
from linnet.explain.tag_explanation import TagExplanation, Term, TokenExplanation
from linnet.explain.tag_weights import TagWeights, tag_weights
from linnet.explain.tags import explain_tags
from linnet.explain.text import explain
from linnet.explain.top_weights import TopWeights, top_weights
from linnet.explain.tree_explanation import ArcTerm, Choice, TreeExplanation, WordExplanation
from linnet.explain.trees import TreeDrawing

__all__ = [
    "ArcTerm",
    "ArcWeights",
    "BracketDrawing",
    "Choice",
    "Explanation",
    "Piece",
    "TagExplanation",
    "TagWeights",
    "Term",
    "TokenExplanation",
    "TopWeights",
    "TreeDrawing",
    "TreeExplanation",
    "WordExplanation",
    "arc_weights",
    "explain",
    "explain_segments",
    "explain_tags",
    "explain_tree",
    "segment_weights",
    "tag_weights",
    "top_weights",
]
