"""Files for a text classifier: what its data were called in training holds for others, too."""

from __future__ import annotations

import glob
import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import PurePath
from typing import Any

from linnet._lacks import gathering
from linnet.data import Examples, joined
from linnet.data.text_file import is_file_name
from linnet.formats import FORMATS, Expected, detect, expanded, read, read_batches

BESIDE = ("numeric", "categorical")  # columns beside the text


def learnt_from(model: Any) -> dict[str, Any]:
    """What a model remembers of its data; nothing before it is fitted."""
    record = getattr(model, "record_", None)
    return {} if record is None else dict(record.data)


def remembered(examples: Examples) -> dict[str, Any]:
    """What to remember of a file: its format, and what text and label are called in it."""
    names = {role: name for role, name in examples.names.items() if role != "weight"}
    return {"format": examples.format} | names if examples.format else {}


def columns_of(model: Any, anew: bool = False) -> dict[str, tuple[str, ...]]:
    """Those beside the text that a model looks at, by kind; ``anew``: by its settings alone."""
    features = model.features if anew else getattr(model, "features_", model.features)
    if features is None:  # characters as they are
        return dict.fromkeys(BESIDE, ())
    owner = model if isinstance(features, str) else features
    return {kind: _listed(getattr(owner, kind)) for kind in BESIDE}


def _listed(names: Any) -> tuple[str, ...]:
    return (names,) if isinstance(names, str) else tuple(names)


def expected_of(model: Any) -> Expected:
    """By what the format of a file is known."""
    learnt = learnt_from(model)
    names = [learnt.get("text"), learnt.get("label")]
    names += [name for several in columns_of(model).values() for name in several]
    return Expected(learnt.get("format"), tuple(name for name in names if name))


def form_of(model: Any, path: Any, expected: Expected) -> str:
    """As in training if it was said of files with this ending; otherwise as the data show."""
    learnt = learnt_from(model)
    if "ending" in learnt and learnt["ending"] == ending_of(path):
        return str(learnt["format"])
    return detect(path, expected=expected)


def ending_of(path: Any) -> str:
    """The last ending of a name, before .gz."""
    return PurePath(os.fspath(path).removesuffix(".gz")).suffix.lower()


def names_for(model: Any, form: str) -> dict[str, Any]:
    """Settings of a reader: names that were given hold, others if the file has them."""
    taken = FORMATS[form].options if form in FORMATS else frozenset()
    learnt = learnt_from(model)
    found: dict[str, Any] = {}
    if "usual_text" in taken:
        found = {f"usual_{role}": learnt.get(role) for role in ("text", "label")}
        if model.text != "text":
            found["text"] = model.text  # it was said
    elif "text" in taken and form == learnt.get("format"):  # a namespace
        found = {"text": learnt.get("text")}
    if "header" in taken and form == learnt.get("format") and learnt.get("header") is False:
        found["header"] = False
    return {name: value for name, value in found.items() if value is not None}


def _beside(model: Any, form: str) -> dict[str, Any]:
    """Columns that a model looks at, and what it does about missing values."""
    columns = tuple(name for several in columns_of(model).values() for name in several)
    beside: dict[str, Any] = {"columns": columns} if columns else {}
    if "missing" in FORMATS[form].options:
        beside["missing"] = model.missing
    return beside


def read_file(model: Any, path: Any) -> Examples:
    """A whole file, for training, scoring or prediction."""
    form = form_of(model, path, expected_of(model))
    return read(path, form, **names_for(model, form), **_beside(model, form))


@dataclass(frozen=True)
class TextFile:
    """A file of labelled texts, and how it is read."""

    path: str
    form: str
    options: Mapping[str, Any]

    @classmethod
    def of(cls, model: Any, path: str) -> TextFile:
        """As a model would read it whole."""
        form = form_of(model, path, expected_of(model))
        return cls(path, form, names_for(model, form) | _beside(model, form))

    def read(self) -> Examples:
        """All of it."""
        return read(self.path, self.form, **self.options)

    def holds_texts(self) -> bool:
        """And not numbers; its first examples are looked at."""
        with gathering():
            first = next(self.parts(self.path), None)
        return first is None or first.texts is not None

    def parts(self, arriving: Any) -> Iterator[Examples]:
        """Some examples at a time."""
        options = dict(self.options)
        if "labelled" in FORMATS[self.form].options:
            options["labelled"] = True
        for examples in read_batches(arriving, self.form, **options):
            yield replace(examples, format=self.form)


def named_files(X: Any, y: Any) -> list[str] | None:
    """The files that X names, if it names files: one, several, or a pattern of names."""
    if isinstance(X, os.PathLike) or is_file_name(X):
        return [os.fspath(X)]
    if isinstance(X, str) and y is None and glob.has_magic(X) and glob.glob(X, recursive=True):
        return expanded([X])
    several = isinstance(X, (list, tuple)) and len(X) > 0 and y is None
    if several and all(isinstance(one, os.PathLike) or _names(one) for one in X):
        return expanded(X)
    return None


def _names(one: Any) -> bool:
    """A file, or a pattern of names: no text that lacks its label."""
    return isinstance(one, str) and (is_file_name(one) or bool(glob.has_magic(one) and glob.glob(one)))


def read_files(model: Any, paths: list[str]) -> Examples:
    """Whole files, one after the other."""
    return joined([TextFile.of(model, path).read() for path in paths])
