"""``linnet compare`` on texts and on rows."""

from __future__ import annotations

from typing import Any

from linnet.cli.tasks.classify.data import numbered_as, read, read_unlabelled
from linnet.cli.tasks.classify.options import PREPARING, text_features

COLUMNS = ("non-zero", "size", "P(y|x)")


def contest_of(data: str, given: dict[str, Any]) -> Any:
    """Who is compared, and on what."""
    from linnet.estimators.comparing import contest
    from linnet.evaluation.metrics import metric

    if given["metric"]:
        metric(given["metric"])
    examples = read(data, given)
    test = numbered_as(examples, read(given["test"], given)) if given["test"] else None
    return contest(
        examples,
        test=test,
        held_out=given["held_out"],
        metric=given["metric"],
        features=features_of(given),
        seed=given["seed"],
        threads=given["threads"],
        unlabeled=_unlabelled(given),
    )


def _unlabelled(given: dict[str, Any]) -> Any:
    files = given["unlabeled"]
    return read_unlabelled(files, given | {"quiet": False}) if files else None


def features_of(given: dict[str, Any]) -> Any:
    """Those that the options ask for; None: the usual ones."""
    features = text_features(given)
    said = {name: given[name] for name in PREPARING if given.get(name)}
    if features != "auto" or not said:
        return None if features == "auto" else features
    from linnet.estimators.text.contenders import usual_features

    return usual_features(**said)
