"""Text classifiers to model files and back."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, TypeVar

import linnet.estimators.parts as parts
from linnet.errors import DataError
from linnet.estimators.text.choice import Choice
from linnet.estimators.text.decisions import thresholds_of
from linnet.estimators.text.fitted import FittedText
from linnet.estimators.text.settings import check_settings
from linnet.features import PackedWeights, TextFeatures
from linnet.features.text.deflated import deflated
from linnet.features.text.hooks import HOOKS, from_file, to_file
from linnet.features.text.numbering import InternedFeatures
from linnet.losses import LOSSES
from linnet.model import LinearModel
from linnet.persistence import ModelFile
from linnet.training.calibration import Softmax

if TYPE_CHECKING:
    from linnet.estimators.text.classifier import TextClassifier
    from linnet.estimators.text.regressor import TextRegressor

T = TypeVar("T", bound=FittedText)

FEATURES, PACKED = "features.", "packed."  # the tensors of each begin so


def text_parts(model: FittedText) -> tuple[dict[str, Any], parts.Tensors]:
    """Everything prediction, explanation and further training need, and how the model came about."""
    tensors: parts.Tensors = {}
    spec = _description(model, tensors)
    features, stored = model.features_.tensors(), model.model_.stored
    if isinstance(stored, PackedWeights):
        spec["packed"] = stored.spec() | {"bias": model.model_.bias}
        tensors |= {PACKED + name: array for name, array in stored.tensors().items()}
    else:
        spec["model"] = parts.pack_model(model.model_, tensors)
        if "sparse" in spec["model"] and isinstance(model.features_.numbering, InternedFeatures):
            features = deflated(features)  # or it would be the larger part of the file
    tensors |= {FEATURES + name: array for name, array in features.items()}
    return spec, tensors


def fixed_bytes(model: FittedText) -> int:
    """About how large a file is without features and weights; rather too much than too little."""
    tensors: parts.Tensors = {}
    header = json.dumps(json.dumps(_description(model, tensors)))  # a string within a header
    return len(header) + sum(array.nbytes + 256 for array in tensors.values()) + 3072


def _description(model: FittedText, tensors: parts.Tensors) -> dict[str, Any]:
    """All but the weights."""
    spec: dict[str, Any] = {
        "kind": "text classifier" if model.task == "classify" else "text regressor",
        "params": _pack_params(model, tensors),
        "classes": parts.pack_labels(model.classes_, tensors),
        "features": model.features_.spec(),
        "record": parts.pack_record(model.record_, tensors),
        "loss": model.loss_,
        "several": model.several_,
        "joint": model.joint_,
        "why": model.choice_.why,
    }
    if model.table_:
        spec["table"] = model.table_
    if getattr(model, "means_", {}):
        spec["means"] = model.means_
    if model.calibrator_ is not None:
        spec["softmax"] = model.calibrator_.a
    if model.calibrators_ is not None:
        spec["calibration"] = parts.pack_calibrators(model.calibrators_, tensors)
    return spec


def load_text(file: ModelFile) -> TextClassifier:
    """A classifier."""
    from linnet.estimators.text.classifier import TextClassifier

    return _load(file, TextClassifier)


def load_text_regressor(file: ModelFile) -> TextRegressor:
    """A regressor: the same, with one score that has no label."""
    from linnet.estimators.text.regressor import TextRegressor

    model = _load(file, TextRegressor)
    calibrated = model.calibrator_ is not None or model.calibrators_ is not None
    if len(model.classes_) != 1 or model.several_ or model.model_.width != 1 or calibrated:
        raise file.error("it has more than one score, and is none of a regressor")
    return model


def _load(file: ModelFile, made: type[T]) -> T:
    """Arrays stay where they lie in the file."""
    spec = file.spec
    given = dict(spec["params"]) if isinstance(spec.get("params"), dict) else {}
    features = unpack_features(given.pop("features", None), file)
    views = _unpack_views(given.pop("unlabeled_views", None), file)
    model = parts.unpack_params(file, made, given)
    try:
        _with_missing_hooks(model)
    except TypeError as error:
        raise file.error(f"its settings are damaged: {error!s:.80}") from None
    model.features = features
    if views is not None:
        model.set_params(unlabeled_views=views)
    model.classes_ = parts.unpack_labels(file)
    model.record_ = parts.unpack_record(file)
    model.loss_, model.several_, model.joint_ = (
        _checked(file, name, kind) for name, kind in (("loss", str), ("several", bool), ("joint", bool))
    )
    model.table_ = spec.get("table", "")
    if model.table_ not in ("", "dense", "sparse") or (model.table_ and not model.several_):
        raise file.error(f"table is {model.table_!r:.30}, not how several labels are given")
    if model.loss_ not in LOSSES:
        raise file.error(f"there is no loss {model.loss_!r:.40}; a later linnet may know it")
    try:
        model.features_ = TextFeatures.from_parts(
            _checked(file, "features", dict), under(FEATURES, file)
        )
    except (DataError, ValueError, OverflowError) as error:
        raise file.error(f"{error!s:.200}") from None
    why = spec.get("why")
    model.choice_ = Choice(
        model.features_,
        model.loss_,
        model.learner,
        model.penalty,
        model.record_.C,
        0.0,
        why=[str(line) for line in why] if isinstance(why, list) else [],
    )
    means = file.spec.get("means", {})
    if not isinstance(means, dict):
        raise file.error(f"means is {means!r:.30}, not a dict")
    model.means_ = {name: _finite(file, mean, "means") for name, mean in means.items()}
    model.calibrator_ = model.calibrators_ = None
    _unpack_weights(model, file)
    if "softmax" in spec:
        model.calibrator_ = Softmax(_finite(file, spec["softmax"], "softmax"))
        if model.calibrator_.a <= 0:
            raise file.error(f"softmax is {model.calibrator_.a}, not positive")
    if "calibration" in spec:
        model.calibrators_ = parts.unpack_calibrators(file, model.model_.width)
    _check_params(model, file)
    return model


def _check_params(model: FittedText, file: ModelFile) -> None:
    """Those settings that prediction looks at."""
    try:
        if model.task == "classify":
            check_settings(model)
        thresholds_of(model.thresholds, model.classes_, default=0.5)
        if not 0 < model._threads() < 2**31 or not isinstance(model.text, str):
            raise ValueError("n_jobs or text")
    except (TypeError, ValueError) as error:
        raise file.error(f"its settings make no sense: {error!s:.80}") from None


def _unpack_weights(model: FittedText, file: ModelFile) -> None:
    labels = len(model.classes_)
    if "packed" in file.spec:
        packed = _checked(file, "packed", dict)
        try:
            weights = PackedWeights.from_parts(packed, under(PACKED, file))
        except (KeyError, TypeError, ValueError, OverflowError) as error:
            raise file.error(f"its packed weights are damaged: {error!s:.80}") from None
        allowed = (labels,) if model.several_ or labels > 2 else (1, 2)
        if weights.width not in allowed or weights.features != model.features_.size:
            raise file.error(f"its packed weights do not go with its {labels} labels and its features")
        bias = _finite(file, packed.get("bias"), "bias")
        model._set_model(LinearModel(weights, weights.width, bias))
    else:
        model._set_model(parts.unpack_model(file, 0 if model.several_ else labels, labels))
        _finite(file, model.model_.bias, "bias")
    if model.model_.features != model.features_.n_features:
        raise file.error("the number of weights is not that of the features")


def _pack_params(model: FittedText, tensors: parts.Tensors) -> dict[str, Any]:
    """Features are settings with settings; a classifier in place of settings is not kept."""
    given = without_code(model.get_params(deep=False))
    left = {"classifier": None, "features": "auto", "unlabeled_views": None}
    plain = type(model)(**given | {name: value for name, value in left.items() if name in given})
    packed = parts.pack_params(plain, tensors)
    if isinstance(given["features"], TextFeatures):
        packed["features"] = _pack_features(given["features"], tensors)
    if given.get("unlabeled_views") is not None:
        packed["unlabeled_views"] = [
            view if isinstance(view, str) else _pack_features(view, tensors)
            for view in given["unlabeled_views"]
        ]
    return packed


def _pack_features(features: TextFeatures, tensors: parts.Tensors) -> dict[str, Any]:
    settings = without_code(features.get_params(deep=False))
    lists = {k: sorted(v) for k, v in settings.items() if isinstance(v, (set, frozenset))}
    return {"$features": parts.pack_params(TextFeatures(**settings | lists), tensors)}


def without_code(settings: dict[str, Any]) -> dict[str, Any]:
    return settings | {name: to_file(settings[name]) for name in HOOKS}


def unpack_features(value: Any, file: ModelFile) -> Any:
    if not isinstance(value, dict):
        return "auto"
    try:
        found = TextFeatures(**{k: file.unpack(v) for k, v in value["$features"].items()})
        return _with_missing_hooks(found)
    except (AttributeError, KeyError, TypeError) as error:
        raise file.error(f"its settings of features are damaged ({error!s:.60})") from None


def _unpack_views(value: Any, file: ModelFile) -> Any:
    if value is None:
        return None
    if not isinstance(value, list) or len(value) != 2:
        raise file.error(f"unlabeled_views is {value!r:.30}, not two views")
    return tuple(one if isinstance(one, str) else unpack_features(one, file) for one in value)


def _with_missing_hooks(settings: Any) -> Any:
    """What a file says of code is a name, which nothing imports."""
    for name in HOOKS:
        setattr(settings, name, from_file(name, getattr(settings, name)))
    return settings


def under(prefix: str, file: ModelFile) -> dict[str, Any]:
    return {
        name.removeprefix(prefix): array
        for name, array in file.tensors.items()
        if name.startswith(prefix)
    }


def _checked(file: ModelFile, name: str, kind: type) -> Any:
    value = file.spec.get(name)
    if type(value) is not kind:
        raise file.error(f"{name} is {value!r:.30}, not a {kind.__name__}")
    return value


def _finite(file: ModelFile, value: Any, name: str) -> float:
    if type(value) is not float or not abs(value) < 1e38:  # it meets float32
        raise file.error(f"{name} is {value!r:.30}, no number")
    return value
