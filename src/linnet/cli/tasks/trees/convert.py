"""``linnet convert`` of trees of phrases."""

from __future__ import annotations

from typing import Any

import click
import numpy as np

from linnet.cli.files import opened, tell_notes
from linnet.cli.tasks.tag.convert import shared_ending

UNTAGGED = ("text", "spans")  # formats of sentences that have no place for a tag of each word


def convert(source: str, target: str, given: dict[str, Any]) -> None:
    """Into brackets again, or into words with their tags."""
    from linnet import formats
    from linnet.formats._table import by_ending

    asked = given["to_format"]
    bracketed = asked in formats.BRACKET_FORMATS or (
        asked is None and by_ending(target, formats.BracketFormat) is not None
    )
    row = by_ending(target, formats.SequenceFormat)
    form = asked or (shared_ending(target) if row is None else row.name)
    tagged = [
        name
        for name, held in formats.SEQUENCE_FORMATS.items()
        if held.write is not None and name not in UNTAGGED
    ]
    if not bracketed and form not in tagged:
        known = [*formats.BRACKET_FORMATS, *tagged]
        raise click.UsageError(
            f"{target}: {source} holds trees of phrases, which become brackets, or sentences of words "
            f"with their tags (heads of words and labels of texts are not in them); give a format by "
            f"--to: {', '.join(known)}"
        )
    trees = formats.read_brackets(opened(source), given["format_"])
    tell_notes(trees)
    if bracketed:
        if given["clean"]:
            trees = _filled(trees.cleaned(), source)
        formats.write_brackets(trees, target, asked, indent=given["indent"])
        return
    for name in ("clean", "indent"):
        if given[name]:
            raise click.UsageError(f"--{name}: for brackets; {target} is of the format {form}")
    spoken = _filled(trees.cleaned(functions=True), source)
    left = trees.tokens - spoken.tokens
    if left:
        click.echo(f"note: {left:,} traces of {source} are no words, and left out", err=True)
    formats.write_sequences(spoken.tagged(), target, form)


def _filled(trees: Any, source: str) -> Any:
    """Sentences that have words left."""
    from linnet.data.bracket_cleaning import without_empty

    empty = int(np.sum(trees.lengths == 0))
    if empty:
        click.echo(f"note: {empty:,} trees of {source} hold traces alone, and are left out", err=True)
    return without_empty(trees)
