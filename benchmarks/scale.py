"""Threads, shards and clusters: what they gain, and what they cost.

    LINNET_DATA=... python benchmarks/scale.py [--repeats 3] [--only SECTION] [--write]

"threads" is wall time with one thread and with all cores, in turn, in one process; the weights of both
are compared bit by bit. Its "ceiling" is what there is to gain: the same job with one thread in as many
processes as there are cores, at once, against one such process. They share no lock and no work; what
keeps them from 2 on two cores is the memory and the caches that cores share. "learners" trains imdb on
4 shards by sums, by mixing and by averaging, and counts the bytes that a cluster would send. "distance"
is ‖w − w_avg‖ / ‖w‖ against the number of texts.
"ray" is the time of a round of gradients above that of the same shards in this process, with 2 actors;
"files" labels a folder, and one file whole and in pieces, on Ray and without.
"""

from __future__ import annotations

import os
import shutil
from functools import partial
from pathlib import Path
from typing import Any

import measure  # pins this process to one core, which is not what is measured here
import numpy as np
from corpora import data_folder, read
from measure import interleaved, run_sections, table

import linnet
from linnet import engines
from linnet.data import as_rows
from linnet.learners import Averaging, Mixing
from linnet.learners.shards import SummedObjective
from linnet.structures import Binary, Problem

ALL = list(range(os.cpu_count() or 1))
if hasattr(os, "sched_setaffinity"):
    os.sched_setaffinity(0, ALL)


def threads(_: Path, repeats: int) -> str:
    """One core against all."""
    labels, texts = read(data_folder() / "imdb" / "train.tsv")
    features = linnet.TextFeatures()
    rows = linnet.TextFeatures().fit_rows(linnet_texts(texts), threads=1)
    ewt = str(data_folder() / "ud_en_ewt" / "en_ewt-ud-train.conllu")
    columns = linnet.formats.read_sequences(ewt)
    tagger = linnet.Tagger(verbose=False).fit(columns)
    parser_data = linnet.formats.read_trees(ewt)
    parser = linnet.DependencyParser(max_iter=1, verbose=False).fit(parser_data)
    classifier = linnet.TextClassifier(verbose=False).fit(texts, labels)
    coded = np.unique(labels, return_inverse=True)[1].astype(np.int32)

    def batch(n: int) -> Any:
        model = linnet.LinearClassifier(learner="lbfgs", n_jobs=n, diagnostics=False, tol=1e-3)
        return model.fit(rows, coded).coef_

    def dual(n: int) -> Any:
        model = linnet.LinearClassifier(learner="dual", n_jobs=n, diagnostics=False, tol=1e-2)
        with linnet.engine("local", shards=4):
            return model.fit(rows, coded).coef_

    def extract(n: int) -> Any:
        return features.fit_rows(linnet_texts(texts), threads=n).indices

    def using(model: Any, data: Any) -> Any:
        def run(n: int) -> Any:
            model.n_jobs = n
            return model.predict(data)

        return run

    lines = []
    for name, run in (
        ("features of imdb", extract),
        ("L-BFGS, imdb", batch),
        ("dual on 4 shards, imdb", dual),
        ("labels of imdb", using(classifier, texts)),
        ("tags of EWT", using(tagger, columns)),
        ("trees of EWT", using(parser, parser_data)),
    ):
        runs = {str(n): partial(run, n) for n in (1, len(ALL))}
        apart = {f"{n} apart": partial(side_by_side, partial(run, 1), n) for n in (1, len(ALL))}
        found = interleaved(runs | apart, repeats)
        one, all_ = found["1"], found[str(len(ALL))]
        same = _same(one.result, all_.result)
        gain = one.wall / all_.wall
        ceiling = len(ALL) * found["1 apart"].wall / found[f"{len(ALL)} apart"].wall
        times = [f"{one.wall:.2f}", f"{all_.wall:.2f}", f"{gain:.2f}×", f"{ceiling:.2f}×"]
        lines.append([name, *times, "yes" if same else "no"])
        print(*lines[-1], flush=True)
    header = ["", "1 thread, s", f"{len(ALL)} threads, s", "gain", "ceiling", "same bits"]
    return table(header, lines)


