"""The language of templates: what is seen of a token and of its neighbours.

    template  = ["transition:"] value {space value}
    value     = attribute [position]
    position  = "[" offset [".." offset] "]"
    attribute = name [number [".." number]] ["(" column ")"]

A range stands for one template for each number in it, two ranges for one for each pair. See
docs/token-features.md for the names there are.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from typing import Any, NoReturn

import linnet._core as _core

KINDS: tuple[str, ...] = _core.TOKEN_KINDS
POSITIONS = ("bias", "first", "last")
MOST_AWAY = 100  # tokens
MOST_TEMPLATES = 10_000
# Where a column is looked for that is not there by its name.
ALIASES = {"word": ("form", "token", "0"), "pos": ("upos", "xpos", "tag", "1")}


@dataclass(frozen=True)
class Attribute:
    """What is looked at: ``kind`` is the core's, ``name`` that of a class or lexicon."""

    kind: str
    column: str = "word"
    length: int = 0
    name: str = ""


@dataclass(frozen=True)
class Template:
    """literals[0] value[0] literals[1] … is the name of a feature; values are (attribute, offset)."""

    literals: tuple[str, ...]
    values: tuple[tuple[Attribute, int], ...]
    pair: bool = False  # a feature of the token and the one before it


@dataclass(frozen=True)
class Known:
    """The names a template may use beside those of the language."""

    columns: Collection[str]
    classes: Collection[str] = ()
    lexicons: Collection[str] = ()
    gazetteers: Collection[str] = ()  # those of the lexicons that hold phrases

    def column(self, name: str) -> str | None:
        """The column called so, or counted so from 0; None if there is none."""
        columns = list(self.columns)
        if name in columns:
            return name
        if name.isdecimal():
            return columns[int(name)] if int(name) < len(columns) else None
        first = columns[:1] if name == "word" else []
        return next((other for other in [*ALIASES.get(name, ()), *first] if other in columns), None)


def parse(lines: Sequence[str], known: Known) -> list[Template]:
    """The templates of some lines; empty ones and those that begin with # are skipped."""
    found: list[Template] = []
    for line in lines:
        if line.strip() and not line.lstrip().startswith("#"):
            found += _Line(line, known).templates()
            if len(found) > MOST_TEMPLATES:
                raise ValueError(
                    f"template {line!r}: with it there are {len(found)} templates, more than "
                    f"{MOST_TEMPLATES}; use narrower ranges"
                )
    return list(dict.fromkeys(found))


def applicable(
    lines: Sequence[str], known: Known, parser: Callable[[Sequence[str], Known], Any] = parse
) -> list[str]:
    """The lines of a recipe that look at columns that are there."""

    def applies(line: str) -> bool:
        try:
            parser([line], known)
        except MissingColumnError:
            return False
        return True

    return [line for line in lines if applies(line)]


class MissingColumnError(ValueError):
    """A template looks at a column that the data have not."""


@dataclass(frozen=True)
class _Value:
    """One of the values that a value with ranges stands for, as it will be called."""

    label: str
    attribute: Attribute
    offset: int

    @property
    def literal(self) -> str:
        flag = self.attribute.kind in (*POSITIONS, "kind", "given")
        return self.label if flag else f"{self.label}="


