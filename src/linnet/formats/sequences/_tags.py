"""Tags of tokens, as readers find them and writers need them."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

import linnet._core as _core
from linnet.data.examples import LabelColumn
from linnet.data.sequences import MISSING
from linnet.errors import DataError
from linnet.formats._lines import label_column


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


def tag_strings(column: LabelColumn) -> list[str | None]:
    """The tags of all tokens in a row, None where one is missing."""
    names: list[str | None] = [*column.names, None]  # the code -1 finds the last one
    return [names[code] for code in column.codes.tolist()]
