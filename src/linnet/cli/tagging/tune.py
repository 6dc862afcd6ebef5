"""``linnet tune`` on sentences: every setting on every split."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from itertools import product
from typing import Any

import click
import numpy as np

from linnet.cli._options import refuse_given
from linnet.cli.tagging.data import form_of, read_tagged, remember
from linnet.cli.tagging.options import tagger
from linnet.data.chunks import is_chunked
from linnet.errors import DataError
from linnet.evaluation import TuneResult, TuneRow, column_counts
from linnet.evaluation.spans import SpanCounts

FOR_TEXTS = (
    "group",
    "text",
    "numeric",
    "categorical",
    "zero_based",
    "no_header",
    "word",
    "chars",
    "chars_wb",
    "min_df",
    "max_df",
    "tf",
    "scale",
    "norm",
)
STRENGTHS = (0.1, 0.3, 1.0, 3.0, 10.0)
METRICS: dict[str, Callable[[SpanCounts], float]] = {
    "accuracy": lambda found: found.token_accuracy,
    "f1": lambda found: found.f1,
    "precision": lambda found: found.precision,
    "recall": lambda found: found.recall,
}
Split = tuple[Any, Any]  # sentences to learn from, and those held out


def run(data: str, as_json: bool, given: dict[str, Any]) -> None:
    """Try, tell, and train the best."""
    refuse_given(FOR_TEXTS, f"for texts; {data} holds sentences of tokens")
    form = form_of(data, given)
    sentences = read_tagged(data, given | {"format_": form})
    name = metric_of(given["metric"], sentences)
    grid = cells(given)
    splits = list(held_out(sentences, given))
    rows = []
    for number, settings in enumerate(grid):
        _tell(number * len(splits), len(grid) * len(splits))
        rows.append(trial(settings, splits, name, given))
    result = TuneResult(name, len(splits), rows)
    fixed = {n: given[n] for n in ("loss", "learner", "penalty") if n not in grid[0]}
    if as_json:
        import json

        click.echo(json.dumps(result.as_dict() | {"data": data, "fixed": fixed}))
    else:
        from linnet.cli._trials import show_rows

        show_rows(result, fixed)
    if given["output"]:
        best = tagger(given | result.best.settings).fit(sentences)
        remember(best, sentences, given, form)
        best.save(given["output"])


def metric_of(asked: str | None, sentences: Any) -> str:
    """F1 of spans, accuracy of other tags, unless another was asked for."""
    spans = is_chunked(sentences.labels.names)
    name = asked or ("f1" if spans else "accuracy")
    if name not in METRICS:
        raise click.UsageError(f"--metric {name}: of taggers there are {', '.join(METRICS)}")
    if name != "accuracy" and not spans:
        tag = sentences.labels.names[0]
        raise click.UsageError(f"--metric {name}: tags such as {tag} speak of no spans; use accuracy")
    return name


def cells(given: dict[str, Any]) -> list[dict[str, Any]]:
    """All combinations of what has several values."""
    grid: dict[str, list[Any]] = {}
    for name in ("features", "order", "max_iter"):
        if given[name] is not None:
            grid[name] = list(dict.fromkeys(given[name]))
    for name in ("loss", "learner"):
        if "," in given[name]:
            grid[name] = [part.strip() for part in given[name].split(",")]
    if given["alpha"]:
        grid["alpha"] = sorted(set(given["alpha"]), reverse=True)
    elif given["C"] or given["penalty"] != "none":
        grid["C"] = sorted(set(given["C"] or STRENGTHS))
    return [dict(zip(grid, values, strict=True)) for values in product(*grid.values())]


def held_out(sentences: Any, given: dict[str, Any]) -> Iterator[Split]:
    """The splits that were asked for; folds are of whole sentences."""
    if given["dev"]:
        yield sentences, read_tagged(given["dev"], given)
        return
    yield from folds(sentences, given)


def folds(sentences: Any, given: dict[str, Any]) -> Iterator[Split]:
    """Each fold held out once, or each sentence."""
    n = len(sentences)
    parts = n if given["leave_one_out"] else 5 if given["folds"] is None else given["folds"]
    if parts < 2:
        raise ValueError(f"folds must be 2 or more, not {parts}")
    if parts > n:
        raise DataError(f"{parts} folds need as many sentences, but there are {n}")
    order = np.random.default_rng(given["seed"]).permutation(n)
    for k in range(parts):
        held = np.sort(order[k::parts])
        yield sentences.take(np.setdiff1d(np.arange(n), held)), sentences.take(held)


def trial(settings: dict[str, Any], splits: list[Split], metric: str, given: dict[str, Any]) -> TuneRow:
    """One cell of the grid: trained on each split, scored over all of them."""
    seconds, weights = 0.0, []
    train: list[SpanCounts] = []
    dev: list[SpanCounts] = []
    for kept, held in splits:
        model = tagger(given | settings)
        model.verbose = False
        started = time.perf_counter()
        model.fit(kept)
        seconds += time.perf_counter() - started
        go_on_unless_interrupted(model)
        train.append(counts_of(model, kept))
        dev.append(counts_of(model, held))
        weights.append(nonzero(model))
    score = METRICS[metric]
    scores = [score(found) for found in dev]
    return TuneRow(
        settings,
        score(together(train)),
        score(together(dev)),
        float(np.std(scores, ddof=1)) if len(splits) > 1 else None,
        float(np.mean(weights)),
        seconds,
    )


def counts_of(model: Any, sentences: Any) -> SpanCounts:
    """What a model gets right, of spans and of tokens."""
    return column_counts(sentences.labels, model.tag(sentences), sentences.offsets)


def together(found: list[SpanCounts]) -> SpanCounts:
    """Sums, with the types taken for one: what is left of it are the metrics above."""
    hits, guessed, gold = (
        np.concatenate([getattr(counts, name).sum(axis=1, keepdims=True) for counts in found])
        for name in ("hits", "guessed", "gold")
    )
    tokens, right = (
        np.concatenate([getattr(counts, name) for counts in found]) for name in ("tokens", "right")
    )
    return SpanCounts(["all"], hits, guessed, gold, tokens, right)


def nonzero(model: Any) -> int:
    """How many weights are not zero."""
    return sum(
        int(np.count_nonzero(array))
        for name, array in model.model_.tensors().items()
        if np.asarray(array).dtype.kind == "f"
    )


def go_on_unless_interrupted(model: Any) -> None:
    """Of many trainings, half a one is no use."""
    if model.record_.stopped == "interrupted":
        raise KeyboardInterrupt


def _tell(done: int, fits: int) -> None:
    """A line on the terminal that counts the fits; nothing in a pipe."""
    import sys

    if sys.stderr.isatty():
        click.echo(f"\rfit {done + 1} of {fits}", err=True, nl=False)
