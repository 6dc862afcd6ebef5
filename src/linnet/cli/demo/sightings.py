"""The demonstration of taggers: names of birds, people and places in a bird club's log."""

from __future__ import annotations

import time
from typing import Any

from rich.console import Console
from rich.table import Table
from rich.text import Text

import linnet
from linnet.data import samples
from linnet.evaluation import span_counts

STYLES = {"BIRD": "bold green", "PERSON": "bold magenta", "PLACE": "bold cyan"}
COMMANDS = """\
linnet train sightings.conll -o names.linnet     # columns: word, part of speech, tag
linnet tag names.linnet more.conll               # the columns come back with the tag as the last one
linnet evaluate names.linnet test.conll"""


def taggers() -> dict[str, Any]:
    """The familiar names."""
    return {
        "hidden Markov model": linnet.HMM(),
        "structured perceptron": linnet.StructuredPerceptron(),
        "conditional random field": linnet.CRF(),
    }


def run(console: Console) -> None:
    """Train three taggers, and show what the last one says of a few sentences."""
    train, test = (samples.load_tagged(f"sightings-{part}") for part in ("train", "test"))
    sentences = len(train[0])
    console.print(f"\n[bold]Three taggers[/] of names, from {sentences} sentences of a bird club's log")
    models = taggers()
    console.print(compared(models, train, test))
    X, gold = test
    unlike = [i for i, tags in enumerate(gold) if len({tag[2:] for tag in tags if tag != "O"}) == 3]
    for i in unlike[:3]:
        console.print(shown(X[i], models["conditional random field"].predict([X[i]])[0]))
    console.print(f"\n[bold]The same from the command line[/]\n{COMMANDS}")


def compared(models: dict[str, Any], train: Any, test: Any) -> Table:
    """Each model trained, in a row."""
    table = Table(box=None, pad_edge=False, collapse_padding=True, header_style="bold")
    table.add_column("model", no_wrap=True)
    for name in ("tokens right", "F1 of names", "seconds", "features"):
        table.add_column(name, no_wrap=True, justify="right")
    for name, model in models.items():
        started = time.perf_counter()
        model.fit(*train)
        seconds = time.perf_counter() - started
        found = span_counts(test[1], model.predict(test[0]))
        table.add_row(
            name,
            f"{100 * found.token_accuracy:.1f}%",
            f"{100 * found.f1:.1f}%",
            f"{seconds:.3f}",
            f"{model.features_.n_features:,}",
        )
    return table


def shown(sentence: list[tuple[str, str]], tags: list[str]) -> Text:
    """Names in brackets, with their type."""
    line = Text()
    for k, ((word, _), tag) in enumerate(zip(sentence, tags, strict=True)):
        kind = tag[2:]
        if tag.startswith("B-"):
            line.append(f"[{kind} ", STYLES.get(kind, "bold"))
        line.append(word, STYLES.get(kind, ""))
        goes_on = k + 1 < len(tags) and tags[k + 1] == f"I-{kind}"
        if kind and not goes_on:
            line.append("]", STYLES.get(kind, "bold"))
        line.append(" ")
    return line
