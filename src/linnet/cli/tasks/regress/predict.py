"""``linnet predict`` with a regressor: a number for each text."""

from __future__ import annotations

from typing import Any

import click

from linnet.cli.files import arriving
from linnet.cli.following import following
from linnet.cli.options import spelt
from linnet.cli.output import written
from linnet.cli.tasks.classify.data import example_batches, inputs
from linnet.formats import part_of


def run(model: Any, path: str, data: str, given: dict[str, Any]) -> None:  # noqa: ARG001
    """Numbers of texts as they come."""
    for name in ("proba", "top"):
        if given.get(name):
            raise click.UsageError(
                f"{spelt(name)}: a regressor predicts one number, without a probability"
            )
    source, part = arriving(data), part_of(data)
    first = part is None or part.begin == 0
    with written(given["output"]) as out, following(source, "texts") as tell:
        for examples in example_batches(source, model, given, notes=first):
            found = model.predict(inputs(model, examples)).tolist()
            out.writelines(b"%.6g\n" % value for value in found)
            out.flush()
            tell(len(examples))


def ranges(model: Any, path: str, given: dict[str, Any], size: int) -> list[Any]:
    """A file cut into pieces that can be answered apart."""
    from linnet.cli.tasks.classify import data

    return data.ranges(path, model, given, size, lines=False)


def head(model: Any, path: str, given: dict[str, Any]) -> bytes:  # noqa: ARG001
    """Nothing stands before the answers."""
    return b""
