"""Files of trees of phrases, in brackets as the Penn Treebank has them. See ``docs/brackets.md``."""

from __future__ import annotations

from linnet.formats.brackets._options import BracketFormat, BracketOptions
from linnet.formats.brackets._read import (
    format_brackets,
    has_brackets,
    parse_brackets,
    read_bracket_batches,
    read_brackets,
    write_brackets,
)
from linnet.formats.brackets._scan import looks_like_brackets

__all__ = [
    "BracketFormat",
    "BracketOptions",
    "format_brackets",
    "has_brackets",
    "looks_like_brackets",
    "parse_brackets",
    "read_bracket_batches",
    "read_brackets",
    "write_brackets",
]
