"""What exports of annotation tools share: rows that are learnt from, rows left out, and the telling."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

import linnet._core as _core
from linnet.data.examples import Examples
from linnet.data.sequences import Sequences
from linnet.errors import DataError, setting
from linnet.formats._access import Source
from linnet.formats._columns import column, weights
from linnet.formats._json import shown
from linnet.formats._lines import listed_labels
from linnet.formats._options import Format, Options, Row
from linnet.formats._records import Records, read_records
from linnet.formats._source import counted
from linnet.formats.sequences._marked import Marked, Places, checked_spans, sequences_of
from linnet.formats.sequences._options import SequenceFormat, SequenceOptions

EXAMPLES, SENTENCES = "examples", "sentences"  # what rows hold: labels of texts, or marked spans
EITHER = "either"  # a row of the export that shows neither


def negated(name: str) -> str:
    """The class of texts that are not of a label, where there is one label alone."""
    return f"not {name}"


class Labelled(NamedTuple):
    """A text to learn from."""

    row: int
    text: str
    labels: Sequence[str]


class Spans(NamedTuple):
    """A text whose spans are marked: [begin, end, type], still to be checked."""

    row: int
    spans: list[list[Any]]


@dataclass
class Reading:
    """A file while it is read, and what is to be told of it."""

    records: Records
    options: Options | SequenceOptions
    several: bool = False  # texts have sets of labels, be they of one each
    left: dict[str, list[int]] = field(default_factory=dict)  # rows, by the reason to leave them out
    notes: list[str] = field(default_factory=list)

    @property
    def rows(self) -> list[Any]:
        return self.records.rows

    def error(self, i: int, message: str) -> DataError:
        return self.records.error(i, message)

    def leave(self, i: int, why: str) -> None:
        """A row that is not learnt from."""
        self.left.setdefault(why, []).append(i)

    def unread(self, what: str, key: str) -> None:
        """Tell of lists that are there and not read."""
        size = sum(len(row.get(key) or ()) for row in self.rows if isinstance(row, dict))
        if size:
            self.notes.append(f"{self.records.source.name}: {what} are not read ({size} of them)")

    def string(self, i: int, value: Any, what: str) -> str:
        if not isinstance(value, str):
            raise self.error(i, f"{what} must be a string; it is {shown(value)}")
        return value

    def parts(self, i: int, value: Any, keys: Sequence[str]) -> list[Any]:
        """What stands under these keys of an object: of a span its begin, its end and its type."""
        if not isinstance(value, dict):
            wanted = ", ".join(f'"{key}": …' for key in keys)
            raise self.error(i, f"{{{wanted}}} is wanted; it is {shown(value)}")
        return [value.get(key) for key in keys]

    def listed(self, i: int, value: Any, what: str) -> list[Any]:
        if not isinstance(value, list):
            raise self.error(i, f"{what} must be a list; it is {shown(value)}")
        return value


@dataclass(frozen=True)
class Export:
    """How the rows of a tool are understood."""

    name: str
    tool: str
    about: str
    kind: Callable[[Any], str | None]  # of a row: what it holds; None: it is of another tool
    text: Callable[[Reading, int], str]
    labels: Callable[[Reading], list[Labelled]]
    spans: Callable[[Reading], list[Spans]] | None = None
    words: Callable[[Reading, int], Places | None] = lambda _reading, _i: None
    fields: Callable[[Any], Any] = lambda row: row  # where columns beside the text stand
    unfold: Callable[[Records], Records] = lambda records: records

    def told(self, reading: Reading) -> tuple[str, ...]:
        """What was detected, what is left out and why, and what else there is to know."""
        name, rows = reading.records.source.name, len(reading.records)
        left = sum(map(len, reading.left.values()))
        reasons = ", ".join(
            f"{len(places)} {why} (first line {reading.records.numbers[min(places)]})"
            for why, places in sorted(reading.left.items(), key=lambda item: min(item[1]))
        )
        out = f"; {left} of {counted(rows, 'row')} left out: {reasons}" if left else ""
        return (f"{name} is read as {self.tool}{out}", *reading.notes)

    def examples(self, source: Source, options: Options) -> Examples:
        """Texts with their labels."""
        reading = Reading(self.unfold(read_records(source)), options)
        labels = None
        if options.labelled is False:
            found = [Labelled(i, self.text(reading, i), ()) for i in range(len(reading.rows))]
        else:
            found = _with_labels(reading, self.labels(reading), options)
            labels = listed_labels(
                [[label.encode(errors="replace") for label in each.labels] for each in found],
                Options(labelled=True, multilabel=reading.several),
                lambda i, message: reading.error(found[i].row, message),
            )
            if not found:
                raise self.nothing(reading, "label of its text")
        rows = [each.row for each in found]

        def cells(name: str) -> list[Any]:
            return [self.fields(reading.rows[i]).get(name) for i in rows]

        def error(i: int, message: str) -> DataError:
            return reading.error(rows[i], message)

        return Examples(
            _core.Texts.from_list([each.text for each in found]),
            labels,
            None if options.weight is None else weights(options.weight, cells(options.weight), error),
            {name: column(name, cells(name), error, typed=True) for name in options.columns},
            source=source.name,
            lines=reading.records.numbers[np.array(rows, np.int64)],
            notes=self.told(reading),
        )

    def sentences(self, source: Source, options: SequenceOptions) -> Sequences:
        """Words with tags of spans."""
        assert self.spans is not None
        reading = Reading(self.unfold(read_records(source)), options)
        marked = options.labelled is not False
        found = self.spans(reading) if marked else [Spans(i, []) for i in range(len(reading.rows))]
        if not found or (marked and not any(each.spans for each in found)):
            raise self.nothing(reading, "span")
        rows = np.array([each.row for each in found], np.int64)
        texts = [self.text(reading, each.row) for each in found]

        def error(i: int, message: str) -> DataError:
            return reading.error(int(rows[i]), message)

        spans = [
            checked_spans(each.spans, text, i, error)
            for i, (each, text) in enumerate(zip(found, texts, strict=True))
        ]
        made = sequences_of(
            Marked(texts, spans if marked else None, self._words(reading, rows)),
            reading.records.numbers[rows],
            error,
            source.name,
            english=options.english,
        )
        reading.notes += made.notes
        return replace(made, notes=self.told(reading))

    def _words(self, reading: Reading, rows: NDArray[np.int64]) -> list[Places] | None:
        """Of all texts, or of none."""
        found = [self.words(reading, i) for i in rows.tolist()]
        given = [words for words in found if words is not None]
        return given if len(given) == len(found) else None

    def nothing(self, reading: Reading, what: str) -> DataError:
        """There is no row to learn from."""
        told = self.told(reading)[0]
        other = (
            f"spans are for a tagger: {setting('task', 'tag')}"
            if what != "span"
            else f"labels of texts are for a classifier: {setting('task', 'classify')}"
        )
        return DataError(f"{told}; no row that is left has a {what} ({other})")

    def formats(self) -> tuple[Row, ...]:
        """Its rows in the table of formats; only read."""
        texts = Format(
            name=self.name,
            about=self.about,
            endings=(),
            options=frozenset({"text", "label", "weight", "columns", "labelled", "multilabel"}),
            carries=frozenset({"texts", "labels", "multilabel", "weights", "columns"}),
            by_line=False,
            read=self.examples,
            write=None,
        )
        if self.spans is None:
            return (texts,)
        sentences = SequenceFormat(
            name=self.name,
            about=self.about,
            endings=(),
            options=frozenset({"label", "labelled", "english"}),
            by_line=False,
            whole=True,
            read=self.sentences,
            write=None,
        )
        return texts, sentences


def _with_labels(reading: Reading, found: list[Labelled], options: Options) -> list[Labelled]:
    """Where texts have one label each, those without any are left out."""
    several = reading.several or any(len(each.labels) > 1 for each in found)
    reading.several = several if options.multilabel is None else options.multilabel
    if reading.several:
        return found
    for each in found:
        if not each.labels:
            reading.leave(each.row, "without a label")
    return [each for each in found if each.labels]
