"""A parser's model: weights of templates of arcs, by which trees and relations are found."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import NDArray

import linnet._core as _core
from linnet.errors import DataError
from linnet.features.arc_candidates import ArcCandidates
from linnet.features.arcs import ArcFeatures, CandidateArcs
from linnet.features.compiled import Sentences

if TYPE_CHECKING:
    from linnet.model.small_trees import PackedTrees

Heads = NDArray[np.int32]
Reals = NDArray[np.float32]
Scores = NDArray[np.float64]
Scored = tuple[  # what all searches of the core begin with
    _core.ArcTokens,
    NDArray[np.int64],
    Heads,
    Reals,
    float,
    _core.JointWeights | None,
    _core.TreeShape,
]


@dataclass(frozen=True)
class TreeModel:
    """score(x, y) = Σ over words of w · f(head, word), in second order also f(head, word, sibling).

    With joint weights u an arc also has the score of its best relation, max_r u_r · g(head, word).
    Heads are those of the best tree over the candidate arcs; then each arc gets its best relation,
    by features that may look at the tree.
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
    joint_features: ArcFeatures | None = None
    joint_weights: Reals | None = None  # (features + 1, stride)
    packed: PackedTrees | None = None  # the weights in a few bits, if they were rounded to these

    def __post_init__(self) -> None:
        _ = self._shape  # which refuses what is no shape
        self._check(self.arcs, self.weights)
        if self.relation_features is not None and self.relation_weights is not None:
            self._check(self.relation_features, self.relation_weights, _core.padded(self.width))
        if self.joint_features is not None and self.joint_weights is not None:
            self._check(self.joint_features, self.joint_weights, _core.padded(self.width))

    @staticmethod
    def _check(features: ArcFeatures, weights: Reals, *stride: int) -> None:
        if weights.dtype != np.float32 or weights.shape != (features.n_features + 1, *stride):
            raise DataError("the weights of the parser do not fit its features")

    @property
    def columns(self) -> list[str]:
        """What is looked at of words, by any of its features."""
        of = (self.arcs, self.relation_features, self.joint_features, self.first_pass)
        seen = (name for features in of if features is not None for name in features.columns)
        return list(dict.fromkeys(seen))

    @property
    def _shape(self) -> _core.TreeShape:
        return _core.TreeShape(self.projective, self.single_root, self.order)

    def candidates(
        self, sentences: Sentences, known: Heads | None = None, threads: int = 1
    ) -> CandidateArcs:
        """The arcs that trees are made of; those to known heads (-1: unknown) are always there."""
        _ = self._sound
        if self.first_pass is None:
            return CandidateArcs.all(sentences.offsets)
        return self.first_pass.arcs(sentences, known, threads)

    def best(
        self,
        sentences: Sentences,
        threads: int = 1,
        known: Heads | None = None,
        least_risk: bool = False,
    ) -> tuple[Heads, Scores]:
        """The heads of all words in the best trees, and the score of each tree.

        ``known`` heads are kept; -1 is to be found. With ``least_risk`` the trees with most heads
        expected to be right, Σ P(arc), and that number in place of the score.
        """
        arcs = self.candidates(sentences, known, threads)
        return _core.best_trees(*self._scored(sentences, arcs, threads), known, least_risk, threads)

    def runners_up(
        self, sentences: Sentences, chosen: Heads, threads: int = 1
    ) -> tuple[Scores, Heads, Heads]:
        """For every word the best tree in which it has another head than the one chosen.

        The score of that tree, the head of the word in it and the sibling before (0: none). Without
        such a tree −inf and −1.
        """
        scored = self._scored(sentences, self.candidates(sentences, threads=threads), threads)
        return _core.runners_up(*scored, chosen, threads)

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

    def sample(
        self,
        sentences: Sentences,
        n: int = 1,
        seed: int = 0,
        threads: int = 1,
        known: Heads | None = None,
    ) -> list[Heads]:
        """For each sentence the heads of n trees, (n, words), drawn by P(y) ∝ exp score(y): exactly."""
        arcs = self.candidates(sentences, known, threads)
        drawn = _core.sample_trees(*self._scored(sentences, arcs, threads), known, n, seed, threads)
        return [heads.reshape(n, -1) for heads in drawn]

    def relations(self, sentences: Sentences, heads: Heads, threads: int = 1) -> Heads:
        """The best relation of each word to its head; -1 where it has none."""
        if self.relation_features is None or self.relation_weights is None:
            raise ValueError("this model knows no relations")
        _ = self._sound
        tokens = self.relation_features.over(sentences, threads)
        return tokens.relations(heads, self.relation_weights, self.width, 0.0, threads)

    @cached_property
    def _sound(self) -> bool:
        """Weights are numbers: looked at once, when they are used, since loading reads none of them."""
        for name, weights in self.tensors().items():
            with np.errstate(invalid="ignore"):
                total = weights.sum(dtype=np.float64)
            if not np.isfinite(total):
                raise DataError(f"the weights of {name} are no finite numbers: the parser is damaged")
        return True

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
            "joint": None if self.joint_features is None else self.joint_features.spec(),
        }

    def tensors(self) -> dict[str, NDArray[Any]]:
        """The weights."""
        tensors: dict[str, NDArray[Any]] = {"arcs": self.weights}
        if self.relation_weights is not None:
            tensors["relations"] = self.relation_weights
        if self.joint_weights is not None:
            tensors["joint"] = self.joint_weights
        if self.first_pass is not None:
            tensors["first_pass"] = self.first_pass.tensors()["weights"]
        return tensors

    @classmethod
    def from_parts(cls, spec: Mapping[str, Any], tensors: Mapping[str, NDArray[Any]]) -> Self:
        """The inverse."""
        try:
            first, relations, joint = spec["first_pass"], spec["relations"], spec.get("joint")
            return cls(
                ArcFeatures.from_parts(spec["arcs"]),
                tensors["arcs"],
                bool(spec["projective"]),
                bool(spec["single_root"]),
                int(spec["order"]),
                None
                if first is None
                else ArcCandidates.from_parts(first, {"weights": tensors["first_pass"]}),
                None if relations is None else ArcFeatures.from_parts(relations),
                None if relations is None else tensors["relations"],
                int(spec["width"]),
                float(spec["bias"]),
                None if joint is None else ArcFeatures.from_parts(joint),
                None if joint is None else tensors["joint"],
            )
        except (KeyError, TypeError, ValueError) as error:
            raise DataError(f"the parser is damaged: {error}") from None

    # Within

    def _scored(self, sentences: Sentences, arcs: CandidateArcs, threads: int) -> Scored:
        tokens = self.arcs.over(sentences, threads)
        joint = None
        if self.joint_features is not None and self.joint_weights is not None:
            seen = self.joint_features.over(sentences, threads)
            joint = _core.JointWeights(seen, self.joint_weights, self.width)
        return tokens, arcs.starts, arcs.heads, self.weights, self.bias, joint, self._shape
