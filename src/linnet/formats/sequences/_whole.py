"""Which files of sentences are read whole, though parts are asked for."""

from __future__ import annotations

import os

from linnet.formats._detect import HEAD
from linnet.formats._source import head, is_stream
from linnet.formats._table import named
from linnet.formats.sequences._options import SequenceFormat


def why_whole(path: str | os.PathLike[str], form: str) -> str | None:
    """Why `read_sequence_batches` would hold all of a file at once; None: it does not."""
    chosen = named(form, SequenceFormat)
    if chosen.whole:
        return f"{form} is read whole; convert it to conll or JSONL of tokens"
    if chosen.whole_if is None or is_stream(path):
        return None
    if chosen.whole_if(head(path, HEAD).data):
        return "it is one list of JSON; write an object per line (JSONL)"
    return None
