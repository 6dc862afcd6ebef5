"""``linnet predict``: one line out for each text in."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import click

from linnet.cli._options import Grouped, no_header_option, refuse_given, zero_based_option
from linnet.cli._output import check_apart, written
from linnet.cli.parsing.predict import DRAWING, draw_options
from linnet.cli.tagging.predict import tag_options

ONE_CELL = str.maketrans("\t\r\n", "   ")  # a label that has them (JSONL) breaks no line


@click.command("predict", cls=Grouped)
@click.argument("model", metavar="MODEL")
@click.argument("data", metavar="[DATA]", default="-")
@click.option(
    "--proba", "--probabilities", is_flag=True, help="label and probability, separated by a tab"
)
@click.option("--scores", is_flag=True, help="label and score in place of a probability")
@click.option(
    "--top",
    "-k",
    type=click.IntRange(min=1),
    metavar="K",
    help="the K best labels, sequences of tags or trees, best first",
)
@click.option(
    "--threshold", type=click.FloatRange(0, 1), metavar="P", help="say 'unsure' below this probability"
)
@click.option("-o", "--output", metavar="FILE", default="-", help="where to write; standard output")
@click.option("--format", "format_", metavar="F", help="of DATA; a pipe holds lines of text")
@click.option("--text", metavar="NAME", help="column of the text (CSV, JSONL, Parquet)")
@zero_based_option
@no_header_option
@tag_options
@draw_options
def command(model: str, data: str, **given: Any) -> None:
    """Label texts: one line out for each text in.

    DATA is a file of texts, one per line, or of any format that `linnet train` takes, whose labels are
    not looked at. Without it, or with -, lines are labelled as they come through a pipe.

    Texts of several labels get them side by side, separated by tabs; --top shows the best ones, whether
    or not they are given to the text.

    A tagger gives back the columns of DATA with the tag as the last one, the spans that it finds in
    running text, or what else `linnet tag --help` names. A parser gives back CoNLL-U with trees, or
    draws them; see `linnet parse --help`.
    """
    from linnet.cli._data import batches, is_parser, is_tagger, load

    if given["proba"] and given["scores"]:
        raise click.UsageError("--proba and --scores are two kinds of number; give one")
    check_apart("-o", given["output"], model, data)
    loaded = load(model, given["threads"])
    if is_parser(loaded):
        from linnet.cli.parsing.predict import run as parse

        parse(loaded, data, given)
        return
    refuse_given(DRAWING, f"for parsers; {model} is none")
    if is_tagger(loaded):
        from linnet.cli.tagging.predict import run

        run(loaded, data, given)
        return
    refuse_given(("to_format", "columns", "unlabelled"), f"for taggers; {model} is a classifier")
    set_thresholds(loaded, given["threshold"])
    if given["proba"]:
        need_probabilities(loaded, "--proba")
    with written(given["output"], "w") as out:
        for batch in batches(data, loaded, given):
            out.writelines(lines(loaded, batch, given["top"], _number(given)))
            out.flush()


def _number(given: dict[str, Any]) -> str | None:
    return "proba" if given["proba"] else "scores" if given["scores"] else None


def need_probabilities(model: Any, option: str) -> None:
    """Not every model has them."""
    if not hasattr(model, "predict_proba"):
        raise click.UsageError(
            f"{option}: the scores of this model are margins, not probabilities; "
            "train with --loss logistic, or for one label per text with --calibration auto"
        )


def set_thresholds(model: Any, thresholds: Any) -> None:
    """A probability, or probabilities by label."""
    if thresholds is None:
        return
    if not hasattr(model, "features_"):
        raise click.UsageError("--threshold: only models of texts have thresholds")
    need_probabilities(model, "--threshold")
    model.thresholds = thresholds


def lines(model: Any, X: Any, top: int | None, number: str | None) -> Iterable[str]:
    """A line per text: its label or labels, with numbers if asked for."""
    several = getattr(model, "several_", False)
    if top is not None:
        return _ranked(model, X, top, number)
    found = model.predict(X)
    if number is None:
        return (_line(labels if several else [labels]) for labels in found)
    names, values = model.classes_.tolist(), _values(model, X, number)
    if not several:
        best = values.max(axis=1).tolist()
        return (_line([label], [value], number) for label, value in zip(found, best, strict=True))
    place = {name: k for k, name in enumerate(names)}
    return (
        _line(labels, [row[place[label]] for label in labels], number)
        for labels, row in zip(found, values.tolist(), strict=True)
    )


def _ranked(model: Any, X: Any, top: int, number: str | None) -> Iterable[str]:
    import numpy as np

    values = _values(model, X, number)
    best = np.argsort(-values, axis=1, kind="stable")[:, :top]
    rows = np.take_along_axis(values, best, axis=1).tolist()
    names = model.classes_[best].tolist()
    return (_line(labels, row, number) for labels, row in zip(names, rows, strict=True))


def _values(model: Any, X: Any, number: str | None) -> Any:
    """A number for each label, (texts, labels)."""
    import numpy as np

    if number == "proba":
        return model.predict_proba(X)
    scores = model.decision_function(X)
    return np.stack([-scores, scores], axis=1) if scores.ndim == 1 else scores


def _line(labels: Sequence[Any], values: Sequence[float] = (), number: str | None = None) -> str:
    names = [str(label).translate(ONE_CELL) for label in labels]
    if number is None:
        return "\t".join(names) + "\n"
    shown = "{}\t{:.6f}" if number == "proba" else "{}\t{:.6g}"
    pairs = zip(names, values, strict=True)
    return "\t".join(shown.format(label, value) for label, value in pairs) + "\n"
