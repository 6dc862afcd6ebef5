"""The report of ``linnet evaluate`` as tables."""

from __future__ import annotations

from typing import Any

from rich.console import Console

from linnet.cli.tables import console, fits, is_ascii, show, table, words
from linnet.evaluation.plot import area
from linnet.explain.shown import Text

Report = dict[str, Any]
WIDEST_CONFUSION = 12  # labels
MOST_CONFUSIONS = 10
TEXT_SHOWN = 300  # characters
# Columns that other columns tell, for narrow terminals: 1 − specificity, and what sums to others.
SPARED = ("false_positive_rate", "missed", "too_many")


def show_report(told: Report, curve: str | None = None) -> None:
    """Print it."""
    curves = told.get("precision_recall", {})
    if curve is not None and curve not in curves:
        known = ", ".join(curves) or "none"
        raise ValueError(f"--curve: there is none of {curve!r}; there are those of {known}")
    out = console()
    several = "several labels each, " if told["multilabel"] else ""
    n, labels, errors = told["examples"], len(told["labels"]), told["errors"]
    out.print(f"{n:,} examples, {several}{labels} labels, {errors:,} errors")
    for unseen in told["unseen_labels"]:
        label, times = unseen["label"], unseen["examples"]
        warning = f"never seen in training: {label} ({times} examples, all errors)"
        out.print(Text(warning, style="yellow"))
    heading(out, "Scores")
    out.print(_scores(told))
    if "positive" in told:
        heading(out, f"As a detector of {told['positive']['label']}")
        out.print(table(["", ""], [(words(k), v) for k, v in _positive(told["positive"])]))
    heading(out, "Labels")
    out.print(_labels(out, told))
    if "confusion" in told:
        show_confusion(out, told["confusion"])
    if "instead" in told:
        _instead(out, told["instead"])
    _curve(out, told, curve)
    covered = [row for row in told.get("unsure_below", ()) if row["coverage"] > 0]
    if covered:
        heading(out, "If it were unsure below a probability")
        rows = [(f"{row['threshold']:g}", row["coverage"], row["accuracy"]) for row in covered]
        out.print(table(["below", "covered", "accuracy"], rows, left=0))
    if "one_threshold" in told:
        _thresholds(out, told)
    if told.get("worst_errors"):
        _worst(out, told["worst_errors"])
    if "unexplained" in told:
        out.print(told["unexplained"])
    if "against" in told:
        _against(out, told["against"])
    if "leaks" in told:
        _leaks(out, told["leaks"])


def heading(out: Console, text: str) -> None:
    """A bold line after an empty one."""
    out.print()
    out.print(Text(text, style="bold"))


def _scores(told: Report) -> Any:
    level = next(iter(told["intervals"].values()))["level"]
    rows = [
        (words(name), value, f"{i['low']:.4f} – {i['high']:.4f}")
        for name, value in told["metrics"].items()
        for i in [told["intervals"][name]]
    ]
    rows += [(words(name), told[name], "") for name in ("log_loss", "brier") if name in told]
    return table(["", "", f"{100 * level:g} % interval"], rows)


def _positive(row: Report) -> list[tuple[str, Any]]:
    return [(name, value) for name, value in row.items() if isinstance(value, float)]


def _labels(out: Console, told: Report) -> Any:
    names = {
        "label": "label",
        "precision": "precision",
        "recall": "recall",
        "f1": "F1",
        "specificity": "specificity",
        "false_positive_rate": "false positives",
        "missed": "missed",
        "too_many": "too many",
        "best_threshold": "best threshold",
        "average_precision": "avg. precision",
        "gold": "gold",
        "guessed": "guessed",
    }
    shown = [name for name in names if any(name in row for row in told["per_label"])]
    made = _chosen(told["per_label"], names, shown)
    for name in SPARED:
        if fits(out, made) or name not in shown:
            break
        shown.remove(name)
        made = _chosen(told["per_label"], names, shown)
    return made


def _chosen(rows: list[Report], names: dict[str, str], shown: list[str]) -> Any:
    cells = [[row.get(name) for name in shown] for row in rows]
    return table([names[name] for name in shown], cells)


