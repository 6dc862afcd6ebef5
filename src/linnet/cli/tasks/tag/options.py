"""Options of tagging, and how they become a tagger."""

from __future__ import annotations

import os
from typing import Any

import click

from linnet._params import whole
from linnet.cli.learning import LEARNING, said_of_learning
from linnet.cli.options import (
    CLASSIFY,
    PARSE,
    SENTENCES,
    SYMBOLS,
    TAG,
    Decorator,
    Values,
    columns_option,
    option,
    refuse_given,
    stack,
)
from linnet.cli.paths import Reads
from linnet.cli.presets import (
    MOST_RULES,
    NEIGHBORS,
    Said,
    initial_of,
    plain_preset,
    preset_of,
    refuse_foreign,
    settings_of,
)
from linnet.cli.tasks.classify.options import common

OWN: dict[str, Any] = {"tasks": TAG, "section": "Tagging"}
output_format_option = option(
    "--output-format",
    "to_format",
    metavar="F",
    tasks=SENTENCES,
    help="conll, tsv, conllu, crfsuite, tokens, spans, entities or tags; of trees conllu or conllx",
)
tag_options = stack(
    output_format_option,
    columns_option,
    option("--unlabelled", is_flag=True, help="CRFsuite's lines begin with no tag", **OWN),
)


def features_option(several: bool = False) -> Decorator:
    """Templates, of tokens or of arcs."""
    return option(
        "--features",
        type=Values(Reads()) if several else Reads(),
        metavar="F",
        tasks=SENTENCES,
        section="Tagging",
        help="a recipe (pos, chunk, ner) or a file of templates, ours or CRF++'s; of arcs, a file",
    )


def preset_option(several: bool) -> Decorator:
    """What learns; with ``several`` settings of those that keep or list may have several values."""
    methods: dict[str, Any] = {"tasks": (*CLASSIFY, *TAG, *SYMBOLS), "section": "Methods"}
    neighbors = click.IntRange(1)
    return stack(
        option(
            "--preset",
            metavar="NAME",
            help="brill: rules; memory: neighbours; of texts decision-list; these with settings, "
            f"'memory metric=overlap{',mvdm' if several else ''}'; of sentences hmm, memm, crf, "
            "perceptron, mira or svm",
            **methods,
        ),
        option(
            "--neighbors",
            type=Values(neighbors) if several else neighbors,
            metavar="K",
            help="with --preset memory: how many neighbours vote (texts 10; of tokens distances, 5)",
            **methods,
        ),
        option(
            "--initial",
            type=Reads(),
            metavar="MODEL",
            tasks=(*CLASSIFY, *TAG),
            section="Methods",
            help="with --preset brill: whose labels or tags the rules mend, a model file; words (the "
            "most frequent tag of each) or label (the most frequent one) where nothing is said",
        ),
    )


def shape_options(several: bool = False) -> Decorator:
    """What sequences are scored by."""
    order = click.IntRange(0)
    return stack(
        features_option(several),
        option(
            "--order",
            type=Values(order) if several else order,
            metavar="N",
            tasks=(*TAG, *PARSE),
            section="Tagging",
            help="how many tags back a transition sees (1); of trees 1, or 2 for siblings",
        ),
        preset_option(several),
        option("--ends", is_flag=True, help="have weights of first and last tags", **OWN),
        option("--segments", is_flag=True, help="score whole spans (a semi-Markov model)", **OWN),
        option(
            "--longest",
            type=click.IntRange(1),
            metavar="N",
            help="with --segments: tokens of a span",
            **OWN,
        ),
        option(
            "--local",
            is_flag=True,
            help="normalise at each token (MEMM), not over the sentence",
            **OWN,
        ),
        option(
            "--legal",
            metavar="SCHEME",
            help="what tags keep to: bio, iob1, bilou, … or none; else what the data keep to",
            **OWN,
        ),
    )


