"""Flat classification against LIBLINEAR and scikit-learn, one thread each, in the same run.

    LINNET_DATA=... python benchmarks/flat.py [--repeats 5] [--only solvers|multiclass|growth] [--write]

Every side starts from the matrix in memory: Linnet from SciPy's CSR (float64), everything counted;
LIBLINEAR from its own `problem`, whose making is not counted. For each problem the loosest tolerance of
a grid that reaches the wanted objective is looked for first, for every solver of the peer; the best
setting of each side is then run in turn, several times, and the medians are reported.
"""

from __future__ import annotations

import argparse
import multiprocessing
import warnings
from collections.abc import Callable

import one_thread  # noqa: F401  # before NumPy

import numpy as np  # isort: skip
from corpora import Matrix, load
from liblinear.liblinearutil import parameter, problem, train
from measure import Timing, interleaved, once, table, write_sections
from scipy import sparse
from scipy.special import logsumexp

import linnet

GAP = 1e-3
STEPS = (10, 8, 6.5, 5, 4.5, 4, 3.5, 3, 2.5, 2, 1.8, 1.5, 1.2)
# As fine for both sides, and loose enough at the start that neither is made to overshoot.
LIBLINEAR_GRID = tuple(k * 10.0**-e for e in range(-1, 4) for k in STEPS)
LINNET_GRID = tuple(k * 10.0**-e for e in range(5) for k in STEPS)


def objective(loss: str, penalty: str, w: np.ndarray, m: Matrix) -> float:
    """½‖w‖² or ‖w‖₁ plus the sum of the losses, C = 1, in float64."""
    size = 0.5 * float((w * w).sum()) if penalty == "l2" else float(np.abs(w).sum())
    if w.shape[0] == 1:
        margin = np.where(m.y == 1, 1.0, -1.0) * (m.X @ w[0])
        each = {
            "logistic": lambda: np.logaddexp(0, -margin),
            "hinge": lambda: np.maximum(0, 1 - margin),
            "squared_hinge": lambda: np.maximum(0, 1 - margin) ** 2,
        }[loss]()
        return size + float(each.sum())
    rows = np.arange(len(m.y))
    scores = np.asarray(m.X @ w.T)
    gold = scores[rows, m.y]
    if loss == "logistic":
        return size + float((logsumexp(scores, axis=1) - gold).sum())
    scores += 1
    scores[rows, m.y] -= 1
    return size + float((scores.max(axis=1) - gold).sum())


def linnet_run(loss: str, penalty: str, m: Matrix, tol: float) -> Callable[[], np.ndarray]:
    """A fit by the learner Linnet chooses itself."""
    model = linnet.LinearClassifier(
        loss, penalty=penalty, fit_intercept=False, tol=tol, diagnostics=False
    )
    return lambda: model.fit(m.X, m.y).coef_


def liblinear_run(solver: int, m: Matrix, prepared: problem, eps: float) -> Callable[[], np.ndarray]:
    """A fit by one of LIBLINEAR's solvers; its labels are in the order it met them."""
    settings = parameter(f"-s {solver} -c 1 -e {eps} -q")

    def run() -> np.ndarray:
        model = train(prepared, settings)
        width = 1 if m.labels == 2 and solver != 4 else m.labels
        w = np.ctypeslib.as_array(model.w, (m.X.shape[1], width)).T.copy()
        order = model.get_labels()
        if width == 1:
            return w if order[0] == 1 else -w
        return w[np.argsort(order)]

    return run


def reaching(
    make: Callable[[float], Callable[[], np.ndarray]],
    grid: tuple[float, ...],
    good: Callable[[np.ndarray], bool],
) -> tuple[float, Timing] | None:
    """The first, loosest tolerance whose result is good enough, three times in a row.

    (Once would do for Linnet, whose results repeat to the bit; LIBLINEAR draws a new order each time.)
    """
    for tolerance in grid:
        timings = []
        for _ in range(3):
            timings.append(once(make(tolerance)))
            if not good(timings[-1].result):
                break
        else:
            return tolerance, min(timings, key=lambda t: t.cpu)
    return None


