"""Template files of CRF++, read as they are.

    # a comment
    U05:%x[-1,0]/%x[0,0]      a feature of the token: columns 0 of the token before it and of itself
    B                         transitions
    B01:%x[0,1]               transitions that see the observation

``%x[row,column]`` stands for a column of the token so many rows away; before and after the sentence
it is ``_B-1``, ``_B-2``, … and ``_B+1``, ``_B+2``, … The text of a line with these filled in is the
feature: lines that begin alike share features.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from linnet.features.templates import MOST_AWAY, Attribute, Known, MissingColumnError, Template

MACRO = re.compile(r"%x\[\s*(-?\d+)\s*,\s*(\d+)\s*\]")


def is_crfpp(lines: Sequence[str]) -> bool:
    """Are these lines of CRF++'s language and not of ours?"""
    return any("%x[" in line and line[:1] in ("U", "B") for line in lines)


def has_transitions(lines: Sequence[str]) -> bool:
    """Is there a line that asks for transitions?"""
    return any(line.startswith("B") for line in lines)


def parse_crfpp(lines: Sequence[str], known: Known) -> list[Template]:
    """The templates of a file; a B without macros is no template but the transitions themselves."""
    found = []
    for number, line in enumerate(lines, start=1):
        text = line.rstrip("\r\n")
        if not text.strip() or text.startswith("#"):
            continue
        if text[0] not in "UB":
            raise ValueError(
                f"line {number} of the CRF++ template, {text!r}, position 1: a line begins with U or "
                "B, or with # if it is a comment"
            )
        if text[0] == "U" or MACRO.search(text):
            found.append(_template(text, number, known))
    return found


def _template(text: str, number: int, known: Known) -> Template:
    where = f"line {number} of the CRF++ template, {text!r}, position "
    literals, values = [], []
    end = 0
    for macro in MACRO.finditer(text):
        literals.append(text[end : macro.start()])
        end = macro.end()
        row, place = int(macro[1]), int(macro[2])
        if abs(row) > MOST_AWAY:
            raise ValueError(
                f"{where}{macro.start() + 1}: {macro[0]} looks further than {MOST_AWAY} tokens; "
                "write a smaller row"
            )
        column = known.column(str(place))
        if column is None:
            raise MissingColumnError(
                f"{where}{macro.start() + 1}: there is no column {place}; the columns are "
                + ", ".join(f"{k} {name}" for k, name in enumerate(known.columns))
            )
        values.append((Attribute("token", column), row))
    literals.append(text[end:])
    for literal, start in zip(literals, _starts(text, literals), strict=True):
        if "%" in literal:
            raise ValueError(
                f"{where}{start + literal.index('%') + 1}: '%' must begin a macro; write %x[row,column]"
            )
    return Template(tuple(literals), tuple(values), pair=text[0] == "B")


def _starts(text: str, literals: Sequence[str]) -> list[int]:
    """Where each of the literals begins: after the macro before it."""
    ends = [0, *(macro.end() for macro in MACRO.finditer(text))]
    return ends[: len(literals)]
