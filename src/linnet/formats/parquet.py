"""Parquet, by pyarrow (the extra ``arrow``). A column of lists of labels is multi-label."""

from __future__ import annotations

import io
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

import linnet._core as _core
from linnet.data.examples import Examples, LabelColumn
from linnet.errors import DataError
from linnet.formats._access import Source
from linnet.formats._columns import NAMED, choose, column, doubled, guesses, renamed, weights
from linnet.formats._json import parse
from linnet.formats._lines import listed_labels
from linnet.formats._missing import kept
from linnet.formats._names import named
from linnet.formats._options import Format, Options
from linnet.formats._ranges import Range
from linnet.formats._writing import clean_labels, decoded_texts


def _arrow() -> Any:
    try:
        import pyarrow
        import pyarrow.parquet
    except ImportError:
        raise DataError("Parquet needs pyarrow: pip install 'linnet[arrow]'") from None
    return pyarrow


@contextmanager
def _told(pa: Any, name: str) -> Iterator[None]:
    """What Arrow says of a file that it cannot read, with the name of the file.

    Of bytes in memory an OSError is damage, too: pages that cannot be unpacked.
    """
    try:
        yield
    except (pa.ArrowException, OSError, UnicodeDecodeError) as damage:
        raise DataError(f"{name} is not Parquet, or damaged: {_line(damage)}") from None


def _line(damage: Exception) -> str:
    return " ".join(str(damage).split())[:200]


def read(source: Source, options: Options) -> Examples:
    pa = _arrow()
    with _told(pa, source.name):
        file = _File(pa, pa.BufferReader(source.data), source.name, options)
        table = file.parquet.read(columns=file.columns)
    if not table.num_rows:
        raise DataError(f"{source.name} holds no rows")
    return file.examples(table, 0)


def parts(path: str | Range, size: int, options: Options) -> Iterator[Examples]:
    """Of at most ``size`` rows, group after group; the file is never in memory as a whole."""
    pa, name = _arrow(), str(path)
    with _told(pa, name), open(path, "rb") as opened:
        if isinstance(path, Range):
            path.check()
        file = _File(pa, opened, name, options)
        every = file.parquet.metadata
        if not every.num_rows:
            raise DataError(f"{name} holds no rows")
        chosen = range(path.begin, path.end) if isinstance(path, Range) else range(every.num_row_groups)
        first = sum(every.row_group(group).num_rows for group in range(chosen.start))
        for batch in file.parquet.iter_batches(size, row_groups=chosen, columns=file.columns):
            if batch.num_rows:
                yield file.examples(pa.Table.from_batches([batch]), first)
                first += batch.num_rows
        if isinstance(path, Range):
            path.check()


def groups(path: str, size: int) -> list[tuple[int, int, int]]:
    """Row groups of about ``size`` bytes: the first, the one after the last, and their bytes."""
    pa = _arrow()
    with _told(pa, path), open(path, "rb") as opened:
        every = pa.parquet.ParquetFile(opened).metadata
        found: list[tuple[int, int, int]] = []
        begin = taken = 0
        for group in range(every.num_row_groups):
            row = every.row_group(group)
            taken += sum(row.column(k).total_compressed_size for k in range(row.num_columns))
            if taken >= size or group + 1 == every.num_row_groups:
                found.append((begin, group + 1, taken))
                begin, taken = group + 1, 0
    return found


