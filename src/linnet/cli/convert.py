"""``linnet convert``: between data formats, and from models of others."""

from __future__ import annotations

from typing import Any

import click

from linnet.cli.options import no_header_option

MODEL_ENDING = ".linnet"


@click.command("convert")
@click.argument("source", metavar="SOURCE")
@click.argument("target", metavar="TARGET")
@click.option("--format", "format_", metavar="F", help="of SOURCE, where it cannot be told from it")
@click.option("--to", "to_format", metavar="F", help="format of TARGET, where its name does not say it")
@no_header_option
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
    no_header: bool | None,
    text: str | None,
    label: str | None,
    lossy: bool,
    trust_pickle: bool,
) -> None:
    """Convert data files, and models of other libraries.

    Data: TSV, CSV, JSONL, Parquet, fastText, VW, svmlight or lines of text; sentences in columns,
    CoNLL-U, CRFsuite's format, TSV, or JSONL of tokens or spans; trees in CoNLL-U or CoNLL-X; gzip
    too; - is a pipe.
    With a TARGET that ends in .linnet, convert a LIBLINEAR model file, or a pickled scikit-learn
    pipeline of a text vectoriser and a linear classifier (--trust-pickle).
    """
    from linnet.cli.files import check_output
    from linnet.cli.output import check_apart, check_place
    from linnet.cli.tasks import task_of_data

    if target != "-":
        check_place(target)
        check_apart("TARGET", target, source)
    if target.endswith(MODEL_ENDING) or to_format == "linnet":
        check_output(target, source)
        convert_model(source, target, trust_pickle)
        return
    task = task_of_data(None, source, format_)
    if task.name != "classify":
        convert_sentences(source, target, task.name, format_, to_format, label)
        return
    said = {"text": text, "label": label, "header": False if no_header else None}
    options = {name: value for name, value in said.items() if value is not None}
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
    from linnet.cli.files import tell_notes
    from linnet.formats._table import by_ending

    if to_format is None and by_ending(target, formats.Format) is None:
        raise click.UsageError(f"{target}: the name does not tell a format; give one by --to")
    examples = formats.read(source, from_format, **options)
    tell_notes(examples)
    if lossy and to_format == "text":
        examples = replace(examples, labels=None)
    formats.write(examples, target, to_format, lossy=lossy)
    return examples


def convert_sentences(
    source: str,
    target: str,
    task: str,
    from_format: str | None,
    to_format: str | None,
    label: str | None,
) -> None:
    """Sentences of tokens with their tags (the task ``tag``), or their trees."""
    from linnet import formats
    from linnet.cli.files import tell_notes
    from linnet.cli.tasks.tag.data import form_of, read
    from linnet.formats._table import by_ending

    ending = by_ending(target, formats.TreeFormat)
    wanted = to_format or (None if ending is None else ending.name)
    only_trees = wanted in formats.TREE_FORMATS and wanted not in formats.SEQUENCE_FORMATS
    trees = task == "parse" or only_trees
    known = formats.TREE_FORMATS if trees else formats.SEQUENCE_FORMATS
    row = by_ending(target, formats.SequenceFormat)
    form = wanted or (_usual_form(target) if row is None else row.name)
    if form not in known:
        raise click.UsageError(
            f"{target}: {source} holds {'trees' if trees else 'sentences of tokens'}; give a format "
            f"of such by --to: {', '.join(known)}"
        )
    if trees:
        found = formats.read_trees(source, from_format, roots="many")
        formats.write_trees(found, target, form)
    else:
        read_as = form_of(source, {"format_": from_format})
        found = read(source, read_as, {} if label is None else {"label": label})
        formats.write_sequences(found, target, form)
    tell_notes(found)


def _usual_form(target: str) -> str | None:
    """Endings that examples and sentences share."""
    plain = target.removesuffix(".gz")
    endings = {".tsv": "tsv", ".jsonl": "tokens"}
    return next((form for ending, form in endings.items() if plain.endswith(ending)), None)


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
