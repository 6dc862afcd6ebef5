"""Weights of spans in a byte each: what they are rounded to, and candidates that go by them."""

from dataclasses import replace

import numpy as np
import pytest

import linnet._core as _core
from linnet.features.spans import SpanFeatures
from linnet.model.brackets import BracketModel

from .. import phrase_bank

CHAINS = [("S",), ("NP",), ("VP",), ("PP",), ("S", "VP")]


@pytest.mark.parametrize("labels", [1, 3, 56, 64, 65, 130])
def test_weights_are_whole_steps_of_their_label(labels: int) -> None:
    stride = _core.padded(labels)
    rng = np.random.default_rng(labels)
    weights = rng.normal(size=(40, stride)).astype(np.float32) * rng.uniform(0, 2, stride)
    weights = weights.astype(np.float32)
    weights[:, -1] = 0
    rounded = _core.ByteRows(weights.reshape(-1), stride)
    found = np.array([[rounded.weight(f, y) for y in range(stride)] for f in range(40)])
    step = np.abs(weights).max(axis=0) / 127
    assert (np.abs(found - weights) <= 0.5 * step * (1 + 1e-4)).all()
    np.testing.assert_allclose(np.abs(found).max(axis=0), np.abs(weights).max(axis=0), rtol=1e-6)


def test_sizes_are_checked() -> None:
    with pytest.raises(ValueError, match="for each label and feature"):
        _core.ByteRows(np.zeros(7, np.float32), 3)
    with pytest.raises(ValueError, match="for each label and feature"):
        _core.ByteRows(np.zeros(6, np.float32), 0)


def test_candidates_are_those_of_the_rounded_weights() -> None:
    """More templates than sums of 16 bits can hold, and the same by weights that are rounded before."""
    trees = phrase_bank.trees(40, seed=3)
    ends = [
        f"{end}.{what}[{k:+d}]"
        for end in ("first", "last")
        for what in ("tag", "word")
        for k in range(-6, 7)
    ]
    pairs = [f"first.tag[{a:+d}] last.tag[{b:+d}]" for a in range(-6, 7) for b in range(-6, 7)]
    inside = ["length", "tags", "single first.word", "several count2(DT) count1(IN) last.tag"]
    many = [f"length first.tag[{a:+d}] last.word[{b:+d}]" for a in range(-3, 4) for b in range(-6, 7)]
    templates = [*ends, *pairs, *inside, *many]
    features = SpanFeatures(templates=templates, hash_bits=10).fit(trees.sequences)
    rng = np.random.default_rng(0)
    shape = (features.n_features + 1, _core.padded(len(CHAINS)))
    weights = rng.normal(scale=0.15, size=shape).astype(np.float32)
    weights[0] = 0
    model = BracketModel(features, CHAINS, weights)
    table = _core.ByteRows(weights[1:].reshape(-1), shape[1])
    same = np.zeros_like(weights)
    for f, y in np.ndindex(features.n_features, len(CHAINS)):
        same[f + 1, y] = table.weight(f, y)
    tokens = features.over(trees.sequences)
    found = model.candidates_of(tokens, None, 0.01, 1)
    told = replace(model, weights=same).marginals(trees.sequences, [], 0.01)
    wanted = {
        (s, b, e, y): p
        for s in range(len(trees))
        for b, e, y, p in zip(
            *(a[told.starts[s] : told.starts[s + 1]].tolist() for a in told[1:5]), strict=True
        )
    }
    seen = {
        (s, b, e, y): p
        for s in range(len(trees))
        for b, e, y, p in zip(
            *(a[found.starts[s] : found.starts[s + 1]].tolist() for a in found[1:5]), strict=True
        )
    }
    assert len(wanted) > 200
    for key, p in wanted.items():
        if p > 0.0101:
            assert seen[key] == pytest.approx(p, rel=2e-3)
    np.testing.assert_allclose(found.values, told.values, rtol=1e-4)
