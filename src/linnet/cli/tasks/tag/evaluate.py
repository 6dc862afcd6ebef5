"""``linnet evaluate`` with a tagger: tags, spans, how sure the scores are, and where it errs."""

from __future__ import annotations

from dataclasses import asdict, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from linnet.cli.files import rival
from linnet.cli.tasks.tag.data import Reader
from linnet.data.chunks import is_chunked
from linnet.data.examples import LabelColumn
from linnet.data.sequences import token_strings
from linnet.errors import DataError
from linnet.evaluation import SpanCounts, bootstrap, column_counts, paired_bootstrap

Told = dict[str, Any]
Counts = NDArray[np.int64]  # one number per sentence


def judged(model: Any, path: str, data: str, given: dict[str, Any]) -> Told:
    """Everything there is to say, as plain data."""
    sentences = Reader(model, data, given).tagged()
    guess = model.tag(sentences)
    told: Told = {"model": path, "data": data} | judge(sentences, guess, model.classes_.tolist(), given)
    if given["against"]:
        other = rival(path, given, model)
        told["against"] = {"model": given["against"]} | versus(sentences, guess, other, given)
    return told


def show(told: Told, given: dict[str, Any]) -> None:  # noqa: ARG001
    """Tables for the eye."""
    from linnet.cli.tasks.tag.report import show_report

    show_report(told)


def judge(sentences: Any, guess: LabelColumn, known: list[str], given: dict[str, Any]) -> Told:
    """Everything there is to say, as plain data."""
    gold, offsets = sentences.labels, sentences.offsets
    found = column_counts(gold, guess, offsets)
    if not found.tokens.sum():
        raise DataError(f"{sentences.source} has no tags to compare with")
    names = sorted({*known, *gold.names})
    table = confusion(gold, guess, names)
    spans = is_chunked(gold.names) and is_chunked(known)
    metrics = ("accuracy", "sentence_accuracy", *(("f1",) if spans else ()))
    sure = bootstrap(found.tally(), metrics, **_how(given))
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
        "token_accuracy": asdict(sure["accuracy"]),
        "sentence_accuracy": asdict(sure["sentence_accuracy"]),
        "per_tag": per_tag(table, names),
        "confusion": {"gold": names, "guessed": names, "counts": table.tolist()},
        "worst_sentences": worst(sentences, guess, found, given["worst"]),
    }
    if spans:
        told["spans"] = found.report() | {"f1_interval": asdict(sure["f1"])}
    return told


def _how(given: dict[str, Any]) -> Told:
    return {name: given[name] for name in ("resamples", "level", "seed")}


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


def versus(sentences: Any, guess: LabelColumn, other: Any, given: dict[str, Any]) -> Told:
    """A second tagger on the same sentences."""
    gold, offsets = sentences.labels, sentences.offsets
    first, second = (
        column_counts(gold, tags, offsets).tally() for tags in (guess, other.tag(sentences))
    )
    metrics = ("accuracy", "f1") if is_chunked(gold.names) else ("accuracy",)
    found = paired_bootstrap((first, second), metrics, **_how(given))
    names = {"accuracy": "token_accuracy"}
    rows = [replace(row, metric=names.get(name, name)) for name, row in found.items()]
    return {"differences": [asdict(row) for row in rows]}


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
