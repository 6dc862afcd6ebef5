"""Options of checkpoints: a training that a crash does not cost."""

from __future__ import annotations

import math
import os
import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import click

from linnet.cli.options import option, stack, was_given
from linnet.cli.paths import Reads, Writes, WritesModel

UNITS = {"": 1, "s": 1, "m": 60, "h": 3600}
APART = ("quiet", "threads", "every", "resume")  # change no bit of the model


class Duration(click.ParamType):  # type: ignore[type-arg]
    """``30s``, ``5m``, ``1h``; seconds without a unit."""

    name = "duration"

    def convert(self, value: Any, param: Any, ctx: Any) -> float:
        """Seconds."""
        if isinstance(value, float):
            return value
        found = re.fullmatch(r"(\d+(?:\.\d+)?)([smh]?)", value)
        seconds = float(found[1]) * UNITS[found[2]] if found else math.inf
        if not math.isfinite(seconds):
            self.fail(f"{value!r} is no span of time; write 30s, 5m or 1h", param, ctx)
        return seconds


checkpoint_options = stack(
    option(
        "--checkpoint",
        type=WritesModel(),
        metavar="FILE",
        section="Checkpoints",
        help="save the state of the training there now and then; removed when the model is saved",
    ),
    option(
        "--every",
        type=Duration(),
        metavar="TIME",
        default="30s",
        show_default=True,
        section="Checkpoints",
        help="between two checkpoints, also within a pass; 0s: after each pass",
    ),
    option(
        "--resume",
        is_flag=True,
        section="Checkpoints",
        help="go on from --checkpoint, if it is there, to the same model as without the interruption",
    ),
)


@contextmanager
def under_checkpoint(given: dict[str, Any]) -> Iterator[None]:
    """What is trained within is saved now and then, if that was asked for."""
    path = given["checkpoint"]
    if path is None:
        for name in ("resume", "every"):
            if was_given(name):
                raise click.UsageError(f"--{name}: of which file? Give --checkpoint FILE, too")
        yield
        return
    from linnet.training import Checkpoint

    _check(path, given)
    checkpoint = Checkpoint(
        path, every=given["every"], resume=given["resume"], settings=_settings(given)
    )
    try:
        with checkpoint:
            _tell_begun(checkpoint, given)
            yield
    finally:
        if checkpoint.closed and os.path.exists(path) and not given["quiet"]:
            click.echo(
                f"note: {path} is kept; the same command with --resume goes on from it", err=True
            )


def _tell_begun(checkpoint: Any, given: dict[str, Any]) -> None:
    if given["resume"] and not given["quiet"]:
        found = "going on from" if checkpoint.resumed else "training begins anew: there is no"
        click.echo(f"note: {found} {checkpoint.path}", err=True)


def _check(path: str, given: dict[str, Any]) -> None:
    context = click.get_current_context()
    if given["start"] or context.params["data"] is None:
        raise click.UsageError(
            "--checkpoint: a model that goes on (--from), or is set by hand, is made in one pass, of "
            "which there is nothing to keep"
        )
    output = context.params["output"]
    if os.path.realpath(path) == os.path.realpath(output):
        raise click.UsageError(f"--checkpoint {path}: the model is written there; give another name")


def _settings(given: dict[str, Any]) -> dict[str, Any]:
    """The options that make a difference; what files hold is seen by the training itself."""
    return {
        param.opts[0]: given[param.name]
        for param in click.get_current_context().command.params
        if param.name in given
        and param.name not in APART
        and not isinstance(param.type, (Reads, Writes))
    }
