"""To add a structure is to write one class: the grid has it at once, and every learner that may."""

import warnings
from dataclasses import dataclass
from functools import cache

import numpy as np
import pytest
import scipy.sparse as sp

import linnet
from linnet import _core
from linnet.errors import RefusedError, TrainingWarning
from linnet.structures import STRUCTURES, Problem, Structure, Trait
from linnet.training import Stopping, train
from linnet.training.grid import check, resolve


@dataclass(frozen=True)
class Pairs(Structure):
    """Two yes-or-no answers to each instance, and what they have to do with each other.

    Outputs are 0, …, 3: answers to the first and the second question. f(x, y) has the features of x
    once for each question that is answered with yes, and one more if both are: so every output is a
    candidate of its own, and the weights of a question are shared by two of them.
    """

    X: sp.csr_matrix
    gold: np.ndarray

    name = "pairs"
    plural = "pairs of answers"
    outputs = "two answers that go together"
    traits = frozenset({Trait.LISTED, Trait.EXACT_SUMS})

    @property
    def rows(self) -> _core.Rows:
        n = self.X.shape[0]
        blank, both = sp.csr_matrix(self.X.shape), sp.csr_matrix(np.ones((n, 1)))
        first, second = sp.hstack([self.X, blank, 0 * both]), sp.hstack([blank, self.X, 0 * both])
        every = [0 * first, second, first, sp.hstack([self.X, self.X, both])]
        order = np.arange(4 * n).reshape(4, n).T.ravel()  # instance by instance
        made = sp.csr_matrix(sp.vstack(every).tocsr()[order], dtype=np.float32)
        return _core.Rows.csr(made.indptr, made.indices, made.data, made.shape[1], 0.0)

    def dataset(self, weights: np.ndarray) -> _core.CandidateData:
        offsets = 4 * np.arange(self.size + 1, dtype=np.int64)
        return _core.CandidateData(self.rows, offsets, self.gold, weights)

    @property
    def size(self) -> int:
        return len(self.gold)

    def part(self, begin: int, end: int) -> "Pairs":
        return Pairs(self.X[begin:end], self.gold[begin:end].copy())


@cache
def pairs(n: int = 120, seed: int = 0) -> Pairs:
    rng = np.random.default_rng(seed)
    X = (rng.random((n, 8)) < 0.4).astype(float)
    gold = 2 * (X[:, 0] > 0) + (X[:, 1] > 0)
    return Pairs(sp.csr_matrix(np.hstack([X, np.ones((n, 1))])), gold.astype(np.int32))


@pytest.fixture(autouse=True)
def registered(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(STRUCTURES, "pairs", Pairs)


def cells() -> list[tuple[str, str, str]]:
    STRUCTURES["pairs"] = Pairs
    found = linnet.compatible(structure="pairs")
    del STRUCTURES["pairs"]
    return [(c.loss, c.learner, c.penalty) for c in found if c.works]


@pytest.mark.parametrize(("loss", "learner", "penalty"), cells())
def test_every_learner_that_the_grid_allows(loss: str, learner: str, penalty: str) -> None:
    structure, l2 = pairs(), float(penalty in ("l2", "elasticnet"))
    l1 = float(penalty in ("l1", "elasticnet")) / 2
    weights = np.ones(structure.size)
    problem = Problem(structure, loss, penalty, weights, l1, l2, 1.0, 1e-3, 0)
    made = resolve(learner)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", TrainingWarning)
        trained = train(made, problem, Stopping(min(made.epochs, 200)), show_progress=False)
    scores = _core.decision(structure.rows, np.asarray(trained.learnt.weights), 1)
    enough = 0.6 if loss == "probability" else 0.8  # flat where it is far off: steps are slow there
    assert (scores.reshape(-1, 4).argmax(1) == structure.gold).mean() > enough
    assert trained.record.structure == "pairs"


def test_as_many_as_for_candidates() -> None:
    listed = [(c.loss, c.learner, c.penalty) for c in linnet.compatible(structure="candidates")]
    works = {
        key for key, c in zip(listed, linnet.compatible(structure="candidates"), strict=True) if c.works
    }
    assert set(cells()) == works  # they have the same traits
    assert len(works) > 100


def test_refusals_speak_of_it() -> None:
    structure = pairs()
    problem = Problem(structure, "logistic", "l2", np.ones(structure.size), 0, 1, 1, 1e-3, 0)
    with pytest.raises(RefusedError, match="dual does not train pairs of answers"):
        check(resolve("dual"), problem.cell)
