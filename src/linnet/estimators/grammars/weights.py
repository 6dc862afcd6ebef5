"""The weights of a grammar: laid out for charts, and back to rules; sentences that it has trees of."""

from __future__ import annotations

import warnings
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from linnet.errors import DataError, TrainingWarning
from linnet.grammars.derivations import Derivations
from linnet.grammars.grammar import Grammar
from linnet.grammars.shape import ChartShape
from linnet.model.grammar import GrammarModel, WordEvents, structure
from linnet.structures import Charts
from linnet.training import TrainingRecord

Reals = NDArray[np.float64]


def phrase_labels(shape: ChartShape) -> list[str]:
    """Of the answer."""
    return [name for name, counts in zip(shape.labels, shape.counts, strict=True) if counts]


def given_record() -> TrainingRecord:
    """Nothing was learnt."""
    return TrainingRecord("joint_likelihood", "counting", "none", "grammar", 1.0, 0.0)


def start_weights(grammar: Grammar, data: Charts, events: WordEvents) -> Reals:
    """The logarithms of a grammar's weights, as they are laid out."""
    weights = np.zeros(data.layout.dim)
    part = data.layout.parts(weights)
    with np.errstate(divide="ignore"):
        for name, own in (("rules", grammar.binary_weights), ("unaries", grammar.unary_weights)):
            if name in part:
                part[name][:] = np.log(own)
        tokens = part["tokens"]
        tokens[1:] = -np.inf
        number = np.searchsorted(data.shape.tags, grammar.lexical[:, 0])
        tokens[1 + grammar.lexical[:, 1], number] = np.log(grammar.lexical_weights)
    fill_classes(weights, data, events)
    return weights


def fill_classes(weights: Reals, data: Charts, events: WordEvents) -> None:
    """Wider classes of words are as likely as all that is in them."""
    tokens = data.layout.parts(weights)["tokens"][1:]
    for name, members in events.members.items():
        tokens[events.index[name]] = np.logaddexp.reduce(tokens[members], axis=0)


def rule_counts(gold: Derivations, shape: ChartShape) -> Reals:
    """How often each rule was used."""
    rules = len(shape.binary) + len(shape.unary)
    return np.bincount(gold.rules, minlength=rules).astype(np.float64)


def with_weights(grammar: Grammar, shape: ChartShape, data: Charts, weights: Reals) -> Grammar:
    """The grammar with the probabilities that were learnt; words that were smoothed in are added."""
    part = data.layout.parts(weights)
    own: dict[str, Any] = {"weighted": True}
    for name, kind in (("rules", "binary_weights"), ("unaries", "unary_weights")):
        own[kind] = np.exp(part[name]) if name in part else np.zeros(0)
    words, tags = np.nonzero(np.isfinite(part["tokens"][1 : len(grammar.words) + 1]))
    lexical = np.stack([shape.tags[tags].astype(np.int64), words], axis=1)
    order = np.lexsort((lexical[:, 1], lexical[:, 0]))
    own["lexical"] = lexical[order]
    own["lexical_weights"] = np.exp(part["tokens"][1 + words, tags])[order]
    return replace(grammar, **own)


def derivable(
    grammar: Grammar,
    shape: ChartShape,
    events: WordEvents,
    sentences: list[list[str]],
    gold: Derivations,
    threads: int,
) -> tuple[list[list[str]], Derivations]:
    """Without sentences that the grammar has no tree of, which a warning counts."""
    if not gold.hidden.any():
        return sentences, gold
    equal: dict[str, Any] = {
        f"{kind}_weights": np.ones(len(getattr(grammar, kind)))
        for kind in ("binary", "unary", "lexical")
    }
    flat = replace(grammar, **equal)
    data = structure(shape, events, None, sentences, gold)
    model = GrammarModel(flat, shape, start_weights(flat, data, events))
    found = iter(model.trees(data, "best", 0.0, threads))
    good = [bool(words) and next(found)[1] is not None for words in sentences]
    if all(good):
        return sentences, gold
    if not any(good):
        raise DataError(
            "the grammar has a tree for none of the sentences that agrees with what is known"
        )
    warnings.warn(
        f"{good.count(False)} of {len(good)} sentences are left out: the grammar has no tree of them "
        f"that agrees with what is known (the first is sentence {good.index(False) + 1})",
        TrainingWarning,
        stacklevel=2,
    )
    offsets = np.concatenate([[0], np.cumsum([len(words) for words in sentences])])
    kept = [i for i, ok in enumerate(good) if ok]
    parts = [gold.part(i, i + 1, int(offsets[i]), int(offsets[i + 1])) for i in kept]
    return [sentences[i] for i in kept], Derivations.joined(parts)
