"""``linnet convert`` of trees."""

from __future__ import annotations

from typing import Any

import click

from linnet.cli.files import tell_notes


def convert(source: str, target: str, given: dict[str, Any]) -> None:
    """Read the one and write the other."""
    from linnet import formats
    from linnet.formats._table import by_ending

    row = by_ending(target, formats.TreeFormat)
    form = given["to_format"] or (None if row is None else row.name)
    if form not in formats.TREE_FORMATS:
        known = ", ".join(formats.TREE_FORMATS)
        raise click.UsageError(
            f"{target}: {source} holds trees; give a format of such by --to: {known}"
        )
    trees = formats.read_trees(source, given["format_"], roots="many")
    formats.write_trees(trees, target, form)
    tell_notes(trees)
