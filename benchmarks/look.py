"""The page's loop, labels that look wrong, and the queue: how fast, and how good.

`loop`: from a decision to the model that has learnt it and the queue that is ranked anew, texts of the
pool 10,000 short ones of banking77, and 25,000 of imdb. `suspects`: 5 % of the labels of banking77 are
flipped; how many of the first 500 that are doubted were, beside cleanlab over scikit-learn's logistic
regression. `queue`: accuracy after 100 and 1,000 labels, chosen by the queue or by chance.
"""

from __future__ import annotations

import tempfile
import time
from pathlib import Path
from statistics import median
from typing import Any

import measure
import numpy as np
from corpora import data_folder, read

import linnet
from linnet.serving.look.decisions import Decisions
from linnet.serving.look.suspects import out_of_sample, ranked
from linnet.serving.look.teaching import Teaching

FIRST, FLIPPED = 500, 0.05


def loop(folder: Path, repeats: int) -> str:
    """Milliseconds of a decision."""
    rows = []
    for name, most in (("banking77", 10_000), ("imdb", 25_000)):
        labels, texts = read(data_folder() / name / "train.tsv")
        model = linnet.TextClassifier(n_jobs=1).fit(
            texts[:1000] + texts[-1000:], labels[:1000] + labels[-1000:]
        )
        teaching = Teaching(model, texts[:most], Decisions(str(folder / f"{name}.jsonl")))
        teaching.told()
        times = []
        for _ in range(5 * repeats):
            place = teaching.told()["texts"][0]["place"]
            began = time.perf_counter()
            teaching.decide(place, labels[place])
            teaching.told()
            times.append(1000 * (time.perf_counter() - began))
        rows.append([name, f"{len(teaching.pool):,}", f"{median(times):.0f}"])
    return _shown(["pool", "texts", "ms from key to new queue"], rows)


def suspects(_: Path, __: int) -> str:
    """Precision among the first, and seconds."""
    labels, texts = read(data_folder() / "banking77" / "train.tsv")
    names, random = sorted(set(labels)), np.random.default_rng(0)
    wrong = set(random.choice(len(texts), int(FLIPPED * len(texts)), replace=False).tolist())
    given = [
        random.choice([name for name in names if name != label]) if i in wrong else label
        for i, label in enumerate(labels)
    ]
    began = time.perf_counter()
    rows = ranked(*out_of_sample(linnet.TextClassifier(n_jobs=1), texts, given), given)
    found = [_row("linnet look", [row["place"] for row in rows], wrong, time.perf_counter() - began)]
    try:
        from cleanlab.filter import find_label_issues
    except ImportError:
        print("cleanlab is not installed: it is left out")
        return _shown(["", f"right of the first {FIRST}", "s"], found)
    began = time.perf_counter()
    shares, codes = _sklearn(texts, given)
    order = find_label_issues(codes, shares, return_indices_ranked_by="self_confidence", n_jobs=1)
    found.append(
        _row("cleanlab, logistic regression", order.tolist(), wrong, time.perf_counter() - began)
    )
    return _shown(["", f"right of the first {FIRST}", "s"], found)


def _sklearn(texts: list[str], given: list[str]) -> tuple[Any, Any]:
    from sklearn.feature_extraction.text import TfidfVectorizer
    from sklearn.linear_model import LogisticRegression
    from sklearn.model_selection import cross_val_predict
    from sklearn.pipeline import make_pipeline

    codes = np.unique(given, return_inverse=True)[1]
    pipeline = make_pipeline(
        TfidfVectorizer(ngram_range=(1, 2), sublinear_tf=True), LogisticRegression(C=10)
    )
    return cross_val_predict(pipeline, texts, codes, cv=5, method="predict_proba"), codes


def _row(name: str, places: list[int], wrong: set[int], seconds: float) -> list[str]:
    first = places[:FIRST]
    return [
        name,
        f"{100 * sum(i in wrong for i in first) / max(1, len(first)):.1f} %",
        f"{seconds:.1f}",
    ]


def queue(_: Path, repeats: int) -> str:
    """Accuracy by the number of labels, of each order."""
    rows = []
    for corpus in ("titles-en", "banking77", "debian_sections"):
        labels, texts = (part[:8000] for part in read(data_folder() / corpus / "train.tsv"))
        gold, tried = (part[:3000] for part in read(data_folder() / corpus / "test.tsv"))
        for order in ("random", "least sure", "most telling", "mixture"):
            runs = [_taught(texts, labels, tried, gold, order, seed) for seed in range(repeats)]
            rows.append(
                [corpus, order, *(f"{100 * np.mean(column):.1f}" for column in zip(*runs, strict=True))]
            )
    return _shown(["", "queue", "100 labels", "1,000 labels"], rows)


def _taught(texts: Any, labels: Any, tried: Any, gold: Any, order: str, seed: int) -> list[float]:
    """In batches, so that thousands of decisions need few trainings."""
    random = np.random.default_rng(seed)
    chosen = random.permutation(len(texts))[:20].tolist()
    scores = []
    for size in (*range(40, 101, 20), *range(200, 1001, 100)):
        model = linnet.TextClassifier(n_jobs=1).fit(
            [texts[i] for i in chosen], [labels[i] for i in chosen]
        )
        with tempfile.TemporaryDirectory() as folder:
            teaching = Teaching(model, texts, Decisions(f"{folder}/d.jsonl"), seed=seed)
            taken = set(chosen)
            chosen += [i for i in teaching.queue(order) if i not in taken][: size - len(chosen)]
        if size in (100, 1000):
            model = linnet.TextClassifier(n_jobs=1).fit(
                [texts[i] for i in chosen], [labels[i] for i in chosen]
            )
            scores.append(model.score(tried, gold))
    return scores


def _shown(header: list[str], rows: list[list[str]]) -> str:
    out = measure.table(header, rows)
    print(out)
    return out


if __name__ == "__main__":
    measure.run_sections("look", {"loop": loop, "suspects": suspects, "queue": queue}, __doc__)
