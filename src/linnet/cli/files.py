"""Files that commands read and write: models, and data of any task."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, TypeVar

import click

from linnet.cli.tasks import TASKS, task_of_model
from linnet.errors import DataError, EmptyError

B = TypeVar("B")


def is_pipe(path: str | os.PathLike[str]) -> bool:
    """Can it be read only once?"""
    return os.fspath(path) == "-" or Path(path).is_fifo()


def opened(path: Any) -> Any:
    """A pipe that is read whole, and looked at before; a file is the file."""
    from linnet.formats import Arriving

    piped = not isinstance(path, Arriving) and is_pipe(path)
    return Arriving(path, whole=True) if piped else path


def arriving(path: Any) -> Any:
    """A file or a pipe whose lines are answered as they come."""
    from linnet.formats import Arriving

    return path if isinstance(path, Arriving) else Arriving(path)


def filled(path: Any, batches: Iterable[B], what: str = "sentences") -> Iterator[B]:
    """Batches as they come. A file without any is a mistake; of a pipe nothing in is nothing out."""
    from linnet.formats import part_of
    from linnet.formats._access import name_of

    path, found = arriving(path), False
    try:
        for batch in batches:
            found = True
            yield batch
    except EmptyError:
        if path.size is not None:
            raise
        return
    if not found and path.size is not None and part_of(path) is None:
        raise EmptyError(f"{name_of(path)} {f'holds no {what}' if path.size else 'is empty'}")


def tell_notes(data: Any) -> None:
    """What the reader passed over or took for granted."""
    for note in data.notes:
        click.echo(f"note: {note}", err=True)


def reads_far() -> bool:
    """Are there workers elsewhere, who read files by themselves?"""
    from linnet import engines

    engine = engines.in_use()
    return engine is not None and engine.far


def tell_all(notes: Iterable[str], given: Mapping[str, Any]) -> None:
    """The same of notes that were gathered."""
    for note in () if given["quiet"] else notes:
        click.echo(f"note: {note}", err=True)


def load(path: str, threads: int = 1, given: Mapping[str, Any] | None = None) -> Any:
    """A model file; what was given may name the user's code that the model needs."""
    import linnet

    names = ("preprocessor", "tokenizer", "trust_hooks")
    model = linnet.load(path, **{name: given[name] for name in names if given and given.get(name)})
    model.n_jobs = threads
    return model


def load_for(command: str, path: str, threads: int = 1) -> Any:
    """A model of the tasks that a command is for."""
    model = load(path, threads)
    found = task_of_model(model)
    if found.command != command:
        wanted = next(task.model for task in TASKS.values() if task.command == command)
        raise click.UsageError(
            f"{path} is no {wanted}, but a {found.model}; use linnet {found.command}"
        )
    return model


def check_retagging(model: Any, given: dict[str, Any]) -> None:
    """Only a model that has taggers tags."""
    if given["retag"] and not model.taggers_ and not getattr(model, "tags_words", False):
        raise click.UsageError("--retag: the model has no tagger")


def check_same_words(gold: Any, guess: Any) -> None:
    """Two files of sentences are of the same words, in the same sentences."""
    import numpy as np

    names = [next(name for name in ("form", "word", *one.columns) if name in one.columns) for one in
             (gold, guess)]  # fmt: skip
    ours, theirs = gold.columns[names[0]], guess.columns[names[1]]
    same = min(gold.tokens, guess.tokens)
    for t in range(same):
        if ours[t] != theirs[t]:
            raise DataError(
                f"{gold.where(t)} has {ours[t]!r}, but {guess.where(t)} {theirs[t]!r}; the same words "
                f"are wanted"
            )
    if gold.tokens != guess.tokens or not np.array_equal(gold.offsets, guess.offsets):
        raise DataError(
            f"{gold.source} has {gold.tokens} words in {len(gold)} sentences, {guess.source} "
            f"{guess.tokens} in {len(guess)}; the same sentences are wanted"
        )


def rival(path: str, given: dict[str, Any], model: Any) -> Any:
    """A second model, to be compared with one at ``path``: of the same kind."""
    other = load(given["against"], given["threads"], {"trust_hooks": given.get("trust_hooks")})
    ours, theirs = task_of_model(model), task_of_model(other)
    if ours is not theirs:
        raise DataError(f"{given['against']} is a {theirs.model}, and {path} a {ours.model}")
    return other
