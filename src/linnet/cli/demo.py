"""``linnet demo``: a tour on the bundled data."""

from __future__ import annotations

import click


@click.command("demo")
def command() -> None:
    """Train classifiers on bird-watchers' notes and look inside one."""
    from linnet.cli._birds import run

    run()
