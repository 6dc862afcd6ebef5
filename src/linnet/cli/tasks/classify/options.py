"""Options of text features, and how options become a classifier."""

from __future__ import annotations

import os
import sys
from typing import Any

import click

from linnet.cli.learning import LEARNING, said_of_learning
from linnet.cli.options import (
    TEXTS,
    Decorator,
    Lengths,
    Share,
    Values,
    option,
    refuse_given,
    stack,
)
from linnet.cli.paths import Reads
from linnet.cli.presets import MOST_RULES, NEIGHBORS, Said, initial_of, preset_of, settings_of

# Those that take values: of which `linnet tune` tries several.
VALUED: tuple[tuple[str, Any, str | None, str], ...] = (
    ("--word", Lengths(), None, "word n-grams, for instance 1-2"),
    ("--chars", Lengths(), None, "character n-grams across words"),
    ("--chars-wb", Lengths(), None, "character n-grams within words"),
    ("--skip", int, "N", "word pairs with up to so many words between"),
    ("--lead", int, "N", "n-grams of so many first tokens as features of their own"),
    ("--chars-first", int, "N", "character n-grams of so many first characters only"),
    ("--min-df", Share(), None, "leave out n-grams of fewer texts"),
    ("--max-df", Share(), None, "leave out n-grams of more texts"),
    ("--max-features", int, "N", "keep the n-grams of most texts"),
    ("--tf", click.Choice(["binary", "count", "sublinear"]), None, "of an n-gram in a text"),
    ("--scale", click.Choice(["none", "idf", "nb"]), None, "nb: log-count ratios"),
    ("--norm", click.Choice(["l2", "l1", "none"]), None, "make texts of length one"),
    ("--elementwise", click.Choice(["none", "abs", "square"]), None, "|x| or x·x"),
    ("--hash-bits", int, "BITS", "hash n-grams into 2^bits instead of keeping them"),
)
NGRAMS = ("word", "chars", "chars_wb")
BESIDE = ("numeric", "categorical", "statistics")
HOOKS = ("preprocessor", "tokenizer")
PREPARING = (*HOOKS, "strip_html", "normalize", "strip_accents")


class HookPath(click.ParamType):  # type: ignore[type-arg]
    """``module:function``; modules of the folder one is in are found."""

    name = "path"

    def convert(self, value: Any, param: Any, ctx: Any) -> Any:
        """Checked, not imported."""
        module, _, function = str(value).partition(":")
        if not module or not function:
            self.fail(f"{value!r} is no path such as module:function.", param, ctx)
        find_modules_here()
        return value


def find_modules_here() -> None:
    """As `python -m` does."""
    here = os.getcwd()
    if here not in sys.path:
        sys.path.insert(0, here)


def _trusted(_ctx: Any, _param: Any, value: bool) -> bool:
    if value:
        find_modules_here()
    return value


def _hooks(about: str, section: str) -> tuple[Decorator, ...]:
    what = {"preprocessor": "text to text", "tokenizer": "text to a list of tokens"}
    return tuple(
        option(
            f"--{name}",
            type=HookPath(),
            metavar="M:F",
            tasks=TEXTS,
            section=section,
            help=f"{about}, {what[name]}: module:function",
        )
        for name in HOOKS
    )


# For commands that take a model which may have been trained with code of the user's.
hook_options = stack(
    *_hooks("code that the model was trained with", "Data"),
    option(
        "--trust-hooks",
        is_flag=True,
        tasks=TEXTS,
        section="Data",
        callback=_trusted,
        help="import the code that the model file names",
    ),
)


def feature_options(several: bool = False) -> Decorator:
    """With ``several``, of which a list may be given."""
    own: dict[str, Any] = {"tasks": TEXTS, "section": "Features"}
    valued = [
        option(name, type=Values(kind) if several else kind, metavar=shown, help=said, **own)
        for name, kind, shown, said in VALUED
    ]
    return stack(
        *valued,
        option("--shape", is_flag=True, default=None, help="shapes of tokens: Xx, dd", **own),
        option("--lowercase/--keep-case", default=None, help="fold capital letters", **own),
        option("--punctuation/--no-punctuation", default=None, help="are marks tokens?", **own),
        option(
            "--tokens",
            type=click.Choice(["unicode", "whitespace"]),
            help="what divides tokens",
            **own,
        ),
        option(
            "--stop-words",
            type=Reads(),
            metavar="FILE",
            help="'english', or a file of words, one per line",
            **own,
        ),
        option(
            "--statistics",
            metavar="S",
            multiple=True,
            help="punctuation, uppercase, digits, length",
            **own,
        ),
        option("--strip-html", is_flag=True, default=None, help="tags go, entities are read", **own),
        option("--normalize", type=click.Choice(["NFC", "NFKC"]), help="a form of Unicode", **own),
        option("--strip-accents", is_flag=True, default=None, help="é is e", **own),
        *_hooks("code of your own (slower)", "Features"),
    )


