"""The command ``linnet``. Rooms are imported by the command that needs them: help is instant."""

from __future__ import annotations

import os
import sys
import warnings
from importlib import import_module
from typing import Any

import click

import linnet

# One file per command, each with an object `command`; in the order of a day's work.
COMMANDS = (
    "train",
    "predict",
    "evaluate",
    "explain",
    "inspect",
    "tune",
    "compare",
    "quantize",
    "convert",
    "grid",
    "demo",
)

INTERRUPTED = 130  # 128 + SIGINT, as shells have it


class Commands(click.Group):
    """Commands by file name; mistakes of the user become messages, not tracebacks."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """All, in their order."""
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Import the one that is asked for."""
        if cmd_name not in COMMANDS:
            return None
        command: click.Command = import_module(f"linnet.cli.{cmd_name}").command
        return command

    def invoke(self, ctx: click.Context) -> Any:
        """Exit codes: 1 for data that cannot be used, 2 for wrong usage."""
        from linnet.errors import DataError, DivergedError, NotSeparableError

        warnings.showwarning = _tell
        try:
            return super().invoke(ctx)
        except (DataError, DivergedError, NotSeparableError) as error:
            raise click.ClickException(str(error)) from None
        except ValueError as error:  # a setting out of range, a cell that is refused
            raise click.UsageError(str(error)) from None
        except MemoryError:
            raise click.ClickException(
                "out of memory; use fewer features (--min-df, --hash-bits) or less data"
            ) from None
        except BrokenPipeError:  # the reader of a pipe has seen enough
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            ctx.exit(0)
        except KeyboardInterrupt:
            click.echo("interrupted", err=True)
            ctx.exit(INTERRUPTED)


def _tell(message: Warning | str, *_: Any, **__: Any) -> None:
    click.echo(f"note: {message}", err=True)


@click.command(cls=Commands, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(linnet.__version__, prog_name="linnet")
def main() -> None:
    """Linear models for language: raw text in, explained labels out."""
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):  # a terminal without ● or ½ shows ? instead of failing
            stream.reconfigure(errors="replace")
