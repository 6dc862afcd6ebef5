"""Options of parsing, and how they become a parser."""

from __future__ import annotations

import os
from typing import Any

import click

from linnet.cli.learning import said_of_learning
from linnet.cli.options import (
    PARSE,
    PARSED,
    SENTENCES,
    TAG,
    TREES,
    Values,
    option,
    roots_option,
    stack,
)
from linnet.cli.paths import Reads
from linnet.cli.tasks.classify.options import common
from linnet.cli.tasks.tag.options import tagger_of

OWN: dict[str, Any] = {"tasks": PARSE, "section": "Parsing"}
BOTH: dict[str, Any] = {"tasks": PARSED, "section": "Parsing"}
decode_option = option(
    "--decode",
    type=click.Choice(["best", "risk"]),
    help="the tree that scores best, or the one with most heads, or brackets, expected to be right; "
    "of phrases risk where there are probabilities, else best",
    **BOTH,
)
longest_option = option(
    "--max-words",
    type=click.IntRange(1),
    metavar="N",
    help="the longest sentence that is parsed; 2,000 words, of phrases 500, unless the model says "
    "otherwise",
    **BOTH,
)
draw_options = stack(
    option("--draw", is_flag=True, help="draw the trees as text", **BOTH),
    option("--svg", is_flag=True, help="a page of drawn trees", **BOTH),
    option("--retag", is_flag=True, help="tag words even if DATA has tags", **BOTH),
    decode_option,
    longest_option,
)
tree_options = stack(
    option("--no-punctuation", is_flag=True, help="words whose upos is PUNCT are not counted", **OWN),
    option("--subtypes", is_flag=True, help="tell nsubj:pass from nsubj", **OWN),
    option(
        "--retag",
        is_flag=True,
        tasks=(*TAG, *PARSE),
        section="Tagging",
        help="tag words first by the model, not by DATA",
    ),
    option(
        "--from-text",
        is_flag=True,
        help="cut the text of DATA into sentences and words by the model, too; words are aligned",
        **OWN,
    ),
    option(
        "--given-tags",
        is_flag=True,
        tasks=TREES,
        section="Tagging",
        help="tags are those of DATA; else they are predicted first, if the model can",
    ),
    decode_option,
    longest_option,
)
parsing_options = stack(
    option(
        "--projective/--non-projective",
        default=None,
        help="may arcs cross? else they may if they often do in DATA",
        **OWN,
    ),
    roots_option,
    option("--all-arcs", is_flag=True, help="score all arcs, not only those of a first pass", **OWN),
    option(
        "--relations",
        type=Reads(),
        metavar="FILE",
        help="templates of arcs whose relation is to be named",
        **OWN,
    ),
    option(
        "--joint",
        type=Reads(),
        metavar="T",
        help="choose heads in view of relations: auto, none, or a file of templates of arcs",
        **OWN,
    ),
    option(
        "--tagger",
        type=Reads(),
        metavar="T",
        tasks=SENTENCES,
        section="Tagging",
        help="tag words first: auto (taggers of what DATA has), none, or the model file of a tagger; "
        "of phrases auto where it is not given",
    ),
    option(
        "--tags",
        type=Values(str),
        metavar="NAMES",
        help="with --tagger auto: which are predicted, upos or xpos; both, unless xpos are very many",
        **OWN,
    ),
    option(
        "--without",
        type=Values(str),
        metavar="NAMES",
        help="with --tagger auto: what is not learnt of feats, lemma and tokens (how text is cut)",
        **OWN,
    ),
    option(
        "--dictionary",
        type=Reads(),
        metavar="FILE",
        help="with --tagger auto: lines of form, upos, xpos, feats: which analyses forms may have",
        **OWN,
    ),
    option(
        "--jackknife",
        type=click.IntRange(0),
        metavar="N",
        default=5,
        show_default=True,
        tasks=SENTENCES,
        section="Tagging",
        help="with --tagger: folds tagged to learn from, of phrases 10; 0: tags of DATA",
    ),
    option(
        "--one-look",
        is_flag=True,
        tasks=TREES,
        section="Parsing",
        help="score phrases one by one: faster to train, and less accurate",
    ),
    option(
        "--grammar",
        metavar="G",
        tasks=TREES,
        section="Parsing",
        help="a parser with a grammar: treebank reads it off DATA, or a file of rules",
    ),
    option(
        "--horizontal",
        type=click.IntRange(0),
        metavar="N",
        tasks=TREES,
        section="Parsing",
        help="of --grammar treebank: siblings that a rule remembers; 2",
    ),
    option(
        "--vertical",
        type=click.IntRange(1),
        metavar="N",
        tasks=TREES,
        section="Parsing",
        help="of --grammar treebank: a label and so many labels above it; 2",
    ),
    longest_option,
)


def templates_of(name: str, asked: str | None) -> Any:
    """Templates of a file, one to a line."""
    if asked is None or asked == "auto":
        return "auto"
    if not os.path.isfile(asked):
        raise click.UsageError(f"{name} {asked}: there is no such file of templates")
    from linnet.data.text_file import text_lines

    lines = [line.strip() for line in text_lines(asked)]
    return [line for line in lines if line and not line.startswith("#")]


def set_longest(model: Any, given: dict[str, Any]) -> None:
    """How long sentences may be, if that was said."""
    if given.get("max_words") is not None:
        model.max_words = given["max_words"]


def roots_of(given: dict[str, Any]) -> str:
    """How many words of a sentence may be below the root."""
    return "many" if given["many_roots"] else "one"


def parser(given: dict[str, Any]) -> Any:
    """The parser that the options describe."""
    from linnet.data.analyses import read_analyses
    from linnet.estimators import DependencyParser

    said = said_of_learning(given) | common(given)
    if given.get("projective") is not None:
        said["projective"] = given["projective"]
    if given.get("max_words") is not None:
        said["max_words"] = given["max_words"]
    if given.get("order") is not None:
        said["order"] = given["order"]
    return DependencyParser(
        templates_of("--features", given.get("features")),
        templates_of("--relations", given["relations"]),
        joint=None if given["joint"] == "none" else templates_of("--joint", given["joint"]),
        roots=roots_of(given),
        candidates=None if given["all_arcs"] else "auto",
        tagger=tagger_of(given["tagger"]),
        tags=given["tags"] or "auto",
        without=given["without"] or (),
        dictionary=None if given["dictionary"] is None else read_analyses(given["dictionary"]),
        jackknife=given["jackknife"],
        **said,
    )