def solvers(m: Matrix, repeats: int) -> str:
    """Binary problems: time to a relative primal gap of 1e-3."""
    prepared = problem(np.where(m.y == 1, 1, -1), m.X)
    labels = Matrix(m.name, m.X, m.y, m.X_test, m.y_test)
    rows = []
    for title, loss, penalty, peers in (
        ("L2-LR", "logistic", "l2", (7, 0)),
        ("L2-loss SVM", "squared_hinge", "l2", (1, 2)),
        ("L1-loss SVM", "hinge", "l2", (3,)),
        ("L1-regularised LR", "logistic", "l1", (6,)),
        ("L1-regularised L2-loss SVM", "squared_hinge", "l1", (5,)),
    ):
        best = objective(loss, penalty, linnet_run(loss, penalty, m, 1e-6)(), m)
        limit = best * (1 + GAP)

        def good(w: np.ndarray, loss: str = loss, penalty: str = penalty, limit: float = limit) -> bool:
            return objective(loss, penalty, w, labels) <= limit

        def reached(t: Timing, loss: str = loss, penalty: str = penalty, best: float = best) -> str:
            return f"{objective(loss, penalty, t.result, m) / best - 1:.1e}"

        ours = reaching(lambda t, a=loss, b=penalty: linnet_run(a, b, m, t), LINNET_GRID, good)
        assert ours is not None, title
        theirs = None
        for s in peers:
            found = reaching(lambda e, s=s: liblinear_run(s, m, prepared, e), LIBLINEAR_GRID, good)
            if found and (theirs is None or found[1].cpu < theirs[1]):
                theirs = (found[0], found[1].cpu, s)
        assert theirs is not None, title
        timings = interleaved(
            {
                "linnet": linnet_run(loss, penalty, m, ours[0]),
                "liblinear": liblinear_run(theirs[2], m, prepared, theirs[0]),
            },
            repeats,
        )
        rows.append(
            versus(
                [m.name, title, f"{best:.3f}"],
                timings["linnet"],
                f"tol {ours[0]:g}, gap {reached(timings['linnet'])}",
                timings["liblinear"],
                f"-s {theirs[2]} -e {theirs[0]:g}, gap {reached(timings['liblinear'])}",
            )
        )
        print(rows[-1], flush=True)
    return table(["matrix", "problem", "objective", *SIDES("LIBLINEAR")], rows)


def multiclass(m: Matrix, repeats: int, cap: float = 600.0) -> str:
    """Crammer–Singer against -s 4, maximum entropy against scikit-learn, at no worse objective.

    LIBLINEAR draws a new order each time, and with it ends at another objective after another time: its
    median objective is what has to be reached, and its median time what it is set against.
    """
    rows = []
    prepared = problem(m.y, m.X)
    theirs = liblinear_run(4, m, prepared, 0.1)
    repeats = repeats if once(theirs).cpu > 1 else 4 * repeats + 1
    target = float(np.median([objective("hinge", "l2", theirs(), m) for _ in range(repeats)]))
    ours = reaching(
        lambda t: linnet_run("hinge", "l2", m, t),
        LINNET_GRID,
        lambda w: objective("hinge", "l2", w, m) <= target,
    )
    assert ours is not None
    timings = interleaved(
        {
            "linnet": linnet_run("hinge", "l2", m, ours[0]),
            "liblinear": theirs,
        },
        repeats,
    )
    rows.append(
        versus(
            [m.name, "Crammer–Singer"],
            timings["linnet"],
            f"tol {ours[0]:g}, objective {objective('hinge', 'l2', timings['linnet'].result, m):.1f}",
            timings["liblinear"],
            f"LIBLINEAR -s 4, median objective {target:.1f}",
        )
    )
    print(rows[-1], flush=True)

    peer = capped(sklearn_maxent, m, cap)
    if peer.result is None:  # there is no objective to compare at
        mine = interleaved({"linnet": linnet_run("logistic", "l2", m, 1e-2)}, repeats)["linnet"]
        value = objective("logistic", "l2", mine.result, m)
        said = [f"tol 0.01, objective {value:.1f}", f"{mine.cpu:.3f} ({mine.wall:.3f})"]
        late = ["scikit-learn lbfgs", f"not done after {cap:.0f} s", "no ratio"]
        rows.append([m.name, "maximum entropy", *said, *late])
        print(rows[-1], flush=True)
        return table(["matrix", "problem", *SIDES("peer")], rows)
    target = objective("logistic", "l2", peer.result, m)
    ours = reaching(
        lambda t: linnet_run("logistic", "l2", m, t),
        LINNET_GRID,
        lambda w: objective("logistic", "l2", w, m) <= target,
    )
    assert ours is not None
    mine = interleaved({"linnet": linnet_run("logistic", "l2", m, ours[0])}, repeats)["linnet"]
    rows.append(
        versus(
            [m.name, "maximum entropy"],
            mine,
            f"tol {ours[0]:g}, objective {objective('logistic', 'l2', mine.result, m):.1f}",
            peer,
            f"scikit-learn lbfgs, objective {target:.1f}",
        )
    )
    print(rows[-1], flush=True)
    return table(["matrix", "problem", *SIDES("peer")], rows)


