"""Models of trees of phrases: what a parser asks of them, and what they answer."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from linnet.data.bracket_chains import Chain, ChainedBrackets
from linnet.data.sequences import Sequences

if TYPE_CHECKING:
    from linnet.features.spans import SpanFeatures
    from linnet.model.small_trees import PackedTrees

Ids = NDArray[np.int32]
Scores = NDArray[np.float64]
Tensors = dict[str, NDArray[Any]]
Tree = dict[tuple[int, int], int]  # the code of each bracket, by its span


class Found(NamedTuple):
    """Trees one after the other, or other lists of brackets, each with a score.

    Brackets of tree i are ``starts[i]:starts[i + 1]``; ``values`` has one number for each tree: -inf if
    there is no tree.
    """

    starts: NDArray[np.int64]
    begins: Ids
    ends: Ids
    codes: Ids
    scores: Scores  # of each bracket: its score or its probability
    values: Scores

    def chained(self, names: list[Chain]) -> ChainedBrackets:
        """As brackets with names."""
        return ChainedBrackets(self.starts, self.begins, self.ends, self.codes, names)


@dataclass(frozen=True)
class SpanRule:
    """A span that must be a bracket, with one of these chains; or that must be none of them."""

    sentence: int
    begin: int
    end: int
    must: bool
    codes: frozenset[int]  # of chains


class PhraseModel(Protocol):
    """What a parser of phrases needs; sentences have the columns ``word`` and ``pos``.

    Codes of brackets are those of ``chains``. Whatever finds trees in two passes is such a model, too:
    the second one chooses among the `candidates` of the first.
    """

    @property
    def chains(self) -> list[Chain]:
        """Labels over the same words, from outer to inner."""

    @property
    def spans(self) -> SpanFeatures:
        """Features of spans."""

    def best(self, sentences: Sequences, rules: list[SpanRule], threads: int) -> Found:
        """The trees that score best, and their scores."""

    def least_risk(
        self, sentences: Sequences, rules: list[SpanRule], threshold: float, threads: int
    ) -> Found:
        """The trees with most Σ (P(bracket) − threshold); brackets have their probability."""

    def marginals(
        self, sentences: Sequences, rules: list[SpanRule], least: float, threads: int
    ) -> Found:
        """All brackets that are at least so probable, and log Z of each sentence."""

    def kbest(self, sentences: Sequences, rules: list[SpanRule], k: int, threads: int) -> list[Found]:
        """The k best trees of each sentence."""

    def sample(
        self, sentences: Sequences, rules: list[SpanRule], n: int, seed: int, threads: int
    ) -> list[Found]:
        """Trees drawn by P(y) ∝ exp score(y)."""

    def runners_up(self, sentences: Sequences, threads: int) -> list[Found]:
        """Of each bracket of the best tree, in its order, the best tree without it."""

    def evidence(
        self, sentence: Sequences, tree: Tree, span: tuple[int, int]
    ) -> list[tuple[str, float]]:
        """Names and weights of the features of a bracket in a tree; they sum to its score there."""

    @property
    def packed(self) -> PackedTrees | None:
        """The weights in a few bits, if they were rounded to these."""

    def spec(self) -> dict[str, Any]:
        """All but tensors and strings, as JSON."""

    def tensors(self) -> Tensors:
        """The weights."""

    def strings(self) -> dict[str, list[str]]:
        """Vocabularies, by name."""
