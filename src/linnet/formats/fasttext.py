"""fastText: ``__label__a __label__b the text``, one example per line, any number of labels."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

import linnet._core as _core
from linnet.data.examples import Examples
from linnet.formats._access import Source
from linnet.formats._lines import Lines, label_column, several
from linnet.formats._options import Format, Options
from linnet.formats._writing import clean_labels, clean_texts, refuse

PREFIX = b"__label__"


def read(source: Source, options: Options) -> Examples:
    lines = Lines(source)
    found = _core.find_prefixed(lines.buffer, lines.starts, lines.ends, PREFIX.decode())
    starts, ends, offsets, begins, stray = found
    if stray >= 0:
        raise lines.error(stray, f"{PREFIX.decode()} inside the text; labels stand before the text")
    multi = several(np.diff(offsets), options, lines.error)
    texts = lines.texts(begins, lines.ends)
    labels = None
    if multi is not None:
        labels = label_column(
            lines.texts(starts, ends),
            offsets if multi else None,
            lambda i: source.data[starts[i] : ends[i]],
            lambda i, message: lines.error(np.searchsorted(offsets, i, "right") - 1, message),
        )
    return Examples(texts, labels, source=source.name, lines=lines.numbers)


def write(examples: Examples, lossy: bool) -> Iterator[bytes]:
    labels = clean_labels(examples, "fastText", r"[ \t\r\n]|__label__")
    texts = clean_texts(examples, "fastText", lossy)
    for number, (names, text) in enumerate(zip(labels, texts, strict=True), 1):
        if PREFIX in text:
            raise refuse(number, "fastText", f"a text with {PREFIX.decode()} in it")
        if not names and not text:
            raise refuse(number, "fastText", "an empty text without a label")
        yield b"".join(b"%s%s " % (PREFIX, name.encode()) for name in names) + text + b"\n"


FORMAT = Format(
    name="fasttext",
    about="__label__x before the text, any number of labels",
    endings=(".ft", ".fasttext"),
    options=frozenset({"labelled", "multilabel"}),
    carries=frozenset({"texts", "labels", "multilabel"}),
    by_line=True,
    read=read,
    write=write,
)
