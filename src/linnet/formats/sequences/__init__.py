"""Files of sentences of tokens. See ``docs/sequence-formats.md`` for what each format holds."""

from __future__ import annotations

from linnet.formats.sequences._detect import detect_sequences, detect_task, evident_columns
from linnet.formats.sequences._options import SequenceFormat, SequenceOptions
from linnet.formats.sequences._read import read_sequence_batches, read_sequences, write_sequences
from linnet.formats.sequences._whole import why_whole

__all__ = [
    "SequenceFormat",
    "SequenceOptions",
    "detect_sequences",
    "detect_task",
    "evident_columns",
    "read_sequence_batches",
    "read_sequences",
    "why_whole",
    "write_sequences",
]
