"""Options of parsers of phrases, and how they become one."""

from __future__ import annotations

import os
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

    if given.get("grammar") is not None:
        return grammar_parser(given)
    for name in ("horizontal", "vertical"):
        if given.get(name) is not None:
            raise click.UsageError(f"--{name}: of grammars; give --grammar, too")
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


TREEBANK = "treebank"


def grammar_parser(given: dict[str, Any]) -> Any:
    """One with a grammar: read off the trees, or of a file."""
    from linnet.estimators import GrammarParser

    for name in ("tagger", "one_look"):
        if given.get(name):
            option = name.replace("_", "-")
            raise click.UsageError(f"--{option}: a grammar tags words itself, and has no looks")
    if was_given("jackknife"):
        raise click.UsageError("--jackknife: a grammar tags words itself")
    path = None if given["grammar"] == TREEBANK else given["grammar"]
    if path is not None and not os.path.isfile(path):
        raise click.UsageError(
            f"--grammar {path}: there is no such file; {TREEBANK} reads the rules off DATA"
        )
    said = said_of_learning(given) | common(given)
    for name in ("max_words", "horizontal", "vertical"):
        if given.get(name) is not None:
            if path is not None and name != "max_words":
                raise click.UsageError(f"--{name}: the rules are those of {path}")
            said[name] = given[name]
    return GrammarParser(path, features=templates_of("--features", given.get("features")), **said)
