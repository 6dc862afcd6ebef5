"""Why a text got its label, and what a model goes by."""

from __future__ import annotations

from linnet.explain.explanation import Explanation, Piece
from linnet.explain.text import explain
from linnet.explain.top_weights import TopWeights, top_weights

__all__ = ["Explanation", "Piece", "TopWeights", "explain", "top_weights"]
