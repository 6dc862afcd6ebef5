"""Data files: read, written, told apart. See ``docs/formats.md`` for what each format holds."""

from __future__ import annotations

from linnet.formats._access import Stamp
from linnet.formats._arriving import Arriving
from linnet.formats._cutting import ranges
from linnet.formats._detect import Expected, detect
from linnet.formats._options import Format, Options, Row
from linnet.formats._ranges import Range, part_of
from linnet.formats._read import read, read_batches, why_whole
from linnet.formats._several import Watched, expanded
from linnet.formats._table import holding, table
from linnet.formats._write import write
from linnet.formats.brackets import (
    BracketFormat,
    BracketOptions,
    format_brackets,
    has_brackets,
    parse_brackets,
    read_bracket_batches,
    read_brackets,
    write_brackets,
)
from linnet.formats.sequences import (
    SequenceFormat,
    SequenceOptions,
    detect_sequences,
    detect_task,
    read_sequence_batches,
    read_sequences,
    write_sequences,
)
from linnet.formats.trees import (
    TreeFormat,
    TreeOptions,
    detect_trees,
    format_trees,
    read_tree_batches,
    read_trees,
    write_trees,
)

TABLE = table()
FORMATS = holding(Format)
SEQUENCE_FORMATS = holding(SequenceFormat)
TREE_FORMATS = holding(TreeFormat)
BRACKET_FORMATS = holding(BracketFormat)

__all__ = [
    "BRACKET_FORMATS",
    "FORMATS",
    "SEQUENCE_FORMATS",
    "TABLE",
    "TREE_FORMATS",
    "Arriving",
    "BracketFormat",
    "BracketOptions",
    "Expected",
    "Format",
    "Options",
    "Range",
    "Row",
    "SequenceFormat",
    "SequenceOptions",
    "Stamp",
    "TreeFormat",
    "TreeOptions",
    "Watched",
    "detect",
    "detect_sequences",
    "detect_task",
    "detect_trees",
    "expanded",
    "format_brackets",
    "format_trees",
    "has_brackets",
    "parse_brackets",
    "part_of",
    "ranges",
    "read",
    "read_batches",
    "read_bracket_batches",
    "read_brackets",
    "read_sequence_batches",
    "read_sequences",
    "read_tree_batches",
    "read_trees",
    "why_whole",
    "write",
    "write_brackets",
    "write_sequences",
    "write_trees",
]