def side_by_side(run: Any, processes: int) -> None:
    """The same in forked processes, each on a core of its own, which begin together."""
    begin, go = os.pipe()
    children = []
    for core in ALL[:processes]:
        child = os.fork()
        if child == 0:
            try:
                os.sched_setaffinity(0, [core])
                os.close(go)
                os.read(begin, 1)  # until the other end is closed
                run()
                os._exit(0)
            finally:
                os._exit(1)
        children.append(child)
    os.close(begin)
    os.close(go)
    for child in children:
        if os.waitpid(child, 0)[1] != 0:
            raise RuntimeError("a process of the ceiling failed")


def learners(_: Path, repeats: int) -> str:
    """Sums, mixing and averaging in accuracy, time and bytes."""
    labels, texts = read(data_folder() / "imdb" / "train.tsv")
    test_labels, test_texts = read(data_folder() / "imdb" / "test.tsv")
    features = linnet.TextFeatures()
    rows = features.fit_rows(linnet_texts(texts))
    test = features.rows(linnet_texts(test_texts))
    shards, lines = 4, []
    for name, settings in (
        ("dual, no shards", {"loss": "logistic", "learner": "dual"}),
        ("lbfgs, summed", {"loss": "logistic", "learner": "lbfgs"}),
        ("dual, CoCoA+", {"loss": "logistic", "learner": "dual"}),
        ("averaging of dual", {"loss": "logistic", "learner": Averaging("dual")}),
        ("pa, no shards", {"loss": "hinge", "learner": "pa", "penalty": "none", "average": True}),
        (
            "mixing of pa",
            {"loss": "hinge", "learner": Mixing("pa"), "penalty": "none", "average": True},
        ),
        (
            "averaging of pa",
            {"loss": "hinge", "learner": Averaging("pa"), "penalty": "none", "average": True},
        ),
    ):
        model = linnet.LinearClassifier(**settings, diagnostics=False, tol=1e-3)

        def fit(model: Any = model, name: str = name) -> Any:
            if "no shards" in name:
                return model.fit(rows, labels)
            with linnet.engine("local", shards=shards):
                return model.fit(rows, labels)

        found = interleaved({name: fit}, repeats)[name]
        rounds = 0 if "no shards" in name else found.result.n_iter_
        sent = _sent(name, rounds, found.result.coef_.size, len(labels), shards)
        accuracy = 100 * found.result.score(test, test_labels)
        lines.append([name, f"{accuracy:.2f}", f"{found.wall:.2f}", str(rounds or "–"), sent])
        print(*lines[-1], flush=True)
    return table(["learner", "accuracy", "s", "rounds", "MB sent"], lines)


def distance(_: Path, repeats: int) -> str:  # noqa: ARG001
    """How far the average of shards is from the whole."""
    labels, texts = read(data_folder() / "imdb" / "train.tsv")
    rows = linnet.TextFeatures(min_df=20).fit_rows(linnet_texts(texts)).scipy()
    order = np.random.default_rng(0).permutation(len(labels))
    named, lines, found = np.array(labels), [], []
    for n in (500, 1000, 2000, 4000, 8000, 16000, len(labels)):
        some = order[:n]
        settings: dict[str, Any] = {
            "loss": "logistic",
            "alpha": 1e-3,
            "tol": 1e-6,
            "diagnostics": False,
        }
        whole = linnet.LinearClassifier(learner="lbfgs", **settings).fit(rows[some], named[some]).coef_
        mean = linnet.LinearClassifier(learner=Averaging("lbfgs", 4), **settings)
        apart = np.linalg.norm(whole - mean.fit(rows[some], named[some]).coef_) / np.linalg.norm(whole)
        lines.append([str(n), f"{apart:.4f}", f"{apart * np.sqrt(n):.2f}"])
        found.append((n, float(apart)))
        print(*lines[-1], flush=True)
    drawn(found, Path(__file__).with_name("averaging.svg"))
    return table(["texts", "‖w − w_avg‖ / ‖w‖", "times √texts"], lines)


def drawn(found: list[tuple[int, float]], path: Path) -> None:
    """The distance against the number of texts, and what the theory promises."""
    import matplotlib

    matplotlib.use("svg")
    import matplotlib.pyplot as plt

    matplotlib.rcParams["svg.hashsalt"] = "linnet"  # the same file for the same numbers
    texts, apart = np.array(found).T
    figure, axes = plt.subplots(figsize=(5, 3.2), layout="constrained")
    axes.loglog(texts, apart, "o-", label="measured")
    axes.loglog(texts, apart[0] * np.sqrt(texts[0] / texts), "--", label="1/√|T|")
    axes.set_xlabel("texts |T|")
    axes.set_ylabel("‖w − w_avg‖ / ‖w‖")
    axes.legend()
    figure.savefig(path, metadata={"Date": None})
    plt.close(figure)


