"""``linnet predict``: labels of texts, tags of sentences, trees."""

from __future__ import annotations

from typing import Any

import click

from linnet.cli.options import (
    CLASSIFY,
    Grouped,
    engine_option,
    into_option,
    missing_option,
    model_argument,
    no_header_option,
    option,
    output_option,
    piece_option,
    stream_argument,
    text_option,
    threads_option,
    zero_based_option,
)
from linnet.cli.tasks.classify.options import hook_options
from linnet.cli.tasks.parse.options import draw_options
from linnet.cli.tasks.tag.options import tag_options
from linnet.cli.tasks.trees.options import phrase_options


@click.command("predict", cls=Grouped)
@model_argument
@stream_argument
@option("--proba", "--probabilities", is_flag=True, help="label and probability, separated by a tab")
@option("--json", "as_json", is_flag=True, tasks=CLASSIFY, help="rows of JSON, with all that came in")
@option("--csv", "as_csv", is_flag=True, tasks=CLASSIFY, help="rows of CSV, under a header")
@option("--tsv", "as_tsv", is_flag=True, tasks=CLASSIFY, help="rows divided by tabs, under a header")
@option("--scores", is_flag=True, tasks=CLASSIFY, help="label and score in place of a probability")
@option(
    "--top",
    "-k",
    type=click.IntRange(min=1),
    metavar="K",
    help="the K best labels, sequences of tags or trees, best first",
)
@option(
    "--threshold",
    type=click.FloatRange(0, 1),
    metavar="P",
    tasks=CLASSIFY,
    help="say 'unsure' below this probability",
)
@output_option
@option("--format", "format_", metavar="F", help="of DATA; a pipe holds lines of text")
@text_option
@missing_option
@zero_based_option
@no_header_option
@tag_options
@draw_options
@phrase_options
@hook_options
@into_option
@piece_option
@engine_option
@threads_option
def command(model: str, data: tuple[str, ...], **given: Any) -> None:
    """Label texts: one line out for each text in.

    DATA is a file of texts, one per line, or of any format that `linnet train` takes, whose labels are
    not looked at. Without it, or with -, lines are labelled as they come through a pipe.

    --json, --csv and --tsv give rows: all columns that came in (of plain lines their number and the
    text), then the label with its probability, or its score where the model has none.

    Texts of several labels get them side by side, separated by tabs; --top shows the best ones, whether
    or not they are given to the text.

    A tagger gives back the columns of DATA with the tag as the last one, the spans that it finds in
    running text, or what else `linnet tag --help` names. A parser gives back CoNLL-U with trees, or
    draws them; see `linnet parse --help`.
    """
    from linnet.cli.many import answer

    if given["proba"] and given["scores"]:
        raise click.UsageError("--proba and --scores are two kinds of number; give one")
    answer("predict", model, data, given)
