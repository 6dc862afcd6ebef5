"""Options of parsing, and how they become a parser."""

from __future__ import annotations

import os
from typing import Any

import click

from linnet.cli._options import FEATURES, SECTION, refuse_given, stack
from linnet.cli.parsing.predict import decode_option

roots_option = click.option("--many-roots", is_flag=True, help="trees may have several roots")
parsing_options = stack(
    click.option(
        "--projective/--non-projective",
        default=None,
        help="may arcs cross? else they may if they often do in DATA",
    ),
    roots_option,
    click.option("--all-arcs", is_flag=True, help="score all arcs, not only those of a first pass"),
    click.option("--relations", metavar="FILE", help="templates of arcs whose relation is to be named"),
    click.option(
        "--joint",
        metavar="T",
        help="choose heads in view of relations: auto, none, or a file of templates of arcs",
    ),
    click.option(
        "--tagger",
        metavar="T",
        help="tag words first: auto (taggers of the tags in DATA), or the model file of a tagger",
    ),
    click.option(
        "--jackknife",
        type=click.IntRange(0),
        metavar="N",
        default=5,
        show_default=True,
        help="with --tagger: folds that are tagged to learn from; 0: tags of DATA",
    ),
)
PARSING = ("projective", "many_roots", "all_arcs", "relations", "joint", "tagger", "jackknife")
SECTION.update(dict.fromkeys(PARSING, "Parsing"))
tree_options = stack(
    click.option("--no-punctuation", is_flag=True, help="words whose upos is PUNCT are not counted"),
    click.option("--subtypes", is_flag=True, help="tell nsubj:pass from nsubj"),
    click.option("--retag", is_flag=True, help="tag words by the model, not by DATA"),
    decode_option,
)
TREES = ("no_punctuation", "subtypes", "retag", "decode")
SECTION.update(dict.fromkeys(TREES, "Parsing"))
OF_TAGGERS = ("preset", "ends", "segments", "longest", "local", "legal", "columns", "missing", "label")
FOR_TEXTS = (*FEATURES, "text", "zero_based", "no_header", "calibration", "lexicon", "balanced")


def refuse_parsing_options(data: str) -> None:
    """Options that speak of trees say nothing of texts and tags."""
    refuse_given(PARSING, f"for parsing (--task parse), which {data} was not said to be for")


def refuse_other_options(data: str) -> None:
    """The other way round."""
    refuse_given(FOR_TEXTS, f"for texts; {data} holds trees")
    refuse_given(OF_TAGGERS, f"for taggers; {data} holds trees")
    refuse_given(("start",), "a parser does not go on; train it on all trees")


def templates_of(option: str, asked: str | None) -> Any:
    """Templates of a file, one to a line."""
    if asked is None or asked == "auto":
        return "auto"
    if not os.path.isfile(asked):
        raise click.UsageError(f"{option} {asked}: there is no such file of templates")
    with open(asked, encoding="utf-8", errors="replace") as file:
        lines = [line.strip() for line in file]
    return [line for line in lines if line and not line.startswith("#")]


def tagger_of(asked: str | None) -> Any:
    """'auto', or a tagger that is there."""
    from linnet.cli._data import is_tagger, load

    if asked in (None, "auto"):
        return asked
    loaded = load(str(asked))
    if not is_tagger(loaded):
        raise click.UsageError(f"--tagger {asked}: it is no tagger")
    return loaded


def parser(given: dict[str, Any]) -> Any:
    """The parser that the options describe."""
    from linnet.estimators import DependencyParser

    context = click.get_current_context()
    said = context.get_parameter_source("order") is click.core.ParameterSource.COMMANDLINE
    settings: dict[str, Any] = {
        name: given[name]
        for name in ("loss", "learner", "penalty", "C", "tol", "max_iter", "projective")
        if given.get(name) is not None
    }
    if given["average"]:
        settings["average"] = True
    return DependencyParser(
        templates_of("--features", given["features"]),
        templates_of("--relations", given["relations"]),
        joint=None if given["joint"] == "none" else templates_of("--joint", given["joint"]),
        order=given["order"] if said else "auto",
        roots="many" if given["many_roots"] else "one",
        candidates=None if given["all_arcs"] else "auto",
        tagger=tagger_of(given["tagger"]),
        jackknife=given["jackknife"],
        random_state=given["seed"],
        n_jobs=given["threads"],
        verbose=False if given["quiet"] else None,
        **settings,
    )
