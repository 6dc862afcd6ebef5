"""``linnet inspect``: what is in a model file."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import click

from linnet.cli.options import json_option, model_argument, option
from linnet.cli.output import to_json


@click.command("inspect")
@model_argument
@option(
    "--top",
    type=click.IntRange(min=1),
    metavar="K",
    default=10,
    show_default=True,
    help="weights per label",
)
@option("--label", "labels", metavar="NAME", multiple=True, help="these labels only")
@json_option
def command(model: str, top: int, labels: tuple[str, ...], as_json: bool) -> None:
    """Show what is in a model: its settings and largest weights."""
    from linnet.cli.files import load
    from linnet.cli.tasks import task_of_model
    from linnet.persistence import read

    loaded = load(model)
    known = [str(label) for label in getattr(loaded, "classes_", ())]
    unknown = [label for label in labels if label not in known]
    if unknown:
        those = ", ".join(known[:20]) or "no labels"
        raise click.UsageError(f"--label {unknown[0]}: the model knows {those}")
    own = task_of_model(loaded).does("inspect")
    writer = {"file": model, "written by": f"Linnet {read(model).library}"}
    found = writer | own.inspection(loaded, model, top, labels or None)
    if as_json:
        click.echo(to_json(found, indent=1))
    else:
        show(found, own.show_weights)


def show(found: dict[str, Any], show_weights: Callable[[Any, Any], None]) -> None:
    """Facts, one a line, then the weights."""
    from rich.table import Table

    from linnet.cli.tables import console as console_for_tables
    from linnet.explain.shown import Text

    console = console_for_tables()
    facts = Table(box=None, pad_edge=False, show_header=False)
    facts.add_column(style="dim", no_wrap=True)
    facts.add_column(overflow="fold")
    for name, value in found.items():
        if name in ("weights", "chosen") or value in (None, {}, ""):
            continue
        facts.add_row(name, Text(_shown(name, value)))
    for line in found.get("chosen", ()):
        facts.add_row("chosen", Text(line))
    console.print(facts)
    if isinstance(found["weights"], str):
        console.print(found["weights"])
        return
    show_weights(console, found["weights"])


def _shown(name: str, value: Any) -> str:
    if name == "bytes":
        return f"{value:,}"
    if name == "labels":
        return f"{len(value)}: {', '.join(value[:12])}{', …' if len(value) > 12 else ''}"
    if isinstance(value, list):
        return ", ".join(map(str, value))
    if isinstance(value, dict):
        return ", ".join(f"{k} {v:,}" if isinstance(v, int) else f"{k} {v}" for k, v in value.items())
    return f"{value:.6g}" if isinstance(value, float) else str(value)
