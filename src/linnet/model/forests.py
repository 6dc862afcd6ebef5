"""Trees of phrases in two looks: brackets that the first finds likely, then trees over these alone.

The second look sees heads, and neighbours among the children of a phrase. It chooses among candidates:
what the first look all but rules out is in no tree.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

import linnet._core as _core
from linnet.data.bracket_chains import Chain
from linnet.data.sequences import Sequences
from linnet.errors import DataError
from linnet.features.compiled_heads import compiled_heads
from linnet.features.forest_names import PieceValues
from linnet.features.forests import ForestFeatures, label_codes, label_names
from linnet.features.spans import SpanFeatures
from linnet.grammars.heads import COLLINS_HEADS
from linnet.model.brackets import BracketModel, core_rules
from linnet.model.phrases import Found, SpanRule, Tensors, Tree

if TYPE_CHECKING:
    from linnet.model.small_trees import PackedTrees


SURE = 0.98  # spans to which the first look gives so much are phrases of all trees


class ForestParts(NamedTuple):
    """What the core asks for besides sentences and candidates."""

    templates: _core.ForestTemplates
    heads: _core.HeadRules
    labels: _core.LabelCodes
    sets: tuple[tuple[str, ...], ...]  # of tags


def forest_parts(first: BracketModel, features: ForestFeatures) -> ForestParts:
    """Of a first look and the features of the second."""
    templates, sets = features.compiled(first.features.sets)
    heads = compiled_heads(COLLINS_HEADS, label_names(first.chains), first.features.tags_)
    return ForestParts(templates, heads, label_codes(first.chains), sets)


def core_candidates(found: Found, labels: int) -> _core.BracketCandidates:
    """Brackets with their probabilities, for the core."""
    with np.errstate(divide="ignore"):
        log_p = np.clip(np.log(found.scores), -99.0, 0.0).astype(np.float32)
    return _core.BracketCandidates(found.starts, found.begins, found.ends, found.codes, log_p, labels)


@dataclass(frozen=True)
class ForestModel:
    """score(x, y) = Σ w · f(x, piece) over phrases, neighbours and children, all of candidates of x."""

    first: BracketModel
    features: ForestFeatures
    weights: NDArray[np.float32]
    least: float  # how probable a candidate is at least in the first look
    packed: PackedTrees | None = None  # all weights in a few bits, if they were rounded to these

    def __post_init__(self) -> None:
        if self.weights.dtype != np.float32 or self.weights.shape != (self.features.n_weights,):
            raise DataError("the weights of the second look do not fit its features")

    @property
    def chains(self) -> list[Chain]:
        """Labels over the same words, from outer to inner."""
        return self.first.chains

    @property
    def spans(self) -> SpanFeatures:
        """Features of spans in the first look."""
        return self.first.features

    @cached_property
    def parts(self) -> ForestParts:
        """Templates and rules for the core."""
        return forest_parts(self.first, self.features)

    def best(self, sentences: Sequences, rules: list[SpanRule], threads: int = 1) -> Found:
        """The trees that score best, and their scores."""
        return Found(*self._over(sentences, rules, threads).best(threads))

    def least_risk(
        self, sentences: Sequences, rules: list[SpanRule], threshold: float = 0.5, threads: int = 1
    ) -> Found:
        """The trees with most Σ (P(bracket) − threshold); brackets have their probability."""
        return Found(*self._over(sentences, rules, threads).least_risk(threshold, threads))

    def marginals(
        self, sentences: Sequences, rules: list[SpanRule], least: float = 0.0, threads: int = 1
    ) -> Found:
        """All brackets that are at least so probable, and log Z of each sentence."""
        return Found(*self._over(sentences, rules, threads).marginals(least, threads))

    def kbest(
        self, sentences: Sequences, rules: list[SpanRule], k: int, threads: int = 1
    ) -> list[Found]:
        """The k best trees of each sentence; fewer if candidates make no more."""
        return [Found(*each) for each in self._over(sentences, rules, threads).best_trees(k, threads)]

    def sample(
        self, sentences: Sequences, rules: list[SpanRule], n: int, seed: int = 0, threads: int = 1
    ) -> list[Found]:
        """Trees drawn by P(y) ∝ exp score(y), exactly."""
        return [
            Found(*each) for each in self._over(sentences, rules, threads).samples(n, seed, threads)
        ]

    def runners_up(self, sentences: Sequences, threads: int = 1) -> list[Found]:
        """Of each bracket of the best tree, in its order, the best tree without it."""
        return [Found(*each) for each in self._over(sentences, [], threads).without_each(threads)]

    def evidence(
        self, sentence: Sequences, tree: Tree, span: tuple[int, int]
    ) -> list[tuple[str, float]]:
        """Names and weights of the features of a bracket and of its children; they sum to its score."""
        begins, ends = ([place[k] for place in tree] for k in (0, 1))
        found = self._over(sentence, [], 1).origins(0, begins, ends, list(tree.values()), *span)
        words, tags = sentence.column("word")[0], sentence.column("pos")[0]
        spans = self.first.features
        known, names = set(spans.words_), [*label_names(self.chains), *spans.tags_, "_UNKNOWN"]
        kinds = self.features.parsed(spans.sets)
        terms = []
        for kind, place, number, anchors, codes in found:
            values = PieceValues(words, tags, known, spans, anchors, codes, names)
            shown = [f"{value}={values[value]}" for value in kinds[kind].templates[number].values]
            terms.append((" ".join(shown), float(self.weights[place])))
        return terms

    # In a file

    def spec(self) -> dict[str, Any]:
        """All but tensors and strings, as JSON."""
        return self.first.spec() | {"second": self.features.spec(), "least": self.least}

    def tensors(self) -> Tensors:
        """The weights."""
        return self.first.tensors() | {"forest": self.weights}

    def strings(self) -> dict[str, list[str]]:
        """Vocabularies, by name."""
        return self.first.strings()

    @classmethod
    def from_parts(
        cls, spec: Any, tensors: Mapping[str, NDArray[Any]], strings: Mapping[str, list[str]]
    ) -> Self:
        """The inverse."""
        first = BracketModel.from_parts(spec, tensors, strings)
        least = spec.get("least")
        if not isinstance(least, float) or not 0 < least < 1:
            raise DataError("it does not say how probable candidates are")
        return cls(first, ForestFeatures.from_spec(spec["second"]), tensors["forest"], least)

    # Within

    def _over(self, sentences: Sequences, rules: list[SpanRule], threads: int) -> _core.ForestParser:
        _ = self._sound
        parts = self.parts
        tokens = self.first.features.over(sentences, parts.sets)
        wanted = core_rules(rules, len(sentences), len(self.chains))
        found = self.first.candidates_of(tokens, wanted, self.least, threads)
        return _core.ForestParser(
            tokens,
            core_candidates(found, len(self.chains)),
            parts.templates,
            parts.heads,
            parts.labels,
            self.weights,
            wanted,
            SURE,
        )

    @cached_property
    def _sound(self) -> bool:
        """Weights are numbers: looked at once, when they are used, since loading reads none of them."""
        with np.errstate(invalid="ignore"):
            total = self.weights.sum(dtype=np.float64)
        if not np.isfinite(total):
            raise DataError(
                "the weights of the second look are no finite numbers: the parser is damaged"
            )
        return True


def phrase_model(
    spec: Any, tensors: Mapping[str, NDArray[Any]], strings: Mapping[str, list[str]]
) -> BracketModel | ForestModel:
    """Of one look or of two, from what a file holds."""
    two = isinstance(spec, dict) and "second" in spec
    return (ForestModel if two else BracketModel).from_parts(spec, tensors, strings)
