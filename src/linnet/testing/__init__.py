"""Brute force, the independent witness of every structure; and what to tell scikit-learn's checks.

An enumerator yields every output of a structure as the list of its parts (a tied part appears as
often as it is used). It shares no code with the dynamic programs it is held against.
"""

from __future__ import annotations

from linnet.testing._brackets import all_bracketings
from linnet.testing._brute_force import brute_force
from linnet.testing._enumerate import (
    all_binary,
    all_chains,
    all_derivations,
    all_higher_chains,
    all_labels,
    all_segmentations,
)
from linnet.testing._sklearn import expected_failed_checks
from linnet.testing._trees import (
    all_grandparent_trees,
    all_heads,
    all_sibling_trees,
    all_trees,
)

__all__ = [
    "all_binary",
    "all_bracketings",
    "all_chains",
    "all_derivations",
    "all_grandparent_trees",
    "all_heads",
    "all_higher_chains",
    "all_labels",
    "all_segmentations",
    "all_sibling_trees",
    "all_trees",
    "brute_force",
    "expected_failed_checks",
]
