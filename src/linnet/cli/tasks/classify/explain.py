"""``linnet explain`` with a classifier: text by text."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import click

from linnet.cli.tasks.classify.data import reads_texts


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
    wanted = _lines() if texts in ((), ("-",)) else iter(texts)
    return (model.explain(text) for text in wanted)


def _lines() -> Iterator[str]:
    """Texts as they come through a pipe."""
    from linnet import formats

    for batch in formats.read_batches("-", "text"):
        assert batch.texts is not None
        yield from (batch.texts[i] for i in range(len(batch)))
