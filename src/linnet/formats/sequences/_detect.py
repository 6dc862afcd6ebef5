"""Which format of sentences a file is of, and whether it holds sentences at all."""

from __future__ import annotations

import os
import re
from typing import Any

from linnet.errors import DataError
from linnet.formats._access import Source, name_of
from linnet.formats._detect import HEAD, SVMLIGHT
from linnet.formats._options import Format
from linnet.formats._records import first_values
from linnet.formats._source import check_encoding, head, is_stream
from linnet.formats._table import by_ending
from linnet.formats.exports import recognised
from linnet.formats.exports._export import SENTENCES
from linnet.formats.sequences._cells import BOUNDARY
from linnet.formats.sequences._options import SequenceFormat
from linnet.formats.sequences.spans import SPANS
from linnet.formats.sequences.tokens import TOKENS
from linnet.formats.sequences.tsv import is_header


def detect_sequences(path: str | os.PathLike[str]) -> str:
    """The format of a file that is known to hold sentences: by its ending, then by its first lines."""
    if is_stream(path):
        raise ValueError(f"{name_of(path)} can be read only once: give its format")
    row = by_ending(path, SequenceFormat)
    return by_content(head(path, HEAD)) if row is None else row.name


def detect_task(path: str | os.PathLike[str]) -> str:
    """``tag`` if the file plainly holds sentences of tokens, otherwise ``classify``.

    Plain are the endings of such formats, columns with empty lines between sentences, and JSON
    objects with a list of tokens or of spans.
    """
    if is_stream(path):
        raise ValueError(f"{name_of(path)} can be read only once: give its task and format")
    if by_ending(path, SequenceFormat) is not None:
        return "tag"
    row = by_ending(path, Format)
    if row is not None and row.name == "svmlight":  # whose empty lines mean nothing
        return "classify"
    try:
        return "classify" if evident(head(path, HEAD)) is None else "tag"
    except DataError:
        return "classify"


def by_content(source: Source) -> str:
    """Sentences for certain, so columns need no empty line; what fits nothing is running text."""
    exported = recognised(source, HEAD)
    found = evident(source) if exported is None else exported[0]
    if found is not None:
        return found
    lines = _lines(source)
    if lines and lines[0].lstrip().startswith((b'{"', b"[")) and first_values(source.data[:HEAD]):
        return "spans"  # texts without any
    return _columns(lines, parted=False) or "text"


def evident(source: Source) -> str | None:
    """The format if the first lines can hardly be anything else."""
    exported = recognised(source, HEAD)
    if exported is not None:
        return exported[0] if exported[1] == SENTENCES else None
    lines = _lines(source)
    filled = [line for line in lines if line.strip()]
    if not filled or all(map(SVMLIGHT.fullmatch, filled)):  # rows of numbered features
        return None
    return _json(source) or _conllu(filled) or _columns(lines, parted=True)


def evident_columns(path: str | os.PathLike[str]) -> tuple[str | None, int]:
    """The format if it is evident, and how many cells its lines have where blanks divide them."""
    source = head(path, HEAD)
    found = evident(source)
    filled = [line for line in _lines(source) if line.strip()]
    return found, len(filled[0].split()) if found == "conll" and b"\t" not in filled[0] else 0


def _lines(source: Source) -> list[bytes]:
    """The first lines, without one that may be cut off and empty ones around them."""
    data = source.data[check_encoding(source) : HEAD]
    lines = data.split(b"\n")
    if len(lines) > 1 and len(source.data) >= HEAD:
        lines.pop()
    lines = [line.rstrip(b"\r") for line in lines]
    while lines and not lines[-1].strip():
        lines.pop()
    return lines


def _json(source: Source) -> str | None:
    data = source.data[check_encoding(source) : HEAD]
    record: Any = next(iter(first_values(data)), None) if data.lstrip()[:1] in (b"{", b"[") else None
    if not isinstance(record, dict):
        return None
    if any(isinstance(record.get(name), list) for name in TOKENS):
        return "tokens"
    spans = next((record[name] for name in SPANS if isinstance(record.get(name), list)), None)
    if isinstance(record.get("text"), str) and spans is not None:
        plain = "spans" in record or "entities" in record
        return "spans" if plain or any(isinstance(span, (list, dict)) for span in spans) else None
    return None


def _conllu(lines: list[bytes]) -> str | None:
    tokens = [line.split(b"\t") for line in lines if not line.startswith(b"#")]
    good = all(len(cells) == 10 and re.fullmatch(rb"\d+([-.]\d+)?", cells[0]) for cells in tokens)
    return "conllu" if tokens and good else None


def _columns(lines: list[bytes], *, parted: bool) -> str | None:
    """Columns of tokens, of as many cells on every line; ``parted``: there must be empty lines."""
    if parted and all(line.strip() for line in lines):
        return None
    filled = [line for line in lines if line.strip() and not line.startswith(BOUNDARY.encode())]
    blanks = {len(line.split()) for line in filled}
    tabs = {line.count(b"\t") + 1 for line in filled}
    if min(tabs, default=1) > 1:
        cells = [cell for line in filled for cell in line.split(b"\t")[1:] if cell]
        if len(tabs) > 1 or all(re.search(rb"[=:\[]", cell) for cell in cells):
            return "crfsuite"
        if parted and _texts(filled):
            return None
        headed = [name.decode(errors="replace").lower() for name in filled[0].split(b"\t")]
        return "conll" if blanks == tabs and not is_header(headed) else "tsv"
    return "conll" if len(blanks) == 1 and min(blanks) > 1 else None


def _texts(lines: list[bytes]) -> bool:
    """Labels and texts with a gap between them, not tokens: tags hold no blanks, words seldom do."""
    cells = [line.strip().split(b"\t") for line in lines]
    wordy = sum(b" " in row[0] for row in cells)
    return any(b" " in row[-1] for row in cells) or 2 * wordy > len(cells)
