"""The settings of readers and writers, and the table of formats' own rows."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any, ClassVar

if TYPE_CHECKING:
    from linnet.data.examples import Examples
    from linnet.data.missing import Policy
    from linnet.formats._access import Source
    from linnet.formats._ranges import Range


@dataclass(frozen=True)
class ReaderOptions:
    """What a reader may be told. Each format takes those that its row of the table names."""

    @classmethod
    def check_names(cls, given: Iterable[str]) -> None:
        """Complain of the first name that no reader knows."""
        known = [field.name for field in fields(cls)]
        unknown = [name for name in given if name not in known]
        if unknown:
            raise TypeError(f"readers have no setting {unknown[0]!r}; they have {', '.join(known)}")

    def check_taken(self, format_name: str, taken: frozenset[str]) -> None:
        """Complain of the first setting that this format does not have."""
        given = [f.name for f in fields(self) if getattr(self, f.name) != f.default]
        foreign = [name for name in given if name not in taken]
        if foreign:
            takes = ", ".join(sorted(taken)) or "no settings"
            raise ValueError(
                f"the format {format_name!r} has no setting {foreign[0]!r}; it takes {takes}"
            )


@dataclass(frozen=True)
class Options(ReaderOptions):
    """Of examples: a text or a row, its labels and weight."""

    text: str | None = None  # column, key or namespace of the text
    label: str | None = None  # column or key of the label
    label_names: tuple[str, ...] = ()  # of labels that are integers, or the file they are in
    usual_text: str | None = None  # what these were called in training: taken if it is there
    usual_label: str | None = None
    weight: str | None = None  # column or key of the example's weight
    columns: tuple[str, ...] = ()  # further columns or keys to keep
    labelled: bool | None = None  # None: as the data show
    missing: Policy | None = None  # what to do about missing values; None: refuse them
    records: bool = False  # keep all that the file holds, as it is
    skip_labels: bool = False  # labels are there and not looked at
    multilabel: bool | None = None  # None: as soon as one example has several labels
    header: bool | None = None
    delimiter: str | None = None  # None: as the header shows
    zero_based: bool | None = None  # None: as soon as the index 0 occurs
    features: int | None = None  # how many; None: the largest index says


@dataclass(frozen=True, kw_only=True)
class Row:
    """A row of the table of formats; one that holds two kinds of data has two rows."""

    name: str
    about: str
    endings: tuple[str, ...]
    options: frozenset[str]  # settings the reader takes
    by_line: bool  # a line holds whole examples or sentences: it can be read as soon as it is there
    read: Callable[..., Any]  # (source, options) -> what it holds
    write: Callable[..., Any] | None  # what it holds -> pieces of the file; None: it is only read

    in_json: bool = False  # a line is an object, or the whole file a list of such
    whole_if: Callable[[bytes], bool] | None = None  # does it begin as what cannot be cut into lines?
    comment: str = ""  # how lines begin that are no tokens, where an empty line ends a sentence

    holds: ClassVar[str]  # examples, sentences, trees or trees of phrases


@dataclass(frozen=True, kw_only=True)
class Format(Row):
    """Of examples."""

    carries: frozenset[str]  # of texts, matrix, names, labels, multilabel, weights, columns
    read: Callable[[Source, Options], Examples]
    write: Callable[[Examples, bool], Iterator[bytes]] | None  # (examples, lossy)
    # (name, pieces as they come, size of a batch, options, the line on which a later part of the file
    # begins): of formats whose records are not lines; of a later part the first record is the file's
    batches: Callable[[str, Iterator[bytes], int, Options, int | None], Iterator[Examples]] | None = (
        None
    )
    # (path or range, size of a batch, options): of formats that look for their parts in the file
    parts: Callable[[str | Range, int, Options], Iterator[Examples]] | None = None

    holds = "examples"
