"""Write what the tokeniser knows of Unicode, `cpp/linnet/text/unicode_tables.hpp`.

Every code point has a class and a simple lower-case mapping (to one code point). Pairs of the two are
few, so a code point is looked up in two stages: the pages that are alike are stored once, and a page
holds the numbers of pairs.
"""

import sys
import unicodedata
from collections.abc import Iterable
from pathlib import Path

TABLES = Path(__file__).parents[1] / "cpp" / "linnet" / "text" / "unicode_tables.hpp"
PAGE = 64  # code points
CLASSES = ("other", "space", "letter", "number", "mark", "ideograph")
JOINERS = "\u200c\u200d"  # they stand inside words of Persian and of Indian languages
IDEOGRAPHS = ("CJK UNIFIED IDEOGRAPH", "CJK COMPATIBILITY IDEOGRAPH")


def char_class(char: str) -> str:
    r"""Return the class of a character: letters, numbers and ideographs are Python's ``\w``."""
    if char.isspace():
        return "space"
    if unicodedata.name(char, "").startswith(IDEOGRAPHS):
        return "ideograph"
    if char in JOINERS or unicodedata.category(char).startswith("M"):
        return "mark"
    if char.isalpha() or char == "_":
        return "letter"
    return "number" if char.isalnum() else "other"


def simple_lower(char: str) -> str:
    """Return the lower case as one code point; İ, whose full lower case has two, becomes i."""
    return char.lower()[0]


def listed(values: Iterable[int]) -> str:
    """Return the numbers in lines of at most 100 characters."""
    lines = [""]
    for value in values:
        item = f"{value},"
        if len(lines[-1]) + len(item) > 96:
            lines.append("")
        lines[-1] += item
    return "\n".join("    " + line for line in lines)


def render() -> str:
    """Return the header for the Unicode version of the running Python."""
    pairs: dict[tuple[str, int], int] = {("other", 0): 0}
    points = []
    for point in range(sys.maxunicode + 1):
        char = chr(point)
        pair = (char_class(char), ord(simple_lower(char)) - point)
        points.append(pairs.setdefault(pair, len(pairs)))
    assert len(pairs) <= 256
    while not any(points[-PAGE:]):
        del points[-PAGE:]
    pages: dict[tuple[int, ...], int] = {}
    index = [
        pages.setdefault(tuple(points[at : at + PAGE]), len(pages))
        for at in range(0, len(points), PAGE)
    ]
    kinds = "\n".join(f"    {{CharClass::{kind}, {shift}}}," for kind, shift in pairs)
    return f"""\
// Written by tools/make_unicode.py from Unicode {unicodedata.unidata_version}; do not edit.
// clang-format off
#pragma once
#include <cstdint>

namespace linnet::unicode {{

enum class CharClass : std::uint8_t {{ {", ".join(CLASSES)} }};

struct CharKind {{
  CharClass kind;
  std::int32_t to_lower;  // added to the code point
}};
inline constexpr CharKind kKinds[] = {{
{kinds}
}};
inline constexpr unsigned kPage = {PAGE};
inline constexpr char32_t kEnd = {len(points):#x};  // code points from here on are of kind 0
inline constexpr std::uint16_t kPages[] = {{
{listed(index)}
}};
inline constexpr std::uint8_t kPoints[] = {{
{listed(kind for page in pages for kind in page)}
}};

}}  // namespace linnet::unicode
"""


if __name__ == "__main__":
    TABLES.write_text(render(), encoding="utf-8")
