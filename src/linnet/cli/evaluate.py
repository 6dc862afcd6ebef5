"""``linnet evaluate``: how good a model is on labelled data, how sure that is, and where it errs."""

from __future__ import annotations

from typing import Any

import click

from linnet.cli._options import (
    Grouped,
    data_options,
    json_option,
    refuse_given,
    seed_option,
    threads_option,
)
from linnet.cli.parsing.options import TREES, tree_options
from linnet.cli.tagging.options import COLUMNS, column_options


@click.command("evaluate", cls=Grouped)
@click.argument("model", metavar="MODEL")
@click.argument("data", metavar="DATA")
@json_option
@click.option("--against", metavar="MODEL2", help="a second model: is it better, or is it luck?")
@click.option("--train", "train", metavar="DATA", help="training data: report texts that are in both")
@click.option("--positive", metavar="LABEL", help="of two labels, the one to speak of; the second")
@click.option("--curve", metavar="LABEL", help="draw the precision-recall curve of this label")
@click.option(
    "--worst",
    type=click.IntRange(min=0),
    metavar="N",
    default=5,
    show_default=True,
    help="errors shown, with what led to them",
)
@click.option(
    "--metric",
    "metrics",
    metavar="NAME",
    multiple=True,
    help="to compare two models by; accuracy, macro_f1",
)
@click.option(
    "--threshold", type=click.FloatRange(0, 1), metavar="P", help="'unsure' below this probability"
)
@click.option(
    "--threshold-of",
    nargs=2,
    type=(str, click.FloatRange(0, 1)),
    multiple=True,
    metavar="LABEL P",
    help="the same for one label",
)
@click.option(
    "--resamples",
    type=click.IntRange(min=1),
    metavar="N",
    default=2000,
    show_default=True,
    help="of the bootstrap, for the intervals",
)
@click.option(
    "--level",
    type=click.FloatRange(0, 1, min_open=True, max_open=True),
    metavar="P",
    default=0.95,
    show_default=True,
    help="of the intervals",
)
@seed_option
@data_options
@column_options
@tree_options
@threads_option
def command(model: str, data: str, as_json: bool, **given: Any) -> None:
    """Score a model on labelled data.

    How good MODEL is on DATA, how sure that is, and where it errs.
    Labels of DATA that MODEL was not trained on count as errors and are listed.

    A tagger is scored by tokens, by whole sentences and, where tags are spans, by precision, recall and
    F1 of each type, as conlleval counts them. A parser is scored by heads (UAS) and heads with
    relations (LAS), by length, by relation, and on arcs that cross.
    """
    from linnet.cli._data import is_parser, is_tagger, load, rival
    from linnet.evaluation.metrics import metric

    loaded = load(model, given["threads"])
    if is_parser(loaded):
        from linnet.cli.parsing.evaluate import run as judge_parser

        judge_parser(loaded, model, data, as_json, given)
        return
    refuse_given(TREES, f"for parsers; {model} is none")
    if is_tagger(loaded):
        from linnet.cli.tagging.evaluate import run

        run(loaded, model, data, as_json, given)
        return
    refuse_given(COLUMNS, f"for taggers; {model} is a classifier")

    metrics = given["metrics"] or ("accuracy", "macro_f1")
    for name in metrics:
        metric(name)
    loaded = with_thresholds(loaded, given)
    examples = labelled(data, loaded, given)
    told = judge(loaded, examples, given)
    told = {"model": model, "data": data, **told}
    if given["against"]:
        other = with_thresholds(rival(model, given, loaded), given)
        told["against"] = versus(loaded, other, examples, metrics, given)
    if given["train"]:
        told["leaks"] = shared_texts(
            labelled(given["train"], loaded, given), examples, told.pop("correct")
        )
    told.pop("correct", None)
    if as_json:
        import json

        click.echo(json.dumps(told, ensure_ascii=False))
        return
    from linnet.cli._report import show_report

    show_report(told, given["curve"])


def with_thresholds(model: Any, given: dict[str, Any]) -> Any:
    """The model itself, which may now be unsure."""
    from linnet.cli.predict import set_thresholds

    thresholds: Any = given["threshold"]
    if given["threshold_of"]:
        labels = [str(label) for label in model.classes_.tolist()]
        default = {} if thresholds is None else dict.fromkeys(labels, thresholds)
        thresholds = default | dict(given["threshold_of"])
    set_thresholds(model, thresholds)
    return model


