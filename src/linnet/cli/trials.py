"""Settings that are tried: what varies and what does not, how far the trials are, and their table."""

from __future__ import annotations

import math
import sys
from collections.abc import Callable
from typing import Any

from linnet.cli.screen import rewrite
from linnet.cli.tables import console, table, words


def show_rows(result: Any, fixed: dict[str, Any]) -> None:
    """The curve as a table, the best row marked; above it what was the same for all."""
    out = console()
    names = list(result.rows[0].settings)
    said = (f"{name} {_text(value)}" for name, value in fixed.items() if name not in names)
    out.print(", ".join(said), soft_wrap=True)
    spread = any(row.deviation is not None for row in result.rows)
    header = [*names, "train", "dev", *(["±"] if spread else []), "non-zero", "seconds", ""]
    best = result.best
    rows = []
    for row in result.rows:
        values = [_text(row.settings[name]) for name in names]
        nonzero = None if row.nonzero is None else f"{row.nonzero:,.0f}"
        cells = [*values, row.train, row.dev, *([row.deviation] if spread else [])]
        rows.append([*cells, nonzero, f"{row.seconds:.2f}", "← best" if row is best else None])
    out.print(table(header, rows, left=len(names)))
    chosen = ", ".join(f"{name} {_text(value)}" for name, value in best.settings.items())
    out.print(f"best {words(result.metric)} {best.dev:.4f}: {chosen}")


def _text(value: Any) -> str:
    if isinstance(value, tuple):
        return f"{value[0]}-{value[1]}"
    return f"{value:g}" if isinstance(value, float) else str(value).lower()


def bar(fits: int) -> Callable[[Any], None] | None:
    """A line on the terminal that counts the fits; nothing in a pipe."""
    if not sys.stderr.isatty():
        return None
    done = 0

    def tell(_: Any) -> None:
        nonlocal done
        done += 1
        rewrite(f"fit {done} of {fits}" + ("\n" if done == fits else ""))

    return tell


def held_out(given: dict[str, Any]) -> dict[str, Any]:
    """How data are held out, as `linnet.tune` has it."""
    return {
        "folds": given["folds"],
        "one_by_one": given["leave_one_out"],
        "metric": given["metric"],
        "seed": given["seed"],
    }


def fits(grid: dict[str, Any], folds: int) -> int:
    """How many trainings there are."""
    return folds * math.prod(len(values) for values in grid.values())
