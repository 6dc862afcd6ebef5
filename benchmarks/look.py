"""The page's loop, labels that look wrong, and the queue: how fast, and how good.

`loop`: from a decision to the model that has learnt it and the queue that is ranked anew, texts of the
pool 10,000 short ones of banking77, and 25,000 of imdb; in the session alone, and in Chromium from the
key press to the new page where there is one. `suspects`: 5 % of the labels of banking77 are
flipped; how many of the first 500 that are doubted were, beside cleanlab over scikit-learn's logistic
regression, and over the probabilities that Linnet gives. `queue`: accuracy after 50 to 1,000 labels,
chosen by the queue or by chance. `trees`: what 100 trees are worth to a parser of 300 others, by steps
from its weights and fitted anew, on a held-out part of the training file.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
import tempfile
import time
from dataclasses import replace
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
STEPS = (35, *range(50, 101, 25), *range(150, 301, 50), *range(400, 1001, 100))  # labels, in batches
SIZES = (50, 100, 200, 300, 500, 1000)  # that are tested


def loop(folder: Path, repeats: int) -> str:
    """Milliseconds of a decision."""
    rows = []
    for name, most in (("banking77", 10_000), ("imdb", 25_000)):
        labels, texts = read(data_folder() / name / "train.tsv")
        shown = _in_browser(folder, name, labels, texts, most, 5 * repeats)
        model = linnet.TextClassifier(n_jobs=1).fit(
            texts[:1000] + texts[-1000:], labels[:1000] + labels[-1000:]
        )
        teaching = Teaching(model, texts[:most], Decisions(str(folder / f"{name}.jsonl")))
        teaching.told()
        times = []
        for _ in range(5 * repeats):
            place = teaching.told()["texts"][0]["place"]
            began, cpu = time.perf_counter(), time.process_time()
            teaching.decide(place, labels[place])
            teaching.told()
            times.append((time.perf_counter() - began, time.process_time() - cpu))
        wall, busy = (f"{1000 * median(column):.0f}" for column in zip(*times, strict=True))
        rows.append([name, f"{len(teaching.pool):,}", wall, busy, shown])
    header = ["pool", "texts", "ms from key to new queue", "of CPU", "ms in the browser"]
    return _shown(header, rows)


def _in_browser(
    folder: Path, name: str, labels: list[str], texts: list[str], most: int, times: int
) -> str:
    """From the press of a key until the next text is on the page, as the page itself counts it."""
    chromium = next(filter(None, map(shutil.which, ("chromium", "chromium-browser"))), None)
    try:
        from playwright.sync_api import sync_playwright
    except ImportError:
        chromium = None
    if chromium is None:
        return "no browser"
    model, pool = folder / f"{name}.linnet", folder / f"{name}.txt"
    some = texts[:1000] + texts[-1000:]
    linnet.TextClassifier(n_jobs=1).fit(some, labels[:1000] + labels[-1000:]).save(model)
    pool.write_text("\n".join(texts[:most]) + "\n", encoding="utf-8")
    command = [sys.executable, "-m", "linnet", "look", str(model), "--pool", str(pool), "--no-browser"]
    server = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    try:
        assert server.stdout is not None
        address = server.stdout.readline().split()[-1]
        with sync_playwright() as started:
            flags = ["--no-sandbox", "--disable-gpu"]
            browser = started.chromium.launch(executable_path=chromium, args=flags)
            page = browser.new_page()
            page.goto(f"{address}#teach", timeout=300_000)
            page.wait_for_selector("#current", timeout=300_000)
            found = [_one_key(page, "12"[k % 2]) for k in range(times)]
            browser.close()
    finally:
        server.terminate()
        server.wait()
    return f"{median(found):.0f}"


def _one_key(page: Any, key: str) -> float:
    """Milliseconds until the page has drawn the new queue."""
    page.evaluate("delete document.body.dataset.took")
    page.keyboard.press(key)
    for _ in range(1000):
        took = page.evaluate("document.body.dataset.took || ''")
        if took:
            return float(took)
        page.wait_for_timeout(20)
    raise AssertionError("the page did not answer")


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
    began = time.perf_counter()
    shares, known = out_of_sample(linnet.TextClassifier(n_jobs=1), texts, given)
    codes = np.searchsorted(known, given)
    order = find_label_issues(codes, shares, return_indices_ranked_by="self_confidence", n_jobs=1)
    found.append(_row("cleanlab, Linnet's scores", order.tolist(), wrong, time.perf_counter() - began))
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
    """Accuracy by the number of labels, of each order: means over seeds, and their spread."""
    rows = []
    for corpus in ("titles-en", "banking77", "debian_sections"):
        labels, texts = (part[:8000] for part in read(data_folder() / corpus / "train.tsv"))
        gold, tried = (part[:3000] for part in read(data_folder() / corpus / "test.tsv"))
        for order in ("random", "least sure", "most telling", "mixture"):
            runs = [_taught(texts, labels, tried, gold, order, seed) for seed in range(repeats)]
            cells = [
                f"{100 * np.mean(column):.1f} ± {100 * np.std(column):.1f}"
                for column in zip(*runs, strict=True)
            ]
            rows.append([corpus, order, *cells])
    return _shown(["", "queue", *(f"{size:,} labels" for size in SIZES)], rows)


def _taught(texts: Any, labels: Any, tried: Any, gold: Any, order: str, seed: int) -> list[float]:
    """In batches, so that thousands of decisions need few trainings; the first 20 are by chance."""
    random = np.random.default_rng(seed)
    chosen = random.permutation(len(texts))[:20].tolist()
    model, scores = _fitted(texts, labels, chosen), []
    for size in STEPS:
        with tempfile.TemporaryDirectory() as folder:
            teaching = Teaching(model, texts, Decisions(f"{folder}/d.jsonl"), seed=seed)
            taken = set(chosen)
            chosen += [i for i in teaching.queue(order) if i not in taken][: size - len(chosen)]
        model = _fitted(texts, labels, chosen)
        if size in SIZES:
            scores.append(model.score(tried, gold))
    return scores


def _fitted(texts: Any, labels: Any, chosen: list[int]) -> Any:
    return linnet.TextClassifier(n_jobs=1).fit([texts[i] for i in chosen], [labels[i] for i in chosen])


TRAINED, TAUGHT, OFFERED, HELD = 300, 100, 600, 600  # trees


def trees(folder: Path, _: int) -> str:
    """LAS or bracket F1 as the parser came, after steps, and fitted anew; CPU of the last decision."""
    from linnet.formats import read_brackets, read_trees

    ewt = read_trees(data_folder() / "ud_en_ewt" / "en_ewt-ud-train.conllu")
    penn = read_brackets(data_folder() / "ptb_sample" / "train.mrg").cleaned()
    rows = []
    for name, data, parser in (
        ("EWT, LAS", ewt, linnet.DependencyParser(tagger="auto", n_jobs=1)),
        ("Penn, F1", penn, linnet.ConstituencyParser(n_jobs=1)),
    ):
        first = data.take(range(TRAINED))
        pool = data.take(range(TRAINED, TRAINED + OFFERED))
        held = data.take(range(len(data) - HELD, len(data)))
        parser.fit(first)
        for order in ("random", "least sure", "mixture"):
            cells = [f"{100 * _tree_score(parser, held):.1f}"]
            for train in (None, first):
                path = str(folder / f"{name[:3]}-{order}-{train is None}.jsonl")
                teaching, cpu = _trees_taught(parser, pool, train, order, path)
                cells += [f"{100 * _tree_score(teaching.model, held):.1f}", f"{1000 * cpu:.0f}"]
            made = [(one.words or [], one.tree or {}) for one in teaching.decided()]
            began = time.process_time()
            fitted = teaching.kind.refit(made)
            seconds = time.process_time() - began
            cells += [f"{100 * _tree_score(fitted, held):.1f}", f"{seconds:.1f}"]
            rows.append([name, order, *cells])
    header = ["", "queue", "as it came", "steps, no --train", "ms", "steps, --train", "ms"]
    return _shown([*header, "fitted anew", "s"], rows)


def _tree_score(model: Any, held: Any) -> float:
    if model.task == "parse":  # tags are its own
        forms = ("word", "form", "misc")
        bare = {k: v for k, v in held.sequences.columns.items() if k in forms}
        held = replace(held, sequences=replace(held.sequences, columns=bare))
    return float(model.score(held))


def _trees_taught(parser: Any, pool: Any, train: Any, order: str, path: str) -> tuple[Any, float]:
    """In ten batches of the queue, with the gold trees, by steps alone."""
    from linnet.serving.look.teaching_trees import TeachingTrees

    phrases = parser.task == "trees"
    words = pool.column("word" if phrases else "form")
    if phrases:
        gold = [{"brackets": [list(x) for x in t.spans()], "tags": list(t.tags)} for t in pool]
    else:
        both = zip(pool.head_lists(), pool.relation_lists(), strict=True)
        gold = [{"heads": heads, "relations": names} for heads, names in both]
    decisions = Decisions(path)
    teaching = TeachingTrees(parser, words, decisions, train)
    tree = {tuple(one): found for one, found in zip(words, gold, strict=True)}
    teaching.learning._refit = None  # no thread beside what is measured
    cpu = 0.0
    for _ in range(10):
        done = {tuple(one.words or ()) for one in teaching.decided()}
        queue = teaching.sentences.queue(order, done, lambda: teaching.leads)
        some = [teaching.pool[i] for i in queue[: TAUGHT // 10]]
        decisions.add_all(
            {"text": " ".join(one), "words": one, "tree": tree[tuple(one)]} for one in some
        )
        began = time.process_time()
        teaching.learn()
        teaching.told(order)
        cpu = time.process_time() - began
    return teaching, cpu


def _shown(header: list[str], rows: list[list[str]]) -> str:
    out = measure.table(header, rows)
    print(out)
    return out


if __name__ == "__main__":
    measure.run_sections(
        "look", {"loop": loop, "suspects": suspects, "queue": queue, "trees": trees}, __doc__
    )
