"""Where brackets open and close in the bytes of a file, and what stands between them.

All of it is arrays over *events*: a bracket that opens, one that closes, and a run of other bytes that
are no blanks, a *token*. Depth is a running sum, so that trees may be nested as deeply as they like.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from linnet.errors import DataError
from linnet.formats._access import Source
from linnet.formats._source import BOM, check_encoding

TOKEN, BLANK, OPEN, CLOSE, NOTHING = 0, 1, 2, 3, 9
KIND = np.zeros(256, np.uint8)
KIND[[*b" \t\n\r\v\f"]] = BLANK
KIND[ord("(")], KIND[ord(")")] = OPEN, CLOSE
# Lines between trees that are no trees: SGML of the Chinese Treebank, %% of NEGRA, and comments.
ASIDE = re.compile(rb"^(?:\xef\xbb\xbf)?[ \t]*[#%;<*]", re.MULTILINE)
Places = NDArray[np.int64]


@dataclass(frozen=True)
class Events:
    """Brackets and tokens of a file, in their order."""

    source: Source
    kinds: NDArray[np.uint8]  # TOKEN, OPEN or CLOSE
    places: Places  # the first byte of each
    ends: Places  # of tokens the byte after the last
    depths: Places  # brackets that are open after it
    aside: Places  # lines that were passed over

    def line(self, event: int) -> int:
        """On which it stands."""
        return int(self.lines(self.places[event : event + 1])[0])

    def lines(self, places: Places) -> Places:
        """On which these bytes stand."""
        ends = np.flatnonzero(np.frombuffer(self.source.data, np.uint8) == ord("\n"))
        return np.searchsorted(ends, places) + self.source.first_line

    def text(self, event: int) -> str:
        """What stands there, for messages."""
        raw = self.source.data[self.places[event] : self.ends[event]]
        return repr(raw[:60].decode(errors="replace"))

    def kinds_around(self, step: int) -> NDArray[np.uint8]:
        """Of each event the kind of the one so many further on."""
        around = np.full(len(self.kinds), NOTHING, np.uint8)
        if step > 0:
            around[:-step] = self.kinds[step:]
        else:
            around[-step:] = self.kinds[:step]
        return around

    @property
    def labels(self) -> NDArray[np.bool_]:
        """Tokens right after a bracket that opens: labels and tags."""
        return np.asarray((self.kinds == TOKEN) & (self.kinds_around(-1) == OPEN))

    @property
    def words(self) -> NDArray[np.bool_]:
        """Tokens after a tag, and right before the bracket that closes."""
        tagged = (self.kinds_around(-1) == TOKEN) & (self.kinds_around(-2) == OPEN)
        return np.asarray((self.kinds == TOKEN) & tagged & (self.kinds_around(1) == CLOSE))


def events(source: Source) -> Events:
    """Of all bytes, after a byte order mark; lines between trees that are no trees are left out."""
    data = np.frombuffer(source.data, np.uint8)
    kinds = KIND[data]
    kinds[: check_encoding(source)] = BLANK
    aside = hide_aside(source.data, kinds)
    token = kinds == TOKEN
    edges = np.diff(np.concatenate([[False], token, [False]]).view(np.int8))
    begins, stops = np.flatnonzero(edges == 1), np.flatnonzero(edges == -1)
    seen = kinds >= OPEN
    seen[begins] = True
    places = np.flatnonzero(seen)
    what = kinds[places]
    ends = places + 1
    ends[what == TOKEN] = stops
    steps = (what == OPEN).astype(np.int64) - (what == CLOSE)
    return Events(source, what, places, ends, np.cumsum(steps), np.array(aside, np.int64))


def hide_aside(data: bytes, kinds: NDArray[np.uint8], depth: int = 0) -> list[int]:
    """Lines outside of trees that are none become blanks in ``kinds``; where they begin.

    ``depth``: so many brackets are open before the first byte.
    """
    found: list[int] = []
    matches = list(ASIDE.finditer(data))
    if not matches:
        return found
    at = np.flatnonzero(kinds >= OPEN)
    sums = np.concatenate([[0], np.cumsum(np.where(kinds[at] == OPEN, 1, -1))])
    hidden = 0  # what brackets on such lines have added to the sums
    for match in matches:
        begin = match.start()
        before = int(sums[np.searchsorted(at, begin)])
        if depth + before - hidden:
            continue
        end = data.find(b"\n", begin)
        end = len(data) if end < 0 else end
        hidden += int(sums[np.searchsorted(at, end)]) - before
        kinds[begin:end] = BLANK
        found.append(begin)
    return found


def first_problem(found: Events) -> DataError | None:
    """The first place at which this is no tree, with its line."""
    before, after, beyond = (found.kinds_around(step) for step in (-1, 1, 2))
    tokens, labels, depths = found.kinds == TOKEN, found.labels, found.depths
    known = labels | found.words
    outside = tokens & (depths == 0)
    opens, closes = found.kinds == OPEN, found.kinds == CLOSE
    problems = {
        "a bracket closes that was never opened": closes & (depths < 0),
        "{} stands outside of brackets; trees such as (S (NN word)) are wanted": outside,
        "the word {} has no tag of its own; (TAG word) is wanted": tokens
        & ~known
        & (depths > 0)
        & (after != NOTHING),
        "a bracket holds nothing; a word or a phrase is wanted": closes & (before == OPEN),
        "the bracket {} holds nothing; a word or a phrase is wanted": labels & (after == CLOSE),
        "a bracket has no label; only that around a tree may lack one": opens
        & (after == OPEN)
        & (depths > 1),
        "the bracket {} has a word and more in it; (TAG word) is wanted": labels
        & (after == TOKEN)
        & ((beyond == OPEN) | (beyond == TOKEN)),
    }
    firsts = {text: int(np.argmax(flags)) for text, flags in problems.items() if flags.any()}
    if firsts:
        text, event = min(firsts.items(), key=lambda item: item[1])
        return found.source.error(found.line(event), text.format(found.text(event)))
    if len(depths) and depths[-1] > 0:
        last = int(np.flatnonzero(opens & (depths == 1))[-1])
        missing = f"{depths[-1]} brackets are" if depths[-1] > 1 else "a bracket is"
        return found.source.error(
            found.line(last), f"the tree that begins here does not end: {missing} not closed"
        )
    return None


def looks_like_brackets(source: Source) -> bool:
    """Do the first lines hold trees, with one bracket in another, and nothing else?"""
    data = source.data.removeprefix(BOM)
    if data[:1] not in b" \t\r\n(#%;<*" or b"(" not in data:
        return False
    whole = data.rfind(b"\n") + 1 or len(data)
    found = events(Source(source.name, data[:whole], 2))  # its first bytes are no mark any more
    inner = (found.kinds == OPEN) & (found.depths > 1)
    if not inner.any() or found.depths.min(initial=0) < 0:
        return False
    if found.depths[-1]:  # the last tree is not there as a whole: a word may end it
        last = int(np.flatnonzero((found.kinds == OPEN) & (found.depths == 1))[-1])
        return last == 0 or first_problem(_cut(found, last)) is None
    return first_problem(found) is None


def _cut(found: Events, size: int) -> Events:
    return replace(
        found,
        kinds=found.kinds[:size],
        places=found.places[:size],
        ends=found.ends[:size],
        depths=found.depths[:size],
    )
