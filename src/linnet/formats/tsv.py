"""TSV: ``label<TAB>text``, one example per line; the first tab splits, further ones are text.

There is no quoting. A file without any tab holds texts alone.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from linnet.data.examples import Examples
from linnet.errors import DataError, setting
from linnet.formats import text as plain
from linnet.formats._access import Source
from linnet.formats._columns import is_header, known
from linnet.formats._lines import Lines, label_column
from linnet.formats._missing import kept
from linnet.formats._options import Format, Options
from linnet.formats._writing import clean_labels, clean_texts


def read(source: Source, options: Options) -> Examples:
    if options.labelled is False or (options.labelled is None and b"\t" not in source.data):
        return plain.read(source, options)
    lines = Lines(source)
    first, notes = _skip_header(lines, options)
    starts, tabs, ends = lines.starts[first:], lines.tabs[first:], lines.ends[first:]
    untabbed = np.flatnonzero(tabs < 0)
    if len(untabbed):
        raise lines.error(
            untabbed[0] + first,
            "no tab between label and text; a line reads label, tab, text "
            "(a file of texts without labels is of the format 'text')",
        )
    if options.missing is not None and not options.skip_labels and (starts == tabs).any():
        left = kept(
            options.missing,
            lambda i, message: lines.error(i + first, message),
            lines.numbers[first:].tolist(),
            source.name,
            labels=(starts == tabs).tolist(),
        )
        if left is not None:
            lines.keep([i + first for i in left])
            starts, tabs, ends, first = lines.starts, lines.tabs, lines.ends, 0
    labels = None
    if not options.skip_labels:
        labels = label_column(
            lines.texts(starts, tabs),
            None,
            lambda i: source.data[starts[i] : tabs[i]],
            lambda i, message: lines.error(i + first, message),
        )
    texts = lines.texts(tabs + 1, ends)
    numbers, records = lines.numbers[first:], None
    if options.records:
        cells = (source.data[b:e] for b, e in zip(starts.tolist(), tabs.tolist(), strict=True))
        records = [
            {"line": line, "label": cell.decode(errors="replace"), "text": texts[i]}
            for i, (line, cell) in enumerate(zip(numbers.tolist(), cells, strict=True))
        ]
    return Examples(
        texts, labels, source=source.name, lines=numbers, notes=tuple(notes), records=records
    )


def _skip_header(lines: Lines, options: Options) -> tuple[int, list[str]]:
    """How many lines are header: 0 or 1."""
    if lines.source.first_line > 1 or options.header is False:
        return 0, []
    if options.header:
        return 1, []
    fields = lines[0].decode(errors="replace").split("\t")
    if is_header(fields, "label", "text"):
        return 1, [f"{lines.source.name}: the first line is taken as a header"]
    if is_header(fields, "text", "label"):
        raise lines.error(
            0,
            f"a header with the text first; {setting('format', 'csv')} reads columns by their names, "
            f"be they divided by tabs (or say {setting('header', False)} if this is an example)",
        )
    if len(fields) > 2 and known(fields, "text") and known(fields, "label"):
        raise lines.error(
            0,
            f"a header of {len(fields)} columns, where a line is a label, a tab and a text; "
            f"{setting('format', 'csv')} reads columns by their names, be they divided by tabs",
        )
    return 0, []


def write(examples: Examples, lossy: bool) -> Iterator[bytes]:
    if examples.labels is None:
        yield from _write_unlabelled(examples, lossy)
        return
    labels = clean_labels(examples, "TSV", r"[\t\r\n]")
    for (label,), text in zip(labels, clean_texts(examples, "TSV", lossy), strict=True):
        yield b"%s\t%s\n" % (label.encode(), text)


def _write_unlabelled(examples: Examples, lossy: bool) -> Iterator[bytes]:
    """Without a tab in any text, or the file would read as labelled."""
    for number, line in enumerate(plain.write(examples, lossy), 1):
        if b"\t" in line and not lossy:
            raise DataError(
                f"example {number}: the tab in an unlabelled text would read as the end of a label; "
                "write the format 'text'"
            )
        yield line.replace(b"\t", b" ")


FORMAT = Format(
    name="tsv",
    about="label, tab, text: one example per line",
    endings=(".tsv", ".tab"),
    options=frozenset({"labelled", "missing", "records", "skip_labels", "header"}),
    carries=frozenset({"texts", "labels"}),
    by_line=True,
    read=read,
    write=write,
)
