"""Data files: read, written, told apart. See ``docs/formats.md`` for what each format holds."""

from __future__ import annotations

from linnet.formats._detect import detect
from linnet.formats._options import Format, Options
from linnet.formats._read import read, read_batches
from linnet.formats._table import FORMATS
from linnet.formats._write import write

__all__ = ["FORMATS", "Format", "Options", "detect", "read", "read_batches", "write"]
