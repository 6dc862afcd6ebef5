"""Options of tagging, and how they become a tagger."""

from __future__ import annotations

import os
from typing import Any

import click

from linnet.cli._options import FEATURES, SECTION, refuse_given, stack

columns_option = click.option("--columns", metavar="NAMES", help="names of the columns, with commas")
column_options = stack(
    columns_option,
    click.option("--missing", metavar="TAG", help="the tag that stands for a missing one"),
)
features_option = click.option(
    "--features",
    metavar="F",
    help="a recipe (pos, chunk, ner) or a file of templates, ours or CRF++'s",
)
model_options = stack(
    click.option(
        "--preset", metavar="NAME", help="hmm, memm, crf, perceptron, mira or svm, with its settings"
    ),
    click.option("--ends", is_flag=True, help="have weights of first and last tags"),
    click.option("--segments", is_flag=True, help="score whole spans (a semi-Markov model)"),
    click.option(
        "--longest", type=click.IntRange(1), metavar="N", help="with --segments: tokens of a span"
    ),
    click.option("--local", is_flag=True, help="normalise at each token (MEMM), not over the sentence"),
    click.option(
        "--legal",
        metavar="SCHEME",
        default="auto",
        help="what tags keep to: bio, iob1, bilou, … or none; else what the data keep to",
    ),
)
tagging_options = stack(
    column_options,
    features_option,
    click.option(
        "--order",
        type=click.IntRange(0, 2),
        metavar="N",
        default=1,
        help="how many tags back a transition sees: 0, 1 or 2",
    ),
    model_options,
)

COLUMNS = ("columns", "missing")
SHAPE = ("features", "preset", "order", "ends", "segments", "longest", "local", "legal")
TAGGING = (*COLUMNS, *SHAPE)
FOR_TEXTS = (*FEATURES, "text", "zero_based", "no_header", "calibration", "lexicon")
SECTION.update(dict.fromkeys(TAGGING, "Tagging"))

PRESETS = {
    "hmm": "HMM",
    "memm": "MEMM",
    "crf": "CRF",
    "perceptron": "StructuredPerceptron",
    "mira": "StructuredMIRA",
    "svm": "StructuredSVM",
}


def refuse_text_options(data: str) -> None:
    """Options that speak of texts say nothing of sentences."""
    refuse_given(FOR_TEXTS, f"for texts; {data} holds sentences of tokens")


def refuse_tagging_options(data: str) -> None:
    """The other way round."""
    refuse_given(TAGGING, f"for tagging (--task tag); {data} is for classifying")


def features_of(asked: str) -> Any:
    """A recipe's name, or the path of a file of templates."""
    from pathlib import Path

    from linnet.features.recipes import RECIPES

    if asked == "auto" or asked in RECIPES:
        return asked
    if os.path.isfile(asked):
        return Path(asked)
    known = ", ".join(RECIPES)
    raise click.UsageError(f"--features {asked}: neither a recipe ({known}) nor a file of templates")


def tagger(given: dict[str, Any]) -> Any:
    """The tagger that the options describe."""
    import linnet.estimators as estimators

    asked = _said(given)
    if given.get("preset") is None:
        return estimators.Tagger(**asked)
    name = given["preset"].lower()
    if name not in PRESETS:
        raise click.UsageError(f"--preset {name}: there are {', '.join(PRESETS)}")
    return getattr(estimators, PRESETS[name])(**asked)


def _said(given: dict[str, Any]) -> dict[str, Any]:
    """Settings that were given; a preset keeps its own where nothing was."""
    if given.get("local"):
        given = given | {"normalisation": "local"}
    legal = given.get("legal", "auto")
    settings: dict[str, Any] = {
        "features": features_of(given.get("features") or "auto"),
        "legal": None if legal == "none" else legal,
        "random_state": given["seed"],
        "n_jobs": given["threads"],
    }
    usual = {"loss": "auto", "learner": "auto", "penalty": "auto", "l1_ratio": 0.5, "order": 1}
    chain = ("ends", "normalisation", "segments", "longest")
    for name in (*usual, *chain, "C", "alpha", "max_iter", "tol", "average"):
        value = given.get(name)
        if value is not None and value is not False and value != usual.get(name):
            settings[name] = value
    if given.get("balanced"):
        settings["class_weight"] = "balanced"
    return settings
