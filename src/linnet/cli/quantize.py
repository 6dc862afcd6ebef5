"""``linnet quantize``: a smaller model."""

from __future__ import annotations

import os
import re
from typing import Any

import click


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


@click.command("quantize")
@click.argument("model", metavar="MODEL")
@click.option("-o", "--output", metavar="FILE", required=True, help="the smaller model")
@click.option(
    "--bits", type=click.Choice(["8", "4"]), default="8", show_default=True, help="per weight"
)
@click.option(
    "--keep", type=click.IntRange(min=1), metavar="N", help="keep the N features that matter most"
)
@click.option("--size", type=Size(), metavar="S", help="keep as many features as fit: 2MB")
@click.option("--names", is_flag=True, help="keep the names of features, for inspect")
def command(
    model: str, output: str, bits: str, keep: int | None, size: int | None, names: bool
) -> None:
    """Prune a model and pack its weights to 8 or 4 bits.

    It predicts and explains as before, a little less exactly, and cannot be trained further.
    """
    import linnet
    from linnet.cli._data import check_output

    check_output(output)
    loaded = linnet.load(model)
    if not hasattr(loaded, "quantize"):
        raise click.UsageError(f"{model} is not a text classifier; only those are packed")
    small = loaded.quantize(bits=int(bits), keep=keep, max_bytes=size, names=names)
    small.save(output)
    before, after = os.path.getsize(model), os.path.getsize(output)
    click.echo(
        f"{before / 1e6:.1f} MB → {after / 1e6:.2f} MB",
        err=True,
    )
