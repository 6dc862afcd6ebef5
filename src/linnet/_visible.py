r"""Text as a terminal may be shown it: nothing commands it, is hidden or turns the rest round.

Labels, texts, names of features and of files come from others. Those of their characters that a
terminal obeys, or that deceive the eye, are written as Python escapes, such as ``\x1b``.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

# Between letters of these scripts, and in emoji, characters without a width have a meaning.
_NEED_JOINERS = re.compile("[\u0590-\u1dff\u2070-\ufefe\uff00-\U000dffff]")
_HIDDEN = "\u00ad\u061c\u180e\u200b-\u200f\u2060-\u2064\ufeff\U000e0000-\U000e007f"
_TURNING = "\u2028-\u202e\u2066-\u2069\ufff9-\ufffb"  # right to left, and ends of lines and paragraphs
_COMMANDS = "\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ud800-\udfff"  # C0, C1, and what is no character
_INVISIBLE = re.compile(f"[{_HIDDEN}]")
_ODD = re.compile(f"[{_COMMANDS}{_TURNING}]|\r(?!\n)|[{_HIDDEN}]+")
_STRUCTURE = {ord(mark): escape for mark, escape in (("\t", "\\t"), ("\n", "\\n"), ("\r", "\\r"))}


def visible(text: str) -> str:
    r"""The text with escapes for what a terminal would obey, or would hide; tabs and lines stay.

    >>> print(visible("a\x1b[31m \u202egpj.exe"), visible("pay\u200bpal"), visible("می\u200cخواهم"))
    a\x1b[31m \u202egpj.exe pay\u200bpal می‌خواهم
    """
    return "".join(_pieces(text)) if _ODD.search(text) else text


def visible_cell(text: str) -> str:
    """The same for something that has one line of its own: tabs and ends of lines are escaped, too."""
    return visible(text.translate(_STRUCTURE))


def escapes(text: str) -> Iterator[tuple[int, int, str]]:
    """What is to be written in another way: where it begins and ends, and how."""
    for found in _ODD.finditer(text):
        odd, begin, end = found.group(), found.start(), found.end()
        beside = text[max(begin - 1, 0) : begin], text[end : end + 1]
        if not (_INVISIBLE.match(odd) and all(map(_NEED_JOINERS.match, beside))):
            yield begin, end, odd.encode("unicode_escape").decode()


def _pieces(text: str) -> Iterator[str]:
    at = 0
    for begin, end, escape in escapes(text):
        yield text[at:begin]
        yield escape
        at = end
    yield text[at:]
