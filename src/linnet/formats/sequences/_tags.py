"""Tags of tokens, as readers find them and writers need them."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np

import linnet._core as _core
from linnet.data.examples import LabelColumn
from linnet.data.sequences import MISSING, Sequences
from linnet.errors import DataError
from linnet.formats._lines import label_column
from linnet.formats.sequences._options import Tags

NO_TAG = "_"  # how a missing tag is written


def read_tags(
    cells: _core.Texts, missing: str | None, error: Callable[[int, str], DataError]
) -> LabelColumn:
    """Number the tags; ``missing`` gets the code -1. ``error`` complains of a token's line."""
    column = label_column(
        cells,
        None,
        lambda i: _core.text_bytes(cells, i, i + 1)[0],
        lambda i, message: error(i, message.replace("the label", "the tag")),
    )
    if missing is None or missing not in column.names:
        return column
    gone = column.names.index(missing)
    codes = column.codes - (column.codes > gone)
    codes[column.codes == gone] = MISSING
    names = [name for name in column.names if name != missing]
    return LabelColumn(names, codes.astype(np.int32))


def gold_tags(sequences: Sequences) -> list[str | None] | None:
    """The tags of all tokens in a row, None where one is missing; None: there are no tags."""
    if sequences.labels is None:
        return None
    names: list[str | None] = [*sequences.labels.names, None]
    return [names[code] for code in sequences.labels.codes.tolist()]


def written(tags: Tags) -> Iterator[bytes]:
    return ((NO_TAG if tag is None else tag).encode() for tag in tags)
