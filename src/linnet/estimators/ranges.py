"""What all have in common who let workers read ranges of files: texts, rows, sentences and trees."""

from __future__ import annotations

import os
import socket
from collections.abc import Iterable

import numpy as np

from linnet.errors import EngineError
from linnet.formats import Range

SMALLEST, LARGEST = 1 << 20, 1 << 26  # bytes of a range
TASKS = 4  # for each shard, at least, if ranges are large enough


def size_of_ranges(paths: Iterable[str], shards: int, smallest: int, largest: int) -> int:
    """As small as tasks need, which says nothing about what is learnt."""
    size = sum(map(os.path.getsize, paths)) // (TASKS * shards)
    return int(np.clip(size, smallest, largest))


def check_there(where: Range) -> None:
    """A worker must see the file."""
    if not os.path.exists(where.path):
        raise EngineError(
            f"{where.path} is not there on {socket.gethostname()}: every machine must see the "
            f"files under the same name; put them on a file system that all share"
        )
