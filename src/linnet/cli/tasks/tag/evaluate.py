"""``linnet evaluate`` with a tagger: tags, spans, how sure the scores are, and where it errs."""

from __future__ import annotations

from dataclasses import asdict, replace
from typing import Any

import click
import numpy as np

from linnet.cli.files import check_retagging, check_same_words, opened, rival
from linnet.cli.tasks.tag.data import Reader, Trained, read_tagged
from linnet.data.chunks import is_chunked
from linnet.data.examples import LabelColumn
from linnet.data.sequences import token_strings
from linnet.errors import DataError
from linnet.evaluation import SpanCounts, bootstrap, column_counts, paired_bootstrap
from linnet.evaluation.metrics import Confusions, gather

Told = dict[str, Any]


def judged(model: Any, path: str, data: str, given: dict[str, Any]) -> Told:
    """Everything there is to say, as plain data."""
    check_retagging(model, given)
    sentences = Reader(Trained.of(model), opened(data), given).tagged()
    there = [name for name in model.taggers_ if name in sentences.columns]
    if there and not given["retag"]:
        click.echo(f"note: {', '.join(there)} as in {data}; --retag predicts them", err=True)
    guess = model.tag(sentences, retag=given["retag"])
    told: Told = {"model": path, "data": data} | judge(sentences, guess, model.classes_.tolist(), given)
    if given["against"]:
        other = rival(path, given, model)
        told["against"] = {"model": given["against"]} | versus(sentences, guess, other, given)
    return told


def compared(gold_path: str, path: str, given: dict[str, Any]) -> Told:
    """Tags of one file against those of another, which are its last column, as `linnet tag` writes."""
    gold, guess = read_tagged(gold_path, given), read_tagged(path, given)
    check_same_words(gold, guess)
    missing = (guess.labels.codes < 0) & (gold.labels.codes >= 0)
    if missing.any():
        raise DataError(f"{guess.where(int(np.argmax(missing)))}: the word has no tag")
    names = sorted({*gold.labels.names, *guess.labels.names})
    return {"gold": gold_path, "data": path} | judge(gold, guess.labels, names, given)


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
    place = {name: k for k, name in enumerate(names)}
    pairs = confusion(gold, guess, place)
    tags = per_tag(pairs, names)
    spans = is_chunked(gold.names) and is_chunked(known)
    metrics = ("accuracy", "sentence_accuracy", *(("f1",) if spans else ()))
    sure = bootstrap(found.tally(), metrics, **_how(given))
    seen, times = set(known), {row["tag"]: row["gold"] for row in tags}
    told: Told = {
        "sentences": len(sentences),
        "tokens": int(found.tokens.sum()),
        "errors": int((found.tokens - found.right).sum()),
        "tags": known,
        "unseen_tags": [
            {"tag": name, "tokens": times.get(name, 0)} for name in gold.names if name not in seen
        ],
        "token_accuracy": asdict(sure["accuracy"]),
        "sentence_accuracy": asdict(sure["sentence_accuracy"]),
        "per_tag": tags,
        "confusion": pairs.told(names, names),
        "worst_sentences": worst(sentences, guess, found, given["worst"]),
    }
    if spans:
        told["spans"] = found.report() | {"f1_interval": asdict(sure["f1"])}
    return told


def _how(given: dict[str, Any]) -> Told:
    return {name: given[name] for name in ("resamples", "level", "seed")}


def confusion(gold: LabelColumn, guess: LabelColumn, place: dict[str, int]) -> Confusions:
    """Pairs of gold and guessed tag; ``place``: the number of each."""
    rows, columns = (
        np.array([place[name] for name in column.names], np.int64)[column.codes[gold.codes >= 0]]
        for column in (gold, guess)
    )
    return gather(rows, columns, len(place))


def per_tag(found: Confusions, names: list[str]) -> list[Told]:
    """Precision, recall and F1 of each tag, by tokens."""

    def totals(places: Any, times: Any) -> list[int]:
        sums = np.zeros(len(names), np.int64)
        np.add.at(sums, places, times)
        return list(sums.tolist())

    gold, guessed = totals(found.gold, found.times), totals(found.guess, found.times)
    hits = totals(found.gold, np.where(found.gold == found.guess, found.times, 0))

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
        for name, h, g, k in zip(names, hits, gold, guessed, strict=True)
        if g or k
    ]


def versus(sentences: Any, guess: LabelColumn, other: Any, given: dict[str, Any]) -> Told:
    """A second tagger on the same sentences."""
    gold, offsets = sentences.labels, sentences.offsets
    first, second = (
        column_counts(gold, tags, offsets).tally()
        for tags in (guess, other.tag(sentences, retag=given["retag"]))
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
