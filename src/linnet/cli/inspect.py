"""``linnet inspect``: what is in a model file."""

from __future__ import annotations

from typing import Any

import click


@click.command("inspect")
@click.argument("model", metavar="MODEL")
@click.option(
    "--top", type=click.IntRange(min=1), default=10, show_default=True, help="weights per label"
)
@click.option("--label", "labels", metavar="L", multiple=True, help="these labels only")
@click.option("--json", "as_json", is_flag=True, help="everything as one JSON object")
def command(model: str, top: int, labels: tuple[str, ...], as_json: bool) -> None:
    """Show the settings and the record of a model, and the largest weights of each label by name."""
    import linnet
    from linnet.cli._inspection import inspection, show

    loaded: Any = linnet.load(model)
    known = [str(label) for label in loaded.classes_.tolist()]
    unknown = [label for label in labels if label not in known]
    if unknown:
        raise click.UsageError(f"--label {unknown[0]}: the model knows {', '.join(known[:20])}")
    found = inspection(loaded, model, top, labels or None)
    if as_json:
        import json

        click.echo(json.dumps(found, ensure_ascii=False, indent=1))
    else:
        show(found)
