"""Clusters that are not there, and machines that are lost."""

from __future__ import annotations

from dataclasses import replace

import pytest

ray = pytest.importorskip("ray")

from tests.engines.test_shards import problem_of  # noqa: E402

from linnet import TextClassifier, engine, engines  # noqa: E402
from linnet.data import samples  # noqa: E402
from linnet.errors import EngineError  # noqa: E402
from linnet.learners import LBFGS  # noqa: E402
from linnet.learners.sharded_dual import ShardedDual  # noqa: E402

pytestmark = pytest.mark.filterwarnings("ignore")  # of Ray


def test_no_cluster_is_a_clear_error():
    ray.shutdown()
    for address in ("127.0.0.1:1", "ray://127.0.0.1:1"):
        with pytest.raises(EngineError, match=rf"no Ray cluster at {address}"):
            engines.Ray(address=address).connected()


def test_a_lost_machine_changes_no_bit(tmp_path, monkeypatch):
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
        there.close()
        _lose_one_that_reads(cluster, small, tmp_path, monkeypatch)
    finally:
        ray.shutdown()
        cluster.shutdown()


def _lose_one_that_reads(cluster, small, folder, monkeypatch):
    """The same of machines that read their shards by themselves."""
    texts, birds = samples.load("birds-train")
    lines = [f"{bird}\t{text}\n" for text, bird in zip(texts, birds, strict=True)]
    (folder / "birds.tsv").write_text("".join(lines), encoding="utf-8")
    model, epoch, rounds = TextClassifier(), ShardedDual.epoch, []
    with engine("local", shards=2):
        whole = model.fit(folder / "birds.tsv").coef_.tobytes()

    def disturbed(self):
        rounds.append(self.rounds)
        if len(rounds) == 3:
            lost = cluster.list_all_nodes()[-1]
            cluster.add_node(**small)
            cluster.remove_node(lost, allow_graceful=False)
        return epoch(self)

    monkeypatch.setattr(ShardedDual, "epoch", disturbed)
    with engine("ray", shards=2):
        assert model.fit(folder / "birds.tsv").coef_.tobytes() == whole
    assert len(rounds) > 3
