"""``linnet grid``: what goes with what."""

from __future__ import annotations

import click

from linnet.cli.options import option


@click.command("grid")
@option("--structure", metavar="S", help="binary, multiclass, candidates, chain, tree, graph, …")
@option("--loss", metavar="L", help="logistic, hinge, …")
@option("--learner", metavar="L", help="dual, sgd, perceptron, …")
@option("--penalty", metavar="P", help="l2, l1, elasticnet or none")
def command(structure: str | None, loss: str | None, learner: str | None, penalty: str | None) -> None:
    """Show which losses, learners and penalties go together.

    With all four given, says yes, or says why not and exits with 1.
    """
    from linnet.training import compatible

    cells = compatible(structure, loss, learner, penalty)
    if None in (structure, loss, learner, penalty):
        click.echo(str(cells))
        return
    (cell,) = cells
    if not cell.works:
        raise click.ClickException(str(cell.reason))
    click.echo("yes, one label against the rest" if cell.one_against_rest else "yes")
