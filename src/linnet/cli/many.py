"""Many files answered by one command, each into a file of its own: ``--into DIR``.

An answer appears when it is complete, and what is there is not made again: a command that was cut off
goes on when it is run once more. What answers are of (model, options, input) is written beside them, so
that nobody takes them for others.
"""

from __future__ import annotations

import contextlib
import io
import json
import os
from collections.abc import Mapping, Sequence
from functools import lru_cache, partial
from pathlib import Path
from typing import Any

import click

from linnet.errors import DataError

JOURNAL = ".linnet-answers.json"
UNSAID = ("output", "into", "engine", "shards", "threads")  # options that change no answer


def answer(command: str, model: str, data: Sequence[str], given: dict[str, Any]) -> None:
    """One file, or standard input, to where ``-o`` says; or all of them into a folder."""
    files = list(data)
    into, engine = given["into"], given["engine"]
    if into is None:
        if len(files) > 1:
            raise click.UsageError(f"there are {len(files)} files; say --into DIR to have them all")
        if engine is not None:
            raise click.UsageError("--engine shares out files: say --into DIR")
        one(command, model, files[0], given)
        return
    if given["output"] != "-":
        raise click.UsageError("-o and --into are two places for the answers; give one")
    _task(command, model, given)  # is the model there, and are the options for it?
    targets = _targets(files, Path(into))
    journal = _Journal(Path(into), command, model, given)
    waiting = [name for name in files if not journal.has(name, targets[name])]
    if len(waiting) < len(files):
        click.echo(f"{len(files) - len(waiting)} of {len(files)} files were answered before", err=True)
    failed = []
    told = {**given, "engine": None, "into": None}
    calls = partial(_in_worker, command, os.path.abspath(model), told, _sources())
    work = [(os.path.abspath(name), os.path.abspath(targets[name])) for name in waiting]
    from linnet import engines

    done = len(files) - len(waiting)
    shared = engines.resolve("local" if engine is None else engine)
    for place, (said, error) in shared.tasks(calls, work):
        name = waiting[place]
        click.echo(said, err=True, nl=False)
        if error is not None:
            failed.append(name)
            click.echo(f"{name}: {error}", err=True)
            continue
        done += 1
        journal.add(name)
        click.echo(f"{targets[name]} ({done} of {len(files)})", err=True)
    if failed:
        raise DataError(
            f"{len(failed)} of {len(files)} files have no answer ({', '.join(failed[:3])}"
            f"{', …' if len(failed) > 3 else ''}); mend them and run the command again"
        )


def one(command: str, model: str, data: str, given: dict[str, Any]) -> None:
    """Answer a file."""
    task, loaded = _task(command, model, given)
    task.does("predict").run(loaded, model, data, given)


def _task(command: str, model: str, given: Mapping[str, Any]) -> tuple[Any, Any]:
    """What is to be done, and the model that does it."""
    from linnet.cli.files import load, load_for
    from linnet.cli.tasks import TASKS, task_of_model

    if command != "predict":
        return TASKS[command], load_for(TASKS[command], model, given["threads"])
    loaded = load(model, given["threads"], given)
    task = task_of_model(loaded)
    task.check_model(model)
    return task, loaded


class _Given(dict[str, Any]):
    """Options, the same ones for all files of a worker."""

    def __hash__(self) -> int:  # type: ignore[override]
        return hash(repr(sorted(self.items())))


_once = lru_cache(maxsize=1)(lambda command, model, _, given: _task(command, model, given))

Sources = dict[str, Any]  # where each option comes from


def _sources() -> Sources:
    ctx = click.get_current_context()
    return {name: ctx.get_parameter_source(name) for name in ctx.params}


def _in_worker(
    command: str, model: str, given: dict[str, Any], sources: Sources, data: str, output: str
) -> tuple[str, str | None]:
    """What was said about a file, and why there is no answer, if there is none."""
    said = io.StringIO()
    ctx = click.Context(click.Command(command), info_name=command)
    for name, source in sources.items():
        ctx.set_parameter_source(name, source)
    with contextlib.redirect_stderr(said), ctx:
        try:
            task, loaded = _once(command, model, tuple(_state(model)), _Given(given))
            task.does("predict").run(loaded, model, data, {**given, "output": output})
        except click.ClickException as error:
            return said.getvalue(), error.format_message()
        except (ValueError, OSError, RuntimeError) as error:
            return said.getvalue(), str(error)
    return said.getvalue(), None


def _targets(files: Sequence[str], into: Path) -> dict[str, str]:
    """A file for each, of the same name."""
    if "-" in files:
        raise click.UsageError("--into is for files; standard input has no name")
    found: dict[str, str] = {}
    for name in files:
        target = str(into / os.path.basename(name))
        if target in found.values():
            raise click.UsageError(
                f"two files are called {os.path.basename(name)}, and would have one answer; give them "
                "other names, or another folder each"
            )
        if os.path.exists(target) and os.path.samefile(target, name):
            raise click.UsageError(f"--into {into}: {name} is read, and would be lost")
        found[name] = target
    return found


class _Journal:
    """What the answers in a folder are of."""

    def __init__(self, into: Path, command: str, model: str, given: Mapping[str, Any]) -> None:
        self.path = into / JOURNAL
        made = {
            "command": command,
            "model": _fingerprint(model),
            "options": {
                k: v for k, v in sorted(given.items()) if k not in UNSAID and v not in (None, False)
            },
        }
        self.made = json.loads(json.dumps(made, default=str))
        self.files: dict[str, list[int]] = {}
        into.mkdir(parents=True, exist_ok=True)
        if self.path.exists():
            self._read(into)
        self._write()

    def _read(self, into: Path) -> None:
        try:
            found = json.loads(self.path.read_text())
            before, self.files = found["made"], dict(found["files"])
        except (ValueError, KeyError, TypeError, OSError):
            raise DataError(f"{self.path} is damaged; remove it, and all is answered anew") from None
        for part, told in (("model", "another model"), ("command", "another command"),
                           ("options", "other options")):  # fmt: skip
            if before.get(part) != self.made[part]:
                raise DataError(f"{into} has answers of {told}; give another folder, or remove it")

    def has(self, name: str, target: str) -> bool:
        """Is its answer there, and of the file as it is?"""
        return os.path.exists(target) and self.files.get(os.path.abspath(name)) == _state(name)

    def add(self, name: str) -> None:
        """It is there."""
        self.files[os.path.abspath(name)] = _state(name)
        self._write()

    def _write(self) -> None:
        from linnet._writing import replacing

        with replacing(self.path) as file:
            file.write(json.dumps({"made": self.made, "files": self.files}, indent=1).encode())


def _state(path: str) -> list[int]:
    try:
        found = os.stat(path)
    except OSError:
        return []
    return [found.st_size, found.st_mtime_ns]


def _fingerprint(path: str) -> str:
    import hashlib

    try:
        with open(path, "rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()
    except OSError as error:
        raise DataError(f"{path}: {error.strerror}") from None
