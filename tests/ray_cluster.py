"""A Ray of this machine alone, for the tests of a module: ``pytest.mark.usefixtures("cluster")``."""

from collections.abc import Iterator

import pytest


@pytest.fixture(scope="module")
def cluster() -> Iterator[None]:
    import ray

    if ray.is_initialized():
        ray.shutdown()
    quiet = {"include_dashboard": False, "log_to_driver": False, "logging_level": "ERROR"}
    ray.init("local", num_cpus=2, **quiet)  # no other that may be there
    yield
    ray.shutdown()
