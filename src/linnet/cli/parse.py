"""``linnet parse``: `linnet predict` with a parser, by its own name."""

from __future__ import annotations

from typing import Any

import click

from linnet.cli._options import Grouped, threads_option
from linnet.cli._output import check_apart
from linnet.cli.parsing.predict import draw_options


@click.command("parse", cls=Grouped)
@click.argument("model", metavar="MODEL")
@click.argument("data", metavar="[DATA]", default="-")
@click.option("--proba", "--probabilities", is_flag=True, help="the probability of each arc, in MISC")
@click.option("--top", "-k", type=click.IntRange(min=1), metavar="K", help="the K best trees")
@click.option("-o", "--output", metavar="FILE", default="-", help="where to write; standard output")
@click.option("--format", "format_", metavar="F", help="of DATA: conllu, conllx or text")
@click.option("--output-format", "to_format", metavar="F", help="conllu or conllx")
@draw_options
@threads_option
def command(model: str, data: str, **given: Any) -> None:
    """Parse sentences: CoNLL-U or running text in, trees out.

    CoNLL-U comes back with HEAD and DEPREL filled and all else as it was, but DEPS, which was made of
    other trees. A model that has taggers reads running text, too (article.txt, or lines through a pipe)
    and fills tags where there are none; a pipe holds CoNLL-U for others.
    """
    from linnet.cli._data import load, refuse_unless
    from linnet.cli.parsing.predict import run

    check_apart("-o", given["output"], model, data)
    loaded = load(model, given["threads"])
    refuse_unless("parser", model, loaded)
    run(loaded, data, given)
