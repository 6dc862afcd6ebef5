"""Trees as the rules that they use, and what is known of trees that are hidden: plain arrays."""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from linnet.data.brackets import Brackets
from linnet.errors import DataError
from linnet.grammars.binarising import family
from linnet.grammars.shape import ChartShape

Ids = NDArray[np.int32]
Places = NDArray[np.int64]


@dataclass(frozen=True)
class Derivations:
    """Of each sentence a tree of a grammar, or what is known of it.

    ``tags`` has the number of the tag of each word, -1 if it is not known. Sentence i uses the rules
    ``rules[starts[i]:starts[i + 1]]``, unary ones numbered after binary ones, over the words ``begins``
    to ``ends`` - 1; if it is ``hidden``, it has the phrases ``known_starts[i]:known_starts[i + 1]`` and
    any others.
    """

    tags: Ids
    starts: Places
    rules: Ids
    begins: Ids
    ends: Ids
    hidden: NDArray[np.uint8]
    known_starts: Places
    known_begins: Ids
    known_ends: Ids
    known_labels: Ids

    def __len__(self) -> int:
        """How many sentences."""
        return len(self.hidden)

    def part(self, begin: int, end: int, first: int, last: int) -> Derivations:
        """Sentences [begin, end), which are the words [first, last)."""
        a, b = int(self.starts[begin]), int(self.starts[end])
        c, d = int(self.known_starts[begin]), int(self.known_starts[end])
        return Derivations(
            tags=self.tags[first:last].copy(),
            starts=self.starts[begin : end + 1] - a,
            rules=self.rules[a:b].copy(),
            begins=self.begins[a:b].copy(),
            ends=self.ends[a:b].copy(),
            hidden=self.hidden[begin:end].copy(),
            known_starts=self.known_starts[begin : end + 1] - c,
            known_begins=self.known_begins[c:d].copy(),
            known_ends=self.known_ends[c:d].copy(),
            known_labels=self.known_labels[c:d].copy(),
        )

    def knowing(self, starts: Any, begins: Any, ends: Any, labels: Any) -> Self:
        """The same with phrases that are known."""
        return replace(
            self,
            known_starts=np.ascontiguousarray(starts, np.int64),
            known_begins=np.ascontiguousarray(begins, np.int32),
            known_ends=np.ascontiguousarray(ends, np.int32),
            known_labels=np.ascontiguousarray(labels, np.int32),
        )

    @classmethod
    def joined(cls, parts: list[Derivations]) -> Self:
        """All sentences of several, one after the other."""
        found = []
        for each in fields(cls):
            arrays = [getattr(part, each.name) for part in parts]
            if each.name.endswith("starts"):
                ends = np.cumsum([0, *(int(array[-1]) for array in arrays)])
                arrays = [array[1:] + end for array, end in zip(arrays, ends[:-1], strict=True)]
                arrays.insert(0, np.zeros(1, np.int64))
            found.append(np.concatenate(arrays))
        return cls(*found)

    @classmethod
    def unknown(cls, lengths: NDArray[Any]) -> Self:
        """Nothing is known of sentences so long."""
        count = len(lengths)
        ids, zeros = np.zeros(0, np.int32), np.zeros(count + 1, np.int64)
        return cls(
            np.full(int(lengths.sum()), -1, np.int32),
            zeros,
            ids,
            ids,
            ids,
            np.ones(count, np.uint8),
            zeros,
            ids,
            ids,
            ids,
        )

    @classmethod
    def of_trees(cls, trees: Brackets, shape: ChartShape) -> Self:
        """Of binary trees whose outermost phrase is the start, by rules of the grammar."""
        code = {name: k for k, name in enumerate(shape.symbols)}
        tag = {shape.symbols[k]: number for number, k in enumerate(shape.tags.tolist())}
        binary = {tuple(rule): r for r, rule in enumerate(shape.binary.tolist())}
        unary = {tuple(rule): r + len(binary) for r, rule in enumerate(shape.unary.tolist())}
        tags: list[int] = []
        rules: list[tuple[int, int, int]] = []
        starts = [0]
        for i, tree in enumerate(trees):
            try:
                tags += [tag[name] for name in tree.tags]
                children, _, _ = family(tree)
                for (begin, end, label), own in zip(tree.spans(), children, strict=True):
                    key = (code[label], *(code[child[2]] for child in own))
                    rules.append(((binary if len(own) == 2 else unary)[key], begin, end))
            except KeyError:
                raise DataError(
                    f"{trees.where(i)}: the tree has a rule that is none of the grammar's"
                ) from None
            starts.append(len(rules))
        table = np.array(rules, np.int32).reshape(-1, 3)
        return replace(
            cls.unknown(trees.lengths),
            tags=np.array(tags, np.int32),
            starts=np.array(starts, np.int64),
            rules=np.ascontiguousarray(table[:, 0]),
            begins=np.ascontiguousarray(table[:, 1]),
            ends=np.ascontiguousarray(table[:, 2]),
            hidden=np.zeros(len(trees), np.uint8),
        )

    @classmethod
    def of_known(cls, trees: Brackets, shape: ChartShape, tags: bool = True) -> Self:
        """Trees whose phrases are known but not their rules; others may be there, too.

        Labels and, with ``tags``, tags that the grammar does not have are errors; a tag of ``""`` or
        ``_`` is not known.
        """
        nothing = cls.unknown(trees.lengths)
        number = {name: k for k, name in enumerate(shape.labels)}
        missing = [name for name in trees.labels.names if name not in number]
        used = {trees.labels.names[k] for k in np.unique(trees.labels.codes).tolist()}
        for name in missing:
            if name in used:
                raise DataError(f"the trees have phrases {name!r}, of which the grammar has none")
        codes = np.array([number.get(name, 0) for name in trees.labels.names], np.int32)
        named = {shape.symbols[k]: j for j, k in enumerate(shape.tags.tolist())}
        found = nothing.tags
        if tags:
            seen, names = trees.sequences.columns["pos"].codes()
            for name in names:
                if name not in named and name not in ("", "_"):
                    raise DataError(f"the trees have the tag {name!r}, of which the grammar has none")
            found = np.array([*(named.get(name, -1) for name in names), -1], np.int32)[seen]
        codes = codes[trees.labels.codes] if len(trees.labels.codes) else np.zeros(0, np.int32)
        return replace(nothing, tags=found).knowing(trees.starts, trees.begins, trees.ends, codes)
