"""Formats with named columns: which one is the text, and what further columns hold."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from linnet.data.missing import Policy
from linnet.errors import DataError, MissingColumnError, setting
from linnet.formats._json import shown as shown_value
from linnet.formats._options import Options

# Settings of such formats.
NAMED = (
    "text",
    "label",
    "label_names",
    "usual_text",
    "usual_label",
    "weight",
    "columns",
    "missing",
    "records",
)
DELIMITERS = ",;\t|"  # of cells, that the header of a CSV file may show, the usual one first
# Names by which a column is known when none is asked for, best first.
KNOWN = {
    "text": ("text", "sentence", "content", "document", "review", "comment", "message", "body",
             "question", "query", "title"),
    "label": ("label", "labels", "class", "category", "target", "sentiment", "intent", "y"),
}  # fmt: skip


def is_header(fields: Sequence[str], *roles: str) -> bool:
    """Whether these fields are known names of columns in these roles."""
    names = [name.strip().strip('"').lower() for name in fields]
    return len(names) == len(roles) and all(
        name in KNOWN[role] for name, role in zip(names, roles, strict=True)
    )


def known(names: Sequence[str], role: str) -> str | None:
    """The column that is known by its name, if there is one."""
    lowered = {name.strip().lower(): name for name in reversed(names)}
    return next((lowered[name] for name in KNOWN[role] if name in lowered), None)


def doubled(names: Iterable[str]) -> str | None:
    """The first name that comes again."""
    seen: set[str] = set()
    for name in names:
        if name in seen:
            return name
        seen.add(name)
    return None


@dataclass(frozen=True)
class Roles:
    """The columns to read."""

    text: str
    label: str | None
    weight: str | None
    columns: tuple[str, ...]

    @property
    def names(self) -> dict[str, str]:
        """What the parts of an example are called."""
        named = {"text": self.text, "label": self.label, "weight": self.weight}
        return {role: name for role, name in named.items() if name is not None}

    def all(self) -> list[str]:
        single = [name for name in (self.text, self.label, self.weight) if name is not None]
        return list(dict.fromkeys([*single, *self.columns]))


def choose(names: Sequence[str], options: Options, file: str, *, by_place: bool) -> Roles:
    """Text and label by what is asked for, then by known names, then (of two columns) by place."""
    for name in (options.text, options.label, options.weight, *options.columns):
        if name is not None and name not in names:
            raise MissingColumnError(f"{file} has no column {name!r}; it has {shown(names)}", name)
    free = [name for name in names if name and name != options.weight and name not in options.columns]
    usual = [name for name in (options.usual_text, options.usual_label) if name in free]
    label = options.label or (options.usual_label if options.usual_label in usual else None)
    text = options.text or (options.usual_text if options.usual_text in usual else None)
    label = None if label == text else label
    text = text or known([n for n in free if n != label], "text")
    label = label or known([n for n in free if n != text], "label")
    if by_place and len(free) == 2 and (text is None or label is None):
        text = text or next(n for n in reversed(free) if n != label)
        label = label or next(n for n in free if n != text)
    elif text is None and len(free) == 1 and free[0] != label:
        text = free[0]
    if text is None:
        raise DataError(
            f"{file}: which column is the text? It has {shown(names)}; "
            f"name it with {setting('text')} (and the label with {setting('label')})"
        )
    if options.labelled is False:
        label = None
    elif options.labelled and label is None:
        raise DataError(
            f"{file}: which column is the label? It has {shown(names)}; name it with {setting('label')}"
        )
    return Roles(text, label, options.weight, options.columns)


def shown(names: Sequence[str]) -> str:
    """Names of columns in a message; spreadsheets leave columns without one."""
    return ", ".join(repr(name) for name in names if name)


def guesses(roles: Roles, options: Options, file: str) -> list[str]:
    """A note if text or label was chosen by its place alone."""
    by_name = (options.text or is_header([roles.text], "text")) and (
        roles.label is None or options.label or is_header([roles.label], "label")
    )
    taken = f"column {roles.text!r} is taken as text" + (
        f", {roles.label!r} as label" if roles.label is not None else ""
    )
    as_usual = (options.text or roles.text == options.usual_text) and (
        roles.label is None or options.label or roles.label == options.usual_label
    )
    return [] if by_name or as_usual else [f"{file}: {taken}"]


def renamed(roles: Roles, options: Options, file: str) -> list[str]:
    """A note on text and label if they were called otherwise in training."""
    usual = (
        ("text", roles.text, options.usual_text, options.text),
        ("label", roles.label, options.usual_label, options.label),
    )
    return [
        f"{file} has no column {before!r}, the {role} in training; column {name!r} is taken"
        for role, name, before, said in usual
        if name is not None and before is not None and said is None and name != before
    ]


def column(
    name: str,
    cells: list[Any],
    error: Callable[[int, str], DataError],
    *,
    typed: bool,
    missing: Policy | None = None,
) -> NDArray[Any]:
    """Numbers if all cells are, otherwise strings. An empty cell among numbers is refused.

    In a ``typed`` format a string is never a number, and a cell may be something else altogether.
    With a policy for what is ``missing``, empty cells are NaN, or None among strings.
    """
    for i, cell in enumerate(cells if typed else ()):
        if isinstance(cell, (dict, list, tuple, bytes)):
            raise error(i, f"column {name!r} must hold strings or numbers; it has {shown_value(cell)}")
    numbers = [None if typed and isinstance(cell, str) else _number(cell) for cell in cells]
    filled_later = missing is not None and missing.number != "error"
    filled = [cell not in (None, "") for cell in cells]
    if any(filled) and all(n is not None for n, f in zip(numbers, filled, strict=True) if f):
        for i, number in enumerate(numbers):
            if filled_later and (number is None or np.isnan(number)):
                continue
            if number is None or not np.isfinite(number):
                shown = "empty" if number is None else number
                raise error(i, f"column {name!r} is {shown} where a number is wanted")
        return np.array(numbers, np.float64)
    if missing is not None:
        strings = [None if cell in (None, "") else _string(cell) for cell in cells]
    else:
        strings = [_string(cell) for cell in cells]
    return np.array([*strings, None], object)[:-1]


def weights(name: str, cells: list[Any], error: Callable[[int, str], DataError]) -> NDArray[np.float64]:
    """The weights of examples: finite, not negative."""
    values = np.zeros(len(cells))
    for i, cell in enumerate(cells):
        number = _number(cell)
        if number is None or not 0 <= number < np.inf:
            raise error(i, f"the weight (column {name!r}) must be a number ≥ 0; it is {_shortly(cell)}")
        values[i] = number
    return values


def _shortly(cell: Any) -> str:
    return repr(cell) if isinstance(cell, str) else shown_value(cell)


def _number(cell: Any) -> float | None:
    if isinstance(cell, bool) or cell is None:
        return None
    if isinstance(cell, str) and "_" in cell:  # Python reads 1_000
        return None
    try:
        return float(cell)
    except (TypeError, ValueError, OverflowError):
        return None


def _string(cell: Any) -> str:
    if isinstance(cell, bool):
        return "true" if cell else "false"
    return "" if cell is None else str(cell)
