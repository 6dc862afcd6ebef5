"""Grammar parsers to model files and back."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

import linnet.estimators.parts as parts
from linnet.errors import DataError, RefusedError
from linnet.features.phrases import PhraseFeatures
from linnet.grammars.grammar import Grammar
from linnet.grammars.shape import ChartShape
from linnet.losses import LOSSES
from linnet.model.grammar import GrammarModel
from linnet.model.small_trees import PackedTrees
from linnet.persistence import ModelFile, ModelFileError, StoredStrings, pack_strings

if TYPE_CHECKING:
    from linnet.estimators.grammars.fitted import FittedGrammarParser
    from linnet.estimators.grammars.parser import GrammarParser

GIVEN = "$given"  # a grammar that was a setting
KINDS = ("binary", "unary", "lexical")
WRONG = (DataError, KeyError, TypeError, ValueError, AttributeError, OverflowError, IndexError)


def grammar_parts(parser: FittedGrammarParser) -> tuple[dict[str, Any], parts.Tensors]:
    """Everything prediction and explanation need, and how the model came about."""
    from linnet.estimators.grammars.parser import GrammarParser

    if type(parser) is not GrammarParser:
        raise RefusedError(
            f"{type(parser).__name__} cannot be saved: a model file holds no code, only the weights "
            f"and settings of GrammarParser"
        )
    tensors: parts.Tensors = {}
    model, given = parser.model_, parser.get_params(deep=False)
    if given["grammar"] is not None:
        given["grammar"] = GIVEN
    if not isinstance(given["features"], str):
        given["features"] = list(given["features"])
    spec: dict[str, Any] = {
        "kind": "grammar parser",
        "params": parts.pack_params(GrammarParser(**given), tensors),
        "record": parts.pack_record(parser.record_, tensors),
        "loss": parser.loss_,
        "chains": model.shape.chains,
        "within": model.within,
        "grammars": {
            name: _pack_grammar(name, grammar, tensors)
            for name, grammar in (("rules", model.grammar), ("learnt", parser.grammar_))
        },
        "features": None,
    }
    if model.packed is None:
        tensors["weights"] = model.weights
    else:
        spec["packed"] = model.packed.spec()
        tensors |= model.packed.tensors()
        tensors["rules"] = model.tied_weights()
    if model.coarse_counts is not None:
        tensors["coarse"] = model.coarse_counts
    if model.features is not None:
        spec["features"] = {
            "templates": list(model.features.templates or ()),
            "hash_bits": model.features.hash_bits,
        }
        tensors |= pack_strings("frequent", list(model.features.frequent))
    return spec, tensors


def _pack_grammar(name: str, grammar: Grammar, tensors: parts.Tensors) -> dict[str, Any]:
    tensors |= pack_strings(f"{name}.symbols", grammar.symbols)
    tensors |= pack_strings(f"{name}.words", grammar.words)
    for kind in KINDS:
        tensors[f"{name}.{kind}"] = getattr(grammar, kind)
        tensors[f"{name}.{kind}_weights"] = getattr(grammar, f"{kind}_weights")
    return {"start": grammar.start, "unknown": grammar.unknown, "weighted": grammar.weighted}


def load_grammar(file: ModelFile) -> GrammarParser:
    """Everything is checked before it is used."""
    from linnet.estimators.grammars.parser import GrammarParser
    from linnet.estimators.grammars.weights import phrase_labels

    spec = file.spec
    parser = parts.unpack_params(file, GrammarParser)
    parser.record_ = parts.unpack_record(file)
    if not isinstance(spec.get("loss"), str) or spec["loss"] not in LOSSES:
        raise file.error(f"there is no loss {spec.get('loss')!r:.40}; a later linnet may know it")
    parser.loss_ = spec["loss"]
    try:
        grammar = _unpack_grammar(file, "rules")
        parser.grammar_ = _unpack_grammar(file, "learnt")
        chains, within = spec["chains"], spec["within"]
        if type(chains) is not int or not (within is None or float(within) >= 0):
            raise ValueError("its settings of charts make no sense")
        shape = ChartShape.of(grammar, chains)
        coarse = file.tensor("coarse", "f", 1) if "coarse" in file.tensors else None
        if coarse is not None and len(coarse) != len(shape.binary) + len(shape.unary):
            raise ValueError("it has other counts than rules")
        features = _unpack_features(file)
        model = GrammarModel(grammar, shape, np.zeros(0), features, coarse, within)
        parser.model_ = model = _with_weights(model, file)
        weights = model.weights
        if np.isnan(weights).any() or (weights == np.inf).any():
            raise ValueError("its weights are no numbers")
        parser.classes_ = np.array(phrase_labels(shape), dtype=np.str_)
        if parser.grammar == GIVEN:
            parser.grammar = grammar
        parser._check_settings()
        parser._threads()
    except ModelFileError:
        raise
    except WRONG as error:
        raise file.error(f"{error!s:.200}") from None
    return parser


def _with_weights(model: GrammarModel, file: ModelFile) -> GrammarModel:
    """As they are, or those of features from a few bits."""
    if "packed" not in file.spec:
        weights = np.array(file.tensor("weights", "f", 1), np.float64)
        if len(weights) != model.structure([]).layout.dim:
            raise ValueError("it has other weights than rules and features")
        return replace(model, weights=weights)
    packed = PackedTrees.from_parts(file.spec["packed"], file.tensors)
    return model.unpacked(packed, np.array(file.tensor("rules", "f", 1), np.float64))


def _unpack_grammar(file: ModelFile, name: str) -> Grammar:
    own = file.spec["grammars"][name]
    arrays: dict[str, Any] = {}
    symbols = StoredStrings(file, f"{name}.symbols").decode()
    words = StoredStrings(file, f"{name}.words").decode()
    for kind in KINDS:
        rules = np.array(file.tensor(f"{name}.{kind}", "i", 2), np.int64)
        most = np.full(rules.shape[1], len(symbols))
        if kind == "lexical":
            most[-1] = len(words)
        if ((rules < 0) | (rules >= most)).any():
            raise ValueError("a rule names a symbol that is not there")
        arrays[kind] = rules
        arrays[f"{kind}_weights"] = np.array(file.tensor(f"{name}.{kind}_weights", "f", 1))
    if len(set(symbols)) != len(symbols) or len(set(words)) != len(words):
        raise ValueError("a symbol or a word is there twice")
    start, unknown = int(own["start"]), int(own["unknown"])
    return Grammar(
        symbols, words, start=start, unknown=unknown, weighted=bool(own["weighted"]), **arrays
    )


def _unpack_features(file: ModelFile) -> PhraseFeatures | None:
    own = file.spec["features"]
    if own is None:
        return None
    bits = own["hash_bits"]
    if type(bits) is not int or not 4 <= bits <= 24:
        raise ValueError("its features have an unknown size")
    frequent = StoredStrings(file, "frequent").decode()
    made = PhraseFeatures([str(each) for each in own["templates"]], bits, frequent)
    made.compiled()
    return made
