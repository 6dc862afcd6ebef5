"""Trees of phrases: the words and tags of sentences, and labelled brackets around them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

import linnet._core as _core
from linnet.data.bracket_spans import check_nested, label_table
from linnet.data.bracket_tree import BracketTree, Constituent
from linnet.data.examples import LabelColumn, take_ragged
from linnet.data.sequences import MISSING, Places, Sequences, tag_column, token_strings
from linnet.errors import DataError

TRACE = "-NONE-"  # the tag of what is not heard


@dataclass(frozen=True)
class Brackets:
    """The trees of one file, in its order; all words stand one after the other, and all constituents.

    The columns of ``sequences`` are ``word`` and ``pos``. Constituent k is the words ``begins[k]`` to
    ``ends[k]`` - 1 of its sentence; those of sentence i are ``starts[i]:starts[i + 1]``, in the order
    in which their brackets open, so that of two over the same words the outer one comes first. ``tops``
    has the label of the bracket around each tree, which is no constituent: ``""`` as Penn's files have
    it, ``TOP``, ``ROOT``, or the code -1 if there is none.

    Constituents need not cover a sentence: in a partial tree they are what is known.
    """

    sequences: Sequences
    begins: Places
    ends: Places
    labels: LabelColumn
    starts: Places
    tops: LabelColumn

    def __post_init__(self) -> None:
        count = len(self.begins)
        for name, size, wanted in (
            ("ends", len(self.ends), count),
            ("labels", len(self.labels), count),
            ("offsets of constituents", len(self.starts), len(self) + 1),
            ("tops", len(self.tops), len(self)),
        ):
            if size != wanted:
                raise DataError(f"the trees have {size} {name}; {wanted} are wanted")
        for name in ("word", "pos"):
            if name not in self.sequences.columns:
                raise DataError(f"words of trees need a column {name!r}")
        if self.starts[0] != 0 or self.starts[-1] != count or (np.diff(self.starts) < 0).any():
            raise DataError(f"offsets of constituents must go from 0 to {count}, and not decrease")
        if count and int(self.labels.codes.min()) < 0:
            raise DataError("every constituent needs a label")
        problem = check_nested(self.begins, self.ends, self.starts, self.lengths)
        if problem is not None:
            sentence, message = problem
            raise DataError(f"{self.where(sentence)}: {message}")

    def __len__(self) -> int:
        """How many sentences."""
        return len(self.sequences)

    def __getitem__(self, i: int) -> BracketTree:
        """The tree of one sentence."""
        if not -len(self) <= i < len(self):
            raise IndexError(f"there are {len(self)} trees; none is number {i}")
        return next(iter(self.take([i % len(self)])))

    def __iter__(self) -> Iterator[BracketTree]:
        """Tree after tree."""
        return self.trees()

    def trees(self, errors: str = "replace") -> Iterator[BracketTree]:
        """Tree after tree; ``errors``: what becomes of bytes that are not UTF-8."""
        labels, tops = self.labels.values(), [*self.tops.names, None]
        spans = list(map(Constituent, self.begins.tolist(), self.ends.tolist(), labels))
        words, tags = (
            self.sequences.by_sentence(token_strings(self.sequences.columns[name], errors))
            for name in ("word", "pos")
        )
        bounds = self.starts.tolist()
        for i, top in enumerate(self.tops.codes.tolist()):
            yield BracketTree(words[i], tags[i], spans[bounds[i] : bounds[i + 1]], tops[top])

    @property
    def tokens(self) -> int:
        """How many words, in all sentences."""
        return self.sequences.tokens

    @property
    def constituents(self) -> int:
        """How many constituents, in all sentences."""
        return len(self.begins)

    @property
    def offsets(self) -> Places:
        """Sentence i is the words ``offsets[i]:offsets[i + 1]``."""
        return self.sequences.offsets

    @property
    def lengths(self) -> Places:
        """How many words each sentence has."""
        return self.sequences.lengths

    @property
    def notes(self) -> tuple[str, ...]:
        """What the reader passed over."""
        return self.sequences.notes

    @property
    def sentences(self) -> Places:
        """Per constituent, its sentence."""
        return np.repeat(np.arange(len(self)), np.diff(self.starts))

    def where(self, sentence: int) -> str:
        """What to call a tree in messages: file and line of its first word, or its number."""
        if len(self.sequences.lines) and self.lengths[sentence]:
            return self.sequences.where(int(self.offsets[sentence]))
        return f"tree {sentence + 1}"

    def column(self, name: str) -> list[list[str]]:
        """Of words or tags (``pos``), sentence by sentence."""
        return self.sequences.column(name)

    def tagged(self) -> Sequences:
        """Words, and their tags as tags: what a tagger learns from."""
        words = self.sequences
        codes, names = words.columns["pos"].codes()
        return replace(
            words,
            columns={"word": words.columns["word"]},
            labels=LabelColumn(names, codes),
            layout=("word", "pos"),
        )

    def statistics(self) -> dict[str, Any]:
        """Sizes, as plain data."""
        return {
            "sentences": len(self),
            "words": self.tokens,
            "longest": int(self.lengths.max(initial=0)),
            "constituents": self.constituents,
            "labels": len(np.unique(self.labels.codes)),
            "traces": int(self.tagged_as(TRACE).sum()),
        }

    def tagged_as(self, *tags: str) -> NDArray[np.bool_]:
        """Per word, whether it has one of these tags."""
        codes, names = self.sequences.columns["pos"].codes()
        return np.array([*(name in tags for name in names), False])[codes]

    def take(self, places: NDArray[np.integer[Any]] | Sequence[int]) -> Brackets:
        """These sentences, in this order."""
        at = np.ascontiguousarray(places, np.int64)
        kept, starts = take_ragged(np.arange(self.constituents), self.starts, at)
        return replace(
            self,
            sequences=self.sequences.take(at),
            begins=self.begins[kept],
            ends=self.ends[kept],
            labels=self.labels.take(kept),
            starts=starts,
            tops=self.tops.take(at),
        )

    def cleaned(
        self, *, traces: bool = False, functions: bool = False, repeats: bool = True
    ) -> Brackets:
        """As parsers learn from trees and are scored on them; see `bracket_cleaning`.

        Without ``traces``: words tagged ``-NONE-``, and constituents that hold nothing else. Without
        ``functions``: ``NP-SBJ-1`` becomes ``NP``; labels such as ``-LRB-`` stay. Without ``repeats``:
        of two brackets with the same label over the same words, one right inside of the other, one
        is left.
        """
        from linnet.data.bracket_cleaning import cleaned

        return cleaned(self, traces=traces, functions=functions, repeats=repeats)

    def with_tops(self, top: str | None) -> Brackets:
        """The same trees with another bracket around them, or with none (None)."""
        names = [] if top is None else [top]
        code = MISSING if top is None else 0
        return replace(self, tops=LabelColumn(names, np.full(len(self), code, np.int32)))

    @classmethod
    def from_trees(cls, trees: Iterable[BracketTree]) -> Brackets:
        """Of trees of sentences.

        >>> tree = BracketTree(["linnets", "sing"], ["NNS", "VBP"], [Constituent(0, 2, "S")])
        >>> Brackets.from_trees([tree]).tokens
        2
        """
        given = list(trees)
        for i, tree in enumerate(given):
            if len(tree.words) != len(tree.tags):
                raise DataError(f"tree {i + 1}: {len(tree.words)} words, but {len(tree.tags)} tags")
        texts = {
            "word": [str(word) for tree in given for word in tree.words],
            "pos": [str(tag) for tree in given for tag in tree.tags],
        }
        words = Sequences(
            {name: _core.Texts.from_list(column) for name, column in texts.items()},
            np.cumsum([0, *map(len, given)], dtype=np.int64),
            layout=("word", "pos"),
        )
        spans = [span for tree in given for span in tree.constituents]
        return cls(
            words,
            np.array([span[0] for span in spans], np.int64),
            np.array([span[1] for span in spans], np.int64),
            label_table([str(span[2]) for span in spans]),
            np.cumsum([0, *(len(tree.constituents) for tree in given)], dtype=np.int64),
            tag_column([tree.top for tree in given]),
        )

    @classmethod
    def from_nested(cls, trees: Iterable[Any]) -> Brackets:
        """Of tuples or lists: (label, child, …), that of a word (tag, word).

        >>> made = Brackets.from_nested([("S", ("NP", ("NNS", "linnets")), ("VP", ("VBP", "sing")))])
        >>> made.constituents
        3
        """
        made = []
        for i, node in enumerate(trees):
            try:
                made.append(BracketTree.from_nested(node))
            except DataError as error:
                raise DataError(f"tree {i + 1}: {error}") from None
        return cls.from_trees(made)

    def nested(self) -> list[tuple[Any, ...]]:
        """Tuples (label, child, …), a tree each."""
        return [tree.nested() for tree in self]
