"""``linnet explain``: why a text has its label, a token its tag, and a word its head."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import click

from linnet.cli.options import (
    PARSE,
    TEXTS,
    TREES,
    Grouped,
    model_argument,
    no_header_option,
    option,
    text_option,
)
from linnet.cli.output import to_json, written
from linnet.cli.paths import Reads, Writes
from linnet.cli.tasks.classify.options import hook_options
from linnet.cli.tasks.parse.options import longest_option

UNITS = ("word", "feature", "stump")


@click.command("explain", cls=Grouped)
@model_argument
@click.argument("texts", metavar="[TEXT]...", nargs=-1)
@option("--html", type=Writes(), metavar="FILE", help="write a page instead; - is standard output")
@option("--json", "as_json", is_flag=True, help="one JSON object per text or sentence")
@option(
    "--data",
    type=Reads(),
    metavar="FILE",
    help="texts or sentences in a file, in place of TEXT",
)
@option(
    "--format",
    "format_",
    metavar="F",
    help="of FILE, where it cannot be told from it",
)
@text_option
@no_header_option
@option(
    "--by",
    type=click.Choice(UNITS),
    tasks=TEXTS,
    help="gather n-grams into their words, or show each; of AdaBoost stump; word where nothing is said",
)
@hook_options
@longest_option
@option(
    "--span",
    nargs=2,
    type=click.IntRange(0),
    metavar="B E",
    tasks=TREES,
    help="the phrase of words B to E - 1 alone, counted from 0",
)
@option("--word", type=click.IntRange(1), metavar="N", tasks=PARSE, help="the N-th word alone")
def command(model: str, texts: tuple[str, ...], **given: Any) -> None:
    """Show what each word of a text adds to its score.

    Without TEXT, or with -, lines are explained as they come through a pipe; --data explains the texts
    of a file, with the columns that the model looks at. What words and n-grams add is exact: with the
    intercept it sums to the score. Green speaks for a label, red against it.

    Of a tagger, the features and transitions that separate the tag of each token from the second best;
    of a parser, the features that separate the head of each word from the second best; of a parser of
    phrases, those of each phrase, and the best tree without it.
    """
    from linnet.cli.files import load
    from linnet.cli.tasks import task_of_model

    if given["html"] is not None and given["as_json"]:
        raise click.UsageError("--html and --json are two forms; give one")
    loaded = load(model, given=given)
    task = task_of_model(loaded)
    task.check_model(model)
    _tell(
        task.does("explain").explanations(loaded, model, texts, given), given["html"], given["as_json"]
    )


def _tell(explanations: Iterator[Any], html: str | None, as_json: bool) -> None:
    if html is not None:
        _page(explanations, html)
    elif as_json:
        _json(explanations)
    else:
        _terminal(explanations)


def _page(explanations: Iterator[Any], path: str) -> None:
    with written(path) as file:
        file.write(b'<!doctype html><meta charset="utf-8"><title>linnet explain</title>\n')
        file.writelines(f"{explanation.to_html()}\n".encode() for explanation in explanations)


def _json(explanations: Iterator[Any]) -> None:
    for explanation in explanations:
        click.echo(to_json(explanation.to_dict()))


def _terminal(explanations: Iterator[Any]) -> None:
    from linnet.cli.tables import console

    out = console()
    for explanation in explanations:
        out.print(explanation)
