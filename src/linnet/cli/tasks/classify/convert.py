"""``linnet convert`` of texts and rows."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import click

from linnet.cli.files import tell_notes


def convert(source: str, target: str, given: dict[str, Any]) -> None:
    """Read the one and write the other.

    Notes of the reader go to standard error, so that standard output may be the target.
    """
    from linnet import formats
    from linnet.formats._table import by_ending

    form = given["to_format"]
    if form is None and by_ending(target, formats.Format) is None:
        raise click.UsageError(f"{target}: the name does not tell a format; give one by --to")
    header = False if given["no_header"] else None
    said = {name: given.get(name) for name in ("text", "label", "label_names")} | {"header": header}
    options = {name: value for name, value in said.items() if value is not None}
    examples = formats.read(source, given["format_"], **options)
    tell_notes(examples)
    if given["lossy"] and form == "text":
        examples = replace(examples, labels=None)
    formats.write(examples, target, form, lossy=given["lossy"], safe_csv=given["safe_csv"])
