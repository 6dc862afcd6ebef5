"""Classifiers by ordered lists: decision lists, and rules that mend labels."""

from __future__ import annotations

from linnet.estimators.lists.brill import BrillClassifier, TextBrill
from linnet.estimators.lists.decision_list import DecisionList, TextDecisionList

__all__ = ["BrillClassifier", "DecisionList", "TextBrill", "TextDecisionList"]
