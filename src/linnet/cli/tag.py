"""``linnet tag``: `linnet predict` with a tagger, by its own name."""

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
from linnet.cli.tasks.tag.options import tag_options


@click.command("tag", cls=Grouped)
@model_argument
@stream_argument
@option("--proba", "--probabilities", is_flag=True, help="the probability of each tag after it")
@option("--top", "-k", type=click.IntRange(min=1), metavar="K", help="the K best sequences of tags")
@output_option
@option("--format", "format_", metavar="F", help="of DATA; a pipe holds running text")
@tag_options
@into_option
@piece_option
@engine_option
@threads_option
def command(model: str, data: tuple[str, ...], **given: Any) -> None:
    """Tag sentences: columns or running text in, tags out.

    The columns of DATA come back with the tag as the last one; CoNLL-U and CRFsuite's format have it in
    the tag's place, JSONL of tokens as a further list. Running text (article.txt, or lines through a
    pipe) is cut into sentences and words: names that are found come with their first character and the
    one after the last, plain tags with the words.
    """
    from linnet.cli.many import answer

    answer("tag", model, data, given)
