"""Taggers with sentences that have no tags: classes of words, self-training, entropy regularisation."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

from linnet._params import number
from linnet.data import Sequences
from linnet.data.examples import LabelColumn
from linnet.data.joined_sentences import join_sentences
from linnet.data.sequences import MISSING
from linnet.errors import DataError, RefusedError, setting
from linnet.estimators.tagging.choice import SMALL, choose_features
from linnet.estimators.tagging.fitted import read_sentences
from linnet.features import TokenFeatures
from linnet.features.crfpp import is_crfpp
from linnet.learners.unlabelled import EntropyRegularised, WordClasses, exchange_classes
from linnet.losses import LOSSES

if TYPE_CHECKING:
    from linnet.estimators.tagging.tagger import Tagger

METHODS = ("auto", "classes", "self", "entropy")
CLASSES = 100
LEXICON = "induced"  # its name in templates
TEMPLATES = [f"{LEXICON}[-2..2]", f"{LEXICON}[-1] {LEXICON}[0]", f"{LEXICON}[0] {LEXICON}[1]"]
FOLDS = 3
ITERATIONS = 100  # of L-BFGS, with entropies
CERTAIN = 0.5  # share of sentences that are learnt from


def fit_unlabelled(
    model: Tagger,
    data: Sequences,
    sample_weight: Any,
    unlabeled: Any,
    method: str,
    each: float | None = None,
) -> None:
    """Fits with sentences without tags, or without them if these do not help; ``why_`` says which."""
    if method not in METHODS:
        raise ValueError(f"unlabeled_method must be one of {METHODS}, not {method!r}")
    if each is not None and method not in TEACHING:
        raise ValueError(
            f"unlabeled_weight has no effect: unlabeled_method={method!r} weighs no sentences; those "
            f"that do are {', '.join(TEACHING)}"
        )
    if each is not None and not 0 < number(each) < np.inf:
        raise ValueError(f"unlabeled_weight must be a positive number or None, not {each!r:.60}")
    for name in ("warm_start", "segments"):
        if getattr(model, name):
            raise RefusedError(
                f"{setting(name)} does not go with {setting('unlabeled')}: leave out one"
            )
    if data.labels is None:
        raise DataError("y is missing: sentences with tags are needed beside those without")
    more = read_unlabelled(unlabeled)
    weights = model._sentence_weights(data, sample_weight)
    if method in TEACHING:
        teach, usual = TEACHING[method]
        teach(model, data, weights, more, usual if each is None else float(each))
        _tell(model, data, f"unlabeled: {len(more):,} sentences, by {method!r}, as given")
        return
    found = _classes(data, more)
    changed = _features(model, data, found)
    why = f"unlabeled: {len(more):,} sentences, {found.size} classes of words"
    if method == "auto":
        found_out = _held_out(model, data, weights, changed)
        told, gains = "there is no second sentence with tags to try it on", False
        if found_out is not None:
            plain, other, spread = found_out
            gains = other - plain > spread
            told = (
                f"accuracy on held-out tokens {100 * plain:.2f} % without and {100 * other:.2f} % with "
                f"them"
            )
        if not gains:
            model._fit(data, weights, None)
            _tell(model, data, f"unlabeled: {len(more):,} sentences are not used: {told}")
            return
        why += f": {told}"
    _adopt(model, _clone(model, changed)._fit(data, weights, None))
    _tell(model, data, why)


def read_unlabelled(unlabeled: Any) -> Sequences:
    """Sentences whose tags, if there are some, are not looked at."""
    try:
        more = replace(read_sentences(unlabeled), labels=None, weights=None)
    except DataError as error:
        raise DataError(f"unlabeled: {error}") from None
    if not more.tokens:
        raise DataError("unlabeled is empty: give sentences, or leave it out")
    return more


def _classes(data: Sequences, more: Sequences) -> WordClasses:
    """Of the words of all sentences."""
    word = word_column(data, more)
    return exchange_classes([*_words(data, word), *_words(more, word)], CLASSES)


def word_column(data: Sequences, more: Sequences) -> str:
    """The column of words that both have."""
    for word in ("word", "form", "token"):
        if word in data.columns and word in more.columns:
            return word
    raise DataError("unlabeled: classes are of words, and there is no such column in both")


def _words(data: Sequences, name: str) -> list[list[str]]:
    column, ends = data.columns[name], data.offsets.tolist()
    return [[column[i].lower() for i in range(*ends_)] for ends_ in pairwise(ends)]


def _features(model: Tagger, data: Sequences, found: WordClasses) -> TokenFeatures:
    """The usual templates, and those of classes of words; a word that has none has no such feature."""
    chosen = usual_templates(model, data)
    names = {w: f"c{k}" for w, k in found.numbers.items() if w and not w.isspace() and " " not in w}
    given: dict[str, Any] = chosen.get_params(deep=False)
    given["templates"] = [*chosen._lines(), *TEMPLATES]
    given["lexicons"] = {**(chosen.lexicons or {}), LEXICON: names}
    return TokenFeatures(**given)


def usual_templates(model: Tagger, data: Sequences) -> TokenFeatures:
    """Those of the tagger, if classes of words can stand beside them."""
    chosen = choose_features(model._own_features(), data, model._tags_of(data), [])
    if not isinstance(chosen, TokenFeatures):
        raise RefusedError(
            f"{setting('unlabeled')}: classes of words are features, and this tagger looks at words "
            f"alone; use unlabeled_method='self', or give such sentences tags of None, which are "
            f"summed out"
        )
    if is_crfpp(chosen._lines()):
        raise RefusedError(
            f"{setting('unlabeled')}: templates of CRF++ know no classes of words; use others"
        )
    return chosen


def _held_out(
    model: Tagger, data: Sequences, weights: Any, changed: TokenFeatures
) -> tuple[float, float, float] | None:
    """Accuracy of tokens in folds of sentences without and with classes, and the error of the gain.

    Tokens without a tag do not count; None: there is nothing to hold out.
    """
    order = np.random.default_rng(0).permutation(len(data)) % FOLDS
    gains, right, tokens = [], np.zeros(2), 0
    for fold in range(min(FOLDS, len(data)) if len(data) > 1 else 0):
        kept, held = np.flatnonzero(order != fold), np.flatnonzero(order == fold)
        part, rest = data.take(kept), data.take(held)
        assert part.labels is not None
        assert rest.labels is not None
        if (part.labels.codes == MISSING).all() or (rest.labels.codes == MISSING).all():
            continue
        gold = np.asarray([*rest.labels.names, None], dtype=object)[rest.labels.codes]
        starts = rest.offsets[:-1][np.diff(rest.offsets) > 0]
        each: list[Any] = []
        for features in (None, changed):
            tagged = _clone(model, features)._fit(part, weights[kept], None).tag(rest)
            same = np.asarray(tagged.names, dtype=object)[tagged.codes] == gold
            right[len(each)] += same.sum()
            each.append(np.add.reduceat(same.astype(np.float64), starts))
        tokens += int((rest.labels.codes != MISSING).sum())
        gains.append(each[1] - each[0])
    if not tokens:
        return None
    difference = np.concatenate(gains)
    error = float(difference.std() * np.sqrt(len(difference)) / tokens)
    return float(right[0] / tokens), float(right[1] / tokens), error


def _self_train(model: Tagger, data: Sequences, weights: Any, more: Sequences, each: float) -> None:
    """Learns from the half of the sentences whose tags are most probable, token by token."""
    first = _clone(model, None)._fit(data, weights, None)
    if not LOSSES[first.loss_].probability_scale:
        raise RefusedError(
            f"unlabeled_method='self' goes by probabilities, and scores of loss {first.loss_!r} are "
            f"margins; use loss='logistic'"
        )
    tagged = replace(more, labels=first.tag(more))
    sure = first.sequence_log_proba(tagged) / np.maximum(np.diff(more.offsets), 1)
    kept = np.sort(np.argsort(-sure, kind="stable")[: max(1, int(CERTAIN * len(more)))])
    counted = np.concatenate([weights, np.full(len(kept), each)])
    model._fit(_joined(data, tagged.take(kept)), counted, None)


def _regularise(model: Tagger, data: Sequences, weights: Any, more: Sequences, each: float) -> None:
    """A conditional random field that wants to be certain of the other sentences."""
    asked = {"loss": ("auto", "logistic"), "learner": ("auto",), "penalty": ("auto", "l2"),
             "normalisation": ("global",), "average": ("auto", False), "tagger": (None,)}  # fmt: skip
    for name, usual in asked.items():
        if getattr(model, name) not in usual:
            raise ValueError(
                f"{name} has no effect: unlabeled_method='entropy' is a loss and a learner itself"
            )
    if model.constrain_training:
        raise RefusedError(
            f"{setting('constrain_training')} does not go with unlabeled_method='entropy': leave it out"
        )
    known = weights > 0
    data, weights = data.take(np.flatnonzero(known)), weights[known]
    untagged = replace(more, labels=LabelColumn([], np.full(more.tokens, MISSING, dtype=np.int32)))
    one = _clone(model, None).set_params(
        loss="logistic",
        learner=EntropyRegularised(len(data), each),
        penalty="l2",
        max_iter=ITERATIONS if model.max_iter is None else model.max_iter,
        prune=SMALL if model.prune == "auto" else model.prune,
        diagnostics=False,
    )
    one._fit(_joined(data, untagged), np.concatenate([weights, np.ones(len(more))]), None)
    _adopt(model, one)


TEACHING = {"self": (_self_train, 0.3), "entropy": (_regularise, 0.03)}  # what one sentence counts


def _joined(data: Sequences, lessons: Sequences) -> Sequences:
    """Sentences of both, by the columns of those with tags."""
    check_columns(data, lessons)
    return join_sentences(
        [
            Sequences({name: part.columns[name] for name in data.columns}, part.offsets, part.labels)
            for part in (data, lessons)
        ]
    )


def check_columns(data: Sequences, more: Sequences) -> None:
    """Sentences without tags have the columns of those with tags."""
    if data.attributes is not None or not set(data.columns) <= set(more.columns):
        raise DataError("unlabeled: columns must be the same in sentences with tags and without")


def _clone(model: Tagger, features: TokenFeatures | None) -> Tagger:
    one: Tagger = model.__sklearn_clone__()
    return one if features is None else one.set_params(features=features)


def _adopt(model: Tagger, other: Tagger) -> None:
    """What the other has learnt; the settings stay as they are."""
    learnt = {
        name: value for name, value in vars(other).items() if name not in other.get_params(deep=False)
    }
    model.__dict__.update(learnt)


def _tell(model: Tagger, data: Sequences, why: str) -> None:
    """What was done, and how much had tags."""
    model.choice_.why.append(why)
    model.record_.data |= {"sentences": len(data), "tokens": data.tokens}
