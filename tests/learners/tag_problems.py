"""Small tagging problems whose tokens are one event each."""

from dataclasses import replace

import numpy as np

from linnet import _core
from linnet.data.matrix import CsrRows, as_rows
from linnet.structures import ANYTHING, Chain, ChainRules, Problem


def event_csr(events: np.ndarray, size: int) -> CsrRows:
    n = len(events)
    return CsrRows(
        np.arange(n + 1, dtype=np.int64),
        np.asarray(events, np.int32),
        np.ones(n, np.float32),
        size,
        distinct=True,
    )


def event_rows(events: np.ndarray, size: int, bias: float = 0.0) -> _core.Rows:
    return as_rows(event_csr(events, size), bias)


def tag_problem(
    rows: _core.Rows,
    sentences: list[list[int]],
    labels: int,
    weights: np.ndarray | None = None,
    *,
    loss: str = "joint_likelihood",
    penalty: str = "none",
    ends: bool = True,
    rules: ChainRules = ANYTHING,
    **settings,
) -> Problem:
    offsets = np.cumsum([0, *map(len, sentences)], dtype=np.int64)
    codes = np.array([y for sentence in sentences for y in sentence], np.int32)
    problem = Problem(
        Chain(rows, offsets, codes, labels, ends=ends, rules=rules),
        loss,
        penalty,
        np.ones(len(sentences)) if weights is None else np.asarray(weights, float),
        l1=0.0,
        l2=0.0 if penalty == "none" else 1.0,
        C=1.0,
        tol=1e-6,
        seed=0,
    )
    return replace(problem, **settings)


def random_tags(
    seed: int = 0, missing: float = 0.0, labels: int = 3, events: int = 4, sentences: int = 6
) -> tuple[np.ndarray, list[list[int]]]:
    """Events of all tokens, and tags sentence by sentence, every one of them there if none misses."""
    rng = np.random.default_rng(seed)
    lengths = rng.integers(1, 5, sentences)
    lengths[0] = labels
    y = [rng.integers(0, labels, n).tolist() for n in lengths]
    y[0] = list(range(labels))
    hidden = [[-1 if rng.random() < missing else tag for tag in tags] for tags in y]
    return rng.integers(0, events, lengths.sum()), hidden


def weights_of(solver, epochs: int = 1) -> np.ndarray:
    for _ in range(epochs):
        solver.epoch()
    return solver.weights()
