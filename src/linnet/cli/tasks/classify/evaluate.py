"""``linnet evaluate`` with a classifier: how good it is, how sure that is, and where it errs."""

from __future__ import annotations

from typing import Any

from linnet.cli.files import rival
from linnet.cli.tasks.classify.data import (
    inputs,
    naming_text,
    read,
    refuse_sentences,
)
from linnet.cli.tasks.classify.predict import set_thresholds
from linnet.data.text_file import text_lines
from linnet.errors import DataError


def judged(model: Any, path: str, data: str, given: dict[str, Any]) -> dict[str, Any]:
    """Everything there is to say, as plain data."""
    from linnet.evaluation.metrics import metric

    metrics = given["metrics"] or ("accuracy", "macro_f1")
    for name in metrics:
        metric(name)
    model = with_thresholds(model, given)
    examples = labelled(data, model, given)
    told = {"model": path, "data": data, **judge(model, examples, given)}
    correct = told.pop("correct")
    if given["against"]:
        other = with_thresholds(rival(path, given, model), given)
        told["against"] = versus(model, other, examples, metrics, given)
    if given["train"]:
        told["leaks"] = shared_texts(labelled(given["train"], model, given), examples, correct)
    return told


def compared(gold_path: str, path: str, given: dict[str, Any]) -> dict[str, Any]:
    """Labels of one file against those of another, or of lines that `linnet predict` wrote."""
    from linnet.evaluation import report
    from linnet.formats import detect

    gold: list[Any] = read(gold_path, given).labels.values()
    several = any(not isinstance(label, str) for label in gold)
    guess: list[Any]
    if given["format_"] is None and detect(path) in ("text", "tsv"):
        rows = (line.split("\t") for line in text_lines(path))
        guess = [tuple(filter(None, row)) if several else row[0] for row in rows]
    else:
        guess = read(path, given).labels.values()
    if len(gold) != len(guess):
        raise DataError(f"{gold_path} has {len(gold)} labels, and {path} {len(guess)}")
    how = {name: given[name] for name in ("positive", "resamples", "level", "seed")}
    return {"gold": gold_path, "data": path} | report(gold, guess, sequences=False, **how)


def show(told: dict[str, Any], given: dict[str, Any]) -> None:
    """Tables for the eye."""
    from linnet.cli.tasks.classify.report import show_report

    show_report(told, given["curve"])


def with_thresholds(model: Any, given: dict[str, Any]) -> Any:
    """The model itself, which may now be unsure."""
    thresholds: Any = given["threshold"]
    if given["threshold_of"]:
        labels = [str(label) for label in model.classes_.tolist()]
        default = {} if thresholds is None else dict.fromkeys(labels, thresholds)
        thresholds = default | dict(given["threshold_of"])
    set_thresholds(model, thresholds)
    return model


def labelled(path: str, model: Any, given: dict[str, Any]) -> Any:
    """Examples with what the model looks at."""
    refuse_sentences(path, given)
    with naming_text(model, given):
        return read(path, given, model)


def judge(model: Any, examples: Any, given: dict[str, Any]) -> dict[str, Any]:
    """The report on a model, with explanations of its worst errors."""
    from linnet.evaluation import answers, report

    X, gold = inputs(model, examples), examples.labels.values()
    guess = guesses(model, X)
    unsure = getattr(model, "unsure", None)
    explained = getattr(model, "weighs_words", False) and model.model_.votes is None
    told = report(
        gold,
        guess,
        classes=model.classes_.tolist(),
        scores=model.decision_function(X),
        probabilities=model.predict_proba(X) if model.no_probabilities() is None else None,
        unsure=unsure,
        positive=given["positive"],
        resamples=given["resamples"],
        level=given["level"],
        seed=given["seed"],
        worst=given["worst"],
        sequences=False,
    )
    for error in told.get("worst_errors", ()):
        place = error["example"]
        error["line"] = int(examples.lines[place]) if len(examples.lines) else place + 1
        if examples.texts is not None:
            error["text"] = examples.texts[place]
            if explained:
                why = model.explain(error["text"], columns_at(examples, place))
                error["because"] = _reasons(why, error)
    if not explained and examples.texts is not None:
        told["unexplained"] = "there are no weights that would explain these errors; see linnet explain"
    told["correct"] = answers(gold, guess, unsure=unsure, sequences=False).correct()
    return told


def _reasons(why: Any, error: dict[str, Any]) -> list[dict[str, Any]]:
    """Of several labels, why the one that is wrong by most was said, or was not."""
    from linnet.explain.reasons import because, because_of_label

    if "label" in error:
        return because_of_label(why, error["label"], not error["missed"])
    return because(why, error["guess"], error["gold"])


def guesses(model: Any, X: Any) -> list[Any]:
    """Labels, or tuples of labels."""
    if getattr(model, "table_", ""):  # it was given a matrix, and would give one
        from linnet.estimators.text.decisions import several

        return several(model._above(model._scores(X)), model.classes_)
    found = model.predict(X)
    return list(found.tolist() if hasattr(found, "tolist") else found)


def columns_at(examples: Any, place: int) -> dict[str, Any] | None:
    """What stands beside one text: a value for each name."""
    return {name: values[place] for name, values in examples.columns.items()} or None


def versus(first: Any, second: Any, examples: Any, metrics: Any, given: dict[str, Any]) -> Any:
    """Both models on the same data."""
    from linnet import evaluation

    first_guess, second_guess = (guesses(m, inputs(m, examples)) for m in (first, second))
    return {
        "model": given["against"],
        **evaluation.versus(
            examples.labels.values(),
            first_guess,
            second_guess,
            metrics=tuple(metrics),
            unsure=getattr(first, "unsure", None),
            sequences=False,
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
