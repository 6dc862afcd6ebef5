"""A kernel against the generic sweep."""

from typing import Any

import numpy as np
import pytest


def assert_equal(kernel: Any, generic: Any, theta: np.ndarray) -> None:
    """Best outputs and marginals are the same; parts of score −inf are in none."""
    best, choice = generic.solve_generic("max", theta)
    value, mu = kernel.solve("max", theta)
    assert value == pytest.approx(best, rel=1e-12, abs=1e-12)
    if best == -np.inf:
        assert kernel.solve("log", theta)[0] == -np.inf
        return
    finite = np.where(np.isneginf(theta), 0, theta)
    assert not mu[np.isneginf(theta)].any()
    assert mu @ finite == pytest.approx(choice @ finite, rel=1e-12, abs=1e-12)
    log_z, expected = generic.solve_generic("log", theta)
    value, mu = kernel.solve("log", theta)
    assert value == pytest.approx(log_z, rel=1e-12, abs=1e-11)
    np.testing.assert_allclose(mu, expected, atol=1e-9)
    assert not mu[np.isneginf(theta)].any()
