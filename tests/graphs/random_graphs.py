"""Small random graphs, and all of their assignments."""

from itertools import product

import numpy as np
from hypothesis import strategies as st

from linnet.graphs import FactorGraph


@st.composite
def graphs(draw, largest: int = 6, zeros: bool = True, tree: bool = False) -> FactorGraph:
    """Any scopes, also variables without a factor, domains of one value, and parts apart."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    count = draw(st.integers(1, largest))
    graph = FactorGraph()
    for v in range(count):
        graph.add_variable(f"v{v}", int(rng.integers(1, 4)))
    sizes = graph.sizes
    for v in range(1 if tree else int(rng.integers(0, 2)), count if tree else int(rng.integers(1, 9))):
        if tree:
            scope = [int(rng.integers(0, v)), v]
        else:
            arity = int(rng.integers(1, min(count, 4) + 1))
            scope = list(map(int, rng.permutation(count)[:arity]))
        table = np.exp(rng.normal(scale=2, size=[sizes[u] for u in scope]))
        if zeros and rng.random() < 0.3:
            hidden = rng.random(table.shape) < 0.3
            hidden.flat[int(rng.integers(hidden.size))] = False
            table[hidden] = 0
        graph.add_factor([f"v{u}" for u in scope], table)
    return graph


def all_assignments(graph: FactorGraph, given: dict | None = None) -> tuple[np.ndarray, np.ndarray]:
    """Codes of every assignment that agrees with what is given, and their scores."""
    codes = np.array(list(product(*(range(int(n)) for n in graph.sizes))), np.int32)
    for name, value in (given or {}).items():
        v = graph.variables.number(name)
        codes = codes[codes[:, v] == graph.variables.code(v, value)]
    return codes, np.array([graph.packed.score(row) for row in codes])


def shares(scores: np.ndarray) -> np.ndarray:
    """exp(score) / Z."""
    found = np.exp(scores - scores.max())
    return found / found.sum()
