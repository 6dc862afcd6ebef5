"""``linnet demo``: a tour on the bundled data."""

from __future__ import annotations

import click


@click.command("demo")
def command() -> None:
    """Take a tour on bird-watchers' notes."""
    from linnet.cli._birds import run

    run()
