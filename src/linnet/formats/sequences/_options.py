"""The settings of readers of sentences, and the rows of their table."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from linnet.formats._options import ReaderOptions, Row

if TYPE_CHECKING:
    from linnet.data.examples import LabelColumn
    from linnet.data.sequences import Sequences
    from linnet.formats._access import Source


@dataclass(frozen=True)
class SequenceOptions(ReaderOptions):
    """Of sentences: columns of tokens, and which of them is the tag."""

    columns: tuple[str, ...] = ()  # names of the file's columns, or keys to keep
    label: str | None = None  # name or place of the tag's column, or its key
    labelled: bool | None = None  # None: as the data show
    missing: str | None = None  # the tag that stands for a missing one
    comment: str = ""  # how lines begin that are no tokens
    delimiter: str | None = None  # "tab": exactly one; None: any run of blanks and tabs
    header: bool | None = None  # whether the first line names the columns; None: if it looks so
    english: bool = True  # rules for English words in raw text, too
    by_line: bool = False  # each line of raw text is a text of its own
    label_names: tuple[str, ...] = ()  # of tags that are integers, or the file they are in


# (sequences, predicted tags) → the bytes of each sentence
Write = Callable[["Sequences", "LabelColumn | None"], Iterator[bytes]]


@dataclass(frozen=True, kw_only=True)
class SequenceFormat(Row):
    """Of sentences; where a line holds no whole one, an empty line ends them."""

    read: Callable[[Source, SequenceOptions], Sequences]
    write: Write | None
    whole: bool = False  # nothing can be said before all of it is there

    holds = "sentences"