VARIED = tuple(name.removeprefix("--").replace("-", "_") for name, *_ in VALUED)
FEATURES = (*VARIED, "shape", "lowercase", "punctuation", "tokens", "stop_words", *BESIDE, *PREPARING)
JOINED = (*BESIDE, *PREPARING)  # that go with automatic features, too


def text_features(given: dict[str, Any], fixed: tuple[str, ...] = FEATURES) -> Any:
    """'auto' if nothing was said about n-grams, else exactly what was said."""
    from linnet.features import TextFeatures

    found = {name: given[name] for name in fixed if given.get(name) not in (None, ())}
    columns = {name: found.pop(name) for name in JOINED if name in found}
    for name in NGRAMS:
        if found.get(name) == "none":
            found[name] = None
    if found.get("stop_words") not in (None, "english"):
        found["stop_words"] = _words(found["stop_words"])
    if not found:
        return "auto"  # with the columns beside the text
    return TextFeatures(**found, **columns)


def feature_grid(given: dict[str, Any]) -> dict[str, list[Any]]:
    """What there is to try of features; 'none' stands for no such n-grams."""
    return {
        name: [None if value == "none" and name in NGRAMS else value for value in given[name]]
        for name in VARIED
        if given.get(name) is not None
    }


def _words(path: str) -> list[str]:
    from linnet.data.text_file import text_lines

    return [word for line in text_lines(path) for word in line.split()]


def missing_of(given: dict[str, Any]) -> Any:
    """What to do about missing values: in one word, or by kind; None: nothing was said."""
    said = given.get("missing")
    if said is None or "=" not in said:
        return said
    return dict(part.strip().partition("=")[::2] for part in said.split(","))


def classifier(given: dict[str, Any]) -> Any:
    """The text classifier that the options describe."""
    from linnet.estimators import TextClassifier

    features = text_features(given)
    said = {name: given[name] for name in JOINED if given.get(name) not in (None, ())}
    columns = said if features == "auto" else {}
    model = TextClassifier(features, **said_of_learning(given), **common(given), **columns)
    model.text = given.get("text") or model.text
    model.missing = missing_of(given) or model.missing
    return model


LISTED = {"brill": "TextBrill", "decision-list": "TextDecisionList", "memory": "TextNeighbors"}
SAID = {"brill": MOST_RULES, "memory": NEIGHBORS}


def kind_listed(given: dict[str, Any], beside: tuple[str, ...]) -> tuple[Any, Said]:
    """The class of what --preset names, a list or a memory of texts, and options that are its own."""
    import linnet.estimators as estimators

    name, _ = preset_of(given)
    if name not in LISTED:
        raise click.UsageError(f"--preset {name}: of texts there are {', '.join(LISTED)}")
    kept = ("max_iter",) if name == "brill" else ()
    other = tuple(o for o in (*LEARNING, *beside) if o not in kept)
    refuse_given(other, f"--preset {name} optimises nothing, and knows no such thing")
    return getattr(estimators, LISTED[name]), SAID.get(name, {})


def listed(given: dict[str, Any]) -> Any:
    """The classifier of texts that --preset names."""
    kind, said = kind_listed(given, BESIDE_LISTS)
    return listed_as(kind, settings_of(kind, given, said), given)


def listed_as(kind: Any, said: dict[str, Any], given: dict[str, Any]) -> Any:
    """With these settings, and the features that options describe."""
    features = text_features(given)
    if features == "auto":
        refuse_given(JOINED, "say what n-grams there are, too, for instance --word 1")
    if kind.method == "brill":
        said = said | {"initial": initial_of(given, "classify", "label")}
    model = kind(features, **said, n_jobs=given["threads"])
    model.text = given.get("text") or model.text
    model.missing = missing_of(given) or model.missing
    return model


BESIDE_LISTS = (
    *("memory", "cache", "start", "checkpoint", "resume", "seed", "lexicon"),
    *("calibration", "progressive", "unlabeled", "engine", "shards"),
)


def row_classifier(given: dict[str, Any]) -> Any:
    """A classifier of rows of numbers, or of named features."""
    from linnet.estimators import LinearClassifier
    from linnet.training import grid

    said = said_of_learning(given)
    if "learner" in said:  # what it does not take is not what was meant
        learner = grid.resolve(said["learner"])
        losses = ("logistic", "hinge", "perceptron", "joint_likelihood", "exponential")
        usual = {
            "loss": next((name for name in losses if name in learner.losses), "logistic"),
            "penalty": "l2" if "l2" in learner.penalties else min(learner.penalties),
        }
        said = usual | said
    return LinearClassifier(**said, **common(given), diagnostics=False)


def common(given: dict[str, Any]) -> dict[str, Any]:
    """What every estimator has."""
    return {
        "random_state": given["seed"],
        "n_jobs": given["threads"],
        "verbose": False if given.get("quiet") else None,
    }
