"""``linnet explain`` with a parser: sentence by sentence."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import click

from linnet.cli.tasks.parse.data import batches, check_words
from linnet.cli.tasks.parse.options import set_longest


def explanations(
    model: Any,
    path: str,  # noqa: ARG001
    texts: tuple[str, ...],
    given: dict[str, Any],
) -> Iterator[Any]:
    """Of the sentences of texts, or of a file."""
    set_longest(model, given)
    data, form, word = given["data"], given["format_"], given["word"]
    if texts not in ((), ("-",)):
        if data is not None:
            raise click.UsageError("--data and TEXT are two sources; give one")
        check_words(model, "TEXT")
        yield from model.explain(model.cut_texts(list(texts)), word)
        return
    for _, batch in batches(model, data or "-", {"format_": form}):
        if len(batch):
            yield from model.explain(batch, word)
