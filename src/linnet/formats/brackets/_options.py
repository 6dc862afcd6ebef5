"""The settings of readers of trees of phrases, and the rows of their formats."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from linnet.formats._options import ReaderOptions, Row

if TYPE_CHECKING:
    from linnet.data.brackets import Brackets
    from linnet.formats._access import Source


@dataclass(frozen=True)
class BracketOptions(ReaderOptions):
    """Of trees of phrases."""

    unescape: bool = False  # words as they are: ( for -LRB-, / for \/


@dataclass(frozen=True, kw_only=True)
class BracketFormat(Row):
    """Of trees of phrases."""

    read: Callable[[Source, BracketOptions], Brackets]
    write: Callable[[Brackets, bool], Iterator[bytes]] | None  # (trees, on several lines?)

    holds = "trees of phrases"
