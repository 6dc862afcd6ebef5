"""Tables for people: aligned on a terminal, plain and wide in a pipe."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import Any

from rich.console import Console
from rich.table import Table
from rich.text import Text

WIDTH_IN_A_PIPE = 200


def console() -> Console:
    """Standard output; in a pipe without colour and wide enough not to cut."""
    width = None if sys.stdout.isatty() else WIDTH_IN_A_PIPE
    return Console(highlight=False, width=width, soft_wrap=False)


def is_ascii(out: Console) -> bool:
    """Does the terminal lack signs beyond ASCII?"""
    return not out.encoding.lower().startswith("utf")


def table(header: Sequence[str], rows: Sequence[Sequence[Any]], left: int = 1) -> Table:
    """The first columns flush left, the others right."""
    made = Table(box=None, pad_edge=False, header_style="bold", show_header=any(header))
    for i, name in enumerate(header):
        made.add_column(Text(name), justify="left" if i < left else "right", no_wrap=True)
    for row in rows:
        made.add_row(*(cell if isinstance(cell, Text) else Text(show(cell)) for cell in row))
    return made


def words(name: str) -> str:
    """A metric's name for people.

    >>> words("macro_f1")
    'macro F1'
    """
    return name.replace("_", " ").replace("f1", "F1")


def show(value: Any) -> str:
    """A cell: numbers short, nothing for None.

    >>> show(0.98765), show(None), show(12), show(0.00001), show("a")
    ('0.9877', '', '12', '1e-05', 'a')
    """
    if value is None:
        return ""
    if isinstance(value, float):
        return f"{value:.4f}" if value == 0 or abs(value) >= 1e-4 else f"{value:.2g}"
    return str(value)
