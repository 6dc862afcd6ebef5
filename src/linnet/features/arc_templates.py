"""The language of arc templates: what is seen of a head and its modifier.

    template  = value {space value} [space "*"]
    value     = ("h" | "m" | "s") "." [relative "."] attribute ["[" offset "]"]
              | "between" "." attribute | "direction" | "distance"
    relative  = "first" | "last" | "head"
    attribute = column | column "(" key ")" | "lower" | "shape" | "prefix" number | "suffix" number

``h`` is the head and ``m`` its modifier, ``m.upos[-1]`` the tag of the token before it. ``s`` is the
sibling of m: the modifier of h before it on the same side, counted away from h, ``_`` if m is the
first; distances in such a template are those between m and s. ``between``
gives one feature for each distinct value of the tokens between. ``*`` says that the feature is also
there a second time, with direction and distance. ``feats(Case)`` is one of the values of a column of
morphology. Relatives are of a tree that is known: the ``first`` and ``last`` dependents and the
``head`` of a token; relations may look at them, heads that are still to be found may not. Every value
is always there: the root's is ``_ROOT``, and what has none, a suffix longer than its word, is ``_``.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NoReturn

from linnet.features.templates import Known, MissingColumnError

SIDES = {"h": "head", "m": "modifier", "s": "sibling", "between": "between"}
MOST_AWAY = 10  # tokens
# Where a column is looked for that is not there by its name, before the aliases of all templates.
ALIASES = {"form": "word", "upos": "pos"}


@dataclass(frozen=True)
class ArcAttribute:
    """What is looked at; ``key`` is one of the names in a column of morphology."""

    kind: str
    column: str
    length: int = 0
    key: str = ""


@dataclass(frozen=True)
class ArcValue:
    """Whose attribute it is, and how it is written with the names of columns that are there."""

    text: str
    side: str
    step: str
    attribute: ArcAttribute
    offset: int


@dataclass(frozen=True)
class ArcTemplate:
    values: tuple[ArcValue, ...]
    direction: bool = False
    distance: bool = False

    @property
    def name(self) -> str:
        """Its values in their order; direction and distance last."""
        words = [value.text for value in self.values]
        words += ["direction"] * self.direction + ["distance"] * self.distance
        return " ".join(words)


def parse_arcs(lines: Sequence[str], known: Known) -> list[ArcTemplate]:
    """The templates of some lines; empty ones and those that begin with # are skipped."""
    found: list[ArcTemplate] = []
    for line in lines:
        if line.strip() and not line.lstrip().startswith("#"):
            found += _Line(line, known).templates()
    return list(dict.fromkeys(found))


class _Line:
    def __init__(self, text: str, known: Known) -> None:
        self._text, self._known = text.strip(), known

    def templates(self) -> list[ArcTemplate]:
        words = self._text.split()
        twice = words[-1] == "*"
        words = words[: len(words) - twice]
        seen = {name: name in words for name in ("direction", "distance")}
        values = tuple(self._value(word) for word in words if word not in seen)
        if not words:
            self._fail("a value is expected before *", "write h.upos m.upos *")
        if sum(value.side == "between" for value in values) > 1:
            self._fail("there are two values between", "write one of them in each template")
        plain = ArcTemplate(values, **seen)
        return [plain, ArcTemplate(values, True, True)] if twice else [plain]

    def _value(self, word: str) -> ArcValue:
        match = re.fullmatch(r"(\w+)\.(?:(first|last|head)\.)?([^.\[\]]+)(?:\[([+-]?\d+)\])?", word)
        if match is None or match[1] not in SIDES:
            self._fail(
                f"{word!r} is no value", "write h.upos, m.form[-1], between.upos, direction or distance"
            )
        side, step, offset = SIDES[match[1]], match[2] or "self", int(match[4] or 0)
        if side == "between" and (match[2] or match[4]):
            self._fail(f"{word!r} has a place", "tokens between have none: write between.upos")
        if abs(offset) > MOST_AWAY:
            self._fail(f"{word!r} is too far away", f"templates look at most {MOST_AWAY} tokens away")
        label, attribute = self._attribute(match[3])
        place = f"[{offset:+d}]" if offset else ""
        relative = f"{step}." if match[2] else ""
        return ArcValue(f"{match[1]}.{relative}{label}{place}", side, step, attribute, offset)

    def _attribute(self, name: str) -> tuple[str, ArcAttribute]:
        """What a name stands for, and how it is called."""
        if name in ("lower", "shape"):
            return name, ArcAttribute(name, self._column("word"))
        if affix := re.fullmatch(r"(prefix|suffix)(\d{1,2})", name):
            if int(affix[2]) < 1:
                self._fail(f"{name} is empty", f"write {affix[1]}3")
            return name, ArcAttribute(affix[1], self._column("word"), int(affix[2]))
        if part := re.fullmatch(r"([^()]+)\(([^()=|]+)\)", name):
            column = self._column(part[1])
            return f"{column}({part[2]})", ArcAttribute("token", column, 0, part[2])
        column = self._column(name)
        return column, ArcAttribute("token", column)

    def _column(self, name: str) -> str:
        known = self._known
        found = known.column(name) or (known.column(ALIASES[name]) if name in ALIASES else None)
        if found is None:
            there = ", ".join(map(str, self._known.columns)) or "none"
            raise MissingColumnError(
                f"template {self._text!r}: nothing is called {name!r}; the columns are {there}, and "
                "there are lower, shape, prefixN and suffixN"
            )
        return found

    def _fail(self, what: str, hint: str) -> NoReturn:
        raise ValueError(f"template {self._text!r}: {what}; {hint}")
