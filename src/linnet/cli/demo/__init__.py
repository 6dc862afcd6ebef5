"""``linnet demo``: a tour on the bundled data."""

from __future__ import annotations

import click


@click.command("demo")
def command() -> None:
    """Take a tour on bundled notes: classify, tag and parse."""
    from linnet.cli.demo import birds, rambles, sightings
    from linnet.cli.tables import console

    out = console(markup=True)
    birds.run(out)
    sightings.run(out)
    rambles.run(out)