def show_confusion(out: Console, found: Report, what: str = "label") -> None:
    """The table of gold by guess, or its largest cells where it would be wide."""
    guessed = [name if name is not None else "(unsure)" for name in found["guessed"]]
    if len(found["gold"]) <= WIDEST_CONFUSION:
        heading(out, f"Confusions: gold {what} by guess")
        rows = [[label, *row] for label, row in zip(found["gold"], found["counts"], strict=True)]
        out.print(table(["", *guessed], rows))
        return
    heading(out, "Most frequent confusions")
    wrong = [cell for cell in found["cells"] if cell[0] != cell[1]]
    most = sorted(wrong, key=lambda cell: -cell[2])[:MOST_CONFUSIONS]
    rows = [[found["gold"][g], guessed[k], times] for g, k, times in most]
    out.print(table(["gold", "guess", "times"], rows, left=2))


def _instead(out: Console, found: Report) -> None:
    """What was said in place of labels that were missed, the most frequent first."""
    if not found["cells"]:
        return
    heading(out, "Missed, and what was said instead")
    names = [name if name is not None else "(nothing)" for name in found["gold"]]
    most = sorted(found["cells"], key=lambda cell: -cell[2])[:MOST_CONFUSIONS]
    out.print(
        table(["missed", "instead", "times"], [[names[g], names[k], n] for g, k, n in most], left=2)
    )


def _thresholds(out: Console, told: Report) -> None:
    """One threshold for all labels, and one for each."""
    heading(out, "If labels were said from a probability on")
    elsewhere = told["thresholds_of_the_other_half"]
    names = list(elsewhere)
    rows = [[f"{row['threshold']:g}", *(row[name] for name in names)] for row in told["one_threshold"]]
    rows.append(["each its best", *elsewhere.values()])
    out.print(table(["from", *map(words, names)], rows))
    out.print("each its best: chosen on one half of the data and measured on the other")


def _curve(out: Console, told: Report, wanted: str | None) -> None:
    label = wanted if wanted is not None else told.get("positive", {}).get("label")
    if label is None:
        return
    if label not in told["precision_recall"]:
        heading(out, f"No curve of {label}: no example has this label")
        return
    curve = told["precision_recall"][label]
    heading(out, f"Precision over recall, {label} (average {curve['average_precision']:.4f})")
    for line in area(curve["recall"], curve["precision"], plain=is_ascii(out)):
        out.print(Text(line))


def _worst(out: Console, errors: list[Report]) -> None:
    heading(out, "Worst errors")
    for error in errors:
        out.print(Text(f"line {error['line']}: {_wrong(error)}", style="red"))
        if "text" in error:
            text = " ".join(error["text"].split())
            short = text if len(text) <= TEXT_SHOWN else text[: TEXT_SHOWN - 1] + "…"
            out.print(Text(f"  {short}"), soft_wrap=True)
        if error.get("because"):
            shares = ", ".join(f"{row['feature']} {row['share']:+.3f}" for row in error["because"])
            out.print(Text(f"  because of {shares}", style="dim"), soft_wrap=True)


def _wrong(error: Report) -> str:
    """What is wrong of an example, and by how much."""
    if "label" not in error:
        return f"{error['gold']}, taken for {error['guess']} by {error['margin']:.3f}"
    gold, guess = (", ".join(error[name]) or "no label" for name in ("gold", "guess"))
    how = "missed" if error["missed"] else "too many"
    return f"{gold}, taken for {guess}; {error['label']} {how} by {error['margin']:.3f}"


def _against(out: Console, found: Report) -> None:
    heading(out, f"Against {found['model']}")
    show_differences(out, found["differences"])
    test = found["mcnemar"]
    out.print(
        f"right alone: this {test['only_first']}, the other {test['only_second']}; "
        f"McNemar's exact test: p = {test['p']:.3g}"
    )


def show_differences(out: Console, differences: list[Report]) -> None:
    """Two systems by several metrics."""
    rows = []
    for row in differences:
        gain = row["difference"]
        interval = f"{gain['low']:+.4f} – {gain['high']:+.4f}"
        name = words(row["metric"])
        rows.append(
            [name, row["first"], row["second"], f"{gain['value']:+.4f}", interval, show(row["p"])]
        )
    out.print(table(["", "this", "other", "difference", "interval", "p (bootstrap)"], rows))


def _leaks(out: Console, found: Report) -> None:
    heading(out, "Texts in both training and test data")
    out.print(
        f"{found['texts']} ({100 * found['share']:.2f} %), {found['other_label']} of them with another "
        f"label; {found['repeated_in_test']} texts are repeated within the test data"
    )
    if found["texts"] and found["accuracy_without"] is not None:
        out.print(f"accuracy without them: {found['accuracy_without']:.4f}")
    for row in found["lines"][:3]:
        out.print(Text(f"  line {row['test']} is line {row['train']}: {row['text'][:80]}", style="dim"))
