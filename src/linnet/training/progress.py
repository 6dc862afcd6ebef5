"""Progress on a terminal; elsewhere silence, unless it is asked for."""

from __future__ import annotations

import sys
import time
from types import TracebackType
from typing import Any, Self

from linnet.training.record import Epoch

QUIET = 0.5  # seconds: a short training shows nothing, unless it was asked to speak
SELDOM = 60.0  # seconds between two lines where there is no terminal


class Progress:
    """Epoch, objective, gap, dev score, on stderr: a line that is rewritten after every epoch.

    ``show``: None for terminals only, True for everywhere, False for nowhere. Without a terminal there
    is a line for the first epoch, then one a minute, and one for the last.
    """

    def __init__(self, title: str, show: bool | None = None) -> None:
        self.title = title
        self.terminal = sys.stderr.isatty()
        self.show = self.terminal if show is None else show
        self.asked = show is True
        self.started = time.monotonic()
        self.due = self.started + (0.0 if self.asked else QUIET)
        self._status: Any = None
        self._last = ""  # not told yet

    def __enter__(self) -> Self:
        return self

    def update(self, row: Epoch) -> None:
        """Show the epoch just finished."""
        self.say(describe(row))

    def say(self, how_far: str) -> None:
        """Show how far it is."""
        self._last = how_far
        if not self.show or time.monotonic() < self.due:
            return
        if not self.terminal:
            self._say()
            self.due = time.monotonic() + SELDOM
            return
        if self._status is None:
            from rich.console import Console

            self._status = Console(stderr=True).status(self.title)
            self._status.start()
        self._status.update(f"{self.title}  {how_far}")

    def _say(self) -> None:
        if self._last:
            sys.stderr.write(f"{self.title}  {self._last}\n")
            sys.stderr.flush()
        self._last = ""

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._status is not None:
            self._status.stop()
        if self.show and self.asked:
            self._say()


def describe(row: Epoch) -> str:
    """``epoch 3  objective 12.5  gap 0.01  dev 0.91``, leaving out what was not computed."""
    parts = [f"epoch {row.epoch}"]
    for name, value in (("objective", row.objective), ("gap", row.gap), ("dev", row.dev_score)):
        if value is not None:
            parts.append(f"{name} {value:.6g}")
    if row.mistakes is not None:
        parts.append(f"mistakes {row.mistakes}")
    return "  ".join(parts)
