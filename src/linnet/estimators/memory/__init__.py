"""Learning by keeping: k nearest neighbours of rows of symbols, of windows of tokens, of texts."""

from __future__ import annotations

from linnet.estimators.memory.rows import MemoryClassifier
from linnet.estimators.memory.tagger import MemoryTagger

__all__ = ["MemoryClassifier", "MemoryTagger"]
