r"""Surface tokens of sentences in CoNLL-U: what stands in the text, of one word or of several.

A multiword token is a line ``3-4`` before its words; every other word is a token by itself. Blanks
after a token are told by its MISC: ``SpaceAfter=No``, ``SpacesAfter=\n``, and one space where nothing
is said.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from linnet.data.sequences import UNSAID, Places, Sequences, token_strings
from linnet.errors import DataError

RANGE = re.compile(r"([1-9]\d{0,8})-([1-9]\d{0,8})\t")
ESCAPES = {"s": " ", "t": "\t", "r": "\r", "n": "\n", "p": "|", "\\": "\\"}
SHOWN = {character: "\\" + letter for letter, character in ESCAPES.items()}
BEGINS = ("# newpar", "# newdoc")
BEFORE, AFTER, WITHIN, NO_SPACE = "SpacesBefore=", "SpacesAfter=", "SpacesInToken=", "SpaceAfter=No"


@dataclass(frozen=True)
class Surface:
    """Token t is the words ``starts[t]:starts[t + 1]``; sentence i begins with ``offsets[i]``."""

    forms: list[str]
    misc: list[str]
    starts: Places
    multiword: NDArray[np.bool_]  # per token: was it a line of its own?
    offsets: Places

    def __len__(self) -> int:
        """How many tokens."""
        return len(self.forms)

    @classmethod
    def of(cls, sentences: Sequences) -> Surface:
        """The tokens of sentences; `DataError` where multiword tokens overlap or go too far."""
        form = "form" if "form" in sentences.columns else "word"
        forms = token_strings(sentences.columns[form])
        misc = (
            token_strings(sentences.columns["misc"])
            if "misc" in sentences.columns
            else [UNSAID] * len(forms)
        )
        starts, multiword = np.arange(sentences.tokens + 1), np.zeros(sentences.tokens, np.bool_)
        if sentences.aside is None:
            return cls(forms, misc, starts, multiword, sentences.offsets)
        kept = np.ones(sentences.tokens + 1, np.bool_)
        for begin, end, cells in _ranges(sentences):
            if not kept[begin:end].all() or multiword[begin]:
                raise DataError(f"{sentences.where(begin)}: multiword tokens overlap")
            kept[begin + 1 : end] = False
            multiword[begin] = True
            forms[begin], misc[begin] = cells[1], cells[9] if len(cells) == 10 else UNSAID
        at = np.flatnonzero(kept[:-1]).tolist()
        return cls(
            [forms[t] for t in at],
            [misc[t] for t in at],
            starts[kept],
            multiword[at],
            np.searchsorted(starts[kept], sentences.offsets),
        )

    def text(self) -> str:
        """The text that the tokens are of, to the character where MISC tells all blanks."""
        return "".join(self.pieces(0, len(self)))

    def pieces(self, begin: int, end: int) -> Iterator[str]:
        """Some tokens as they stand in the text, with the blanks around them."""
        for form, cell in zip(self.forms[begin:end], self.misc[begin:end], strict=True):
            yield spaces(cell, BEFORE) + (spaces(cell, WITHIN) or form) + blanks_after(cell)

    def blanks(self) -> list[str]:
        """What stands in the text after each token."""
        return [blanks_after(cell) for cell in self.misc]


def _ranges(sentences: Sequences) -> list[tuple[int, int, list[str]]]:
    """Multiword tokens: the first word, the one after the last, and the cells of the line."""
    aside = sentences.aside
    assert aside is not None
    found = []
    sentence = np.repeat(np.arange(len(sentences)), np.diff(aside.offsets))
    for k, line in enumerate(token_strings(aside.lines)):
        if match := RANGE.match(line):
            i = int(sentence[k])
            first, last = sentences.offsets[i] + int(match[1]) - 1, sentences.offsets[i] + int(match[2])
            if not first < last <= sentences.offsets[i + 1]:
                place = sentences.where(min(int(first), int(sentences.offsets[i + 1]) - 1))
                raise DataError(f"{place}: the multiword token {match[0].strip()} has no such words")
            found.append((int(first), int(last), line.split("\t")))
    return found


def paragraphs(sentences: Sequences) -> NDArray[np.bool_]:
    """Which sentences begin a paragraph or a document, by the comments."""
    begins = np.zeros(len(sentences), np.bool_)
    if sentences.aside is not None:
        of = np.repeat(np.arange(len(sentences)), np.diff(sentences.aside.offsets))
        lines = token_strings(sentences.aside.lines)
        begins[[int(of[k]) for k, line in enumerate(lines) if line.startswith(BEGINS)]] = True
    return begins


def running_texts(sentences: Sequences) -> list[str]:
    """The text that sentences were cut from, a string for each paragraph; without any, all is one."""
    tokens = Surface.of(sentences)
    starts = np.flatnonzero(paragraphs(sentences))
    borders = tokens.offsets[np.unique([0, *starts.tolist(), len(sentences)])].tolist()
    return ["".join(tokens.pieces(b, e)).strip() for b, e in pairwise(borders)]


def blanks_after(misc: str) -> str:
    """Of one token, told by its MISC.

    >>> blanks_after("_"), blanks_after("Gloss=x|SpaceAfter=No")
    (' ', '')
    """
    if misc == UNSAID:
        return " "
    after = " "
    for part in misc.split("|"):
        if part == NO_SPACE:
            after = ""
        elif part.startswith(AFTER):
            return unescaped(part.removeprefix(AFTER))
    return after


def spaces(misc: str, name: str) -> str:
    """What MISC says by this name: of the blanks before a token, or of a token with blanks."""
    if name not in misc:
        return ""
    found = next((part for part in misc.split("|") if part.startswith(name)), name)
    return unescaped(found.removeprefix(name))


def said_of_blanks(after: str, before: str = "", within: str | None = None) -> str:
    """The inverse: what MISC says of the blanks after a token, before it, and of a form with blanks."""
    parts = [] if after in (" ", "") else [AFTER + escaped(after)]
    if not after:
        parts.append(NO_SPACE)
    if before:
        parts.append(BEFORE + escaped(before))
    if within is not None:
        parts.append(WITHIN + escaped(within))
    return "|".join(sorted(parts)) or UNSAID


def blanks_of_texts(sentences: Sequences) -> list[str]:
    """The MISC of words that know their characters: blanks after each, before the first of a text."""
    assert sentences.texts is not None
    assert sentences.documents is not None
    assert sentences.spans is not None
    texts = sentences.texts
    of = np.repeat(sentences.documents, sentences.lengths).tolist()
    spans = sentences.spans.tolist()
    told = []
    for t, (document, (begin, end)) in enumerate(zip(of, spans, strict=True)):
        first = t == 0 or of[t - 1] != document
        last = t + 1 == len(of) or of[t + 1] != document
        text = texts[document]
        after = text[end : None if last else spans[t + 1][0]]
        told.append(said_of_blanks(after, text[:begin] if first else ""))
    return told


def escaped(blanks: str) -> str:
    r"""``\s`` ``\t`` ``\r`` ``\n`` ``\p`` (a bar) ``\\`` as UDPipe has them, others as ``\u00A0``."""
    return "".join(
        SHOWN.get(character) or (f"\\u{ord(character):04X}" if character.isspace() else character)
        for character in blanks
    )


def unescaped(written: str) -> str:
    """The inverse; a backslash before any other letter stands for itself."""
    return re.sub(
        r"\\(?:([strnp\\])|u(?![Dd][89A-Fa-f])([0-9A-Fa-f]{4}))",
        lambda match: ESCAPES[match[1]] if match[1] else chr(int(match[2], 16)),
        written,
    )