def ray(_: Path, repeats: int) -> str:
    """What a round costs more than the same shards in this process."""
    lines = []
    for dim in (10**3, 10**6, 10**7):
        X = np.ones((2, 1), np.float32)
        from scipy.sparse import csr_matrix

        wide = csr_matrix((X[:, 0], ([0, 1], [0, 1])), shape=(2, dim))
        structure = Binary(as_rows(wide, 0.0), np.array([0, 1], np.int32))
        problem = Problem(
            structure, "logistic", "l2", np.ones(2), l1=0.0, l2=1.0, C=1.0, tol=0.0, seed=0, threads=2
        )
        w, found = np.zeros(dim + 1), {}
        objectives = {
            engine.name: SummedObjective(engine, problem)
            for engine in (engines.Local(2), engines.Ray(2))
        }
        for each in objectives.values():
            each.evaluate(w)
        found = interleaved(
            {name: partial(each.evaluate, w) for name, each in objectives.items()},
            max(repeats, 9),
        )
        cost = found["ray"].wall - found["local"].wall
        allowed = 0.015 + 15e-9 * dim
        lines.append([f"{dim:,}", f"{1e3 * cost:.1f}", f"{1e3 * allowed:.0f}"])
        print(*lines[-1], flush=True)
        objectives["ray"].workers.close()
    return table(["weights", "ms a round", "at most"], lines)


def files(folder: Path, repeats: int) -> str:
    """Labels of a folder of files, and of the same texts in one."""
    from click.testing import CliRunner

    from linnet.cli import main

    labels, texts = read(data_folder() / "imdb" / "train.tsv")
    linnet.TextClassifier(verbose=False).fit(texts, labels).save(folder / "m.linnet")
    parts = folder / "parts"
    parts.mkdir(exist_ok=True)
    for k in range(8):
        (parts / f"{k}.txt").write_text("\n".join(texts[k::8]) + "\n", encoding="utf-8")
    one = folder / "one.txt"
    one.write_text("\n".join(texts) + "\n", encoding="utf-8")

    def label(*extra: str, data: Path = parts / "*.txt") -> None:
        shutil.rmtree(folder / "out", ignore_errors=True)
        words = ["predict", str(folder / "m.linnet"), str(data), "--into", str(folder / "out")]
        result = CliRunner().invoke(main, [*words, *extra])
        assert result.exit_code == 0, result.output

    engines.Ray().connected()
    found = interleaved(
        {
            "one thread": lambda: label("--threads", "1"),
            "all cores": label,
            "ray": lambda: label("--engine", "ray"),
            "one file": lambda: label("--piece", "1GB", data=one),
            "one file in pieces": lambda: label("--piece", "4MB", data=one),
            "one file in pieces, ray": lambda: label("--piece", "4MB", "--engine", "ray", data=one),
        },
        repeats,
    )
    lines = [[name, f"{t.wall:.2f}", f"{len(texts) / t.wall:,.0f}"] for name, t in found.items()]
    for line in lines:
        print(*line, flush=True)
    return table(["", "s", "texts a second"], lines)


def linnet_texts(texts: list[str]) -> Any:
    """As features take them."""
    from linnet.data import as_texts

    return as_texts(texts)


def _same(one: Any, other: Any) -> bool:
    if isinstance(one, np.ndarray) and one.dtype != object:
        return one.tobytes() == other.tobytes()
    return str(one) == str(other)


def _sent(name: str, rounds: int, weights: int, instances: int, shards: int) -> str:
    if not rounds:
        return "–"
    there_and_back = {"lbfgs": 16 * weights, "mixing": 12 * weights, "averaging": 8 * weights / rounds}
    each = next((size for part, size in there_and_back.items() if part in name), 16 * weights)
    duals = 16 * instances / shards if "CoCoA" in name else 0
    return f"{rounds * shards * (each + duals) / 1e6:,.1f}"


SECTIONS = {"threads": threads, "learners": learners, "distance": distance, "ray": ray, "files": files}

if __name__ == "__main__":
    run_sections("scale", SECTIONS, __doc__ or "")
    assert measure
