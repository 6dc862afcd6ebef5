"""What the answers in a folder are of: written beside them, so that nobody takes them for others.

A line of JSON for what was asked, and one for each file or piece that is answered, so that a job of
many pieces adds to it and never writes it anew. A line that was not finished is nothing.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from linnet.errors import DataError

JOURNAL = ".linnet-answers.jsonl"
UNSAID = ("output", "into", "engine", "piece", "shards", "threads")  # options that change no answer

Key = tuple[Any, ...]  # a file as it was, and the range of it


class Journal:
    """Which answers are there, each with its size in bytes."""

    def __init__(self, into: Path, command: str, model: str, given: Mapping[str, Any]) -> None:
        self.path = into / JOURNAL
        made = {
            "command": command,
            "model": _fingerprint(model),
            "options": {
                k: v for k, v in sorted(given.items()) if k not in UNSAID and v not in (None, False)
            },
        }
        self.made = json.loads(json.dumps(made, default=str))
        self.done: dict[Key, int] = {}
        into.mkdir(parents=True, exist_ok=True)
        if self.path.exists():
            self._read(into)
        self._begin()

    def _read(self, into: Path) -> None:
        try:
            *lines, _ = self.path.read_text(encoding="utf-8").split("\n")
            before = json.loads(lines[0])["made"]
            for line in lines[1:]:
                *key, size = json.loads(line)
                self.done[tuple(key)] = int(size)
        except (ValueError, KeyError, TypeError, IndexError, OSError):
            raise DataError(f"{self.path} is damaged; remove it, and all is answered anew") from None
        for part, told in (("model", "another model"), ("command", "another command"),
                           ("options", "other options")):  # fmt: skip
            if before.get(part) != self.made[part]:
                raise DataError(f"{into} has answers of {told}; give another folder, or remove it")

    def _begin(self) -> None:
        from linnet._writing import replacing

        lines = [{"made": self.made}, *([*key, size] for key, size in self.done.items())]
        with replacing(self.path) as file:
            file.writelines(_line(line) for line in lines)

    def has(self, key: Key, answers: str) -> bool:
        """Are these answers there, all of them, and of the file as it is?"""
        try:
            return self.done.get(key) == os.path.getsize(answers)
        except OSError:
            return False

    def add(self, key: Key, answers: str) -> None:
        """They are there."""
        self.done[key] = os.path.getsize(answers)
        with open(self.path, "ab") as file:
            file.write(_line([*key, self.done[key]]))


def state(path: str) -> Key:
    """A file as it is: its place, size and time."""
    there = os.path.abspath(path)
    try:
        found = os.stat(there)
    except OSError:
        return (there,)
    return there, found.st_size, found.st_mtime_ns


def _line(value: Any) -> bytes:
    return json.dumps(value).encode() + b"\n"


def _fingerprint(path: str) -> str:
    import hashlib

    try:
        with open(path, "rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()
    except OSError as error:
        raise DataError(f"{path}: {error.strerror}") from None
