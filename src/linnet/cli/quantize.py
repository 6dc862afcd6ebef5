"""``linnet quantize``: a smaller model."""

from __future__ import annotations

import os
import re
from typing import Any

import click

from linnet.cli.options import TAG, TEXTS, Grouped, model_argument, option
from linnet.cli.output import amount
from linnet.cli.paths import WritesModel


class Size(click.ParamType):  # type: ignore[type-arg]
    """``2MB``, ``500kB`` or a number of bytes."""

    name = "size"

    def convert(self, value: Any, param: Any, ctx: Any) -> int:
        """In bytes."""
        if isinstance(value, int):
            return value
        match = re.fullmatch(r"([\d.]+)\s*([kKmM]?)[bB]?", value)
        try:
            assert match is not None
            return int(float(match[1]) * {"": 1, "k": 1e3, "m": 1e6}[match[2].lower()])
        except (AssertionError, ValueError):
            self.fail(f"{value!r} is no size; write 2MB, 500kB or a number of bytes", param, ctx)


@click.command("quantize", cls=Grouped)
@model_argument
@click.option(
    "-o", "--output", type=WritesModel(), metavar="MODEL", required=True, help="the smaller model"
)
@click.option(
    "--bits", type=click.Choice(["8", "4"]), default="8", show_default=True, help="per weight"
)
@option(
    "--keep",
    type=click.IntRange(min=1),
    metavar="N",
    tasks=(*TEXTS, *TAG),
    help="keep the N features that matter most",
)
@option(
    "--size",
    type=Size(),
    metavar="S",
    tasks=(*TEXTS, *TAG),
    help="keep as many features as fit: 2MB",
)
@option(
    "--names",
    is_flag=True,
    tasks=(*TEXTS, *TAG),
    help="keep the names of features, for inspect; those of parsers are hashed",
)
def command(
    model: str, output: str, bits: str, keep: int | None, size: int | None, names: bool
) -> None:
    """Make a model smaller: prune it, pack weights in a few bits.

    It predicts and explains as before, a little less exactly, and cannot be trained further. Features
    of parsers are hashed: their weights are packed, none is dropped.
    """
    from linnet.cli.files import load
    from linnet.cli.tasks import task_of_model

    loaded = load(model)
    if not loaded.reads_text:
        raise click.UsageError(
            f"{model} is of numbered features; text classifiers, taggers and parsers are packed"
        )
    task = task_of_model(loaded)
    task.check_model(model)
    if not hasattr(loaded, "quantize"):
        raise click.UsageError(f"{model} is a {task.model}, which has no weights to pack")
    settings: dict[str, Any] = {"bits": int(bits)}
    settings |= {name: value for name, value in (("keep", keep), ("names", names)) if value}
    small = loaded.quantize(**settings) if size is None else fitting(loaded, size, settings)
    small.save(output)
    before, after = os.path.getsize(model), os.path.getsize(output)
    click.echo(f"{amount(before)} → {amount(after)}", err=True)


def fitting(model: Any, size: int, settings: dict[str, Any]) -> Any:
    """With as many features as make a file of that size: labels, names and record need room as well."""

    def trial(keep: int) -> tuple[Any, int]:
        small = model.quantize(**settings | {"keep": keep})
        return small, small.file_size()

    least = trial(1)[1]
    if least > size:
        raise click.UsageError(f"--size: {size:,} bytes are too few for this model")
    most = settings.get("keep") or model.features_.n_features
    small, needed = trial(most)
    keep = int(most * (size - least) / max(needed - least, 1))  # bytes are nearly linear in features
    while needed > size:
        small, needed = trial(max(keep, 1))
        keep = int(0.98 * keep)
    return small
