"""Tagging many sentences: best labels, marginals and k-best lists."""

from itertools import pairwise

import numpy as np
import pytest
from scipy.special import logsumexp

from linnet import _core

from .chains import point, problem, rows
from .test_chain_data import MASKS, constrained


def decode_all(sentences, w, **more):
    args = (rows(sentences.X), w, sentences.offsets, sentences.labels)
    more |= {"ends": sentences.ends, **(sentences.masks or {})}
    return (
        _core.chain_decode(*args, **more),
        _core.chain_marginals(*args, **more),
        _core.chain_kbest(*args, 4, **more),
    )


@pytest.mark.parametrize("ends", [False, True])
@pytest.mark.parametrize("masked", [False, True])
@pytest.mark.parametrize("real", [np.float32, np.float64])
def test_decoding_equals_brute_force(ends: bool, masked: bool, real: type) -> None:
    sentences = constrained(list(MASKS), 0.0) if masked else problem(1, ends=ends)
    w = point(sentences.data).astype(real)
    (best, score), (marginals, log_z), ranked = decode_all(sentences, w)
    tol = 1e-4 if real is np.float32 else 1e-10
    for i, (begin, end) in enumerate(pairwise(sentences.offsets)):
        if begin == end:
            assert len(ranked[i][0]) == 0
            continue
        theta, outputs = sentences.theta(w.astype(np.float64), i), sentences.outputs(i)
        scores = np.array([theta[parts].sum() for _, parts in outputs])
        order = np.argsort(-scores)[:4]
        assert score[i] == pytest.approx(scores.max(), rel=tol)
        assert best[begin:end].tolist() == outputs[order[0]][0]
        assert log_z[i] == pytest.approx(logsumexp(scores), rel=tol)
        p = np.exp(scores - logsumexp(scores))
        expected = np.zeros((end - begin, sentences.labels))
        for (y, _), share in zip(outputs, p, strict=True):
            expected[np.arange(end - begin), y] += share
        np.testing.assert_allclose(marginals[begin:end], expected, atol=tol)
        np.testing.assert_allclose(ranked[i][0], scores[order], rtol=tol, atol=tol)
        assert ranked[i][1].tolist() == [outputs[k][0] for k in order]


def test_threads_give_the_same_bits() -> None:
    sentences = problem(2, sentences=2000, labels=5, longest=20)
    w = point(sentences.data)
    one = decode_all(sentences, w, threads=1)
    for threads in (2, 3):
        many = decode_all(sentences, w, threads=threads)
        for a, b in zip(one[:2], many[:2], strict=True):
            np.testing.assert_array_equal(a[0], b[0])
            np.testing.assert_array_equal(a[1], b[1])
        for (s, y), (t, z) in zip(one[2], many[2], strict=True):
            np.testing.assert_array_equal(s, t)
            np.testing.assert_array_equal(y, z)


def test_bad_input_is_refused() -> None:
    sentences = problem(0)
    X, w, offsets = rows(sentences.X), point(sentences.data), sentences.offsets
    with pytest.raises(ValueError, match="do not fit the features"):
        _core.chain_decode(X, w, offsets, 5, True)
    with pytest.raises(ValueError, match="offsets must run"):
        _core.chain_decode(X, w, offsets[:-1].copy(), 3, True)
    with pytest.raises(ValueError, match="threads"):
        _core.chain_decode(X, w, offsets, 3, True, 0)
    with pytest.raises(ValueError, match="k must be"):
        _core.chain_kbest(X, w, offsets, 3, 0, True)
    with pytest.raises(ValueError, match="does not fit"):
        _core.chain_decode(X, w, offsets, 3, True, tokens=np.ones((1, 3), bool))


def test_a_sentence_without_an_allowed_output() -> None:
    sentences = problem(0)
    tokens = np.ones((len(sentences.y), 3), bool)
    tokens[0] = False
    sentences.masks = {"tokens": tokens}
    (_, score), (marginals, log_z), ranked = decode_all(sentences, point(problem(0).data))
    assert score[0] == log_z[0] == -np.inf
    assert not marginals[0].any()
    assert len(ranked[0][0]) == 0
    assert np.isfinite(score[-1])
