"""Presets with settings of their own, in one argument: ``--preset "memory metric=overlap k=3"``."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import click

from linnet._params import settings_in
from linnet.cli.options import refuse_given

Said = Mapping[str, tuple[str, str]]  # setting: its option of the command, and what that is called
NEIGHBORS: Said = {"k": ("--neighbors", "neighbors")}
MOST_RULES: Said = {"max_rules": ("--max-iter", "max_iter")}
LISTS = ("columns",)  # settings that are lists
ELSEWHERE = ("features", "templates", "initial", "text", "missing", "n_jobs")  # no words of a preset


def preset_of(given: Mapping[str, Any]) -> tuple[str, list[str]]:
    """The name that --preset has, and the words behind it; '' where there is none."""
    name, *words = (given.get("preset") or "").split() or [""]
    return name.lower(), words


def plain_preset(given: Mapping[str, Any]) -> str:
    """The name of one whose settings are options of the command."""
    name, words = preset_of(given)
    if words:
        raise click.UsageError(
            f"--preset {name}: {words[0]!r} is no part of it; its settings are options of the command"
        )
    return name


def settings_of(kind: Any, given: Mapping[str, Any], said: Said) -> dict[str, Any]:
    """Settings of an estimator: the words behind its preset, and the options that are of these, too.

    In words ``_`` stands for a space, and commas divide a list.
    """
    name, words = preset_of(given)
    known = [setting for setting in kind._names() if setting not in ELSEWHERE]
    try:
        found = settings_in(f"--preset {name}", words, known)
    except ValueError as error:
        raise click.UsageError(str(error)) from None
    found = {setting: _listed(value) for setting, value in found.items()}
    if isinstance(found.get("columns"), str):
        found["columns"] = [found["columns"]]
    for setting, (option, parameter) in said.items():
        if given.get(parameter) is None:
            continue
        if setting in found:
            raise click.UsageError(f"{option} and {setting}= of --preset are one setting; give one")
        found[setting] = given[parameter]
    refuse_foreign(name)
    return found


def refuse_foreign(name: str) -> None:
    """Options of a preset go with no other one, nor with none."""
    for option, owner in (("neighbors", "memory"), ("initial", "brill")):
        if name != owner:
            refuse_given((option,), f"of --preset {owner} only")


def initial_of(given: Mapping[str, Any], task: str, usual: str) -> Any:
    """What rules begin with: the usual, by its name, or the model of a file."""
    from linnet.cli.files import load
    from linnet.cli.tasks import TASKS, task_of_model

    said = given.get("initial")
    if said in (None, usual):
        return usual
    model, wanted = load(said, given["threads"]), TASKS[task]
    if (found := task_of_model(model)) is not wanted:
        raise click.UsageError(
            f"--initial {said} is a {found.model}, and rules mend what a {wanted.model} says"
        )
    return model


def fixed_and_tried(
    kind: Any, given: Mapping[str, Any], said: Said
) -> tuple[dict[str, Any], dict[str, list[Any]]]:
    """The same for `linnet tune`: what has one value, and what has several, with commas, to be tried.

    A list that is one value, such as a number for each column, stays one.
    """
    fixed: dict[str, Any] = {}
    tried: dict[str, list[Any]] = {}
    options = {setting for setting, (_, name) in said.items() if given.get(name) is not None}
    for setting, value in settings_of(kind, given, said).items():
        listed = isinstance(value, list) and setting not in LISTS
        if not listed or (setting == "weights" and not isinstance(value[0], str)):
            fixed[setting] = value
            continue
        values = value if setting in options else [_one(part) for part in value]
        values = list(dict.fromkeys(values))
        if len(values) > 1:
            tried[setting] = values
        else:
            fixed[setting] = values[0]
    return fixed, tried


def tuned_by_preset(
    model: Any, tried: dict[str, list[Any]], X: Any, y: Any, dev: Any, given: Mapping[str, Any]
) -> tuple[Any, dict[str, Any]]:
    """A list or a memory, which has no settings of learning; and what was the same for all."""
    import linnet
    from linnet.cli.trials import bar, fits, held_out
    from linnet.estimators.trials import usual_of_lists

    name, words = preset_of(given)
    said = {word.partition("=")[0] for word in words}
    grid = tried or {n: list(v) for n, v in usual_of_lists(model).items() if n not in said}
    how = held_out(dict(given))
    how["progress"] = bar(fits(grid, 1 if dev is not None else how["folds"] or 5))
    fixed = {n: getattr(model, n) for n in said - grid.keys()}
    return linnet.tune(model, grid, X, y, dev=dev, **how), {"preset": name} | fixed


def _one(value: Any) -> Any:
    """One of several values: a whole number is one, and _ stands for a space."""
    if isinstance(value, str):
        return {"true": True, "false": False}.get(value.lower(), value.replace("_", " "))
    return int(value) if value == int(value) else value


def _listed(value: Any) -> Any:
    if not isinstance(value, str):
        return value
    if "," not in value:
        return value.replace("_", " ")
    parts = [part for part in value.split(",") if part]
    try:
        return [float(part) for part in parts]
    except ValueError:
        return parts
