"""Clusters that are not there, and machines that are lost."""

from __future__ import annotations

from dataclasses import replace

import pytest

ray = pytest.importorskip("ray")

from tests.engines.test_shards import problem_of  # noqa: E402

from linnet import engines  # noqa: E402
from linnet.errors import EngineError  # noqa: E402
from linnet.learners import LBFGS  # noqa: E402

pytestmark = pytest.mark.filterwarnings("ignore")  # of Ray


def test_no_cluster_is_a_clear_error():
    ray.shutdown()
    for address in ("127.0.0.1:1", "ray://127.0.0.1:1"):
        with pytest.raises(EngineError, match=rf"no Ray cluster at {address}"):
            engines.Ray(address=address).connected()


def test_a_lost_machine_changes_no_bit():
    from ray.cluster_utils import Cluster

    ray.shutdown()
    small = {"num_cpus": 1, "object_store_memory": 80_000_000}
    cluster = Cluster(initialize_head=True, head_node_args={**small, "include_dashboard": False})
    lost = cluster.add_node(**small)
    ray.init(address=cluster.address, log_to_driver=False, logging_level="ERROR")
    try:
        problem = problem_of(3, "logistic", tol=1e-7)
        local = LBFGS().solver(replace(problem, engine=engines.Local(2)))
        there = LBFGS().solver(replace(problem, engine=engines.Ray(2)))
        for number in range(6):
            if number == 3:  # one of the two workers is there: either machine has room for one
                cluster.add_node(**small)
                cluster.remove_node(lost, allow_graceful=False)
            local.epoch()
            there.epoch()
        assert local.weights().tobytes() == there.weights().tobytes()
    finally:
        ray.shutdown()
        cluster.shutdown()
