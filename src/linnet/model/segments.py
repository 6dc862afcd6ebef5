"""A tagger's model by segments: weights of tokens at their place in a segment, lengths, transitions."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

import linnet._core as _core
from linnet.data.chunks import SCHEMES
from linnet.data.segments import SegmentShape
from linnet.errors import DataError, RefusedError
from linnet.features.compiled import CompiledTemplates, Sentences
from linnet.model.label_weights import LabelWeights, Reals
from linnet.model.token_model import How, TokenModel
from linnet.structures import Learnt, Segments

Codes = NDArray[np.int32]
Offsets = NDArray[np.int64]
Scores = NDArray[np.float64]


@dataclass(frozen=True)
class SegmentModel(TokenModel):
    """score(x, segments) = Σ over segments (i … j, y): T[y before, y] + D[j − i + 1, y] + Σ its tokens.

    A token adds W x_t in the column of its place: outside, first of a segment of type y, or inside
    one; the last token of a segment adds a column beside. A semi-Markov CRF (Sarawagi and Cohen
    2004). Answers are as of `ChainModel`, over the tags of the shape's scheme, and always legal.
    """

    shape: SegmentShape
    states: LabelWeights  # columns: outside, first of each type, inside, last
    lengths: Reals  # (lengths, types): 1, 2, …; the last for all longer ones
    transitions: Reals  # (types + 1, types + 1): a before b, outside first
    bias: float = 1.0
    pairs: None = None
    order: int = 1
    local: bool = False

    @cached_property
    def scorer(self) -> _core.SegmentScorer:
        """The core's; it reads the arrays where they lie."""
        states = self.states
        return _core.SegmentScorer(
            self.shape.n_types,
            self.shape.longest,
            states.starts,
            states.labels,
            states.weights,
            self.lengths,
            self.transitions,
            states.scales,
        )

    @property
    def n_labels(self) -> int:
        """How many tags there are."""
        return len(self.shape.tags)

    @classmethod
    def of(cls, learnt: Learnt, segments: Segments) -> SegmentModel:
        """From what a solver has learnt; weights of zero are left out."""
        part = segments.layout.parts(np.asarray(learnt.weights))
        lengths, moves = (part[name].astype(np.float32) for name in ("lengths", "transitions"))
        states = LabelWeights.of_dense(part["tokens"])
        return cls(segments.shape, states, lengths, moves, segments.rows.bias)

    # Questions; what they may be told besides is `How`

    def best(self, rows: Any, offsets: Offsets, **how: Any) -> tuple[Codes, Scores]:
        """The best tag of every token, and the score of every sentence."""
        codes, scores = self._ask("best", self._input(rows, offsets), How(**how))
        return self.shape.write(codes, offsets), scores

    def best_of_tokens(
        self,
        templates: CompiledTemplates,
        sentences: Sentences,
        table: _core.FeatureTable,
        **how: Any,
    ) -> tuple[Codes, Scores]:
        """As `best` of the rows that the templates give, which are never made as a whole."""
        asked = How(**how)
        made = self._template_input(templates, sentences, table, asked.threads)
        codes, scores = self._ask("best", made, asked)
        return self.shape.write(codes, sentences.offsets), scores

    def marginals(self, rows: Any, offsets: Offsets, **how: Any) -> tuple[Scores, Scores]:
        """P(tag of token), (tokens, tags), and log Z of every sentence."""
        found, log_z = self._ask("marginals", self._input(rows, offsets), How(**how))
        return self.shape.tag_probabilities(found, offsets), log_z

    def kbest(self, rows: Any, offsets: Offsets, k: int, **how: Any) -> list[tuple[Scores, Codes]]:
        """For every sentence the scores of its k best outputs, best first, and these, (n, length)."""
        found = self._ask("kbest", self._input(rows, offsets), How(**how), k=k)
        return [(scores, self._written(codes)) for scores, codes in found]

    def sample(self, rows: Any, offsets: Offsets, n: int, seed: int, **how: Any) -> list[Codes]:
        """For every sentence n exact samples, (n, length), of P(segments) ∝ exp(score)."""
        found = self._ask("sample", self._input(rows, offsets), How(**how), count=n, seed=seed)
        return [self._written(codes) for codes in found]

    def entropy(self, rows: Any, offsets: Offsets, **how: Any) -> Scores:
        """The entropy of every sentence's outputs, in nats."""
        found: Scores = self._ask("entropy", self._input(rows, offsets), How(**how))
        return found

    def scores_of(self, codes: NDArray[Any], rows: Any, offsets: Offsets, **how: Any) -> Scores:
        """The score of every sentence with these tags; −inf if not legal, or a span too long."""
        tags = np.asarray(codes, np.int32)
        segments = self.shape.read_places(tags, offsets)
        scores = self._ask("scores_of", self._input(rows, offsets), How(**how), codes=segments)
        wrong = np.flatnonzero(self.shape.write(segments, offsets) != tags)
        scores[np.searchsorted(offsets, wrong, "right") - 1] = -np.inf
        return np.asarray(scores)

    def _written(self, codes: Codes) -> Codes:
        """Outputs of one sentence, (n, length), as tags."""
        n, length = codes.shape
        offsets = np.arange(n + 1, dtype=np.int64) * length
        return self.shape.write(codes.reshape(-1), offsets).reshape(n, length)

    def _ask(self, what: str, tokens: _core.TokenInput, how: How, **more: Any) -> Any:
        if how.rules:
            raise RefusedError(
                "segments are decoded without rules: known tags, a dictionary or transitions need a "
                "tagger without segments=True"
            )
        try:
            return getattr(self.scorer, what)(tokens, **more, threads=how.threads)
        except ValueError as error:
            raise DataError(str(error)) from None

    # Parts of a model file

    def spec(self) -> dict[str, Any]:
        """Small facts, as JSON; with `tensors` all there is to know."""
        return {
            "segments": list(self.shape.types),
            "scheme": self.shape.scheme,
            "longest": self.shape.longest,
            "bias": self.bias,
        }

    def tensors(self) -> dict[str, NDArray[Any]]:
        """The weights."""
        tied = {"lengths": self.lengths, "transitions": self.transitions}
        return self.states.tensors("state.") | tied

    @classmethod
    def from_parts(cls, spec: Mapping[str, Any], tensors: Mapping[str, NDArray[Any]]) -> SegmentModel:
        """The inverse; arrays are not copied and may be those of a mapped file.

        Raises DataError for what does not fit together.
        """
        try:
            types, scheme, longest, bias = (
                spec[name] for name in ("segments", "scheme", "longest", "bias")
            )
            if not isinstance(types, list) or not all(isinstance(name, str) for name in types):
                raise ValueError("types are strings")
            if len(set(types)) != len(types) or scheme not in SCHEMES:
                raise ValueError("types are distinct, and of a scheme that is known")
            if type(longest) is not int or not 0 <= longest < 2**20:
                raise ValueError("the longest segment is no length")
            if type(bias) is not float or not abs(bias) < 1e30:  # it meets float32
                raise ValueError("the value of the constant feature is no number")
            shape = SegmentShape(tuple(types), scheme, longest)
            lengths, transitions, K = tensors["lengths"], tensors["transitions"], shape.n_types
            for tied, size in ((lengths, (shape.lengths, K)), (transitions, (K + 1, K + 1))):
                if tied.shape != size or tied.dtype != np.float32:
                    raise ValueError("lengths and transitions do not fit the types")
            states = LabelWeights.from_tensors("state.", tensors)
            return cls(shape, states, lengths, transitions, bias)
        except (KeyError, TypeError, ValueError, OverflowError) as error:
            raise DataError(f"the weights of the tagger are damaged: {error}") from None
