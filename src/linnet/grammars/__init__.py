"""Grammars of phrases: written down, or read off a treebank; trees made binary and back.

The room lies beside losses, below structures: a chart parser will be a structure over a grammar, and a
grammar needs to know of trees alone.
"""

from __future__ import annotations

from linnet.grammars.binarising import binarise, debinarise
from linnet.grammars.closure import UnaryClosure
from linnet.grammars.grammar import Grammar
from linnet.grammars.heads import COLLINS_HEADS, HeadRules
from linnet.grammars.unknown import word_class

__all__ = [
    "COLLINS_HEADS",
    "Grammar",
    "HeadRules",
    "UnaryClosure",
    "binarise",
    "debinarise",
    "word_class",
]
