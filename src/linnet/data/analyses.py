"""A morphological dictionary: which analyses forms may have, each a (upos, xpos, feats).

The last ones may be left out. ``_`` says nothing of upos and xpos; of feats, that there are
none.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from typing import Any

from linnet.data.sequences import UNSAID
from linnet.data.text_file import text_lines
from linnet.errors import DataError

COLUMNS = ("upos", "xpos", "feats")


def read_analyses(path: str | os.PathLike[str]) -> dict[str, list[tuple[str, ...]]]:
    """Lines of form, upos, xpos and feats with tabs between; a form may have several."""
    found: dict[str, list[tuple[str, ...]]] = {}
    for number, line in enumerate(text_lines(path), 1):
        form, *cells = line.split("\t")
        if not line.strip():
            continue
        if not form or not 1 <= len(cells) <= len(COLUMNS) or "" in cells:
            raise DataError(
                f"{os.fspath(path)}, line {number}: a line of a dictionary is a form and its upos, "
                f"xpos and feats, with tabs between; _ where nothing is said of upos and xpos"
            )
        found.setdefault(form, []).append(tuple(cells))
    if not found:
        raise DataError(f"{os.fspath(path)} names no form: a dictionary has a line for each analysis")
    return found


def allowed_values(analyses: Any) -> dict[str, dict[str, list[str]]]:
    """By column, the values that forms may have there; where one analysis does not say, any will do.

    >>> allowed_values({"saw": [("VERB", "VBD"), ("NOUN",)]})
    {'upos': {'saw': ['NOUN', 'VERB']}}
    """
    if isinstance(analyses, (str, os.PathLike)):
        analyses = read_analyses(analyses)
    if not isinstance(analyses, Mapping):
        raise ValueError(
            f"dictionary must be {{form: [(upos, xpos, feats), …]}} or the path of a file, not "
            f"{analyses!r:.40}"
        )
    found: dict[str, dict[str, list[str]]] = {}
    for form, each in analyses.items():
        rows = [_analysis(form, analysis) for analysis in _listed(form, each)]
        for k, column in enumerate(COLUMNS):
            if rows and all(k < len(row) and _says(column, row[k]) for row in rows):
                found.setdefault(column, {})[form] = sorted({row[k] for row in rows})
    return found


def _says(column: str, value: str) -> bool:
    return column == "feats" or value != UNSAID


def _listed(form: Any, analyses: Any) -> list[Any]:
    if not isinstance(form, str) or isinstance(analyses, str) or not isinstance(analyses, Iterable):
        raise ValueError(
            f"dictionary of {form!r}: a list of (upos, xpos, feats) is wanted, not {analyses!r:.40}"
        )
    return list(analyses)


def _analysis(form: str, analysis: Any) -> list[str]:
    cells: list[Any] = list(analysis) if isinstance(analysis, (list, tuple)) else [None]
    if not 1 <= len(cells) <= len(COLUMNS) or not all(isinstance(c, str) and c for c in cells):
        raise ValueError(f"dictionary of {form!r}: {analysis!r:.40} is no (upos, xpos, feats)")
    return cells
