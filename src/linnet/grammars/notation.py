r"""Grammars as text, in the notation that users of NLTK know.

    S -> NP VP [0.9] | VP [0.1]
    NP -> 'linnets' [1.0]

The first symbol is the start, unless a line ``%start S`` says otherwise. Words stand in single or
double quotes. Lines that begin with ``#`` are comments; a line that begins with ``|`` continues the one
before, as does one after a backslash at the end. In symbols and words a backslash comes before signs
that would mean something else.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import NamedTuple

from linnet.errors import DataError

TOKEN = re.compile(
    r"""\s*(?:
      (?P<word>'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*")
    | (?P<weight>\[[^\]]*\])
    | (?P<bar>\|)
    | (?P<symbol>(?:[^\s'"|\[\]\\]|\\.)+)
    )""",
    re.VERBOSE,
)
MEANING = re.compile(r"""[\\'"|\[\]\s]""")
NUMBER = re.compile(r"[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?")


class Word(NamedTuple):
    """A word of a right-hand side; symbols are strings."""

    text: str


@dataclass(frozen=True)
class Rule:
    """A rule as it is written; ``weight`` None: none is given."""

    left: str
    right: tuple[str | Word, ...]
    weight: float | None
    line: int


@dataclass(frozen=True)
class Written:
    """What a text says."""

    rules: list[Rule]
    start: str
    unknown: int  # words seen so often or less stand as classes; 0: there are none


def parse(text: str, source: str) -> Written:
    """All rules; what is wrong is a DataError with its line."""
    start, unknown = None, 0
    rules: list[Rule] = []
    for number, line in _joined(text):
        if line.startswith("%"):
            name, _, value = line[1:].strip().partition(" ")
            if name == "start" and value.strip():
                start = _plain(value.strip())
            elif name == "unknown" and value.strip().isdigit():
                unknown = int(value)
            else:
                raise DataError(f"{source}, line {number}: there are %start SYMBOL and %unknown NUMBER")
            continue
        rules += _rules(line, number, f"{source}, line {number}")
    if not rules:
        raise DataError(f"{source} holds no rules, such as S -> NP VP")
    return Written(rules, start or rules[0].left, unknown)


def _joined(text: str) -> Iterable[tuple[int, str]]:
    """Lines that say something, with what continues them."""
    found: list[tuple[int, str]] = []
    continued = False
    for number, raw in enumerate(text.split("\n"), 1):
        line = raw.strip()
        if not line or (line.startswith("#") and not continued):
            continued = False
            continue
        goes_on = (len(line) - len(line.rstrip("\\"))) % 2 == 1  # a pair of backslashes is one
        said = line[:-1] if goes_on else line
        if found and (continued or line.startswith("|")):
            found[-1] = found[-1][0], f"{found[-1][1]} {said}"
        else:
            found.append((number, said))
        continued = goes_on
    return found


def _rules(line: str, number: int, where: str) -> list[Rule]:
    tokens = _tokens(line, where)
    if len(tokens) < 2 or tokens[0][0] != "symbol" or tokens[1] != ("symbol", "->"):
        raise DataError(f"{where}: a rule such as S -> NP VP is wanted; it is {line!r:.60}")
    left = _plain(tokens[0][1])
    sides: list[tuple[list[str | Word], float | None]] = [([], None)]
    for kind, text in tokens[2:]:
        right, weight = sides[-1]
        if kind == "bar":
            sides.append(([], None))
        elif weight is not None:
            raise DataError(f"{where}: {text!r:.40} stands after a weight; | or the end is wanted")
        elif kind == "weight":
            sides[-1] = right, _weight(text, where)
        elif kind == "word":
            right.append(Word(_plain(text[1:-1])))
        elif text == "->":
            raise DataError(f"{where}: a second ->; each rule needs a line of its own")
        else:
            right.append(_plain(text))
    for right, _ in sides:
        if not right or right == [Word("")]:
            raise DataError(
                f"{where}: a rule of {left!r} has an empty right-hand side; rewrite it without"
            )
    return [Rule(left, tuple(right), weight, number) for right, weight in sides]


def _tokens(line: str, where: str) -> list[tuple[str, str]]:
    found, at = [], 0
    while at < len(line.rstrip()):
        match = TOKEN.match(line, at)
        if match is None:
            raise DataError(f"{where}: {line[at:].strip()!r:.40} is no symbol, 'word', | or [weight]")
        found.append((str(match.lastgroup), match[str(match.lastgroup)]))
        at = match.end()
    return found


def _weight(text: str, where: str) -> float:
    inner = text[1:-1].strip()
    if not NUMBER.fullmatch(inner) or float(inner) < 0:
        raise DataError(f"{where}: the weight is {text}; a number of 0 or more is wanted")
    return float(inner)


def _plain(text: str) -> str:
    return re.sub(r"\\(.)", r"\1", text)


def symbol_text(name: str) -> str:
    """A symbol as it is written."""
    if not name or name.split() != [name]:
        raise DataError(f"a grammar's text cannot hold the symbol {name!r:.60}")
    text = MEANING.sub(lambda found: "\\" + found[0], name)
    return "\\" + text if name == "->" or name[:1] in ("#", "%") else text


def word_text(word: str) -> str:
    """A word in quotes."""
    if not word or "\n" in word or "\r" in word:
        raise DataError(f"a grammar's text cannot hold the word {word!r:.60}")
    quote = '"' if "'" in word and '"' not in word else "'"
    return quote + word.replace("\\", "\\\\").replace(quote, "\\" + quote) + quote
