"""Whatever a file holds, readers read it or raise a DataError that names it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from random import Random
from typing import Any

import pytest

from linnet import formats
from linnet.errors import DataError

from .data_files import data_files
from .mutations import mutate


def readings(path: Path) -> Iterator[Callable[[], Any]]:
    """Every way to read a file."""
    for way in (formats.read, formats.read_sequences, formats.read_trees, formats.detect_task):
        yield lambda w=way: w(path)
    for way in (formats.read_brackets, formats.has_brackets):
        yield lambda w=way: w(path)
    for way in (formats.read_batches, formats.read_sequence_batches, formats.read_tree_batches):
        yield lambda w=way: list(w(path))
    for name in formats.FORMATS:
        yield lambda n=name: formats.read(path, n)
    for name in formats.SEQUENCE_FORMATS:
        yield lambda n=name: formats.read_sequences(path, n)
    for name in formats.TREE_FORMATS:
        yield lambda n=name: formats.read_trees(path, n)
    yield lambda: list(formats.read_bracket_batches(path))


@pytest.mark.parametrize("name", data_files())
def test_damaged_files(tmp_path: Path, name: str) -> None:
    random = Random(name)
    path = tmp_path / name
    for _ in range(8):
        path.write_bytes(mutate(data_files()[name], random))
        for reading in readings(path):
            try:
                reading()
            except DataError as error:
                assert str(path) in str(error)  # noqa: PT017
