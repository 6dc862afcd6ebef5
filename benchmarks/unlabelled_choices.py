"""Texts without labels: gains on held-out parts of training files, also where they are least.

A mean gain hides whom it is paid by, and texts to come may be more of that kind. So held-out texts are
cut into slices that need no knowledge of the corpus: the shortest and the longest quarter, the quarters
with most and with fewest words that labelled texts have, and the labels if they are few.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import one_thread  # noqa: F401

import numpy as np  # isort: skip
from corpora import data_folder, read
from measure import table
from unlabelled import CORPORA, drawn

from linnet import TextClassifier, TextFeatures

FEW = (5, 20)  # labelled texts of each label
TOKEN = re.compile(r"\w+|[^\w\s]")
MOST = {"imdb": 10_000}  # texts of a corpus; a quarter of them is held out
ALONE, DEFAULT, COMMON = "labels alone", "`joint`", "without n-grams of one text"
ADDED, VECTORS = "scores of `joint` and labels alone, added", "`vectors`"
VARIANTS = (DEFAULT, COMMON, ADDED, VECTORS)
Scores = dict[str, np.ndarray]  # of held-out texts, by variant, (texts, labels)
Gains = dict[str, tuple[float, float, float]]  # by variant


def unlabelled(_folder: Path, repeats: int) -> str:
    """For each corpus and number of labels: gains of all / of the shortest / of the worst slice."""
    rows = []
    for corpus in CORPORA:
        for per_label in FEW:
            draws = [gains(corpus, per_label, seed) for seed in range(repeats)]
            rows.append([f"{corpus}, {per_label} a label", *summary(draws)])
            print(" | ".join(rows[-1]), flush=True)
    return table(["labelled", *VARIANTS], rows)


def summary(draws: list[Gains]) -> list[str]:
    """Means over draws, a cell for each variant."""
    found = []
    for name in VARIANTS:
        means = np.mean([draw[name] for draw in draws], axis=0) if name in draws[0] else []
        found.append(" / ".join(f"{value:+.1f}" for value in means))
    return found


def gains(corpus: str, per_label: int, seed: int) -> Gains:
    """In points, beside the labels alone: of all, of the shortest quarter, of the worst slice."""
    labels, texts = (np.array(c, object) for c in read(data_folder() / corpus / "train.tsv"))
    order = np.random.default_rng(1000 + seed).permutation(len(texts))[: MOST.get(corpus)]
    held, pool = order[: len(order) // 4], order[len(order) // 4 :]
    chosen = drawn(list(labels[pool]), per_label, seed)
    given, others = pool[chosen], np.delete(pool, chosen)
    scores = variants(texts[given], labels[given], texts[others], texts[held])
    gold = np.unique(labels[given]).searchsorted(labels[held])
    right = {name: said.argmax(axis=1) == gold for name, said in scores.items()}
    alone = right.pop(ALONE)
    parts = slices(list(texts[held]), gold, list(texts[given]))

    def of(found: np.ndarray) -> tuple[float, float, float]:
        gain = {name: 100 * (found[at].mean() - alone[at].mean()) for name, at in parts.items()}
        return gain.pop("all"), gain["shortest"], min(gain.values())

    return {name: of(found) for name, found in right.items()}


def variants(given: Any, labels: Any, others: Any, held: Any) -> Scores:
    """What each variant says of the texts that were held out."""

    def scores(model: TextClassifier) -> np.ndarray:
        found = np.asarray(model.decision_function(held))
        return np.column_stack([-found, found]) if found.ndim == 1 else found

    def fitted(**settings: Any) -> TextClassifier:
        model = TextClassifier(calibration=None, n_jobs=1, **settings)
        return model.fit(given, labels, unlabeled=others)

    alone = scores(TextClassifier(calibration=None, n_jobs=1).fit(given, labels))
    joint = fitted(unlabeled_method="joint")
    features = joint.choice_.features.get_params()
    said = {ALONE: alone, DEFAULT: scores(joint)}
    if features["min_df"] == 1:
        rare = TextFeatures(**features | {"min_df": 2})
        said[COMMON] = scores(fitted(unlabeled_method="joint", features=rare))
    said[ADDED] = alone + said[DEFAULT]
    said[VECTORS] = scores(fitted(unlabeled_method="vectors"))
    return said


def slices(texts: list[str], gold: np.ndarray, given: list[str]) -> dict[str, np.ndarray]:
    """Which texts are in each slice; a slice has 20 texts or more."""
    words = [TOKEN.findall(text.lower()) for text in texts]
    seen = {word for text in given for word in TOKEN.findall(text.lower())}
    known = np.array([np.mean([word in seen for word in own] or [1]) for own in words])
    lengths = np.array([len(text) for text in texts])
    found = {
        "all": np.ones(len(texts), bool),
        "shortest": lengths <= np.quantile(lengths, 0.25),
        "longest": lengths >= np.quantile(lengths, 0.75),
        "known": known >= np.quantile(known, 0.75),
        "unknown": known <= np.quantile(known, 0.25),
    }
    if gold.max() < 10:
        found |= {f"label {k}": gold == k for k in range(gold.max() + 1)}
    return {name: at for name, at in found.items() if at.sum() >= 20}
