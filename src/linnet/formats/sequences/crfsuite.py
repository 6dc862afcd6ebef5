r"""CRFsuite: ``label<TAB>attribute<TAB>attribute:value …``, an empty line after each sentence.

In a name ``\:`` stands for a colon and ``\\`` for a backslash. A line ``@weight:2`` before a
sentence is its weight. An attribute that is given twice counts twice.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

import linnet._core as _core
from linnet.data.examples import LabelColumn
from linnet.data.matrix import CsrRows
from linnet.data.sequences import Sequences
from linnet.errors import DataError
from linnet.formats._access import Source
from linnet.formats._source import start_of_sentences
from linnet.formats.sequences._cells import unsaid
from linnet.formats.sequences._options import SequenceFormat, SequenceOptions
from linnet.formats.sequences._tags import read_tags, tag_strings
from linnet.formats.sequences.conll import check_lines

WEIGHT = "@weight:"
NO_TAG = "_"


def read(source: Source, options: SequenceOptions) -> Sequences:
    found = _core.find_tokens(
        np.frombuffer(source.data, np.uint8),
        start_of_sentences(source),
        tabs=True,
        ragged=True,
        comment="@",
    )
    check_lines(source, found)
    lines = found["lines"] + source.first_line
    flat: _core.Texts = found["columns"][0]
    cells = found["cells"]
    labels = None
    is_attribute = np.ones(len(flat), np.bool_)
    if options.labelled is not False:
        is_attribute[cells[:-1]] = False
        labels = read_tags(
            flat.take(cells[:-1]),
            options.missing,
            lambda i, message: source.error(int(lines[i]), message),
        )
    at = np.flatnonzero(is_attribute)
    row_of = np.repeat(np.arange(len(lines)), np.diff(cells))[at]
    names, values, bad = _core.read_attributes(flat.take(at))
    if bad >= 0:
        raise source.error(
            int(lines[row_of[bad]]),
            f"{flat[int(at[bad])]!r} has no finite number after its colon; \\: stands for a colon",
        )
    rows, known = _rows(names, values, row_of, len(lines))
    return Sequences(
        {},
        found["offsets"],
        labels,
        _weights(source, found),
        rows,
        known,
        lines=lines,
        source=source.name,
    )


def _rows(
    names: _core.Texts, values: NDArray[np.float32], row_of: NDArray[np.int64], tokens: int
) -> tuple[CsrRows, list[str]]:
    codes, known = names.codes()
    if known and known[0] == "":  # a tab too many
        filled = codes > 0
        codes, values, row_of, known = codes[filled] - 1, values[filled], row_of[filled], known[1:]
    key = row_of * max(len(known), 1) + codes
    order = np.argsort(key, kind="stable")
    key, values = key[order], values[order]
    fresh = np.concatenate([[True], key[1:] != key[:-1]]) if len(key) else np.zeros(0, np.bool_)
    starts = np.flatnonzero(fresh)
    sums = np.add.reduceat(values, starts) if len(starts) else values
    indices = (key[starts] % max(len(known), 1)).astype(np.int32)
    counts = np.bincount(key[starts] // max(len(known), 1), minlength=tokens)
    indptr = np.concatenate([np.zeros(1, np.int64), np.cumsum(counts)])
    return CsrRows(indptr, indices, sums.astype(np.float32), len(known), distinct=True), known


def _weights(source: Source, found: dict[str, object]) -> NDArray[np.float64] | None:
    """Of sentences, if any has one."""
    asides: _core.Texts = found["aside"]  # type: ignore[assignment]
    offsets: NDArray[np.int64] = found["aside_offsets"]  # type: ignore[assignment]
    if not len(asides):
        return None
    weights = np.ones(len(offsets) - 1)
    for i, (begin, end) in enumerate(zip(offsets.tolist(), offsets[1:].tolist(), strict=False)):
        for k in range(begin, end):
            line = asides[k]
            number = re.fullmatch(re.escape(WEIGHT) + r"\s*(\d+\.?\d*(?:[eE][-+]?\d+)?)\s*", line)
            if number is None:
                raise DataError(f"{source.name}, sentence {i + 1}: {line!r} is not {WEIGHT}number")
            weights[i] = float(number[1])
    return weights


def write(sequences: Sequences, predicted: LabelColumn | None) -> Iterator[bytes]:
    rows = sequences.attributes
    if rows is None or sequences.attribute_names is None:
        raise DataError("CRFsuite's format holds attributes, not columns; write 'conll' or 'tokens'")
    tags = tag_strings(predicted or sequences.labels or unsaid(sequences))
    for tag in {tag for tag in tags if tag is not None}:
        if not tag or re.search(r"^@|[\t\r\n]", tag):
            raise DataError(f"CRFsuite's format cannot hold the tag {tag!r}")
    names = [_escaped(name) for name in sequences.attribute_names]
    ends, indices, values = rows.indptr.tolist(), rows.indices.tolist(), rows.values
    lines = []
    for i, cell in enumerate(NO_TAG if tag is None else tag for tag in tags):
        span = range(ends[i], ends[i + 1])
        entries = [
            names[indices[k]]
            if values[k] == 1
            else b"%s:%s" % (names[indices[k]], str(values[k]).encode())
            for k in span
        ]
        lines.append(b"\t".join([cell.encode(), *entries]))
    bounds = sequences.offsets.tolist()
    for i, (begin, end) in enumerate(pairwise(bounds)):
        if sequences.weights is not None:
            yield f"{WEIGHT}{float(sequences.weights[i])}\n".encode()
        yield b"\n".join(lines[begin:end]) + b"\n\n"


def _escaped(name: str) -> bytes:
    if not name or re.search(r"[\t\r\n]", name):
        raise DataError(f"CRFsuite's format cannot hold the attribute {name!r}")
    return name.replace("\\", "\\\\").replace(":", "\\:").encode()


FORMAT = SequenceFormat(
    name="crfsuite",
    about="label, tab, attributes with tabs between them",
    endings=(".crfsuite",),
    options=frozenset({"labelled", "missing"}),
    by_line=False,
    comment="@",
    read=read,
    write=write,
)
