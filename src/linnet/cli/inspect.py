"""``linnet inspect``: what is in a model file."""

from __future__ import annotations

import click

from linnet.cli._options import json_option


@click.command("inspect")
@click.argument("model", metavar="MODEL")
@click.option(
    "--top",
    type=click.IntRange(min=1),
    metavar="K",
    default=10,
    show_default=True,
    help="weights per label",
)
@click.option("--label", "labels", metavar="NAME", multiple=True, help="these labels only")
@json_option
def command(model: str, top: int, labels: tuple[str, ...], as_json: bool) -> None:
    """Show what is in a model: its settings and largest weights."""
    from linnet.cli._data import load
    from linnet.cli._inspection import inspection, show

    loaded = load(model)
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
