"""``linnet parse``: `linnet predict` with a parser, by its own name."""

from __future__ import annotations

from typing import Any

import click

from linnet.cli.options import (
    Grouped,
    engine_option,
    into_option,
    model_argument,
    option,
    output_option,
    piece_option,
    stream_argument,
    threads_option,
)
from linnet.cli.tasks.parse.options import draw_options
from linnet.cli.tasks.trees.options import phrase_options


@click.command("parse", cls=Grouped)
@model_argument
@stream_argument
@option(
    "--proba",
    "--probabilities",
    is_flag=True,
    help="the probability of each arc, in MISC; of phrases brackets, a line of JSON to a sentence",
)
@option("--top", "-k", type=click.IntRange(min=1), metavar="K", help="the K best trees")
@output_option
@option(
    "--format",
    "format_",
    metavar="F",
    help="of DATA: conllu, conllx, text, lines (a sentence to each) or vertical (a word to a line); of "
    "phrases brackets, text or a format of sentences",
)
@option("--output-format", "to_format", metavar="F", help="conllu or conllx; of phrases brackets")
@draw_options
@phrase_options
@into_option
@piece_option
@engine_option
@threads_option
def command(model: str, data: tuple[str, ...], **given: Any) -> None:
    """Parse sentences: CoNLL-U or running text in, trees out.

    CoNLL-U comes back with HEAD and DEPREL filled and all else as it was, but DEPS, which was made of
    other trees. A model that has taggers reads running text, too (article.txt, or lines through a pipe)
    and fills tags where there are none; a pipe holds CoNLL-U for others.

    A parser of phrases reads running text, sentences, or trees in brackets, whose tags it keeps, and
    writes brackets, a tree to a line.
    """
    from linnet.cli.many import answer

    if given["draw"] and given["svg"]:
        raise click.UsageError("--draw and --svg are two ways to draw; give one")
    answer("parse", model, data, given)
