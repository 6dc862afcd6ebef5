"""Estimators: every flat cell of the grid, and the familiar names as presets of it."""

from __future__ import annotations

from linnet.estimators.linear import LinearClassifier

__all__ = ["LinearClassifier"]
