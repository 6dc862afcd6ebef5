"""``linnet train`` on texts and on rows: a classifier."""

from __future__ import annotations

import os
import time
import warnings
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import replace
from typing import Any

import click

from linnet.cli.files import load, reads_far, tell_all
from linnet.cli.learning import LEARNING
from linnet.cli.options import refuse_given
from linnet.cli.output import amount
from linnet.cli.presets import refuse_foreign
from linnet.cli.tasks import task_of_model
from linnet.cli.tasks.classify.data import (
    form_of,
    in_parts,
    inputs,
    named_rows,
    read,
    read_all,
    read_lexicon,
    read_there,
    read_unlabelled,
    reads_texts,
    remember,
)
from linnet.cli.tasks.classify.options import (
    FEATURES,
    HOOKS,
    JOINED,
    classifier,
    listed,
    row_classifier,
)
from linnet.cli.training import polite, save, tell_trained, undisturbed
from linnet.errors import DataError, DataWarning

# What a lexicon by itself has no use for, beside the settings of learning.
BY_DATA = (
    "kernel",
    "map_",
    "budget",
    "calibration",
    "dev",
    "start",
    "progressive",
    "preset",
    "neighbors",
    "initial",
)


def run(data: list[Any], output: str, given: dict[str, Any]) -> None:
    """Read, train, save, tell."""
    if given["memory"] or given["cache"] or given["start"] or given["dev"] or not data or reads_far():
        refuse_given(
            ("unlabeled",),
            "goes with DATA that are read at once: not with --memory, --cache, --from, --dev, an "
            "engine, or a lexicon alone",
        )
    if not data:
        refuse_given(("memory", "cache"), "there are no files to read")
        _by_hand(output, given)
        return
    if given["kernel"] or given["map_"]:
        from linnet.cli.tasks.classify.kernels import check_map, check_options

        (check_options if given["kernel"] else check_map)(given)
    if not given["kernel"]:
        refuse_given(("budget",), "of --kernel with --learner perceptron")
    started = time.perf_counter()
    with polite(), ExitStack() as workers:
        limited = bool(given["memory"] or given["cache"])
        there = None if limited else _workers_read(data, given)
        parted = limited or there == "texts"
        if there == "rows":
            examples = read_there(data[0], given, workers)
        else:
            examples = None if parted else read_all(data, given)
        if examples is not None and examples.matrix is not None and counts_from_zero(examples, given):
            given["zero_based"] = True
        dev = _held_out(examples, given) if given["dev"] else None
        model = train_in_parts(data, dev, given) if parted else train(examples, dev, given)
        remember(model, examples, data[0], given)
        with undisturbed():
            save(model, output)
    if not given["quiet"]:
        _tell(model, examples, output, time.perf_counter() - started, given)
        if dev is not None:
            _tell_score(model, dev)


def _held_out(examples: Any, given: dict[str, Any]) -> Any:
    """The data of --dev; its numbered features count from where those of training do."""
    numbered = examples is not None and examples.matrix is not None and given["zero_based"] is None
    if numbered and form_of(given["dev"], given) == "svmlight":
        given = given | {"zero_based": examples.zero_based}
    return read(given["dev"], given)


def _workers_read(data: list[Any], given: dict[str, Any]) -> str | None:
    """What the workers of an engine read from files by themselves, 'texts' or 'rows'; None: nothing."""
    from linnet.estimators.linear.ranged import FORM, why_rows_here
    from linnet.estimators.text.from_files import why_here

    if not reads_far() or given["start"]:
        return None
    files = in_parts(data, given)
    numbered = any(file.form == FORM for file in files)
    if numbered and len(files) > 1:  # which is refused
        return None
    paths = [file.path for file in files]
    if numbered:
        why = why_rows_here(_row_classifier(given), paths[0])
    else:
        why = why_here(_classifier(given), paths)
    if why is not None and not given["quiet"]:
        click.echo(f"note: files are read here, and rows sent to the workers: {why}", err=True)
    if why is not None or not (numbered or all(file.holds_texts() for file in files)):
        return None
    return "rows" if numbered else "texts"


def train_in_parts(data: list[Any], dev: Any, given: dict[str, Any]) -> Any:
    """The model of files that are larger than memory."""
    from linnet.estimators.text.looked import TextFiles
    from linnet.estimators.text.settings import class_weight_of

    files = in_parts(data, given)
    if given["start"]:
        return _go_on_in_parts(files, given)
    refuse_given(("preset",), "lists and memories are made of all texts at once")
    model = _classifier(given)
    found = TextFiles(files, model, class_weight_of(model))
    watched = dev is not None and model.watches_dev() and not dev.labels.multilabel
    model.fit(found, dev=dev if watched else None, memory=given["memory"], cache=given["cache"])
    tell_all(found.told, given)
    return model


