"""What all tests share: chance draws the same numbers in any order of tests, and Ctrl-C is heard."""

import ctypes
import os
import random
import signal

import hypothesis
import numpy as np
import pytest

# Tests run side by side, so that each has one thread unless it asks for more.
os.environ.setdefault("LINNET_THREADS", "1")
# How long an example takes says how busy the machine is.
hypothesis.settings.register_profile("linnet", deadline=None)
hypothesis.settings.load_profile("linnet")
# In the background it is ignored, and some tests interrupt themselves.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup() -> None:
    """Peers without a seed of their own: scikit-learn asks NumPy, and LIBLINEAR asks C."""
    random.seed(0)
    np.random.seed(0)  # noqa: NPY002  (it is theirs)
    ctypes.CDLL("msvcrt" if os.name == "nt" else None).srand(1)
