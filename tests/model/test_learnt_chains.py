"""Taggers of what solvers have learnt: the layouts of weights are read right."""

from itertools import pairwise

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.special import logsumexp

from linnet import _core
from linnet.model import ChainModel
from linnet.structures import LabelRows, Learnt

from ..data.chains import Sentences, chain_problem, point, problem, rows
from ..data.test_chain_data import MASKS, constrained


@pytest.mark.parametrize(
    "sentences",
    [
        problem(1, ends=False),
        problem(2, ends=True),
        problem(3, order=2),
        problem(4, order=2, ends=False),
        problem(5, pairs=True),
        problem(6, order=3),
        problem(7, order=4, ends=False, labels=2, longest=6),
        constrained(list(MASKS), 0.0),
    ],
)
@pytest.mark.parametrize("real", [np.float32, np.float64])
def test_dense_weights(sentences: Sentences, real: type) -> None:
    w = point(sentences.data).astype(real)
    w[::7] = 0
    given = chain_problem(sentences)
    model = ChainModel.of(Learnt(w), given.structure)
    more = {"pairs": sentences.pair_rows, "rules": given.structure.rules}
    best, score = model.best(sentences.X, sentences.offsets, **more)
    _, log_z = model.marginals(sentences.X, sentences.offsets, **more)
    single = w.astype(np.float32).astype(np.float64)
    for i, (begin, end) in enumerate(pairwise(sentences.offsets)):
        if begin == end:
            continue
        theta, outputs = sentences.theta(single, i), sentences.outputs(i)
        scores = np.array([theta[parts].sum() for _, parts in outputs])
        assert best[begin:end].tolist() == outputs[int(scores.argmax())][0]
        assert score[i] == pytest.approx(scores.max(), rel=1e-9)
        assert log_z[i] == pytest.approx(logsumexp(scores), rel=1e-9)


def test_sparse_weights() -> None:
    sentences = problem(6, sentences=30, ends=False)
    crf = _core.ChainCRF(rows(sentences.X), sentences.y, sentences.offsets, 3, sentences.weights)
    u = np.random.default_rng(1).normal(size=crf.dim)
    states = LabelRows(*crf.label_rows(u))
    found = Learnt(crf.transition_weights(u).ravel(), states=states)
    model = ChainModel.of(found, chain_problem(sentences).structure)
    P, _ = model.marginals(sentences.X, sentences.offsets)
    assert_allclose(P, crf.marginals(u)[0], atol=1e-5)
    ends = np.arange(6, dtype=np.float64)
    more = Learnt(np.concatenate([found.weights, ends]), states=states)
    with_ends = ChainModel.of(more, chain_problem(sentences).structure)
    assert with_ends.start is not None
    assert with_ends.stop is not None
    assert with_ends.start.tolist() == [0, 1, 2]
    assert with_ends.stop.tolist() == [3, 4, 5]
