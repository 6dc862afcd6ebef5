"""Taggers by segments: every summand of the score of a sentence's spans, and the largest weights."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from typing import Any

import numpy as np

from linnet.data import Sequences
from linnet.explain.feature_names import names_in
from linnet.explain.tag_explanation import TagExplanation, Term, TokenExplanation
from linnet.explain.tag_weights import Extremes, TagWeights, extremes, row_names
from linnet.explain.tags import Weighted, features_of, words_of
from linnet.model import SegmentModel


def explain_segments(
    features: Any, model: SegmentModel, sentences: Sequences, *, probabilities: bool = True
) -> list[TagExplanation]:
    """What every feature, length and transition adds to the best spans of each sentence.

    A feature of the last token of a span counts with both of its weights. The transition into a
    span is told at its first token, the length at its last. No tag comes second: a span changes as
    a whole.
    """
    rows, offsets, shape = features.rows(sentences), sentences.offsets, model.shape
    places, _ = model.best(rows, offsets)
    codes = shape.read_places(places, offsets).tolist()
    shares = model.marginals(rows, offsets)[0] if probabilities else None
    names, words = names_in(features, sentences), words_of(sentences)
    found = []
    for begin, end in pairwise(offsets.tolist()):
        terms = _sentence_terms(model, codes[begin:end])
        tokens = [
            TokenExplanation(
                token=words[t],
                tag=shape.tags[places[t]],
                probability=None if shares is None else float(shares[t, places[t]]),
                runner_up=None,
                margin=None,
                terms=[
                    *_feature_terms(features_of(model.states, rows, t, names, model.bias), columns),
                    *tied,
                ],
                onward=[],
            )
            for t, (columns, tied) in zip(range(begin, end), terms, strict=True)
        ]
        found.append(TagExplanation(tokens, sum(token.score for token in tokens)))
    return found


def _feature_terms(weighted: Iterator[Weighted], columns: list[int]) -> Iterator[Term]:
    for name, value, row in weighted:
        yield Term("feature", name, value, sum(row.get(c, 0.0) for c in columns), 0.0)


def _sentence_terms(model: SegmentModel, codes: list[int]) -> Iterator[tuple[list[int], list[Term]]]:
    """Of each token the columns that its features count in, and what else it adds."""
    K, types = model.shape.n_types, ["O", *model.shape.types]
    before, size = 0, 0
    for t, code in enumerate(codes):
        y, first = (code - K, False) if code > K else (code, True)
        columns, tied = [code], []
        if first and t > 0:
            weight = float(model.transitions[before, y])
            tied.append(Term("transition", f"{types[before]} → {types[y]}", 1.0, weight, 0.0))
        size = 1 if first else size + 1
        if y > 0 and (t + 1 == len(codes) or codes[t + 1] <= K):
            d = min(size, model.shape.lengths)
            columns.append(2 * K + y)
            weight = float(model.lengths[d - 1, y - 1])
            tied.append(Term("length", length_name(model, d, y), 1.0, weight, 0.0))
        before = y
        yield columns, tied


def length_name(model: SegmentModel, d: int, y: int) -> str:
    """Of the weight of spans of type y = 1 … with d tokens."""
    open_ended = d == model.shape.lengths and d != model.shape.longest
    return f"{model.shape.types[y - 1]} of {d}{' or more' if open_ended else ''} token{'s'[: d > 1]}"


def segment_weights(features: Any, model: SegmentModel, top: int = 10) -> TagWeights:
    """The ``top`` weights from above and from below: of places in spans, transitions and lengths."""
    if isinstance(top, bool) or top < 1:
        raise ValueError(f"top must be at least 1, not {top!r}")
    shape, states, name = model.shape, model.states, row_names(features)
    rows, reals, types = states.rows, states.reals, ["O", *shape.types]
    places = ["O", *(f"{kind} of {y}" for kind in ("first", "inside", "last") for y in shape.types)]
    found = {}
    for column, place in enumerate(places):
        at = np.flatnonzero(states.labels == column)
        found[place] = extremes(reals[at], top, lambda k, at=at: name(int(rows[at[k]])))
    moves = [f"{a} → {b}" for a in types for b in types]
    lengths = [
        length_name(model, d + 1, y + 1) for d in range(shape.lengths) for y in range(shape.n_types)
    ]
    tied = np.concatenate([model.transitions.ravel(), model.lengths.ravel()])
    counts = {
        "tags": model.n_labels,
        "features": states.features,
        "weights of features": int(np.count_nonzero(reals)),
        "of transitions": int(np.count_nonzero(model.transitions)),
        "of lengths": int(np.count_nonzero(model.lengths)),
    }
    both = [*moves, *lengths]
    return TagWeights(
        found, extremes(tied, top, lambda k: both[k]), Extremes([], []), None, None, counts
    )
