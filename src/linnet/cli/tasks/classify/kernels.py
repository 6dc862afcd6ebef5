"""``--kernel``: machines of texts, strings, trees or numbers, and what there is to try of them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import click

from linnet.cli.learning import LEARNING
from linnet.cli.options import refuse_given
from linnet.cli.tasks.classify.data import named_rows, numbered_as, read, remember
from linnet.cli.tasks.classify.options import FEATURES, JOINED, row_classifier, text_features
from linnet.cli.trials import bar, fits, held_out
from linnet.data import CsrRows
from linnet.errors import DataError

STRENGTHS = (0.1, 1.0, 10.0, 100.0)
KEPT = ("C", "tol", "max_iter", "multiclass")
OF_SVM = (*KEPT, "balanced")
OF_PERCEPTRON = ("max_iter", "multiclass", "learner", "hypothesis", "progressive", "budget")
OTHERS = (
    *("memory", "cache", "start", "lexicon", "calibration", "engine", "shards"),
    *(*JOINED, "preset", "neighbors", "unlabeled", "checkpoint", "resume"),
    *("progressive", "budget", "map_"),
)


def check_options(given: dict[str, Any]) -> None:
    """Those of linear models make no sense here."""
    learner = given.get("learner")
    kept: tuple[str, ...]
    if learner is None:
        kept, what = OF_SVM, "--kernel trains a support vector machine, which knows no such thing"
    elif learner == "perceptron":
        kept, what = OF_PERCEPTRON, "a perceptron with a kernel knows no such thing"
    else:
        raise click.UsageError(
            f"--learner {learner}: with --kernel there is perceptron, or a support vector machine if "
            f"nothing is said"
        )
    refuse_given(tuple(name for name in (*LEARNING, *OTHERS) if name not in kept), what)


def check_map(_given: dict[str, Any]) -> None:
    """What does not go with rows that a map makes."""
    kept = ("progressive", "shards", "budget", "map_")
    what = "--map makes rows of DATA that are read at once, and knows no such thing"
    refuse_given(tuple(name for name in OTHERS if name not in kept), what)


def kernel_of(name: str) -> Any:
    """The kernel that an option names, if DATA can hold what it reads."""
    from linnet.kernels import kernel_named

    try:
        kernel = kernel_named(name)
        reads = kernel.reads
    except ValueError as error:
        raise click.UsageError(f"--kernel: {error}") from None
    if reads not in ("rows", "strings", "trees"):
        raise click.UsageError(
            f"--kernel {name}: DATA holds texts, trees or numbers, and no matrix of similarities; use "
            f"KernelSVM from Python"
        )
    return kernel


def machine(given: dict[str, Any]) -> Any:
    """The estimator that the options describe."""
    from linnet.estimators import KernelPerceptron, KernelSVM

    said = {name: given[name] for name in KEPT if given.get(name) is not None}
    said |= {"random_state": given["seed"], "n_jobs": given["threads"]}
    kernel = kernel_of(given["kernel"])
    if given.get("learner") == "perceptron":
        said |= {"budget": given.get("budget"), "progressive": given.get("progressive", False)}
        hypothesis = given.get("hypothesis") or "averaged"
        hypothesis = "averaged" if hypothesis == "average" else hypothesis
        return KernelPerceptron(kernel, hypothesis, **said)
    if given.get("balanced"):
        said["class_weight"] = "balanced"
    return KernelSVM(kernel, **said)


def number_machine(given: dict[str, Any]) -> Any:
    """The same for numbers."""
    from linnet.estimators import KernelRegressor

    kept = ("C", "tol", "max_iter")
    why = "--kernel trains support vector regression, which knows no such thing"
    refuse_given((*(name for name in LEARNING if name not in kept), *OTHERS), why)
    said = {name: given[name] for name in kept if given.get(name) is not None}
    return KernelRegressor(kernel_of(given["kernel"]), n_jobs=given["threads"], **said)


def read_by(model: Any, examples: Any, given: dict[str, Any]) -> Any:
    """What a machine is given to learn from: texts as they are, or rows."""
    if examples.texts is None:
        refuse_given(FEATURES, f"for texts; {examples.source} holds numbers")
        return examples.matrix if examples.feature_names is None else named_rows(examples)
    features = text_features(given)
    model.features = None if isinstance(features, str) else features
    return examples


def train_mapped(examples: Any, given: dict[str, Any], zero_based: bool) -> Any:
    """The same of a linear classifier over what a map makes."""
    import numpy as np

    from linnet.estimators import MappedClassifier
    from linnet.kernels import map_named

    try:
        made = map_named(given["map_"])
    except ValueError as error:
        raise click.UsageError(f"--map: {error}") from None
    inner = row_classifier(given)
    inner.progressive = given["progressive"]
    model = MappedClassifier(made, inner, n_jobs=given["threads"])
    labels = examples.labels
    if labels.multilabel:
        raise DataError(f"{examples.source} has examples of several labels; with --map they have one")
    rows = read_by(model, examples, given)
    model.fit(rows, np.array(labels.names)[labels.codes], sample_weight=examples.weights)
    if examples.texts is None:
        model.record_.data = {"rows": len(labels), "zero_based": zero_based}
    return model


def train_kernel(examples: Any, given: dict[str, Any], zero_based: bool) -> Any:
    """The model of texts, or of rows of numbers."""
    import numpy as np

    model = machine(given)
    labels = examples.labels
    if labels.multilabel:
        raise DataError(f"{examples.source} has examples of several labels; a machine learns one")
    rows = read_by(model, examples, given)
    weighed = {} if examples.weights is None else {"sample_weight": examples.weights}
    if weighed and given.get("learner") is not None:
        raise DataError(f"{examples.source} has weights, which a perceptron with a kernel knows not")
    model.fit(rows, np.array(labels.names)[labels.codes], **weighed)
    if examples.texts is None:
        model.record_.data = {"rows": len(labels), "zero_based": zero_based}
    return model


def tuned_kernel(
    data: Any, examples: Any, given: dict[str, Any], grid: dict[str, Any]
) -> tuple[Any, dict[str, Any], Callable[[Any], Any]]:
    """``linnet tune --kernel``: kernels and settings of a support vector machine."""
    import linnet

    what = "--kernel tries support vector machines, which know no such thing"
    refuse_given((*(name for name in LEARNING if name not in OF_SVM), *JOINED, "group"), what)
    tried = {"kernel": [kernel_of(name) and name for name in given["kernel"]]}
    given = given | {"kernel": given["kernel"][0]}
    model = machine(given)
    rows = as_read(read_by(model, examples, given))
    dev = None
    if given["dev"]:
        other = numbered_as(examples, read(given["dev"], given))
        dev = (as_read(read_by(model, other, given)), other.labels)
    if examples.labels.multilabel:
        raise DataError(f"{examples.source} has examples of several labels; a machine learns one")
    grid = tried | (grid or {"C": list(STRENGTHS)})
    how = held_out(given)
    how["progress"] = bar(fits(grid, 1 if dev else how["folds"] or 5))
    result = linnet.tune(model, grid, rows, examples.labels, dev=dev, **how)

    def finish(best: Any) -> Any:
        best.fit(rows, examples.labels.values(), sample_weight=examples.weights)
        if examples.texts is None:
            zero = bool(given["zero_based"]) or examples.zero_based
            best.record_.data = {"rows": len(examples.labels), "zero_based": zero}
        remember(best, examples, data, given)
        return best

    return result, {"learner": "smo"}, finish


def as_read(rows: Any) -> Any:
    """Rows of the core can be cut as a matrix."""
    return rows.scipy() if isinstance(rows, CsrRows) else rows
