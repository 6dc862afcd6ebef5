"""Costs of labels and tokens: cost-augmented decoding, softmax-margin and steps by brute force."""

from dataclasses import dataclass

import numpy as np
import pytest
from scipy.special import logsumexp

from linnet import _core

from .chains import Sentences, point, problem, rows

SHAPES = {
    "tied": {},
    "no ends": {"ends": False},
    "order 2": {"order": 2},
    "observed": {"pairs": True},
    "partial": {"missing": 0.4},
}


@dataclass
class Costly(Sentences):
    """Sentences whose mistakes have costs of their own, given among the keywords of the data."""

    def cost(self, y: list[int], i: int) -> float:
        settings = self.masks or {}
        begin, end = self.offsets[i : i + 2]
        table = settings.get("costs", 1 - np.eye(self.labels))
        factors = settings.get("token_weights", np.ones(len(self.y)))
        pairs = zip(range(begin, end), y, strict=True)
        return sum(factors[t] * table[self.y[t], a] for t, a in pairs if self.y[t] >= 0)

    def loss(self, name: str, w: np.ndarray, i: int) -> float:
        theta, gold = self.theta(w, i), self.y[self.offsets[i] : self.offsets[i + 1]]
        every, right = [], []
        for y, parts in self.outputs(i):
            score = theta[parts].sum() + self.cost(y, i)
            every.append(score)
            if all(g in (-1, a) for a, g in zip(y, gold, strict=True)):
                right.append(score)
        if name == "softmax_margin":
            return float(logsumexp(every) - logsumexp(right))
        slack = max(every) - max(right)
        return slack**2 if name == "squared_hinge" else slack


def costly(seed: int, given: tuple[str, ...], **shape: object) -> Costly:
    plain = problem(seed, **shape)  # type: ignore[arg-type]
    rng = np.random.default_rng(seed)
    table = rng.uniform(0, 3, (plain.labels, plain.labels))
    np.fill_diagonal(table, 0)
    settings = {"costs": table, "token_weights": rng.uniform(0, 2, len(plain.y))}
    result = Costly(**vars(plain))
    result.masks = {name: settings[name] for name in given}
    return result


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("given", [("costs",), ("token_weights",), ("costs", "token_weights")])
@pytest.mark.parametrize("loss", ["hinge", "squared_hinge", "softmax_margin"])
def test_chains(shape: str, given: tuple[str, ...], loss: str) -> None:
    sentences = costly(2, given, **SHAPES[shape])
    data = sentences.data
    w = 0.5 * point(data)
    objective = _core.BatchObjective(data, loss, 0.0)
    value, gradient = objective.evaluate(w)
    assert value == pytest.approx(sentences.objective(loss, w, 0.0), rel=1e-10)
    v, h = point(data, 5), 1e-6
    slope = (objective.evaluate(w + h * v)[0] - objective.evaluate(w - h * v)[0]) / (2 * h)
    assert gradient @ v == pytest.approx(slope, rel=1e-5, abs=1e-5)


def test_unit_costs_are_the_hamming_cost() -> None:
    plain = problem(4)
    same = Costly(**vars(plain))
    same.masks = {"costs": 1 - np.eye(3), "token_weights": np.ones(len(plain.y))}
    for loss in ("perceptron", "hinge", "softmax_margin", "logistic"):
        w = point(plain.data)
        ours = _core.BatchObjective(same.data, loss, 0.1).evaluate(w)
        theirs = _core.BatchObjective(plain.data, loss, 0.1).evaluate(w)
        assert ours[0] == pytest.approx(theirs[0], rel=1e-12)
        np.testing.assert_allclose(ours[1], theirs[1], atol=1e-12)


def test_a_passive_aggressive_step_pays_the_cost() -> None:
    sentences = costly(3, ("costs", "token_weights"), sentences=2, longest=1, labels=2)
    sentences.weights[:] = 1
    for make in (_core.PassiveAggressive, _core.Mira):
        learner = make("hinge", sentences.data.dim, C=np.inf)
        learner.epoch(sentences.data, False)
        w = learner.weights().astype(np.float64)
        # it was stepped on last: its only wrong output is just paid for
        assert sentences.loss("hinge", w, 1) == pytest.approx(0, abs=1e-5)


@pytest.mark.parametrize("binary", [False, True])
@pytest.mark.parametrize("loss", ["hinge", "softmax_margin"])
def test_flat(binary: bool, loss: str) -> None:
    labels = 2 if binary else 4
    rng = np.random.default_rng(0)
    X = problem(0, sentences=9).X
    y = rng.integers(0, labels, X.shape[0]).astype(np.int32)
    table = rng.uniform(0, 3, (labels, labels))
    np.fill_diagonal(table, 0)
    data = _core.BlockData(rows(X), y, labels, binary, costs=table)
    w = rng.normal(size=data.dim)
    value, _ = _core.BatchObjective(data, loss, 0.0).evaluate(w)
    W = w.reshape(X.shape[1] + 1, -1)
    scores = X.astype(np.float64) @ W[1:] + W[0]
    if binary:
        scores = np.hstack([np.zeros_like(scores), scores])
    fold = logsumexp if loss == "softmax_margin" else np.max
    expected = sum(fold(s + table[g]) - s[g] for s, g in zip(scores, y, strict=True))
    assert value == pytest.approx(expected, rel=1e-10)


@pytest.mark.parametrize(
    ("settings", "says"),
    [
        ({"costs": np.ones((3, 3))}, "right label"),
        ({"costs": -(1 - np.eye(3))}, "not negative"),
        ({"costs": np.where(np.eye(3) > 0, 0, np.nan)}, "finite"),
        ({"costs": np.zeros((2, 2))}, "3 x 3"),
        ({"token_weights": np.ones(1)}, "per token"),
        ({"token_weights": np.full(99, -1.0)}, "per token|not negative"),
    ],
)
def test_refused(settings: dict[str, np.ndarray], says: str) -> None:
    plain = problem(1)
    if len(settings.get("token_weights", [])) == 99:
        settings["token_weights"] = settings["token_weights"][: len(plain.y)]
    plain.masks = settings
    with pytest.raises(ValueError, match=says):
        plain.data  # noqa: B018
