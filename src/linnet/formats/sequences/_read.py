"""Reading the sentences of a file, or batches of them as they come; writing them."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from itertools import islice, pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from linnet.data.examples import LabelColumn
from linnet.data.sequences import Sequences, tag_column
from linnet.errors import DataError, EmptyError
from linnet.formats._access import Source, name_of
from linnet.formats._arriving import Arriving
from linnet.formats._detect import HEAD
from linnet.formats._ranges import part_of, truly_told
from linnet.formats._read import _first_line, _some_whole, listed_names
from linnet.formats._source import BOM, Held, counted, is_stream, load, pieces, store, whole_lines
from linnet.formats._table import by_ending, named, writer
from linnet.formats._write import _marked, target_of
from linnet.formats.sequences._cells import ends_in_sentence
from linnet.formats.sequences._detect import by_content, detect_sequences, evident
from linnet.formats.sequences._options import SequenceFormat, SequenceOptions
from linnet.formats.sequences.conll import NoTokensError

END = re.compile(rb"\n[ \t\r]*\n")
BLANK = b" \t\r"


def read_sequences(
    path: str | os.PathLike[str],
    format: str | None = None,  # noqa: A002
    **options: Any,
) -> Sequences:
    """The sentences of a file; ``-`` is standard input.

    ``format`` is a name of the table ``SEQUENCE_FORMATS``; None: detected by ending and content.
    Settings:

    - ``columns``: names of the file's columns, with or without the tag's (JSON: keys to keep);
    - ``label``: name or place (from 0; -1 is the last) of the tag's column, or its key;
    - ``label_names`` (tokens): of tags that are integers, in their order, or the file they are in;
      None: those of a dataset_info.json beside the file;
    - ``labelled``: whether the file has tags; None: as it shows;
    - ``missing``: the tag that stands for a missing one, whose code is -1;
    - ``comment`` (columns): how lines begin that are no tokens;
    - ``delimiter`` (columns): 'tab' for exactly one tab; None: any run of blanks and tabs;
    - ``header`` (TSV): whether the first line names the columns;
    - ``english``, ``by_line`` (text): English rules, too; whether each line is a text.

    Gzip is unpacked, whatever the name of the file. Raises `DataError` with file and line for what
    cannot be read, and ValueError for a setting that the format does not have.
    """
    chosen = named(format, SequenceFormat) if format is not None else None
    if chosen is not None:
        _options(chosen, options)
    source = load(path)
    if chosen is None:
        chosen = by_ending(path, SequenceFormat) or named(by_content(source), SequenceFormat)
    read = chosen.read(source, _options(chosen, options))
    if not len(read):
        raise EmptyError(f"{source.name} holds no tokens")
    return read


def _options(chosen: SequenceFormat, options: dict[str, Any]) -> SequenceOptions:
    SequenceOptions.check_names(options)
    if "columns" in options:
        columns = options["columns"]
        options = options | {
            "columns": tuple(columns.split(",") if isinstance(columns, str) else columns)
        }
    if options.get("label") is not None:
        options = options | {"label": str(options["label"])}  # a place may be a number
    made = SequenceOptions(**options | listed_names(options))
    made.check_taken(chosen.name, chosen.options)
    return made


def read_sequence_batches(
    path: str | os.PathLike[str],
    format: str | None = None,  # noqa: A002
    size: int = 1024,
    **options: Any,
) -> Iterator[Sequences]:
    """Batches of at most ``size`` sentences, each as soon as it is there.

    A sentence of columns is there when the empty line after it is, one of JSON with its line. In
    running text each line is a text of its own, as from a pipe, unless ``by_line=False``: then a
    file is read whole. The format of a pipe is told from the lines that have arrived; what is not
    plainly something else is running text. Sentences of one text stay
    together, and lines without a word come as texts without a sentence.
    """
    if size < 1:
        raise ValueError(f"size must be at least 1; it is {size}")
    if format is None and is_stream(path):
        return _looked_at(Arriving(path), size, options)
    chosen = named(format or detect_sequences(path), SequenceFormat)
    return truly_told(path, lambda source: _parts(source, chosen, size, options))


def _looked_at(path: Arriving, size: int, options: dict[str, Any]) -> Iterator[Sequences]:
    """Of a pipe, once its first line is there."""
    try:
        chosen = evident(path.head(HEAD)) or "text"
    except EmptyError:
        return
    yield from _parts(path, named(chosen, SequenceFormat), size, options)


def _parts(
    path: str | os.PathLike[str], chosen: SequenceFormat, size: int, options: dict[str, Any]
) -> Iterator[Sequences]:
    if chosen.name == "text":
        options = {"by_line": True} | options
    made = _options(chosen, options)
    if chosen.whole or (chosen.name == "text" and not made.by_line):
        if part_of(path) is not None:
            raise ValueError(f"{chosen.name} is read whole, not by ranges")
        return _sliced(iter([read_sequences(path, chosen.name, **options)]), size)
    return _sliced(_blocks(path, chosen, made), size)


def _sliced(read: Iterator[Sequences], size: int) -> Iterator[Sequences]:
    """At most ``size`` sentences each, unless a text has more: its sentences stay together."""
    for sequences in read:
        if len(sequences) <= size:
            yield sequences
            continue
        begin = 0
        while begin < len(sequences):
            end = min(begin + size, len(sequences))
            if sequences.documents is not None and end < len(sequences):
                end = _whole_text(sequences.documents, begin, end)
            yield sequences.take(np.arange(begin, end))
            begin = end


def _whole_text(documents: NDArray[np.int64], begin: int, end: int) -> int:
    """The end of the last text that ends at or before ``end``, or else of the first."""
    last = int(np.searchsorted(documents, documents[end], side="left"))
    return last if last > begin else int(np.searchsorted(documents, documents[end], side="right"))


def _blocks(
    path: str | os.PathLike[str], chosen: SequenceFormat, options: SequenceOptions
) -> Iterator[Sequences]:
    name, line, width = name_of(path), 1, 0
    incoming = pieces(path)
    blank = chosen.name == "text"
    blocks = (
        whole_lines(incoming, keep_blank=blank)
        if chosen.by_line
        else (_whole_sentences(incoming, options.comment or chosen.comment))
    )
    part = part_of(path)
    if part is not None:
        line = part.first_line
        if not chosen.by_line and line > 1:
            for first in islice(_blocks(part.path, chosen, options), 1):
                options, width = _headed(chosen, options, first), len(first.layout)
    head = b""  # the first object of JSON speaks for all
    if part is not None and chosen.in_json:
        head = _first_line(pieces(part.path)).removeprefix(BOM).partition(b"\n")[0]
    if line == 1:
        blocks = _some_whole(blocks, chosen)
    held, ahead = Held(), 0  # comments before the next sentence, and how many lines they are
    nothing: NoTokensError | None = None
    for block in blocks:
        if nothing and _only_comments(chosen, Source(name, block, line + ahead), options):
            held.add(block)  # without reading all of them anew
            ahead += block.count(b"\n")
            continue
        rest = held.take(block)
        try:
            read = chosen.read(Source(name, rest, line, head), options)
        except NoTokensError as error:
            nothing = error
            held.add(rest)
            ahead = rest.count(b"\n")
            continue
        except DataError:
            if width and not chosen.by_line:
                _check_first(chosen, Source(name, rest, line), options, width)
            raise
        if line == 1:
            options = _headed(chosen, options, read)
            if chosen.in_json:
                head = rest.removeprefix(BOM).partition(b"\n")[0]
        line += rest.count(b"\n")
        nothing = None
        width = width or len(read.layout)
        _same_width(read, width)
        if len(read) or read.texts is not None:  # an empty text wants an answer, too
            yield read
    if line == 1 and nothing is not None:
        raise nothing


def _same_width(read: Sequences, width: int) -> None:
    if len(read.layout) != width:
        raise Source(read.source, b"").error(
            int(read.lines[0]),
            f"{counted(len(read.layout), 'column')} where the lines before have {width}",
        )


def _check_first(chosen: SequenceFormat, source: Source, options: SequenceOptions, width: int) -> None:
    """It may be the first token of a block that is uneven, not the one that differs from it."""
    for end in re.finditer(rb"\n", source.data):
        with suppress(NoTokensError):
            first = replace(source, data=source.data[: end.end()])
            _same_width(chosen.read(first, replace(options, columns=(), label=None)), width)
            return


def _headed(chosen: SequenceFormat, options: SequenceOptions, first: Sequences) -> SequenceOptions:
    """A header speaks for all."""
    if chosen.name != "tsv" or not len(first.layout):
        return options
    return replace(options, columns=first.layout, label=_tag_of(first) or options.label)


def _only_comments(chosen: SequenceFormat, source: Source, options: SequenceOptions) -> bool:
    try:
        chosen.read(source, options)
    except NoTokensError:
        return True
    except DataError:  # to be told of the whole
        pass
    return False


def _tag_of(read: Sequences) -> str | None:
    return next((name for name in read.layout if name not in read.columns), None)


def _whole_sentences(incoming: Iterator[bytes], comment: str = "") -> Iterator[bytes]:
    """The bytes cut after empty lines that end sentences; blocks without a token are held back."""
    held, mark = Held(), BOM
    blank = False  # does what is held end in a line that is empty so far?
    for piece in incoming:
        cut = _after_sentence(piece, comment.encode())
        end = piece.find(b"\n") + 1
        if not cut and blank and end and not piece[:end].strip():
            cut = end
        if cut and held.begun(piece[:cut]).removeprefix(mark):
            yield held.take(piece[:cut])
            mark, blank = b"", False
        else:
            cut = 0
        held.add(piece[cut:])
        last = piece.rfind(b"\n", cut) + 1
        blank = (blank or last > 0) and not piece[max(last, cut) :].strip(BLANK)
    if held.start.removeprefix(mark):
        yield held.take()


def _after_sentence(piece: bytes, comment: bytes) -> int:
    """Where the last empty line ends that ends a sentence; 0: there is none.

    Comments and boundaries of documents without a token after them belong to the next one.
    """
    cut = _after_empty_line(piece)
    before = piece[:cut].rstrip()
    if cut == 0 or ends_in_sentence(before[_after_empty_line(before) :], comment):
        return cut
    ends = [0, *(found.end() for found in END.finditer(before))]
    back = reversed([*pairwise(ends)])
    return next((end for begin, end in back if ends_in_sentence(piece[begin:end], comment)), 0)


def _after_empty_line(piece: bytes) -> int:
    """Where the last empty line ends, or 0."""
    at = max(piece.rfind(b"\n\n"), piece.rfind(b"\n\r\n"))
    if at >= 0:
        return piece.index(b"\n", at + 1) + 1
    return max((found.end() for found in END.finditer(piece)), default=0)


def write_sequences(
    sequences: Sequences,
    path: str | os.PathLike[str],
    format: str | None = None,  # noqa: A002
    predicted: LabelColumn | Sequence[Sequence[str | None]] | None = None,
) -> None:
    """Write a file; ``-`` is standard output, and a name that ends in ``.gz`` is packed.

    The columns of the file that was read come back in their order. ``predicted`` tags (one per
    token, or lists of them by sentence) are the last column; CoNLL-U, CRFsuite and spans have one
    place for tags, where predictions take that of the gold ones. Missing tags are written as ``_``.
    """
    chosen = target_of(path, format, SequenceFormat)
    store(path, _marked(iter(writer(chosen)(sequences, _flat(sequences, predicted)))))


def _flat(
    sequences: Sequences, predicted: LabelColumn | Sequence[Sequence[str | None]] | None
) -> LabelColumn | None:
    if predicted is None:
        return None
    if isinstance(predicted, LabelColumn):
        return replace(sequences, labels=predicted).labels  # one per token, or else an error
    for i, (tags, length) in enumerate(zip(predicted, sequences.lengths.tolist(), strict=True)):
        if len(tags) != length:
            raise DataError(f"sentence {i + 1} has {length} tokens, but {len(tags)} predicted tags")
    return tag_column([tag for tags in predicted for tag in tags])
