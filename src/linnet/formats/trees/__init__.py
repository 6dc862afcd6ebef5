"""Files of dependency trees, CoNLL-U and CoNLL-X. See ``docs/tree-formats.md``."""

from __future__ import annotations

from linnet.formats.trees._options import TreeFormat, TreeOptions
from linnet.formats.trees._read import (
    detect_trees,
    format_trees,
    has_trees,
    read_tree_batches,
    read_trees,
    write_trees,
)

__all__ = [
    "TreeFormat",
    "TreeOptions",
    "detect_trees",
    "format_trees",
    "has_trees",
    "read_tree_batches",
    "read_trees",
    "write_trees",
]
