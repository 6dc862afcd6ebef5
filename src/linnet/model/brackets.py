"""Labelled brackets scored one by one: weights of templates of spans, for each label."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import NDArray

import linnet._core as _core
from linnet.data.bracket_chains import Chain
from linnet.data.sequences import Sequences
from linnet.errors import DataError
from linnet.features.spans import SpanFeatures
from linnet.model.phrases import Found, SpanRule, Tensors, Tree

if TYPE_CHECKING:
    from linnet.model.small_trees import PackedTrees


@dataclass(frozen=True)
class BracketModel:
    """score(x, y) = Σ over brackets of w_label · f(x, begin, end); no bracket scores 0."""

    features: SpanFeatures
    chains: list[Chain]
    weights: NDArray[np.float32]  # (features + 1, stride), the constant feature first
    whole: bool = True  # every sentence is a bracket
    packed: PackedTrees | None = None  # the weights in a few bits, if they were rounded to these

    def __post_init__(self) -> None:
        shape = (self.features.n_features + 1, _core.padded(len(self.chains)))
        if self.weights.dtype != np.float32 or self.weights.shape != shape or not self.chains:
            raise DataError("the weights of the parser do not fit its features and labels")

    @property
    def spans(self) -> SpanFeatures:
        """Features of spans."""
        return self.features

    def best(self, sentences: Sequences, rules: list[SpanRule], threads: int = 1) -> Found:
        """The trees that score best, and their scores."""
        return Found(*self._over(sentences, rules).best(threads))

    def least_risk(
        self, sentences: Sequences, rules: list[SpanRule], threshold: float = 0.5, threads: int = 1
    ) -> Found:
        """The trees with most Σ (P(bracket) − threshold); brackets have their probability."""
        return Found(*self._over(sentences, rules).least_risk(threshold, threads))

    def marginals(
        self, sentences: Sequences, rules: list[SpanRule], least: float = 0.0, threads: int = 1
    ) -> Found:
        """All brackets that are at least so probable, and log Z of each sentence."""
        return Found(*self._over(sentences, rules).marginals(least, threads))

    def candidates(
        self, sentences: Sequences, rules: list[SpanRule], within: float, threads: int = 1
    ) -> Found:
        """Brackets whose best tree is at most so much worse than the best, with its score."""
        return Found(*self._over(sentences, rules).candidates(within, threads))

    def kbest(
        self, sentences: Sequences, rules: list[SpanRule], k: int, threads: int = 1
    ) -> list[Found]:
        """The k best trees of each sentence."""
        return [Found(*each) for each in self._over(sentences, rules).best_trees(k, threads)]

    def sample(
        self, sentences: Sequences, rules: list[SpanRule], n: int, seed: int = 0, threads: int = 1
    ) -> list[Found]:
        """Trees drawn by P(y) ∝ exp score(y), exactly."""
        return [Found(*each) for each in self._over(sentences, rules).samples(n, seed, threads)]

    def runners_up(self, sentences: Sequences, threads: int = 1) -> list[Found]:
        """Of each bracket of the best tree, in its order, the best tree without it."""
        return [Found(*each) for each in self._over(sentences, []).without_each(threads)]

    def evidence(
        self, sentence: Sequences, tree: Tree, span: tuple[int, int]
    ) -> list[tuple[str, float]]:
        """Names and weights of the features of a bracket; they sum to its score."""
        tokens = self.features.over(sentence)
        named = self.features.names(sentence, tokens, 0, *span)
        return [(name, float(self.weights[row + 1, tree[span]])) for row, name in named]

    def candidates_of(
        self,
        tokens: _core.PhraseTokens,
        rules: _core.SpanRules | None,
        least: float,
        threads: int,
    ) -> Found:
        """Brackets that are so probable, or the best tree where these are no tree.

        They go by weights that are rounded to 8 bits, since others choose among them.
        """
        return Found(*self._core(tokens, rules, self._rounded).likely(least, threads))

    # In a file

    def spec(self) -> dict[str, Any]:
        """All but tensors and strings, as JSON."""
        return {"features": self.features.spec(), "whole": self.whole}

    def tensors(self) -> Tensors:
        """The weights."""
        return {"spans": self.weights}

    def strings(self) -> dict[str, list[str]]:
        """Vocabularies, by name; labels of a chain have blanks between them."""
        return self.features.vocabularies() | {"chains": [" ".join(chain) for chain in self.chains]}

    @classmethod
    def from_parts(
        cls, spec: Any, tensors: Mapping[str, NDArray[Any]], strings: Mapping[str, list[str]]
    ) -> Self:
        """The inverse."""
        if not isinstance(spec, dict) or type(spec.get("whole")) is not bool:
            raise DataError("it has no model")
        chains = [tuple(name.split(" ")) for name in strings["chains"]]
        if len(set(chains)) != len(chains):
            raise DataError("its labels are not distinct")
        features = SpanFeatures.from_parts(spec.get("features"), strings)
        return cls(features, chains, tensors["spans"], spec["whole"])

    # Within

    @cached_property
    def _rounded(self) -> _core.ByteRows:
        """The weights in a quarter of the memory."""
        _ = self._sound
        return _core.ByteRows(self.weights[1:].reshape(-1), self.weights.shape[1])

    def _over(self, sentences: Sequences, rules: list[SpanRule]) -> _core.PhraseParser:
        tokens = self.features.over(sentences)
        return self._core(tokens, core_rules(rules, len(sentences), len(self.chains)))

    def _core(
        self,
        tokens: _core.PhraseTokens,
        rules: _core.SpanRules | None,
        rounded: _core.ByteRows | None = None,
    ) -> _core.PhraseParser:
        _ = self._sound
        return _core.PhraseParser(
            tokens,
            self.features.compiled,
            len(self.chains),
            self.weights.reshape(-1),
            self.whole,
            rules,
            rounded,
        )

    @cached_property
    def _sound(self) -> bool:
        """Weights are numbers: looked at once, when they are used, since loading reads none of them."""
        with np.errstate(invalid="ignore"):
            total = self.weights.sum(dtype=np.float64)
        if not np.isfinite(total):
            raise DataError("the weights of brackets are no finite numbers: the parser is damaged")
        return True


def core_rules(rules: list[SpanRule], sentences: int, labels: int) -> _core.SpanRules | None:
    """For the core, which knows of a label that must or must not be there."""
    if not rules:
        return None
    rows: list[tuple[int, int, int, int, int]] = []
    for rule in rules:
        place = (rule.sentence, rule.begin, rule.end)
        if rule.must:
            rows.append((*place, -1, 1))
            rows += [(*place, code, 0) for code in range(labels) if code not in rule.codes]
        else:
            rows += [(*place, code, 0) for code in sorted(rule.codes)]
    table = np.array(sorted(set(rows)), np.int32)
    starts = np.searchsorted(table[:, 0], np.arange(sentences + 1)).astype(np.int64)
    begins, ends, codes = (np.ascontiguousarray(table[:, k]) for k in (1, 2, 3))
    return _core.SpanRules(starts, begins, ends, codes, table[:, 4].astype(np.uint8), labels)