SHAPE = ("features", "preset", "order", "ends", "segments", "longest", "local", "legal")
# What those that keep or list know nothing of.
BESIDE = ("memory", "cache", "start", "tagger", "checkpoint", "resume", "seed", "engine", "shards")
PRESETS = {
    "hmm": "HMM",
    "memm": "MEMM",
    "crf": "CRF",
    "perceptron": "StructuredPerceptron",
    "mira": "StructuredMIRA",
    "svm": "StructuredSVM",
}


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


def tagger_of(asked: str | None) -> Any:
    """'auto', or a tagger that is there."""
    from linnet.cli.files import load
    from linnet.cli.tasks import task_of_model

    if asked in (None, "auto", "none"):
        return None if asked == "none" else asked
    loaded = load(str(asked))
    if task_of_model(loaded).name != "tag":
        raise click.UsageError(f"--tagger {asked}: it is no tagger")
    return loaded


def tagger(given: dict[str, Any]) -> Any:
    """The tagger that the options describe; a preset keeps its own settings where nothing was said."""
    import linnet.estimators as estimators

    preset, _ = preset_of(given)
    if preset == "brill":
        return brill(given)
    if preset == "memory":
        return memory(given)
    name = plain_preset(given)
    refuse_foreign("")
    said = said_of_learning(given) | common(given)
    if given.get("features"):
        said["features"] = features_of(given["features"])
    if given.get("legal"):
        said["legal"] = None if given["legal"] == "none" else given["legal"]
    if given.get("local"):
        said["normalisation"] = "local"
    said |= {
        name: given[name]
        for name in ("order", "ends", "segments", "longest")
        if given.get(name) is not None and given[name] is not False
    }
    if given.get("tagger"):
        said |= {"tagger": tagger_of(given["tagger"]), "jackknife": given["jackknife"]}
    if given.get("preset") is None:
        return estimators.Tagger(**said)
    if name not in PRESETS:
        raise click.UsageError(f"--preset {name}: there are {', '.join(PRESETS)}, brill, memory")
    return getattr(estimators, PRESETS[name])(**said)


def brill(given: dict[str, Any]) -> Any:
    """A tagger by rules: of the options --features names templates, --max-iter the number of rules."""
    kind, said = kind_kept(given, BESIDE)
    if given.get("max_iter") is not None:
        whole("--max-iter", given["max_iter"], 0)
    return rules_of(settings_of(kind, given, said), given)


def memory(given: dict[str, Any]) -> Any:
    """A tagger by memory: of the options --neighbors says how many distances count."""
    kind, said = kind_kept(given, BESIDE)
    return kind(**settings_of(kind, given, said), n_jobs=given["threads"])


def kind_kept(given: dict[str, Any], beside: tuple[str, ...]) -> tuple[Any, Said]:
    """The class of what --preset names, rules or a memory, and options that are its own."""
    from linnet.estimators import BrillTagger, MemoryTagger

    if preset_of(given)[0] == "memory":
        other = tuple(name for name in (*SHAPE, *LEARNING) if name != "preset")
        refuse_given((*other, *beside), "--preset memory keeps all tokens, and knows no such thing")
        return MemoryTagger, NEIGHBORS
    kept = ("features", "preset", "max_iter")
    other = tuple(name for name in (*SHAPE, *LEARNING) if name not in kept)
    refuse_given((*other, *beside), "--preset brill learns rules, which know no such thing")
    return BrillTagger, MOST_RULES


def rules_of(said: dict[str, Any], given: dict[str, Any]) -> Any:
    """A tagger by rules with these settings, and the templates that --features names."""
    from pathlib import Path

    from linnet.estimators import BrillTagger
    from linnet.features.rule_templates import SETS

    templates = given.get("features")
    if templates:
        if templates not in SETS and not os.path.isfile(templates):
            raise click.UsageError(
                f"--features {templates}: neither a set of rule templates ({', '.join(SETS)}) nor a "
                f"file of them"
            )
        said["templates"] = templates if templates in SETS else Path(templates)
    return BrillTagger(**said, initial=initial_of(given, "tag", "words"), n_jobs=given["threads"])
