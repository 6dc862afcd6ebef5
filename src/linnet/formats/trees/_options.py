"""The settings of readers of trees, and the rows of their formats."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from linnet.formats._options import ReaderOptions, Row

if TYPE_CHECKING:
    from linnet.data.trees import Trees
    from linnet.formats._access import Source


@dataclass(frozen=True)
class TreeOptions(ReaderOptions):
    """Of trees."""

    labelled: bool | None = None  # False: heads are not looked at; True: there must be some
    roots: str = "one"  # 'many': a sentence may have several


@dataclass(frozen=True, kw_only=True)
class TreeFormat(Row):
    """Of trees."""

    read: Callable[[Source, TreeOptions], Trees]
    write: Callable[[Trees, bool], bytes] | None  # (trees, are heads other than those of the file?)

    holds = "trees"
