"""How options become a regressor."""

from __future__ import annotations

from typing import Any

from linnet.cli.learning import said_of_learning
from linnet.cli.options import refuse_given
from linnet.cli.tasks.classify.options import JOINED, common, missing_of, text_features


def regressor(given: dict[str, Any]) -> Any:
    """The text regressor that the options describe."""
    from linnet.estimators import TextRegressor

    features = text_features(given)
    said = {name: given[name] for name in JOINED if given.get(name) not in (None, ())}
    columns = said if features == "auto" else {}
    model = TextRegressor(features, **_learning(given), **common(given), **columns)
    model.text = given.get("text") or model.text
    model.missing = missing_of(given) or model.missing
    return model


def row_regressor(given: dict[str, Any]) -> Any:
    """A regressor of rows of numbers, or of named features."""
    from linnet.estimators import LinearRegressor

    return LinearRegressor(**_learning(given), **common(given))


def _learning(given: dict[str, Any]) -> dict[str, Any]:
    """Of the settings of learning those that regressors have."""
    from linnet.training import grid

    refuse_given(("loss", "margin"), "regressors have one loss, squared error, without a margin")
    said = said_of_learning(given)
    said.pop("loss", None)
    if "learner" in said and "penalty" not in said:
        taken = grid.resolve(said["learner"]).penalties
        said["penalty"] = "l2" if "l2" in taken else min(taken)
    return said
