"""``linnet convert``: between data formats, and from models of others."""

from __future__ import annotations

from typing import Any

import click

from linnet.cli.options import (
    CLASSIFY,
    TAG,
    TREES,
    Grouped,
    label_names_option,
    no_header_option,
    option,
    refuse_given,
)
from linnet.cli.paths import Reads, Writes, check_model

MODEL_ENDING = ".linnet"
OF_DATA = (
    "format_", "no_header", "text", "label", "label_names", "lossy", "safe_csv", "scheme", "clean",
    "indent",
)  # fmt: skip


@click.command("convert", cls=Grouped)
@click.argument("source", type=Reads(), metavar="SOURCE")
@click.argument("target", type=Writes(), metavar="TARGET")
@option("--format", "format_", metavar="F", help="of SOURCE, where it cannot be told from it")
@option("--to", "to_format", metavar="F", help="format of TARGET, where its name does not say it")
@no_header_option
@option("--text", metavar="NAME", tasks=CLASSIFY, help="column of the text (CSV, JSONL, Parquet)")
@option("--label", metavar="NAME", tasks=(*CLASSIFY, *TAG), help="column of the label")
@label_names_option
@option("--lossy", is_flag=True, tasks=CLASSIFY, help="leave out what TARGET's format cannot carry")
@option(
    "--safe-csv",
    is_flag=True,
    tasks=CLASSIFY,
    help="CSV for spreadsheets: an apostrophe before what they would take for a formula",
)
@option(
    "--scheme",
    metavar="S",
    tasks=TAG,
    help="write tags of spans as iob1, bio, ioe1, ioe2, bioes, bilou or io",
)
@option(
    "--clean",
    is_flag=True,
    tasks=TREES,
    help="brackets without traces, functions and indices: NP for NP-SBJ-1",
)
@option("--indent", is_flag=True, tasks=TREES, help="brackets on several lines; else a tree to a line")
@option(
    "--trust-pickle",
    is_flag=True,
    help="SOURCE is a pickled scikit-learn pipeline: reading it runs code, so know where it is from",
)
def command(source: str, target: str, **given: Any) -> None:
    """Convert data files, and models of other libraries.

    Data: TSV, CSV, JSONL, Parquet, fastText, VW, svmlight or lines of text; sentences in columns,
    CoNLL-U, CRFsuite's format, TSV, or JSONL of tokens or spans; trees in CoNLL-U or CoNLL-X; trees of
    phrases in brackets, or their words and tags as sentences; gzip too; - is a pipe. Exports of
    Prodigy, doccano, Label Studio and spaCy are read.
    With a TARGET that ends in .linnet, convert a LIBLINEAR model file, or a pickled scikit-learn
    pipeline of a text vectoriser and a linear classifier (--trust-pickle).
    """
    from linnet.cli.tasks import task_of_data

    if target.endswith(MODEL_ENDING) or given["to_format"] == "linnet":
        check_model("TARGET", target)
        refuse_given(OF_DATA, f"for data; {target} is a model")
        convert_model(source, target, given["trust_pickle"])
        return
    refuse_given(("trust_pickle",), f"for models; {target} does not end in {MODEL_ENDING}")
    task = task_of_data(None, source, given["format_"])
    task.check_data(source)
    task.does("convert").convert(source, target, given)


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
