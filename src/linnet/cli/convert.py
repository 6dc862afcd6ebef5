"""``linnet convert``: between data formats, and from models of others."""

from __future__ import annotations

from typing import Any

import click

MODEL_ENDING = ".linnet"


@click.command("convert")
@click.argument("source", metavar="SOURCE")
@click.argument("target", metavar="TARGET")
@click.option("--format", "format_", metavar="F", help="of SOURCE, where it cannot be told from it")
@click.option("--to", "to_format", metavar="F", help="format of TARGET, where its name does not say it")
@click.option("--text", metavar="NAME", help="column of the text (CSV, JSONL, Parquet)")
@click.option("--label", metavar="NAME", help="column of the label")
@click.option("--lossy", is_flag=True, help="leave out what TARGET's format cannot carry")
@click.option(
    "--trust-pickle",
    is_flag=True,
    help="SOURCE is a pickled scikit-learn pipeline: reading it runs code, so know where it is from",
)
def command(
    source: str,
    target: str,
    format_: str | None,
    to_format: str | None,
    text: str | None,
    label: str | None,
    lossy: bool,
    trust_pickle: bool,
) -> None:
    """Convert data files, and models of other libraries.

    Data: TSV, CSV, JSONL, Parquet, fastText, VW, svmlight or lines of text; gzip too; - is a pipe.
    With a TARGET that ends in .linnet, convert a LIBLINEAR model file, or a pickled scikit-learn
    pipeline of a text vectoriser and a linear classifier (--trust-pickle).
    """
    from linnet.cli._data import check_output
    from linnet.cli._output import check_place

    if target != "-":
        check_place(target)
    if target.endswith(MODEL_ENDING) or to_format == "linnet":
        check_output(target, source)
        convert_model(source, target, trust_pickle)
        return
    options = {name: value for name, value in (("text", text), ("label", label)) if value}
    convert_data(source, target, format_, to_format, lossy=lossy, **options)


def convert_data(
    source: str,
    target: str,
    from_format: str | None = None,
    to_format: str | None = None,
    *,
    lossy: bool = False,
    **options: Any,
) -> Any:
    """Read ``source`` and write it as ``target``; ``options`` are those of `linnet.formats.read`.

    Notes of the reader go to standard error, so that standard output may be the target.
    """
    from dataclasses import replace

    from linnet import formats
    from linnet.errors import DataError
    from linnet.formats._detect import by_ending

    if to_format is None and by_ending(target) is None:
        raise click.UsageError(f"{target}: the name does not tell a format; give one by --to")
    examples = formats.read(source, from_format, **options)
    for note in examples.notes:
        click.echo(f"note: {note}", err=True)
    if lossy and to_format == "text":
        examples = replace(examples, labels=None)
    try:
        formats.write(examples, target, to_format, lossy=lossy)
    except DataError as error:  # it speaks to those who call a function
        raise DataError(str(error).replace("with lossy", "with --lossy")) from None
    return examples


def convert_model(source: str, target: str, trust_pickle: bool) -> None:
    """A model file of LIBLINEAR, or what scikit-learn has fitted and pickled."""
    from linnet.errors import DataError

    with open(source, "rb") as file:
        head = file.read(64)
    if head.startswith(b"solver_type"):
        from linnet.estimators import from_liblinear

        from_liblinear(source).save(target)
    elif trust_pickle:
        _from_pickle(source).save(target)
    elif head[:1] == b"\x80":
        raise click.UsageError(
            f"{source} is a pickle, and reading one runs whatever is in it; if you know where it is "
            f"from, say --trust-pickle"
        )
    else:
        raise DataError(f"{source} is neither a LIBLINEAR model file nor a pickle of scikit-learn")


def _from_pickle(source: str) -> Any:
    import pickle

    from linnet.errors import DataError
    from linnet.estimators import TextClassifier

    try:
        with open(source, "rb") as file:
            pipeline = pickle.load(file)
    except Exception as error:
        raise DataError(f"{source} cannot be unpickled: {error}") from None
    try:
        model = TextClassifier.from_sklearn(pipeline)
    except ValueError as error:
        raise DataError(f"{source}: {error}") from None
    for note in model.choice_.why:
        click.echo(f"note: {note}", err=True)
    return model