def labelled(path: str, model: Any, given: dict[str, Any]) -> Any:
    """Examples with what the model looks at."""
    from linnet.cli._data import looked_at, naming_text, read, refuse_sentences

    refuse_sentences(path, given)
    with naming_text(model, given):
        return read(path, given | looked_at(path, model, given))


def judge(model: Any, examples: Any, given: dict[str, Any]) -> dict[str, Any]:
    """The report on a model, with explanations of its worst errors."""
    from linnet.cli._data import inputs
    from linnet.evaluation import answers, report

    X, gold = inputs(model, examples), examples.labels.values()
    guess = guesses(model, X)
    unsure = getattr(model, "unsure", None)
    told = report(
        gold,
        guess,
        classes=model.classes_.tolist(),
        scores=model.decision_function(X),
        probabilities=model.predict_proba(X) if hasattr(model, "predict_proba") else None,
        unsure=unsure,
        positive=given["positive"],
        resamples=given["resamples"],
        level=given["level"],
        seed=given["seed"],
        worst=given["worst"],
    )
    for error in told.get("worst_errors", ()):
        place = error["example"]
        error["line"] = int(examples.lines[place]) if len(examples.lines) else place + 1
        if examples.texts is not None:
            error["text"] = examples.texts[place]
            if hasattr(model, "explain"):
                why = model.explain(error["text"], columns_at(examples, place))
                error["because"] = because(why, error["guess"], error["gold"])
    told["correct"] = answers(gold, guess, unsure=unsure).correct()
    return told


def guesses(model: Any, X: Any) -> list[Any]:
    """Labels, or tuples of labels."""
    found = model.predict(X)
    return list(found.tolist() if hasattr(found, "tolist") else found)


def columns_at(examples: Any, place: int) -> dict[str, Any] | None:
    """What stands beside one text."""
    return {name: values[place : place + 1] for name, values in examples.columns.items()} or None


def because(why: Any, guess: str, gold: str, n: int = 5) -> list[dict[str, Any]]:
    """What speaks most for the guess rather than the gold label: shares of the difference of scores."""
    shares: dict[str, float] = {}
    for piece in why.pieces:
        if why.against is None:
            place = {label: k for k, label in enumerate(why.labels)}
            share = piece.contributions[place[guess]] - piece.contributions[place[gold]]
        else:  # one score, that of the label that is not `against`
            share = piece.contributions[0] * (-1 if guess == why.against else 1)
        shares[piece.name] = shares.get(piece.name, 0.0) + float(share)
    best = sorted(shares.items(), key=lambda item: -item[1])[:n]
    return [{"feature": name, "share": share} for name, share in best if share > 0]


def versus(first: Any, second: Any, examples: Any, metrics: Any, given: dict[str, Any]) -> Any:
    """Both models on the same data."""
    from linnet import evaluation
    from linnet.cli._data import inputs

    first_guess, second_guess = (guesses(m, inputs(m, examples)) for m in (first, second))
    return {
        "model": given["against"],
        **evaluation.versus(
            examples.labels.values(),
            first_guess,
            second_guess,
            metrics=tuple(metrics),
            unsure=getattr(first, "unsure", None),
            resamples=given["resamples"],
            level=given["level"],
            seed=given["seed"],
        ),
    }


def shared_texts(train: Any, test: Any, correct: Any) -> dict[str, Any]:
    """Texts of the test data that are training data as well, and the accuracy without them."""
    import numpy as np

    from linnet.errors import DataError
    from linnet.evaluation import leaks, repeats

    if train.texts is None or test.texts is None:
        raise DataError("texts in both training and test data can be found in texts only, not numbers")

    def each(texts: Any) -> Any:
        return (texts[i] for i in range(len(texts)))

    found = leaks(each(train.texts), each(test.texts), train.labels.values(), test.labels.values())
    fresh = np.ones(len(correct), dtype=bool)
    fresh[[leak.test for leak in found]] = False
    return {
        "texts": len(found),
        "share": len(found) / len(correct),
        "other_label": sum(leak.same_label is False for leak in found),
        "repeated_in_test": repeats(each(test.texts)),
        "accuracy_without": float(correct[fresh].mean()) if fresh.any() else None,
        "lines": [
            {"test": _line(test, leak.test), "train": _line(train, leak.train), "text": leak.text}
            for leak in found
        ],
    }


def _line(examples: Any, place: int) -> int:
    return int(examples.lines[place]) if len(examples.lines) else place + 1
