"""Explanations of text models."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from linnet.data.texts import as_texts
from linnet.explain.explanation import UNITS, Explanation, Piece
from linnet.features import TextFeatures
from linnet.model import LinearModel


def explain(
    features: TextFeatures,
    model: LinearModel,
    classes: Sequence[Any],
    text: str | bytes,
    columns: Mapping[str, Any] | None = None,
    by: str = "word",
) -> Explanation:
    """The contribution of every word and n-gram of a text to every score, in float64.

    score[y] = bias · W[0, y] + Σ_j W[j + 1, y] x_j is a sum over features; one that occurs several
    times shares its term evenly among its occurrences. ``columns`` are what stands beside this one
    text, a value for each name. ``by`` is what is shown: 'word', where n-grams are gathered into the
    words they are made of, or 'feature'.
    """
    if by not in UNITS:
        raise ValueError(f"by must be 'word' or 'feature', not {by!r}")
    aligned = features.aligned(as_texts([text])[0])  # as the analyzer reads it
    width = model.width
    found = features.occurrences(aligned, columns)
    spans, made_of = features.words(aligned)
    made_of += [()] * (len(found) - len(made_of))  # what stands beside the text
    known = [(*occurrence, words) for occurrence, words in zip(found, made_of, strict=True)]
    known = [occurrence for occurrence in known if occurrence[0] >= 0]
    rows = np.array([j + 1 for j, *_ in known], dtype=np.intp)
    shares = np.array([share for *_, share, _ in known], dtype=np.float64)
    terms = shares[:, None] * model.chosen(rows).astype(np.float64)
    bias = float(model.bias) * model.chosen([0])[0].astype(np.float64)
    names = [str(label) for label in classes]
    binary = width == 1 and len(names) == 2
    return Explanation(
        text=aligned.shown,
        labels=names[1:] if binary else names,
        against=names[0] if binary else None,
        scores=bias + terms.sum(axis=0),
        bias=bias,
        pieces=[
            Piece(name, max(begin, 0), max(end, 0), term, words)
            for (_, begin, end, name, _, words), term in zip(known, terms, strict=True)
        ],
        unknown=len(found) - len(known),
        spans=spans,
        by=by,
    )
