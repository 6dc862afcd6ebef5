"""Linnet: linear models for language."""

from __future__ import annotations

from linnet import learners
from linnet.estimators import LinearClassifier
from linnet.training import compatible

__version__ = "0.1.0"

__all__ = ["LinearClassifier", "compatible", "learners"]
