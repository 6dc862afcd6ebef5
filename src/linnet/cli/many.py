"""Many files answered by one command, each into a file of its own: ``--into DIR``.

An answer appears when it is complete, and what is there is not made again: a command that was cut off
goes on when it is run once more. Large files are answered in pieces (`linnet.cli.pieces`), side by side
where there are machines for it; what is there is told by the journal (`linnet.cli.journal`).
"""

from __future__ import annotations

import contextlib
import io
import os
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache, partial
from pathlib import Path
from typing import Any, NamedTuple

import click

from linnet.cli.following import Tell, following, lasting, silently
from linnet.cli.journal import Journal, state
from linnet.cli.options import was_given
from linnet.cli.pieces import File, Piece, ranges_of, size_of
from linnet.errors import DataError


def answer(command: str, model: str, data: Sequence[str], given: dict[str, Any]) -> None:
    """One file, or standard input, to where ``-o`` says; or all of them into a folder."""
    names = list(data)
    if given["into"] is None:
        if len(names) > 1:
            raise click.UsageError(f"there are {len(names)} files; say --into DIR to have them all")
        for option, does in (("engine", "shares out files"), ("piece", "is of files")):
            if given[option] is not None:
                raise click.UsageError(f"--{option} {does}: say --into DIR")
        one(command, model, names[0], given)
        return
    if given["output"] != "-":
        raise click.UsageError("-o and --into are two places for the answers; give one")
    size = size_of(given)
    task, loaded = _task(command, model, given)  # is the model there, and are the options for it?
    into = Path(given["into"])
    files = _targets(names, into)
    journal = Journal(into, command, model, given)
    waiting = _waiting(files, journal, partial(ranges_of, task, loaded, given=given, size=size))
    before = sum(not file.pieces for file in files)
    job = _Job(files, journal, sum(piece.size for piece in waiting), len(waiting), before)
    calls = partial(_in_worker, command, os.path.abspath(model), _told(given), _sources())
    with following(job, "pieces", line=job.line) as tell:
        for file in files:
            if file.pieces and not file.left:  # they are only to be joined
                job.finish(file, tell)
        sent: list[Piece] = []
        for place, done in _engine(given).tasks(calls, _items(waiting, sent)):
            job.take(sent[place], done, tell)
    job.end()


def one(command: str, model: str, data: str, given: dict[str, Any]) -> None:
    """Answer a file."""
    task, loaded = _task(command, model, given)
    task.does("predict").run(loaded, model, data, given)


def _task(command: str, model: str, given: Mapping[str, Any]) -> tuple[Any, Any]:
    """What is to be done, and the model that does it."""
    from linnet.cli.files import load, load_for
    from linnet.cli.tasks import task_of_model

    if command != "predict":
        loaded = load_for(command, model, given["threads"])
    else:
        loaded = load(model, given["threads"], given)
    task = task_of_model(loaded)
    task.check_model(model)
    return task, loaded


def _targets(names: Sequence[str], into: Path) -> list[File]:
    """A file for each, of the same name."""
    if "-" in names:
        raise click.UsageError("--into is for files; standard input has no name")
    found: dict[str, File] = {}
    for name in names:
        target = str(into / os.path.basename(name))
        if target in found:
            raise click.UsageError(
                f"two files are called {os.path.basename(name)}, and would have one answer; give them "
                "other names, or another folder each"
            )
        if os.path.exists(target) and os.path.samefile(target, name):
            raise click.UsageError(f"--into {into}: {name} is read, and would be lost")
        found[target] = File(len(found), name, target)
    return list(found.values())


def _waiting(files: list[File], journal: Journal, cut: Callable[[Any], Any]) -> list[Piece]:
    """All pieces that are to be answered."""
    waiting: list[Piece] = []
    before = 0
    for file in files:
        if journal.has(file.key, file.target):
            before += 1
            file.sweep(set())
            continue
        file.cut(*cut(file.name))
        left = file.waiting(journal)
        waiting += left
        if len(left) < len(file.pieces):
            click.echo(
                f"{len(file.pieces) - len(left)} of {len(file.pieces)} pieces of {file.name} "
                "were answered before",
                err=True,
            )
    if before:
        click.echo(f"{before} of {len(files)} files were answered before", err=True)
    return waiting


def _engine(given: dict[str, Any]) -> Any:
    """Where pieces are answered. A worker has one core there unless threads are asked for."""
    from linnet import engines

    name = given["engine"]
    if name is None or name == "local":
        return engines.resolve("local")
    return engines.resolve(name, cpus=_threads(given))


