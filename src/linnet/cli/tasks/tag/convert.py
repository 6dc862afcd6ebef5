"""``linnet convert`` of sentences of tokens."""

from __future__ import annotations

from typing import Any

import click

from linnet.cli.files import tell_notes
from linnet.cli.tasks.tag.data import form_of, read
from linnet.data.schemes import rewritten


def convert(source: str, target: str, given: dict[str, Any]) -> None:
    """Read the one and write the other; what only trees are written in asks for trees."""
    from linnet import formats
    from linnet.cli.tasks import TASKS
    from linnet.formats._table import by_ending

    row = by_ending(target, formats.SequenceFormat)
    tree_row = by_ending(target, formats.TreeFormat)
    form = given["to_format"] or (shared_ending(target) if row is None else row.name)
    tree_form = form or (None if tree_row is None else tree_row.name)
    if tree_form in formats.TREE_FORMATS and tree_form not in formats.SEQUENCE_FORMATS:
        TASKS["parse"].check_data(source)
        TASKS["parse"].does("convert").convert(source, target, given)
        return
    if form not in formats.SEQUENCE_FORMATS:
        known = ", ".join(formats.SEQUENCE_FORMATS)
        raise click.UsageError(
            f"{target}: {source} holds sentences of tokens; give a format of such by --to: {known}"
        )
    said = {name: given[name] for name in ("label", "label_names")}
    options = {name: value for name, value in said.items() if value is not None}
    sentences = read(source, form_of(source, given), options)
    if given["scheme"] is not None:
        if form in ("spans", "text"):
            raise click.UsageError(f"--scheme: {form} has spans, and no tags to write in a scheme")
        sentences = rewritten(sentences, given["scheme"])
    formats.write_sequences(sentences, target, form)
    tell_notes(sentences)


def shared_ending(target: str) -> str | None:
    """Endings that examples and sentences share."""
    plain = target.removesuffix(".gz")
    endings = {".tsv": "tsv", ".jsonl": "tokens"}
    return next((form for ending, form in endings.items() if plain.endswith(ending)), None)
