"""Small tagging problems, and their losses by listing every sequence of labels."""

from dataclasses import dataclass
from itertools import pairwise

import numpy as np
import scipy.sparse as sp
from scipy.special import logsumexp

from linnet import _core, testing
from linnet.structures import Chain, ChainRules, Problem

from ..structured import places


def rows(X: sp.csr_matrix, bias: float = 1.0) -> _core.Rows:
    return _core.Rows.csr(X.indptr, X.indices, X.data, X.shape[1], bias)


def windows(order: int) -> dict[int, str]:
    """Sizes of windows of more than two labels, and the names of their blocks."""
    names = {3: "triples", 4: "windows4", 5: "windows5"}
    return {size: names[size] for size in range(3, order + 2)}


@dataclass
class Sentences:
    """Random features; labels of -1 are missing."""

    X: sp.csr_matrix
    pair_rows: sp.csr_matrix | None
    offsets: np.ndarray
    y: np.ndarray
    labels: int
    weights: np.ndarray
    ends: bool = True
    order: int = 1
    masks: dict[str, np.ndarray] | None = None

    @property
    def data(self) -> _core.ChainData:
        pairs = None if self.pair_rows is None else rows(self.pair_rows)
        return _core.ChainData(
            rows(self.X),
            self.offsets,
            self.y,
            self.labels,
            self.weights,
            ends=self.ends,
            order=self.order,
            pairs=pairs,
            **(self.masks or {}),
        )

    def theta(self, w: np.ndarray, i: int) -> np.ndarray:
        """Scores of all parts of sentence i: its groups one after the other."""
        L, at = self.labels, places(self.data)
        begin, end = self.offsets[i : i + 2]

        def block(base: int, count: int, width: int) -> np.ndarray:
            stride = _core.padded(width)
            return w[base : base + count * stride].reshape(count, stride)[:, :width]

        def scores(X: sp.csr_matrix, base: int, width: int, first: int) -> np.ndarray:
            W = block(base, X.shape[1] + 1, width)
            return (X[first:end].astype(np.float64) @ W[1:] + W[0]).ravel()

        parts = [scores(self.X, 0, L, begin), block(at.transitions, 1, L * L)[0]]
        if self.ends:
            parts += [block(at.start, 1, L)[0], block(at.stop, 1, L)[0]]
        for size, name in windows(self.order).items():
            parts.append(block(getattr(at, name), 1, L**size)[0])
        if self.pair_rows is not None:
            parts.append(scores(self.pair_rows, at.pairs, L * L, begin + 1))
        return np.concatenate(parts)

    def outputs(self, i: int) -> list[tuple[list[int], list[int]]]:
        """(labels, parts) of every sequence that the masks allow."""
        begin, end = self.offsets[i : i + 2]
        T, L, masks = int(end - begin), self.labels, self.masks or {}
        if self.order > 1:
            every = testing.all_higher_chains(T, L, self.order, self.ends)
        else:
            every = testing.all_chains(T, L, self.ends, self.pair_rows is not None)
        result = []
        for parts in every:
            y = [p % L for p in parts[:T]]
            if "transitions" in masks and not all(masks["transitions"][a, b] for a, b in pairwise(y)):
                continue
            if "start" in masks and not masks["start"][y[0]]:
                continue
            if "stop" in masks and not masks["stop"][y[-1]]:
                continue
            if "tokens" in masks and not masks["tokens"][np.arange(begin, end), y].all():
                continue
            result.append((y, parts))
        return result

    def loss(self, name: str, w: np.ndarray, i: int) -> float:
        theta, gold = self.theta(w, i), self.y[self.offsets[i] : self.offsets[i + 1]]
        cost = 0.0 if name in ("logistic", "perceptron") else 1.0
        scores, consistent = [], []
        for y, parts in self.outputs(i):
            wrong = sum(g >= 0 and a != g for a, g in zip(y, gold, strict=True))
            scores.append(theta[parts].sum() + cost * wrong)
            consistent.append(wrong == 0)
        every, right = np.array(scores), np.array(scores)[consistent]
        if name in ("logistic", "softmax_margin"):
            return float(logsumexp(every) - logsumexp(right))
        return float(every.max() - right.max())

    def objective(self, name: str, w: np.ndarray, l2: float) -> float:
        losses = [
            self.weights[i] * self.loss(name, w, i)
            for i in range(len(self.offsets) - 1)
            if self.offsets[i + 1] > self.offsets[i]
        ]
        return l2 / 2 * float(w @ w) + sum(losses)


def problem(
    seed: int = 0,
    sentences: int = 6,
    labels: int = 3,
    features: int = 5,
    longest: int = 4,
    missing: float = 0.0,
    ends: bool = True,
    order: int = 1,
    pairs: bool = False,
) -> Sentences:
    rng = np.random.default_rng(seed)
    lengths = rng.integers(0, longest + 1, sentences)
    lengths[0], lengths[-1] = 1, longest
    offsets = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)
    n = int(offsets[-1])

    def sparse(columns: int) -> sp.csr_matrix:
        return sp.random(n, columns, 0.5, "csr", rng=rng, dtype=np.float64).astype(np.float32)

    X = sparse(features)
    y = rng.integers(0, labels, n, dtype=np.int32)
    y[rng.random(n) < missing] = -1
    pair_rows = sparse(3) if pairs else None
    return Sentences(X, pair_rows, offsets, y, labels, rng.uniform(0.5, 2, sentences), ends, order)


def point(data: _core.ChainData, seed: int = 1) -> np.ndarray:
    return np.random.default_rng(seed).normal(size=data.dim)


def chain_problem(sentences: Sentences) -> Problem:
    """The same for learners."""
    pairs = None if sentences.pair_rows is None else rows(sentences.pair_rows)
    rules = ChainRules(**(sentences.masks or {}))
    chain = Chain(
        rows(sentences.X),
        sentences.offsets,
        sentences.y,
        sentences.labels,
        order=sentences.order,
        ends=sentences.ends,
        pairs=pairs,
        rules=rules,
    )
    return Problem(
        chain,
        "logistic",
        "l2",
        sentences.weights,
        l1=0.0,
        l2=1.0,
        C=1.0,
        tol=1e-3,
        seed=0,
    )
