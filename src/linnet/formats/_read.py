"""Reading a whole file, or batches of examples as they come."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import replace
from itertools import chain
from typing import Any

import numpy as np

from linnet._lacks import gathering
from linnet.data.examples import Examples
from linnet.data.missing import Policy
from linnet.errors import DataError, EmptyError, setting
from linnet.formats._access import Source, name_of
from linnet.formats._arriving import Arriving
from linnet.formats._columns import known
from linnet.formats._detect import HEAD, by_name_and_content, detect
from linnet.formats._options import Format, Options, Row
from linnet.formats._ranges import Range, part_of, truly_told
from linnet.formats._source import BOM, Held, head, is_plain, is_stream, load, pieces, whole_lines
from linnet.formats._table import named


def read(path: str | os.PathLike[str], format: str | None = None, **options: Any) -> Examples:  # noqa: A002
    """The examples of a file; ``-`` is standard input.

    ``format`` is a name of the table ``FORMATS``; None: detected by ending and content. Settings:

    - ``text``, ``label``, ``weight``: names of columns or keys (VW: ``text`` is a namespace);
    - ``label_names``: of labels that are integers, in their order, or the file they are in; None: as
      the features of the data set say, in the file or in a dataset_info.json beside it;
    - ``usual_text``, ``usual_label``: what they were called elsewhere: taken if there are such;
    - ``columns``: names of further columns to keep;
    - ``labelled``: whether the file has labels; None: as its lines show;
    - ``missing``: what to do about missing texts, labels, numbers and categories, 'auto' or as of
      `TextClassifier`; None: they are errors;
    - ``records``: keep all that a file with named columns (or tags of VW) holds, as ``records``;
    - ``skip_labels`` (TSV): labels are there, but nobody needs them; elsewhere ``labelled=False``;
    - ``multilabel``: whether examples have sets of labels; None: if one has several;
    - ``header`` (CSV, TSV): whether the first line is one;
    - ``delimiter`` (CSV): what divides cells; None: as the header shows;
    - ``zero_based``, ``features`` (svmlight): from where indices count, and how many there are.

    Gzip is unpacked, whatever the name of the file. Raises `DataError` with file and line for what
    cannot be read, and ValueError for a setting that the format does not have.
    """
    chosen = named(format, Format) if format is not None else None
    if chosen is not None:
        _options(chosen, options)
    source = load(path)
    if chosen is None:
        chosen = by_name_and_content(path, source)
    return _whole(chosen, source, _options(chosen, options))


def _whole(chosen: Format, source: Source, options: Options) -> Examples:
    examples = chosen.read(source, options)
    if not len(examples):
        raise DataError(f"{source.name} holds a header or comments, and no examples")
    return replace(examples, format=chosen.name)


def _options(chosen: Format, options: dict[str, Any]) -> Options:
    """Settings for a format; those it does not have are refused."""
    Options.check_names(options)
    if "columns" in options:
        columns = options["columns"]
        options = options | {"columns": (columns,) if isinstance(columns, str) else tuple(columns)}
    options = options | listed_names(options)
    if options.get("missing") is not None:
        options = options | {"missing": Policy.of(options["missing"])}
    if "delimiter" in options:
        options = options | {"delimiter": divides(options["delimiter"])}
    made = Options(**options)
    made.check_taken(chosen.name, chosen.options)
    return made


def listed_names(options: dict[str, Any]) -> dict[str, Any]:
    """The setting ``label_names``: a list, or a string with commas."""
    given = options.get("label_names")
    if given is None:
        return {"label_names": ()}
    names = given.split(",") if isinstance(given, str) else [str(name) for name in given]
    return {"label_names": tuple(name.strip() for name in names)}


def divides(given: str | None) -> str | None:
    """The delimiter that was asked for; a tab has a name, for the sake of command lines."""
    if given is None:
        return None
    delimiter = "\t" if given in ("tab", "\\t") else given
    if len(delimiter) != 1 or delimiter in '"\r\n':
        raise ValueError(f"delimiter must be one character, or 'tab'; it is {given!r}")
    return delimiter


def read_batches(
    path: str | os.PathLike[str],
    format: str | None = None,  # noqa: A002
    size: int = 4096,
    **options: Any,
) -> Iterator[Examples]:
    """Batches of at most ``size`` examples, each as soon as its lines are there.

    What a pipe holds is handed on without waiting for a full batch, so a reader at the other end
    gets an answer for each line it sends. The format of a pipe is told from the lines that have
    arrived, as that of a file is from its first ones. Whether a file is labelled is decided by its
    first batch.
    """
    if size < 1:
        raise ValueError(f"size must be at least 1; it is {size}")
    if format is None and is_stream(path):
        return _looked_at(Arriving(path), size, options)
    chosen = named(format or detect(path), Format)
    made = _options(chosen, options)
    return truly_told(path, lambda source: _parts(source, chosen, size, made))


def _looked_at(path: Arriving, size: int, options: dict[str, Any]) -> Iterator[Examples]:
    """Of a pipe, once its first line is there."""
    try:
        chosen = named(detect(path), Format)
    except EmptyError:
        return
    yield from _parts(path, chosen, size, _options(chosen, options))


def _parts(
    path: str | os.PathLike[str], chosen: Format, size: int, options: Options
) -> Iterator[Examples]:
    part = part_of(path)
    if part is not None:
        part.check()
    if chosen.batches is not None:
        line = None if part is None or part.begin == 0 else part.first_line
        return chosen.batches(name_of(path), pieces(path), size, options, line)
    if chosen.parts is not None and is_plain(path):
        return chosen.parts(part or os.fspath(path), size, options)
    whole = not chosen.by_line
    if chosen.name == "tsv" and not is_stream(path) and options.header is not False:
        whole = _has_header(path)  # quotes may come late
    if part is not None and whole:
        raise ValueError(f"{part.path} is read whole as {chosen.name}, not by ranges")
    ways = _slices if whole else _batches
    return ways(path, chosen, size, options)


def why_whole(path: str | os.PathLike[str], form: str) -> str | None:
    """Why `read_batches` would hold all of a file at once; None: it does not."""
    chosen = named(form, Format)
    if chosen.batches is not None or (chosen.parts is not None and is_plain(path)):
        return None
    if not chosen.by_line:
        return f"{form} is read whole unless it is a plain file"
    if is_stream(path):
        return None
    if chosen.name == "tsv":
        if not _has_header(path):
            return None
        return f"TSV with a header is read whole, for the sake of quotes; {setting('format', 'csv')}"
    first = head(path, HEAD).data
    if chosen.whole_if is not None and chosen.whole_if(first):
        return "it is one list of JSON; write an object per line (JSONL)"
    return None


def _has_header(path: str | os.PathLike[str]) -> bool:
    """Of TSV: names of a label and a text."""
    first = head(path, HEAD).data.removeprefix(BOM).partition(b"\n")[0]
    names = [name.strip('" \r') for name in first.decode(errors="replace").split("\t")]
    return known(names, "text") is not None and known(names, "label") is not None


def _slices(
    path: str | os.PathLike[str], chosen: Format, size: int, options: Options
) -> Iterator[Examples]:
    examples = _whole(chosen, load(path), options)
    if isinstance(path, Arriving):
        path.examples = len(examples)
    for begin in range(0, len(examples), size):
        yield examples.take(np.arange(begin, min(begin + size, len(examples))))


def _batches(
    path: str | os.PathLike[str], chosen: Format, size: int, options: Options
) -> Iterator[Examples]:
    if chosen.name == "svmlight" and options.zero_based is None:
        options = replace(options, zero_based=False)  # cannot wait and see whether a 0 occurs
    part = part_of(path)
    incoming = pieces(path)
    if chosen.name == "tsv" and options.labelled is None:
        start = _first_line(incoming if part is None else pieces(part.path))
        incoming = chain([start], incoming) if part is None else incoming
        options = replace(options, labelled=b"\t" in start.partition(b"\n")[0])
    if options.labelled is False and chosen.name == "tsv":
        chosen, options = named("text", Format), Options()
    line, notes = 1, None
    if part is not None:
        options, notes = _by_the_head(part, chosen, options)
        line = part.first_line
    blocks = whole_lines(incoming, keep_blank=chosen.name == "text")
    for block in _some_whole(blocks, chosen) if line == 1 else blocks:
        examples = chosen.read(Source(name_of(path), block, line), options)
        if line == 1 and notes is not None:
            examples = replace(examples, notes=notes)
        options = _decided(chosen, options, examples, line)
        line += block.count(b"\n")
        if 0 < len(examples) <= size:
            yield examples
            continue
        for begin in range(0, len(examples), size):
            yield examples.take(np.arange(begin, min(begin + size, len(examples))))


def _decided(chosen: Format, options: Options, examples: Examples, line: int) -> Options:
    """What the first examples decide for the others, and several labels from then on."""
    if line == 1 and "usual_text" in chosen.options:
        found: dict[str, Any] = dict(examples.names)
        options = replace(options, **found)  # as the first record shows
    if len(examples) and options.labelled is None and "labelled" in chosen.options:
        options = replace(options, labelled=examples.labels is not None)
    if "multilabel" in chosen.options and examples.labels is not None:
        options = replace(options, multilabel=options.multilabel or examples.labels.multilabel or None)
    return options


def _by_the_head(
    part: Range, chosen: Format, options: Options
) -> tuple[Options, tuple[str, ...] | None]:
    """What the first lines of the file decide, whichever part of it is read, and notes on it."""
    labels = {"labelled", "multilabel"} & chosen.options and options.labelled is not False
    if not labels and "usual_text" not in chosen.options:
        return options, None  # nothing is open
    with gathering():  # it is told where it is read
        first = next(whole_lines(pieces(part.path), keep_blank=False), b"")
        examples = chosen.read(Source(part.path, first), options)
    return _decided(chosen, options, examples, 1), examples.notes


def _some_whole(blocks: Iterator[bytes], chosen: Row) -> Iterator[bytes]:
    """The blocks as they are, but what cannot be cut into lines, as a list of JSON, is one block."""
    for first in blocks:
        whole = chosen.whole_if is not None and chosen.whole_if(first)
        yield b"".join([first, *blocks]) if whole else first
        yield from blocks


def _first_line(incoming: Iterator[bytes]) -> bytes:
    """The pieces up to the first end of line, or all."""
    start = Held()
    for piece in incoming:
        start.add(piece)
        if b"\n" in piece:
            break
    return start.take()
