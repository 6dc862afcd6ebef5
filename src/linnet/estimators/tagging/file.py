"""Taggers to model files and back."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

import linnet.estimators.parts as parts
from linnet.data.chunks import SCHEMES
from linnet.errors import DataError, RefusedError
from linnet.estimators.tagging.analysis import in_turn
from linnet.estimators.tagging.choice import TaggingChoice
from linnet.estimators.tagging.costs import cost_table
from linnet.estimators.tagging.rules import dictionary_masks, transition_rules
from linnet.estimators.tagging.votes_file import pack_votes, unpack_votes
from linnet.features import TokenFeatures
from linnet.features.events import WordEvents
from linnet.losses import LOSSES
from linnet.model import ChainModel, SegmentModel, TaggerModel, VotedChain
from linnet.model.chain import check_tied
from linnet.model.small_chain import packed_tensors, unpacked_tensors
from linnet.persistence import ModelFile

if TYPE_CHECKING:
    from linnet.estimators.tagging.fitted import FittedTagger
    from linnet.estimators.tagging.tagger import Tagger

FEATURES, PAIRS, MODEL, VOTES = "features.", "pairs.", "model.", "votes."  # how tensors begin
TAGGER = "tagger."
GIVEN = "given"  # stands for taggers that were objects; the fitted ones tell of them
KINDS = {kind.__name__: kind for kind in (TokenFeatures, WordEvents)}


def taggers() -> dict[str, type[Tagger]]:
    """Those that a file can hold, by name."""
    import linnet.estimators.tagging.presets as named
    from linnet.estimators.tagging.tagger import Tagger

    presets = (
        named.CRF,
        named.HMM,
        named.MEMM,
        named.StructuredMIRA,
        named.StructuredPerceptron,
        named.StructuredSVM,
    )
    return {kind.__name__: kind for kind in (Tagger, *presets)}


# ---------------------------------------------------------------------- saving


def tagger_parts(tagger: FittedTagger) -> tuple[dict[str, Any], parts.Tensors]:
    """Everything prediction, explanation and further training need, and how the model came about."""
    name = type(tagger).__name__
    if taggers().get(name) is not type(tagger):
        raise RefusedError(
            f"{name} cannot be saved: a model file holds no code, only the weights and settings of "
            f"{', '.join(taggers())}"
        )
    tensors: parts.Tensors = {}
    spec = _description(tagger, tensors)
    for features, prefix in ((tagger.features_, FEATURES), (tagger.pair_features_, PAIRS)):
        if features is not None:
            tensors |= {prefix + name: array for name, array in features.tensors().items()}
    model = tagger.model_
    if isinstance(model, VotedChain):
        spec["votes"] = model.votes.updates
        tensors |= {VOTES + name: array for name, array in pack_votes(model.votes).items()}
        model = model.last
    weights = model.tensors()
    if model.states.scales is not None:
        weights, spec["bits"] = packed_tensors(tagger._chain())
    if tagger._first():
        spec["taggers"] = pack_taggers(tagger._first(), tensors)
    return spec, tensors | {MODEL + name: array for name, array in weights.items()}


def pack_taggers(taggers: Mapping[str, Any], tensors: parts.Tensors) -> dict[str, Any]:
    """Those that come first, by column: descriptions; their tensors join those of the model."""
    specs = {}
    for k, column in enumerate(sorted(taggers)):  # as JSON has them
        specs[column], own = tagger_parts(taggers[column])
        tensors |= {f"{TAGGER}{k}.{name}": array for name, array in own.items()}
    return specs


def unpack_taggers(file: ModelFile) -> dict[str, Any]:
    """The inverse."""
    specs = file.spec.get("taggers")
    if not isinstance(specs, dict) or not all(isinstance(one, dict) for one in specs.values()):
        raise DataError("its taggers are no descriptions by column")
    found = {
        column: load_tagger(replace(file, spec=specs[column], tensors=_under(f"{TAGGER}{k}.", file)))
        for k, column in enumerate(sorted(specs))
    }
    return {column: found[column] for column in in_turn(found)}


def fixed_bytes(tagger: FittedTagger) -> int:
    """About how large a file is without features and their weights; rather too much than too little."""
    tensors: parts.Tensors = {}
    header = json.dumps(json.dumps(_description(tagger, tensors)))  # a string within a header
    tied = [
        array
        for name, array in tagger.model_.tensors().items()
        if not name.startswith(("state.", "pair."))
    ]
    lexicons = [
        array for name, array in tagger.features_.tensors().items() if name.startswith("lexicon")
    ]
    arrays = [*tensors.values(), *tied, *lexicons]
    L, packed = len(tagger.classes_), 1 if tagger.pair_features_ is None else 2
    scales = 4 * (L if packed == 1 else L + L * L)
    return len(header) + sum(int(array.nbytes) + 256 for array in arrays) + scales + 2048 * packed


def _description(tagger: FittedTagger, tensors: parts.Tensors) -> dict[str, Any]:
    """All but the weights."""
    model = tagger.model_
    return {
        "kind": "tagger",
        "estimator": type(tagger).__name__,
        "params": _pack_params(tagger, tensors),
        "classes": parts.pack_labels(tagger.classes_, tensors),
        "features": _about(tagger.features_),
        "pairs": None if tagger.pair_features_ is None else _about(tagger.pair_features_),
        "model": (model.last if isinstance(model, VotedChain) else model).spec(),
        "record": parts.pack_record(tagger.record_, tensors),
        "loss": tagger.loss_,
        "scheme": tagger.scheme_,
        "why": tagger.choice_.why,
    }


def _about(features: Any) -> dict[str, Any]:
    return {"type": type(features).__name__, **features.spec()}


def _pack_params(tagger: FittedTagger, tensors: parts.Tensors) -> dict[str, Any]:
    """Names and templates as they are; of other features the fitted ones tell the settings."""
    given = tagger.get_params(deep=False)
    features = given["features"]
    if isinstance(features, (list, tuple)):
        features = list(features)
    elif not isinstance(features, str):
        features = None
    plain = {name: _plain(given[name]) for name in ("dictionary", "transitions", "legal")}
    if given["tagger"] not in (None, "auto"):
        plain["tagger"] = {GIVEN: True}
    return parts.pack_params(type(tagger)(**given | plain | {"features": features}), tensors)


def _plain(given: Any) -> Any:
    """Sets of tags as lists."""
    if not isinstance(given, Mapping):
        return given
    return {
        key: sorted(tags) if isinstance(tags, (set, frozenset)) else tags for key, tags in given.items()
    }


# ---------------------------------------------------------------------- loading


def load_tagger(file: ModelFile) -> Tagger:
    """Arrays stay where they lie in the file; those of a quantised model are widened."""
    spec, name = file.spec, file.spec.get("estimator")
    if not isinstance(name, str) or name not in taggers():
        raise file.error(f"there is no tagger {name!r:.60}; a later linnet may know it")
    tagger = parts.unpack_params(file, taggers()[name])
    tagger.classes_ = parts.unpack_labels(file)
    tags = tagger.classes_.tolist()
    if tagger.classes_.dtype.kind != "U" or len(set(tags)) != len(tags):
        raise file.error("its tags are no distinct strings")
    tagger.record_ = parts.unpack_record(file)
    loss, scheme, why = spec.get("loss"), spec.get("scheme"), spec.get("why")
    if not isinstance(loss, str) or loss not in LOSSES:
        raise file.error(f"there is no loss {loss!r:.40}; a later linnet may know it")
    if scheme is not None and (not isinstance(scheme, str) or scheme not in SCHEMES):
        raise file.error(f"there is no scheme of spans {scheme!r:.40}")
    tagger.loss_, tagger.scheme_ = loss, scheme
    try:
        tagger.features_ = _unpack_features(spec.get("features"), FEATURES, file)
        tagger.pair_features_ = None
        if spec.get("pairs") is not None:
            tagger.pair_features_ = _unpack_features(spec["pairs"], PAIRS, file)
        tagger.model_ = _unpack_model(file, len(tags))
        _check_fit(tagger)
        tagger.taggers_ = unpack_taggers(file) if "taggers" in spec else {}
        if isinstance(tagger.tagger, dict):
            tagger.tagger = dict(tagger.taggers_)
        if spec.get("votes") is not None:
            tagger.model_ = _unpack_votes(file, tagger.model_)
        _check_settings(tagger, tags)
    except (DataError, KeyError, TypeError, ValueError, AttributeError, OverflowError) as error:
        raise file.error(f"{error!s:.200}") from None
    if tagger.features is None:
        tagger.features = type(tagger.features_)(**tagger.features_.get_params(deep=False))
    tagger.choice_ = TaggingChoice(
        tagger.features_,
        loss,
        tagger.learner,
        tagger.penalty,
        False,
        tagger.record_.C,
        0.0,
        None,
        [str(line) for line in why] if isinstance(why, list) else [],
    )
    return tagger


def _unpack_features(spec: Any, prefix: str, file: ModelFile) -> Any:
    if not isinstance(spec, dict) or not isinstance(spec.get("type"), str) or spec["type"] not in KINDS:
        raise DataError("its features are of a kind that is not known")
    return KINDS[spec["type"]].from_parts(spec, _under(prefix, file))


def _unpack_model(file: ModelFile, labels: int) -> ChainModel | SegmentModel:
    spec, tensors = file.spec.get("model"), _under(MODEL, file)
    if not isinstance(spec, dict):
        raise DataError("it has no model")
    if "segments" in spec:
        return SegmentModel.from_parts(spec, tensors)
    if "bits" in file.spec:
        tensors = unpacked_tensors(tensors, file.spec["bits"])
    check_tied(tensors, labels)
    for name in ("state.scales", "pair.scales"):
        scales = tensors.get(name)
        if scales is not None and (scales.dtype != np.float32 or scales.ndim != 1):
            raise DataError(f"{name} are {scales.dtype} {scales.shape}")
    for name in ("bias", "pair_bias"):
        if type(spec.get(name)) is not float or not abs(spec[name]) < 1e30:  # it meets float32
            raise DataError(f"{name} is {spec.get(name)!r:.30}, no number")
    if type(spec.get("local")) is not bool or type(spec.get("order")) is not int:
        raise DataError("its model does not say what chains it scores")
    return ChainModel.from_parts(spec, tensors)


def _unpack_votes(file: ModelFile, model: TaggerModel) -> VotedChain:
    if not isinstance(model, ChainModel) or model.states.scales is not None:
        raise DataError("votes are for chains of tags, with weights as they were learnt")
    votes = unpack_votes(_under(VOTES, file), model)
    if file.spec["votes"] != votes.updates:
        raise DataError(f"it says {file.spec['votes']!r:.20} votes and has {votes.updates}")
    return VotedChain(votes, model)


def _check_fit(tagger: Tagger) -> None:
    """Do tags, features and weights go together?"""
    model, pairs = tagger.model_, tagger.pair_features_
    assert not isinstance(model, VotedChain)  # votes are read later
    if model.n_labels != len(tagger.classes_) or model.features != tagger.features_.n_features:
        raise DataError("the weights are not those of its tags and features")
    if isinstance(model, SegmentModel) and (
        model.shape.tags != tagger.classes_.tolist() or model.shape.scheme != tagger.scheme_
    ):
        raise DataError("the segments are not those of its tags")
    if bool(tagger.segments) != isinstance(model, SegmentModel):
        raise DataError("its settings and its weights do not agree on segments")
    if (pairs is None) != (model.pairs is None):
        raise DataError("the weights of transitions are not those of their features")
    if pairs is not None and model.pairs is not None and pairs.n_features != model.pairs.features:
        raise DataError("the weights of transitions are not those of their features")


def _check_settings(tagger: Tagger, tags: list[str]) -> None:
    """Those that prediction looks at, and that `repr` shows."""
    scheme = None if tagger.segments else tagger.scheme_  # segments are legal by themselves
    tagger.rules_ = transition_rules(scheme, tagger.transitions, tags)
    if tagger.dictionary is not None:
        dictionary_masks(tagger.dictionary, tags)
    cost_table(tagger.cost, tags)
    tagger._check_settings()
    if not 0 < tagger._threads() < 2**31:
        raise ValueError("n_jobs makes no sense")


def _under(prefix: str, file: ModelFile) -> dict[str, Any]:
    return {
        name.removeprefix(prefix): array
        for name, array in file.tensors.items()
        if name.startswith(prefix)
    }
