"""Models by name, and their files: one that is renamed over an old one is loaded in its place."""

from __future__ import annotations

import os
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from linnet.errors import DataError
from linnet.estimators.files import load
from linnet.serving.answering import ACTIONS, check_served

LOOK_AGAIN = 0.5  # seconds between two looks at a file
Mark = tuple[int, int, int]  # of a file: which one, when it was written, how long it is


def mark_of(path: str) -> Mark | None:
    """Equal as long as the file is the same; None: there is none."""
    try:
        found = os.stat(path)
    except OSError:
        return None
    return found.st_ino, found.st_mtime_ns, found.st_size


@dataclass
class Served:
    """A model, the file it came from, and what went wrong with a file that was to replace it."""

    name: str
    path: str
    model: Any
    mark: Mark | None
    replaced: int = 0
    problem: str | None = None
    looked: float = 0.0

    def told(self) -> dict[str, Any]:
        """For ``/models``."""
        return {
            "name": self.name,
            "task": self.model.task,
            "kind": type(self.model).__name__,
            "answers": [f"/{action}" for action in ACTIONS[self.model.task]],
            "labels": len(self.model.classes_),
            "replaced": self.replaced,
            "problem": self.problem,
        }


class Models:
    """Several models; the first answers where none is named.

    A damaged file, or one of another task, leaves the old model in its place, and is told of.
    """

    def __init__(self, paths: Sequence[str], threads: int = 1, **hooks: Any) -> None:
        self.threads, self.hooks = threads, hooks
        self.served: dict[str, Served] = {}
        for given in paths:
            name, _, path = given.rpartition("=")
            name = name or Path(path).stem
            if name in self.served:
                raise DataError(
                    f"two models are called {name!r}: {self.served[name].path} and {path}; write "
                    f"NAME={path}"
                )
            mark = mark_of(path)
            self.served[name] = Served(name, path, self._loaded(path), mark, looked=time.monotonic())

    def _loaded(self, path: str) -> Any:
        model = load(path, **self.hooks)
        check_served(model, path)
        model.n_jobs = self.threads
        return model

    def named(self, name: str | None) -> Served:
        """The model of that name, or the first."""
        if name is None:
            return next(iter(self.served.values()))
        if name not in self.served:
            raise DataError(f"model: there is none called {name!r}; there are {', '.join(self.served)}")
        return self.served[name]

    def due(self, served: Served) -> bool:
        """Is it time for a look, and is there another file? Cheap enough for every request."""
        now = time.monotonic()
        if now - served.looked < LOOK_AGAIN:
            return False
        served.looked = now
        mark = mark_of(served.path)
        return mark is not None and mark != served.mark

    def renew(self, served: Served) -> None:
        """Load the file anew; whoever is being answered keeps the old model until the end."""
        mark = mark_of(served.path)
        try:
            model = self._loaded(served.path)
            if model.task != served.model.task:
                raise DataError(f"{served.path}: a model for {model.task} in place of one for "
                                f"{served.model.task}")  # fmt: skip
        except (DataError, ValueError, OSError) as error:
            served.problem, served.mark = str(error), mark
            return
        served.model, served.mark, served.problem = model, mark, None
        served.replaced += 1