def _by_hand(output: str, given: dict[str, Any]) -> None:
    """A lexicon is a classifier without any training."""
    from linnet.cli.tasks.classify.options import text_features
    from linnet.estimators import TextClassifier

    if not given["lexicon"]:
        raise click.UsageError("Missing argument 'DATA': what to learn from, or give --lexicon alone")
    refuse_given(
        (*LEARNING, *BY_DATA),
        "of training, for which there are no data",
    )
    features = text_features(given)
    if features == "auto":
        refuse_given(JOINED, "say what n-grams there are, too, for instance --word 1")
    lexicon = read_lexicon(given["lexicon"])
    model = TextClassifier.from_lexicon(lexicon, features=None if features == "auto" else features)
    model.save(output)
    if not given["quiet"]:
        words = sum(len(weights) for weights in lexicon.values())
        click.echo(
            f"{words:,} weights set by hand, {len(lexicon):,} labels; "
            f"{amount(os.path.getsize(output))} in {output}",
            err=True,
        )


def train(examples: Any, dev: Any, given: dict[str, Any]) -> Any:
    """The model that the options and the data ask for."""
    labels = examples.labels
    if given["start"]:
        return _go_on(examples, given)
    if len(labels.names) < (1 if labels.multilabel else 2):
        raise DataError(f"{examples.source} has one label only ({labels.names[0]}); two are needed")
    if not given["quiet"]:
        note_many_labels(examples)
    if given["kernel"]:
        from linnet.cli.tasks.classify.kernels import train_kernel

        return train_kernel(examples, given, counts_from_zero(examples, given))
    if given["map_"]:
        from linnet.cli.tasks.classify.kernels import train_mapped

        return train_mapped(examples, given, counts_from_zero(examples, given))
    if given.get("preset"):
        return _by_preset(examples, given)
    return _on_numbers(examples, given) if examples.texts is None else _on_texts(examples, dev, given)


def _by_preset(examples: Any, given: dict[str, Any]) -> Any:
    """A list or a memory: nothing is optimised, and held-out texts steer nothing."""
    model = listed(given)
    if examples.texts is None:
        raise DataError(f"--preset {given['preset']}: {examples.source} holds numbers, no texts")
    return model.fit(examples, sample_weight=examples.weights)


def _classifier(given: dict[str, Any]) -> Any:
    refuse_foreign("")
    model = classifier(given)
    model.calibration = None if given["calibration"] == "none" else given["calibration"]
    model.progressive = given["progressive"]
    model.unlabeled_method = given["unlabeled_method"]
    model.unlabeled_weight = given["unlabeled_weight"]
    model.unlabeled_views = given["unlabeled_views"] or None
    if given["lexicon"]:
        model.lexicon = read_lexicon(given["lexicon"])
    return model


def _on_texts(examples: Any, dev: Any, given: dict[str, Any]) -> Any:
    model = _classifier(given)
    if given["lexicon"]:
        unknown = next((label for label in model.lexicon if label not in examples.labels.names), None)
        if unknown is not None:
            raise DataError(f"{given['lexicon']}: the label {unknown!r} never occurs in training")
    watched = dev is not None and model.watches_dev() and not examples.labels.multilabel
    if watched:
        unseen = unseen_labels(dev, examples.labels.names)
        if unseen:
            label, line = next(iter(unseen.items()))
            raise DataError(f"{dev.source}, line {line}: the label {label} never occurs in training")
    more = read_unlabelled(given["unlabeled"], given) if given["unlabeled"] else None
    return model.fit(
        examples, sample_weight=examples.weights, dev=dev if watched else None, unlabeled=more
    )


def _go_on(examples: Any, given: dict[str, Any]) -> Any:
    model = _started(given)
    examples = _to_go_on(model, examples, given)
    return model.partial_fit(examples, sample_weight=examples.weights)


def _go_on_in_parts(files: list[Any], given: dict[str, Any]) -> Any:
    """A stream: each part is learnt from as it comes, and nothing is kept of it."""
    refuse_given(("cache",), "a model that goes on (--from) learns from each text once")
    model = _started(given)
    for file in files:
        for part in file.parts(file.path):
            examples = _to_go_on(model, part, given)
            model.partial_fit(examples, sample_weight=examples.weights)
    return model


def _started(given: dict[str, Any]) -> Any:
    own = [name for name in FEATURES if name not in HOOKS]  # code is to be given again
    made_with = (
        *own,
        "preset",
        "neighbors",
        "initial",
        *LEARNING,
        "calibration",
        "lexicon",
        "progressive",
    )
    refuse_given(made_with, "a model that goes on (--from) keeps what it was made with")
    model = load(given["start"], given["threads"], given)
    model.verbose = False if given["quiet"] else None
    return model


