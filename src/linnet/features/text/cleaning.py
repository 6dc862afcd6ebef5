"""Changes of texts that settings ask for: HTML, Unicode's normal forms, accents.

Each is a function of a text, and another that gives the same as edits, so that an explanation can point
into the text as it was.
"""

from __future__ import annotations

import html
import re
import unicodedata
from collections.abc import Callable, Iterator
from typing import Literal

from linnet.features.text.aligned import Edit

Change = Callable[[str], str]
FORMS: tuple[Literal["NFC", "NFKC"], ...] = ("NFC", "NFKC")

# A comment; a script or style with all that is in it; a tag; a declaration; an entity. What is never
# closed is text, save comments and scripts, which go on to the end.
MARKUP = re.compile(
    r"<!--.*?(?:-->|\Z)"
    r"|<(?P<code>script|style)\b.*?(?:</(?P=code)\s*>|\Z)"
    r"|</?(?P<tag>[a-z][\w:-]*+)(?:[^<>\"']|\"[^\"<]*+\"|'[^'<]*+')*+>"
    r"|<[!?][^<>]*+>"
    r"|&(?:\#\d{1,7}|\#x[\da-f]{1,6}|[a-z]\w{1,31}+);?",
    re.IGNORECASE | re.DOTALL,
)
# Tags within words; all others part what is before from what is behind them.
INLINE = frozenset(
    """
    a abbr b bdi bdo big cite code del dfn em font i ins kbd mark q s samp small span strike strong sub
    sup tt u var wbr
    """.split()  # noqa: SIM905 (one word a line would be a long file)
)
# Marks over, under and through letters of Latin, Greek and Cyrillic; not the signs of other scripts.
ACCENTS = re.compile("[\u0300-\u036f\u1ab0-\u1aff\u1dc0-\u1dff\u20d0-\u20ff\ufe20-\ufe2f]+")


def without_html(text: str) -> str:
    """Tags, comments and scripts go, entities are read."""
    return MARKUP.sub(_in_place_of, text) if "<" in text or "&" in text else text


def html_edits(text: str) -> Iterator[Edit]:
    """The same as edits."""
    for match in MARKUP.finditer(text):
        new = _in_place_of(match)
        if new != match[0]:
            yield match.start(), match.end(), new


def _in_place_of(match: re.Match[str]) -> str:
    if match[0].startswith("&"):
        return html.unescape(match[0])
    tag = match["tag"]
    return "" if tag and tag.lower() in INLINE else " "


def normaliser(form: Literal["NFC", "NFKC"]) -> Change:
    """To one of Unicode's normal forms."""
    return lambda text: unicodedata.normalize(form, text)


def without_accents(text: str) -> str:
    """Letters without their marks, in NFC."""
    if text.isascii():
        return text
    return unicodedata.normalize("NFC", ACCENTS.sub("", unicodedata.normalize("NFD", text)))


def cluster_edits(text: str, change: Change) -> Iterator[Edit]:
    """A change of Unicode as edits: cluster by cluster, where each changes by itself."""
    begin = 0
    for end in range(1, len(text) + 1):
        if end < len(text) and not _parts(text[begin:end], text[end], change):
            continue
        old = text[begin:end]
        new = change(old)
        if new != old:
            yield begin, end, new
        begin = end


def _parts(before: str, after: str, change: Change) -> bool:
    """Does a character begin something new, whatever the form, and when it is changed?"""
    if after.isascii():
        return True
    if unicodedata.combining(unicodedata.normalize("NFKD", after)[0]):
        return False
    return all(
        form(before + after) == form(before) + form(after) for form in (*map(normaliser, FORMS), change)
    )
