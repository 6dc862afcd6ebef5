"""Training with unlabelled texts: what is refused, whether they are used, and the model."""

from __future__ import annotations

import warnings
from collections.abc import Iterable
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

import linnet._core as _core
from linnet import engines
from linnet._params import number
from linnet.errors import DataError, DataWarning, RefusedError, setting
from linnet.estimators.linear.probabilities import two_columns
from linnet.estimators.text.settings import calibration_of, unfitted
from linnet.estimators.text.targets import Targets
from linnet.estimators.text.unlabelled.methods import METHODS
from linnet.estimators.text.unlabelled.pool import IN_GRAPH, Array, Learnt, Places, Pool
from linnet.estimators.text.unlabelled.switch import LEAST, PRIORS, Scores, folds, gain
from linnet.estimators.text.unlabelled.views import check_views, name_of
from linnet.features import TextFeatures
from linnet.losses import LOSSES
from linnet.training.calibration import FITS, Softmax, fit_softmax

if TYPE_CHECKING:
    from linnet.estimators.text.classifier import TextClassifier

MANY = 50  # labelled texts a label: from here on 'auto' tries 'vectors', of fewer 'joint'
OF_UNLABELLED = {"unlabeled_method": "auto", "unlabeled_weight": None, "unlabeled_views": None}
WEIGHING = tuple(name for name in METHODS if name not in ("vectors", "classes"))
OWN = ("em", "entropy")  # methods that are a loss and a learner themselves
OF_LEARNING = ("loss", "learner", "penalty", "alpha", "multiclass", "average", "max_iter", "tol")


def check_asked(settings: Any, unlabeled: Any, dev: Any, memory: Any, cache: Any) -> None:
    """The method is one, and has texts; these are all read at once."""
    method = settings.unlabeled_method
    if method != "auto" and method not in METHODS:
        known = ", ".join(repr(name) for name in METHODS)
        raise ValueError(f"unlabeled_method must be 'auto' or one of {known}, not {method!r}")
    _check_weight(settings)
    check_views(settings)
    if unlabeled is None:
        if method != "auto":
            raise ValueError(
                f"unlabeled_method={method!r} has no effect without unlabeled=: give texts"
            )
        if settings.unlabeled_weight is not None:
            raise ValueError("unlabeled_weight has no effect without unlabeled=: give texts")
        return
    for name, value in (("memory", memory), ("cache", cache), ("dev", dev)):
        if value is not None:
            raise RefusedError(
                f"{setting(name)} does not go with {setting('unlabeled')}: leave out one of the two"
            )
    if engines.in_use() is not None:
        raise RefusedError(f"{setting('unlabeled')} is not learnt from on an engine: leave it out")


def _check_weight(settings: Any) -> None:
    """It is positive, and of a method that has one."""
    weight, method = settings.unlabeled_weight, settings.unlabeled_method
    if weight is None:
        return
    if not 0 < number(weight) < np.inf:
        raise ValueError(f"unlabeled_weight must be a positive number or None, not {weight!r:.60}")
    if method not in WEIGHING:
        raise ValueError(
            f"unlabeled_weight has no effect: unlabeled_method={method!r} weighs no texts; those that "
            f"do are {', '.join(WEIGHING)}"
        )


def check_unlabelled(settings: Any, targets: Targets) -> None:
    """What does not go with unlabelled texts is refused."""
    method = settings.unlabeled_method
    if targets.several:
        raise RefusedError(
            f"{setting('unlabeled')} is for one label per text; leave it out where texts have several"
        )
    beside = [name for name in ("lexicon", "progressive") if getattr(settings, name)]
    if calibration_of(settings) in FITS:
        beside.append("calibration")
    if beside:
        also = "; calibration may be 'auto', 'softmax' or None" if beside == ["calibration"] else ""
        raise RefusedError(
            f"{setting(beside[0])} does not go with {setting('unlabeled')}: leave out one of the "
            f"two{also}"
        )
    features = settings.features
    owner = settings if isinstance(features, str) else features
    if any(len(getattr(owner, name)) for name in ("numeric", "categorical", "statistics")):
        raise RefusedError(
            f"{setting('unlabeled')} are texts alone: leave out numeric, categorical and statistics"
        )
    if not isinstance(features, str) and features.scale == "nb":
        raise RefusedError(
            f"{setting('unlabeled')} have no labels to weigh features by: use scale='idf' or 'none'"
        )
    if method in OWN:
        plain = type(settings)()
        said = [n for n in OF_LEARNING if getattr(settings, n) != getattr(plain, n)]
        said += ["classifier"] * (settings.classifier is not None)
        said += ["C"] * (method == "em" and settings.C != "auto")
        if said:
            raise ValueError(
                f"{said[0]} has no effect: unlabeled_method={method!r} is a loss and a learner itself"
            )
    counting = method == "em" and isinstance(features, TextFeatures)
    if counting and (features.tf, features.scale, features.norm) != ("count", "none", "none"):
        raise ValueError(
            "unlabeled_method='em' counts words: features must have tf='count', scale='none' and "
            "norm='none'"
        )


