"""Spans of tokens written as tags: B-PER I-PER O, and the other ways to say it.

A tag is a letter, a hyphen and the span's type, or O outside of spans:

======= ==========================================================================
iob1    I inside; B for the first token of a span right after another of its type
iob2    B for the first token, I for the others (also called BIO)
ioe1    I inside; E for the last token of a span right before another of its type
ioe2    E for the last token, I for the others
iobes   B first, I inside, E last, S for a span of one token
bilou   the same with L for E and U for S
io      I inside; only written, since it cannot part two spans of a type that touch
======= ==========================================================================

Reading tags follows ``conlleval``, whatever the scheme, so that no tag sequence is an error: a
token begins a span if it is B or S (U), or if the token before it is outside, ends a span (E, S) or
has another type.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from linnet.data.examples import LabelColumn
from linnet.data.sequences import MISSING, Sequences, tag_column

O, B, I, E, S = range(5)  # noqa: E741
PREFIXES = {"B": B, "I": I, "M": I, "E": E, "L": E, "S": S, "U": S, "W": S}
LETTERS = {
    "iob1": "OBI", "iob2": "OBI", "ioe1": "O.IE", "ioe2": "O.IE", "iobes": "OBIES", "bilou": "OBILU",
}  # fmt: skip
IO = "io"  # is read as iob1, which it is unless spans touch
ALIASES = {"bio": "iob2", "iob": "iob2", "bioes": "iobes", "biluo": "bilou"}
SCHEMES = tuple(LETTERS)
NO_TYPE = "_"  # of the tags B and I without a type

Array = NDArray[np.int64]
Mask = NDArray[np.bool_]


def scheme_named(name: str) -> str:
    """One of SCHEMES, by its name or another it goes by."""
    lowered = ALIASES.get(name.lower(), name.lower())
    if lowered not in LETTERS:
        raise ValueError(f"there is no scheme {name!r}; there are {', '.join(SCHEMES)}")
    return lowered


class TagParts(NamedTuple):
    """What tags are made of."""

    prefixes: Array  # (L,): O, B, I, E or S
    types: Array  # (L,): place in names, or -1 outside
    names: list[str]  # of types, sorted


def tag_parts(tags: Sequence[str]) -> TagParts:
    """Tags that are neither O nor a prefix with a type count as outside, as for conlleval."""
    split = [_split(tag) for tag in tags]
    names = sorted({type_ for prefix, type_ in split if prefix != O})
    place = {name: k for k, name in enumerate(names)}
    types = [-1 if prefix == O else place[type_] for prefix, type_ in split]
    return TagParts(np.array([p for p, _ in split], np.int64), np.array(types, np.int64), names)


def _split(tag: str) -> tuple[int, str]:
    letter, hyphen, type_ = tag.partition("-")
    if letter not in PREFIXES or (hyphen and not type_):
        return O, ""
    return PREFIXES[letter], type_ or NO_TYPE


def is_chunked(tags: Iterable[str]) -> bool:
    """Whether these tags speak of spans: O aside, all are a prefix and a type, and some has one.

    >>> is_chunked(["B-PER", "I-PER", "O"]), is_chunked(["NN", "DT"])
    (True, False)
    """
    rest = [tag for tag in tags if tag != "O"]
    typed = any("-" in tag for tag in rest) or {"B", "I"} <= set(rest)
    return typed and all(_split(tag)[0] != O for tag in rest)


@dataclass(frozen=True)
class Chunks:
    """Spans of tokens, in their order."""

    begins: Array
    ends: Array  # after the last token
    types: Array  # place in names
    names: list[str]

    def __len__(self) -> int:
        return len(self.begins)


class TextSpan(NamedTuple):
    """Characters ``start`` to ``end`` - 1 of a text."""

    start: int
    end: int
    label: str
    text: str


def text_spans(sentences: Sequences, tags: LabelColumn) -> Iterator[tuple[int, int, int, TextSpan]]:
    """Spans of running text: which text, first token, the one after the last, and characters."""
    texts, places, documents = sentences.texts, sentences.spans, sentences.documents
    assert texts is not None
    assert places is not None
    assert documents is not None
    chunks = find_chunks(tags, sentences.offsets)
    at = documents[np.searchsorted(sentences.offsets, chunks.begins, side="right") - 1]
    starts, ends = places[chunks.begins, 0].tolist(), places[chunks.ends - 1, 1].tolist()
    known, string = -1, ""
    for k, i in enumerate(at.tolist()):
        if i != known:
            known, string = i, texts[i]
        span = TextSpan(starts[k], ends[k], chunks.names[chunks.types[k]], string[starts[k] : ends[k]])
        yield i, int(chunks.begins[k]), int(chunks.ends[k]), span


def find_chunks(column: LabelColumn, offsets: Array, strict: str | None = None) -> Chunks:
    """The spans that one tag per token makes; a missing tag is outside.

    ``strict`` names a scheme: spans that are not written as it demands do not count.
    """
    parts = tag_parts([*column.names, "O"])  # the code -1 finds the last one
    prefix, kind = parts.prefixes[column.codes], parts.types[column.codes]
    before, kind_before = np.roll(prefix, 1), np.roll(kind, 1)
    firsts = offsets[:-1][np.diff(offsets) > 0]
    before[firsts], kind_before[firsts] = O, -1
    inside = prefix != O
    starts = inside & (
        (prefix == B)
        | (prefix == S)
        | (before == O)
        | (before == E)
        | (before == S)
        | (kind != kind_before)
    )
    goes_on = np.append(inside[1:] & ~starts[1:], False)  # the next token is in the same span
    begins, ends = np.flatnonzero(starts), np.flatnonzero(inside & ~goes_on) + 1
    if strict is not None:
        kept = _well_written(prefix, kind, before, kind_before, begins, ends, scheme_named(strict))
        begins, ends = begins[kept], ends[kept]
    return Chunks(begins, ends, kind[begins], parts.names)


def _well_written(
    prefix: Array,
    kind: Array,
    before: Array,
    kind_before: Array,
    begins: Array,
    ends: Array,
    scheme: str,
) -> Mask:
    """Which spans follow the scheme. Between first and last there is only I, as spans were found."""
    first, last, one = prefix[begins], prefix[ends - 1], ends - begins == 1
    if scheme in ("iobes", "bilou"):
        return np.asarray(np.where(one, first == S, (first == B) & (last == E)))
    if scheme == "iob2":
        return np.asarray((first == B) & (one | (last == I)))
    if scheme == "ioe2":
        return np.asarray((last == E) & (one | (first == I)))
    if scheme == "iob1":
        touches = (before[begins] != O) & (kind_before[begins] == kind[begins])
        return np.asarray((first == np.where(touches, B, I)) & (one | (last == I)))
    followed = np.append(before[1:] != O, False)  # the next token is of the same sentence: look there
    next_kind, next_prefix = np.append(kind[1:], -1), np.append(prefix[1:], O)
    touches = (followed & (next_prefix != O) & (next_kind == kind))[ends - 1]
    return np.asarray((last == np.where(touches, E, I)) & (one | (first == I)))


def touching(chunks: Chunks, offsets: Array) -> Mask:
    """Whether a span is followed by another one of its type in its sentence, without a gap."""
    begins, ends, types = chunks.begins, chunks.ends, chunks.types
    firsts = np.zeros(int(offsets[-1]) + 1, np.bool_)
    firsts[offsets[:-1]] = True  # of sentences
    found = (ends[:-1] == begins[1:]) & (types[:-1] == types[1:]) & ~firsts[begins[1:]]
    return np.asarray(found)


def write_chunks(chunks: Chunks, offsets: Array, scheme: str) -> LabelColumn:
    """One tag per token. Spans may not overlap and lie within sentences."""
    scheme = IO if scheme.lower() == IO else scheme_named(scheme)
    size = int(offsets[-1])
    prefix, kind = np.full(size, O), np.full(size, -1)
    begins, ends, types = chunks.begins, chunks.ends, chunks.types
    lengths = ends - begins
    at = (
        np.repeat(begins - np.concatenate([[0], np.cumsum(lengths)[:-1]]), lengths)
        if len(chunks)
        else begins
    )
    within = at + np.arange(int(lengths.sum()))
    prefix[within], kind[within] = I, np.repeat(types, lengths)
    touch = touching(chunks, offsets)
    if scheme == IO:
        pass
    elif scheme == "iob1":
        prefix[begins[1:][touch]] = B
    elif scheme == "ioe1":
        prefix[ends[:-1][touch] - 1] = E
    elif scheme == "ioe2":
        prefix[ends - 1] = E
    else:
        prefix[begins] = B
        if scheme != "iob2":
            prefix[ends - 1] = E
            prefix[begins[lengths == 1]] = S
    letters = LETTERS["iob1" if scheme == IO else scheme]
    names = ["O", *(tag_name(letters[p], t) for t in chunks.names for p in range(1, len(letters)))]
    used = np.where(prefix == O, 0, kind * (len(letters) - 1) + prefix)
    kept = np.unique(used)
    order = sorted(kept.tolist(), key=lambda k: names[k])
    code = np.zeros(len(names), np.int32)
    code[order] = np.arange(len(order))
    return LabelColumn([names[k] for k in order], code[used])


def tag_name(letter: str, type_: str) -> str:
    """B and X make B-X."""
    return letter if type_ == NO_TYPE else f"{letter}-{type_}"


def convert_column(
    column: LabelColumn, offsets: Array, scheme: str, strict: str | None = None
) -> LabelColumn:
    """The same spans in another scheme, or repaired in their own. Missing tags stay missing."""
    made = write_chunks(find_chunks(column, offsets, strict), offsets, scheme)
    missing = column.codes == MISSING
    if not missing.any():
        return made
    return LabelColumn(made.names, np.where(missing, MISSING, made.codes).astype(np.int32))


def as_column(tags: Sequence[Sequence[str | None]]) -> tuple[LabelColumn, Array]:
    """Lists of tags, sentence by sentence, as one column and the offsets of sentences."""
    offsets = np.cumsum([0, *map(len, tags)], dtype=np.int64)
    return tag_column([tag for sentence in tags for tag in sentence]), offsets


def convert_tags(
    tags: Sequence[Sequence[str]], scheme: str, strict: str | None = None
) -> list[list[str]]:
    """Lists of tags in another scheme, or repaired in their own.

    >>> convert_tags([["I-PER", "I-PER", "O", "B-LOC"]], "bilou")
    [['B-PER', 'L-PER', 'O', 'U-LOC']]
    """
    column, offsets = as_column(tags)
    flat = convert_column(column, offsets, scheme, strict).values()
    return [flat[b:e] for b, e in zip(offsets[:-1].tolist(), offsets[1:].tolist(), strict=True)]


def scheme_of(column: LabelColumn, offsets: Array) -> str | None:
    """The scheme in which tags are written; None if they do not speak of spans."""
    return scheme_of_parts([(column, offsets)])


def scheme_of_parts(parts: Iterable[tuple[LabelColumn, Array]]) -> str | None:
    """The same of sentences that come in parts, all of which name the same tags."""
    following = iter(parts)
    first = next(following, None)
    if first is None or not is_chunked(first[0].names):
        return None
    letters = {name.partition("-")[0] for name in first[0].names}
    if letters & {"L", "U"}:
        return "bilou"
    if letters & {"S", "W", "M"} or {"B", "E"} <= letters:
        return "iobes"
    endings, others = ("ioe2", "ioe1") if "E" in letters else ("iob2", "iob1")
    for part in chain([first], following):
        if len(find_chunks(*part, endings)) != len(find_chunks(*part)):
            return others
    return endings


class Transitions(NamedTuple):
    """Which tag may follow which."""

    allowed: Mask  # (L, L): [a, b], a before b
    start: Mask  # (L,): may begin a sentence
    stop: Mask  # (L,): may end one


def legal_transitions(tags: Sequence[str], scheme: str) -> Transitions:
    """Masks over tags under which a decoder writes a scheme without a mistake.

    Tags with a prefix that the scheme does not have are never allowed.

    >>> legal_transitions(["B-X", "I-X", "O"], "iob2").start.tolist()
    [True, False, True]
    """
    scheme = scheme_named(scheme)
    prefix, kind, _ = tag_parts(tags)
    a, b = prefix[:, None], prefix[None, :]
    same = (kind[:, None] == kind[None, :]) & (a != O) & (b != O)
    known = np.isin(prefix, [k for k, letter in enumerate(LETTERS[scheme]) if letter != "."])
    anywhere = np.ones(len(prefix), np.bool_)
    if scheme == "iob2":
        allowed, start, stop = (b != I) | same, prefix != I, anywhere
    elif scheme == "iob1":
        allowed, start, stop = (b != B) | same, prefix != B, anywhere
    elif scheme == "ioe2":
        allowed, start, stop = (a != I) | same, anywhere, prefix != I
    elif scheme == "ioe1":
        allowed, start, stop = (a != E) | same, anywhere, prefix != E
    else:
        open_, closing = (a == B) | (a == I), (b == I) | (b == E)
        allowed = (open_ & closing & same) | (~open_ & ~closing)
        start, stop = (prefix != I) & (prefix != E), (prefix != B) & (prefix != I)
    return Transitions(allowed & known[:, None] & known[None, :], start & known, stop & known)
