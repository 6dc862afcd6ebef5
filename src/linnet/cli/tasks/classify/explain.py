"""``linnet explain`` with a classifier: text by text."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import click

from linnet.cli.tasks.classify.data import batches, reads_texts


def explanations(model: Any, path: str, texts: tuple[str, ...], given: dict[str, Any]) -> Iterator[Any]:
    """Of texts, of the texts of a file, or of lines as they come."""
    if not reads_texts(model):
        raise click.UsageError(f"{path} scores numbered features and has no text to explain")
    by, data = given["by"] or "word", given["data"]
    if given["by"] and hasattr(model.model_, "kernel"):
        raise click.UsageError("--by: support vectors are explained as wholes, and not by n-grams")
    if texts in ((), ("-",)):
        return _of_file(model, data or "-", given | {"zero_based": None}, by)
    if data is not None:
        raise click.UsageError("--data and TEXT are two sources; give one")
    features = model.features_
    beside = () if features is None else (*features.numeric, *features.categorical)
    if beside:
        raise click.UsageError(
            f"{path} looks at columns beside the text ({', '.join(beside)}): give a file that has them "
            "by --data"
        )
    return iter(model.explanations(list(texts), by))


def _of_file(model: Any, path: str, given: dict[str, Any], by: str) -> Iterator[Any]:
    for batch in batches(path, model, given):
        yield from model.explanations(batch, by)
