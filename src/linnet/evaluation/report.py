"""Everything there is to say of a system's answers, as plain data ready for JSON."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import asdict
from typing import Any

import numpy as np
from numpy.typing import NDArray

from linnet.data.chunks import is_chunked
from linnet.evaluation import curves, label_sets
from linnet.evaluation.answers import Answers, answers
from linnet.evaluation.metrics import METRICS, Counts, confusions, count
from linnet.evaluation.resampling import bootstrap, paired_bootstrap
from linnet.evaluation.significance import mcnemar
from linnet.evaluation.spans import SpanCounts, span_counts
from linnet.evaluation.tag_lists import are_sequences

Array = NDArray[np.float64]
Report = dict[str, Any]

UNSURE = ("coverage", "covered_accuracy")
THRESHOLDS = (0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 0.99)


def report(
    gold: Sequence[Any],
    guess: Sequence[Any],
    *,
    classes: Iterable[Any] = (),
    scores: Array | None = None,
    probabilities: Array | None = None,
    unsure: str | None = None,
    positive: str | None = None,
    resamples: int = 1000,
    level: float = 0.95,
    seed: int = 0,
    worst: int = 10,
    points: int = 41,
    sequences: bool | None = None,
) -> Report:
    """Metrics with intervals, a row per label, and what scores and probabilities add.

    ``classes`` are the labels the system was trained on, in the order of the columns of ``scores``
    and ``probabilities``. Gold labels that are not among them count as errors and are listed.
    ``positive`` is the label that two-label scores speak of; if not given, the second.

    Lists of tags, a list for each sentence, are compared tag by tag, and by their spans where they
    speak of such; ``sequences`` says that lists are such, or that they are sets of labels. None: as
    they look, and an error where they may be either.
    """
    known = [str(label) for label in classes]
    if sequences is None:
        sequences = len(gold) == len(guess) > 0 and are_sequences(gold, guess)
    if sequences and (scores is not None or probabilities is not None):
        raise ValueError("scores and probabilities are of examples, not of tags in sentences")
    found = answers(gold, guess, labels=known, unsure=unsure, sequences=sequences)
    counts = count(found)
    names = [name for name in METRICS if _speaks(name, found)]
    intervals = bootstrap(found, tuple(names), resamples=resamples, level=level, seed=seed)
    told: Report = {
        "examples": len(found),
        "labels": found.labels,
        "multilabel": found.multilabel,
        "errors": int((~found.correct()).sum()),
        "metrics": {name: interval.value for name, interval in intervals.items()},
        "intervals": {name: asdict(interval) for name, interval in intervals.items()},
        "per_label": _per_label(found, counts),
        "unseen_labels": _unseen(found, counts, known),
    }
    if sequences:
        told |= _of_sentences(span_counts(gold, guess), found, resamples, level, seed)
    told |= _of_sets(found) if found.multilabel else {"confusion": _confusion(found)}
    if scores is not None:
        _add_scores(told, found, _columns(scores, found), worst, points)
    if probabilities is not None:
        _add_probabilities(told, found, np.asarray(probabilities))
    if len(found.labels) == 2 and not found.multilabel:
        told["positive"] = _positive(told["per_label"], positive)
    elif positive is not None:
        raise ValueError(f"a positive label ({positive!r}) makes sense with two labels only")
    return told


def _of_sentences(
    counted: SpanCounts, found: Answers, resamples: int, level: float, seed: int
) -> Report:
    """Of tags in sentences: these are drawn anew, since their tags hang together."""
    spans = is_chunked(found.labels)
    names = ("accuracy", "f1") if spans else ("accuracy",)
    drawn = bootstrap(counted.tally(), names, resamples=resamples, level=level, seed=seed)
    told: Report = {
        "sentences": len(counted.tokens),
        "intervals": {"accuracy": asdict(drawn["accuracy"])},
    }
    if spans:
        told["spans"] = counted.report() | {"f1_interval": asdict(drawn["f1"])}
    return told


def _of_sets(found: Answers) -> Report:
    """What was said instead of what was missed; None is nothing."""
    names = [*found.labels, None]
    return {"instead": label_sets.instead(found).told(names, names)}


def versus(
    gold: Sequence[Any],
    first: Sequence[Any],
    second: Sequence[Any],
    *,
    metrics: tuple[str, ...] = ("accuracy", "macro_f1"),
    unsure: str | None = None,
    resamples: int = 2000,
    level: float = 0.95,
    seed: int = 0,
    sequences: bool | None = None,
) -> Report:
    """Is the second system better than the first? McNemar's test and paired bootstraps.

    ``sequences`` is as of `report`.
    """
    found = answers(gold, first, second, unsure=unsure, sequences=sequences)
    differences = paired_bootstrap(found, metrics, resamples=resamples, level=level, seed=seed)
    return {
        "mcnemar": asdict(mcnemar(found)),
        "differences": [asdict(difference) for difference in differences.values()],
    }


def _speaks(name: str, found: Answers) -> bool:
    if name == "hamming_loss":
        return found.multilabel
    return name not in UNSURE or not bool(found.covered().all())


def _per_label(found: Answers, counts: Counts) -> list[Report]:
    columns = {
        "precision": counts.precision,
        "recall": counts.recall,
        "f1": counts.f1,
        "specificity": counts.specificity,
        "false_positive_rate": counts.false_positive_rate,
    }
    of_sets = {
        "right": counts.hits,
        "missed": counts.gold - counts.hits,
        "too_many": counts.guessed - counts.hits,
        "neither": counts.examples - counts.gold - counts.guessed + counts.hits,
    }
    return [
        {
            "label": label,
            "gold": int(counts.gold[k]),
            "guessed": int(counts.guessed[k]),
            **{name: float(values[k]) for name, values in columns.items()},
            **{name: int(n[k]) for name, n in (of_sets if found.multilabel else {}).items()},
        }
        for k, label in enumerate(found.labels)
    ]


def _unseen(found: Answers, counts: Counts, known: list[str]) -> list[Report]:
    """Gold labels that were not there in training; without ``known`` nobody can tell."""
    return [
        {"label": label, "examples": int(counts.gold[k])}
        for k, label in enumerate(found.labels)
        if known and k >= len(known)
    ]


def _confusion(found: Answers) -> Report:
    pairs = confusions(found)
    unsure = [None] if (pairs.guess == len(found.labels)).any() else []
    return pairs.told(found.labels, [*found.labels, *unsure])


def _columns(scores: Array, found: Answers) -> Array:
    """(examples, labels); a single score is that of the second of two labels, unless of several."""
    return np.asarray(scores, np.float64) if found.multilabel else curves.columns(scores)


def _add_scores(told: Report, found: Answers, scores: Array, worst: int, points: int) -> None:
    told["precision_recall"] = {}
    for k in range(scores.shape[1]):
        positive = found.has(k)
        if not positive.any():
            continue
        curve = curves.precision_recall(positive, scores[:, k])
        told["per_label"][k]["average_precision"] = curve.average_precision
        thin = curve.thinned(points)
        told["precision_recall"][found.labels[k]] = {
            "average_precision": curve.average_precision,
            "recall": thin.recall.tolist(),
            "precision": thin.precision.tolist(),
            "threshold": thin.threshold.tolist(),
        }
    if found.multilabel:
        told["worst_errors"] = _worst_sets(found, scores, worst)
        return
    told["worst_errors"] = [
        {
            "example": mistake.example,
            "margin": mistake.margin,
            "gold": found.labels[found.gold[mistake.example]],
            "guess": found.labels[found.guesses[0][mistake.example]],
        }
        for mistake in curves.worst_errors(found.gold, found.guesses[0], scores, worst)
    ]


def _worst_sets(found: Answers, scores: Array, worst: int) -> list[Report]:
    """Examples by the label that is wrong by most."""
    gold, said = (label_sets.members(found, sets) for sets in (found.gold, found.guesses[0]))
    names = [[found.labels[k] for k in members] for members in found.sets]
    return [
        {
            "example": one.example,
            "margin": one.margin,
            "gold": names[found.gold[one.example]],
            "guess": names[found.guesses[0][one.example]],
            "label": found.labels[one.label],
            "missed": one.missed,
        }
        for one in label_sets.worst_decisions(gold, said, scores, worst)
    ]


def _add_probabilities(told: Report, found: Answers, probabilities: Array) -> None:
    if found.multilabel:
        _add_thresholds(told, found, probabilities)
        return
    told["log_loss"] = curves.log_loss(found.gold, probabilities)
    told["brier"] = curves.brier(found.gold, probabilities)
    correct = probabilities.argmax(axis=1) == found.gold
    rows = curves.selective(correct, probabilities.max(axis=1), THRESHOLDS)
    told["unsure_below"] = [asdict(row) for row in rows if row.coverage < 1]
    told["reliability"] = [
        asdict(row) for row in curves.reliability(correct, probabilities.max(axis=1))
    ]


def _add_thresholds(told: Report, found: Answers, probabilities: Array) -> None:
    """Of several labels: each is a question of yes and no, and may have a threshold of its own."""
    gold, said = (label_sets.members(found, sets) for sets in (found.gold, found.guesses[0]))
    known = gold[:, : probabilities.shape[1]]
    told["log_loss"], told["brier"] = curves.label_losses(known, probabilities)
    rows = curves.reliability(known.ravel(), probabilities.ravel())
    told["reliability"] = [asdict(row) for row in rows]
    told["one_threshold"] = []
    for at in (0.1, 0.2, 0.3, 0.4, *THRESHOLDS[:5]):
        would = label_sets.with_thresholds(probabilities, said, [at] * probabilities.shape[1])
        told["one_threshold"].append({"threshold": at, **label_sets.figures(gold, would)})
    for k, row in enumerate(told["per_label"][: probabilities.shape[1]]):
        best = label_sets.best_threshold(known[:, k], probabilities[:, k])
        row["best_threshold"], row["best_f1"] = (None, None) if best is None else (best.at, best.f1)
    would = label_sets.chosen_elsewhere(gold, said, probabilities)
    told["thresholds_of_the_other_half"] = label_sets.figures(gold, would)


def _positive(per_label: list[Report], wanted: str | None) -> Report:
    if wanted is None:
        return per_label[1]
    for row in per_label:
        if row["label"] == wanted:
            return row
    labels = ", ".join(repr(row["label"]) for row in per_label)
    raise ValueError(f"no label is called {wanted!r}; there are {labels}")
