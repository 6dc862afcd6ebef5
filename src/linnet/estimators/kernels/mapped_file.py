"""Classifiers of what maps make, to model files and back."""

from __future__ import annotations

from typing import Any

import numpy as np

import linnet.estimators.parts as parts
from linnet.errors import DataError, RefusedError
from linnet.estimators.kernels.file import (
    pack_examples,
    pack_kernel,
    pack_names,
    unpack_examples,
    unpack_kernel,
    unpack_names,
)
from linnet.estimators.kernels.mapped import MappedClassifier
from linnet.estimators.linear.file import linear_parts, load_linear
from linnet.kernels import Gaussian, Nystroem, RandomFourier
from linnet.kernels.maps import Transformer
from linnet.kernels.named import kernel_named
from linnet.kernels.named_maps import MAPS
from linnet.persistence import ModelFile

INNER = "classifier."


def mapped_parts(model: MappedClassifier) -> tuple[dict[str, Any], parts.Tensors]:
    """The map, what it learnt, and the classifier as it is in a file of its own."""
    inner, own = linear_parts(model.classifier_)
    tensors: parts.Tensors = {INNER + name: array for name, array in own.items()}
    spec = {
        "kind": "mapped classifier",
        "map": _pack_map(model.map_, tensors),
        "classifier": inner,
        "n_jobs": model.n_jobs,
    }
    return spec | pack_names(model, tensors), tensors


def _pack_map(made: Transformer, tensors: parts.Tensors) -> dict[str, Any]:
    """What was left to the data is as it was found there."""
    name = next((name for name, kind in MAPS.items() if type(made) is kind), None)
    if name is None:
        raise RefusedError(f"{type(made).__name__} is no map of linnet, and cannot be saved; pickle it")
    given = dict(made.get_params(deep=False))
    if isinstance(made, RandomFourier):
        tensors["map.directions"] = made.directions_
        given["sigma"] = made.kernel_.get_params()["sigma"]
    if isinstance(made, Nystroem):
        tensors["map.projection"] = made.projection_
        given["kernel"] = made.kernel_
        pack_examples(made.landmarks_, made.kernel_, tensors)
    kernel = {"kernel": pack_kernel(kernel_named(given.pop("kernel")))} if "kernel" in given else {}
    return {"name": name, "params": given} | kernel


def load_mapped(file: ModelFile) -> MappedClassifier:
    """The estimator in a file, checked."""
    inputs = parts.whole(file, file.spec, "inputs")
    inner = file.spec.get("classifier")
    if not isinstance(inner, dict) or inner.get("kind") != "linear classifier":
        raise file.error("it has no classifier")
    own = {
        name.removeprefix(INNER): array
        for name, array in file.tensors.items()
        if name.startswith(INNER)
    }
    classifier = load_linear(ModelFile(file.path, inner, own, file.library))
    made = _unpack_map(file, inputs)
    model = MappedClassifier(made, classifier.__sklearn_clone__(), n_jobs=file.value("n_jobs"))
    model._set(made, classifier)
    model.features_, model.vocabulary_, model.n_features_in_ = None, None, inputs
    try:
        model._threads()
        unpack_names(file, model, inputs)
    except (DataError, TypeError, ValueError, OverflowError, RuntimeError) as e:
        raise file.error(f"what turns inputs into rows makes no sense: {e!s:.120}") from None
    if model._reader(False).reads != "rows":
        del model.n_features_in_
    return model


def _unpack_map(file: ModelFile, inputs: int) -> Transformer:
    match file.spec.get("map"):
        case {"name": str(name), "params": dict(params), **more} if name in MAPS:
            pass
        case _:
            raise file.error("it has no map")
    kind = MAPS[name]
    plain = all(v is None or type(v) in (int, float, bool) for v in params.values())
    if not plain or {*params, *({"kernel"} & {*more})} != set(kind._names()):
        raise file.error(f"its map {name} has other settings")
    kernel = {"kernel": unpack_kernel(file, more["kernel"])} if "kernel" in more else {}
    made = kind(**params, **kernel)
    if isinstance(made, RandomFourier):
        made.directions_ = file.tensor("map.directions", "f", 2).astype(np.float32)
        made.kernel_ = Gaussian(made.sigma)
        if made.sigma is None or len(made.directions_) != inputs:
            raise file.error("its random directions are not those of the features")
    if isinstance(made, Nystroem):
        made.kernel_ = kernel["kernel"]
        made.projection_ = file.tensor("map.projection", "f", 2).astype(np.float64)
        try:
            made.landmarks_ = unpack_examples(file, made.kernel_, inputs)
        except (DataError, TypeError, ValueError, OverflowError, RuntimeError) as e:
            raise file.error(f"its landmarks make no sense: {e!s:.120}") from None
        found = made.landmarks_
        count = 0 if found is None else found.shape[0] if hasattr(found, "shape") else len(found)
        if made.kernel_.reads == "gram" or count != len(made.projection_):
            raise file.error("its landmarks are not those that it looks at")
    return made
