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
    LEMMA,
    analyser,
    analyses_of,
    analysis_data,
    analysis_of,
    columns_of,
    filled_columns,
    lemma_data,
    seen_before,
    tagger_columns,
    texts_of,
    whole_columns,
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
    taggers: Taggers, data: Sequences, folds: int, seed: int, for_tags: bool = False
) -> tuple[Taggers, dict[str, _core.Texts]]:
    """The taggers, fitted on all sentences, and columns of tags to learn from.

    ``for_tags``: nobody will ask what their features are called.
    """
    fitted: Taggers = {}
    columns: dict[str, _core.Texts] = {}
    for name, tagger in taggers.items():
        ready = tagger.__sklearn_is_fitted__()
        gold = None if ready else _tagged(data, name)
        fitted[name] = tagger if gold is None else _learnt(tagger, gold, for_tags)
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
    whole = {name: columns for name in taggers if (columns := whole_columns(taggers[name]))}
    for column, dictionary in allowed.items():
        known: set[str] = set()
        for name, tagger in taggers.items():
            if column in whole.get(name, ()):
                known = {analysis_of(tag)[column] for tag in tagger.classes_.tolist()}
            elif column == name:
                known |= {*tagger.classes_.tolist()}
        if not known:
            raise DataError(f"dictionary: it has {column}, which the data do not show")
        for form, values in dictionary.items():
            if new := sorted({*values} - known):
                raise DataError(
                    f"dictionary of {form!r}: the data have no {column} {new[0]!r}; leave it out"
                )
        if column in taggers and column not in whole:
            made[column] = taggers[column]._with_fitted().set_params(dictionary=dict(dictionary))
    for name in whole:
        listed = analyses_of(taggers[name], allowed)
        made[name] = taggers[name]._with_fitted().set_params(dictionary=listed or None)
    return made


def _learnt(tagger: Tagger, gold: Sequences, for_tags: bool = False, **settings: Any) -> Tagger:
    """A new one; an interrupt is meant for all of the training, and there is nothing to keep yet."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "training was interrupted", TrainingWarning)  # and kept: no
        blank = tagger.__sklearn_clone__().set_params(**settings)
        fitted = blank.fit_for_tags(gold) if for_tags else blank.fit(gold)
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
        fitted = _learnt(tagger, gold.take(outside), for_tags=True, diagnostics=False)
        found = fitted.tag(gold.take(inside))
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
    """Taggers of lemmas, and of tags and features, which are whole analyses by one of them.

    That one looks at tags that were predicted in folds, if any were: it is to find better ones. The
    others look at those of the data.
    """
    fitted: Taggers = {}
    together = [name for name in names if name != LEMMA]
    for name in names:
        if name in together[:-1]:  # said by the last one, unless it cannot
            continue
        seen = seen_before(name, [*predicted, *together, *fitted])
        if name == LEMMA:
            gold = lemma_data(data, seen)
            fitted[name] = _learnt(analyser(name, seen, settings), gold, for_tags=True)
            continue
        seen = [column for column in seen if column in predicted]
        guessed = _words(replace(data, columns=data.columns | dict(folds)), seen)
        whole = analysis_data(data, guessed, [*predicted, *together])
        apart = {name: whole} if whole else {each: _tagged(data, each, seen) for each in together}
        for each, gold in apart.items():
            fitted[each] = _learnt(analyser(each, seen, settings), gold, for_tags=True)
    return fitted


def with_tags(data: Sequences, taggers: Mapping[str, Any], always: bool = False) -> Sequences:
    """Columns that are missing or ``_`` everywhere filled by their taggers."""
    columns = {name: filled_columns(name, taggers) for name in taggers}
    lacking = [
        column
        for filled in columns.values()
        for column in filled
        if always or column not in data.columns or is_blank(data.columns[column])
    ]
    if not lacking:
        return data
    given = [name for name in data.columns if name not in lacking]
    for name, filled in columns.items():
        if not {*filled} & {*lacking}:
            continue
        asked = [*tagger_columns(taggers[name]), *whole_columns(taggers[name])]
        seen = [column for column in dict.fromkeys(asked) if column in data.columns]
        found = columns_of(taggers[name], name, _words(data, seen), given)
        data = replace(data, columns=data.columns | found)
    return data
