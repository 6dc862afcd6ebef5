"""An input that is tried: what it is fed to, and all of its bytes."""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from pathlib import Path
from random import Random
from types import ModuleType
from typing import Any

import sklearn

import linnet

TELLING = tuple(str(Path(package.__file__).parent) for package in (linnet, sklearn))


@dataclass(frozen=True)
class Case:
    """``name`` says what is done, ``data`` with what; a finding is kept as one small file."""

    name: str
    data: bytes

    def to_bytes(self) -> bytes:
        """The file of a finding."""
        return self.name.encode() + b"\n" + self.data

    @classmethod
    def from_bytes(cls, raw: bytes) -> Case:
        """A finding that was kept."""
        name, _, data = raw.partition(b"\n")
        return cls(name.decode(), data)

    @property
    def digest(self) -> str:
        """A name for the file."""
        return hashlib.sha256(self.to_bytes()).hexdigest()[:16]


def made(kind: ModuleType, seed: int, number: int) -> Case:
    """The case of this number: the same for the same seed."""
    case: Case = kind.case(Random(f"{seed} {number}"))
    return case


def to_json(value: Any) -> bytes:
    """A case that is no file; tuples are told from lists."""
    return json.dumps(_plain(value), indent=1).encode()


def _plain(value: Any) -> Any:
    if isinstance(value, tuple):
        return {"tuple": [_plain(v) for v in value]}
    if isinstance(value, dict):
        return {k: _plain(v) for k, v in value.items()}
    return [_plain(v) for v in value] if isinstance(value, list) else value


def from_json(data: bytes) -> Any:
    """What `to_json` was given."""
    return json.loads(data, object_hook=lambda d: tuple(d["tuple"]) if [*d] == ["tuple"] else d)


def check_refusal(error: Exception) -> None:
    """A refusal is a ValueError or TypeError that Linnet raises on purpose, not one that escapes it."""
    if not isinstance(error, (ValueError, TypeError)) or not str(error):
        raise error
    where = error.__traceback__
    assert where is not None
    while where.tb_next is not None:
        where = where.tb_next
    inside = where.tb_frame.f_code.co_filename.startswith(TELLING)
    if not inside or "incompatible function arguments" in str(error):
        raise AssertionError(f"an error escapes: {error!r}") from error
