"""Where what is made of files that are larger than memory lies, and when it is used again."""

from __future__ import annotations

import json
import os
import tempfile
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from hashlib import blake2b
from pathlib import Path
from typing import Any, BinaryIO

from linnet._memory import byte_size, resident, shown
from linnet._writing import replacing
from linnet.data.sections import DamagedError, Stored
from linnet.errors import DataError, DataWarning, outside, setting
from linnet.formats import Watched
from linnet.formats._source import is_stream

LEAST = 28 * 10**6  # bytes beside what is there at the start: below, nothing can be done
VERSION = 2


class OutgrownError(DataError):
    """The vocabulary does not fit below the limit."""

    def __init__(self, why: str, advice: str) -> None:
        super().__init__(f"{why}; {advice}")
        self.why = why


class Inputs:
    """Files that stay as they are, however often they are read; pipes are read once."""

    def __init__(self, paths: Sequence[Any]) -> None:
        self.pipes = [path for path in paths if is_stream(path)]
        self.watched = [None if is_stream(path) else Watched(path) for path in paths]

    def stamps(self) -> list[list[Any]]:
        """By what the inputs are known."""
        return [watched.stamp.key() for watched in self.watched if watched is not None]

    def hashes(self) -> list[str]:
        """Of the contents, once they have been read."""
        return ["" if watched is None else watched.stamp.hash for watched in self.watched]

    def facts(self) -> dict[str, Any]:
        """What is kept of them beside what was made of them."""
        return {"stamps": self.stamps(), "hashes": self.hashes()}

    def check_same(self, facts: dict[str, Any], where: str) -> None:
        """Stamps are the same, or where only the time is another, the contents are."""
        for watched, stamp, hash_ in zip(self.watched, facts["stamps"], facts["hashes"], strict=True):
            assert watched is not None
            if watched.stamp.key() == stamp:
                continue
            if watched.stamp.size == stamp[1]:
                with watched.reading():
                    pass
                if watched.stamp.hash == hash_:
                    continue
            raise DamagedError(f"{where}: {watched.path} has changed since its rows were kept")


class Cache:
    """A folder, or else the place of temporary files."""

    def __init__(self, folder: str | None, inputs: Inputs) -> None:
        self.folder, self.inputs = folder, inputs
        self.place = folder or tempfile.gettempdir()
        if folder is not None:
            with told_of(folder):
                os.makedirs(folder, exist_ok=True)

    def path(self, kind: str, *known: Any) -> str | None:
        """Where something is kept, by all that it depends on; None: it is not."""
        if self.folder is None or self.inputs.pipes:
            return None
        text = json.dumps([VERSION, kind, *known], default=repr)
        name = blake2b(text.encode(), digest_size=8).hexdigest()
        return os.path.join(self.folder, f"linnet-{name}.{kind}")

    def reused(self, path: str | None, needed: str) -> Stored | None:
        """What is kept there, if it is whole and of the same inputs."""
        if path is None:
            return None
        try:
            with told_of(path):
                stored = Stored.at(path)
            if stored is None:
                return None
            self.inputs.check_same(stored.facts, str(self.folder))
            stored.check()
            if needed not in stored.facts:
                raise DamagedError("it has not all that is needed")
        except DamagedError as error:
            made_anew(error)
            return None
        return stored

    @contextmanager
    def written(self, path: str) -> Iterator[BinaryIO]:
        """A file that appears there as a whole."""
        with told_of(path), replacing(path) as file:
            yield file

    @staticmethod
    def kept(path: str) -> Stored:
        """What was just written."""
        stored = Stored.at(path)
        if stored is None:
            raise DataError(f"{path} is gone: somebody has removed it")
        return stored


def made_anew(why: Exception) -> None:
    """Tell of what was kept and cannot be used."""
    warnings.warn(f"{why}; it is made anew", DataWarning, stacklevel=outside())


@contextmanager
def told_of(place: str) -> Iterator[None]:
    """What the system says of the place where rows are kept."""
    try:
        yield
    except OSError as error:
        where = Path(os.fsdecode(error.filename or place))
        raise DataError(
            f"{where}: rows cannot be written or read there: {error.strerror or error}; "
            f"{setting('cache')} names another place"
        ) from None


def limit_of(memory: Any) -> int | None:
    """The setting in bytes."""
    return None if memory is None else byte_size("memory", memory)


def check_limit(limit: int | None) -> float:
    """How much there is at the start, which leaves something to work with."""
    at_start = resident()
    if limit is not None and limit < at_start + LEAST:
        raise DataError(
            f"{setting('memory')} is {shown(limit)}, and Python with Linnet has {shown(at_start)} "
            f"already: give {shown(at_start + LEAST)} or more"
        )
    return at_start
