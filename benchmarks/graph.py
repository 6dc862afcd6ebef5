"""Bayesian networks and factor graphs: all marginals, best assignments, a picture.

    python benchmarks/graph.py [--repeats 3] [--only SECTION] [--write]

One thread, CPU seconds. The networks are those in pgmpy's wheel. pyAgrum is given the same tables in
full precision (its reader of BIF files keeps 32 bits), so that marginals can be compared; reading is
not timed. pgmpy and toulbar2 get a time limit, in a process of their own.
"""

from __future__ import annotations

import json
import subprocess
import sys
from functools import partial
from pathlib import Path

import numpy as np
from measure import interleaved, once, run_sections, table
from networks import agrum_marginals, farthest, in_agrum, network

from linnet.formats.graphs import read_graph, write_graph
from linnet.graphs import FactorGraph

SMALL = ["asia", "child", "insurance", "alarm", "hailfinder", "hepar2", "win95pts"]
LARGE = ["andes", "pigs", "pathfinder", "water", "mildew", "barley", "diabetes"]
HUGE = ["munin", "munin2", "munin3", "munin4", "munin1", "link"]
SIDES = Path(__file__).with_name("sides")
AGREE = 1e-8  # farther apart marginals are an error, not a row of the table
LIMIT = 120  # seconds for peers that may not finish


def our_marginals(graph: FactorGraph) -> list[np.ndarray]:
    """From the tables as they were read."""
    graph.__dict__.pop("packed", None)
    return list(graph.marginals().values())


def marginals(folder: Path, repeats: int) -> str:
    """Seconds for all marginals, and the largest difference between the two."""
    rows = []
    for name in SMALL + LARGE + HUGE:
        path = network(name, folder)
        graph = read_graph(path)
        net, ids = in_agrum(graph)
        runs = {"linnet": partial(our_marginals, graph), "pyAgrum": partial(agrum_marginals, net, ids)}
        found = interleaved(runs, 1 if name in ("munin1", "link") else repeats)
        worst = farthest(found["linnet"].result, found["pyAgrum"].result)
        if not worst <= AGREE:
            sys.exit(f"{name}: marginals differ by {worst:.1e}, more than {AGREE:.0e}")
        tree = graph.given().tree
        pgmpy = peer("pgmpy_side.py", path) if name in ("asia", "alarm", "andes") else "–"
        rows.append(
            [name, str(len(graph.names)), f"{tree['entries']:,}"]
            + [f"{found[side].cpu:.4f}" for side in runs]
            + [pgmpy, f"{worst:.1e}"]
        )
        print(" | ".join(rows[-1]), flush=True)
    header = ["network", "variables", "entries", "linnet, CPU s", "pyAgrum", "pgmpy", "difference"]
    return table(header, rows)


def peer(side: str, path: Path) -> str:
    """What a peer says within the limit."""
    try:
        ran = subprocess.run(
            [sys.executable, str(SIDES / side), str(path)],
            capture_output=True, text=True, timeout=LIMIT, check=False,
        )  # fmt: skip
    except subprocess.TimeoutExpired:
        return f"> {LIMIT}"
    if ran.returncode != 0:
        return (ran.stderr.strip().splitlines() or ["failed"])[-1].split(":")[0][:20]
    return f"{json.loads(ran.stdout.splitlines()[-1])['cpu']:.3f}"


def best(folder: Path, repeats: int) -> str:
    """Best assignments, beside those of toulbar2 where it finishes."""
    rows = []
    for name in [*SMALL, *LARGE, "munin2", "munin3"]:
        graph = read_graph(network(name, folder))
        found = interleaved({"linnet": graph.best}, repeats)["linnet"]
        path = folder / f"{name}.uai"
        write_graph(graph, path)
        rows.append([name, f"{found.cpu:.4f}", f"{found.result[1]:.6f}", *toulbar(path)])
        print(" | ".join(rows[-1]), flush=True)
    header = ["network", "linnet, CPU s", "log score", "toulbar2, CPU s", "its log score"]
    return table(header, rows)


def toulbar(path: Path) -> list[str]:
    """Seconds, and the score of its assignment."""
    try:
        ran = subprocess.run(
            [sys.executable, str(SIDES / "toulbar_side.py"), str(path)],
            capture_output=True, text=True, timeout=LIMIT, check=True,
        )  # fmt: skip
        said = json.loads(ran.stdout.splitlines()[-1])
    except subprocess.TimeoutExpired:
        return [f"> {LIMIT}", "–"]
    except (subprocess.CalledProcessError, IndexError, ValueError):
        return ["failed", "–"]
    values = dict(enumerate(said["values"]))
    return [f"{said['cpu']:.4f}", f"{read_graph(path).score(values):.6f}"]


def picture(_folder: Path, repeats: int) -> str:
    """256 × 256 points, a fifth of them flipped: belief propagation, and the exact cut."""
    rng = np.random.default_rng(0)
    side = 256
    y, x = np.mgrid[:side, :side]
    truth = (((x - 90) ** 2 + (y - 120) ** 2 < 60**2) | (abs(x - y) < 14)).astype(int)
    noisy = np.where(rng.random((side, side)) < 0.2, 1 - truth, truth)
    unary = np.where(noisy[..., None] == np.arange(2), 0.8, 0.2)
    built = once(lambda: FactorGraph.grid(side, side, 2, unary, [[0.75, 0.25], [0.25, 0.75]]))
    graph = built.result
    _ = graph.packed
    rows = []
    ways = {
        "residual, best values": lambda: graph.beliefs(maximise=True).best(),
        "flooding, 30 rounds": lambda: graph.beliefs(schedule="flooding", max_rounds=30).best(),
        "sequential, marginals": lambda: graph.beliefs(schedule="sequential").best(),
        "cut, exact": lambda: graph.best(method="cut")[0],
    }
    for name, timing in interleaved(ways, repeats).items():
        found = np.array(list(timing.result.values())).reshape(side, side)
        score = graph.score(timing.result)
        wrong = 100 * (found != truth).mean()
        rows.append([name, f"{timing.cpu:.2f}", f"{wrong:.2f} %", f"{score:.2f}"])
        print(" | ".join(rows[-1]), flush=True)
    return table(["256 × 256 points", "CPU s", "wrong points (20 % before)", "log score"], rows)


SECTIONS = {"marginals": marginals, "best": best, "picture": picture}


if __name__ == "__main__":
    run_sections("graph", SECTIONS, __doc__)
