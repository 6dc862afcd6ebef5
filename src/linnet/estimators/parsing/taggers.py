"""Taggers within a parser: parts of speech for words that come without.

A parser that is to work with predicted tags should learn from such: tags of the training sentences are
predicted by taggers that have not seen them (jackknifing).
"""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

import linnet._core as _core
from linnet.data import LabelColumn, Sequences
from linnet.data.sequences import UNSAID, is_blank, is_missing
from linnet.data.trees import Trees
from linnet.errors import DataError, TrainingWarning
from linnet.model import ChainModel

if TYPE_CHECKING:
    from linnet.estimators.tagging.tagger import Tagger

COLUMNS = ("upos", "xpos")  # that are predicted, where training data have them
Taggers = dict[str, Any]


def make_taggers(asked: Any, trees: Trees, settings: dict[str, Any]) -> Taggers:
    """Taggers by the column that they fill; those that are not fitted yet are to be.

    ``asked`` is 'auto', one `Tagger`, or a dict of them by column.
    """
    from linnet.estimators.tagging.tagger import Tagger

    there = [name for name in COLUMNS if name in trees.columns and not is_blank(trees.columns[name])]
    if isinstance(asked, Mapping):
        made = dict(asked)
    elif isinstance(asked, Tagger):
        made = {"upos": asked} if asked.__sklearn_is_fitted__() else dict.fromkeys(there, asked)
    elif asked == "auto":
        made = {name: Tagger("pos", **settings) for name in there}
    else:
        raise ValueError(f"tagger must be 'auto', None, a Tagger or a dict of them, not {asked!r}")
    if not made:
        raise DataError("a tagger is wanted, but the trees have no tags (upos) to learn from")
    for name, tagger in made.items():
        if not isinstance(tagger, Tagger):
            raise ValueError(f"tagger: for {name!r} there is {tagger!r}, which is no Tagger")
        if not tagger.__sklearn_is_fitted__() and name not in there:
            raise DataError(f"tagger: the trees have no column {name!r} to learn from")
    return made


def fit_taggers(
    taggers: Taggers, trees: Trees, folds: int, seed: int
) -> tuple[Taggers, dict[str, _core.Texts]]:
    """The taggers, fitted on all sentences, and columns of tags to learn to parse from."""
    fitted: Taggers = {}
    columns: dict[str, _core.Texts] = {}
    for name, tagger in taggers.items():
        ready = tagger.__sklearn_is_fitted__()
        gold = None if ready else _tagged(trees, name)
        fitted[name] = tagger if gold is None else _learnt(tagger, gold)
        if gold is not None and folds > 1 and len(trees) >= folds:
            columns[name] = _texts(_jackknifed(tagger, gold, folds, seed))
    return fitted, columns


def packed_taggers(taggers: Taggers, bits: int = 8) -> Taggers:
    """In a few bits; those that are so already, or have no chain of weights, stay as they are."""

    def packed(tagger: Any) -> Any:
        model = tagger.model_
        if not isinstance(model, ChainModel) or model.states.scales is not None:
            return tagger
        return tagger.quantize(bits)

    return {name: packed(tagger) for name, tagger in taggers.items()}


def _learnt(tagger: Tagger, gold: Sequences) -> Tagger:
    """A new one; an interrupt is meant for all of the training, and there is no parser to keep yet."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "training was interrupted", TrainingWarning)  # and kept: no
        fitted = tagger.__sklearn_clone__().fit(gold)
    if fitted.record_.interrupted:
        raise KeyboardInterrupt
    return fitted


def _jackknifed(tagger: Tagger, gold: Sequences, folds: int, seed: int) -> LabelColumn:
    """Each fold tagged by a tagger of all others."""
    fold = np.random.default_rng(seed).permutation(len(gold)) % folds
    assert gold.labels is not None
    names = gold.labels.names
    codes = np.zeros(gold.tokens, np.int32)
    for k in range(folds):
        inside, outside = np.flatnonzero(fold == k), np.flatnonzero(fold != k)
        found = _learnt(tagger, gold.take(outside)).tag(gold.take(inside))
        place = np.array([names.index(name) for name in found.names], np.int32)
        codes[_tokens_of(gold, inside)] = place[found.codes]
    return LabelColumn(names, codes)


def _tokens_of(sentences: Sequences, at: NDArray[np.int64]) -> NDArray[np.int64]:
    ranges = [np.arange(sentences.offsets[i], sentences.offsets[i + 1]) for i in at.tolist()]
    return np.concatenate([np.zeros(0, np.int64), *ranges])


def _words(trees: Trees) -> Sequences:
    return Sequences({"word": trees.columns["form"]}, trees.offsets, layout=("word",))


def _tagged(trees: Trees, name: str) -> Sequences:
    codes, names = trees.columns[name].codes()
    missing = is_missing(name, trees.columns[name])
    unsaid = names.index(UNSAID) if missing and UNSAID in names else -1
    order = sorted((n, k) for k, n in enumerate(names) if k != unsaid)
    table = np.full(len(names), -1, np.int32)
    table[[k for _, k in order]] = np.arange(len(order), dtype=np.int32)
    return replace(_words(trees), labels=LabelColumn([n for n, _ in order], table[codes]))


def _texts(column: LabelColumn) -> _core.Texts:
    return _core.Texts.from_list(column.names).take(column.codes.astype(np.int64))


def with_tags(trees: Trees, taggers: Taggers, always: bool = False) -> Trees:
    """Columns that are missing or ``_`` everywhere filled by their taggers."""
    wanted = [
        name for name in taggers if always or name not in trees.columns or is_blank(trees.columns[name])
    ]
    if not wanted:
        return trees
    words = _words(trees)
    return trees.with_columns(**{name: _texts(taggers[name].tag(words)) for name in wanted})
