"""Characters of running text as tokens of a chain: what is seen of each while text is cut.

Blanks are no items of the chain. Each other character is one, and knows whether blanks stand before it.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

import linnet._core as _core
from linnet.data import Sequences
from linnet.data.texts import CodedTexts, as_texts

Places = NDArray[np.int64]
LONGEST = 24  # characters of a run without blanks that is looked at as a whole
AROUND = 4  # runs to each side of one that are seen where it begins
BACK = {f"back{k}": -k for k in range(1, AROUND + 1)}
AHEAD = {f"ahead{k}": k for k in range(1, AROUND + 1)}
RULES = ("I", "B", "S")  # what the rules say: within a word, the first of one, of a sentence, too
TEMPLATES = [
    "bias",
    "mark[-4..4]",
    "mark[-1] mark",
    "mark mark[1]",
    "mark[-2] mark[-1] mark",
    "mark[-1] mark mark[1]",
    "mark mark[1] mark[2]",
    "mark[-3] mark[-2] mark[-1] mark",
    "mark[-2] mark[-1] mark mark[1]",
    "mark[-1] mark mark[1] mark[2]",
    "mark mark[1] mark[2] mark[3]",
    "mark[-4] mark[-3] mark[-2] mark[-1] mark",
    "mark mark[1] mark[2] mark[3] mark[4]",
    "kind[-1] kind",
    "kind[-1] kind kind[1]",
    "kind[-2] kind[-1] kind kind[1] kind[2]",
    "kind[-3] kind[-2] kind[-1] kind kind[1] kind[2] kind[3]",
    "rule",
    "rule mark",
    "rule kind[-1] kind kind[1]",
    "rule mark[-1] kind",
    "lower(run) at",
    "lower(run) mark[-1]",
    "lower(run) mark[-2] mark[-1]",
    # Where a run begins: what may end a sentence and begin one.
    *(f"lower({column})" for column in (*BACK, "here", *AHEAD)),
    *(f"suffix2({column})" for column in (*BACK, "here", *AHEAD)),
    *(
        f"suffix3({column})"
        for column in ("back3", "back2", "back1", "here", "ahead1", "ahead2", "ahead3")
    ),
    "lower(back1) kind",
    "lower(back1) lower(here)",
    "lower(here) lower(ahead1)",
    "lower(back2) lower(back1)",
    "lower(ahead1) lower(ahead2)",
    "lower(back1) lower(here) lower(ahead1)",
    "lower(here) suffix3(back1)",
    "suffix3(here) suffix3(back1)",
    "suffix2(here) suffix2(back1)",
    "lower(here) suffix3(ahead1)",
    "suffix3(here) suffix3(ahead1)",
    "lower(here) suffix2(ahead1) suffix2(ahead2)",
    "suffix2(back2) suffix2(back1) lower(here)",
    "suffix2(back1) suffix2(here) suffix2(ahead1)",
    "suffix2(back2) suffix2(back1)",
    "suffix2(ahead1) suffix2(ahead2)",
    "shape(back1)",
    "shape(back1) shape(here)",
    "shape(here) shape(ahead1)",
    "shape(back1) shape(here) shape(ahead1)",
    "lower(back1) shape(here)",
    "lower(here) shape(here)",
    "suffix2(back1) shape(here)",
]


@dataclass(frozen=True)
class Characters:
    """The characters of texts that are no blanks: code points, and where they stand."""

    points: NDArray[np.uint32]  # of all texts, blanks too
    starts: Places  # of each text in points
    blank: NDArray[np.bool_]

    @classmethod
    def of(cls, texts: Sequence[str]) -> Characters:
        """Of texts, each a sequence of its own."""
        joined = "".join(texts)
        points = np.frombuffer(joined.encode("utf-32-le", "surrogatepass"), "<u4").astype(np.uint32)
        starts = np.cumsum([0, *map(len, texts)], dtype=np.int64)
        known, codes = np.unique(points, return_inverse=True)
        blank = np.array([chr(p).isspace() for p in known.tolist()], np.bool_)[codes]
        return cls(points, starts, blank)

    @cached_property
    def places(self) -> Places:
        """Where the items of the chain stand among all characters."""
        return np.flatnonzero(~self.blank)

    @cached_property
    def offsets(self) -> Places:
        """Where the items of each text begin."""
        return np.searchsorted(self.places, self.starts)

    @cached_property
    def gaps(self) -> NDArray[np.bool_]:
        """Per item: is it the first of its text, or do blanks stand before it?"""
        first = np.ones(len(self.places), np.bool_)
        first[1:] = np.diff(self.places) > 1
        at = self.offsets[:-1]
        first[at[at < len(first)]] = True
        return first

    def sequences(self, texts: Sequence[str]) -> Sequences:
        """Columns for `TEMPLATES`; ``texts`` are those that the characters are of."""
        items, gaps = self.points[self.places], self.gaps
        known, codes = np.unique(items, return_inverse=True)
        shown = [chr(p).encode(errors="replace").decode() for p in known.tolist()]
        kinds = [_kind(p) for p in known.tolist()]
        names = sorted(set(kinds))
        kind = np.array([names.index(k) for k in kinds], np.int64)[codes]
        columns: dict[str, Any] = {
            "mark": _two_fold(shown, codes.astype(np.int64), gaps),
            "kind": _two_fold(names, kind, gaps),
            "rule": _texts(RULES, self.rules(texts)),
        }
        return Sequences(columns | self._runs(texts), self.offsets)

    def rules(self, texts: Sequence[str]) -> Places:
        """What the rules say of each item, as a number of `RULES`."""
        cut = Sequences.from_texts(as_texts([_encodable(text) for text in texts]))
        assert cut.spans is not None
        assert cut.documents is not None
        begins = cut.spans[:, 0] + self.starts[np.repeat(cut.documents, cut.lengths)]
        said = np.zeros(len(self.points) + 1, np.int64)
        said[begins] = 1
        said[begins[cut.offsets[:-1][cut.lengths > 0]]] = 2
        return said[self.places]

    def _runs(self, texts: Sequence[str]) -> dict[str, CodedTexts]:
        """Runs without blanks: the one of each item, and where it begins those around it."""
        nothing = [""] * AROUND  # stands between texts
        cut = [[*_encodable(text).split(), *nothing] for text in texts]
        runs = [run if len(run) <= LONGEST else "…" for those in cut for run in those]
        table = {run: k for k, run in enumerate(dict.fromkeys(["", *runs]))}
        names = list(table)
        codes = np.array([table[run] for run in [*nothing, *runs]], np.int64)
        text_of = np.repeat(np.arange(len(texts)), np.diff(self.offsets))
        of_item = np.cumsum(self.gaps) - 1 + AROUND * (text_of + 1)  # which of the codes
        first = np.flatnonzero(self.gaps)[np.cumsum(self.gaps) - 1]
        at = np.minimum(np.arange(len(self.places)) - first, LONGEST)
        found = {
            "run": _texts(names, codes[of_item]),
            "at": _texts([str(k) for k in range(LONGEST + 1)], at),
        }
        for name, away in {"here": 0, **BACK, **AHEAD}.items():
            found[name] = _texts(names, codes[of_item + away] * self.gaps)
        return found


def _two_fold(names: Sequence[str], codes: Places, gaps: NDArray[np.bool_]) -> CodedTexts:
    """Each name as it is, and with a blank before it."""
    return _texts([*names, *(" " + name for name in names)], codes + len(names) * gaps)


def _texts(names: Sequence[str], codes: Places) -> CodedTexts:
    return CodedTexts(_core.Texts.from_list(list(names)), codes.astype(np.int32))


def _encodable(text: str) -> str:
    """Lone surrogates are no characters; one takes the place of each."""
    return text if text.isascii() else text.encode(errors="replace").decode()


@lru_cache(maxsize=100_000)
def _kind(point: int) -> str:
    """Letters by case, digits, every other character by its category in Unicode."""
    category = unicodedata.category(chr(point))
    if category[0] == "L":
        return category if category in ("Lu", "Ll") else "Lo"
    return category
