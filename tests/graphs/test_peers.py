"""pyAgrum's marginals of published networks, those in pgmpy's wheel that take a moment."""

from importlib.util import find_spec, module_from_spec, spec_from_file_location
from pathlib import Path

import numpy as np
import pytest

from linnet.formats.graphs import read_graph

pytest.importorskip("pyagrum")
if find_spec("pgmpy") is None:  # its files are read; importing it takes seconds
    pytest.skip("pgmpy, which brings the networks, is not installed", allow_module_level=True)

SPEC = spec_from_file_location("networks", Path(__file__).parents[2] / "benchmarks" / "networks.py")
networks = module_from_spec(SPEC)
SPEC.loader.exec_module(networks)

NAMES = (
    "asia", "cancer", "earthquake", "sachs", "survey", "child", "insurance", "alarm",
    "hailfinder", "hepar2", "win95pts", "andes", "pigs",
)  # fmt: skip


@pytest.mark.parametrize("name", NAMES)
def test_marginals_of_published_networks(tmp_path, name: str) -> None:
    graph = read_graph(networks.network(name, tmp_path))
    peer = networks.in_agrum(graph)
    ours = list(graph.marginals().values())
    assert networks.farthest(ours, networks.agrum_marginals(*peer)) < 1e-8

    rng = np.random.default_rng(0)  # evidence that is possible: a few values of one draw
    [drawn] = graph.given().sample(1, seed=0)
    known = {
        int(v): int(drawn[v]) for v in rng.choice(len(drawn), max(1, len(drawn) // 8), replace=False)
    }
    named = {graph.names[v]: graph.variables.domains[v][value] for v, value in known.items()}
    ours = list(graph.marginals(named).values())
    assert networks.farthest(ours, networks.agrum_marginals(*peer, known)) < 1e-8
