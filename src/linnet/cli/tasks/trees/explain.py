"""``linnet explain`` with a parser of phrases: sentence by sentence."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import click

from linnet.cli.tasks.parse.options import set_longest
from linnet.cli.tasks.trees.data import batches


def explanations(
    model: Any,
    path: str,  # noqa: ARG001
    texts: tuple[str, ...],
    given: dict[str, Any],
) -> Iterator[Any]:
    """Of the sentences of texts, or of a file."""
    set_longest(model, given)
    data, span = given["data"], given["span"]
    if span is not None and not hasattr(model.model_, "chains"):
        raise click.UsageError("--span: the rules of a grammar are told of whole trees; leave it out")
    own = () if span is None else (span,)
    if texts not in ((), ("-",)):
        if data is not None:
            raise click.UsageError("--data and TEXT are two sources; give one")
        from linnet.data import Sequences

        yield from model.explanations(Sequences.from_texts(list(texts)), *own)
        return
    for batch in batches(data or "-", {"format_": given["format_"]}):
        if len(batch):
            yield from model.explanations(batch, *own)
