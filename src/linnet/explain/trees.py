"""Dependency trees to look at: in the terminal, in a notebook, in a page."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from rich.cells import cell_len

from linnet.data.heads import first_problem
from linnet.data.sequences import UNSAID
from linnet.data.trees import Trees
from linnet.errors import DataError
from linnet.explain.tree_svg import arcs_svg
from linnet.explain.tree_text import arcs_text, outline

WIDTH = 100  # columns of a terminal


@dataclass(frozen=True)
class TreeDrawing:
    """One tree. Heads are counted from 1; 0 is the root, -1 a head that is not known.

    >>> print(TreeDrawing(["A", "linnet", "sings"], [2, 3, 0], ["det", "nsubj", "root"]))
                    root
    ┌─det─┐┌─nsubj─┐│
    ▼     │▼       │▼
    A   linnet    sings
    """

    words: Sequence[str]
    heads: Sequence[int]
    relations: Sequence[str | None] | None = None
    tags: Sequence[str] | None = None

    def __post_init__(self) -> None:
        for name, part in (("relations", self.relations), ("tags", self.tags), ("heads", self.heads)):
            if part is not None and len(part) != len(self.words):
                raise DataError(f"there are {len(self.words)} words, but {len(part)} {name}")
        heads = np.array(self.heads, np.int32)
        problem = first_problem(heads, np.array([0, len(heads)]), one_root=False)
        if problem is not None:
            raise DataError(problem[1])

    @classmethod
    def of(cls, trees: Trees, sentence: int = 0) -> TreeDrawing:
        """One of many trees, with its parts of speech (upos) if it has them."""
        one = trees.take([sentence])
        tags = one.column("upos")[0] if "upos" in one.columns else None
        if tags is not None and set(tags) == {UNSAID}:
            tags = None
        return cls(one.column("form")[0], one.head_lists()[0], one.relation_lists()[0], tags)

    def __str__(self) -> str:
        return self.text()

    def text(self, width: int = WIDTH) -> str:
        """Arcs above the words, or the words indented below their heads if that is too wide."""
        drawn = self.arcs()
        return drawn if max(map(cell_len, drawn.split("\n"))) <= width else self.outline()

    def arcs(self) -> str:
        """Arcs above the words, however wide."""
        return arcs_text(self._rows(), self.heads, self._relations())

    def outline(self) -> str:
        """A word per line, indented below its head."""
        return outline(self._rows(), self.heads, self._relations())

    def svg(self) -> str:
        """An element of its own; its colour is that of the text around it."""
        return arcs_svg(self._rows(), self.heads, self._relations())

    _repr_svg_ = svg

    def _rows(self) -> list[tuple[str, ...]]:
        """Per word the texts to write one below the other."""
        if self.tags is None:
            return [(_shown(word),) for word in self.words]
        return [(_shown(word), _shown(tag)) for word, tag in zip(self.words, self.tags, strict=True)]

    def _relations(self) -> list[str]:
        return [_shown(name or "") for name in self.relations or [""] * len(self.words)]


def _shown(text: str) -> str:
    """Without characters that would move the cursor or break the line."""
    return "".join(c if c.isprintable() else "\ufffd" for c in text)
