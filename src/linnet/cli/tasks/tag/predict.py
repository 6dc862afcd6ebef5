"""``linnet predict`` and ``linnet tag`` with a tagger: what came in comes back with tags."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import click

from linnet.cli.following import following
from linnet.cli.options import spelt
from linnet.cli.output import written
from linnet.cli.probabilities import need_probabilities

if TYPE_CHECKING:
    from linnet.cli.tasks.tag.output import Writer


def run(model: Any, path: str, data: str, given: dict[str, Any]) -> None:  # noqa: ARG001
    """Tag sentences as they come."""
    from linnet.cli.tasks.tag.data import Reader, Trained
    from linnet.cli.tasks.tag.output import Writer

    if given["top"] is not None and not hasattr(model, "learner"):
        raise click.UsageError(f"{spelt('top')}: rules and neighbours give one tag, and no scores")
    if given["proba"]:
        need_probabilities(model, spelt("proba"))
    if given["proba"] and given["top"] is not None:
        raise click.UsageError(
            f"{spelt('top')} gives scores of whole sentences; leave out {spelt('proba')}"
        )
    reader = Reader(Trained.of(model), data, given)
    writer = Writer(model, reader, given["to_format"])
    with written(given["output"]) as out, following(reader.path, "sentences") as tell:
        for batch in reader.batches():
            out.write(b"".join(answers(model, writer, batch, given)))
            out.flush()
            tell(len(batch))


def ranges(model: Any, path: str, given: dict[str, Any], size: int) -> list[Any]:
    """A file cut into pieces that can be answered apart; entities tell their lines."""
    from linnet import formats
    from linnet.cli.tasks.tag.data import Reader, Trained
    from linnet.cli.tasks.tag.output import ENTITIES

    form = formats.SEQUENCE_FORMATS[Reader(Trained.of(model), path, given).form]
    by_line = {"by_line": False} if form.name == "text" else {}
    lines = given["to_format"] == ENTITIES
    return formats.ranges(path, form, size, lines=lines, **by_line)


def head(_model: Any, _path: str, _given: dict[str, Any]) -> bytes:
    """Nothing stands before all answers."""
    return b""


def answers(model: Any, writer: Writer, batch: Any, given: dict[str, Any]) -> Iterator[bytes]:
    """Lines of one batch."""
    if given["top"] is not None:
        return writer.best(batch, model.predict(batch, k=given["top"]))
    predicted = model.tag(batch)
    return writer.lines(batch, predicted, certainties(model, batch, predicted, given["proba"]))


def certainties(model: Any, batch: Any, predicted: Any, wanted: bool) -> list[float] | None:
    """The probability of the predicted tag of each token."""
    import numpy as np

    if not wanted:
        return None
    if not batch.tokens:
        return []
    marginals = np.concatenate(model.predict_proba(batch))
    return marginals[np.arange(batch.tokens), predicted.codes].tolist()  # type: ignore[no-any-return]
