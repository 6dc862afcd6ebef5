"""Numbers in the column of labels."""

from __future__ import annotations

from typing import Any

from linnet.cli.tasks.classify import data as _data
from linnet.formats._targets import taking_targets


def read(path: Any, given: dict[str, Any], model: Any = None) -> Any:
    """Examples whose labels are numbers."""
    with taking_targets():
        return _data.read(path, given, model)


def read_all(paths: list[Any], given: dict[str, Any]) -> Any:
    """The examples of all files, one after the other."""
    with taking_targets():
        return _data.read_all(paths, given)


def targets_of(examples: Any) -> Any:
    """One for each example; what is none is told by its line."""
    from linnet.estimators.text.regressor import label_numbers

    return label_numbers(examples.labels, examples)
