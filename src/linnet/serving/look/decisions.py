"""What a person decided: a line of JSON for each, never changed, on the disk when it is told so."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from linnet.errors import DataError
from linnet.serving.look.labelling import Label

BEGIN = b'{"number": '  # of every line


@dataclass(frozen=True)
class Decision:
    """A label that a person gave to a text; ``undone`` takes back the decision of that number.

    Of texts with several labels each ``label``, ``was`` and ``guess`` are sets, lists in the file.
    """

    number: int
    text: str = ""
    label: Label | None = None  # None: passed over; an empty set is a decision
    view: str = "teach"  # where: teach, labels (that look wrong), or rules
    place: int | None = None  # of the text among the data
    was: Label | None = None  # the label that the data have
    guess: Label | None = None  # what the model said, kept apart from what was decided
    guesses: list[str] | None = None  # the same, of the words of a sentence
    note: str = ""
    tags: list[str] | None = None  # of the words of a sentence
    words: list[str] | None = None
    tree: dict[str, Any] | None = None  # heads and relations, or brackets and tags, of these words
    guessed: dict[str, Any] | None = None  # the tree that the model said
    rule: str | None = None  # text is a rule of this kind, and label what it says
    undone: int | None = None


class Decisions:
    """A file that only grows.

    A line is written by one call and the disk is waited for, so that what was told to be saved is there
    even after ``kill -9``; half a line, of a decision that was not told to be saved, is passed over.
    """

    def __init__(self, path: str) -> None:
        self.path = path
        self.all: list[Decision] = list(_read(path))
        self._file: int | None = None

    def add(self, **fields: Any) -> Decision:
        """Append one, and wait until it is on the disk."""
        made = Decision(self._next(), **fields)
        self._append(_line(made))
        self.all.append(made)
        return made

    def add_all(self, rows: Iterable[dict[str, Any]]) -> int:
        """Decisions that were made elsewhere, written at once, but for those that stand already."""
        known = {_content(one) for one in self.standing("teach")}
        made: list[Decision] = []
        first = self._next()
        for row in rows:
            one = Decision(first + len(made), **row)
            key = _content(one)
            if key not in known:
                known.add(key)
                made.append(one)
        if made:
            self._append(b"".join(map(_line, made)))
        self.all += made
        return len(made)

    def _next(self) -> int:
        return 1 + (self.all[-1].number if self.all else 0)

    def undo(self, standing: Sequence[Decision] | None = None) -> Decision | None:
        """Take back the last one that stands, or the last of these; None if there is none."""
        standing = self.standing() if standing is None else standing
        if not standing:
            return None
        self.add(undone=standing[-1].number, view=standing[-1].view)
        return standing[-1]

    def standing(self, view: str | None = None) -> list[Decision]:
        """Those that were not taken back, in their order; of one text only the last one."""
        undone = {one.undone for one in self.all if one.undone is not None}
        found: dict[tuple[str, str, int | None], Decision] = {}
        for one in self.all:
            if one.undone is None and one.number not in undone and view in (None, one.view):
                key = (one.view, one.text, one.place if one.view == "labels" else None)
                found.pop(key, None)
                found[key] = one
        return list(found.values())

    def _append(self, line: bytes) -> None:
        if self._file is None:
            flags = os.O_APPEND | os.O_CREAT | os.O_RDWR
            self._file = os.open(self.path, flags, 0o644)
            size = os.fstat(self._file).st_size
            if size and os.pread(self._file, 1, size - 1) != b"\n":
                line = b"\n" + line  # behind half a line
        written = 0
        while written < len(line):
            written += os.write(self._file, line[written:])
        os.fsync(self._file)

    def close(self) -> None:
        """Give the file back."""
        if self._file is not None:
            os.close(self._file)
            self._file = None


def _content(one: Decision) -> tuple[str, Label | None, str]:
    """What it says, to know it again."""
    return one.text, one.label, json.dumps([one.tags, one.tree], sort_keys=True)


def _line(one: Decision) -> bytes:
    return json.dumps({k: v for k, v in asdict(one).items() if v not in (None, "")}).encode() + b"\n"


def _read(path: str) -> Iterator[Decision]:
    if not os.path.exists(path):
        return
    with open(path, "rb") as file:
        lines = file.read().split(b"\n")
    known = Decision.__dataclass_fields__
    for line in lines:
        if not line:
            continue
        try:
            found = json.loads(line)
        except ValueError:
            if line[: len(BEGIN)] == BEGIN[: len(line)]:
                continue  # half a line: nobody was told that it had been saved
            found = None
        if not isinstance(found, dict) or not isinstance(found.get("number"), int):
            raise DataError(f"{path} is no file of decisions; give another name by --decisions")
        made = {name: value for name, value in found.items() if name in known}
        for name in ("label", "was", "guess"):
            if isinstance(made.get(name), list):
                made[name] = tuple(map(str, made[name]))
        yield Decision(**made)
