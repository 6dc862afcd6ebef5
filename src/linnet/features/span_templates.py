"""The language of span templates: what is seen of the words of a phrase, and around it.

    template = value {space value}
    value    = ("first" | "last") "." ("tag" | "word" | "class") ["[" offset "]"]
             | "length" | "tags" | "single" | "several" | "count" number "(" tag {space tag} ")"

``first.tag`` is the tag of the first word, ``first.word[-1]`` the word before it, ``last.tag[+1]`` the
tag of the word after the last. ``length`` is binned (1 to 5, 6–7, 8–10, 11–15, 16–20, 21–30, more).
``tags`` are all tags in order, of at most six words. ``single`` and ``several`` say nothing, but only
of phrases of one word, or of more. ``count3(CC CCONJ)`` is how many words have one of these tags, at
most 3.

``word`` is a word that was seen twice in training, else its tag; ``class`` is a word that was seen
twenty times, else its longest ending that was.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NoReturn

MOST_AWAY = 6  # tokens
Atom = tuple[str, str, int, int]  # value, anchor, offset, most: as the core wants them


@dataclass(frozen=True)
class Language:
    """What templates of one kind of piece may name."""

    places: Mapping[str, tuple[str, int]]  # of words: the anchor of the core, and an offset from it
    values: tuple[str, ...]
    counts: bool
    such_as: str  # for errors


# The core counts from the place behind the last word.
FIRST, LAST = {"first": ("begin", 0)}, {"last": ("end", -1)}
SPANS = Language(
    FIRST | LAST,
    ("length", "tags", "single", "several"),
    True,
    "first.tag, last.word[+1], first.class, length, tags, single, several or count3(CC)",
)


@dataclass(frozen=True)
class SpanTemplate:
    """Its name, as it is written in one way, and its values for the core."""

    name: str
    values: tuple[str, ...]
    atoms: tuple[Atom, ...]


@dataclass(frozen=True)
class ParsedSpans:
    """Templates, and the sets of tags that they count."""

    templates: tuple[SpanTemplate, ...]
    sets: tuple[tuple[str, ...], ...]


def parse_spans(
    lines: Sequence[str], language: Language = SPANS, known: Sequence[tuple[str, ...]] = ()
) -> ParsedSpans:
    """The templates of some lines; empty ones and those that begin with # are skipped.

    ``known`` are sets of tags that have numbers already.

    >>> parse_spans(["first.tag last.tag[+1]"]).templates[0].atoms
    (('tag', 'begin', 0, 0), ('tag', 'end', 0, 0))
    """
    sets = {tags: k for k, tags in enumerate(known)}
    found: dict[str, SpanTemplate] = {}
    for line in lines:
        if line.strip() and not line.lstrip().startswith("#"):
            made = _template(line.strip(), language, sets)
            found[made.name] = made
    return ParsedSpans(tuple(found.values()), tuple(sets))


def _template(text: str, language: Language, sets: dict[tuple[str, ...], int]) -> SpanTemplate:
    words = re.findall(r"count\d+\([^()]*\)|\S+", text)
    values = [_value(text, word, language, sets) for word in words]
    names = tuple(name for name, _ in values)
    return SpanTemplate(" ".join(names), names, tuple(atom for _, atom in values))


def _value(
    text: str, word: str, language: Language, sets: dict[tuple[str, ...], int]
) -> tuple[str, Atom]:
    if word in language.values:
        return word, (word, "", 0, 0)
    counted = re.fullmatch(r"count(\d{1,2})\(([^()]*)\)", word)
    if counted and language.counts:
        tags, most = tuple(sorted(set(counted[2].split()))), int(counted[1])
        if not tags or most < 1:
            _fail(text, f"{word!r} counts nothing", "write count3(CC CCONJ)")
        number = sets.setdefault(tags, len(sets))
        return f"count{most}({' '.join(tags)})", ("count", "", number, most)
    match = re.fullmatch(r"([a-z.]+)\.(tag|word|class)(?:\[([+-]?\d+)\])?", word)
    if match is None or match[1] not in language.places:
        _fail(text, f"{word!r} is no value", f"write {language.such_as}")
    offset = int(match[3] or 0)
    if abs(offset) > MOST_AWAY:
        _fail(text, f"{word!r} is too far away", f"templates look at most {MOST_AWAY} words away")
    name = f"{match[1]}.{match[2]}" + (f"[{offset:+d}]" if offset else "")
    anchor, behind = language.places[match[1]]
    return name, (match[2], anchor, offset + behind, 0)


def _fail(text: str, what: str, hint: str) -> NoReturn:
    raise ValueError(f"template {text!r}: {what}; {hint}")
