"""The settings of readers and writers, and the table of formats' own rows."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from linnet.data.examples import Examples
    from linnet.formats._source import Source


@dataclass(frozen=True)
class Options:
    """What a reader may be told. Each format takes those that its row of the table names."""

    text: str | None = None  # column, key or namespace of the text
    label: str | None = None  # column or key of the label
    weight: str | None = None  # column or key of the example's weight
    columns: tuple[str, ...] = ()  # further columns or keys to keep
    labelled: bool | None = None  # None: as the data show
    skip_labels: bool = False  # labels are there and not looked at
    multilabel: bool | None = None  # None: as soon as one example has several labels
    header: bool | None = None
    delimiter: str = ","
    zero_based: bool | None = None  # None: as soon as the index 0 occurs
    features: int | None = None  # how many; None: the largest index says

    def given(self) -> list[str]:
        """The names of the settings that are not at their defaults."""
        return [f.name for f in fields(self) if getattr(self, f.name) != f.default]


@dataclass(frozen=True)
class Format:
    """A row of the table ``FORMATS``."""

    name: str
    about: str
    endings: tuple[str, ...]
    options: frozenset[str]  # settings the reader takes
    carries: frozenset[str]  # of texts, matrix, names, labels, multilabel, weights, columns
    by_line: bool  # one line, one example: can be read in batches
    read: Callable[[Source, Options], Examples]
    write: Callable[[Examples, bool], Iterator[bytes]]  # (examples, lossy) -> pieces of the file
