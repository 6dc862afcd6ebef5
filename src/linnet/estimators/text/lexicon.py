"""Weights set by hand: a word list is a classifier, or the start of one."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np

import linnet._core as _core
from linnet._params import number
from linnet.data import as_texts
from linnet.data.label_names import check_label_types
from linnet.errors import DataError
from linnet.estimators.base import Labels
from linnet.estimators.linear.classifier import LinearClassifier
from linnet.features import TextFeatures
from linnet.model import LinearModel
from linnet.structures import Weights


def untrained(
    lexicon: Any, intercepts: Any, features: TextFeatures | None
) -> tuple[TextFeatures, LinearModel, Labels]:
    """Features that are the entries of the lexicon, and a model of its weights."""
    _check(lexicon)
    if len(lexicon) < 2:
        raise ValueError("lexicon must have two labels or more; one may have no entries: {}")
    classes = np.asarray(sorted(lexicon))
    entries = list(dict.fromkeys(gram for label in classes.tolist() for gram in lexicon[label]))
    if not entries:
        raise ValueError("lexicon has no entries: there is nothing to score by")
    texts = as_texts(entries, "lexicon")
    if features is None:
        features = TextFeatures(word=(1, 1), tf="count", scale="none", norm="none")
        features.fit_rows(texts)
        longest = max(len(features.analyzer.tokens(entry)) for entry in entries)
        features.word = (1, max(1, longest))
    features = type(features)(**features.get_params(deep=False))
    features.fit_rows(texts)
    weights = block(lexicon, features, classes, strict=True)
    if not isinstance(intercepts or {}, Mapping):
        raise ValueError(f"intercepts must be a dict, {{label: number}}, not {intercepts!r}")
    for label, value in (intercepts or {}).items():
        if label not in lexicon:
            raise ValueError(f"intercepts name {label!r}, which is not among the labels")
        _check_number(value, f"intercepts: that of {label!r}")
        _add(weights, 0, classes.tolist().index(label), float(value), len(classes))
    return features, LinearModel(weights, 1 if len(classes) == 2 else len(classes), 1.0), classes


def start(classifier: LinearClassifier, lexicon: Any, features: TextFeatures, classes: Labels) -> None:
    """Let training begin at the weights of the lexicon; entries that no text has are left out."""
    _check(lexicon)
    weights = block(lexicon, features, classes, strict=False)
    codes = np.arange(len(classes))
    width = 1 if len(classes) == 2 else len(classes)
    classifier.go_on_from(LinearModel(weights, width, classifier._bias), codes)


def block(lexicon: Any, features: TextFeatures, classes: Labels, strict: bool) -> Weights:
    """W[feature][label]; two labels share a column, the second counting up and the first down."""
    names = classes.tolist()
    unknown = sorted(set(lexicon) - set(names), key=str)
    if unknown:
        raise ValueError(f"lexicon names {unknown[0]!r}, which is not among the labels")
    width = 1 if len(names) == 2 else len(names)
    weights = np.zeros((features.n_features + 1, _core.padded(width)), dtype=np.float32)
    for label, entries in lexicon.items():
        for gram, weight in entries.items():
            feature = _feature(features, gram)
            if feature is not None:
                _add(weights, feature + 1, names.index(label), float(weight), len(names))
            elif strict:
                raise DataError(f"lexicon entry {gram!r} is no n-gram of these features")
    return weights


def _add(weights: Weights, row: int, label: int, value: float, labels: int) -> None:
    if labels == 2:
        weights[row, 0] += value if label == 1 else -value
    else:
        weights[row, label] += value


def _feature(features: TextFeatures, gram: str) -> int | None:
    """The feature that covers the whole of an entry."""
    for feature, begin, end, _, _ in features.occurrences(gram):
        if feature >= 0 and begin == 0 and end == len(gram):
            return feature
    return None


def _check(lexicon: Any) -> None:
    if not isinstance(lexicon, Mapping) or not all(isinstance(v, Mapping) for v in lexicon.values()):
        raise ValueError("lexicon must be a dict of dicts, {label: {n-gram: weight}}")
    check_label_types(list(lexicon))
    for entries in lexicon.values():
        for gram, weight in entries.items():
            if not isinstance(gram, str):
                raise ValueError(f"lexicon: an n-gram must be a str, not {gram!r}")
            _check_number(weight, f"lexicon: the weight of {gram!r}")


def _check_number(value: Any, name: str) -> None:
    if not math.isfinite(number(value)):
        raise ValueError(f"{name} must be a number, not {value!r}")
