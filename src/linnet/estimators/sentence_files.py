"""Files of sentences and trees: several as one, in memory, or kept as numbers in a file."""

from __future__ import annotations

import glob
import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, field
from typing import Any, Protocol

import numpy as np

from linnet import engines
from linnet._memory import shown
from linnet._writing import scratch
from linnet.data import Sequences, Trees
from linnet.data.joined_sentences import join_sentences, join_trees
from linnet.data.kept import Keeping, Kept
from linnet.data.sections import Stored
from linnet.errors import DataError, RefusedError, setting
from linnet.estimators.caching import Cache, Inputs, told_of
from linnet.formats import (
    detect_sequences,
    detect_trees,
    expanded,
    read_sequence_batches,
    read_sequences,
    read_tree_batches,
    read_trees,
)
from linnet.formats.sequences import why_whole

ALL = 1 << 30  # sentences of a batch: whatever was read at a time
PER_TAGGED = 2500  # bytes of a token while a tagger that comes first learns from it


class Seen(Protocol):
    """Who looks at sentences as they come, and remembers something small."""

    def add(self, some: Any) -> None:
        """The next ones."""

    def facts(self) -> dict[str, Any]:
        """What is to be remembered, as JSON."""

    def anew(self) -> Seen:
        """One that has seen nothing."""

    def merge(self, facts: dict[str, Any]) -> None:
        """What another one has seen."""


@dataclass(frozen=True)
class SentenceFile:
    """A file of tagged sentences, and how it is read."""

    path: Any
    form: str
    options: dict[str, Any] = field(default_factory=dict)

    @classmethod
    def of(cls, path: str) -> SentenceFile:
        """As the file shows."""
        return cls(path, detect_sequences(path))

    def read(self) -> Sequences:
        """All of it."""
        return read_sequences(self.path, self.form, **self.options)

    def parts(self, arriving: Any) -> Iterator[Sequences]:
        """As much as is read at a time."""
        return read_sequence_batches(arriving, self.form, ALL, **self.options)

    def check(self) -> None:
        """Can it be read in parts?"""
        why = why_whole(self.path, self.form)
        if why is not None:
            raise DataError(f"{self.path} cannot be read in parts: {why}")

    @staticmethod
    def weighing(some: Sequences) -> Sequences:
        """Sentences that weigh nothing are not there."""
        if some.weights is None or some.weights.all():
            return some
        return some.take(np.flatnonzero(some.weights))


@dataclass(frozen=True)
class TreeFile:
    """A file of trees."""

    path: Any
    form: str
    options: dict[str, Any] = field(default_factory=dict)

    @classmethod
    def of(cls, path: str, roots: str) -> TreeFile:
        """As the file shows."""
        return cls(path, detect_trees(path), {"roots": roots})

    def read(self) -> Trees:
        """All of it."""
        return read_trees(self.path, self.form, **self.options)

    def parts(self, arriving: Any) -> Iterator[Trees]:
        """As much as is read at a time."""
        return read_tree_batches(arriving, self.form, ALL, **self.options)

    def check(self) -> None:
        """It can be read in parts."""

    @staticmethod
    def weighing(some: Trees) -> Trees:
        """All trees weigh the same."""
        return some


def named_files(X: Any, y: Any) -> list[str] | None:
    """The files that X names, if it names files: one, several, or a pattern of names."""
    if isinstance(X, (str, os.PathLike)):
        name = os.fspath(X)
        found = name != "-" and not os.path.exists(name) and glob.has_magic(name)
        return expanded([name]) if found and glob.glob(name, recursive=True) else [name]
    several = isinstance(X, (list, tuple)) and len(X) > 0 and y is None
    return expanded(X) if several and all(isinstance(one, (str, os.PathLike)) for one in X) else None


def read_all(files: Sequence[Any], tell: Callable[[Any], None] | None = None) -> Any:
    """Whole files, one after the other."""
    found = [file.read() for file in files]
    if tell is not None:
        for some in found:
            tell(some)
    return join_trees(found) if isinstance(files[0], TreeFile) else join_sentences(found)


