"""Problems that the tests of the optimisers share."""

import numpy as np
import pytest
from scipy.special import expit

from linnet import _core


class Logistic:
    """½ l2‖w‖² + Σ log(1 + exp(−y x·w)), with its Hessian."""

    def __init__(self, seed=0, n=80, dim=12, l2=1.0, density=1.0):
        rng = np.random.default_rng(seed)
        self.X = rng.normal(size=(n, dim)) * (rng.random((n, dim)) < density)
        self.y = np.where(self.X @ rng.normal(size=dim) + rng.normal(size=n) > 0, 1.0, -1.0)
        self.l2, self.dim = l2, dim

    def evaluate(self, w):
        m = self.y * (self.X @ w)
        p = expit(m)
        self.d = p * (1 - p)
        value = 0.5 * self.l2 * w @ w + np.logaddexp(0, -m).sum()
        return float(value), self.l2 * w - self.X.T @ (self.y * (1 - p))

    def hessian_times(self, v):
        return self.l2 * v + self.X.T @ (self.d * (self.X @ v))

    def hessian_diagonal(self):
        return self.l2 + self.d @ self.X**2

    def objective(self):
        return _core.FunctionObjective(
            self.dim, self.evaluate, self.hessian_times, self.hessian_diagonal
        )


@pytest.fixture
def logistic():
    return Logistic


@pytest.fixture
def run():
    """Run an optimiser until it says it has converged; return the epochs."""

    def run(optimiser, most=5000):
        epochs = []
        for _ in range(most):
            epochs.append(optimiser.epoch())
            assert not epochs[-1].interrupted
            if epochs[-1].converged:
                return epochs
        pytest.fail(f"not converged after {most} iterations: {epochs[-1].gradient_norm}")

    return run
