"""Kernel machines beside scikit-learn and scikit-learn-intelex; strings, trees; kernels written out.

    LINNET_DATA=... python benchmarks/kernel.py [--repeats 3] [--only SECTION] [--write]

One thread, CPU seconds, all sides in one run. The peers get the same matrix, C = 1 and the same width.
"""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from corpora import data_folder, read
from measure import interleaved, once, run_sections, table
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.svm import SVC

import linnet
from linnet.formats import read_brackets
from linnet.kernels import (
    Conjunctions,
    Gappy,
    Gaussian,
    Linear,
    Normalised,
    Nystroem,
    RandomFourier,
    SubsetTree,
    TreeFragments,
)

DOCUMENTS = 5000


def documents(name: str, size: int = DOCUMENTS) -> tuple[Any, Any, Any, Any]:
    """Rows and labels of training and test, drawn at random."""
    folder = data_folder() / name
    labels, texts = read(folder / "train.tsv")
    test_labels, test_texts = read(folder / "test.tsv")
    drawn = np.random.default_rng(0).permutation(len(labels))[:size]
    vectoriser = TfidfVectorizer()
    X = vectoriser.fit_transform([texts[i] for i in drawn])
    rows = vectoriser.transform(test_texts[:DOCUMENTS])
    return X, np.array(labels)[drawn], rows, np.array(test_labels[:DOCUMENTS])


def peer_machines() -> dict[str, Any]:
    """The classes that are there."""
    found: dict[str, Any] = {"scikit-learn": SVC}
    try:
        from sklearnex.svm import SVC as fast  # noqa: N811

        found["intelex"] = fast
    except ImportError:
        print("scikit-learn-intelex is not installed", flush=True)
    return found


def objective(model: Any, K: Any) -> float:
    """½ βᵀKβ − Σ|β|."""
    beta = np.zeros(len(K))
    found = model.dual_coef_
    found = found.toarray() if hasattr(found, "toarray") else np.asarray(found)
    beta[model.support_] = found.ravel()
    return float(0.5 * beta @ K @ beta - np.abs(beta).sum())


def machines(_: Path, repeats: int) -> str:
    """Fit and predict: linear and Gaussian."""
    lines = []
    for name in ("titles-en", "imdb"):
        X, y, rows, gold = documents(name)
        for kernel in (Linear(), Gaussian().fitted(X)):
            own = {} if isinstance(kernel, Linear) else {"gamma": 1 / (2 * kernel.sigma**2)}
            form = "linear" if isinstance(kernel, Linear) else "rbf"
            made = {"Linnet": partial(linnet.KernelSVM, kernel, n_jobs=1)}
            made |= {peer: partial(of, kernel=form, **own) for peer, of in peer_machines().items()}
            fits = interleaved({side: partial(_fit, of, X, y) for side, of in made.items()}, repeats)
            asked = {side: partial(fits[side].result.predict, rows) for side in made}
            answers = interleaved(asked, repeats)
            K = kernel(X)
            for side in made:
                lines.append(
                    [
                        name,
                        form,
                        side,
                        f"{fits[side].cpu:.2f}",
                        f"{rows.shape[0] / answers[side].cpu:,.0f}",
                        f"{objective(fits[side].result, K):.4f}",
                        f"{100 * np.mean(answers[side].result == gold):.2f}",
                    ]
                )
                print(*lines[-1], flush=True)
    header = ["data", "kernel", "", "fit, CPU s", "documents a second", "dual objective", "accuracy"]
    return table(header, lines)


def _fit(make: Any, X: Any, y: Any) -> Any:
    return make().fit(X, y)


def strings(_: Path, repeats: int) -> str:
    """Pairs of strings of 100 characters a second."""
    texts = [text[:100] for text in read(data_folder() / "imdb" / "test.tsv")[1][:400]]
    lines = []
    for length in (2, 3, 4, 5):
        kernel = Gappy(length, normalised=False)
        took = interleaved({"": partial(kernel, texts, texts)}, repeats)[""].cpu
        lines.append([str(length), f"{len(texts) ** 2 / took:,.0f}"])
        print(*lines[-1], flush=True)
    return table(["length of subsequences", "pairs a second"], lines)


def question_trees(sizes: tuple[int, int]) -> tuple[Any, Any, Any, Any]:
    """Trees and labels of questions, by a parser of our own."""
    folder = data_folder()
    parser = linnet.ConstituencyParser(second=False, n_jobs=1)
    parser.fit(read_brackets(folder / "ptb_sample" / "train.mrg").cleaned())
    found: list[Any] = []
    for name, size in zip(("train", "test"), sizes, strict=True):
        labels, texts = read(folder / "trec_coarse" / f"{name}.tsv")
        found += [parser.predict([text.split() for text in texts[:size]]), np.array(labels[:size])]
    return found[0], found[1], found[2], found[3]


