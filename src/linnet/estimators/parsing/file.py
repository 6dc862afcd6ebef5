"""Parsers to model files and back; the taggers of a pipeline are in the same file."""

from __future__ import annotations

import os
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

import linnet.estimators.parts as parts
from linnet.errors import DataError, RefusedError
from linnet.estimators.parsing.choice import ParsingChoice, check_settings
from linnet.estimators.segmenting.file import pack_segmenter, unpack_segmenter
from linnet.estimators.tagging.file import GIVEN, pack_taggers, unpack_taggers
from linnet.features.arcs import ArcFeatures
from linnet.losses import LOSSES
from linnet.model.small_trees import PackedTrees
from linnet.model.trees import TreeModel
from linnet.persistence import ModelFile, ModelFileError, StoredStrings, pack_strings

if TYPE_CHECKING:
    from linnet.estimators.parsing.fitted import FittedParser
    from linnet.estimators.parsing.parser import DependencyParser

MODEL, NAMES = "model.", "names."  # the tensors of each begin so
NAMED = ("arcs", "siblings", "relations")
LARGEST = 1e30  # numbers meet float32
WRONG = (DataError, KeyError, TypeError, ValueError, AttributeError, OverflowError, IndexError)


# ---------------------------------------------------------------------- saving


def parser_parts(parser: FittedParser) -> tuple[dict[str, Any], parts.Tensors]:
    """Everything prediction and explanation need, and how the model came about."""
    from linnet.estimators.parsing.parser import DependencyParser

    if type(parser) is not DependencyParser:
        raise RefusedError(
            f"{type(parser).__name__} cannot be saved: a model file holds no code, only the weights "
            f"and settings of DependencyParser"
        )
    tensors: parts.Tensors = {}
    spec: dict[str, Any] = {
        "kind": "parser",
        "params": _pack_params(parser, tensors),
        "classes": parts.pack_labels(parser.classes_, tensors),
        "model": parser.model_.spec(),
        "record": parts.pack_record(parser.record_, tensors),
        "loss": parser.loss_,
        "why": parser.why_,
    }
    weights, packed = parser.model_.tensors(), parser.model_.packed
    if packed is not None:
        weights, spec["packed"] = packed.tensors(), packed.spec()
    tensors |= {MODEL + name: array for name, array in weights.items()}
    for name in NAMED:
        numbers = sorted(parser.names_[name])
        tensors[f"{NAMES}{name}.numbers"] = np.array(numbers, np.int64)
        tensors |= pack_strings(f"{NAMES}{name}", [parser.names_[name][j] for j in numbers])
    spec["taggers"] = pack_taggers(parser.taggers_, tensors)
    if parser.segmenter_ is not None:
        spec["segmenter"] = pack_segmenter(parser.segmenter_, tensors)
    return spec, tensors


def _choice(model: TreeModel, why: Any) -> ParsingChoice:
    """What was in use, as the model tells, and the reasons."""
    relations = model.relation_features or model.arcs
    columns = sorted(model.columns)
    told = [str(line) for line in why] if isinstance(why, list) else []
    return ParsingChoice(model.arcs, relations, model.projective, model.order, columns, told)


def _pack_params(parser: FittedParser, tensors: parts.Tensors) -> dict[str, Any]:
    given = parser.get_params(deep=False)
    plain = {name: _plain(given[name]) for name in ("features", "relations", "joint", "tagger")}
    if isinstance(given["dictionary"], os.PathLike):
        plain["dictionary"] = os.fspath(given["dictionary"])  # what it says is with the taggers
    return parts.pack_params(type(parser)(**given | plain), tensors)


def _plain(given: Any) -> Any:
    """Names and templates as they are."""
    if given is None or isinstance(given, str):
        return given
    return list(given) if isinstance(given, (list, tuple)) else {GIVEN: True}


# ---------------------------------------------------------------------- loading


