"""``linnet compare`` on sentences: the sequence models, in one table."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from typing import Any

import click
import numpy as np

import linnet.estimators as estimators
from linnet.cli.tagging.data import read_tagged
from linnet.cli.tagging.options import features_of, refuse_text_options
from linnet.cli.tagging.tune import (
    METRICS,
    Split,
    counts_of,
    go_on_unless_interrupted,
    metric_of,
    nonzero,
)
from linnet.data.chunks import is_chunked
from linnet.errors import DataError

STRENGTHS = (0.1, 1.0, 10.0)
EPOCHS = (5, 10, 20)


@dataclass(frozen=True)
class Contender:
    """A sequence model with one parameter to tune."""

    name: str
    objective: str  # s is the score of a sequence, y that of the data, ŷ the best other one
    parameter: str
    values: tuple[Any, ...]
    make: Callable[..., Any]
    chosen: bool = True  # does it learn from the features that were asked for?


@dataclass(frozen=True)
class Compared:
    """One row of the table."""

    name: str
    objective: str
    parameter: str
    value: Any
    accuracy: float
    f1: float | None  # of spans
    seconds: float  # of the final training
    tuning_seconds: float
    nonzero: int
    probabilities: bool


def contenders() -> dict[str, Contender]:
    """By name."""
    listed = (
        Contender("HMM", "−Σ log P(x, y)", "smoothing", (0.01, 0.1, 1.0), estimators.HMM, chosen=False),
        Contender(
            "token by token",
            "½‖w‖² − C Σ log P(yᵢ|x)",
            "C",
            STRENGTHS,
            lambda **s: estimators.Tagger(loss="logistic", penalty="l2", order=0, **s),
        ),
        Contender("MEMM", "½‖w‖² − C Σ log P(yᵢ|yᵢ₋₁, x)", "C", STRENGTHS, estimators.MEMM),
        Contender("CRF", "½‖w‖² − C Σ log P(y|x)", "C", STRENGTHS, estimators.CRF),
        Contender(
            "CRF, L1",
            "‖w‖₁ − C Σ log P(y|x)",
            "C",
            STRENGTHS,
            lambda **s: estimators.CRF(penalty="l1", **s | {"tol": 1e-3}),  # zeros come late
        ),
        Contender(
            "perceptron",
            "Σ max(0, s(ŷ) − s(y)), by steps",
            "max_iter",
            EPOCHS,
            estimators.StructuredPerceptron,
        ),
        Contender(
            "MIRA",
            "½‖w − wₜ‖² + C ξ, by steps",
            "C",
            (0.01, 0.1, 1.0),
            estimators.StructuredMIRA,
        ),
        Contender(
            "structural SVM",
            "½‖w‖² + C Σ max(0, s(ŷ) + cost − s(y))",
            "C",
            (0.01, 0.1, 1.0),
            estimators.StructuredSVM,
        ),
    )
    return {contender.name: contender for contender in listed}


def run(data: str, as_json: bool, given: dict[str, Any]) -> None:
    """Tune each a little, train it, score it."""
    refuse_text_options(data)
    sentences = read_tagged(data, given)
    name = metric_of(given["metric"], sentences)
    chosen = wanted(given["models"])
    train, test = halves(sentences, given)
    rows = compare(chosen, train, test, name, given)
    if as_json:
        import json

        told = {"data": data, "train": len(train), "test": len(test), "metric": name}
        click.echo(json.dumps(told | {"models": [asdict(row) for row in rows]}, ensure_ascii=False))
        return
    show(rows, f"{len(train):,} sentences to learn from, {len(test):,} to score on", sentences)


def wanted(names: tuple[str, ...]) -> list[Contender]:
    """Those that were asked for; all, if none was."""
    known = contenders()
    for name in names:
        if name not in known:
            raise click.UsageError(f"no model is called {name!r}; there are {'; '.join(known)}")
    return [known[name] for name in names or known]


def halves(sentences: Any, given: dict[str, Any]) -> Split:
    """What to learn from and what to score on."""
    if given["test"]:
        return sentences, read_tagged(given["test"], given)
    return split(sentences, given["held_out"], given["seed"])


def split(sentences: Any, share: float, seed: int) -> Split:
    """A share of the sentences is held out, drawn by chance."""
    if not 0 < share < 1:
        raise ValueError(f"the held-out share must be between 0 and 1, not {share}")
    n = len(sentences)
    if n < 2:
        raise DataError(f"{n} sentence cannot be split in two")
    order = np.random.default_rng(seed).permutation(n)
    size = min(max(1, round(share * n)), n - 1)
    return sentences.take(np.sort(order[size:])), sentences.take(np.sort(order[:size]))


def compare(
    chosen: list[Contender], train: Any, test: Any, metric: str, given: dict[str, Any]
) -> Iterator[Compared]:
    """Choose each parameter on a fifth of the training data, train on all of it, score on the test."""
    fixed: dict[str, Any] = {"tol": 0.01, "random_state": given["seed"], "n_jobs": given["threads"]}
    fixed["verbose"] = False
    features = features_of(given["features"] or "auto")
    kept, held = split(train, 0.2, given["seed"])
    spans = is_chunked(test.labels.names)
    for contender in chosen:
        settings = fixed | ({"features": features} if contender.chosen else {})

        def fit(value: Any, data: Any, contender: Any = contender, settings: Any = settings) -> Any:
            model = contender.make(**settings, **{contender.parameter: value}).fit(data)
            go_on_unless_interrupted(model)
            return model

        started = time.perf_counter()
        scores = [METRICS[metric](counts_of(fit(value, kept), held)) for value in contender.values]
        value = contender.values[int(np.argmax(scores))]
        tuned = time.perf_counter()
        model = fit(value, train)
        seconds = time.perf_counter() - tuned
        found = counts_of(model, test)
        yield Compared(
            contender.name,
            contender.objective,
            contender.parameter,
            value,
            found.token_accuracy,
            found.f1 if spans else None,
            seconds,
            tuned - started,
            nonzero(model),
            hasattr(model, "predict_proba"),
        )


def show(rows: Iterator[Compared], headline: str, sentences: Any) -> None:
    """The table; while it is made, a line on a terminal says where it is."""
    from linnet.cli._tables import console, fits, table

    out = console()
    out.print(headline)
    header = ["model", "objective", "parameter", "accuracy", "F1", "seconds", "non-zero", "P(y|x)"]
    made = []
    with out.status("training") as status:  # shown on a terminal only
        for row in rows:
            status.update(f"{row.name}: {100 * row.accuracy:.2f} %")
            cells = [row.name, row.objective, f"{row.parameter} {row.value:g}", row.accuracy, row.f1]
            yes = "yes" if row.probabilities else "no"
            made.append([*cells, f"{row.seconds:.3f}", f"{row.nonzero:,}", yes])
    hidden = set() if is_chunked(sentences.labels.names) else {4}
    shown = [k for k in range(len(header)) if k not in hidden]

    def some(columns: list[int], left: int) -> Any:
        return table([header[k] for k in columns], [[row[k] for k in columns] for row in made], left)

    whole = some(shown, 3)
    if fits(out, whole):
        out.print(whole)
        return
    out.print(some([k for k in shown if k != 1], 2))
    out.print(some([0, 1], 2))
