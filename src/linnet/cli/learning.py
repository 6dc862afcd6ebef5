"""Options of learning: loss, learner with its own settings, penalty, strength; and what they become."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import product
from typing import Any

import click

from linnet.cli.options import (
    CLASSIFY,
    TAG,
    TEXTS,
    Decorator,
    Values,
    option,
    seed_option,
    stack,
    was_given,
)

# Settings of learners that have an option of their own: its name, type and help.
OF_LEARNERS: Mapping[str, tuple[str, Any, str]] = {
    "step": ("--step", str, "of sgd: power, inverse, constant or reduce"),
    "eta0": ("--eta0", float, "of sgd and adagrad: the first step"),
    "power": ("--power", float, "of sgd: steps fall as t to the power of minus that"),
    "batch_size": ("--batch-size", int, "of sgd, adagrad and pegasos: examples of a step"),
    "variant": (
        "--variant",
        str,
        "of counting: multinomial, bernoulli or complement; of winnow: positive, winnow1 or balanced; "
        "of pa: I or II",
    ),
    "smoothing": ("--smoothing", float, "of counting: what is added to every count"),
    "prior": ("--prior", str, "of counting: empirical or uniform"),
    "promotion": ("--promotion", float, "of winnow: the factor of weights that were too small"),
    "demotion": ("--demotion", float, "of winnow: the factor of weights that were too large"),
    "threshold": ("--winnow-threshold", float, "of winnow: what positive weights must reach"),
    "k": ("--constraints", int, "of mira: outputs that a step sets right"),
    "learner": ("--inner", str, "of mixing and averaging: the learner of each shard"),
    "stumps": ("--stumps", str, "of adaboost: real or discrete"),
    "r": ("--confidence", float, "of arow: small numbers follow each example closely"),
}
PREFIX = "learner_"  # of their names among the options


def learning_options(several: bool = False) -> Decorator:
    """With ``several``, of which a list may be given."""

    def typed(one: Any) -> Any:
        return Values(one) if several else click.types.convert_type(one)

    words = {"type": typed(str), "section": "Learning"}
    numbers = {"type": typed(float), "metavar": "X", "section": "Learning"}
    own = [
        option(name, PREFIX + setting, type=typed(kind), metavar="S", section="Learning", help=said)
        for setting, (name, kind, said) in OF_LEARNERS.items()
    ]
    return stack(
        option("--loss", metavar="L", help="logistic, hinge, squared_hinge, …", **words),
        option("--learner", metavar="L", help="dual, lbfgs, sgd, perceptron, …", **words),
        option("--penalty", metavar="P", help="l2, l1, elasticnet or none", **words),
        option(
            "-C",
            "C",
            help="strength of the data against the penalty; of pa and mira a step's",
            **numbers,
        ),
        option("--alpha", help="strength of the penalty against the mean loss", **numbers),
        option("--l1-ratio", help="share of L1 in the elastic net", **numbers),
        option("--margin", help="what hinge losses ask for; 1", **numbers),
        option("--max-iter", type=typed(int), metavar="N", section="Learning", help="limit of passes"),
        option(
            "--multiclass",
            type=click.Choice(
                ["joint", "rest", "pairs", "pairs_votes", "ecoc", "ecoc_votes", "kesler"]
            ),
            tasks=CLASSIFY,
            section="Learning",
            help="all labels together, each against the rest, or other problems of two labels",
        ),
        option(
            "--average",
            is_flag=True,
            section="Learning",
            help="average all weight vectors (online learners)",
        ),
        option(
            "--hypothesis",
            type=click.Choice(["last", "average", "voted", "survivor"]),
            tasks=CLASSIFY,
            section="Learning",
            help="which of their weight vectors online learners predict with; survivor: one pass",
        ),
        option(
            "--tol",
            type=float,
            metavar="X",
            section="Learning",
            help="relative gap or gradient to stop at",
        ),
        option(
            "--balanced",
            is_flag=True,
            tasks=(*CLASSIFY, *TAG),
            section="Learning",
            help="weigh labels by the inverse of their number",
        ),
        *own,
        seed_option,
    )


def kernel_option(several: bool = False) -> Decorator:
    """Of `train`, and with ``several`` of `tune`."""
    return option(
        "--kernel",
        type=Values(str) if several else str,
        metavar="K",
        tasks=TEXTS,
        section="Learning",
        help="a kernel with its settings, such as 'polynomial degree=2', or a sum, 'linear + gaussian',"
        " for a support vector machine, or for --learner perceptron",
    )


def map_option(several: bool = False) -> Decorator:
    """The same of maps."""
    return option(
        "--map",
        "map_",
        type=Values(str) if several else str,
        metavar="M",
        tasks=CLASSIFY,
        section="Learning",
        help="a linear classifier of features written out: 'conjunctions degree=2', 'string_fragments "
        "of gappy length=3', 'tree_fragments size=5 of subset_tree', 'nystroem of gaussian'",
    )


VARIED = ("loss", "penalty", "max_iter", "margin", "l1_ratio", "C", "alpha")
LEARNING = (
    *VARIED,
    "learner",
    "multiclass",
    "average",
    "hypothesis",
    "tol",
    "balanced",
    *(PREFIX + name for name in OF_LEARNERS),
)


def said_of_learning(given: Mapping[str, Any]) -> dict[str, Any]:
    """The settings of an estimator that were said; a learner with settings of its own is an object."""
    found = {name: given[name] for name in (*VARIED, "tol") if given.get(name) is not None}
    if given.get("average"):
        found["average"] = True
    if given.get("hypothesis"):
        if given.get("average"):
            raise click.UsageError("--average and --hypothesis are two ways to say the same; give one")
        found["average"] = {"last": False, "average": True}.get(
            given["hypothesis"], given["hypothesis"]
        )
    if given.get("balanced"):
        found["class_weight"] = "balanced"
    if given.get("multiclass"):
        found["multiclass"] = given["multiclass"]
    own = _own(given)
    if own and _bounds_steps(given.get("learner")) and "C" in found:
        own["C"] = found.pop("C")
    if given.get("learner") is not None or own:
        found["learner"] = learner_of(given.get("learner"), own)
    return found


def learning_grid(given: Mapping[str, Any]) -> dict[str, list[Any]]:
    """The same where a list of values may be given: what there is to try."""
    grid = {name: list(dict.fromkeys(given[name])) for name in VARIED if given.get(name) is not None}
    own = {name: values for name, values in _own(given).items() if values}
    named = given.get("learner") or [None]
    if own and all(map(_bounds_steps, named)) and "C" in grid:
        own["C"] = grid.pop("C")
    if own or named != [None]:
        grid["learner"] = [
            learner_of(name, dict(zip(own, values, strict=True)))
            for name in named
            for values in product(*own.values())
        ]
    return grid


def _bounds_steps(learner: str | None) -> bool:
    """Is C a setting of the learner itself, which must then be made with it?"""
    from linnet.learners import LEARNERS

    return learner is not None and learner in LEARNERS and LEARNERS[learner].has_own_C()


def learner_of(name: str | None, own: Mapping[str, Any]) -> Any:
    """A learner by its name, or an object if settings of its own were said."""
    if not own:
        return name
    from linnet.learners import LEARNERS
    from linnet.training import grid

    option_of = {setting: spelt for setting, (spelt, _, _) in OF_LEARNERS.items()}
    if name in (None, "auto"):
        first = next(iter(own))
        able = [n for n, learner in LEARNERS.items() if first in learner._names()]
        raise click.UsageError(
            f"{option_of[first]} is of a learner: name it by --learner ({', '.join(able)})"
        )
    resolved = grid.resolve(str(name))
    for setting in own:
        if setting not in resolved._names():
            has = [option_of[n] for n in resolved._names() if n in option_of]
            there = f"it has {', '.join(has)}" if has else "it has none of its own"
            raise click.UsageError(f"{option_of[setting]}: {name} has no such setting; {there}")
    return type(resolved)(**own)


def _own(given: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name in OF_LEARNERS if (value := given.get(PREFIX + name)) is not None}


def settled(given: dict[str, Any], grid: dict[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
    """What has one value is a setting, what has several is to be tried."""
    varied = {name: values for name, values in grid.items() if len(values) > 1}
    single = {name: values[0] for name, values in grid.items() if len(values) == 1}
    tried = dict.fromkeys([*VARIED, "learner", *(PREFIX + name for name in OF_LEARNERS), *grid])
    return given | tried | single, varied


def check_penalties(given: Mapping[str, Any]) -> None:
    """Two ways to say the same."""
    if was_given("C") and was_given("alpha"):
        raise click.UsageError("-C and --alpha are two ways to say the same; give one")
    for name in ("C", "alpha"):
        values = given.get(name)
        listed = values if isinstance(values, list) else [values]
        if any(value is not None and not value > 0 for value in listed):
            raise click.UsageError(f"{name}: every value must be positive")


def strength_said(given: Mapping[str, Any], grid: Mapping[str, Any]) -> bool:
    """Was anything said of what is tried where nothing is said, be it a single value?"""
    said = any(name in grid or given[name] is not None for name in ("C", "alpha", "max_iter"))
    return said or "learner" in grid
