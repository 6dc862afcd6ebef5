"""The tokeniser once more, in Python and character by character."""

import unicodedata

IDEOGRAPHS = ("CJK UNIFIED IDEOGRAPH", "CJK COMPATIBILITY IDEOGRAPH")


def is_word(char: str) -> bool:
    return char.isalnum() or char == "_"


def is_mark(char: str) -> bool:
    return unicodedata.category(char).startswith("M") or char in "\u200c\u200d"


def is_ideograph(char: str) -> bool:
    return unicodedata.name(char, "").startswith(IDEOGRAPHS)


def tokens(text: str, punctuation: bool = True) -> list[str]:
    """Return words, single punctuation marks and single ideographs, with the marks that follow."""
    found: list[tuple[str, str]] = []  # kind, token
    before = "space"
    for char in text:
        if char.isspace():
            kind = "space"
        elif is_mark(char):
            kind = before if before != "space" else "word"
            if before != "space":
                found[-1] = (kind, found[-1][1] + char)
                continue
        elif is_ideograph(char):
            kind = "ideograph"
        else:
            kind = "word" if is_word(char) else "other"
        if kind == "word" == before:
            found[-1] = (kind, found[-1][1] + char)
        elif kind != "space":
            found.append((kind, char))
        before = kind
    return [token for kind, token in found if punctuation or kind != "other"]


def lower(text: str) -> str:
    """Lower case, each character by itself."""
    return "".join(char.lower()[0] for char in text)


def shape(token: str) -> str:
    out = ""
    for char in token:
        if is_mark(char):
            continue
        if char.isalpha():
            char = "X" if lower(char) != char else "x"  # noqa: PLW2901
        elif char.isalnum():
            char = "d"  # noqa: PLW2901
        if not out.endswith(char):
            out += char
    return out