def load_parser(file: ModelFile) -> DependencyParser:
    """Arrays stay where they lie in the file; those of a quantised model are widened."""
    from linnet.estimators.parsing.parser import DependencyParser

    spec = file.spec
    parser = parts.unpack_params(file, DependencyParser)
    parser.classes_ = parts.unpack_labels(file)
    relations = parser.classes_.tolist()
    if parser.classes_.dtype.kind != "U" or len(set(relations)) != len(relations):
        raise file.error("its relations are no distinct strings")
    parser.record_ = parts.unpack_record(file)
    loss, why = spec.get("loss"), spec.get("why")
    if not isinstance(loss, str) or loss not in LOSSES:
        raise file.error(f"there is no loss {loss!r:.40}; a later linnet may know it")
    parser.loss_ = loss
    try:
        packed = _unpack_packed(file)
        weights = _under(MODEL, file) if packed is None else packed.widened()
        model = _unpack_model(file.spec.get("model"), weights, len(relations))
        parser.model_ = replace(model, packed=packed)
        parser.choice_ = _choice(parser.model_, why)
        parser.names_ = {name: _unpack_names(file, name, parser.model_) for name in NAMED}
        parser.taggers_ = unpack_taggers(file)
        parser.segmenter_ = unpack_segmenter(file)
        _restore_given(parser)
        check_settings(parser)
        if not 0 < parser._threads() < 2**31:
            raise ValueError("n_jobs makes no sense")
    except ModelFileError:
        raise
    except WRONG as error:
        raise file.error(f"{error!s:.200}") from None
    return parser


def _unpack_packed(file: ModelFile) -> PackedTrees | None:
    """Weights in a few bits, where there are such."""
    if "packed" not in file.spec:
        return None
    return PackedTrees.from_parts(file.spec["packed"], _under(MODEL, file))


def _unpack_model(spec: Any, weights: parts.Tensors, relations: int) -> TreeModel:
    if not isinstance(spec, dict):
        raise DataError("it has no model")
    _check_model(spec, weights)
    model = TreeModel.from_parts(spec, weights)
    if model.width != relations or model.relation_features is None:
        raise DataError(f"the weights are not those of {relations} relations")
    return model


def _check_model(spec: dict[str, Any], tensors: parts.Tensors) -> None:
    """What the model takes as it is."""
    for name, kind in (("projective", bool), ("single_root", bool), ("order", int), ("bias", float)):
        if type(spec.get(name)) is not kind or not abs(spec[name]) < LARGEST:
            raise DataError(f"{name} is {spec.get(name)!r:.30}")
    first = spec.get("first_pass")
    if first is None:
        return
    settings = first.get("settings") if isinstance(first, dict) else None
    within: Any = settings.get("within") if isinstance(settings, dict) else None
    if type(within) not in (int, float) or not abs(within) < LARGEST:
        raise DataError("its first pass does not say which arcs it keeps")
    features = ArcFeatures.from_parts(first["features"])
    weights = tensors["first_pass"]
    if (
        weights.ndim != 1
        or weights.dtype != np.float32
        or len(weights) != features.n_features
        or features.needs_tree
    ):
        raise DataError("the weights of its first pass are not those of its features")


def _unpack_names(file: ModelFile, name: str, model: TreeModel) -> dict[int, str]:
    numbers = file.tensor(f"{NAMES}{name}.numbers", "i", 1)
    stored = StoredStrings(file, f"{NAMES}{name}")
    features = model.relation_features if name == "relations" else model.arcs
    assert features is not None
    if len(stored) != len(numbers) or not ((numbers >= 0) & (numbers < features.n_features)).all():
        raise DataError("the names of its features do not go with its weights")
    return dict(zip(numbers.tolist(), stored.decode(), strict=True))


def _restore_given(parser: DependencyParser) -> None:
    """Settings that were objects."""
    model = parser.model_
    fitted = {
        "features": model.arcs,
        "relations": model.relation_features,
        "joint": model.joint_features,
    }
    for name, features in fitted.items():
        if isinstance(getattr(parser, name), dict) and features is not None:
            setattr(parser, name, ArcFeatures(**features.get_params(deep=False)))
    if isinstance(parser.tagger, dict):
        parser.tagger = dict(parser.taggers_)


def _under(prefix: str, file: ModelFile) -> dict[str, Any]:
    return {
        name.removeprefix(prefix): array
        for name, array in file.tensors.items()
        if name.startswith(prefix)
    }
