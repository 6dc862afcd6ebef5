"""Sentences and trees in ranges of files, as workers read them: looked at once, then learnt from."""

from __future__ import annotations

import io
import json
import os
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from hashlib import blake2b
from typing import Any

import numpy as np

from linnet._memory import resident, shown
from linnet._params import whole
from linnet.data import Sequences, Trees
from linnet.data.joined_sentences import check_alike, join_sentences, join_trees, named_among
from linnet.data.kept import Keeping, KnownSentences, Parts
from linnet.engines import Engine, slices
from linnet.errors import DataError, setting
from linnet.estimators.ranges import LARGEST, SMALLEST, check_there, size_of_ranges
from linnet.estimators.sentence_files import FilesInParts, Seen, TreeFile
from linnet.formats import SEQUENCE_FORMATS, TREE_FORMATS, Range, ranges
from linnet.training.progress import Progress


@dataclass(frozen=True)
class SentenceRange:
    """A range of a file, and how it is read."""

    file: Any  # a SentenceFile or TreeFile
    where: Range

    def read(self) -> Any:
        """All that weighs something; None if it has no words."""
        check_there(self.where)
        self.where.check()
        found = [self.file.weighing(some) for some in self.file.parts(self.where)]
        if not found:
            return None
        return join_trees(found) if isinstance(self.file, TreeFile) else join_sentences(found)


def look(source: SentenceRange, seen: Seen) -> tuple[dict[str, Any], dict[str, Any], dict[str, Any]]:
    """A task: what is known of the sentences of a range, what was seen, what to tell."""
    keeping, data = Keeping(io.BytesIO()), source.read()
    told: dict[str, Any] = {"layout": [], "notes": []}
    if data is not None:
        sentences = data if isinstance(data, Sequences) else data.sequences
        told = {"layout": list(sentences.layout or sentences.columns), "notes": [*sentences.notes]}
        if len(data):
            seen.add(data)
            keeping.add(data)
    sums = [row["sum"] for row in keeping.sections.table.values()]
    return keeping.found() | {"sums": sums}, seen.facts(), told


def on_range(call: Callable[[Any], Any], source: SentenceRange) -> Any:
    """A task: what a call finds in the sentences of a range."""
    data = source.read()
    return None if data is None or not len(data) else call(data)