def _to_go_on(model: Any, examples: Any, given: dict[str, Any]) -> Any:
    """Examples that a model can go on with; one label each are sets of one to who takes sets."""
    if task_of_model(model).name != "classify" or not reads_texts(model) or examples.texts is None:
        raise click.UsageError(f"--from {given['start']}: only models of texts go on, with texts")
    if not hasattr(model, "partial_fit"):
        raise click.UsageError(
            f"--from {given['start']}: lists, memories and machines with kernels are made as a whole"
        )
    if model.several_:
        return replace(examples, labels=examples.labels.as_sets())
    if examples.labels.multilabel:
        raise click.UsageError(
            f"--from {given['start']}: {examples.source} has several labels to a text, the model one"
        )
    return examples


def _on_numbers(examples: Any, given: dict[str, Any]) -> Any:
    """Features that are numbers already (svmlight), or have names and values (VW)."""
    import numpy as np

    for_texts = (*FEATURES, "calibration", "lexicon", "unlabeled")
    refuse_given(for_texts, f"for texts; {examples.source} holds numbers")
    labels = examples.labels
    if labels.multilabel:
        raise DataError(f"{examples.source} has rows of several labels; only texts may have several")
    model = _row_classifier(given)
    rows = examples.matrix if examples.feature_names is None else named_rows(examples)
    model.fit(rows, np.array(labels.names)[labels.codes], sample_weight=examples.weights)
    model.record_.data = {"rows": len(labels), "zero_based": counts_from_zero(examples, given)}
    return model


def _row_classifier(given: dict[str, Any]) -> Any:
    model = row_classifier(given)
    model.progressive = given["progressive"]
    return model


def counts_from_zero(examples: Any, given: dict[str, Any]) -> bool:
    """As it was said, or as the reader saw."""
    return bool(given["zero_based"]) or examples.zero_based


def note_many_labels(examples: Any) -> None:
    """Texts taken for labels are seldom the same twice."""
    count, labels = len(examples.labels), len(examples.labels.names)
    from linnet.estimators.labels import are_odd_labels

    if are_odd_labels(labels, count) and not examples.labels.multilabel:
        click.echo(
            f"note: {examples.source} has {labels:,} labels for {count:,} examples; is something else "
            f"taken for the label? The first ones are {examples.labels.names[0][:40]!r} and "
            f"{examples.labels.names[1][:40]!r}; --label names the column (a TSV file without a header "
            f"has it first)",
            err=True,
        )
        warnings.simplefilter("ignore", DataWarning)  # it would say so once more


def unseen_labels(examples: Any, known: list[str]) -> dict[str, int]:
    """Labels that are not among the known ones, and the first line of each."""
    found: dict[str, int] = {}
    known_set = set(known)
    for line, labels in zip(examples.lines.tolist(), examples.labels.values(), strict=True):
        for label in [labels] if isinstance(labels, str) else labels:
            if label not in known_set:
                found.setdefault(label, line)
    return found


def _tell(model: Any, examples: Any, output: str, seconds: float, given: dict[str, Any]) -> None:
    count = model.record_.data["texts"] if examples is None else len(examples.labels)
    size = (
        f"{len(model.model_):,} support vectors"
        if hasattr(model.model_, "kernel")
        else f"{model.model_.features:,} features"
    )
    what = f"{count:,} examples, {len(model.classes_):,} labels, {size}"
    if given["progressive"]:
        for line in progressive_lines(model.record_.facts["progressive"]):
            click.echo(line, err=True)
    went_on = f"went on from {given['start']}, by an online learner"
    tell_trained(what, output, seconds, [went_on] if given["start"] else model.why_)


def progressive_lines(table: dict[str, list[Any]]) -> Iterator[str]:
    """As Vowpal Wabbit shows it, with the share of errors."""
    yield f"{'loss':>10} {'since last':>10} {'errors':>8} {'example':>9}  label, predicted"
    for row in zip(*table.values(), strict=True):
        at, loss, since, errors, label, predicted = row
        yield f"{loss:10.6f} {since:10.6f} {errors:8.4f} {at:9,}  {label}, {predicted}"


def _tell_score(model: Any, dev: Any) -> None:
    unseen = unseen_labels(dev, model.classes_.tolist())
    if unseen:
        names = ", ".join(list(unseen)[:5]) + (", …" if len(unseen) > 5 else "")
        click.echo(f"note: {dev.source} has labels never seen in training: {names}", err=True)
    gold = dev.labels if dev.texts is not None else dev.labels.values()
    accuracy = model.score(inputs(model, dev), gold)
    click.echo(f"accuracy on {dev.source}: {100 * accuracy:.2f} %", err=True)
