"""``linnet compare`` knows classifiers, taggers and parsers."""

from __future__ import annotations

from typing import Any

import click

COLUMNS = ()


def contest_of(data: str, given: dict[str, Any]) -> Any:  # noqa: ARG001
    """Refused."""
    raise click.UsageError(
        "--task regress: there are no other regressors to compare with; try settings by linnet tune"
    )
