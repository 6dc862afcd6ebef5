"""Taggers that come first: columns that words alone lack, such as parts of speech, are predicted.

A parser or tagger that is to work with predicted tags should learn from such: tags of the training
sentences are predicted by taggers that have not seen them (jackknifing).
"""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

import linnet._core as _core
from linnet._params import is_whole
from linnet.data import LabelColumn, Sequences
from linnet.data.sequences import UNSAID, is_blank, is_missing
from linnet.errors import DataError, TrainingWarning
from linnet.estimators.tagging.analysis import (
    FEATS,
    LEMMA,
    analyser,
    analyses_of,
    analysis_data,
    analysis_of,
    are_analyses,
    columns_of,
    lemma_data,
    seen_before,
    tagger_columns,
    texts_of,
)
from linnet.estimators.tagging.choice import choose_features
from linnet.features import TokenFeatures
from linnet.features.templates import Known
from linnet.model import ChainModel

if TYPE_CHECKING:
    from linnet.estimators.tagging.tagger import Tagger

Taggers = dict[str, Any]


def make_taggers(asked: Any, columns: Sequence[str], settings: dict[str, Any]) -> Taggers:
    """Taggers by the column that they fill; those that are not fitted yet are to be.

    ``asked`` is 'auto', one `Tagger`, or a dict of them by column; ``columns`` are there to learn from.
    """
    from linnet.estimators.tagging.tagger import Tagger

    if isinstance(asked, Mapping):
        made = dict(asked)
    elif isinstance(asked, Tagger):
        filled = (columns or ["upos"])[:1] if asked.__sklearn_is_fitted__() else columns
        made = dict.fromkeys(filled, asked)
    elif asked == "auto":  # nothing but tags is asked of them
        made = {name: Tagger("pos", diagnostics=False, **settings) for name in columns}
    else:
        raise ValueError(f"tagger must be 'auto', None, a Tagger or a dict of them, not {asked!r}")
    for name, tagger in made.items():
        if not isinstance(tagger, Tagger):
            raise ValueError(f"tagger: for {name!r} there is {tagger!r}, which is no Tagger")
        if not tagger.__sklearn_is_fitted__() and name not in columns:
            raise DataError(f"tagger: the data have no column {name!r} to learn from")
    return made


def lacking_columns(tagger: Tagger, data: Sequences, tags: Sequence[str]) -> list[str]:
    """What its features would look at beside words."""
    features = choose_features(tagger._own_features(), data, tags, [])
    word = Known(list(data.columns)).column("word")
    looked_at = features.looks_at(data) if isinstance(features, TokenFeatures) else []
    return [name for name in looked_at if name != word]


def check_folds(folds: Any) -> None:
    """Of jackknifing."""
    if not is_whole(folds, 0) or folds == 1:
        raise ValueError(f"jackknife must be 0 (no) or a number of folds from 2, not {folds!r}")


def fit_taggers(
    taggers: Taggers, data: Sequences, folds: int, seed: int
) -> tuple[Taggers, dict[str, _core.Texts]]:
    """The taggers, fitted on all sentences, and columns of tags to learn from."""
    fitted: Taggers = {}
    columns: dict[str, _core.Texts] = {}
    for name, tagger in taggers.items():
        ready = tagger.__sklearn_is_fitted__()
        gold = None if ready else _tagged(data, name)
        fitted[name] = tagger if gold is None else _learnt(tagger, gold)
        if gold is not None and folds > 1 and len(data) >= folds:
            columns[name] = texts_of(_jackknifed(tagger, gold, folds, seed))
    return fitted, columns


def packed_taggers(taggers: Taggers, bits: int = 8) -> Taggers:
    """In a few bits; those that are so already, or have no chain of weights, stay as they are."""

    def packed(tagger: Any) -> Any:
        model = tagger.model_
        if not isinstance(model, ChainModel) or model.states.scales is not None:
            return tagger
        return tagger.quantize(bits)

    return {name: packed(tagger) for name, tagger in taggers.items()}


