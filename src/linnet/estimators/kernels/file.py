"""Estimators with kernels to model files and back."""

from __future__ import annotations

from typing import Any

import numpy as np

import linnet.estimators.parts as parts
from linnet.errors import DataError, RefusedError
from linnet.features import TextFeatures
from linnet.kernels import Function, Kernel, Normalised, Product, Sum
from linnet.kernels.named import KERNELS, MADE_OF_KERNELS
from linnet.kernels.trees import LabelledTrees
from linnet.model.kernel import KernelModel
from linnet.persistence import ModelFile, StoredStrings, pack, pack_strings

FEATURES = "features."
LARGEST_SUM = 16  # kernels in a kernel, in a file


def kernel_parts(model: Any) -> tuple[dict[str, Any], parts.Tensors]:
    """Support vectors as the kernel reads them, their coefficients, and the kernel by its name."""
    tensors: parts.Tensors = {}
    given = model.get_params(deep=False)
    own = {name: value for name, value in given.items() if name not in ("kernel", "features")}
    spec: dict[str, Any] = {
        "kind": "kernel machine",
        "estimator": type(model).__name__,
        "params": {name: pack(value, name, tensors) for name, value in own.items()},
        "kernel": pack_kernel(model.kernel_),
        "record": parts.pack_record(model.record_, tensors),
        "examples": model.model_.examples,
    }
    kept = model.model_
    tensors |= {"weights": kept.weights, "intercepts": kept.intercepts, "places": kept.places}
    if kept.fragments is not None:
        spec["fragments"] = kept.fragments
    pack_examples(kept.support, kept.kernel, tensors)
    if hasattr(model, "classes_"):
        spec["classes"] = parts.pack_labels(model.classes_, tensors)
        spec["way"] = model.way_
        if model.codes_ is not None:
            tensors["codes"] = model.codes_
        tensors["gold"] = model.gold_
    spec |= pack_names(model, tensors)
    if model.shown_ is not None:
        tensors |= pack_strings("shown", model.shown_)
        spec["shown"] = True
    if getattr(model, "history_", None) is not None:
        spec["history"] = True
        tensors |= {f"history.{k}": array for k, array in enumerate(model.history_)}
    return spec, tensors


def pack_names(model: Any, tensors: parts.Tensors) -> dict[str, Any]:
    """What turns inputs into rows: features of texts, or names."""
    spec: dict[str, Any] = {
        "own features": model.features is not None,
        "inputs": int(getattr(model, "n_features_in_", 0)),
    }
    if model.features_ is not None:
        spec["features"] = model.features_.spec()
        tensors |= {FEATURES + name: array for name, array in model.features_.tensors().items()}
    if model.vocabulary_ is not None:
        tensors |= pack_strings("names", model.vocabulary_.names)
        spec["names"] = True
    return spec


def pack_kernel(kernel: Kernel) -> dict[str, Any]:
    if isinstance(kernel, Function):
        raise RefusedError(
            "the kernel is a function, and a model file holds no code: compute its Gram matrix and use "
            "kernel='precomputed', or pickle the estimator"
        )
    if isinstance(kernel, (Sum, Product)):
        return {"name": type(kernel).__name__.lower(), "of": [pack_kernel(k) for k in kernel.kernels]}
    if isinstance(kernel, Normalised):
        return {"name": "normalised", "of": [pack_kernel(kernel.kernel)]}
    for name, kind in KERNELS.items():
        if type(kernel) is kind:
            return {"name": name, "params": dict(kernel.get_params(deep=False))}
    raise RefusedError(f"{type(kernel).__name__} is no kernel of linnet, and cannot be saved")


def pack_examples(support: Any, kernel: Kernel, tensors: parts.Tensors) -> None:
    """Support vectors, or landmarks, as a kernel reads them."""
    reads = kernel.reads
    if reads == "rows":
        from scipy.sparse import csr_matrix

        rows = csr_matrix(support)
        tensors["support.starts"] = rows.indptr.astype(np.int64)
        tensors["support.features"] = rows.indices.astype(np.int32)
        tensors["support.values"] = rows.data
    elif reads == "strings":
        tensors |= pack_strings("support", support)
    elif reads == "trees":
        tensors |= pack_strings("support.names", support.names)
        tensors["support.starts"] = support.offsets
        tensors["support.codes"] = support.codes
        tensors["support.parents"] = support.parents


# ---------------------------------------------------------------------- reading


