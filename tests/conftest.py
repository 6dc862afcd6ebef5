"""What all tests share: whatever draws numbers by chance draws the same ones in any order of tests."""

import ctypes
import random

import numpy as np
import pytest


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup() -> None:
    """Peers without a seed of their own: scikit-learn asks NumPy, and LIBLINEAR asks C."""
    random.seed(0)
    np.random.seed(0)  # noqa: NPY002  (it is theirs)
    ctypes.CDLL(None).srand(1)
