"""The command ``linnet``. Rooms are imported by the command that needs them: help is instant."""

from __future__ import annotations

import sys

from linnet._start import INTERRUPTED, hush, listen

if sys.argv[:1] == ["-m"]:  # `python -m linnet.cli` imports this before it runs anything
    hush()

import errno
import os
import warnings
from difflib import get_close_matches
from importlib import import_module
from typing import Any

import click

import linnet

# One file per command, each with an object `command`; in the order of a day's work.
COMMANDS = (
    "train",
    "predict",
    "tag",
    "parse",
    "evaluate",
    "explain",
    "inspect",
    "tune",
    "compare",
    "curve",
    "quantize",
    "convert",
    "look",
    "serve",
    "graph",
    "grid",
    "demo",
)

TERMINATED = 143  # 128 + SIGTERM
OUT_OF_MEMORY = "out of memory; use fewer features (--min-df, --hash-bits) or less data"


class Commands(click.Group):
    """Commands by file name; what goes wrong is told in one line, not in a traceback."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """All, in their order."""
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Import the one that is asked for."""
        if cmd_name not in COMMANDS:
            near = get_close_matches(cmd_name, COMMANDS, n=1)
            meant = f"Did you mean {near[0]!r}?" if near else f"There are {', '.join(COMMANDS)}."
            ctx.fail(f"No such command {cmd_name!r}. {meant}")
        command: click.Command = import_module(f"linnet.cli.{cmd_name}").command
        return command

    def main(self, *args: Any, **kwargs: Any) -> Any:
        """Streams that are closed or full are no reason for a traceback, even for help."""
        from linnet.cli.output import open_streams
        from linnet.cli.screen import screens

        open_streams()
        with screens():
            return self._main(*args, **kwargs)

    def _main(self, *args: Any, **kwargs: Any) -> Any:
        from linnet.errors import settings_written

        try:
            with settings_written(_as_option):
                return super().main(*args, **kwargs)
        except OSError as error:
            click.echo(f"Error: {_about(error)}", err=True)
            _forget_output()
            sys.exit(1)
        except SystemExit as end:
            end.code = _finished(end.code)
            raise

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """A wrong option before the command is told as those after it."""
        try:
            return super().parse_args(ctx, args)
        except BrokenPipeError:  # nobody reads the help
            _forget_output()
            ctx.exit(0)
        except click.NoSuchOption as error:
            raise click.UsageError(error.format_message()) from None

    def invoke(self, ctx: click.Context) -> Any:
        """Ctrl-C that comes while a command is ending has the same exit code as any other."""
        try:
            return self._invoked(ctx)
        except KeyboardInterrupt:
            ctx.exit(INTERRUPTED)

    def _invoked(self, ctx: click.Context) -> Any:
        """Exit codes: 1 for data that cannot be used, 2 for wrong usage."""
        from linnet.cli.output import missing_told
        from linnet.errors import DataError, DivergedError, EngineError, NotSeparableError

        hushed = False
        try:
            hushed = listen()
            with warnings.catch_warnings(), missing_told():
                warnings.showwarning = _tell
                return super().invoke(ctx)
        except click.UsageError as error:
            raise click.UsageError(error.format_message()) from None  # without the usage, which is long
        except (DataError, DivergedError, EngineError, NotSeparableError) as error:
            raise click.ClickException(str(error)) from None
        except BrokenPipeError:  # the reader of a pipe has seen enough
            _forget_output()
            ctx.exit(0)
        except OSError as error:
            raise click.ClickException(_about(error)) from None
        except ValueError as error:  # a setting out of range, a cell that is refused
            raise click.UsageError(str(error)) from None
        except MemoryError:
            raise click.ClickException(OUT_OF_MEMORY) from None
        except KeyboardInterrupt as interrupt:
            click.echo("interrupted", err=True)
            ctx.exit(TERMINATED if "terminated" in interrupt.args else INTERRUPTED)
        finally:
            if hushed:  # a program of its own: what is done cannot be interrupted, only left
                hush()


def _as_option(name: str, value: Any) -> str:
    """A setting of a function, as those write it who type commands."""
    if (name, value) in _OPTIONS:
        return _OPTIONS[name, value]
    from linnet.cli.options import spelt

    said = f" {value}" if isinstance(value, (str, int, float)) and not isinstance(value, bool) else ""
    return _SPELT.get(name, spelt(name)) + said


_SPELT = {"unlabeled_views": "--unlabeled-view"}  # which is given once for each
_OPTIONS = {
    ("header", False): "--no-header",
    ("roots", "many"): "--many-roots",
    ("tagger", "auto"): "linnet train TREES --task parse --tagger auto -o MODEL",
}


def _finished(code: Any) -> Any:
    """The exit code, once what is left in the buffer is written: later, nobody could tell of it."""
    try:
        sys.stdout.flush()
    except BrokenPipeError:
        _forget_output()
    except OSError as error:
        _forget_output()
        if not code:  # else it has been told
            click.echo(f"Error: {_about(error)}", err=True)
            return 1
    return code


def _forget_output() -> None:
    """What is left to write would fail once more at the end."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _about(error: OSError) -> str:
    """What the system says, and of which file."""
    from linnet.cli.output import FULL

    if error.errno == errno.ENOMEM:  # a model that cannot be mapped
        return OUT_OF_MEMORY
    reason = error.strerror or str(error)
    where = error.filename or ("standard output" if error.errno in FULL else None)
    return reason if where is None else f"{where}: {reason}"


def _tell(message: Warning | str, *_: Any, **__: Any) -> None:
    from linnet._visible import visible

    # While a line of progress is shown, rich stands before the screen, and would obey.
    said = visible(str(message)) if sys.stderr.isatty() else message
    click.echo(f"note: {said}", err=True)


# Linnet colours nothing by click: with `color` it keeps its hands off what looks like a colour in data.
@click.command(cls=Commands, context_settings={"help_option_names": ["-h", "--help"], "color": True})
@click.version_option(linnet.__version__, prog_name="linnet")
def main() -> None:
    """Linear models for language: texts and labels in, or sentences and tags or trees; models out."""
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):  # a terminal without ● or ½ shows ? instead of failing
            stream.reconfigure(errors="replace")