def load_kernel(file: ModelFile) -> Any:
    """The estimator in a file, checked."""
    from linnet.estimators.kernels.perceptron import KernelPerceptron
    from linnet.estimators.kernels.regressor import KernelRegressor
    from linnet.estimators.kernels.svm import KernelSVM

    kinds = {kind.__name__: kind for kind in (KernelSVM, KernelRegressor, KernelPerceptron)}
    name = file.spec.get("estimator")
    if not isinstance(name, str) or name not in kinds:
        raise file.error(f"there is no estimator {name!r:.60}; a later linnet may know it")
    made: Any = parts.unpack_params(file, kinds[name])
    kernel = unpack_kernel(file, file.spec.get("kernel"))
    inputs = parts.whole(file, file.spec, "inputs")
    made.kernel = made.kernel_ = kernel
    made.record_ = parts.unpack_record(file)
    made.vocabulary_, made.features_, made.shown_ = None, None, None
    made.n_features_in_ = inputs
    try:
        made._threads()
        unpack_names(file, made, inputs)
        made.model_ = _model(file, kernel, inputs)
    except (DataError, TypeError, ValueError, OverflowError, RuntimeError) as e:
        raise file.error(f"its support vectors make no sense: {e!s:.120}") from None
    if kernel.reads != "rows":
        del made.n_features_in_
    if name != "KernelRegressor":
        _read_labels(file, made)
    return made


def unpack_kernel(file: ModelFile, spec: Any, depth: int = 4) -> Kernel:
    """The kernel that was packed, checked."""
    match spec:
        case {"name": str(name), "of": list(inner)} if name in MADE_OF_KERNELS and depth:
            if not 0 < len(inner) <= LARGEST_SUM:
                raise file.error("a kernel is made of no kernels")
            of = [unpack_kernel(file, one, depth - 1) for one in inner]
            kernel = Normalised(of[0]) if name == "normalised" else MADE_OF_KERNELS[name](of)  # type: ignore[call-arg]
        case {"name": str(name), "params": dict(params)} if name in KERNELS:
            plain = all(type(value) in (int, float, bool) for value in params.values())
            if not plain or set(params) != set(KERNELS[name]._names()):
                raise file.error(f"its kernel {name} has other settings")
            kernel = KERNELS[name](**params)
        case _:
            raise file.error("it has no kernel")
    try:
        _ = kernel.reads
        settings = getattr(kernel, "settings", getattr(kernel, "lengths", None))
        if settings is not None:
            settings()
    except ValueError as e:
        raise file.error(f"its kernel makes no sense: {e!s:.80}") from None
    return kernel


def unpack_names(file: ModelFile, made: Any, inputs: int) -> None:
    """What turns inputs into rows."""
    if "features" in file.spec:
        tensors = {
            name.removeprefix(FEATURES): array
            for name, array in file.tensors.items()
            if name.startswith(FEATURES)
        }
        made.features_ = TextFeatures.from_parts(file.spec["features"], tensors)
        if file.spec.get("own features") is True:
            made.features = TextFeatures(**made.features_.get_params(deep=False))
        if made.features_.n_features != inputs:
            raise DataError("the features are not those of the kernel")
    if file.spec.get("names") is True:
        stored = StoredStrings(file, "names")
        if len(stored) != inputs:
            raise DataError("the names are not those of the features")
        made.vocabulary_ = parts.StoredVocabulary(stored)
    if file.spec.get("shown") is True:
        made.shown_ = StoredStrings(file, "shown").decode()


def _model(file: ModelFile, kernel: Kernel, inputs: int) -> KernelModel:
    weights = np.ascontiguousarray(file.tensor("weights", "f", 2), dtype=np.float64)
    intercepts = np.ascontiguousarray(file.tensor("intercepts", "f"), dtype=np.float64)
    places = file.tensor("places", "i").astype(np.int64)
    examples = parts.whole(file, file.spec, "examples")
    if weights.shape != (len(places), len(intercepts)) or len(intercepts) == 0:
        raise DataError("coefficients and support vectors differ in number")
    inside = len(places) == 0 or bool(places.min() >= 0 and places.max() < examples)
    if not inside or (np.diff(places) <= 0).any():
        raise DataError("places of support vectors are out of order")
    support = unpack_examples(file, kernel, inputs)
    if support is not None and _count(support) != len(places):
        raise DataError("coefficients and support vectors differ in number")
    fragments = parts.whole(file, file.spec, "fragments") if "fragments" in file.spec else None
    if fragments == 0:
        raise DataError("fragments have one production or more")
    return KernelModel(kernel, support, weights, intercepts, places, examples, fragments)


