"""What ``linnet train`` does with examples: a new model, one that goes on, or one of numbers."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import click

from linnet.cli._options import FEATURES, LEARNING, classifier, refuse_given
from linnet.errors import DataError


def train(examples: Any, dev: Any, given: dict[str, Any]) -> Any:
    """The model that the options and the data ask for."""
    labels = examples.labels
    if given["start"]:
        return _go_on(examples, given)
    if len(labels.names) < (1 if labels.multilabel else 2):
        raise DataError(f"{examples.source} has one label only ({labels.names[0]}); two are needed")
    if not given["quiet"]:
        note_many_labels(examples)
    return _on_numbers(examples, given) if examples.texts is None else _on_texts(examples, dev, given)


def _on_texts(examples: Any, dev: Any, given: dict[str, Any]) -> Any:
    model = classifier(given)
    model.verbose = False if given["quiet"] else None
    model.text = given["text"] or model.text
    model.calibration = None if given["calibration"] == "none" else given["calibration"]
    if given["lexicon"]:
        from linnet.cli._data import read_lexicon

        model.lexicon = read_lexicon(given["lexicon"])
    watched = dev is not None and model.watches_dev() and not examples.labels.multilabel
    if watched:
        unseen = unseen_labels(dev, examples.labels.names)
        if unseen:
            label, line = next(iter(unseen.items()))
            raise DataError(f"{dev.source}, line {line}: the label {label} never occurs in training")
    return model.fit(examples, sample_weight=examples.weights, dev=dev if watched else None)


def _go_on(examples: Any, given: dict[str, Any]) -> Any:
    from linnet.cli._data import load

    refuse_given((*FEATURES, *LEARNING), "a model that goes on (--from) keeps what it was made with")
    model = load(given["start"], given["threads"])
    if not hasattr(model, "several_") or examples.texts is None:
        raise click.UsageError(f"--from {given['start']}: only models of texts go on, with texts")
    if model.several_ or examples.labels.multilabel:
        raise click.UsageError("--from: only models of one label per text go on")
    model.verbose = False if given["quiet"] else None
    return model.partial_fit(examples, sample_weight=examples.weights)


def _on_numbers(examples: Any, given: dict[str, Any]) -> Any:
    """Features that are numbers already (svmlight), or have names and values (VW)."""
    import numpy as np

    from linnet.cli._data import named_rows
    from linnet.estimators import LinearClassifier

    for_texts = (*FEATURES, "calibration", "lexicon")
    refuse_given(for_texts, f"for texts; {examples.source} holds numbers")
    labels = examples.labels
    if labels.multilabel:
        raise DataError(f"{examples.source} has rows of several labels; only texts may have several")
    model = LinearClassifier(
        "logistic" if given["loss"] == "auto" else given["loss"],
        given["learner"],
        "l2" if given["penalty"] == "auto" else given["penalty"],
        C=1.0 if given["C"] is None else given["C"],
        alpha=given["alpha"],
        l1_ratio=given["l1_ratio"],
        average=given["average"],
        max_iter=given["max_iter"],
        tol=1e-4 if given["tol"] is None else given["tol"],
        class_weight="balanced" if given["balanced"] else None,
        random_state=given["seed"],
        n_jobs=given["threads"],
        verbose=False if given["quiet"] else None,
        diagnostics=False,
    )
    rows = examples.matrix if examples.feature_names is None else named_rows(examples)
    model.fit(rows, np.array(labels.names)[labels.codes], sample_weight=examples.weights)
    model.record_.data = {"rows": len(labels), "zero_based": counts_from_zero(examples, given)}
    return model


def counts_from_zero(examples: Any, given: dict[str, Any]) -> bool:
    """As it was said, or as the reader saw."""
    from linnet.formats.svmlight import FROM_ZERO

    return bool(given["zero_based"]) or any(note.endswith(FROM_ZERO) for note in examples.notes)


def note_many_labels(examples: Any) -> None:
    """Texts taken for labels are seldom the same twice."""
    count, labels = len(examples.labels), len(examples.labels.names)
    if count >= 4 and 2 * labels > count and not examples.labels.multilabel:
        click.echo(
            f"note: {examples.source} has {labels:,} labels for {count:,} examples; is something else "
            f"taken for the label? The first ones are {examples.labels.names[0][:40]!r} and "
            f"{examples.labels.names[1][:40]!r}",
            err=True,
        )


def unseen_labels(examples: Any, known: list[str]) -> dict[str, int]:
    """Labels that are not among the known ones, and the first line of each."""
    found: dict[str, int] = {}
    known_set = set(known)
    for line, labels in zip(examples.lines.tolist(), examples.labels.values(), strict=True):
        for label in [labels] if isinstance(labels, str) else labels:
            if label not in known_set:
                found.setdefault(label, line)
    return found


@contextmanager
def polite() -> Iterator[None]:
    """SIGTERM asks for an end as Ctrl-C does."""
    terminated = False

    def terminate(*_: Any) -> None:
        nonlocal terminated
        terminated = True
        raise KeyboardInterrupt

    before = signal.signal(signal.SIGTERM, terminate)
    try:
        yield
    except (
        KeyboardInterrupt
    ):  # maybe not the one of above: the core has ended first, a part of the work
        raise KeyboardInterrupt(*(["terminated"] if terminated else [])) from None
    finally:
        signal.signal(signal.SIGTERM, before)


@contextmanager
def undisturbed() -> Iterator[None]:
    """A model that is there is saved, whatever signals come."""
    asked = (signal.SIGINT, signal.SIGTERM)
    before = [signal.signal(number, signal.SIG_IGN) for number in asked]
    try:
        yield
    finally:
        for number, handler in zip(asked, before, strict=True):
            signal.signal(number, handler)