class FilesInParts(Inputs):
    """Files that are gone through once, and then known as numbers."""

    def __init__(self, files: Sequence[Any]) -> None:
        self.files = list(files)
        super().__init__([file.path for file in self.files])
        self.told: list[str] = []  # what is no part of a model
        self.layout: list[str] = []  # of the first file, once it was read
        self.columns: list[str] = []
        self.dev_may_be_new = False  # held-out data with other tags are left alone, not refused

    def kept(self, cache: Cache, seen: Seen) -> Kept:
        """What is kept of them in the cache, or made anew; with what was seen on the way."""
        for file in self.files:
            file.check()
        found = self._kept(cache, seen)
        self.layout, self.columns = found.stored.facts["layout"], found.columns
        return found

    def _kept(self, cache: Cache, seen: Seen) -> Kept:
        read = [[os.path.abspath(f.path), f.form, f.options] for f in self.files]
        path = cache.path("sentences", read, type(seen).__name__)
        stored = cache.reused(path, "kept")
        if stored is not None:
            self.told.append(f"sentences are those kept in {stored.name}")
            return Kept(stored)
        with told_of(cache.place):
            if path is None:
                with scratch(cache.place) as file:
                    self._write(Keeping(file), seen)
                    return Kept(Stored(file.fileno(), cache.place))
            with cache.written(path) as file:
                self._write(Keeping(file), seen)
        return Kept(cache.kept(path))

    def _write(self, keeping: Keeping, seen: Seen) -> None:
        notes: dict[str, None] = {}
        layout: list[str] | None = None
        for file, watched in zip(self.files, self.watched, strict=True):
            with nullcontext(file.path) if watched is None else watched.reading() as arriving:
                for some in file.parts(arriving):
                    data = some if isinstance(some, Sequences) else some.sequences
                    layout = list(data.layout or data.columns) if layout is None else layout
                    notes |= dict.fromkeys(data.notes)
                    left = file.weighing(some)
                    if len(left):
                        seen.add(left)
                        keeping.add(left)
        if not keeping.sizes:
            raise DataError(f"{self.files[0].path}: no sentence is left to learn from")
        self.told += notes
        facts = {"seen": seen.facts(), "layout": layout, "form": self.files[0].form}
        keeping.finish(facts | self.facts())


def check_alone(given: Any, cache: Any) -> None:
    """Of files, and nothing is kept where an engine is."""
    if not isinstance(given, FilesInParts) and given is not None and not _are_names(given):
        raise ValueError("memory and cache are for files: give the path of one, or several")
    if cache is not None and engines.in_use() is not None:
        raise RefusedError(
            f"{setting('cache')} does not go with an engine: its workers read their shards where files "
            f"are, and keep nothing; leave out one of the two"
        )


def check_together(fits: bool, limit: int | None) -> None:
    """On an engine of this process all shards must be in memory."""
    if not fits and engines.in_use() is not None and limit is not None:
        raise RefusedError(
            f"the shards of this process do not fit into {shown(limit)} together; leave out the "
            f"engine, so that one at a time is in memory, or use the engine 'ray'"
        )


def check_read_there(why: str | None) -> None:
    """Under a limit all that is done here would be over it."""
    if why is not None:
        raise RefusedError(
            f"{setting('memory')} on an engine is for files that its workers read: {why}; leave out "
            f"one of the two"
        )


def _are_names(given: Any) -> bool:
    return isinstance(given, list) and all(isinstance(one, (str, os.PathLike)) for one in given)


def check_no_weights(sample_weight: Any) -> None:
    """Files that are read in parts have their own."""
    if sample_weight is not None:
        raise ValueError("sample_weight: weights of files that are read in parts are in them")


def shard_bytes(limit: int, left: float) -> int:
    """Of a shard in memory.

    Results go by it, and so it goes by the limit; unless little of that is ``left``, of which it is a
    quarter at the most.
    """
    size = min(limit // 8, 1 << 28)
    while size > max(left / 4, 1 << 21):
        size //= 2
    return size


def not_in_parts(what: str) -> str:
    """Why something is refused."""
    return (
        f"{what} needs all sentences at once, and {setting('memory')} leaves no room for them; leave "
        f"it out, or raise {setting('memory')}"
    )
