"""svmlight (LIBSVM): ``label index:value … # comment``, one row per line, labels kept as written.

Several labels are joined by commas. Indices count from 1 unless the index 0 occurs.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np

from linnet.data.examples import Examples
from linnet.data.matrix import CsrRows
from linnet.errors import DataError
from linnet.formats._access import Source
from linnet.formats._lines import Lines, listed_labels
from linnet.formats._missing import keep_labelled
from linnet.formats._options import Format, Options
from linnet.formats._targets import check_no_targets, refuse_targets
from linnet.formats._writing import clean_labels

LARGEST = 2**31 - 2


def read(source: Source, options: Options) -> Examples:
    lines = Lines(source)
    labels: list[list[bytes]] = []
    kept: list[int] = []  # lines that are not comments alone
    rows: list[list[bytes]] = []
    queries = False
    if options.missing is not None and options.labelled is not False:
        begins = [line.partition(b"#")[0].split(maxsplit=1)[:1] for line in lines.all()]
        lines.keep([i for i, token in enumerate(begins) if token])  # comments lack no label
        keep_labelled(lines, options, [b":" in token[0] for token in begins if token])
    for i, line in enumerate(lines.all()):
        tokens = line.partition(b"#")[0].split()
        if not tokens:
            continue
        kept.append(i)
        labels.append([] if b":" in tokens[0] else tokens.pop(0).split(b","))
        if tokens and tokens[0].startswith(b"qid:"):
            del tokens[0]
            queries = True
        rows.append(tokens)

    def error(row: int, message: str) -> DataError:
        return lines.error(kept[row], message)

    if options.labelled is not False:
        refuse_targets(labels, error)
    notes = [f"{source.name}: qid is ignored"] if queries else []
    matrix, zero_based = _matrix(rows, options, error)
    if zero_based and options.zero_based is None:
        notes.append(f"{source.name}: the index 0 occurs, so features are counted from 0")
    return Examples(
        labels=listed_labels(labels, options, error),
        matrix=matrix,
        source=source.name,
        lines=lines.numbers[np.array(kept, np.int64)],
        notes=tuple(notes),
        zero_based=zero_based,
    )


Error = Callable[[int, str], DataError]


def _matrix(rows: list[list[bytes]], options: Options, error: Error) -> tuple[CsrRows, bool]:
    """The rows, and whether features are counted from 0."""
    indptr = np.cumsum([0, *map(len, rows)], dtype=np.int64)
    indices, values = _entries(rows, error)
    if options.zero_based is None:
        zero_based = bool(len(indices)) and int(indices.min()) == 0
    else:
        zero_based = options.zero_based
    indices -= not zero_based
    features = int(indices.max(initial=-1)) + 1 if options.features is None else options.features
    row_of = np.repeat(np.arange(len(rows)), np.diff(indptr))
    wrong = np.flatnonzero((indices < 0) | (indices >= features))
    if len(wrong):
        shown = int(indices[wrong[0]]) + (not zero_based)
        raise error(
            int(row_of[wrong[0]]),
            f"index {shown} where {features} features are counted from {int(not zero_based)}",
        )
    order = np.lexsort((indices, row_of))
    indices, values = indices[order], values[order]
    twice = np.flatnonzero((np.diff(indices) == 0) & (np.diff(row_of) == 0))
    if len(twice):
        shown = int(indices[twice[0]]) + (not zero_based)
        raise error(int(row_of[twice[0]]), f"index {shown} occurs twice")
    indices, values = indices.astype(np.int32), values.astype(np.float32)
    return CsrRows(indptr, indices, values, features, distinct=True), zero_based


def _entries(rows: list[list[bytes]], error: Error) -> tuple[np.ndarray, np.ndarray]:
    """Indices and values of all rows. The fast path splits all at once; the slow one finds faults."""
    joined = b" ".join(token for row in rows for token in row)
    parts = joined.replace(b":", b" ").split()
    size = sum(map(len, rows))
    try:
        if len(parts) != 2 * size or joined.count(b":") != size or b"_" in joined:
            raise ValueError
        indices = np.fromiter(map(int, parts[::2]), np.int64, size)
        values = np.fromiter(map(float, parts[1::2]), np.float64, size)
        if size and not (indices.min() >= 0 and indices.max() <= LARGEST):
            raise ValueError
        if size and not np.abs(values).max() <= np.finfo(np.float32).max:  # false of NaN, too
            raise ValueError
    except (ValueError, OverflowError):
        for i, row in enumerate(rows):
            for token in row:
                _check(token, i, error)
        raise
    return indices, values


def _check(token: bytes, row: int, error: Error) -> None:
    """Complain of an entry that is not index:value."""
    index, colon, value = token.partition(b":")
    try:
        good = 0 <= int(index) <= LARGEST and abs(float(value)) <= np.finfo(np.float32).max
    except ValueError:
        good = False
    if not (good and colon) or b"_" in token:
        shown = token[:40].decode(errors="replace")
        raise error(row, f"{shown!r} is not index:value with a whole number ≥ 0 and a finite number")


def write(examples: Examples, _lossy: bool) -> Iterator[bytes]:
    rows = examples.matrix
    assert rows is not None
    ends = rows.indptr.tolist()
    for i, names in enumerate(clean_labels(examples, "svmlight", r"[\s:,#]")):
        check_no_targets(i + 1, "svmlight", names)
        span = slice(ends[i], ends[i + 1])
        entries = zip((rows.indices[span] + 1).tolist(), rows.values[span].astype(str), strict=True)
        line = " ".join([",".join(names), *(f"{index}:{value}" for index, value in entries)])
        yield line.encode() + b"\n"


FORMAT = Format(
    name="svmlight",
    about="label index:value …, one row per line",
    endings=(".svm", ".libsvm", ".svmlight"),
    options=frozenset({"labelled", "missing", "multilabel", "zero_based", "features"}),
    carries=frozenset({"matrix", "labels", "multilabel"}),
    by_line=True,
    read=read,
    write=write,
)
