"""``linnet compare`` with trees: the familiar parsers, in one table."""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import asdict, dataclass, replace
from typing import Any

import click
import numpy as np

from linnet.cli.parsing.data import read_gold
from linnet.cli.parsing.options import refuse_other_options, templates_of
from linnet.cli.parsing.tune import metric_of, scores_of, together
from linnet.cli.tagging.compare import split
from linnet.cli.tagging.tune import Split, go_on_unless_interrupted, nonzero
from linnet.evaluation.trees import TreeScores

PASSES = (5, 10)


@dataclass(frozen=True)
class Contender:
    """A parser, perhaps with one parameter to tune."""

    name: str
    objective: str  # s is the score of a tree, y that of the data, ŷ the best other one
    settings: dict[str, Any]
    parameter: str | None = None
    values: tuple[Any, ...] = (None,)
    chosen: bool = True  # does it learn from the features that were asked for?


@dataclass(frozen=True)
class Compared:
    """One row of the table."""

    name: str
    objective: str
    parameter: str | None
    value: Any
    uas: float
    las: float
    seconds: float  # of the final training
    tuning_seconds: float
    words_per_second: float  # when it parses
    nonzero: int
    probabilities: bool
    p: float | None = None  # that the best one's lead is luck; None for the best


MARGIN = "½‖w − wₜ‖², s(y) ≥ s(ŷ) + cost, by steps"
LISTED = (
    Contender(
        "counting",
        "−Σ log P(word, direction, distance|head)",
        {"loss": "joint_likelihood"},
        chosen=False,
    ),
    Contender(
        "perceptron",
        "Σ max(0, s(ŷ) − s(y)), by steps",
        {"loss": "perceptron", "order": 1, "projective": True},
        "max_iter",
        PASSES,
    ),
    Contender("MIRA", MARGIN, {"order": 1, "projective": True}, "max_iter", PASSES),
    Contender("MIRA, siblings", MARGIN, {"order": 2}, "max_iter", PASSES),
    Contender("MIRA, any tree", MARGIN, {"projective": False}, "max_iter", PASSES),
    Contender(
        "tree CRF",
        "−Σ log P(y|x), by steps",
        {"loss": "logistic", "order": 1, "projective": True},
        "max_iter",
        PASSES,
    ),
    Contender(
        "tree CRF, any tree",
        "−Σ log P(y|x), by steps",
        {"loss": "logistic", "projective": False},
        "max_iter",
        PASSES,
    ),
    Contender(
        "softmax-margin",
        "−Σ log P(y|x) with cost, by steps",
        {"loss": "softmax_margin", "order": 1, "projective": True},
        "max_iter",
        PASSES,
    ),
)


def run(data: str, as_json: bool, given: dict[str, Any]) -> None:
    """Tune each a little, train it, score it."""
    refuse_other_options(data)
    metric = metric_of(given["metric"])
    chosen = wanted(given["models"])
    roots = "many" if given["many_roots"] else "one"
    trees = read_gold(data, given, roots)
    train, test = halves(trees, given)
    rows = compare(chosen, train, test, metric, given | {"roots": roots})
    if as_json:
        import json

        told = {"data": data, "train": len(train), "test": len(test), "metric": metric}
        compared = against_the_best(rows, metric, given["seed"])
        click.echo(json.dumps(told | {"models": [asdict(row) for row in compared]}))
        return
    show(rows, f"{len(train):,} sentences to learn from, {len(test):,} to score on", metric, given)


def wanted(names: tuple[str, ...]) -> list[Contender]:
    """Those that were asked for; all, if none was."""
    known = {contender.name: contender for contender in LISTED}
    for name in names:
        if name not in known:
            raise click.UsageError(f"no model is called {name!r}; there are {'; '.join(known)}")
    return [known[name] for name in names or known]


def halves(trees: Any, given: dict[str, Any]) -> Split:
    """What to learn from and what to score on."""
    if given["test"]:
        return trees, read_gold(given["test"], given, "many")
    return split(trees, given["held_out"], given["seed"])


Scored = tuple[Compared, TreeScores]


def compare(
    chosen: list[Contender], train: Any, test: Any, metric: str, given: dict[str, Any]
) -> Iterator[Scored]:
    """Choose each parameter on a fifth of the training data, train on all of it, score on the test."""
    from linnet.estimators import DependencyParser

    features = templates_of("--features", given["features"])
    common: dict[str, Any] = {"roots": given["roots"], "random_state": given["seed"]}
    common |= {"n_jobs": given["threads"], "verbose": False}
    kept, held = split(train, 0.2, given["seed"])
    for contender in chosen:
        settings = common | contender.settings | ({"features": features} if contender.chosen else {})

        def fit(value: Any, data: Any, contender: Any = contender, settings: Any = settings) -> Any:
            tuned = {contender.parameter: value} if contender.parameter else {}
            model = DependencyParser(**settings | tuned).fit(data)
            go_on_unless_interrupted(model)
            return model

        started, value = time.perf_counter(), contender.values[0]
        if len(contender.values) > 1:
            tried = [together([scores_of(fit(v, kept), held)], metric) for v in contender.values]
            value = contender.values[int(np.argmax(tried))]
        tuned = time.perf_counter()
        model = fit(value, train)
        trained = time.perf_counter()
        found = scores_of(model, test)
        row = Compared(
            contender.name,
            contender.objective,
            contender.parameter,
            value,
            found.uas,
            found.las,
            trained - tuned,
            tuned - started,
            test.tokens / (time.perf_counter() - trained),
            nonzero(model),
            hasattr(model, "predict_proba"),
        )
        yield row, found


def against_the_best(rows: Iterator[Scored], metric: str, seed: int) -> Iterator[Compared]:
    """Each row with the chance that the best one is ahead of it by luck: a paired bootstrap."""
    scored = list(rows)
    leader = max(range(len(scored)), key=lambda k: getattr(scored[k][0], metric))
    for k, (row, found) in enumerate(scored):
        p = None if k == leader else found.versus(scored[leader][1], metric, seed=seed).p
        yield replace(row, p=p)


HEADER = ("model", "objective", "parameter", "UAS", "LAS", "p", "seconds", "words/s", "non-zero")
NARROW = ((0, 2, 3, 4, 5, 6, 7), (0, 1))  # columns of two tables where one would be too wide


def show(rows: Iterator[Scored], headline: str, metric: str, given: dict[str, Any]) -> None:
    """The table; while it is made, a line on a terminal says where it is."""
    from linnet.cli._tables import console, fits, table

    out = console()
    out.print(headline)

    def told(status: Any) -> Iterator[Scored]:
        for row, found in rows:
            status.update(f"{row.name}: LAS {100 * row.las:.2f} %")
            yield row, found

    with out.status("training") as status:  # shown on a terminal only
        compared = list(against_the_best(told(status), metric, given["seed"]))
    made = []
    for row in compared:
        parameter = None if row.parameter is None else f"{row.parameter} {row.value:g}"
        p = "best" if row.p is None else f"{row.p:.3f}"
        cells = [row.name, row.objective, parameter, row.uas, row.las, p, f"{row.seconds:.2f}"]
        made.append([*cells, f"{row.words_per_second:,.0f}", f"{row.nonzero:,}"])
    whole = table(HEADER, made, left=3)
    if fits(out, whole):
        out.print(whole)
        return
    for columns in NARROW:
        picked = [[row[k] for k in columns] for row in made]
        out.print(table([HEADER[k] for k in columns], picked, left=2))
