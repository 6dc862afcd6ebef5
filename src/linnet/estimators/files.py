"""Estimators to model files and back: every family has its own way, found by a table."""

from __future__ import annotations

import os
from importlib import import_module
from typing import Any

from linnet.persistence import read

Path = str | os.PathLike[str]

# Who reads a model file, by the kind that it says it is of.
KINDS = {
    "linear classifier": ("linnet.estimators.linear.file", "load_linear"),
    "parser": ("linnet.estimators.parsing.file", "load_parser"),
    "tagger": ("linnet.estimators.tagging.file", "load_tagger"),
    "text classifier": ("linnet.estimators.text.file", "load_text"),
}


def save(estimator: Any, path: Path, dtype: Any = None) -> None:
    """Write a fitted estimator to a model file: its own ``save``, as a function.

    ``dtype`` is of linear classifiers, whose weights may be cast.
    """
    estimator.save(path, **({} if dtype is None else {"dtype": dtype}))


def load(path: Path) -> Any:
    """The model in a file, fitted and ready to predict; the weights are mapped, not read.

    Loading never runs anything that is in the file. A file that is damaged, or is no model file, raises
    `linnet.persistence.ModelFileError`.
    """
    file = read(path)
    if file.kind not in KINDS:
        raise file.error(f"there is no kind of model {file.kind!r:.60}; a later linnet may know it")
    room, name = KINDS[file.kind]
    return getattr(import_module(room), name)(file)
