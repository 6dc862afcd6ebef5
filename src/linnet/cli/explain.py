"""``linnet explain``: why a text has its label."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from typing import Any

import click


@click.command("explain")
@click.argument("model", metavar="MODEL")
@click.argument("texts", metavar="[TEXT]...", nargs=-1)
@click.option("--html", metavar="FILE", help="write a page instead; - is standard output")
@click.option("--json", "as_json", is_flag=True, help="one JSON object per text")
def command(model: str, texts: tuple[str, ...], html: str | None, as_json: bool) -> None:
    """Show what every n-gram of each TEXT adds to the score; without TEXT, lines are read from a pipe.

    The contributions are exact: with the intercept they sum to the score.
    """
    from linnet import load

    loaded = load(model)
    if getattr(loaded, "features_", None) is None:
        raise click.UsageError(f"{model} scores numbered features and has no text to explain")
    lines = texts or sys.stdin.read().splitlines()
    explanations = _explained(loaded, lines)
    if html is not None:
        with click.open_file(html, "w", encoding="utf-8") as file:
            file.write('<!doctype html><meta charset="utf-8"><title>linnet explain</title>\n')
            file.writelines(explanation.to_html() + "\n" for explanation in explanations)
    elif as_json:
        _json(explanations)
    else:
        _terminal(explanations)


def _explained(model: Any, lines: Iterable[str]) -> list[Any]:
    return [model.explain(line) for line in lines]


def _json(explanations: list[Any]) -> None:
    import json

    for explanation in explanations:
        click.echo(json.dumps(explanation.to_dict(), ensure_ascii=False))


def _terminal(explanations: list[Any]) -> None:
    from rich.console import Console

    console = Console(highlight=False)
    for explanation in explanations:
        console.print(explanation)