def sklearn_maxent(m: Matrix) -> np.ndarray:
    """The peer's default tolerance, with room to converge."""
    from sklearn.linear_model import LogisticRegression

    return LogisticRegression(C=1.0, fit_intercept=False, max_iter=1000).fit(m.X, m.y).coef_


def _child(run: Callable[[Matrix], np.ndarray], m: Matrix, answers: multiprocessing.Queue) -> None:
    timing = once(lambda: run(m))
    answers.put((timing.wall, timing.cpu, timing.result))


def capped(run: Callable[[Matrix], np.ndarray], m: Matrix, seconds: float) -> Timing:
    """Run in a process of its own that is stopped after `seconds`."""
    answers: multiprocessing.Queue = multiprocessing.Queue()
    child = multiprocessing.Process(target=_child, args=(run, m, answers))
    child.start()
    try:
        wall, cpu, result = answers.get(timeout=seconds)
    except Exception:  # queue.Empty: out of time
        child.kill()
        return Timing(seconds, seconds, None)
    child.join()
    return Timing(wall, cpu, result)


def growth(m: Matrix, repeats: int) -> str:
    """Time per pass for n, 2n and 4n instances: linear in the non-zeros."""
    rows = []
    quarter = m.X.shape[0] // 4
    order = np.random.default_rng(0).permutation(m.X.shape[0])
    for title, loss, learner, penalty in (
        ("perceptron, averaged", "perceptron", "perceptron", "none"),
        ("SGD, L2", "logistic", "sgd", "l2"),
        ("MIRA", "hinge", "mira", "none"),
        ("dual, hinge", "hinge", linnet.learners.Dual(shrinking=False), "l2"),
        ("L-BFGS", "logistic", "lbfgs", "l2"),
    ):
        cells = [title]
        for k in (1, 2, 4):
            part = sparse.csr_matrix(m.X[order[: k * quarter]])
            y = m.y[order[: k * quarter]]
            model = linnet.LinearClassifier(
                loss,
                learner,
                penalty,
                average=learner == "perceptron",
                max_iter=6,
                tol=1e-12,
                diagnostics=False,
            )

            def passes(
                model: linnet.LinearClassifier = model, X: object = part, y: np.ndarray = y
            ) -> float:
                with warnings.catch_warnings():
                    warnings.simplefilter("ignore")
                    epochs = model.fit(X, y).record_.epochs
                return float(np.median([e.seconds for e in epochs[1:]]))

            seconds = np.median([passes() for _ in range(repeats)])
            cells.append(f"{1e3 * seconds:.1f} ms ({1e9 * seconds / part.nnz:.2f} ns/non-zero)")
        rows.append(cells)
        print(cells, flush=True)
    return table(["pass of", "n", "2n", "4n"], rows)


def SIDES(peer: str) -> list[str]:  # noqa: N802
    """The columns of a comparison."""
    return ["Linnet", "CPU s (wall)", peer, "CPU s (wall)", "ratio (CPU)"]


def versus(head: list[str], ours: Timing, note: str, theirs: Timing, peer_note: str) -> list[str]:
    """One row of a comparison."""
    return [
        *head,
        note,
        f"{ours.cpu:.3f} ({ours.wall:.3f})",
        peer_note,
        f"{theirs.cpu:.3f} ({theirs.wall:.3f})",
        f"**{theirs.cpu / ours.cpu:.1f}×**",
    ]


def main() -> None:
    """Run the parts asked for."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--only", choices=["solvers", "multiclass", "growth"])
    parser.add_argument("--write", action="store_true", help="keep the tables in benchmarks/README.md")
    arguments = parser.parse_args()
    sections = {}
    if arguments.only in (None, "solvers", "growth"):
        imdb = load("imdb", min_df=2)
        if arguments.only in (None, "solvers"):
            sections["solvers"] = solvers(imdb, arguments.repeats)
        if arguments.only in (None, "growth"):
            sections["growth"] = growth(imdb, arguments.repeats)
        del imdb
    if arguments.only in (None, "multiclass"):
        parts = [
            multiclass(load(name, min_df), arguments.repeats)
            for name, min_df in (("banking77", 1), ("debian_sections", 2))
        ]
        sections["multiclass"] = "\n".join([parts[0], *(p.split("\n", 2)[2] for p in parts[1:])])
    for body in sections.values():
        print("\n" + body)
    if arguments.write:
        write_sections(sections)


if __name__ == "__main__":
    main()
