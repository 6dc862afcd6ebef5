"""Tables for people: aligned on a terminal, plain and wide in a pipe."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Sequence
from typing import Any

from rich.console import Console, ConsoleOptions, RenderableType
from rich.measure import Measurement
from rich.segment import Segment
from rich.table import Table

from linnet._visible import visible, visible_cell
from linnet.explain.shown import Text

WIDTH_IN_A_PIPE = 200


class Output(Console):
    """Standard output, whose end of a pipe may be closed; lines in a pipe end where their words do."""

    def print(self, *objects: Any, **how: Any) -> None:
        """As rich does, which fills the cells of tables with blanks."""
        if self.is_terminal:
            super().print(*objects, **how)
            return
        with self.capture() as captured:
            super().print(*objects, **how)
        self.file.write("\n".join(line.rstrip(" ") for line in captured.get().split("\n")))
        self.file.flush()

    def render(
        self, renderable: RenderableType, options: ConsoleOptions | None = None
    ) -> Iterable[Segment]:
        """As rich does; on a terminal nothing but rich itself commands it."""
        for segment in super().render(renderable, options):
            if self.is_terminal and not segment.control:
                yield Segment(visible(segment.text), segment.style)
            else:
                yield segment

    def on_broken_pipe(self) -> None:
        """Told to the command, whose exit code is then 0."""
        raise BrokenPipeError


def console(*, markup: bool = False) -> Console:
    """In a pipe without colour and wide enough not to cut; brackets in data are no ``markup``."""
    width = None if sys.stdout.isatty() else WIDTH_IN_A_PIPE
    return Output(highlight=False, markup=markup, emoji=False, width=width, soft_wrap=False)


def is_ascii(out: Console) -> bool:
    """Does the terminal lack signs beyond ASCII?"""
    return not out.encoding.lower().startswith("utf")


def table(header: Sequence[str], rows: Sequence[Sequence[Any]], left: int = 1) -> Table:
    """The first columns flush left, the others right: numbers, which are never cut."""
    made = Table(box=None, pad_edge=False, header_style="bold", show_header=any(header))
    if sys.stdout.isatty():  # before anything is measured
        header = [visible_cell(name) for name in header]
    cells = [[cell if isinstance(cell, Text) else Text(_cell(cell)) for cell in row] for row in rows]
    for i, name in enumerate(header):
        if i < left:
            made.add_column(Text(name), no_wrap=True)
        else:
            width = max([len(name), *(row[i].cell_len for row in cells)])
            made.add_column(Text(name), justify="right", no_wrap=True, min_width=width)
    for row in cells:
        made.add_row(*row)
    return made


def _cell(value: Any) -> str:
    return visible_cell(show(value)) if sys.stdout.isatty() else show(value)


def fits(out: Console, made: Table) -> bool:
    """Is the terminal wide enough to cut nothing?"""
    needed = Measurement.get(out, out.options.update(width=10 * WIDTH_IN_A_PIPE), made).maximum
    return needed <= out.width


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
