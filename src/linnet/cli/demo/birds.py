"""The demonstration: classifiers of the birds sample from raw text, and a look inside one of them."""

from __future__ import annotations

import time
from typing import Any

from rich.console import Console
from rich.table import Table
from rich.text import Text

import linnet
from linnet.data import samples
from linnet.explain import top_weights
from linnet.learners import LEARNERS

# How a family of learners comes by its weights.
FOUND_BY = {
    "counting": "counting",
    "online": "steps",
    "batch": "minimum",
    "dual": "minimum",
    "coordinate": "minimum",
}

COMMANDS = """\
linnet train notes.tsv -o birds.linnet      # a line: label, tab, text
echo 'A red forehead' | linnet predict birds.linnet --proba
linnet explain birds.linnet 'A red forehead'
linnet evaluate birds.linnet other-notes.tsv"""


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


def run(console: Console) -> None:
    """Train, compare, show the strongest words, explain one prediction."""
    train, test = samples.load("birds-train"), samples.load("birds-test")
    texts, birds = train
    console.print(f"{len(texts):,} notes of bird-watchers to learn from, {len(test[0])} held out")
    console.print(f"[dim]{birds[0]}: {texts[0]}[/]\n")

    words = linnet.TextFeatures(word=(1, 1), tf="count", scale="none", norm="none", punctuation=False)
    models = {name: linnet.TextClassifier(words, classifier=c) for name, c in classifiers().items()}
    models["what Linnet chooses"] = linnet.TextClassifier()
    console.print("[bold]Seven classifiers of word counts[/], and what Linnet does by itself")
    console.print(compared(models, train, test))
    console.print(Text(str(models["what Linnet chooses"].choice_), style="dim"))

    model = models["logistic regression"]
    console.print("\n[bold]The words that speak most for each bird[/], by logistic regression")
    console.print(strongest(model))

    console.print("\n[bold]Why?[/] What each word adds to the scores of the three best")
    linnets = [text for text, bird in zip(*test, strict=True) if bird == "linnet"]
    console.print(model.explain(linnets[0]))
    console.print(f"\n[bold]The same from the command line[/]\n{COMMANDS}")


def compared(models: dict[str, Any], train: Any, test: Any) -> Table:
    """Each model trained, in a row."""
    table = Table(box=None, pad_edge=False, collapse_padding=True, header_style="bold")
    for name in ("model", "objective", "found by"):
        table.add_column(name, no_wrap=True)
    for name in ("held-out", "seconds", "features"):
        table.add_column(name, no_wrap=True, justify="right")
    models["naive Bayes"].fit(*train)  # what is imported on first use is kept off the clock
    for name, model in models.items():
        started = time.perf_counter()
        model.fit(*train)
        seconds = time.perf_counter() - started
        inner = model.classifier
        table.add_row(
            name,
            "perceptron" if inner and inner.margin == 0 else model.loss_.replace("_", " "),
            FOUND_BY[LEARNERS[model.record_.learner].family],
            f"{100 * model.score(*test):.1f}%",
            f"{seconds:.3f}",
            f"{model.features_.n_features:,}",
        )
    return table


def strongest(model: Any, n: int = 6) -> Table:
    """The features of the largest weights, one row per label."""
    table = Table(box=None, pad_edge=False, show_header=False)
    rows = top_weights(model.features_, model.model_, model.classes_.tolist(), n).to_dict()
    for label, row in rows.items():
        table.add_row(Text(label, style="bold"), "  ".join(f["name"] for f in row["features"]))
    return table
