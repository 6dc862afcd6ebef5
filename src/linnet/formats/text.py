"""Plain text: one text per line, no labels. An empty line is an empty text."""

from __future__ import annotations

from collections.abc import Iterator

from linnet.data.examples import Examples
from linnet.formats._access import Source
from linnet.formats._lines import Lines
from linnet.formats._options import Format, Options
from linnet.formats._writing import clean_texts


def read(source: Source, _options: Options) -> Examples:
    lines = Lines(source, keep_blank=True)
    texts = lines.texts(lines.starts, lines.ends)
    return Examples(texts, source=source.name, lines=lines.numbers)


def write(examples: Examples, lossy: bool) -> Iterator[bytes]:
    for text in clean_texts(examples, "plain text", lossy):
        yield text + b"\n"


FORMAT = Format(
    name="text",
    about="one text per line, without labels",
    endings=(),
    options=frozenset(),
    carries=frozenset({"texts"}),
    by_line=True,
    read=read,
    write=write,
)