def constrained(taggers: Taggers, allowed: Mapping[str, Mapping[str, Sequence[str]]]) -> Taggers:
    """Those of these columns give words no other values than a dictionary allows."""
    made = dict(taggers)
    for column, dictionary in allowed.items():
        if column not in taggers:
            raise DataError(f"dictionary: it has {column}, which the data do not show")
        tags = taggers[column].classes_.tolist()
        whole = column == FEATS and are_analyses(tags)
        known = {analysis_of(tag)[FEATS] for tag in tags} if whole else {*tags}
        for form, values in dictionary.items():
            if new := sorted({*values} - known):
                raise DataError(
                    f"dictionary of {form!r}: the data have no {column} {new[0]!r}; leave it out"
                )
        made[column] = taggers[column]._with_fitted().set_params(dictionary=dict(dictionary))
    if FEATS in taggers and are_analyses(taggers[FEATS].classes_.tolist()):
        listed = analyses_of(taggers[FEATS], allowed)
        made[FEATS] = taggers[FEATS]._with_fitted().set_params(dictionary=listed or None)
    return made


def _learnt(tagger: Tagger, gold: Sequences, **settings: Any) -> Tagger:
    """A new one; an interrupt is meant for all of the training, and there is nothing to keep yet."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "training was interrupted", TrainingWarning)  # and kept: no
        fitted = tagger.__sklearn_clone__().set_params(**settings).fit(gold)
    if fitted.record_.interrupted:
        raise KeyboardInterrupt
    return fitted


def _jackknifed(tagger: Tagger, gold: Sequences, folds: int, seed: int) -> LabelColumn:
    """Each fold tagged by a tagger of all others, of which nobody asks how well it did."""
    fold = np.random.default_rng(seed).permutation(len(gold)) % folds
    assert gold.labels is not None
    names = gold.labels.names
    codes = np.zeros(gold.tokens, np.int32)
    for k in range(folds):
        inside, outside = np.flatnonzero(fold == k), np.flatnonzero(fold != k)
        found = _learnt(tagger, gold.take(outside), diagnostics=False).tag(gold.take(inside))
        place = np.array([names.index(name) for name in found.names], np.int32)
        codes[_tokens_of(gold, inside)] = place[found.codes]
    return LabelColumn(names, codes)


def _tokens_of(sentences: Sequences, at: NDArray[np.int64]) -> NDArray[np.int64]:
    ranges = [np.arange(sentences.offsets[i], sentences.offsets[i + 1]) for i in at.tolist()]
    return np.concatenate([np.zeros(0, np.int64), *ranges])


def _words(data: Sequences, columns: Sequence[str] = ()) -> Sequences:
    """Words by themselves, or with these columns."""
    word = Known(list(data.columns)).column("word")
    if word is None:
        raise DataError("tagger: the tokens have attributes, and no words to tag")
    seen = {name: data.columns[name] for name in columns}
    return Sequences({"word": data.columns[word], **seen}, data.offsets, layout=("word", *seen))


def _tagged(data: Sequences, name: str, columns: Sequence[str] = ()) -> Sequences:
    codes, names = data.columns[name].codes()
    missing = is_missing(name, data.columns[name])
    unsaid = names.index(UNSAID) if missing and UNSAID in names else -1
    order = sorted((n, k) for k, n in enumerate(names) if k != unsaid)
    table = np.full(len(names), -1, np.int32)
    table[[k for _, k in order]] = np.arange(len(order), dtype=np.int32)
    return replace(_words(data, columns), labels=LabelColumn([n for n, _ in order], table[codes]))


def fit_analysers(
    names: Sequence[str],
    data: Sequences,
    settings: dict[str, Any],
    predicted: Sequence[str],
    folds: Mapping[str, _core.Texts],
) -> Taggers:
    """Taggers of features and lemmas. The first look at tags that were predicted in folds, if any were:
    they are to find better ones. The others look at those of the data.
    """
    fitted: Taggers = {}
    for name in names:
        seen = seen_before(name, [*predicted, *fitted])
        if name == LEMMA:
            gold = lemma_data(data, seen)
        else:
            guessed = _words(replace(data, columns=data.columns | dict(folds)), seen)
            gold = analysis_data(data, guessed, seen) or _tagged(data, name, seen)
        fitted[name] = _learnt(analyser(name, seen, settings), gold)
    return fitted


def with_tags(data: Sequences, taggers: Mapping[str, Any], always: bool = False) -> Sequences:
    """Columns that are missing or ``_`` everywhere filled by their taggers."""
    wanted = [
        name for name in taggers if always or name not in data.columns or is_blank(data.columns[name])
    ]
    if not wanted:
        return data
    given = [name for name in data.columns if name not in wanted]
    for name in wanted:
        seen = [column for column in tagger_columns(taggers[name]) if column in data.columns]
        found = columns_of(taggers[name], name, _words(data, seen), given)
        data = replace(data, columns=data.columns | found)
    return data
