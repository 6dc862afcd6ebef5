"""``linnet look``: a page to see a model and its errors on, to doubt labels, and to teach it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from linnet.cli.options import Grouped, format_option, model_argument, option, text_option
from linnet.cli.paths import Reads, Writes
from linnet.cli.serve import EXTRA

SPELT = {"format_": "format", "imported": "import"}


@click.command("look", cls=Grouped)
@model_argument
@click.argument("data", type=Reads(), metavar="[DATA]", required=False)
@option("--pool", type=Reads(), metavar="FILE", help="texts without labels, to be labelled by keys")
@option(
    "--train",
    type=Reads(),
    metavar="FILE",
    help="what MODEL learnt from: texts of DATA that are in it are told, and teaching refits to it",
)
@option(
    "--import",
    "imported",
    type=Reads(),
    multiple=True,
    metavar="FILE",
    help="labels, spans or trees that were decided elsewhere (exports of Prodigy, doccano, Label "
    "Studio, or any file of examples): they become decisions, each once",
)
@option("--against", type=Reads(), metavar="MODEL2", help="a second model, to compare with")
@option(
    "--decisions",
    type=Writes(),
    metavar="FILE",
    help="where decisions are appended; MODEL.decisions.jsonl if it is not said",
)
@option(
    "--port", type=click.IntRange(0, 65535), default=0, metavar="N", help="any that is free, or this"
)
@option("--no-browser", is_flag=True, help="tell the address, and open nothing")
@format_option
@text_option
@option("--label", metavar="NAME", section="Data", help="column of the label")
@option(
    "--slice",
    metavar="NAME",
    multiple=True,
    section="Data",
    help="a column of DATA whose values are parts to be judged by themselves",
)
@option(
    "--threads",
    type=click.IntRange(min=1),
    metavar="N",
    help="processor threads; all that there are, up to 4, if it is not said; they change no result",
)
def command(model: str, data: str | None, **given: Any) -> None:
    """A page to try a model on, find its errors, and teach it.

    DATA has texts and labels, for errors and labels that look wrong; without labels it is what --pool
    is. Of a tagger it has sentences with tags, of a parser trees, and --pool has sentences or running
    text. The page is served on this computer alone, under an address that nobody can guess, and
    asks nothing of any other. What is decided on it is appended to --decisions at once.
    """
    try:
        from linnet.serving.look.app import look_application
        from linnet.serving.look.running import served
    except ModuleNotFoundError as error:
        raise click.ClickException(f"linnet look {EXTRA} ({error.name} is missing)") from None
    from linnet._params import cores
    from linnet.cli.files import load, rival
    from linnet.cli.tasks import task_of_model
    from linnet.serving.answering import check_looked
    from linnet.serving.look.labelling import check_rival
    from linnet.serving.look.session import Looked

    given["threads"] = given["threads"] or min(4, cores())
    loaded = load(model, given["threads"])
    check_looked(loaded, model)
    task = task_of_model(loaded)
    _check_given(task, given)
    looked = Looked(
        loaded, Path(model).name, decisions=given["decisions"] or f"{model}.decisions.jsonl"
    )
    if task.name == "tag":
        _read_sentences(looked, data, given)
    elif task.name in ("parse", "trees"):
        _read_trees(looked, task.name, data, given)
    elif data is not None:
        texts, labels, beside = _read(data, given, loaded)
        if labels is None:
            looked.pool = texts
        else:
            looked.texts, looked.labels, looked.beside = texts, labels, beside
    if given["pool"] is not None and task.name == "classify":
        looked.pool = _read(given["pool"], given, loaded)[0]
    for path in given["imported"] if task.name == "classify" else ():
        texts, labels, _ = _read(path, given, loaded)
        if labels is None:
            raise click.UsageError(f"--import {path}: texts with labels are wanted")
        rows = [{"text": a, "label": b} for a, b in zip(texts, labels, strict=True)]
        _import(looked, path, rows)
    if given["train"] is not None and task.name == "classify":
        texts, labels, _ = _read(given["train"], given, loaded)
        if labels is None:
            raise click.UsageError(f"--train {given['train']}: texts with labels are wanted")
        looked.train = (texts, labels)
    if given["against"] is not None:
        if looked.labels is None and looked.tagged is None and looked.trees is None:
            raise click.UsageError("--against: two models are compared on DATA with labels; give some")
        looked.rival = rival(model, given | {"trust_hooks": None}, loaded)
        check_rival(loaded, looked.rival, f"--against {given['against']}")
    app = look_application(looked)
    served(app, given["port"], click.echo, browser=not given["no_browser"])


def _check_given(task: Any, given: dict[str, Any]) -> None:
    """What the page would not look at is refused."""
    if task.name == "classify":
        return
    unused = ["slice", "text", "label"]
    for name in unused:
        if given[name]:
            raise click.UsageError(
                f"--{SPELT.get(name, name)}: has no effect on the page of a {task.model}; leave it out"
            )


def _read_sentences(looked: Any, data: str | None, given: dict[str, Any]) -> None:
    """DATA with tags, sentences of the pool as words, and what was decided elsewhere."""
    from linnet.cli.tasks.tag.data import Reader, Trained
    from linnet.data.sequences import token_strings

    trained = Trained.of(looked.model)
    if data is not None:
        looked.tagged = Reader(trained, data, given).tagged()
    if given["train"] is not None:
        looked.train_tagged = Reader(trained, given["train"], given).tagged()
    for path in given["imported"]:
        found = Reader(trained, path, given).tagged()
        words = found.by_sentence(token_strings(found.columns[looked.model._word_name()]))
        pairs = zip(words, found.tags(), strict=True)
        rows = [{"text": " ".join(a), "words": a, "tags": b} for a, b in pairs if None not in b]
        _import(looked, path, rows)
    if given["pool"] is not None:
        word = looked.model._word_name()
        batches = Reader(trained, given["pool"], given).batches()
        looked.pool = [
            words for one in batches for words in one.by_sentence(token_strings(one.columns[word]))
        ]


def _read_trees(looked: Any, task: str, data: str | None, given: dict[str, Any]) -> None:
    """DATA with trees, words of the pool, what the parser learnt from, what was decided elsewhere."""
    from linnet.cli.look_trees import Arcs, Phrases

    reader = (Arcs if task == "parse" else Phrases)(looked.model, given)
    if data is not None:
        looked.trees = reader.gold(data)
    if given["train"] is not None:
        if given["pool"] is None:
            raise click.UsageError("--train: a parser is taught trees of a pool; give --pool, too")
        looked.train_trees = reader.train(given["train"])
    if given["pool"] is not None:
        looked.pool = reader.pool(given["pool"])
    for path in given["imported"]:
        _import(looked, path, reader.decided(path))


def _import(looked: Any, path: str, rows: list[dict[str, Any]]) -> None:
    """What was decided elsewhere, unless the same was imported before."""
    from linnet.serving.look.decisions import Decisions

    decisions = Decisions(looked.decisions)
    added = decisions.add_all(rows)
    decisions.close()
    click.echo(f"{path}: {added:,} of {len(rows):,} became decisions; the others were there", err=True)


def _read(path: str, given: dict[str, Any], model: Any) -> tuple[list[str], list[Any] | None, Any]:
    """Texts, their labels, or sets of labels, if there are any, and the columns beside them."""
    from linnet.cli.files import opened
    from linnet.cli.tasks.classify.data import form_of, formats_options
    from linnet.formats import read
    from linnet.serving.look.labelling import labels_of

    source = opened(path)
    form = form_of(source, given, model)
    said = {name: given[name] for name in ("text", "label") if given[name] is not None}
    if given["slice"]:
        said["columns"] = given["slice"]
    options = {name: value for name, value in said.items() if name in formats_options(form)}
    for name in said.keys() - options.keys():
        raise click.UsageError(
            f"--{'slice' if name == 'columns' else name}: {path} is {form}, which has no such thing"
        )
    if model.several_ and "multilabel" in formats_options(form):
        options["multilabel"] = True
    examples = read(source, form, **options)
    if examples.texts is None:
        raise click.UsageError(f"{path} has numbered features, no texts to look at")
    found = examples.texts
    texts = [found[i] for i in range(len(found))]
    if examples.labels is None:
        return texts, None, examples.columns
    if examples.labels.multilabel and not model.several_:
        raise click.UsageError(f"{path} has several labels to a text, and the model gives one")
    return texts, labels_of(examples.labels.values(), model.several_), examples.columns
