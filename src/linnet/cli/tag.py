"""``linnet tag``: `linnet predict` with a tagger, by its own name."""

from __future__ import annotations

from typing import Any

import click

from linnet.cli._options import Grouped
from linnet.cli._output import check_apart
from linnet.cli.tagging.predict import tag_options


@click.command("tag", cls=Grouped)
@click.argument("model", metavar="MODEL")
@click.argument("data", metavar="[DATA]", default="-")
@click.option("--proba", "--probabilities", is_flag=True, help="the probability of each tag after it")
@click.option(
    "--top", "-k", type=click.IntRange(min=1), metavar="K", help="the K best sequences of tags"
)
@click.option("-o", "--output", metavar="FILE", default="-", help="where to write; standard output")
@click.option("--format", "format_", metavar="F", help="of DATA; a pipe holds running text")
@tag_options
def command(model: str, data: str, **given: Any) -> None:
    """Tag sentences: columns or running text in, tags out.

    The columns of DATA come back with the tag as the last one; CoNLL-U and CRFsuite's format have it in
    the tag's place, JSONL of tokens as a further list. Running text (article.txt, or lines through a
    pipe) is cut into sentences and words: names that are found come with their first character and the
    one after the last, plain tags with the words.
    """
    from linnet.cli._data import load, refuse_unless
    from linnet.cli.tagging.predict import run

    check_apart("-o", given["output"], model, data)
    loaded = load(model, given["threads"])
    refuse_unless("tagger", model, loaded)
    run(loaded, data, given)