def _threads(given: dict[str, Any]) -> int:
    return int(given["threads"]) if given["engine"] in (None, "local") or was_given("threads") else 1


def _told(given: dict[str, Any]) -> dict[str, Any]:
    """The options, for whoever answers one file."""
    return {**given, "engine": None, "into": None, "piece": None, "threads": _threads(given)}


def _items(waiting: list[Piece], sent: list[Piece]) -> Iterator[tuple[Any, str]]:
    """What to answer, one after the other; what is wrong in one piece makes the others needless."""
    for piece in waiting:
        if piece.file.error is None:
            sent.append(piece)
            yield piece.data, piece.output


class _Done(NamedTuple):
    """What became of a piece."""

    said: str
    error: str | None  # why there is no answer
    lacks: list[Any]  # what was missing in it


@dataclass
class _Job:
    """All files, and how far they are; as a source of `following` it knows bytes."""

    files: list[File]
    journal: Journal
    size: int
    pieces: int
    answered: int
    taken: int = 0
    examples: int | None = None
    lacks: dict[tuple[int, int], list[Any]] = field(default_factory=dict)

    def take(self, piece: Piece, done: _Done, tell: Tell) -> None:
        """What was done of a piece."""
        file = piece.file
        self.taken += piece.size
        tell(1)
        self.lacks[file.number, piece.number] = done.lacks
        file.said[piece.number] = done.said
        if done.error is not None:
            if file.error is None:
                tell.say(*file.notes(), f"{file.name}: {done.error}")
            file.error = done.error
            return
        self.journal.add(piece.key, piece.output)
        file.left -= 1
        if not file.left and file.error is None:
            self.finish(file, tell)

    def finish(self, file: File, tell: Tell) -> None:
        """A file is answered."""
        file.finish(self.journal)
        self.answered += 1
        tell.say(*file.notes(), f"{file.target} ({self.answered} of {len(self.files)})")

    def line(self, done: int, what: str, seconds: float, share: float | None) -> str:
        """How far it is."""
        from linnet._memory import shown

        said = [f"{done} of {self.pieces} {what}", f"{shown(self.taken)} of {shown(self.size)}"]
        if share:
            said.append(f"{lasting(seconds * (1 / share - 1))} left")
        return ", ".join(said)

    def end(self) -> None:
        """What was missing in all of them, and which have no answer."""
        from linnet.data.missing import tell

        for place in sorted(self.lacks):
            tell(self.lacks[place])
        failed = [file.name for file in self.files if file.error is not None]
        if failed:
            raise DataError(
                f"{len(failed)} of {len(self.files)} files have no answer ({', '.join(failed[:3])}"
                f"{', …' if len(failed) > 3 else ''}); mend them and run the command again"
            )


Sources = dict[str, Any]  # where each option comes from


def _sources() -> Sources:
    ctx = click.get_current_context()
    return {name: ctx.get_parameter_source(name) for name in ctx.params}


@lru_cache(maxsize=1)
def _once(command: str, model: str, _: Any, given: tuple[tuple[str, Any], ...]) -> tuple[Any, Any]:
    """The same model for all pieces of a worker, as long as its file is the same."""
    return _task(command, model, dict(given))


def _in_worker(
    command: str, model: str, given: dict[str, Any], sources: Sources, data: Any, output: str
) -> _Done:
    """Answer a piece, wherever this is."""
    from linnet._lacks import gathering
    from linnet.cli import _as_option, _tell
    from linnet.errors import settings_written

    said, error = io.StringIO(), None
    ctx = click.Context(click.Command(command), info_name=command)
    for name, source in sources.items():
        ctx.set_parameter_source(name, source)
    with contextlib.ExitStack() as stack:
        stack.enter_context(contextlib.redirect_stderr(said))
        stack.enter_context(warnings.catch_warnings())
        warnings.showwarning = _tell
        for context in (ctx, silently(), settings_written(_as_option)):
            stack.enter_context(context)
        lacks = stack.enter_context(gathering())
        try:
            task, loaded = _once(command, model, state(model), tuple(given.items()))
            task.does("predict").run(loaded, model, data, {**given, "output": output})
        except click.ClickException as raised:
            error = raised.format_message()
        except (ValueError, OSError, RuntimeError) as raised:
            error = str(raised)
    return _Done(said.getvalue(), error, list(lacks.values()))
