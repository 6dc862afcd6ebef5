"""Examples made for the tests, and what is compared of them."""

from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np

from linnet import _core
from linnet.data.examples import Examples, LabelColumn
from linnet.data.matrix import CsrRows


def examples(texts: list[str] | list[bytes], labels: list[Any] | None = None, **parts: Any) -> Examples:
    column = None if labels is None else LabelColumn.from_values(labels)
    return Examples(_core.Texts.from_list(texts), column, **parts)


def rows(entries: list[dict[int, float]], features: int) -> CsrRows:
    indptr = np.cumsum([0, *map(len, entries)], dtype=np.int64)
    indices = [index for row in entries for index in sorted(row)]
    values = [row[index] for row in entries for index in sorted(row)]
    return CsrRows(indptr, np.array(indices, np.int32), np.array(values, np.float32), features)


def content(found: Examples) -> dict[str, Any]:
    """All that a file must bring back."""
    out: dict[str, Any] = {"texts": list(found.raw_texts())}
    if found.labels is not None:
        out["labels"] = found.labels.values()
    if found.weights is not None:
        out["weights"] = found.weights.tolist()
    out["columns"] = {name: values.tolist() for name, values in found.columns.items()}
    if found.matrix is not None:
        names = found.feature_names or range(found.matrix.features)
        ends = found.matrix.indptr.tolist()
        entries = [
            (names[i], v)
            for i, v in zip(found.matrix.indices.tolist(), found.matrix.values.tolist(), strict=True)
        ]
        out["rows"] = [dict(entries[b:e]) for b, e in pairwise(ends)]
    return out


def file(folder: Path, name: str, data: bytes | str) -> Path:
    path = folder / name
    path.write_bytes(data.encode() if isinstance(data, str) else data)
    return path
