"""Taggers with sentences that have no tags: classes of words as features, or self-training."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

from linnet.data import Sequences
from linnet.data.joined_sentences import join_sentences
from linnet.errors import DataError, RefusedError, setting
from linnet.estimators.tagging.choice import choose_features
from linnet.estimators.tagging.fitted import read_sentences
from linnet.features import TokenFeatures
from linnet.features.crfpp import is_crfpp
from linnet.learners.unlabelled import WordClasses, exchange_classes

if TYPE_CHECKING:
    from linnet.estimators.tagging.tagger import Tagger

METHODS = ("auto", "classes", "self")
CLASSES = 100
LEXICON = "induced"  # its name in templates
TEMPLATES = [f"{LEXICON}[-2..2]", f"{LEXICON}[-1] {LEXICON}[0]", f"{LEXICON}[0] {LEXICON}[1]"]
FOLDS = 3
CERTAIN, COUNTS = 0.5, 0.3  # share of sentences that are learnt from, and how much one counts


def fit_unlabelled(
    model: Tagger, data: Sequences, sample_weight: Any, unlabeled: Any, method: str
) -> None:
    """Fits with sentences without tags, or without them if these do not help; ``why_`` says which."""
    if method not in METHODS:
        raise ValueError(f"unlabeled_method must be one of {METHODS}, not {method!r}")
    for name in ("warm_start", "segments"):
        if getattr(model, name):
            raise RefusedError(
                f"{setting(name)} does not go with {setting('unlabeled')}: leave out one"
            )
    if data.labels is None:
        raise DataError("y is missing: sentences with tags are needed beside those without")
    more = replace(read_sentences(unlabeled), labels=None, weights=None)
    if not more.tokens:
        raise DataError("unlabeled is empty: give sentences, or leave it out")
    weights = model._sentence_weights(data, sample_weight)
    if method == "self":
        _self_train(model, data, weights, more)
        _tell(model, f"unlabeled: {len(more):,} sentences, by 'self', as given")
        return
    found = _classes(data, more)
    changed = _features(model, data, found)
    why = f"unlabeled: {len(more):,} sentences, {found.size} classes of words"
    if method == "auto":
        plain, other, error = _held_out(model, data, weights, changed)
        told = (
            f"accuracy on held-out tokens {100 * plain:.2f} % without and {100 * other:.2f} % with them"
        )
        if other - plain <= error:
            model._fit(data, weights, None)
            _tell(model, f"unlabeled: {len(more):,} sentences are not used: {told}")
            return
        why += f": {told}"
    _adopt(model, _clone(model, changed)._fit(data, weights, None))
    _tell(model, why)


def _classes(data: Sequences, more: Sequences) -> WordClasses:
    """Of the words of all sentences."""
    for word in ("word", "form", "token"):
        if word in data.columns and word in more.columns:
            return exchange_classes([*_words(data, word), *_words(more, word)], CLASSES)
    raise DataError("unlabeled: classes are of words, and there is no such column in both")


def _words(data: Sequences, name: str) -> list[list[str]]:
    column, ends = data.columns[name], data.offsets.tolist()
    return [[column[i].lower() for i in range(*ends_)] for ends_ in pairwise(ends)]


def _features(model: Tagger, data: Sequences, found: WordClasses) -> TokenFeatures:
    """The usual templates, and those of classes of words; a word that has none has no such feature."""
    chosen = choose_features(model._own_features(), data, model._tags_of(data), [])
    lines = chosen._lines()
    if is_crfpp(lines):
        raise RefusedError(
            f"{setting('unlabeled')}: templates of CRF++ know no classes of words; use others"
        )
    names = {w: f"c{k}" for w, k in found.numbers.items() if w and not w.isspace() and " " not in w}
    given: dict[str, Any] = chosen.get_params(deep=False)
    given["templates"] = [*lines, *TEMPLATES]
    given["lexicons"] = {**(chosen.lexicons or {}), LEXICON: names}
    return TokenFeatures(**given)


def _held_out(
    model: Tagger, data: Sequences, weights: Any, changed: TokenFeatures
) -> tuple[float, float, float]:
    """Accuracy of tokens in folds of sentences without and with classes, and the error of the gain."""
    order = np.random.default_rng(0).permutation(len(data)) % FOLDS
    gains, right, tokens = [], np.zeros(2), 0
    for fold in range(FOLDS if len(data) >= FOLDS else 0):
        kept, held = np.flatnonzero(order != fold), np.flatnonzero(order == fold)
        part, rest = data.take(kept), data.take(held)
        assert rest.labels is not None
        gold = np.asarray([*rest.labels.names, None], dtype=object)[rest.labels.codes]
        starts = rest.offsets[:-1][np.diff(rest.offsets) > 0]
        each: list[Any] = []
        for features in (None, changed):
            tagged = _clone(model, features)._fit(part, weights[kept], None).tag(rest)
            same = np.asarray(tagged.names, dtype=object)[tagged.codes] == gold
            right[len(each)] += same.sum()
            each.append(np.add.reduceat(same.astype(np.float64), starts))
        tokens += rest.tokens
        gains.append(each[1] - each[0])
    if not tokens:
        return 0.0, 0.0, 1.0
    difference = np.concatenate(gains)
    error = float(difference.std() * np.sqrt(len(difference)) / tokens)
    return float(right[0] / tokens), float(right[1] / tokens), error


def _self_train(model: Tagger, data: Sequences, weights: Any, more: Sequences) -> None:
    """Learns from the half of the sentences whose tags are most probable, token by token."""
    first = _clone(model, None)._fit(data, weights, None)
    tagged = replace(more, labels=first.tag(more))
    sure = first.sequence_log_proba(tagged) / np.maximum(np.diff(more.offsets), 1)
    kept = np.sort(np.argsort(-sure, kind="stable")[: max(1, int(CERTAIN * len(more)))])
    lessons = tagged.take(kept)
    if data.attributes is not None or not set(data.columns) <= set(lessons.columns):
        raise DataError(
            "unlabeled: self-training is for sentences of columns, the same with tags and without"
        )
    parts = [
        Sequences({name: part.columns[name] for name in data.columns}, part.offsets, part.labels)
        for part in (data, lessons)
    ]
    counted = np.concatenate([weights, np.full(len(kept), COUNTS)])
    model._fit(join_sentences(parts), counted, None)


def _clone(model: Tagger, features: TokenFeatures | None) -> Tagger:
    one: Tagger = model.__sklearn_clone__()
    return one if features is None else one.set_params(features=features)


def _adopt(model: Tagger, other: Tagger) -> None:
    """What the other has learnt; the settings stay as they are."""
    learnt = {
        name: value for name, value in vars(other).items() if name not in other.get_params(deep=False)
    }
    model.__dict__.update(learnt)


def _tell(model: Tagger, why: str) -> None:
    model.choice_.why.append(why)
