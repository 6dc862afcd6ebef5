"""``linnet demo``: a tour on the bundled data."""

from __future__ import annotations

import click


@click.command("demo")
def command() -> None:
    """Take a tour on bundled notes: classify, tag and parse."""
    from linnet.cli import _birds, _rambles, _sightings
    from linnet.cli._tables import console

    out = console()
    _birds.run(out)
    _sightings.run(out)
    _rambles.run(out)
