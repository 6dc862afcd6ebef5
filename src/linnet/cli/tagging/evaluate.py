"""``linnet evaluate`` with a tagger: tags, spans, how sure the scores are, and where it errs."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

import numpy as np
from numpy.typing import NDArray

from linnet.cli._data import rival
from linnet.cli._options import refuse_given
from linnet.cli.tagging.data import Reader
from linnet.data.chunks import is_chunked
from linnet.data.examples import LabelColumn
from linnet.data.sequences import token_strings
from linnet.errors import DataError
from linnet.evaluation import SpanCounts, column_counts
from linnet.evaluation.resampling import Interval, _difference

FOR_CLASSIFIERS = (
    "train",
    "positive",
    "curve",
    "metrics",
    "threshold",
    "threshold_of",
    "text",
    "numeric",
    "categorical",
    "zero_based",
    "no_header",
)
Told = dict[str, Any]
Counts = NDArray[np.int64]  # one number per sentence


def run(model: Any, path: str, data: str, as_json: bool, given: dict[str, Any]) -> None:
    """Judge, and tell."""
    refuse_given(FOR_CLASSIFIERS, "for classifiers; the model is a tagger")
    sentences = Reader(model, data, given).tagged()
    guess = model.tag(sentences)
    told: Told = {"model": path, "data": data} | judge(sentences, guess, model.classes_.tolist(), given)
    if given["against"]:
        other = rival(path, given, model)
        told["against"] = {"model": given["against"]} | versus(sentences, guess, other, given)
    if as_json:
        import json

        import click

        click.echo(json.dumps(told, ensure_ascii=False))
        return
    from linnet.cli.tagging.report import show_report

    show_report(told)


def judge(sentences: Any, guess: LabelColumn, known: list[str], given: dict[str, Any]) -> Told:
    """Everything there is to say, as plain data."""
    gold, offsets = sentences.labels, sentences.offsets
    found = column_counts(gold, guess, offsets)
    if not found.tokens.sum():
        raise DataError(f"{sentences.source} has no tags to compare with")
    names = sorted({*known, *gold.names})
    table = confusion(gold, guess, names)
    counted = found.tokens > 0
    told: Told = {
        "sentences": len(sentences),
        "tokens": int(found.tokens.sum()),
        "errors": int((found.tokens - found.right).sum()),
        "tags": known,
        "unseen_tags": [
            {"tag": name, "tokens": int(table[names.index(name)].sum())}
            for name in gold.names
            if name not in known
        ],
        "token_accuracy": interval(found.right, found.tokens, given),
        "sentence_accuracy": interval((found.tokens == found.right) & counted, counted, given),
        "per_tag": per_tag(table, names),
        "confusion": {"gold": names, "guessed": names, "counts": table.tolist()},
        "worst_sentences": worst(sentences, guess, found, given["worst"]),
    }
    if is_chunked(gold.names) and is_chunked(known):
        told["spans"] = found.report() | {"f1_interval": interval(*f1_parts(found), given)}
    return told


def f1_parts(found: SpanCounts) -> tuple[Counts, Counts]:
    """F1 = 2 hits / (guessed + gold), by sentence."""
    return 2 * found.hits.sum(axis=1), (found.guessed + found.gold).sum(axis=1)


def confusion(gold: LabelColumn, guess: LabelColumn, names: list[str]) -> Counts:
    """(gold, guessed): how often."""
    place = {name: k for k, name in enumerate(names)}
    rows, columns = (
        np.array([place[name] for name in column.names], np.int64)[column.codes[gold.codes >= 0]]
        for column in (gold, guess)
    )
    size = len(names)
    return np.bincount(rows * size + columns, minlength=size * size).reshape(size, size)


def per_tag(table: Counts, names: list[str]) -> list[Told]:
    """Precision, recall and F1 of each tag, by tokens."""
    hits, gold, guessed = table.diagonal(), table.sum(axis=1), table.sum(axis=0)

    def share(over: int, under: int) -> float:
        return over / under if under else 0.0

    return [
        {
            "tag": name,
            "precision": share(h, k),
            "recall": share(h, g),
            "f1": share(2 * h, g + k),
            "gold": g,
            "guessed": k,
        }
        for name, h, g, k in zip(names, hits.tolist(), gold.tolist(), guessed.tolist(), strict=True)
        if g or k
    ]


def drawn(over: Any, under: Any, given: dict[str, Any]) -> NDArray[np.float64]:
    """The ratio of two sums over sentences, of sentences drawn anew (bootstrap)."""
    rng = np.random.default_rng(given["seed"])
    n = len(over)
    both = np.stack([over, under], axis=1).astype(np.float64)
    sums = np.concatenate(
        [rng.multinomial(n, np.full(n, 1 / n), size=1) @ both for _ in range(given["resamples"])]
    )
    return np.asarray(sums[:, 0] / np.maximum(sums[:, 1], 1))


def ratio(over: Any, under: Any) -> float:
    """Of two sums over sentences; 0 of nothing."""
    return float(np.sum(over) / np.maximum(np.sum(under), 1))


def interval(over: Any, under: Any, given: dict[str, Any]) -> Told:
    """A ratio of sums and its percentile interval."""
    level = given["level"]
    if not 0 < level < 1:
        raise ValueError(f"level must be between 0 and 1, not {level}")
    low, high = np.quantile(drawn(over, under, given), [(1 - level) / 2, (1 + level) / 2])
    value = ratio(over, under)
    return asdict(Interval(value, float(low), float(high), level))


def versus(sentences: Any, guess: LabelColumn, other: Any, given: dict[str, Any]) -> Told:
    """A second tagger on the same sentences."""
    gold, offsets = sentences.labels, sentences.offsets
    first = column_counts(gold, guess, offsets)
    second = column_counts(gold, other.tag(sentences), offsets)
    compared = {"token_accuracy": [(found.right, found.tokens) for found in (first, second)]}
    if is_chunked(gold.names):
        compared["f1"] = [f1_parts(found) for found in (first, second)]
    rows = []
    for name, parts in compared.items():
        values = [ratio(over, under) for over, under in parts]
        gains = drawn(*parts[1], given) - drawn(*parts[0], given)  # the same sentences are drawn
        rows.append(asdict(_difference(name, values[0], values[1], gains, given["level"])))
    return {"differences": rows}


def worst(sentences: Any, guess: LabelColumn, found: SpanCounts, n: int) -> list[Told]:
    """The sentences with most errors."""
    wrong = found.tokens - found.right
    order = [i for i in np.argsort(-wrong, kind="stable")[:n].tolist() if wrong[i]]
    told = []
    for i in order:
        one = sentences.take([i])
        tags = guess.take(np.arange(sentences.offsets[i], sentences.offsets[i + 1])).values()
        words = token_strings(next(iter(one.columns.values()))) if one.columns else [""] * one.tokens
        told.append(
            {
                "line": int(one.lines[0]) if len(one.lines) else i + 1,
                "wrong": int(wrong[i]),
                "words": words,
                "gold": one.tags()[0],
                "guess": tags,
            }
        )
    return told