class _File:
    """A file whose columns have been chosen, and examples of its rows."""

    def __init__(self, pa: Any, source: Any, name: str, options: Options) -> None:
        self.pa, self.name, self.options = pa, name, options
        self.parquet = pa.parquet.ParquetFile(source)
        names = self.parquet.schema_arrow.names
        if (twice := doubled(names)) is not None:
            raise DataError(f"{name}: two columns are called {twice!r}; rename one")
        self.roles = choose(names, options, name, by_place=True)
        self.columns = None if options.records else self.roles.all()
        self.features = _features(self.parquet.schema_arrow.metadata)

    def examples(self, table: Any, first: int) -> Examples:
        """Of a table of rows, which are counted from ``first`` on."""
        pa, roles, options = self.pa, self.roles, self.options

        def error(i: int, message: str) -> DataError:
            return DataError(f"{self.name}, row {first + i + 1}: {message}")

        with _told(pa, self.name):
            text = _strings(pa, table[roles.text], roles.text, self.name)
            policy, left = options.missing, None
            if policy is not None:
                labels = [] if roles.label is None else _unlabelled(pa, table[roles.label], options)
                nulls = text.is_null().to_pylist()
                rows = range(first + 1, first + table.num_rows + 1)
                left = kept(policy, error, rows, self.name, nulls, labels)
                text = text.fill_null("")
                if left is not None:
                    table, text = table.take(left), text.take(left)
            if text.null_count:
                raise error(text.is_null().to_pylist().index(True), f"{roles.text!r} is null")
            read = {roles.label, roles.weight, *roles.columns} - {None}
            cells = {name: table[name].to_pylist() for name in read}
        notes = guesses(roles, options, self.name)
        if roles.label is not None:
            given = cells[roles.label]
            given, named_by = named(
                given, roles.label, options.label_names, self.name, error, self.features
            )
            cells[roles.label] = given
            notes += named_by
        places = np.arange(table.num_rows, dtype=np.int64) if left is None else np.array(left, np.int64)
        return Examples(
            _core.Texts.from_arrow(text),
            _labels(pa, table[roles.label], cells[roles.label], options, error)
            if roles.label is not None
            else None,
            weights(roles.weight, cells[roles.weight], error) if roles.weight else None,
            {
                name: column(name, cells[name], error, typed=True, missing=policy)
                for name in roles.columns
            },
            source=self.name,
            lines=places + first + 1,
            notes=(*notes, *renamed(roles, options, self.name)),
            names=roles.names,
            records=table.to_pylist() if options.records else None,
        )


def _features(metadata: Any) -> Any:
    """Those of a data set of Hugging Face, which its files carry."""
    try:
        return parse((metadata or {})[b"huggingface"])["info"]["features"]
    except (KeyError, TypeError, ValueError):
        return None


def _strings(pa: Any, values: Any, name: str, file: str) -> Any:
    kind = values.type
    if pa.types.is_dictionary(kind):
        return _strings(pa, values.cast(kind.value_type), name, file)
    if not (pa.types.is_string(kind) or pa.types.is_large_string(kind)):
        raise DataError(f"{file}: column {name!r} must hold strings; it holds {kind}")
    return values


def _unlabelled(pa: Any, values: Any, options: Options) -> list[bool]:
    """Which have no label; where labels are lists, an example may have none by right."""
    several = options.multilabel or pa.types.is_list(values.type)
    nulls: list[bool] = values.is_null().to_pylist()
    return [not several and null for null in nulls]


def _labels(pa: Any, values: Any, cells: list[Any], options: Options, error: Any) -> LabelColumn | None:
    lists = pa.types.is_list(values.type) or pa.types.is_large_list(values.type)
    if lists and options.multilabel is None:
        options = Options(labelled=True, multilabel=True)
    rows = [cell if lists and cell is not None else [cell] for cell in cells]
    labels = [[_label(label) for label in row if label is not None] for row in rows]
    return listed_labels(labels, options, error)


def _label(value: Any) -> bytes:
    if isinstance(value, bool):
        return b"true" if value else b"false"
    return str(value).encode()


def write(examples: Examples, lossy: bool) -> Iterator[bytes]:
    pa = _arrow()
    table: dict[str, Any] = {}
    if examples.labels is not None:
        names = list(clean_labels(examples, "Parquet", r"[^\s\S]"))
        table["label"] = (
            pa.array(names, pa.list_(pa.string()))
            if examples.labels.multilabel
            else pa.array([name for (name,) in names], pa.string())
        )
    table["text"] = pa.array(decoded_texts(examples, "Parquet", lossy), pa.large_string())
    if examples.weights is not None:
        table["weight"] = pa.array(examples.weights)
    taken = set(table) & set(examples.columns)
    if taken:
        raise DataError(f"a column may not be called {taken.pop()!r} in Parquet")
    for name, values in examples.columns.items():
        kind = pa.string() if values.dtype == object else pa.float64()
        table[name] = pa.array(values.tolist(), kind)
    out = io.BytesIO()
    pa.parquet.write_table(pa.table(table), out)
    yield out.getvalue()


FORMAT = Format(
    name="parquet",
    about="Apache Parquet, with pyarrow",
    endings=(".parquet", ".pq"),
    options=frozenset({*NAMED, "labelled", "multilabel"}),
    carries=frozenset({"texts", "labels", "multilabel", "weights", "columns"}),
    by_line=False,
    parts=parts,
    read=read,
    write=write,
)
