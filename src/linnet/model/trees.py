"""A parser's model: weights of templates of arcs, by which trees and relations are found."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

import linnet._core as _core
from linnet.errors import DataError
from linnet.features.arc_candidates import ArcCandidates
from linnet.features.arcs import ArcFeatures, CandidateArcs
from linnet.features.compiled import Sentences

Heads = NDArray[np.int32]
Reals = NDArray[np.float32]
Scores = NDArray[np.float64]


@dataclass(frozen=True)
class TreeModel:
    """score(x, y) = Σ over words of w · f(head, word), in second order also f(head, word, sibling).

    Heads are those of the best tree over the candidate arcs; then each arc gets its best relation.
    """

    arcs: ArcFeatures
    weights: Reals  # (features + 1,), the constant feature first
    projective: bool = True
    single_root: bool = True
    order: int = 1
    first_pass: ArcCandidates | None = None  # None: every word may be the head of every other
    relation_features: ArcFeatures | None = None
    relation_weights: Reals | None = None  # (features + 1, stride)
    width: int = 0  # how many relations
    bias: float = 0.0  # value of the constant feature

    def __post_init__(self) -> None:
        _ = self._shape  # which refuses what is no shape
        self._check(self.arcs, self.weights)
        if self.relation_features is not None and self.relation_weights is not None:
            self._check(self.relation_features, self.relation_weights, _core.padded(self.width))

    @staticmethod
    def _check(features: ArcFeatures, weights: Reals, *stride: int) -> None:
        if weights.dtype != np.float32 or weights.shape != (features.n_features + 1, *stride):
            raise DataError("the weights of the parser do not fit its features")

    @property
    def _shape(self) -> _core.TreeShape:
        return _core.TreeShape(self.projective, self.single_root, self.order)

    def candidates(
        self, sentences: Sentences, known: Heads | None = None, threads: int = 1
    ) -> CandidateArcs:
        """The arcs that trees are made of; those to known heads (-1: unknown) are always there."""
        if self.first_pass is None:
            return CandidateArcs.all(sentences.offsets)
        return self.first_pass.arcs(sentences, known, threads)

    def best(
        self, sentences: Sentences, threads: int = 1, known: Heads | None = None
    ) -> tuple[Heads, Scores]:
        """The heads of all words in the best trees, and the score of each tree.

        ``known`` heads are kept; -1 is to be found.
        """
        arcs = self.candidates(sentences, known, threads)
        return _core.best_trees(*self._scored(sentences, arcs, threads), known, threads)

    def marginals(
        self, sentences: Sentences, threads: int = 1, known: Heads | None = None
    ) -> tuple[CandidateArcs, Scores]:
        """The candidate arcs, and the probability of each if P(y) ∝ exp score(y)."""
        arcs = self.candidates(sentences, known, threads)
        mu, _ = _core.arc_marginals(*self._scored(sentences, arcs, threads), known, threads)
        return arcs, mu

    def kbest(
        self, sentences: Sentences, k: int, threads: int = 1, known: Heads | None = None
    ) -> list[list[tuple[float, Heads]]]:
        """(score, heads) of the k best trees of each sentence, best first."""
        arcs = self.candidates(sentences, known, threads)
        return _core.k_best_trees(*self._scored(sentences, arcs, threads), known, k, threads)

    def relations(self, sentences: Sentences, heads: Heads, threads: int = 1) -> Heads:
        """The best relation of each word to its head; -1 where it has none."""
        if self.relation_features is None or self.relation_weights is None:
            raise ValueError("this model knows no relations")
        tokens = self.relation_features.over(sentences, threads)
        return tokens.relations(heads, self.relation_weights, self.width, 0.0, threads)

    # In a file

    def spec(self) -> dict[str, Any]:
        """All but the weights, as JSON."""
        return {
            "arcs": self.arcs.spec(),
            "projective": self.projective,
            "single_root": self.single_root,
            "order": self.order,
            "first_pass": None if self.first_pass is None else self.first_pass.spec(),
            "relations": None if self.relation_features is None else self.relation_features.spec(),
            "width": self.width,
            "bias": self.bias,
        }

    def tensors(self) -> dict[str, NDArray[Any]]:
        """The weights."""
        tensors: dict[str, NDArray[Any]] = {"arcs": self.weights}
        if self.relation_weights is not None:
            tensors["relations"] = self.relation_weights
        if self.first_pass is not None:
            tensors["first_pass"] = self.first_pass.tensors()["weights"]
        return tensors

    @classmethod
    def from_parts(cls, spec: Mapping[str, Any], tensors: Mapping[str, NDArray[Any]]) -> Self:
        """The inverse."""
        try:
            first, relations = spec["first_pass"], spec["relations"]
            return cls(
                ArcFeatures.from_parts(spec["arcs"]),
                tensors["arcs"],
                bool(spec["projective"]),
                bool(spec["single_root"]),
                int(spec["order"]),
                first and ArcCandidates.from_parts(first, {"weights": tensors["first_pass"]}),
                relations and ArcFeatures.from_parts(relations),
                tensors["relations"] if relations else None,
                int(spec["width"]),
                float(spec["bias"]),
            )
        except (KeyError, TypeError, ValueError) as error:
            raise DataError(f"the parser is damaged: {error}") from None

    # Within

    def _scored(
        self, sentences: Sentences, arcs: CandidateArcs, threads: int
    ) -> tuple[_core.ArcTokens, NDArray[np.int64], Heads, Reals, float, _core.TreeShape]:
        tokens = self.arcs.over(sentences, threads)
        return tokens, arcs.starts, arcs.heads, self.weights, self.bias, self._shape
