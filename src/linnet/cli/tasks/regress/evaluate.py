"""``linnet evaluate`` with a regressor: how near its numbers are, and where they are farthest."""

from __future__ import annotations

from typing import Any

from linnet.cli.files import rival
from linnet.cli.tasks.classify.data import inputs, naming_text, refuse_sentences
from linnet.cli.tasks.regress.data import read, targets_of
from linnet.data.text_file import text_lines
from linnet.errors import DataError

SHOWN = {"mae": "mean absolute error", "rmse": "root mean squared error", "r2": "R²"}
SHOWN["spearman"] = "Spearman's correlation"


def judged(model: Any, path: str, data: str, given: dict[str, Any]) -> dict[str, Any]:
    """Everything there is to say, as plain data."""
    from linnet.evaluation import NumberTally, paired_bootstrap

    refuse_sentences(data, given)
    with naming_text(model, given):
        examples = read(data, given, model)
    X, gold = inputs(model, examples), targets_of(examples)
    guess = model.predict(X)
    told = {"model": path, "data": data, **report(gold, guess, given)}
    told["worst_errors"] = _worst(examples, gold, guess, given["worst"])
    if given["against"]:
        other = rival(path, given, model)
        tallies = NumberTally(gold, guess), NumberTally(gold, other.predict(inputs(other, examples)))
        found = paired_bootstrap(tallies, tuple(SHOWN), **_how(given))
        told["against"] = {"model": given["against"]} | {
            name: {
                "first": one.first,
                "second": one.second,
                "difference": one.difference.value,
                "low": one.difference.low,
                "high": one.difference.high,
                "p": one.p,
            }
            for name, one in found.items()
        }
    return told


def compared(gold_path: str, path: str, given: dict[str, Any]) -> dict[str, Any]:
    """Numbers of one file against those of another, or of lines that `linnet predict` wrote."""
    import numpy as np

    gold = targets_of(read(gold_path, given))
    try:
        guess = np.array([float(line) for line in text_lines(path)])
    except ValueError as error:
        raise DataError(f"{path} is no file of numbers, one per line ({error})") from None
    if len(gold) != len(guess):
        raise DataError(f"{gold_path} has {len(gold)} numbers, and {path} {len(guess)}")
    return {"gold": gold_path, "data": path} | report(gold, guess, given)


def report(gold: Any, guess: Any, given: dict[str, Any]) -> dict[str, Any]:
    """Metrics with their intervals."""
    from linnet.evaluation import NumberTally, bootstrap

    found = bootstrap(NumberTally(gold, guess), tuple(SHOWN), **_how(given))
    told = {name: {"value": i.value, "low": i.low, "high": i.high} for name, i in found.items()}
    return {"examples": len(gold), "level": given["level"], "metrics": told}


def _how(given: dict[str, Any]) -> dict[str, Any]:
    return {name: given[name] for name in ("resamples", "level", "seed")}


def _worst(examples: Any, gold: Any, guess: Any, count: int) -> list[dict[str, Any]]:
    import numpy as np

    found = []
    for place in np.argsort(-np.abs(gold - guess), kind="stable")[:count].tolist():
        line = int(examples.lines[place]) if len(examples.lines) else place + 1
        row = {"line": line, "gold": float(gold[place]), "guess": float(guess[place])}
        if examples.texts is not None:
            row["text"] = examples.texts[place]
        found.append(row)
    return found


def show(told: dict[str, Any], given: dict[str, Any]) -> None:  # noqa: ARG001
    """Tables for the eye."""
    from rich.table import Table

    from linnet.cli.tables import console
    from linnet.explain.shown import Text

    out = console()
    out.print(f"{told['examples']:,} examples, intervals of {100 * told['level']:g} %\n")
    table = Table(box=None, pad_edge=False)
    for name, where in (("", "left"), ("value", "right"), ("from", "right"), ("to", "right")):
        table.add_column(name, justify=where)  # type: ignore[arg-type]
    for name, row in told["metrics"].items():
        table.add_row(SHOWN[name], *(f"{row[key]:.4f}" for key in ("value", "low", "high")))
    out.print(table)
    if "against" in told:
        out.print(Text(f"\nsecond model: {told['against']['model']}"))
        other = Table(box=None, pad_edge=False)
        for name in ("", "first", "second", "difference", "from", "to", "p"):
            other.add_column(name, justify="right" if name else "left")
        for name, said in SHOWN.items():
            row = told["against"][name]
            keys = ("first", "second", "difference", "low", "high", "p")
            other.add_row(said, *(f"{row[key]:.4f}" for key in keys))
        out.print(other)
    if told.get("worst_errors"):
        out.print("\nfarthest off")
        for row in told["worst_errors"]:
            said = f"line {row['line']}: {row['guess']:.6g} for {row['gold']:.6g}"
            out.print(Text(f"  {said}  {row.get('text', '')[:100]}".rstrip()))
