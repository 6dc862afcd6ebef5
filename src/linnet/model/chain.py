"""A tagger's model: sparse weights of tokens' labels, and scores of labels that follow each other."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

import linnet._core as _core
from linnet.errors import DataError
from linnet.features.compiled import CompiledTemplates, Sentences
from linnet.model.label_weights import LabelWeights, Reals
from linnet.model.token_model import How, TokenModel, rows_of
from linnet.structures import ANYTHING, Chain, Learnt

Codes = NDArray[np.int32]
Offsets = NDArray[np.int64]
Scores = NDArray[np.float64]


def window_name(size: int) -> str:
    """What the weights of windows of so many labels are called, in layouts and in model files."""
    return {2: "transitions", 3: "triples"}.get(size, f"windows{size}")


@dataclass(frozen=True)
class ChainModel(TokenModel):
    """score(x, y) = Σ_t (θ_t[y_t] + T[y_{t−1}, y_t] + …), with θ_t = W x_t by sparse weights.

    ``order`` 0 has no transitions; of order k there are ``windows`` beside them, of 3 labels, of 4, …,
    of k + 1. ``pairs`` are weights of features that see a token and the one before it, over the columns
    a·labels + b. With ``local`` the labels of each token are normalised given the one before (a maximum
    entropy Markov model).
    """

    n_labels: int
    states: LabelWeights
    bias: float = 1.0  # value of the constant feature, 0 for none
    order: int = 1
    local: bool = False
    transitions: Reals | None = None  # (labels, labels): a before b
    start: Reals | None = None
    stop: Reals | None = None
    windows: tuple[Reals, ...] = ()  # (labels, labels, labels), and so on
    pairs: LabelWeights | None = None
    pair_bias: float = 1.0

    @cached_property
    def scorer(self) -> _core.ChainScorer:
        """The core's; it reads the arrays where they lie."""
        states, pairs = self.states, self.pairs
        more: dict[str, Any] = {}
        if pairs is not None:
            more = {
                "pair_starts": pairs.starts,
                "pair_ids": pairs.labels,
                "pair_weights": pairs.weights,
                "pair_scales": pairs.scales,
            }
        return _core.ChainScorer(
            self.n_labels,
            states.starts,
            states.labels,
            states.weights,
            self.transitions,
            self.start,
            self.stop,
            states.scales,
            self.order,
            self.local,
            list(self.windows),
            **more,
        )

    @property
    def tied(self) -> dict[str, Reals]:
        """Scores that all tokens share, by the names of their blocks."""
        ends = {"transitions": self.transitions, "start": self.start, "stop": self.stop}
        longer = {window_name(size): table for size, table in enumerate(self.windows, 3)}
        return {name: table for name, table in ends.items() if table is not None} | longer

    # From what was learnt

    @classmethod
    def of(cls, learnt: Learnt, chain: Chain) -> ChainModel:
        """From what a solver has learnt; weights of zero, and smaller ones, are left out."""
        L, rows, flat = chain.n_labels, chain.rows, np.asarray(learnt.weights)
        if learnt.states is not None:
            tied_ones = () if chain.order == 0 else _tied(flat, L)
            states = LabelWeights(*learnt.states)
            return cls(L, states, rows.bias, chain.order, chain.local, *tied_ones)
        if chain.order == 0:
            block = flat.reshape(-1, _core.padded(L))[:, :L]
            return cls(L, LabelWeights.of_dense(block), rows.bias, 0).pruned(chain.prune)
        part = chain.layout.parts(flat)
        tied = {
            name: part[name].astype(np.float32)
            for name in ("transitions", "start", "stop")
            if name in part and not (chain.local and name == "stop")
        }
        sizes = range(3, chain.order + 2)
        windows = tuple(part[window_name(size)].astype(np.float32) for size in sizes)
        pairs, pair_bias = None, 1.0
        if chain.pairs is not None:
            seen = part["pairs"].reshape(-1, L * L)
            pairs, pair_bias = LabelWeights.of_dense(seen), chain.pairs.bias
        states = LabelWeights.of_dense(part["tokens"])
        model = cls(
            L,
            states,
            rows.bias,
            chain.order,
            chain.local,
            **tied,
            windows=windows,
            pairs=pairs,
            pair_bias=pair_bias,
        )
        return model.pruned(chain.prune)

    def compact(self) -> tuple[ChainModel, NDArray[np.int64]]:
        """A model of the features that have weights, and which these are: fewer to look up."""
        starts = self.states.starts
        kept = np.flatnonzero(np.diff(starts[1:]))
        fewer = np.concatenate([starts[:1], starts[kept + 1], starts[-1:]])
        return replace(self, states=replace(self.states, starts=fewer)), kept

    def dense(self, chain: Chain) -> Reals:
        """Flat weights as a problem lays them out, which may have more features and labels."""
        n = self.n_labels
        if chain.order == 0:
            block = np.zeros((chain.rows.features + 1, _core.padded(chain.n_labels)), np.float32)
            block[: self.features + 1, :n] = self.states.dense(n)
            return block.reshape(-1)
        flat = np.zeros(chain.layout.dim, np.float32)
        part = chain.layout.parts(flat)
        own = {"tokens": self.states.dense(n)} | self.tied
        if self.pairs is not None:
            own["pairs"] = self.pairs.dense(n * n).reshape(-1, n, n)
        for name, weights in own.items():
            if name in part:
                part[name][tuple(map(slice, weights.shape))] = weights
        return flat

    def packed(self) -> ChainModel:
        """With the weights of tokens and pairs of tokens in 8 bits."""
        L, pairs = self.n_labels, self.pairs
        fewer = None if pairs is None else pairs.packed(L * L)
        return replace(self, states=self.states.packed(L), pairs=fewer)

    def pruned(self, smallest: float) -> ChainModel:
        """Without the weights of features that are smaller, by their absolute value."""
        if smallest <= 0:
            return self
        states = self.states
        kept = np.flatnonzero(np.abs(states.reals) >= smallest)
        pairs = np.stack([states.rows[kept], states.labels[kept]], axis=1)
        size = len(states.starts) - 1
        return replace(
            self, states=LabelWeights.of_pairs(pairs, states.reals[kept], size, self.n_labels)
        )

    # Questions; what they may be told besides is `How`

    def best(self, rows: Any, offsets: Offsets, **how: Any) -> tuple[Codes, Scores]:
        """The best label of every token, and the score of every sentence."""
        found: tuple[Codes, Scores] = self._ask("best", self._input(rows, offsets), How(**how))
        return found

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
        found: tuple[Codes, Scores] = self._ask("best", made, asked)
        return found

    def marginals(self, rows: Any, offsets: Offsets, **how: Any) -> tuple[Scores, Scores]:
        """P(label at token), (tokens, labels), and log Z of every sentence."""
        found: tuple[Scores, Scores] = self._ask("marginals", self._input(rows, offsets), How(**how))
        return found

    def kbest(self, rows: Any, offsets: Offsets, k: int, **how: Any) -> list[tuple[Scores, Codes]]:
        """For every sentence the scores of its k best outputs, best first, and these, (n, length)."""
        found: list[tuple[Scores, Codes]] = self._ask(
            "kbest", self._input(rows, offsets), How(**how), k=k
        )
        return found

    def sample(self, rows: Any, offsets: Offsets, n: int, seed: int, **how: Any) -> list[Codes]:
        """For every sentence n exact samples, (n, length), of P(y) ∝ exp(score)."""
        found: list[Codes] = self._ask(
            "sample", self._input(rows, offsets), How(**how), count=n, seed=seed
        )
        return found

    def entropy(self, rows: Any, offsets: Offsets, **how: Any) -> Scores:
        """The entropy of every sentence's outputs, in nats."""
        found: Scores = self._ask("entropy", self._input(rows, offsets), How(**how))
        return found

    def scores_of(self, codes: NDArray[Any], rows: Any, offsets: Offsets, **how: Any) -> Scores:
        """The score of every sentence with these labels; −inf if the rules do not allow them."""
        labels = np.ascontiguousarray(codes, np.int32)
        found: Scores = self._ask("scores_of", self._input(rows, offsets), How(**how), labels=labels)
        return found

    def _ask(self, what: str, tokens: _core.TokenInput, how: How, **more: Any) -> Any:
        pairs = None if how.pairs is None else rows_of(how.pairs, self.pair_bias)
        masks = (ANYTHING if how.rules is None else how.rules).masks()
        try:
            return getattr(self.scorer, what)(tokens, **more, pairs=pairs, threads=how.threads, **masks)
        except ValueError as error:
            raise DataError(str(error)) from None

    # Parts of a model file

    def spec(self) -> dict[str, Any]:
        """Small facts, as JSON; with `tensors` all there is to know."""
        return {
            "labels": self.n_labels,
            "bias": self.bias,
            "order": self.order,
            "local": self.local,
            "pair_bias": self.pair_bias,
        }

    def tensors(self) -> dict[str, NDArray[Any]]:
        """The weights; windows of more than three labels are flat, whatever their number of axes."""
        found = self.states.tensors("state.")
        if self.pairs is not None:
            found |= self.pairs.tensors("pair.")
        return found | {n: a if a.ndim <= 3 else a.reshape(-1) for n, a in self.tied.items()}

    @classmethod
    def from_parts(cls, spec: Mapping[str, Any], tensors: Mapping[str, NDArray[Any]]) -> ChainModel:
        """The inverse; arrays are not copied and may be those of a mapped file.

        Raises DataError for what does not fit together.
        """
        try:
            bias, pair_bias = float(spec["bias"]), float(spec["pair_bias"])
            if not np.isfinite([bias, pair_bias]).all():
                raise ValueError("the value of the constant feature is not finite")
            labels, order = int(spec["labels"]), int(spec["order"])
            return cls(
                labels,
                LabelWeights.from_tensors("state.", tensors),
                bias,
                order,
                bool(spec["local"]),
                tensors.get("transitions"),
                tensors.get("start"),
                tensors.get("stop"),
                tuple(
                    tensors[window_name(size)].reshape((labels,) * size) for size in range(3, order + 2)
                ),
                LabelWeights.from_tensors("pair.", tensors) if "pair.starts" in tensors else None,
                pair_bias,
            )
        except (KeyError, TypeError, ValueError, OverflowError) as error:
            raise DataError(f"the weights of the tagger are damaged: {error}") from None


def check_tied(tensors: Mapping[str, NDArray[Any]], labels: int) -> None:
    """Are the scores that all tokens share, of a model file, those of so many labels?"""
    shapes: dict[str, tuple[int, ...]] = {"start": (labels,), "stop": (labels,)}
    shapes |= {window_name(size): (labels,) * size for size in (2, 3)}
    size = 4
    while window_name(size) in tensors:
        shapes[window_name(size)] = (labels**size,)
        size += 1
    for name, shape in shapes.items():
        tied = tensors.get(name)
        if tied is not None and (tied.dtype != np.float32 or tied.shape != shape):
            raise DataError(f"{name} are {tied.dtype} {tied.shape}, not of {labels} tags")


def _tied(flat: NDArray[Any], labels: int) -> tuple[Reals, Reals | None, Reals | None]:
    """Transitions, first and last labels, if the latter are there."""
    square = labels * labels
    if len(flat) not in (square, square + 2 * labels):
        raise DataError(f"there are {len(flat)} weights of transitions for {labels} labels")
    reals = flat.astype(np.float32)
    transitions = reals[:square].reshape(labels, labels)
    if len(flat) == square:
        return transitions, None, None
    return transitions, reals[square:][:labels], reals[square + labels :]