def fit_unlabelled(
    model: TextClassifier,
    texts: _core.Texts,
    targets: Targets,
    weights: Array,
    unlabeled: Any,
) -> str | None:
    """Fits the model with unlabelled texts; otherwise says why they are not used."""
    more = _read(model, unlabeled)
    asked = model.unlabeled_method
    many = len(texts) >= MANY * len(targets.classes)
    method = asked if asked != "auto" else "vectors" if many else "joint"
    pool, learn = _pool(model, texts, more, targets, method), METHODS[method]
    codes, everyone = targets.codes, np.arange(len(texts))

    def other(kept: Places, held: Places) -> Array:
        return two_columns(learn(pool, kept, codes[kept], weights[kept]).model.scores(pool.rows[held]))

    views = "" if model.unlabeled_views is None else f" over {_named(model.unlabeled_views)}"
    why = f"unlabeled: {len(more):,} texts, by {method!r}{views}, as given"
    wanted = calibration_of(model) is not None
    splits = folds(codes, pool.seed)
    scores, places = np.empty((0, 2)), everyone[:0]
    if asked == "auto":
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", DataWarning)  # of labels, which was said already
            plain = _plain(model, texts, targets, weights)
            found, scores, places = gain(splits, plain, other, codes, weights, PRIORS[method])
        if found is None:
            return (
                f"unlabeled: {len(more):,} texts are not used: no label has a second text to try it on"
            )
        if found.expected <= LEAST:
            return f"unlabeled: {len(more):,} texts are not used: {found}"
        why = f"unlabeled: {len(more):,} texts, by {method!r}: {found}"
    learnt = learn(pool, everyone, codes, weights)
    if wanted and not LOSSES[learnt.loss].probability_scale and not len(places):
        held_out = [(held, other(kept, held)) for kept, held in splits]
        if held_out:
            places = np.concatenate([held for held, _ in held_out])
            scores = np.concatenate([said for _, said in held_out])
    if len(more) > IN_GRAPH and method in ("joint", "propagate"):
        why += f"; a graph of {IN_GRAPH:,} of them, drawn by chance"
    _set(model, pool, learnt, targets, why)
    if wanted and not LOSSES[learnt.loss].probability_scale:
        known = len(places) >= 10
        model.calibrator_ = (
            fit_softmax(scores, codes[places], weights[places]) if known else Softmax(1.0)
        )
    return None


def _read(model: TextClassifier, unlabeled: Any) -> _core.Texts:
    if isinstance(unlabeled, (str, bytes)):
        raise DataError("unlabeled is a single text; pass a list of texts")
    if not isinstance(unlabeled, (Iterable, _core.Texts)) and not hasattr(unlabeled, "__len__"):
        raise DataError(f"unlabeled: a list of texts is wanted, not {unlabeled!r:.40}")
    try:
        texts: _core.Texts = model._settled(unlabeled, None, anew=True).texts
    except DataError as error:
        raise DataError(f"unlabeled: {error}") from None
    if not len(texts):
        raise DataError("unlabeled is empty: give one or more texts, or leave it out")
    return texts


def _pool(
    model: TextClassifier, texts: _core.Texts, more: _core.Texts, targets: Targets, method: str
) -> Pool:
    """Rows of all texts; features of 'auto' are weighed by how rare they are among all."""
    both = _core.Texts.joined([texts, more])
    choice = model._choose(both, targets)
    features = unfitted(choice.features)
    if isinstance(model.features, str):
        if method == "em":
            features.set_params(
                word=(1, 1), lead=0, chars_wb=None, chars_first=0, mix=None,
                tf="count", scale="none", norm="none", min_df=2,
            )  # fmt: skip
            choice = replace(choice, why=["features: how often each word occurs"])
        elif features.scale == "nb":
            features.set_params(tf="sublinear", scale="idf")
            first, *rest = choice.why
            told = first.replace("by how they divide the labels", "by how rare they are")
            choice = replace(choice, why=[told, *rest])
    rows = features.fit_rows(both, None, len(targets.classes), threads=model._threads())
    if not rows.entries:
        raise DataError("X and unlabeled: no text has any feature, so there is nothing to learn from")
    seed = model.random_state if isinstance(model.random_state, int) else 0
    choice = replace(choice, features=features)
    return Pool(model, choice, features, rows, both, len(texts), len(targets.classes), seed)


def _plain(model: TextClassifier, texts: _core.Texts, targets: Targets, weights: Array) -> Scores:
    """The model of labels alone, features and all."""
    quiet = OF_UNLABELLED | {"calibration": None, "class_weight": None, "verbose": False}

    def scores(kept: Places, held: Places) -> Array:
        one = model.__sklearn_clone__().set_params(**quiet)
        if one.classifier is not None:
            one.set_params(classifier=one.classifier.__sklearn_clone__().set_params(class_weight=None))
        labels = targets.classes[targets.codes[kept]]
        one.fit(texts.take(kept), labels, sample_weight=weights[kept])
        return two_columns(one._scores(texts.take(held)))

    return scores


def _named(views: Any) -> str:
    return " and ".join(map(name_of, views))


def _set(model: TextClassifier, pool: Pool, learnt: Learnt, targets: Targets, why: str) -> None:
    model.__dict__.pop("model_", None)
    model.classes_, model.several_, model.table_ = targets.classes, False, ""
    model.features_, model.means_ = pool.features, {}
    kept = [line for line in pool.choice.why if model.unlabeled_method not in OWN or "features" in line]
    model.choice_ = replace(pool.choice, loss=learnt.loss, why=[*kept, why])
    model.loss_, model.joint_ = learnt.loss, learnt.joint
    model.calibrator_ = model.calibrators_ = None
    model._stream = None
    model.record_ = learnt.record
    model._set_model(learnt.model.single().compact())