class RangedSentences(KnownSentences):
    """Known by a first pass over all ranges, by the workers of an engine."""

    def __init__(self, files: FilesInParts, engine: Engine) -> None:
        self.engine = engine
        self.sources = _cut(files, whole("shards", engine.shards))
        self._facts: dict[str, Any] = {}
        self._sums: list[Any] = []

    def look(self, files: FilesInParts, seen: Any, verbose: bool | None) -> None:
        """The first pass; ``seen`` is what sees nothing yet, and all in the end."""
        merged: dict[str, Any] = {}
        with Progress("looking", verbose) as progress:
            answers = self.engine.in_order(look, [(source, seen.anew()) for source in self.sources])
            for number, (known, facts, told) in enumerate(answers):
                files.layout = files.layout or told["layout"]
                files.told += [note for note in told["notes"] if note not in files.told]
                self._sums += known.pop("sums")
                merged = _merged(merged, known, self.sources[number].where.path)
                seen.merge(facts)
                progress.say(f"{number + 1:,} of {len(self.sources):,} parts")
        if not merged.get("columns") and not merged.get("entries"):
            raise DataError(f"{files.files[0].path}: no sentence is left to learn from")
        self._facts, files.columns = merged, merged["columns"]

    @property
    def facts(self) -> dict[str, Any]:
        """As of `Keeping`; a piece is a range."""
        return self._facts

    def fingerprint(self) -> str:
        """Of all that was seen."""
        return blake2b(json.dumps([self._facts, self._sums]).encode(), digest_size=8).hexdigest()

    def read(self, begin: int, end: int, columns: Sequence[str] | None = None) -> Sequences:
        """The sentences of some ranges, here."""
        found = [source.read() for source in self.sources[begin:end]]
        return join_sentences([named_tags(data, self.tags) for data in found if data is not None])

    def read_trees(
        self, begin: int, end: int, roots: str, columns: Sequence[str] | None = None
    ) -> Trees:
        """The trees of some ranges, here."""
        found = [source.read() for source in self.sources[begin:end]]
        return join_trees([named_trees(t, self.relations) for t in found if t is not None])

    def parts(self, columns: Sequence[str] | None = None) -> RangedParts:
        """Range by range, where they lie."""
        return RangedParts(self, columns)

    def shards(self) -> list[RangeShard]:
        """As the engine cuts sentences: what is learnt depends on nothing else."""
        counts = [sentences for sentences, _ in self.sizes]
        found = slices(counts, self.engine.cut(self.sentences))
        names = tuple(self.tags or ()), tuple(self.relations)
        return [
            RangeShard(
                tuple((self.sources[k], first, last) for k, first, last in shard),
                *names,
                sum(self._words(*each) for each in shard),
            )
            for shard in found
        ]

    def _words(self, place: int, first: int, last: int) -> int:
        """Of some sentences of a range, about."""
        sentences, words = self.sizes[place]
        return -(-words * (last - first) // max(sentences, 1))

    def first(self, most: int) -> Any:
        """Some sentences or trees of the first range that has some."""
        place = next(k for k, (sentences, _) in enumerate(self.sizes) if sentences)
        data = self.sources[place].read()
        some = data.take(np.arange(min(most, len(data))))
        return named_tags(some, self.tags) if isinstance(some, Sequences) else some


@dataclass(frozen=True)
class RangedParts(Parts):
    """All sentences, by tasks over their ranges."""

    kept: RangedSentences

    def each(self, call: Callable[[Any], Any]) -> Iterator[Any]:
        """What a call finds in each range, in their order."""
        tags = tuple(self.kept.tags or ())
        items = [(Named(call, tags), source) for source in self.kept.sources]
        answers = self.kept.engine.in_order(on_range, items)
        return (answer for answer in answers if answer is not None)


@dataclass(frozen=True)
class Named:
    """A call on sentences whose tags are those of all."""

    call: Callable[[Any], Any]
    tags: tuple[str, ...]

    def __call__(self, data: Sequences) -> Any:
        return self.call(named_tags(data, list(self.tags)))


@dataclass(frozen=True)
class RangeShard:
    """The sentences of a shard, in slices of ranges."""

    pieces: tuple[tuple[SentenceRange, int, int], ...]
    tags: tuple[str, ...]
    relations: tuple[str, ...]
    words: int  # about

    @property
    def size(self) -> int:
        """Of sentences."""
        return sum(last - first for _, first, last in self.pieces)

    def read(self, columns: Sequence[str] | None) -> Sequences:
        """The sentences, where they are asked for."""
        return join_sentences([named_tags(data, list(self.tags)) for data in self._read()])

    def read_trees(self, roots: str, columns: Sequence[str] | None) -> Trees:
        """The trees, where they are asked for."""
        return join_trees([named_trees(trees, list(self.relations)) for trees in self._read()])

    def _read(self) -> Iterator[Any]:
        for source, first, last in self.pieces:
            data = source.read()
            yield data if last - first == len(data) else data.take(np.arange(first, last))


@dataclass(frozen=True)
class Within:
    """A shard that is read if its worker can hold it."""

    shard: RangeShard
    limit: int  # bytes of the process
    per_word: float  # bytes of a word and all that becomes of it
    beside: float  # bytes of weights and the like

    @property
    def size(self) -> int:
        """Of sentences."""
        return self.shard.size

    def read(self, columns: Sequence[str] | None) -> Sequences:
        """The sentences, if there is room."""
        self._check()
        return self.shard.read(columns)

    def read_trees(self, roots: str, columns: Sequence[str] | None) -> Trees:
        """The trees, if there is room."""
        self._check()
        return self.shard.read_trees(roots, columns)

    def _check(self) -> None:
        need, left = self.shard.words * self.per_word + self.beside, self.limit - resident()
        if need > left:
            raise DataError(
                f"a shard of {self.shard.words:,} words takes {shown(need)} with what is learnt of it, "
                f"and {setting('memory')} leaves {shown(max(left, 0))} to a worker; use more shards "
                f"({setting('shards')}), or raise {setting('memory')}"
            )


def _cut(files: FilesInParts, shards: int) -> list[SentenceRange]:
    paths = [os.path.abspath(file.path) for file in files.files]
    size = size_of_ranges(paths, shards, SMALLEST, LARGEST)
    found = []
    for file, path in zip(files.files, paths, strict=True):
        trees = isinstance(file, TreeFile)
        form = TREE_FORMATS[file.form] if trees else SEQUENCE_FORMATS[file.form]
        options = {} if trees else file.options
        found += [
            SentenceRange(replace(file, path=path), where)
            for where in ranges(path, form, size, **options)
        ]
    return found


def named_tags(data: Sequences, tags: list[str] | None) -> Sequences:
    """With codes among the tags of all sentences."""
    if data.labels is None or tags is None:
        return data
    return replace(data, labels=named_among(data.labels, tags))


def named_trees(trees: Trees, relations: list[str]) -> Trees:
    """With codes among the relations of all trees."""
    return replace(trees, relations=named_among(trees.relations, relations))


def _merged(before: dict[str, Any], more: dict[str, Any], source: str) -> dict[str, Any]:
    """What is known of sentences, and of later ones."""
    if not more["sizes"]:  # no words
        return before | {"sizes": [*before.get("sizes", ()), (0, 0)]}
    if not before.get("columns"):
        return more | {"sizes": [*before.get("sizes", ()), *more["sizes"]]}
    check_alike(
        "the files before",
        before["columns"],
        before["tags"] is not None,
        source,
        more["columns"],
        more["tags"] is not None,
    )
    found = before | {"sizes": [*before["sizes"], *more["sizes"]]}
    for name in ("missing", "entries", "weight"):
        found[name] = before[name] + more[name]
    for name in ("weighed", "trees"):
        found[name] = before[name] or more[name]
    found["relations"] = [*dict.fromkeys([*before["relations"], *more["relations"]])]
    if before["tags"] is not None:
        counts = dict(zip(before["tags"], before["tag_counts"], strict=True))
        for tag, count in zip(more["tags"], more["tag_counts"], strict=True):
            counts[tag] = counts.get(tag, 0) + count
        found["tags"], found["tag_counts"] = list(counts), list(counts.values())
    return found
