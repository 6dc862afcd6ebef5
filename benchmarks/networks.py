"""The networks in pgmpy's wheel, and pyAgrum's marginals of them: for benchmark and tests."""

from __future__ import annotations

import gzip
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np

from linnet.graphs import FactorGraph


def network(name: str, folder: Path) -> Path:
    """A file of the wheel, unpacked; pgmpy itself is not imported."""
    found = find_spec("pgmpy")
    if found is None or found.origin is None:
        raise ModuleNotFoundError("pgmpy is not installed")
    models = Path(found.origin).parent / "utils" / "example_models"
    path = folder / f"{name}.bif"
    path.write_bytes(gzip.decompress((models / f"{name}.bif.gz").read_bytes()))
    return path


def in_agrum(graph: FactorGraph) -> tuple[Any, list[int]]:
    """The same network, in double precision."""
    import pyagrum

    net = pyagrum.BayesNet()
    ids = [
        net.add(pyagrum.LabelizedVariable(f"v{v}", "", int(size))) for v, size in enumerate(graph.sizes)
    ]
    for block in graph.factors:
        *parents, child = map(int, block.scopes[0])
        for parent in parents:
            net.addArc(ids[parent], ids[child])
        sizes = graph.sizes[block.scopes[0]]
        given = block.tables[0].reshape(sizes)
        held = net.cpt(ids[child])
        order = [int(name[1:]) for name in held.names]  # of its axes, the last one first in arrays
        axes = [list(map(int, block.scopes[0])).index(v) for v in reversed(order)]
        held[:] = np.ascontiguousarray(np.transpose(given, axes))
    return net, ids


def agrum_marginals(net: Any, ids: list[int], given: dict[int, int] | None = None) -> list[np.ndarray]:
    """All of them, by its default; some variables may be known, by their numbers."""
    import pyagrum

    engine = pyagrum.LazyPropagation(net)
    engine.setNumberOfThreads(1)
    for variable, value in (given or {}).items():
        engine.addEvidence(ids[variable], value)
    engine.makeInference()
    return [np.array(engine.posterior(v).tolist()) for v in ids]


def farthest(ours: list[np.ndarray], theirs: list[np.ndarray]) -> float:
    """The largest difference of two probabilities."""
    return max(float(np.abs(a - b).max()) for a, b in zip(ours, theirs, strict=True))
