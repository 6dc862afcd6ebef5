"""``linnet predict`` and ``linnet tag`` with a tagger: what came in comes back with tags."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import click

from linnet.cli._options import SECTION, refuse_given, stack, threads_option
from linnet.cli._output import written
from linnet.cli.tagging.options import columns_option

if TYPE_CHECKING:
    from linnet.cli.tagging.output import Writer

FOR_CLASSIFIERS = ("scores", "threshold", "text", "zero_based", "no_header")
tag_options = stack(
    click.option(
        "--output-format",
        "to_format",
        metavar="F",
        help="conll, tsv, conllu, crfsuite, tokens, spans, entities or tags",
    ),
    columns_option,
    click.option("--unlabelled", is_flag=True, help="CRFsuite's lines begin with no tag"),
    threads_option,
)
SECTION.update({"columns": "Tagging", "unlabelled": "Tagging"})


def run(model: Any, data: str, given: dict[str, Any]) -> None:
    """Tag sentences as they come."""
    from linnet.cli.tagging.data import Reader
    from linnet.cli.tagging.output import Writer

    refuse_given(FOR_CLASSIFIERS, "for classifiers; the model is a tagger")
    if given["proba"] and not hasattr(model, "predict_proba"):
        raise click.UsageError(
            f"--probabilities: scores of loss {model.loss_!r} are margins, not probabilities; train "
            f"with --loss logistic (a CRF)"
        )
    if given["proba"] and given["top"] is not None:
        raise click.UsageError("-k gives scores of whole sentences; leave out --probabilities")
    reader = Reader(model, data, given)
    writer = Writer(model, reader, given["to_format"])
    with written(given["output"]) as out:
        for batch in reader.batches():
            out.write(b"".join(answers(model, writer, batch, given)))
            out.flush()


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
