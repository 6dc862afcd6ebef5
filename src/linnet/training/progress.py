"""Progress on a terminal, silence everywhere else."""

from __future__ import annotations

import sys
import time
from types import TracebackType
from typing import Any, Self

from linnet.training.record import Epoch

_QUIET_SECONDS = 0.5  # a short training shows nothing


class Progress:
    """One line on stderr, rewritten after every epoch: epoch, objective, gap, dev score."""

    def __init__(self, title: str, show: bool | None = None) -> None:
        self.title = title
        self.show = sys.stderr.isatty() if show is None else show
        self.started = time.monotonic()
        self._status: Any = None

    def __enter__(self) -> Self:
        return self

    def update(self, row: Epoch) -> None:
        """Show the epoch just finished."""
        if not self.show or time.monotonic() - self.started < _QUIET_SECONDS:
            return
        if self._status is None:
            from rich.console import Console

            self._status = Console(stderr=True).status(self.title)
            self._status.start()
        self._status.update(f"{self.title}  {describe(row)}")

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._status is not None:
            self._status.stop()


def describe(row: Epoch) -> str:
    """``epoch 3  objective 12.5  gap 0.01  dev 0.91``, leaving out what was not computed."""
    parts = [f"epoch {row.epoch}"]
    for name, value in (("objective", row.objective), ("gap", row.gap), ("dev", row.dev_score)):
        if value is not None:
            parts.append(f"{name} {value:.6g}")
    if row.mistakes is not None:
        parts.append(f"mistakes {row.mistakes}")
    return "  ".join(parts)
