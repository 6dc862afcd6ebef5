"""Files of dependency trees, CoNLL-U and CoNLL-X. See ``docs/tree-formats.md``."""

from __future__ import annotations

from linnet.formats.trees._read import (
    detect_trees,
    format_trees,
    read_tree_batches,
    read_trees,
    write_trees,
)
from linnet.formats.trees._table import TREE_FORMATS, TreeFormat

__all__ = [
    "TREE_FORMATS",
    "TreeFormat",
    "detect_trees",
    "format_trees",
    "read_tree_batches",
    "read_trees",
    "write_trees",
]
