"""Belief propagation beside mean field: how far from exact marginals are they?

    python benchmarks/mean_field.py [--write]

The graphs are those of the manual, as its code makes them, and grids whose pairs agree or differ ever
more strongly. Nothing is timed. Mean field is coordinate ascent, from even shares until none moves.
"""

from __future__ import annotations

import contextlib
import io
import re
from pathlib import Path
from typing import Any

import numpy as np
from measure import run_sections, table

from linnet import FactorGraph

DOCS = Path(__file__).parents[1] / "docs"
SENTENCES = 20
Shares = list[np.ndarray]


def names_of(page: str) -> dict[str, Any]:
    """What the code of a page leaves behind."""
    names: dict[str, Any] = {}
    text = (DOCS / page).read_text(encoding="utf-8")
    for block in re.findall(r"^```python\n(.*?)^```$", text, re.MULTILINE | re.DOTALL):
        with contextlib.redirect_stdout(io.StringIO()):
            exec(block, names)
    return names


def expected(table: np.ndarray, scope: list[int], shares: Shares) -> np.ndarray:
    """The mean of a table over the last variables of it, those of ``scope``."""
    for v in reversed(scope):
        table = table @ shares[v]
    return table


def mean_field(graph: FactorGraph, rounds: int = 5000, tol: float = 1e-9) -> tuple[Shares, float]:
    """Independent shares that fit best from where they began, and their bound of log Z."""
    packed = graph.packed
    shares = [np.full(size, 1 / size) for size in packed.sizes]
    tables, beside = [], [[] for _ in shares]
    for f in range(len(packed.starts) - 1):
        scope = packed.members[packed.starts[f] : packed.starts[f + 1]].tolist()
        entries = packed.entries[packed.offsets[f] : packed.offsets[f + 1]]
        scores = np.log(entries).reshape(packed.sizes[scope])
        tables.append((scores, scope))
        for axis, v in enumerate(scope):
            beside[v].append((np.moveaxis(scores, axis, 0), [u for u in scope if u != v]))
    for _ in range(rounds):
        moved = 0.0
        for v, old in enumerate(shares):
            score = sum(expected(scores, others, shares) for scores, others in beside[v])
            share = np.exp(score - score.max())
            shares[v] = share / share.sum()
            moved = max(moved, abs(shares[v] - old).max())
        if moved < tol:
            break
    entropy = -sum(float(p[p > 0] @ np.log(p[p > 0])) for p in shares)
    return shares, entropy + sum(float(expected(*one, shares)) for one in tables)


def graphs() -> dict[str, list[FactorGraph]]:
    """Graphs with cycles that can be summed exactly."""
    page, worked = names_of("graphs.md"), names_of("graph-examples.md")
    agree = worked["picture"].factors[-1].tables[0].reshape(2, 2)
    part = FactorGraph.grid(14, 48, 2, worked["seen"][10:24, 40:88], agree)
    texts, _ = worked["problem"](*worked["test"])
    found = {
        "the grid of Graphs": [page["grid"]],
        "14 × 48 points of the noisy picture": [part],
        "skip chains": [worked["skipping"].graph(x) for x in worked["X"]],
        "factorial CRF": [worked["joint"].graph(x) for x in texts[:SENTENCES]],
    }
    rng = np.random.default_rng(1)
    for strength in (1.2, 2.0, 3.0, 5.0):
        single = rng.uniform(0.5, 1.5, (10, 10, 2))
        for what, pair in (("agree", [strength, 1]), ("differ", [1, strength])):
            grid = FactorGraph.grid(10, 10, 2, single, [pair, pair[::-1]])
            found[f"10 × 10 points, pairs {what}, {strength:g} : 1"] = [grid]
    return found


def marginals(_folder: Path, _repeats: int) -> str:
    """Mean distances to exact marginals, and of log Z."""
    rows = []
    for name, several in graphs().items():
        distances = []
        for graph in several:
            exact, log_z = graph.marginals().values(), graph.log_partition()
            beliefs = graph.beliefs(max_rounds=1000)
            sides = [(list(beliefs.marginals().values()), beliefs.log_partition), mean_field(graph)]
            distances.append(
                [
                    (np.mean([abs(a - b).max() for a, b in zip(exact, p, strict=True)]), abs(z - log_z))
                    for p, z in sides
                ]
            )
        rows.append([name, *(f"{x:.1e}" for x in np.mean(distances, axis=0).T.ravel())])
        print(" | ".join(rows[-1]), flush=True)
    head = ["", "marginals, beliefs", "mean field", "log Z, beliefs", "mean field"]
    return table(head, rows)


def picture(_folder: Path, _repeats: int) -> str:
    """Points of the whole noisy picture that are wrong where each takes its likelier value."""
    worked = names_of("graph-examples.md")
    truth, graph = worked["truth"].ravel(), worked["picture"]
    sides = {"beliefs": list(graph.beliefs().marginals().values()), "mean field": mean_field(graph)[0]}
    wrong = {
        name: sum((p[1] > 0.5) != t for p, t in zip(ps, truth, strict=True))
        for name, ps in sides.items()
    }
    wrong["best assignment, by a cut"] = (worked["found"].ravel() != truth).sum()
    print(*(f"{name}: {count}" for name, count in wrong.items()), sep=", ", flush=True)
    return table(["", f"wrong of {truth.size}"], [[name, str(count)] for name, count in wrong.items()])


if __name__ == "__main__":
    run_sections("mean_field", {"marginals": marginals, "picture": picture}, __doc__)
