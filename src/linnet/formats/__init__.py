"""Data files: read, written, told apart. See ``docs/formats.md`` for what each format holds."""

from __future__ import annotations

from linnet.formats._detect import detect
from linnet.formats._options import Format, Options
from linnet.formats._read import read, read_batches
from linnet.formats._table import FORMATS
from linnet.formats._write import write
from linnet.formats.sequences import (
    SEQUENCE_FORMATS,
    SequenceFormat,
    SequenceOptions,
    detect_sequences,
    detect_task,
    read_sequence_batches,
    read_sequences,
    write_sequences,
)

__all__ = [
    "FORMATS",
    "SEQUENCE_FORMATS",
    "Format",
    "Options",
    "SequenceFormat",
    "SequenceOptions",
    "detect",
    "detect_sequences",
    "detect_task",
    "read",
    "read_batches",
    "read_sequence_batches",
    "read_sequences",
    "write",
    "write_sequences",
]
