"""A tagger over ready rows: a problem of chains, trained and decoded by the plainest means."""

from dataclasses import dataclass, field
from typing import Any, Self

import numpy as np
import scipy.sparse as sp

import linnet._core as _core
from linnet.learners.base import Learner
from linnet.structures import Chain, Learnt, Problem
from linnet.training import Stopping, train
from linnet.training.grid import resolve
from linnet.training.record import TrainingRecord
from linnet.training.trainer import Trained

from ..problems import Tagged
from ..structured import changed, places


def strengths(penalty: str, l1_ratio: float = 0.5) -> tuple[float, float]:
    """l1 and l2."""
    return {
        "none": (0.0, 0.0),
        "l1": (1.0, 0.0),
        "l2": (0.0, 1.0),
        "elasticnet": (l1_ratio, 1 - l1_ratio),
    }[penalty]


def problem_of(
    data: Tagged,
    loss: str = "logistic",
    penalty: str = "l2",
    *,
    average: bool = False,
    penalize_intercept: bool = True,
    l1_ratio: float = 0.5,
    bias: float = 1.0,
    chain: dict[str, Any] | None = None,
    **settings: Any,
) -> Problem:
    """The problem of training on ``data``; settings as of `Problem`."""
    l1, l2 = strengths(penalty, l1_ratio)
    rows = _core.Rows.csr(data.X.indptr, data.X.indices, data.X.data, data.X.shape[1], bias)
    given = {
        "structure": Chain(
            rows, data.offsets, data.y, data.labels, **{"ends": True} if chain is None else chain
        ),
        "loss": loss,
        "penalty": penalty,
        "average": average,
        "penalize_intercept": penalize_intercept,
        "weights": np.ones(len(data.offsets) - 1),
        "l1": l1,
        "l2": l2,
        "C": 1.0,
        "tol": 1e-4,
        "seed": 0,
    }
    return Problem(**given | settings)


def one_event(data: Tagged) -> Tagged:
    """The first feature of every token alone; the last column where there is none."""
    X = np.hstack([data.X.toarray(), np.ones((data.X.shape[0], 1))])
    only = np.zeros_like(X, dtype=np.float32)
    only[np.arange(len(X)), X.argmax(1)] = 1
    return data._replace(X=sp.csr_matrix(only))


def trained(learner: str | Learner, problem: Problem, epochs: int | None = None) -> Trained:
    made = resolve(learner)
    return train(made, problem, Stopping(epochs or made.epochs), show_progress=False)


def flat_weights(learnt: Learnt, problem: Problem) -> np.ndarray:
    """The weights where the core's ChainData has them, sparse ones too."""
    if learnt.states is None:
        return np.asarray(learnt.weights, np.float64)
    starts, labels, weights = learnt.states
    rows = np.repeat(np.arange(len(starts) - 1), np.diff(starts))
    return in_place(rows, labels, weights, np.asarray(learnt.weights), problem)


def weights_at(crf: _core.ChainCRF, u: np.ndarray, problem: Problem) -> np.ndarray:
    """The same for coordinates, in double precision."""
    rows, labels = np.asarray(crf.pairs, np.int64).T
    tied = np.concatenate([crf.transition_weights(u).ravel(), crf.end_weights(u).ravel()])
    return in_place(rows, labels, crf.pair_weights(u), tied, problem)


def in_place(
    rows: np.ndarray, labels: np.ndarray, weights: np.ndarray, tied: np.ndarray, problem: Problem
) -> np.ndarray:
    data, L = problem.data(), problem.width
    w = np.zeros(data.dim)
    w[rows * data.stride + labels] = weights
    w[places(data).transitions : places(data).transitions + L**2] = tied[: L**2]
    if problem.structure.ends:
        w[places(data).start : places(data).start + L] = tied[L**2 :][:L]
        w[places(data).stop : places(data).stop + L] = tied[L**2 :][L:]
    return w


def best_labels(w: np.ndarray, problem: Problem, X: Any) -> np.ndarray:
    """Viterbi's algorithm, sentence by sentence."""
    data, L = problem.data(), problem.width
    W = w[: (problem.rows.features + 1) * data.stride].reshape(-1, data.stride)[:, :L]
    theta = X @ W[1:] + problem.rows.bias * W[0]
    moves = w[places(data).transitions :][: L * L].reshape(L, L)
    start, stop = (
        w[at:][:L] * problem.structure.ends for at in (places(data).start, places(data).stop)
    )
    out: list[int] = []
    for begin, end in zip(problem.structure.offsets[:-1], problem.structure.offsets[1:], strict=True):
        score, back = theta[begin] + start, []
        for t in range(begin + 1, end):
            ways = score[:, None] + moves
            back.append(ways.argmax(0))
            score = ways.max(0) + theta[t]
        y = [int((score + stop).argmax())]
        for way in reversed(back):
            y.append(int(way[y[-1]]))
        out += y[::-1]
    return np.array(out)


@dataclass
class SmallModel:
    weights: np.ndarray
    coef: np.ndarray


@dataclass
class SmallTagger:
    """Settings, fit and score as of an estimator."""

    loss: str
    learner: str
    penalty: str
    C: float = 1.0
    alpha: float | None = None
    l1_ratio: float = 0.5
    average: bool = False
    penalize_intercept: bool = True
    max_iter: int | None = None
    model_: SmallModel = field(init=False)
    record_: TrainingRecord = field(init=False)
    intercept_: np.ndarray = field(init=False)

    def _seen(self, X: Tagged) -> Tagged:
        """Counting takes one event per token."""
        return one_event(X) if resolve(self.learner).family == "counting" else X

    def fit(self, X: Tagged, y: np.ndarray) -> Self:
        X = self._seen(X)
        self.problem = problem_of(
            X,
            self.loss,
            self.penalty,
            average=self.average,
            penalize_intercept=self.penalize_intercept,
            l1_ratio=self.l1_ratio,
            bias=0.0 if X.X.nnz == X.X.shape[0] else 1.0,
            C=self.C if self.alpha is None else 1 / (self.alpha * (len(X.offsets) - 1)),
        )
        result = trained(self.learner, changed(self.problem, labels=y), self.max_iter)
        self.record_ = result.record
        self.w = flat_weights(result.learnt, self.problem)
        self.model_ = SmallModel(np.asarray(result.learnt.weights), np.asarray(result.learnt.weights))
        self.intercept_ = self.w[: X.labels]
        return self

    def score(self, X: Tagged, y: np.ndarray) -> float:
        return float((best_labels(self.w, self.problem, self._seen(X).X) == y).mean())
