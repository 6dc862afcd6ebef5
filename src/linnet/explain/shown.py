"""Text of rich that may hold data: a terminal obeys nothing of it, and it is measured as shown."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import rich.text
from rich.console import Console, ConsoleOptions
from rich.measure import Measurement
from rich.segment import Segment

from linnet._visible import escapes

# rich takes these out of any text; they are shown instead, everywhere.
_TAKEN_OUT = {code: f"\\x{code:02x}" for code in (7, 8, 11, 12, 13)}


class Text(rich.text.Text):
    """As rich has it; what a terminal would obey, or hide, is shown as escapes."""

    def __init__(self, text: str = "", style: Any = "", **settings: Any) -> None:
        super().__init__(text.translate(_TAKEN_OUT), style, **settings)

    def append(self, text: Any, style: Any = None) -> rich.text.Text:
        """At the end."""
        return super().append(text.translate(_TAKEN_OUT) if isinstance(text, str) else text, style)

    def blank_copy(self, plain: str = "") -> rich.text.Text:
        """With the same settings; `join` begins with one."""
        copied = super().blank_copy()
        return Text(
            plain,
            copied.style,
            justify=copied.justify,
            overflow=copied.overflow,
            no_wrap=copied.no_wrap,
            end=copied.end,
            tab_size=copied.tab_size,
        )

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> Iterable[Segment]:
        return rich.text.Text.__rich_console__(self._for(console), console, options)

    def __rich_measure__(self, console: Console, options: ConsoleOptions) -> Measurement:
        return rich.text.Text.__rich_measure__(self._for(console), console, options)

    def _for(self, console: Console) -> rich.text.Text:
        found = list(escapes(self.plain)) if console.is_terminal else []
        if not found:
            return self

        def moved(place: int) -> int:
            return place + sum(len(how) - (end - begin) for begin, end, how in found if end <= place)

        written = self.plain
        for begin, end, how in reversed(found):
            written = written[:begin] + how + written[end:]
        shown = self.blank_copy(written)
        shown.spans = [rich.text.Span(moved(s.start), moved(s.end), s.style) for s in self.spans]
        return shown