def trees(_: Path, repeats: int) -> str:
    """Fragments written out: the ranking of the exact kernel, and what they add to words."""
    from scipy.sparse import hstack

    sizes = (2000, 500)
    train, y, test, gold = question_trees(sizes)
    kernel = SubsetTree(0.4)
    exact = linnet.KernelSVM(Normalised(kernel), 10.0, multiclass="rest", n_jobs=1).fit(train, y)
    read_test = kernel.read(test)
    slow = once(lambda: exact.decision_function(read_test))
    lines = [_tree_line("exact kernel", exact.predict(test) == gold, len(gold) / slow.cpu, 1, "")]
    for size in (5, 6, 7):
        written = exact.written_out(size)
        fast = interleaved({"": lambda m=written: m.decision_function(read_test)}, max(5, repeats))[""]
        ranked = [
            _concordance(slow.result[:, k], fast.result[:, k]) for k in range(len(exact.classes_))
        ]
        lines.append(
            _tree_line(
                f"written out, fragments of up to {size} productions",
                written.predict(test) == gold,
                len(gold) / fast.cpu,
                slow.cpu / fast.cpu,
                f"{100 * np.mean(ranked):.2f} %",
            )
        )
    fragments = TreeFragments(kernel, size=6, bits=22, normalised=True)
    X, X_test = fragments.fit_transform(kernel.read(train)), fragments.transform(read_test)
    texts, asked = (
        read(data_folder() / "trec_coarse" / f"{half}.tsv")[1] for half in ("train", "test")
    )
    words = TfidfVectorizer(ngram_range=(1, 2), sublinear_tf=True)
    bag, bag_test = words.fit_transform(texts[: sizes[0]]), words.transform(asked[: sizes[1]])
    sides = {
        "words": (bag, bag_test),
        "fragments": (X, X_test),
        "words and fragments": (hstack([bag, X], "csr"), hstack([bag_test, X_test], "csr")),
    }
    for name, (rows, others) in sides.items():
        model = linnet.LinearSVM().fit(rows, y)
        lines.append([f"`LinearSVM`, {name}", f"{100 * model.score(others, gold):.2f}", "", "", ""])
    for line in lines:
        print(*line, flush=True)
    header = ["", "accuracy", "trees a second", "times the exact kernel", "pairs in its order"]
    return table(header, lines)


def _tree_line(name: str, right: Any, pace: float, faster: float, ranked: str) -> list[str]:
    return [name, f"{100 * np.mean(right):.2f}", f"{pace:,.0f}", f"{faster:,.0f}", ranked]


def _concordance(a: Any, b: Any) -> float:
    """The share of pairs of examples that both scores put in one order, or both see as equal."""
    i, j = np.triu_indices(len(a), 1)
    of_a, of_b = (s[i] - s[j] for s in (a, b))
    of_a[np.abs(of_a) < 1e-9] = of_b[np.abs(of_b) < 1e-6] = 0  # rounding, of doubles and of floats
    return float(np.mean(np.sign(of_a) == np.sign(of_b)))


def better(_: Path, repeats: int) -> str:  # noqa: ARG001
    """Time against accuracy: kernels, and the same written out, for more and more documents.

    It draws `docs/pictures/kernels.svg`.
    """
    X, y, rows, gold = documents("titles-en", 10_000)
    found = []
    for n in (100, 250, 500, 1000, 2500, 5000, 10_000):
        width = Gaussian().fitted(X[:n])
        sides: dict[str, Any] = {
            "linear": lambda n: _score(linnet.LinearSVM(), X[:n], y[:n], rows, gold),
            "polynomial kernel": lambda n: _score(
                linnet.KernelSVM("polynomial degree=2", n_jobs=1), X[:n], y[:n], rows, gold
            ),
            "conjunctions": lambda n: _mapped(Conjunctions(2, bits=20), X[:n], y[:n], rows, gold),
            "Gaussian kernel": lambda n, k=width: _score(
                linnet.KernelSVM(k, n_jobs=1), X[:n], y[:n], rows, gold
            ),
            "Fourier features": lambda n, k=width: _mapped(
                RandomFourier(k.sigma, 1000), X[:n], y[:n], rows, gold
            ),
            "Nyström features": lambda n, k=width: _mapped(Nystroem(k, 300), X[:n], y[:n], rows, gold),
        }
        for side, run in sides.items():
            took = once(partial(run, n))
            if n == 100:  # what is imported and loaded by who comes first
                continue
            found.append((side, n, took.cpu, took.result))
            print(side, n, f"{took.cpu:.2f} s", f"{100 * took.result:.2f}", flush=True)
    drawn(found, Path(__file__).parents[1] / "docs" / "pictures" / "kernels.svg")
    lines = [[side, f"{n:,}", f"{s:.2f}", f"{100 * a:.2f}"] for side, n, s, a in found]
    return table(["", "documents", "fit and predict, CPU s", "accuracy"], lines)


def _score(model: Any, X: Any, y: Any, rows: Any, gold: Any) -> float:
    return float(model.fit(X, y).score(rows, gold))


def _mapped(made: Any, X: Any, y: Any, rows: Any, gold: Any) -> float:
    model = linnet.LinearSVM().fit(made.fit_transform(X), y)
    return float(model.score(made.transform(rows), gold))


def drawn(found: list[tuple[str, int, float, float]], path: Path) -> None:
    """Accuracy against time, a line for each side."""
    import matplotlib

    matplotlib.use("svg")
    import matplotlib.pyplot as plt

    matplotlib.rcParams["svg.hashsalt"] = "linnet"  # the same file for the same numbers
    matplotlib.rcParams["svg.fonttype"] = "none"  # words stay words
    figure, axes = plt.subplots(figsize=(6, 4), layout="constrained")
    for side in dict.fromkeys(name for name, *_ in found):
        seconds, accuracy = np.array([(s, 100 * a) for name, _, s, a in found if name == side]).T
        axes.semilogx(seconds, accuracy, "o-", label=side)
    axes.set_xlabel("seconds to learn from 250 to 10,000 titles, and to label 2,823 others")
    axes.set_ylabel("accuracy, %")
    axes.legend()
    figure.savefig(path, metadata={"Date": None})
    plt.close(figure)


if __name__ == "__main__":
    sections = {"machines": machines, "strings": strings, "trees": trees, "better": better}
    run_sections("kernel", sections, __doc__ or "")
