"""Sentences and trees that are said not to fit into memory, in small shards."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from linnet import engines
from linnet.data import samples
from linnet.data.kept import Kept
from linnet.estimators import sentence_files
from linnet.estimators.parsing.outofcore import ParserOutOfCore
from linnet.estimators.tagging.outofcore import TaggerOutOfCore

PIECE = 40  # sentences that are read at a time
WORDS = 900  # of a shard
ROOM = 10**10


def sample(name: str) -> Path:
    return Path(samples.__file__).parent / name


@pytest.fixture
def in_shards(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Nothing fits, and shards are small; sentences of each shard, once there are some."""
    monkeypatch.setattr(sentence_files, "ALL", PIECE)
    for kind in (TaggerOutOfCore, ParserOutOfCore):
        monkeypatch.setattr(kind, "_fits", lambda *_: False)
    sizes: list[int] = []
    cut = Kept.cut

    def small(kept: Kept, _: int) -> Any:
        bounds = cut(kept, WORDS)
        sizes[:] = [sum(n for n, _ in kept.sizes[begin:end]) for begin, end in bounds]
        return bounds

    monkeypatch.setattr(Kept, "cut", small)
    return sizes


class Cut(engines.Local):
    """Shards of this process, cut where others were."""

    def __init__(self, sizes: list[int]) -> None:
        super().__init__(len(sizes))
        self.sizes = sizes

    def cut(self, size: int) -> list[tuple[int, int]]:
        """By sentences; where each token is an instance of its own, nobody knows."""
        ends = [sum(self.sizes[: k + 1]) for k in range(len(self.sizes))]
        assert ends[-1] == size
        return list(zip([0, *ends[:-1]], ends, strict=True))


def bytes_of(model: Any, folder: Path) -> bytes:
    model.save(folder / "model.linnet")
    return (folder / "model.linnet").read_bytes()
