"""``linnet explain`` with a tagger: sentence by sentence."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import click

from linnet.cli.tasks.tag.data import FROM_WORDS, Reader, Trained


def explanations(model: Any, path: str, texts: tuple[str, ...], given: dict[str, Any]) -> Iterator[Any]:
    """Of the sentences of texts, or of a file."""
    data, form = given["data"], given["format_"]
    if texts not in ((), ("-",)):
        if data is not None:
            raise click.UsageError("--data and TEXT are two sources; give one")
        yield from model.explain(_sentences(model, path, texts))
        return
    reader = Reader(Trained.of(model), data or "-", {"format_": form})
    for batch in reader.batches():
        if len(batch):
            yield from model.explain(batch)


def _sentences(model: Any, path: str, texts: tuple[str, ...]) -> Any:
    """Words of running text, under the name that the model knows."""
    from linnet.data import Sequences

    reader = Reader(Trained.of(model), "TEXT", {"format_": "text"})
    if reader.lacking or not reader.needed:
        beside = ", ".join(reader.lacking) or "attributes"
        raise click.UsageError(
            f"{path} looks at {beside}: give sentences that have them by --data. {FROM_WORDS}"
        )
    return reader.checked(Sequences.from_texts(list(texts), source="TEXT"))
