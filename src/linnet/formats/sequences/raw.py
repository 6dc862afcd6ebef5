"""Running text, cut into sentences and words; every word knows its characters in the text.

A file is one text, or with ``by_line`` each of its lines is one.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

import numpy as np

import linnet._core as _core
from linnet.data.examples import LabelColumn
from linnet.data.sequences import BLOCK, Sequences
from linnet.errors import DataError
from linnet.formats._access import Source
from linnet.formats._lines import Lines
from linnet.formats._source import start_of_sentences
from linnet.formats.sequences import spans
from linnet.formats.sequences._options import SequenceFormat, SequenceOptions


def read(source: Source, options: SequenceOptions) -> Sequences:
    start = start_of_sentences(source)
    if options.by_line:
        lines = Lines(source, keep_blank=True)
        texts, first = lines.texts(lines.starts, lines.ends), lines.numbers
    else:
        buffer = np.frombuffer(source.data, np.uint8)
        begin = np.array([start], np.int64)
        texts = _core.Texts.from_spans(buffer, begin, np.array([len(buffer)], np.int64))
        first = np.array([source.first_line], np.int64)
    return Sequences.from_texts(texts, options.english, first, source.name)


def write(sequences: Sequences, predicted: LabelColumn | None) -> Iterator[bytes]:
    """Spans of the text as JSON if there are tags; otherwise a sentence per line, words apart."""
    if predicted is not None or sequences.labels is not None:
        yield from spans.write(sequences, predicted)
        return
    if not sequences.columns:
        raise DataError("text cannot hold attributes with values; the format 'crfsuite' can")
    words = list(_token_bytes(next(iter(sequences.columns.values()))))
    for begin, end in pairwise(sequences.offsets.tolist()):
        yield b" ".join(words[begin:end]) + b"\n"


def _token_bytes(texts: _core.Texts) -> Iterator[bytes]:
    for begin in range(0, len(texts), BLOCK):
        data, offsets = _core.text_bytes(texts, begin, begin + BLOCK)
        yield from (data[b:e] for b, e in pairwise(offsets.tolist()))


FORMAT = SequenceFormat(
    name="text",
    about="running text, cut into sentences and words by rules",
    endings=(),
    options=frozenset({"english", "by_line"}),
    by_line=True,
    read=read,
    write=write,
)
