"""Labels that are integers, as Hugging Face's data sets have them, and where their names are found."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from linnet.errors import DataError, setting
from linnet.formats._json import parse

BESIDE = ("dataset_info.json", "dataset_infos.json")  # what stands beside the files of a data set
DIGITS = re.compile(r"[0-9]+")


def named(
    cells: list[Any],
    key: str,
    asked: tuple[str, ...],
    file: str,
    error: Callable[[int, str], DataError],
    features: Any = None,
) -> tuple[list[Any], list[str]]:
    """Cells (integers, digits, or lists of such) by their names, and a note of where these are from.

    Names are ``asked`` for (in their order, or a file of them), or those of ``features`` that came with
    the data, or of a file beside it. Without any, and where not all are integers, nothing changes.
    """
    items = (item for cell in cells for item in _items(cell) if item is not None)
    if not all(map(_is_number, items)):
        if asked:
            raise DataError(f"{file}: {setting('label_names')}: {key!r} holds no integers to be named")
        return cells, []
    names, where = _names(key, asked, file, features)
    if not names:
        return cells, []

    def name(i: int, item: Any) -> Any:
        if item is None:
            return None
        if not 0 <= int(item) < len(names):
            raise error(i, f"{item} of {key!r} has no name; there are names for 0 to {len(names) - 1}")
        return names[int(item)]

    out = [[name(i, k) for k in c] if isinstance(c, list) else name(i, c) for i, c in enumerate(cells)]
    return out, [f"{file}: the integers of {key!r} are named by {where}"] if where else []


def _items(cell: Any) -> list[Any]:
    return cell if isinstance(cell, list) else [cell]


def _is_number(item: Any) -> bool:
    if isinstance(item, str):
        return DIGITS.fullmatch(item) is not None
    return isinstance(item, int) and not isinstance(item, bool)


def _names(key: str, asked: tuple[str, ...], file: str, features: Any) -> tuple[list[str], str]:
    if len(asked) == 1 and os.path.isfile(asked[0]):
        return _of_file(asked[0], key), asked[0]
    if asked:
        return list(asked), ""
    if names := _of_features(features, key):
        return names, "the features of the file"
    if not os.path.isfile(file):  # a pipe
        return [], ""
    for path in (Path(file).parent / name for name in BESIDE):
        if path.is_file() and (names := _of_info(_parsed(path), key)):
            return names, str(path)
    return [], ""


def _of_file(path: str, key: str) -> list[str]:
    """A name per line, or the features of a data set."""
    if path.endswith(".json"):
        found = _of_info(_parsed(Path(path)), key)
        if not found:
            raise DataError(f"{path} has no names of {key!r}")
        return found
    try:
        lines = Path(path).read_text(encoding="utf-8").splitlines()
        return [line.strip() for line in lines if line.strip()]
    except UnicodeDecodeError:
        raise DataError(f"{path} is not UTF-8; a name per line is wanted") from None


def _parsed(path: Path) -> Any:
    try:
        return parse(path.read_bytes())
    except ValueError as error:
        raise DataError(f"{path} is not JSON: {error}") from None


def _of_info(info: Any, key: str) -> list[str]:
    """Of ``{"features": …}``, such objects by configuration, features alone, or a list of names."""
    if isinstance(info, list):
        return [str(name) for name in info]
    if not isinstance(info, dict):
        return []
    several = [part.get("features") for part in info.values() if isinstance(part, dict)]
    found = (_of_features(features, key) for features in (info.get("features"), *several, info))
    return next(filter(None, found), [])


def _of_features(features: Any, key: str) -> list[str]:
    """The names of a ClassLabel, or of those of a list."""
    feature = features.get(key) if isinstance(features, dict) else None
    return next((names for names in _found(feature)), [])


def _found(feature: Any) -> Iterator[list[str]]:
    while isinstance(feature, (dict, list)):
        if isinstance(feature, list):
            feature = feature[0] if feature else None
            continue
        names = feature.get("names")
        if isinstance(names, list) and names and all(isinstance(name, str) for name in names):
            yield names
        feature = feature.get("feature")
