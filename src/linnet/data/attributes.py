"""Attributes of tokens as CRFsuite's users write them."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

import linnet._core as _core
from linnet.data.matrix import CsrRows
from linnet.errors import DataError


def attribute_rows(
    sentences: Iterable[Iterable[Any]],
) -> tuple[CsrRows, list[str], NDArray[np.int64]]:
    """A row for each token, the names of attributes, and where sentences begin.

    A token is an iterable of names, each of value 1, or a dict: a number or boolean is the value of
    its name; a string ``v`` makes the attribute ``name=v`` of value 1; a dict, list, tuple or set
    makes attributes ``name:…`` (python-crfsuite writes ``name:v``, too). Names are numbered by first
    occurrence, as CRFsuite does it; a name met twice in a token has the sum of its values.

    >>> rows, names, offsets = attribute_rows([[{"w": "on", "length": 2}, ["w=on", "last"]]])
    >>> names, rows.indices.tolist(), offsets.tolist()
    (['w=on', 'length', 'last'], [0, 1, 0, 2], [0, 2])
    """
    reader = _core.AttributeReader()
    try:
        offsets, arrays = reader.read(sentences)
    except (TypeError, ValueError) as error:
        raise DataError(f"X: {error}") from None
    ends = reader.name_offsets.tolist()
    data = reader.name_bytes.tobytes()
    names = [data[begin:end].decode(errors="replace") for begin, end in pairwise(ends)]
    return CsrRows(*arrays, reader.size, distinct=True), names, offsets
