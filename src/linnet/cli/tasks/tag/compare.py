"""``linnet compare`` on sentences."""

from __future__ import annotations

from typing import Any

from linnet.cli.tasks.tag.data import form_of, read_tagged, read_unlabelled
from linnet.cli.tasks.tag.options import features_of
from linnet.cli.tasks.tag.tune import check_metric

COLUMNS = ("non-zero", "P(y|x)")


def contest_of(data: str, given: dict[str, Any]) -> Any:
    """Who is compared, and on what."""
    from linnet.estimators.comparing import contest

    form = form_of(data, given)  # of a pipe, while it is there
    sentences = read_tagged(data, given)
    check_metric(given["metric"], sentences)
    return contest(
        sentences,
        test=read_tagged(given["test"], given) if given["test"] else None,
        held_out=given["held_out"],
        metric=given["metric"],
        features=features_of(given["features"] or "auto"),
        seed=given["seed"],
        threads=given["threads"],
        unlabeled=_unlabelled(sentences, form, given),
    )


def _unlabelled(sentences: Any, form: str, given: dict[str, Any]) -> Any:
    files = given["unlabeled"]
    return read_unlabelled(files, sentences, form, given | {"quiet": False}) if files else None
