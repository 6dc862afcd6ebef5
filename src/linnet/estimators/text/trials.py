"""Trying settings of classifiers: features are made once for each split, and serve all strengths."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from linnet.data import Examples
from linnet.estimators.text.choice import joined
from linnet.estimators.text.rows import RowMaker, Rows, RowsClassifier
from linnet.estimators.text.settings import linear
from linnet.estimators.text.targets import read_targets
from linnet.estimators.trials import Trials, usual, usual_of_lists
from linnet.evaluation import by_labels
from linnet.features import TextFeatures
from linnet.features.text.preparing import PREPARING

if TYPE_CHECKING:
    from linnet.estimators.linear.classifier import LinearClassifier
    from linnet.estimators.text.by_rows import TextByRows
    from linnet.estimators.text.classifier import TextClassifier

STRENGTHS = (0.1, 0.3, 1.0, 3.0, 10.0, 30.0)
WARM = ("auto", "coordinate", "owlqn")  # learners that gain by a path from few weights to many
BESIDE = ("numeric", "categorical", "statistics")
OF_FEATURES = frozenset(TextFeatures._names())


def text_trials(model: TextClassifier, names: frozenset[str], X: Any, y: Any) -> Trials:
    """``names`` are the settings that will vary."""
    texts, columns, y = model._read(X, y)
    targets = read_targets(y)
    examples = Examples(texts=texts, columns=dict(columns or {}), weights=getattr(X, "weights", None))
    base = _base_features(model, names, texts, targets)
    warm = _warm(model)

    def tried(**settings: Any) -> TextClassifier:
        return model.__sklearn_clone__().set_params(**settings)

    def make(**settings: Any) -> RowsClassifier:
        one = tried(**settings)
        return RowsClassifier(linear(one, one._choose(texts, targets), warm_start=warm))

    def final(**settings: Any) -> TextClassifier:
        own = {name: value for name, value in settings.items() if name not in OF_FEATURES}
        varied = {name: value for name, value in settings.items() if name in OF_FEATURES}
        if not varied:
            return tried(**own)
        nothing: dict[str, Any] = dict.fromkeys(BESIDE, ()) | PREPARING  # it is the features' now
        return tried(**own | nothing, features=TextFeatures(**base | varied))

    return Trials(
        examples,
        targets.values() if isinstance(targets.values(), list) else targets.values().tolist(),
        len(examples),
        by_labels,
        "accuracy",
        usual_of(model),
        make,
        final,
        OF_FEATURES,
        lambda **chosen: RowMaker(TextFeatures(**base | chosen), model._threads()),
        ("alpha" if "alpha" in names else "C") if warm else None,
    )


def _base_features(
    model: TextClassifier, names: frozenset[str], texts: Any, targets: Any
) -> dict[str, Any]:
    """What features are where they do not vary: as they would be in training.

    Who says something of features gets exactly what was said, and not a part of the automatic ones.
    """
    if names & OF_FEATURES and not isinstance(model.features, TextFeatures):
        return joined(model)
    return model._choose(texts, targets).features.get_params(deep=False)


def list_trials(model: TextByRows, X: Any, y: Any) -> Trials:
    """Of lists and memories, which count texts and cannot weigh them."""
    found = model._settled(X, y, anew=True)
    labels = read_targets(found.y, several=False).values().tolist()
    examples = Examples(texts=found.texts, columns=dict(found.columns or {}))

    def tried(**settings: Any) -> TextByRows:
        return model.__sklearn_clone__().set_params(**settings)

    size = len(labels)
    return Trials(examples, labels, size, by_labels, "accuracy", usual_of_lists(model), tried, tried)


def row_trials(model: LinearClassifier, names: frozenset[str], X: Any, y: Any) -> Trials:
    """Of rows of numbers, or named features."""
    labels = y.tolist() if hasattr(y, "tolist") else list(y)
    warm = _warm(model)

    fixed = {"diagnostics": False, "warm_start": warm}

    def tried(**settings: Any) -> Any:
        one = model.__sklearn_clone__().set_params(**fixed | settings)
        return RowsClassifier(one) if isinstance(X, Rows) else one

    return Trials(
        X,
        labels,
        len(labels),
        by_labels,
        "accuracy",
        usual_of(model),
        tried,
        lambda **settings: model.__sklearn_clone__().set_params(**settings),
        path=("alpha" if "alpha" in names else "C") if warm else None,
    )


def _warm(model: Any) -> bool:
    """Sparse models start from the weights of the strength before."""
    return model.penalty in ("l1", "elasticnet") and model.learner in WARM


def usual_of(model: Any) -> dict[str, Any]:
    """L1 wants fewer strengths, and is slow at the largest."""
    return usual(model, STRENGTHS[:-1] if _warm(model) else STRENGTHS)
