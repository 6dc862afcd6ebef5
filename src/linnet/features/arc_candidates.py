"""Which heads of a token are worth a look: a cheap first pass before arcs are scored."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from linnet._params import Params
from linnet.errors import DataError
from linnet.features.arcs import ArcFeatures, CandidateArcs, Heads
from linnet.features.compiled import Sentences


class ArcCandidates(Params):
    """A first pass in which each token chooses its head by itself, by few templates and weights.

    Kept are the heads whose log-probability is at most ``within`` below that of the likeliest, the
    neighbours of the token and the root. `CandidateArcs.recall` tells what is lost by that.

    >>> from linnet.data import Sequences
    >>> bird = [("a", "D"), ("linnet", "N"), ("sings", "V"), ("sweetly", "A")]
    >>> birds, heads = Sequences.from_lists([bird]), np.array([2, 3, 0, 3], np.int32)
    >>> ArcCandidates().fit(birds, heads).arcs(birds).recall(heads)
    1.0
    """

    def __init__(
        self,
        *,
        within: float = 5.0,
        templates: str | Sequence[str] = "candidates",
        hash_bits: int = 18,
        passes: int = 2,
        random_state: int = 0,
    ) -> None:
        self.within = within
        self.templates = templates
        self.hash_bits = hash_bits
        self.passes = passes
        self.random_state = random_state

    def fit(self, sentences: Sentences, heads: Heads) -> Self:
        """Learn from trees; missing heads are -1."""
        features = ArcFeatures(templates=self.templates, hash_bits=self.hash_bits)
        features.compile(sentences.columns)
        if features.needs_tree:
            raise ValueError("templates of candidates cannot look at a tree, which is yet to be found")
        tokens = features.over(sentences)
        self._weights = tokens.first_pass(heads, self.passes, self.random_state)
        self._features = features
        return self

    @property
    def columns(self) -> list[str]:
        """The columns that are looked at."""
        return self._features.columns

    def arcs(self, sentences: Sentences, also: Heads | None = None, threads: int = 1) -> CandidateArcs:
        """Candidates of every token, and its head in ``also``, where it is not -1."""
        self._check_fitted()
        tokens = self._features.over(sentences, threads)
        return CandidateArcs(*tokens.likely(self._weights, self.within, also, threads))

    def spec(self) -> dict[str, Any]:
        """Settings and templates, as JSON; with `tensors` all there is to know."""
        self._check_fitted()
        settings = self.get_params(deep=False)
        if not isinstance(self.templates, str):
            settings["templates"] = list(self.templates)
        return {"settings": settings, "features": self._features.spec()}

    def tensors(self) -> dict[str, NDArray[Any]]:
        """The weights."""
        self._check_fitted()
        return {"weights": self._weights}

    @classmethod
    def from_parts(cls, spec: Mapping[str, Any], tensors: Mapping[str, NDArray[Any]]) -> Self:
        """The inverse."""
        try:
            self = cls(**spec["settings"])
            ArcFeatures(templates=self.templates)._lines()
            self._features = ArcFeatures.from_parts(spec["features"])
            self._weights = tensors["weights"]
        except (KeyError, TypeError, ValueError) as error:
            raise DataError(f"the candidates of arcs are damaged: {error}") from None
        return self

    _features: ArcFeatures
    _weights: NDArray[np.float32]

    def _check_fitted(self) -> None:
        if not hasattr(self, "_weights"):
            raise ValueError("these candidates have learnt nothing yet; call fit first")
