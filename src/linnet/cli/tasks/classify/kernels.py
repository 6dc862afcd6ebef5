"""``--kernel``: machines of texts, strings, trees or numbers, and what there is to try of them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import click
import numpy as np

from linnet.cli.learning import LEARNING, strength_said
from linnet.cli.options import refuse_given
from linnet.cli.tasks.classify.data import named_rows, numbered_as, read
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
    *(*JOINED, "preset", "neighbors", "initial", "unlabeled", "checkpoint", "resume"),
    *("progressive", "budget", "map_"),
)


def check_options(given: dict[str, Any]) -> None:
    """Those of linear models make no sense here."""
    kept, what = kept_by(given)
    refuse_given(tuple(name for name in (*LEARNING, *OTHERS) if name not in kept), what)


def kept_by(given: dict[str, Any]) -> tuple[tuple[str, ...], str]:
    """The options of learning that a machine has, and what to say of others."""
    learner = given.get("learner")
    if learner is None:
        return OF_SVM, "--kernel trains a support vector machine, which knows no such thing"
    if learner == "perceptron":
        return OF_PERCEPTRON, "a perceptron with a kernel knows no such thing"
    said = learner if isinstance(learner, str) else ",".join(map(str, learner))
    raise click.UsageError(
        f"--learner {said}: with --kernel there is perceptron, or a support vector machine if "
        f"nothing is said"
    )


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


def mapped(given: dict[str, Any]) -> Any:
    """A linear classifier over what a map makes, as the options describe it."""
    from linnet.estimators import MappedClassifier

    inner = row_classifier(given)
    inner.progressive = given.get("progressive", False)
    return MappedClassifier(map_of(given["map_"]), inner, n_jobs=given["threads"])


def map_of(name: str) -> Any:
    """The map that an option names."""
    from linnet.kernels import map_named

    try:
        return map_named(name)
    except ValueError as error:
        raise click.UsageError(f"--map: {error}") from None


def train_mapped(examples: Any, given: dict[str, Any], zero_based: bool) -> Any:
    """The model of texts, or of rows of numbers."""
    return fitted(mapped(given), examples, given, zero_based)


def train_kernel(examples: Any, given: dict[str, Any], zero_based: bool) -> Any:
    """The same of a machine with a kernel."""
    if examples.weights is not None and given.get("learner") is not None:
        raise DataError(f"{examples.source} has weights, which a perceptron with a kernel knows not")
    return fitted(machine(given), examples, given, zero_based)


def fitted(model: Any, examples: Any, given: dict[str, Any], zero_based: bool) -> Any:
    """Trained on examples of one label each."""
    rows = read_by(model, _of_one_label(examples), given)
    weighed = {} if examples.weights is None else {"sample_weight": examples.weights}
    model.fit(rows, np.array(examples.labels.names)[examples.labels.codes], **weighed)
    if examples.texts is None:
        model.record_.data = {"rows": len(examples.labels), "zero_based": zero_based}
    return model


def _of_one_label(examples: Any) -> Any:
    if examples.labels.multilabel:
        raise DataError(
            f"{examples.source} has examples of several labels; with --kernel or --map they have one"
        )
    return examples


Found = tuple[Any, dict[str, Any], Callable[[Any], Any]]


def tuned_kernel(examples: Any, given: dict[str, Any], grid: dict[str, Any], groups: Any) -> Found:
    """``linnet tune --kernel``: kernels, and settings of a machine."""
    from linnet.estimators.trials import PASSES

    kept, what = kept_by(given | {"learner": grid.get("learner", given.get("learner"))})
    refuse_given((*(name for name in LEARNING if name not in kept), *JOINED), what)
    tried = {"kernel": [kernel_of(name) and name for name in given["kernel"]]}
    model = machine(given | {"kernel": given["kernel"][0]})
    usual = {"C": list(STRENGTHS)} if hasattr(model, "C") else {"max_iter": list(PASSES)}
    learner = given.get("learner") or "smo"
    return _tuned(model, tried | (grid or usual), {"learner": learner}, examples, given, groups)


def tuned_map(examples: Any, given: dict[str, Any], grid: dict[str, Any], groups: Any) -> Found:
    """``linnet tune --map``: maps, and settings of the classifier behind them."""
    from linnet.estimators.text.trials import usual_of

    refuse_given(JOINED, "--map makes rows of texts alone, and knows no such thing")
    tried = {"map": [map_of(name) and name for name in given["map_"]]}
    model = mapped(given | {"map_": given["map_"][0]})
    model.classifier.diagnostics = False
    grid = tried | (grid if strength_said(given, grid) else grid | usual_of(model.classifier))
    own = {name: getattr(model.classifier, name) for name in ("loss", "learner", "penalty")}
    fixed = {name: value for name, value in own.items() if name not in grid}
    return _tuned(model, grid, fixed, examples, given, groups)


def _tuned(
    model: Any,
    grid: dict[str, Any],
    fixed: dict[str, Any],
    examples: Any,
    given: dict[str, Any],
    groups: Any,
) -> Found:
    import linnet
    from linnet.estimators.kernels.trials import Weighed

    rows = as_read(read_by(model, _of_one_label(examples), given))
    dev = None
    if given["dev"]:
        other = numbered_as(examples, read(given["dev"], given))
        dev = (as_read(read_by(model, other, given)), other.labels)
    how = held_out(given)
    how["progress"] = bar(fits(grid, 1 if dev else how["folds"] or 5))
    weighed = Weighed(rows, examples.weights)
    result = linnet.tune(model, grid, weighed, examples.labels, dev=dev, groups=groups, **how)

    def finish(best: Any) -> Any:
        weighed = {} if examples.weights is None else {"sample_weight": examples.weights}
        best.fit(rows, examples.labels.values(), **weighed)
        if examples.texts is None:
            zero = bool(given["zero_based"]) or examples.zero_based
            best.record_.data = {"rows": len(examples.labels), "zero_based": zero}
        return best

    return result, fixed, finish


def as_read(rows: Any) -> Any:
    """Rows of the core can be cut as a matrix."""
    return rows.scipy() if isinstance(rows, CsrRows) else rows
