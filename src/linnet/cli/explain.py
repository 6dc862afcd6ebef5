"""``linnet explain``: why a text has its label, a token its tag, and a word its head."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import click

from linnet.cli._options import refuse_given
from linnet.cli._output import check_apart, written


@click.command("explain")
@click.argument("model", metavar="MODEL")
@click.argument("texts", metavar="[TEXT]...", nargs=-1)
@click.option("--html", metavar="FILE", help="write a page instead; - is standard output")
@click.option("--json", "as_json", is_flag=True, help="one JSON object per text or sentence")
@click.option(
    "--data", metavar="FILE", help="of taggers and parsers: sentences in a file, in place of TEXT"
)
@click.option("--format", "format_", metavar="F", help="of FILE, where it cannot be told from it")
@click.option("--word", type=click.IntRange(1), metavar="N", help="of parsers: the N-th word alone")
def command(
    model: str,
    texts: tuple[str, ...],
    html: str | None,
    as_json: bool,
    data: str | None,
    format_: str | None,
    word: int | None,
) -> None:
    """Show what each word of a text adds to its score.

    Without TEXT, or with -, lines are explained as they come through a pipe. What the n-grams add is
    exact: with the intercept it sums to the score. Green speaks for a label, red against it.

    Of a tagger, the features and transitions that separate the tag of each token from the second best;
    of a parser, the features that separate the head of each word from the second best.
    """
    from linnet.cli._data import is_parser, is_tagger, load

    if html is not None and as_json:
        raise click.UsageError("--html and --json are two forms; give one")
    if html is not None:
        check_apart("--html", html, model, data)
    loaded = load(model)
    if is_parser(loaded):
        from linnet.cli.parsing.explain import explanations as of_trees

        _tell(of_trees(loaded, texts, data, format_, word), html, as_json)
        return
    refuse_given(("word",), f"for parsers; {model} is none")
    if is_tagger(loaded):
        from linnet.cli.tagging.explain import explanations as of_tags

        _tell(of_tags(loaded, model, texts, data, format_), html, as_json)
        return
    refuse_given(("data", "format_"), f"for taggers; {model} is a classifier")
    if not hasattr(loaded, "features_"):
        raise click.UsageError(f"{model} scores numbered features and has no text to explain")
    beside = (*loaded.features_.numeric, *loaded.features_.categorical)
    if beside:
        raise click.UsageError(
            f"{model} looks at columns beside the text ({', '.join(beside)}): explain it in Python"
        )
    given = _lines() if texts in ((), ("-",)) else iter(texts)
    _tell((loaded.explain(text) for text in given), html, as_json)


def _tell(explanations: Iterator[Any], html: str | None, as_json: bool) -> None:
    if html is not None:
        _page(explanations, html)
    elif as_json:
        _json(explanations)
    else:
        _terminal(explanations)


def _lines() -> Iterator[str]:
    """Texts as they come through a pipe."""
    from linnet import formats

    for batch in formats.read_batches("-", "text"):
        assert batch.texts is not None
        yield from (batch.texts[i] for i in range(len(batch)))


def _page(explanations: Iterator[Any], path: str) -> None:
    with written(path, "w") as file:
        file.write('<!doctype html><meta charset="utf-8"><title>linnet explain</title>\n')
        file.writelines(explanation.to_html() + "\n" for explanation in explanations)


def _json(explanations: Iterator[Any]) -> None:
    import json

    for explanation in explanations:
        click.echo(json.dumps(explanation.to_dict(), ensure_ascii=False))


def _terminal(explanations: Iterator[Any]) -> None:
    from linnet.cli._tables import console

    out = console()
    for explanation in explanations:
        out.print(explanation)
