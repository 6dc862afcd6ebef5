"""CRFs: the objective, marginals and probabilities of CRFsuite on the same features and weights."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import linnet._core as _core

pycrfsuite = pytest.importorskip("pycrfsuite")

LABELS = ["DT", "IN", "NN", "VB"]


def sentences(count: int) -> tuple[list[list[list[str]]], list[list[str]]]:
    """Words drawn by label, a label by the one before; attributes of the word and its neighbour."""
    rng = np.random.default_rng(0)
    step = rng.dirichlet(np.full(len(LABELS), 0.5), size=len(LABELS))
    words = rng.dirichlet(np.full(40, 0.2), size=len(LABELS))
    X, y = [], []
    for _ in range(count):
        labels = [int(rng.integers(len(LABELS)))]
        while rng.random() > 0.1:
            labels.append(int(rng.choice(len(LABELS), p=step[labels[-1]])))
        tokens = [f"w{rng.choice(40, p=words[label])}" for label in labels]
        X.append(
            [
                [f"word={w}", f"before={b}", "bias"]
                for b, w in zip(["<s>", *tokens], tokens, strict=False)
            ]
        )
        y.append([LABELS[label] for label in labels])
    return X, y


class Ours:
    """The same data for the core."""

    def __init__(self, X: list[list[list[str]]], y: list[list[str]], c2: float) -> None:
        self.ids: dict[str, int] = {}
        rows = [[self.ids.setdefault(a, len(self.ids)) for a in token] for x in X for token in x]
        self.indices = np.array(rows, dtype=np.int32).ravel()
        self.indptr = np.arange(0, len(self.indices) + 1, 3, dtype=np.int64)
        self.values = np.ones(len(self.indices), dtype=np.float32)
        self.labels = np.array([LABELS.index(a) for s in y for a in s], dtype=np.int32)
        self.offsets = np.concatenate([[0], np.cumsum([len(s) for s in y])]).astype(np.int64)
        table = _core.Rows.csr(self.indptr, self.indices, self.values, len(self.ids))
        self.crf = _core.ChainCRF(
            table, self.labels, self.offsets, len(LABELS), l2=2 * c2, precise=True
        )

    def coordinates(self, info: object) -> np.ndarray:
        """Those of the weights that CRFsuite ended at."""
        state = {(self.ids[a], LABELS.index(y)): w for (a, y), w in info.state_features.items()}  # type: ignore[attr-defined]
        pairs = np.asarray(self.crf.pairs)
        weights = np.array([state.get((int(f) - 1, int(y)), 0.0) for f, y in pairs])
        moves = np.zeros((len(LABELS), len(LABELS)))
        for (a, b), w in info.transitions.items():  # type: ignore[attr-defined]
            moves[LABELS.index(a), LABELS.index(b)] = w
        return np.asarray(self.crf.coordinates(weights, moves))


@pytest.fixture(scope="module")
def trained(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, float, int]:
    """A model of CRFsuite, its loss and its number of features."""
    X, y = sentences(150)
    trainer = pycrfsuite.Trainer(verbose=False, algorithm="lbfgs", params={"c1": 0.0, "c2": 1.0})
    for x, labels in zip(X, y, strict=True):
        trainer.append(x, labels)
    path = tmp_path_factory.mktemp("crfsuite") / "model"
    trainer.train(str(path))
    last = trainer.logparser.last_iteration
    return path, float(last["loss"]), int(last["active_features"])


def test_objective(trained: tuple[Path, float, int]) -> None:
    path, loss, features = trained
    ours = Ours(*sentences(150), c2=1.0)
    assert len(ours.crf.pairs) + len(ours.crf.transitions) == features
    tagger = pycrfsuite.Tagger()
    tagger.open(str(path))
    at_theirs = ours.crf.evaluate(ours.coordinates(tagger.info()))[0]
    assert at_theirs == pytest.approx(loss, rel=1e-5)

    solver = _core.LBFGS(ours.crf, tol=1e-7)
    while not (stats := solver.epoch()).converged:
        pass
    assert stats.objective <= loss * (1 + 1e-9)
    assert stats.objective == pytest.approx(loss, rel=1e-4)
    dual = _core.ChainDual(ours.crf, tol=1e-4)
    while not (certified := dual.epoch()).converged:
        pass
    assert certified.objective == pytest.approx(stats.objective, rel=1e-4)


def test_marginals_and_probabilities(trained: tuple[Path, float, int]) -> None:
    X, y = sentences(150)
    ours = Ours(X, y, c2=1.0)
    tagger = pycrfsuite.Tagger()
    tagger.open(str(trained[0]))
    marginals, losses = ours.crf.marginals(ours.coordinates(tagger.info()))
    for i in range(40):
        tagger.set(X[i])
        assert tagger.probability(y[i]) == pytest.approx(np.exp(-losses[i]), rel=1e-4, abs=1e-9)
        for t in range(len(X[i])):
            theirs = [tagger.marginal(label, t) for label in LABELS]
            np.testing.assert_allclose(marginals[ours.offsets[i] + t], theirs, rtol=1e-5, atol=1e-7)
