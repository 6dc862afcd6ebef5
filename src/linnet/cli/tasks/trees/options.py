"""Options of parsers of phrases, and how they become one."""

from __future__ import annotations

from typing import Any

import click

from linnet.cli.learning import said_of_learning
from linnet.cli.options import TREES, option, stack, was_given
from linnet.cli.tasks.classify.options import common
from linnet.cli.tasks.parse.options import templates_of
from linnet.cli.tasks.tag.options import tagger_of

phrase_options = stack(
    option(
        "--tokens",
        type=click.Choice(["whitespace"]),
        tasks=TREES,
        section="Parsing",
        help="DATA has one sentence a line, whose words are divided by blanks",
    ),
    option(
        "--indent",
        is_flag=True,
        tasks=TREES,
        section="Parsing",
        help="brackets on several lines; else a tree to a line",
    ),
)


def parser(given: dict[str, Any]) -> Any:
    """The parser of phrases that the options describe."""
    from linnet.estimators import ConstituencyParser

    said = said_of_learning(given) | common(given)
    if given.get("max_words") is not None:
        said["max_words"] = given["max_words"]
    if was_given("jackknife"):
        said["jackknife"] = given["jackknife"]
    if given.get("one_look"):
        said["second"] = False
    return ConstituencyParser(
        templates_of("--features", given.get("features")),
        tagger=tagger_of(given["tagger"] or "auto"),
        **said,
    )
