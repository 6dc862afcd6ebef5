"""The demonstration: seven classifiers on the birds sample, and a look inside one of them."""

from __future__ import annotations

import re
import time
from collections import Counter
from collections.abc import Iterator
from typing import Any

import numpy as np
from rich.console import Console
from rich.table import Table
from rich.text import Text

import linnet
from linnet.data import samples
from linnet.learners import LEARNERS

WORD = re.compile(r"[a-z]+(?:['-][a-z]+)*")

# How a family of learners comes by its weights.
FOUND_BY = {
    "counting": "counting",
    "online": "steps",
    "batch": "minimum",
    "dual": "minimum",
    "coordinate": "minimum",
}


def words(text: str) -> Counter[str]:
    """How often each word occurs.

    >>> dict(words("Chack-chack! the MAGPIE said, chack-chack."))
    {'chack-chack': 2, 'the': 1, 'magpie': 1, 'said': 1}
    """
    return Counter(WORD.findall(text.lower()))


def classifiers() -> dict[str, linnet.LinearClassifier]:
    """The familiar names; raw counts are long vectors, for which the SVM wants a smaller C."""
    return {
        "naive Bayes": linnet.NaiveBayes(),
        "averaged perceptron": linnet.Perceptron(),
        "Winnow": linnet.Winnow(),
        "MIRA": linnet.MIRA(),
        "AROW": linnet.AROW(),
        "linear SVM, C=0.1": linnet.LinearSVM(C=0.1),
        "logistic regression": linnet.LogisticRegression(),
    }


def run(console: Console | None = None) -> None:
    """Train, compare, show the strongest words, explain one prediction."""
    console = console or Console(highlight=False)
    texts, birds = samples.load("birds-train")
    test_texts, test_birds = samples.load("birds-test")
    X, X_test = [words(t) for t in texts], [words(t) for t in test_texts]
    console.print(f"{len(X)} notes of bird-watchers to learn from, {len(X_test)} held out")
    console.print(f"[dim]{birds[0]}: {texts[0]}[/]\n")

    table = Table(box=None, pad_edge=False, collapse_padding=True, header_style="bold")
    for name in ("model", "objective", "found by"):
        table.add_column(name, no_wrap=True)
    for name in ("held-out", "seconds", "non-zero", "P(y|x)"):
        table.add_column(name, no_wrap=True, justify="right")
    models = classifiers()
    linnet.NaiveBayes().fit(X, birds)  # what is imported on first use is kept off the clock
    for name, model in models.items():
        started = time.perf_counter()
        model.fit(X, birds)
        seconds = time.perf_counter() - started
        table.add_row(
            name,
            "perceptron" if model.margin == 0 else model.loss.replace("_", " "),
            FOUND_BY[LEARNERS[model.record_.learner].family],
            f"{100 * model.score(X_test, test_birds):.1f}%",
            f"{seconds:.3f}",
            str(model.record_.diagnostics["nonzero_weights"]),
            "yes" if hasattr(model, "predict_proba") else "no",
        )
    console.print(table)

    model = models["logistic regression"]
    console.print("\n[bold]The words that speak most for each bird[/], by logistic regression")
    console.print(top_words(model))
    console.print("\n[bold]Why?[/]")
    chosen = test_birds.index("linnet")
    explain(console, model, test_texts[chosen], test_birds[chosen])


def top_words(model: Any, n: int = 6) -> Table:
    """The features of the largest weights, one row per label."""
    names = model.get_feature_names_out()
    table = Table(box=None, pad_edge=False, show_header=False)
    for label, weights in zip(model.classes_, model.coef_, strict=True):
        best = np.argsort(-weights, kind="stable")[:n]
        table.add_row(Text(str(label), style="bold"), "  ".join(names[best]))
    return table


def explain(console: Console, model: Any, text: str, truth: str) -> None:
    """A prediction as the sum it is: each word adds its weight for the best label minus the next's."""
    scores = model.decision_function([words(text)])[0]
    second, first = np.argsort(scores, kind="stable")[-2:]
    console.print(f"“{text}”", soft_wrap=True)
    console.print(
        f"{model.classes_[first]} rather than {model.classes_[second]} by "
        f"{scores[first] - scores[second]:.2f}, the sum of these (truth: {truth})"
    )
    table = Table(box=None, pad_edge=False, show_header=False)
    shares = sorted(contributions(model, text, first, second), key=lambda s: -abs(s[1]))
    for word, share in shares[:8]:
        style = "green" if share > 0 else "red"
        table.add_row(word, f"{share:+.2f}", Text("■" * round(10 * abs(share)), style=style))
    rest = sum(share for _, share in shares[8:])
    table.add_row(f"{len(shares[8:])} others", f"{rest:+.2f}")
    console.print(table)


def contributions(model: Any, text: str, first: int, second: int) -> Iterator[tuple[str, float]]:
    """What each known word, and the intercept, adds to score(first) − score(second)."""
    difference = model.coef_[first] - model.coef_[second]
    for word, count in words(text).items():
        if word in model.vocabulary_:
            yield word, count * float(difference[model.vocabulary_.ids[word]])
    yield "(intercept)", float(model.intercept_[first] - model.intercept_[second])
