"""The tasks: labels, tags, trees, phrases, numbers, symbols.

A command finds its task, and makes one call. A task is a row of the table below and a folder beside
it, with a file for each command.
"""

from __future__ import annotations

from dataclasses import dataclass
from importlib import import_module
from typing import Any

import click

from linnet.cli.options import TaskOption, spelt, was_given
from linnet.errors import DataError


@dataclass(frozen=True)
class Task:
    """What a command must know to find its way."""

    name: str
    model: str  # what its models are
    data: str  # what its data hold
    command: str  # that predicts by its models
    commands: frozenset[str] = frozenset(
        ("train", "predict", "evaluate", "explain", "inspect", "tune", "compare", "convert")
    )

    @property
    def plural(self) -> str:
        """Several of its models."""
        kind, of, what = self.model.partition(" of ")
        return f"{kind}s{of}{what}"

    def does(self, what: str) -> Any:
        """The file of a command."""
        if what not in self.commands:
            raise click.UsageError(f"linnet {what} knows no {self.plural}")
        return import_module(f"linnet.cli.tasks.{self.name}.{what}")

    def check_options(self, subject: str) -> None:
        """Refuse options of other tasks: whose they are is said where they are declared."""
        for param in click.get_current_context().command.params:
            owners = param.tasks if isinstance(param, TaskOption) else None
            if owners is None or self.name in owners or not was_given(param.name or ""):
                continue
            *others, last = (TASKS[name].plural for name in owners)
            models = f"{', '.join(others)} and {last}" if others else last
            raise click.UsageError(f"{spelt(param.name or '')}: for {models}; {subject}")

    def check_data(self, path: str) -> None:
        """The options of a command that begins with data."""
        self.check_options(f"{path} holds {self.data}, for a {self.model}")

    def check_model(self, path: str) -> None:
        """The options of a command that begins with a model."""
        self.check_options(f"{path} is a {self.model}")


TASKS = {
    task.name: task
    for task in (
        Task("classify", "classifier", "texts", "predict"),
        Task("tag", "tagger", "sentences of tokens", "tag"),
        Task("parse", "parser", "trees", "parse"),
        Task("trees", "parser of phrases", "trees of phrases", "parse"),
        Task("regress", "regressor", "texts with numbers", "predict"),
        Task(
            "symbols",
            "classifier of symbols",
            "rows of symbols",
            "predict",
            frozenset(("train", "predict", "evaluate", "explain", "inspect", "tune", "compare")),
        ),
    )
}


def task_of_model(model: Any) -> Task:
    """As its estimator says."""
    if model.task not in TASKS:
        raise DataError(
            f"the model is a {type(model).__name__}, which commands do not know yet; use it from "
            f"Python: linnet.load(…).predict(…)"
        )
    return TASKS[model.task]


def task_of_data(asked: str | None, data: Any, form: str | None) -> Task:
    """What is to be learnt: as it was said, or as the data show."""
    from linnet.formats import BRACKET_FORMATS, has_brackets

    if form in BRACKET_FORMATS or (form is None and has_brackets(data)):
        if asked in (None, "trees"):
            return TASKS["trees"]
        raise click.UsageError(
            f"--task {asked}: {data} looks like trees of phrases, for --task trees; taggers learn from "
            f"what linnet convert makes of them, parsers from CoNLL-U"
        )
    if asked == "trees" and form is not None:
        raise click.UsageError(f"--format {form}: trees of phrases are {', '.join(BRACKET_FORMATS)}")
    return TASKS[asked or _shown(data, form)]


def task_of_answers(gold: str, given: dict[str, Any]) -> Task:
    """What two files are compared by: trees where the right one has some, and no tag is named."""
    from linnet.formats.trees import has_trees

    found = task_of_data(None, gold, given["format_"])
    named = given["label"] is not None or given["columns"] is not None
    return TASKS["parse"] if found.name == "tag" and not named and has_trees(gold) else found


def _shown(data: Any, form: str | None) -> str:
    from linnet.formats import FORMATS, SEQUENCE_FORMATS, TREE_FORMATS, detect_task
    from linnet.formats._table import by_ending
    from linnet.formats.trees import TreeFormat

    row = None if form else by_ending(data, TreeFormat)
    tree_form = form or (None if row is None else row.name)
    if tree_form in TREE_FORMATS and tree_form not in SEQUENCE_FORMATS:
        return "parse"
    if form is not None:
        if form in SEQUENCE_FORMATS and SEQUENCE_FORMATS[form].whole:
            return detect_task(data)  # an export of texts, or of sentences
        return "tag" if form in SEQUENCE_FORMATS and form not in FORMATS else "classify"
    return detect_task(data)
