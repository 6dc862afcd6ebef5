"""``linnet explain``: why a text has its label."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import click


@click.command("explain")
@click.argument("model", metavar="MODEL")
@click.argument("texts", metavar="[TEXT]...", nargs=-1)
@click.option("--html", metavar="FILE", help="write a page instead; - is standard output")
@click.option("--json", "as_json", is_flag=True, help="one JSON object per text")
def command(model: str, texts: tuple[str, ...], html: str | None, as_json: bool) -> None:
    """Show what each word of a text adds to its score.

    Without TEXT, or with -, lines are explained as they come through a pipe. What the n-grams add is
    exact: with the intercept it sums to the score. Green speaks for a label, red against it.
    """
    from linnet.cli._data import load

    if html is not None and as_json:
        raise click.UsageError("--html and --json are two forms; give one")
    loaded = load(model)
    if not hasattr(loaded, "features_"):
        raise click.UsageError(f"{model} scores numbered features and has no text to explain")
    beside = (*loaded.features_.numeric, *loaded.features_.categorical)
    if beside:
        raise click.UsageError(
            f"{model} looks at columns beside the text ({', '.join(beside)}): explain it in Python"
        )
    given = _lines() if texts in ((), ("-",)) else iter(texts)
    explanations = (loaded.explain(text) for text in given)
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
    with click.open_file(path, "w", encoding="utf-8") as file:
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