class _Line:
    """A line that is read from left to right."""

    def __init__(self, text: str, known: Known) -> None:
        self._text, self._known, self._at = text, known, 0

    def templates(self) -> list[Template]:
        self._take(r"\s*")
        pair = self._take(r"transition:\s*") is not None
        choices: list[list[_Value]] = []
        while self._at < len(self._text):
            choices.append(self._value())
            if self._take(r"\s+") is None and self._at < len(self._text):
                self._fail("a space or the end is expected", "put spaces between values")
        if not choices:
            self._fail("a value is expected", "name one, as in transition: word[0]")
        size = 1
        for choice in choices:
            size *= len(choice)
        if size > MOST_TEMPLATES:
            self._fail(f"this stands for {size} templates", "use narrower ranges")
        return [self._template(values, pair) for values in itertools.product(*choices)]

    def _template(self, values: Sequence[_Value], pair: bool) -> Template:
        literals = [(" " if k else "") + value.literal for k, value in enumerate(values)]
        if pair:
            literals[0] = "transition: " + literals[0]
        return Template((*literals, ""), tuple((v.attribute, v.offset) for v in values), pair)

    def _value(self) -> list[_Value]:
        begin = self._at
        name = self._take(r"[^\W\d][\w-]*|\d+")
        if name is None:
            self._fail("a name is expected", "write word[0], suffix3[-1] or the name of a column")
        range_end = self._take(r"\.\.(\d+)", 1)
        column = self._take(r"\(([^()]*)\)", 1)
        where = self._at
        first = self._take(r"\[\s*([+-]?\d+)", 1)
        last = first
        if first is not None:
            last = self._take(r"\s*\.\.\s*([+-]?\d+)", 1) or first
            if self._take(r"\s*\]") is None:
                self._fail("']' is expected", "write a position as [-1] or [-2..2]")
        elif self._text[self._at : self._at + 1] == "[":
            self._at += 1
            self._fail("a number is expected", "write a position as [-1] or [-2..2]")
        offsets = range(int(first or 0), int(last or 0) + 1)
        if not offsets or max(map(abs, (offsets[0], offsets[-1]))) > MOST_AWAY:
            self._at = where
            self._fail(
                f"[{first}..{last}] is no range of positions",
                f"write the smaller one first, and at most {MOST_AWAY} tokens away",
            )
        self._at, end = begin, self._at  # what is wrong from here on is wrong with the name
        attributes = self._attributes(name, range_end, column)
        if first is not None and attributes[0][1].kind in POSITIONS:
            self._fail(f"{name} has no position", f"write {name} alone")
        self._at = end
        return [
            _Value(label if a.kind in POSITIONS else f"{label}[{o}]", a, o)
            for label, a in attributes
            for o in offsets
        ]

    def _attributes(
        self, name: str, range_end: str | None, column: str | None
    ) -> list[tuple[str, Attribute]]:
        """What a name stands for, with how it is called without its position."""
        at = "" if column is None else f"({column})"
        known = self._known
        if range_end is None and name == "column":
            if column is None:
                self._fail("column needs a name", "write column(name)")
            return [(f"column({column})", Attribute("token", self._column(column)))]
        if range_end is None and column is None and name in POSITIONS:
            return [(name, Attribute(name, ""))]
        of = self._column("word" if column is None else column)
        if range_end is None:
            flags = [(kind, Attribute("kind", of, k)) for k, kind in enumerate(KINDS)]
            flags += [(label, Attribute("given", of, 0, label)) for label in known.classes]
            if name in ("lower", "shape"):
                return [(f"{name}{at}", Attribute(name, of))]
            if name == "class":
                return [(f"{label}{at}", attribute) for label, attribute in flags]
            if name in dict(flags):
                return [(f"{name}{at}", dict(flags)[name])]
            if name in known.gazetteers:
                return [(f"{name}{at}", Attribute("found", of, 0, name))]
            if name in known.lexicons:
                return [(f"{name}{at}", Attribute("lexicon", of, 0, name))]
            if column is None and (own := known.column(name)) is not None:
                return [(name, Attribute("token", own))]
        base, numbers = self._numbers(name, range_end)
        if base in ("prefix", "suffix"):
            return [(f"{base}{n}{at}", Attribute(base, of, n)) for n in numbers]
        if base in known.lexicons and base not in known.gazetteers:
            return [(f"{base}{n}{at}", Attribute("lexicon", of, n, base)) for n in numbers]
        return self._fail_name(name)

    def _numbers(self, name: str, range_end: str | None) -> tuple[str, range]:
        match = re.fullmatch(r"(.*?[^\d])(\d+)", name)
        if match is None:
            if range_end is not None:
                self._fail(f"{name} has no number", "write a range as prefix1..4")
            self._fail_name(name)
        numbers = range(int(match[2]), int(range_end or match[2]) + 1)
        if not numbers or numbers[0] < 1 or numbers[-1] > 100:
            self._fail(
                f"{match[2]}..{range_end or match[2]} is no range of lengths",
                "write the smaller one first, from 1 to 100",
            )
        return match[1], numbers

    def _column(self, name: str) -> str:
        found = self._known.column(name)
        if found is None:
            raise MissingColumnError(
                self._message(f"there is no column {name!r}", f"the columns are {self._listed()}")
            )
        return found

    def _listed(self) -> str:
        return ", ".join(map(str, self._known.columns)) or "none"

    def _fail_name(self, name: str) -> NoReturn:
        if name in ("prefix", "suffix"):
            self._fail(f"{name} needs a length", f"write {name}3 or {name}1..4")
        if name in ALIASES:
            self._column(name)
        if name.isdecimal():
            self._column(name)
        if name == "usual":
            raise MissingColumnError(
                self._message("there are no tags to learn from", "fit on sentences with tags")
            )
        own = [*self._known.classes, *self._known.lexicons]
        self._fail(
            f"nothing is called {name!r}",
            f"the columns are {self._listed()}"
            + (f", your classes and lexicons {', '.join(own)}" if own else "")
            + ", and there are lower, shape, prefixN, suffixN, class, bias, first, last and "
            + ", ".join(KINDS),
        )

    def _take(self, pattern: str, group: int = 0) -> str | None:
        match = re.compile(pattern).match(self._text, self._at)
        if match is None:
            return None
        self._at = match.end()
        return match[group]

    def _message(self, what: str, hint: str) -> str:
        return f"template {self._text.strip()!r:.200}, position {self._at + 1}: {what}; {hint}"

    def _fail(self, what: str, hint: str) -> NoReturn:
        raise ValueError(self._message(what, hint))
