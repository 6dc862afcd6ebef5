"""``linnet explain`` with a classifier: text by text."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import click

from linnet.cli.tasks.classify.data import batches, reads_texts


def explanations(
    model: Any,
    path: str,
    texts: tuple[str, ...],
    given: dict[str, Any],  # noqa: ARG001
) -> Iterator[Any]:
    """Of texts, or of lines as they come."""
    if not reads_texts(model):
        raise click.UsageError(f"{path} scores numbered features and has no text to explain")
    beside = (*model.features_.numeric, *model.features_.categorical)
    if beside:
        raise click.UsageError(
            f"{path} looks at columns beside the text ({', '.join(beside)}): explain it in Python"
        )
    wanted = _arriving(model) if texts in ((), ("-",)) else iter(texts)
    return (model.explain(text) for text in wanted)


def _arriving(model: Any) -> Iterator[str]:
    """Texts as they come through a pipe."""
    for examples in batches("-", model, {"format_": None, "text": None, "zero_based": None}):
        yield from (examples.texts[i] for i in range(len(examples)))
