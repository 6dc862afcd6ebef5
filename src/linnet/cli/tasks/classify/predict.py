"""``linnet predict`` with a classifier: one line out for each text in."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import click

from linnet.cli.output import written
from linnet.cli.tasks.classify.data import batches, reads_texts

ONE_CELL = str.maketrans("\t\r\n", "   ")  # a label that has them (JSONL) breaks no line


def run(model: Any, path: str, data: str, given: dict[str, Any]) -> None:  # noqa: ARG001
    """Label texts as they come."""
    set_thresholds(model, given["threshold"])
    if given["proba"]:
        need_probabilities(model, "--proba")
    with written(given["output"]) as out:
        for batch in batches(data, model, given):
            out.writelines(map(_encoded, lines(model, batch, given["top"], _number(given))))
            out.flush()


def _encoded(line: str) -> bytes:
    return line.encode(errors="replace")


def _number(given: dict[str, Any]) -> str | None:
    return "proba" if given["proba"] else "scores" if given["scores"] else None


def need_probabilities(model: Any, option: str) -> None:
    """Not every model has them."""
    if model.no_probabilities() is not None:
        raise click.UsageError(
            f"{option}: the scores of this model are margins, not probabilities; "
            "train with --loss logistic, or for one label per text with --calibration auto"
        )


def set_thresholds(model: Any, thresholds: Any) -> None:
    """A probability, or probabilities by label."""
    if thresholds is None:
        return
    if not reads_texts(model):
        raise click.UsageError("--threshold: only models of texts have thresholds")
    need_probabilities(model, "--threshold")
    model.thresholds = thresholds


def lines(model: Any, X: Any, top: int | None, number: str | None) -> Iterable[str]:
    """A line per text: its label or labels, with numbers if asked for."""
    several = getattr(model, "several_", False)
    if top is not None:
        return _ranked(model, X, top, number)
    found = model.predict(X)
    if number is None:
        return (_line(labels if several else [labels]) for labels in found)
    names, values = model.classes_.tolist(), _values(model, X, number)
    if not several:
        best = values.max(axis=1).tolist()
        return (_line([label], [value], number) for label, value in zip(found, best, strict=True))
    place = {name: k for k, name in enumerate(names)}
    return (
        _line(labels, [row[place[label]] for label in labels], number)
        for labels, row in zip(found, values.tolist(), strict=True)
    )


def _ranked(model: Any, X: Any, top: int, number: str | None) -> Iterable[str]:
    import numpy as np

    values = _values(model, X, number)
    best = np.argsort(-values, axis=1, kind="stable")[:, :top]
    rows = np.take_along_axis(values, best, axis=1).tolist()
    names = model.classes_[best].tolist()
    return (_line(labels, row, number) for labels, row in zip(names, rows, strict=True))


def _values(model: Any, X: Any, number: str | None) -> Any:
    """A number for each label, (texts, labels)."""
    import numpy as np

    if number == "proba":
        return model.predict_proba(X)
    scores = model.decision_function(X)
    return np.stack([-scores, scores], axis=1) if scores.ndim == 1 else scores


def _line(labels: Sequence[Any], values: Sequence[float] = (), number: str | None = None) -> str:
    names = [str(label).translate(ONE_CELL) for label in labels]
    if number is None:
        return "\t".join(names) + "\n"
    shown = "{}\t{:.6f}" if number == "proba" else "{}\t{:.6g}"
    pairs = zip(names, values, strict=True)
    return "\t".join(shown.format(label, value) for label, value in pairs) + "\n"