def _count(examples: Any) -> int:
    return int(examples.shape[0]) if hasattr(examples, "shape") else len(examples)


def unpack_examples(file: ModelFile, kernel: Kernel, inputs: int) -> Any:
    """Support vectors, or landmarks."""
    if kernel.reads == "rows":
        return _rows(file, inputs)
    if kernel.reads == "strings":
        return StoredStrings(file, "support").decode()
    if kernel.reads == "trees":
        names = StoredStrings(file, "support.names").decode()
        codes = file.tensor("support.codes", "i").astype(np.int32)
        if len(codes) and not 0 <= codes.min() <= codes.max() < len(names):
            raise DataError("a node has no name")
        starts = file.tensor("support.starts", "i").astype(np.int64)
        trees = LabelledTrees(
            starts, names, codes, file.tensor("support.parents", "i").astype(np.int32)
        )
        _ = trees.core  # it checks the rest
        return trees
    return None


def _rows(file: ModelFile, inputs: int) -> Any:
    from scipy.sparse import csr_matrix

    starts = file.tensor("support.starts", "i").astype(np.int64)
    features = file.tensor("support.features", "i").astype(np.int32)
    values = file.tensor("support.values", "f")
    if len(starts) == 0 or starts[0] != 0 or starts[-1] != len(features) or (np.diff(starts) < 0).any():
        raise DataError("rows begin where they cannot")
    if len(features) != len(values) or not np.isfinite(values).all():
        raise DataError("a value is missing, or no number")
    if len(features) and not 0 <= features.min() <= features.max() < inputs:
        raise DataError("a feature is unknown")
    return csr_matrix((values.copy(), features, starts), shape=(len(starts) - 1, inputs))


def _read_labels(file: ModelFile, made: Any) -> None:
    """Labels, those of the support vectors, and votes."""
    made.classes_ = parts.unpack_labels(file)
    k, width = len(made.classes_), made.model_.width
    way = file.spec.get("way")
    made.way_ = way if isinstance(way, str) else "none"
    made.codes_ = _codes(file, k) if made.way_ in ("pairs_votes", "ecoc_votes") else None
    columns = {"two": 1, "rest": k, "joint": k, "pairs": k, "ecoc": k, "kesler": k}
    if made.codes_ is not None:
        columns[made.way_] = made.codes_.shape[1]
    if made.way_ not in columns or columns[made.way_] != width or (k == 2) != (made.way_ == "two"):
        raise file.error("its scores do not go with its labels")
    gold = file.tensor("gold", "i").astype(np.int32)
    inside = len(gold) == 0 or 0 <= gold.min() <= gold.max() < k
    if len(gold) != len(made.model_) or not inside:
        raise file.error("its support vectors have labels that there are not")
    made.gold_ = gold
    if made.shown_ is not None and len(made.shown_) != len(gold):
        raise file.error("its support vectors are not those that are shown")
    if hasattr(made, "hypothesis"):
        made.history_ = _history(file, made) if file.spec.get("history") is True else None
        if (made.history_ is None) == (made.hypothesis == "voted"):
            raise file.error("its votes are missing")


def _codes(file: ModelFile, labels: int) -> Any:
    codes = file.tensor("codes", "i", 2)
    fine = codes.shape[0] == labels and bool(np.isin(codes, (-1, 0, 1)).all())
    if not fine or not ((codes > 0).any(axis=0) & (codes < 0).any(axis=0)).all():
        raise file.error("its code is none: a machine is asked about labels on two sides")
    return codes.astype(np.int8)


def _history(file: ModelFile, made: Any) -> tuple[Any, ...]:
    arrays = [file.tensor(f"history.{k}", "i") for k in range(4)]
    example, up, down, survived = (
        array.astype(kind)
        for array, kind in zip(arrays, (np.int64, np.int32, np.int32, np.int64), strict=True)
    )
    n = len(example)
    sizes = len(up) == n and len(down) == n and len(survived) == n + 1
    fine = sizes and bool((survived >= 0).all())
    for codes, size in (
        (example, len(made.model_)),
        (up, made.model_.width),
        (down, made.model_.width),
    ):
        fine = fine and (n == 0 or bool(codes.min() >= -1 and codes.max() < size))
    if not fine or (n and example.min() < 0):
        raise file.error("its votes are damaged")
    return example, up, down, survived
