"""Parsers of phrases to model files and back; the tagger is in the same file."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

import linnet.estimators.parts as parts
from linnet.errors import DataError, RefusedError
from linnet.estimators.phrases.settings import PhraseChoice, check_settings
from linnet.estimators.tagging.file import GIVEN, pack_taggers, unpack_taggers
from linnet.features.spans import SpanFeatures
from linnet.losses import LOSSES
from linnet.model.forests import phrase_model
from linnet.model.small_trees import PackedTrees
from linnet.persistence import ModelFile, ModelFileError, StoredStrings, pack_strings

if TYPE_CHECKING:
    from linnet.estimators.phrases.fitted import FittedConstituencyParser
    from linnet.estimators.phrases.parser import ConstituencyParser

MODEL, STRINGS = "model.", "strings."  # the tensors of each begin so
WRONG = (DataError, KeyError, TypeError, ValueError, AttributeError, OverflowError, IndexError)


def parser_parts(parser: FittedConstituencyParser) -> tuple[dict[str, Any], parts.Tensors]:
    """Everything prediction and explanation need, and how the model came about."""
    from linnet.estimators.phrases.parser import ConstituencyParser

    if type(parser) is not ConstituencyParser:
        raise RefusedError(
            f"{type(parser).__name__} cannot be saved: a model file holds no code, only the weights "
            f"and settings of ConstituencyParser"
        )
    tensors: parts.Tensors = {}
    model = parser.model_
    given = parser.get_params(deep=False)
    plain = {name: _plain(given[name]) for name in ("features", "tagger")}
    spec: dict[str, Any] = {
        "kind": "constituency parser",
        "params": parts.pack_params(type(parser)(**given | plain), tensors),
        "model": model.spec(),
        "record": parts.pack_record(parser.record_, tensors),
        "loss": parser.loss_,
        "why": parser.why_,
    }
    weights = model.tensors()
    if model.packed is not None:
        weights, spec["packed"] = model.packed.tensors(), model.packed.spec()
    tensors |= {MODEL + name: array for name, array in weights.items()}
    listed = model.strings()
    spec["strings"] = sorted(listed)
    for name, strings in listed.items():
        tensors |= pack_strings(STRINGS + name, strings)
    spec["taggers"] = pack_taggers(parser.taggers_, tensors)
    return spec, tensors


def _plain(given: Any) -> Any:
    """Names and templates as they are."""
    if given is None or isinstance(given, str):
        return given
    return list(given) if isinstance(given, (list, tuple)) else {GIVEN: True}


def load_constituency(file: ModelFile) -> ConstituencyParser:
    """Arrays stay where they lie in the file; those of a quantised model are widened."""
    from linnet.estimators.phrases.parser import ConstituencyParser

    spec = file.spec
    parser = parts.unpack_params(file, ConstituencyParser)
    parser.record_ = parts.unpack_record(file)
    loss, why = spec.get("loss"), spec.get("why")
    if not isinstance(loss, str) or loss not in LOSSES:
        raise file.error(f"there is no loss {loss!r:.40}; a later linnet may know it")
    parser.loss_ = loss
    parser.choice_ = PhraseChoice([str(line) for line in why] if isinstance(why, list) else [])
    try:
        packed = None
        if "packed" in spec:
            packed = PackedTrees.from_parts(spec["packed"], _under(MODEL, file))
        weights = _under(MODEL, file) if packed is None else packed.widened()
        names = spec.get("strings")
        if not isinstance(names, list) or not all(isinstance(name, str) for name in names):
            raise DataError("it does not say which strings it has")
        strings = {name: StoredStrings(file, STRINGS + name).decode() for name in names}
        model = phrase_model(spec.get("model"), weights, strings)
        parser.model_ = replace(model, packed=packed)
        labels = sorted({one for chain in model.chains for one in chain})
        parser.classes_ = np.array(labels, dtype=np.str_)
        parser.taggers_ = unpack_taggers(file)
        if isinstance(parser.features, dict):
            parser.features = SpanFeatures(**model.spans.get_params(deep=False))
        if isinstance(parser.tagger, dict):
            parser.tagger = dict(parser.taggers_)
        check_settings(parser)
        if not 0 < parser._threads() < 2**31:
            raise ValueError("n_jobs makes no sense")
    except ModelFileError:
        raise
    except WRONG as error:
        raise file.error(f"{error!s:.200}") from None
    return parser


def _under(prefix: str, file: ModelFile) -> dict[str, Any]:
    return {
        name.removeprefix(prefix): array
        for name, array in file.tensors.items()
        if name.startswith(prefix)
    }
