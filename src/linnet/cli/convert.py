"""``linnet convert``: between data formats, and from models of others."""

from __future__ import annotations

from typing import Any

import click

MODEL_ENDING = ".linnet"


@click.command("convert")
@click.argument("source", metavar="SOURCE")
@click.argument("target", metavar="TARGET")
@click.option("--from", "from_format", metavar="F", help="format of SOURCE, where it cannot be told")
@click.option("--to", "to_format", metavar="F", help="format of TARGET, where its ending does not say")
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
    from_format: str | None,
    to_format: str | None,
    text: str | None,
    label: str | None,
    lossy: bool,
    trust_pickle: bool,
) -> None:
    """Convert data: TSV, CSV, JSONL, Parquet, fastText, VW, svmlight or lines of text; gzip too.

    With a TARGET that ends in .linnet, convert a LIBLINEAR model file, or a pickled scikit-learn
    pipeline of a text vectoriser and a linear classifier (--trust-pickle).
    """
    if target.endswith(MODEL_ENDING) or to_format == "linnet":
        convert_model(source, target, trust_pickle)
        return
    options = {name: value for name, value in (("text", text), ("label", label)) if value}
    convert_data(source, target, from_format, to_format, lossy=lossy, **options)


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
    from linnet import formats

    if target == "-" and to_format is None:
        raise click.UsageError("standard output has no ending: give its format by --to")
    examples = formats.read(source, from_format, **options)
    for note in examples.notes:
        click.echo(f"note: {note}", err=True)
    formats.write(examples, target, to_format, lossy=lossy)
    return examples


def convert_model(source: str, target: str, trust_pickle: bool) -> None:
    """A model file of LIBLINEAR, or what scikit-learn has fitted and pickled."""
    from linnet.errors import DataError

    try:
        with open(source, "rb") as file:
            head = file.read(64)
    except OSError as error:
        raise DataError(f"{source} cannot be read: {error.strerror}") from None
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
    model = TextClassifier.from_sklearn(pipeline)
    for note in model.choice_.why:
        click.echo(f"note: {note}", err=True)
    return model
