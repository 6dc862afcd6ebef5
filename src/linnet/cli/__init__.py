"""The command ``linnet``. Rooms are imported by the command that needs them: help is instant."""

from __future__ import annotations

import sys

import click

import linnet


@click.group(context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(linnet.__version__, prog_name="linnet")
def main() -> None:
    """Linear models for language."""
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):  # a terminal without ● or ½ shows ? instead of failing
            stream.reconfigure(errors="replace")


@main.command()
def demo() -> None:
    """Train seven classifiers on bird-watchers' notes and look inside one."""
    from linnet.cli.demo import run

    run()


@main.command()
@click.option("--structure", metavar="S", help="binary, multiclass or candidates")
@click.option("--loss", metavar="L", help="logistic, hinge, …")
@click.option("--learner", metavar="L", help="dual, sgd, perceptron, …")
@click.option("--penalty", metavar="P", help="l2, l1, elasticnet or none")
def grid(structure: str | None, loss: str | None, learner: str | None, penalty: str | None) -> None:
    """Show which structures, losses, learners and penalties go together.

    With all four given, says yes, or says why not and exits with 1.
    """
    from linnet.training import compatible

    try:
        cells = compatible(structure, loss, learner, penalty)
    except ValueError as error:
        raise click.UsageError(str(error)) from None
    if None in (structure, loss, learner, penalty):
        click.echo(str(cells))
        return
    (cell,) = cells
    if not cell.works:
        raise click.ClickException(str(cell.reason))
    click.echo("yes, one label against the rest" if cell.one_against_rest else "yes")
