"""Explanations of taggers."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Any

import numpy as np

from linnet.data import CsrRows, Sequences
from linnet.data.sequences import token_strings
from linnet.explain.chain_scores import ChainScores, RowOfWeights, weights_of
from linnet.explain.feature_names import Names, names_in, observed_move
from linnet.explain.tag_explanation import TagExplanation, Term, TokenExplanation
from linnet.model import ChainModel, LabelWeights
from linnet.structures import ANYTHING, ChainRules

Weighted = tuple[str, float, RowOfWeights]  # a feature's name, value and weights


def explain_tags(
    features: Any,
    model: ChainModel,
    classes: Sequence[Any],
    sentences: Sequences,
    *,
    pair_features: Any = None,
    rules: ChainRules = ANYTHING,
    probabilities: bool = True,
) -> list[TagExplanation]:
    """The contribution of every feature and transition to the best tags of each sentence, in float64.

    The runner-up of a token is the best other tag by max-marginals: the score of the best sequence
    that has it there.
    """
    rows, offsets = features.rows(sentences), sentences.offsets
    names = names_in(features, sentences)
    pairs = pair_names = None
    if pair_features is not None:
        pairs, pair_names = pair_features.rows(sentences), names_in(pair_features, sentences)
    codes, _ = model.best(rows, offsets, pairs=pairs, rules=rules)
    shares = None
    if probabilities:
        shares, _ = model.marginals(rows, offsets, pairs=pairs, rules=rules)
    tags = [str(label) for label in classes]
    words = words_of(sentences)
    found = []
    for begin, end in pairwise(offsets.tolist()):
        at = range(begin, end)
        states = [list(features_of(model.states, rows, t, names, model.bias)) for t in at]
        observed = None
        if pairs is not None and pair_names is not None and model.pairs is not None:
            observed = [
                list(features_of(model.pairs, pairs, t, pair_names, model.pair_bias)) for t in at
            ]
        scores = ChainScores.of(model, _unnamed(states), _unnamed(observed), rules, begin, end)
        told = _Teller(tags, states, observed, codes[begin:end].tolist(), scores)
        tokens = told.tokens(words[begin:end], None if shares is None else shares[begin:end])
        found.append(TagExplanation(tokens, sum(token.score for token in tokens)))
    return found


def words_of(sentences: Sequences) -> list[str]:
    """What tokens are shown as: their words, or numbers where they have attributes only."""
    if sentences.columns:
        first = "word" if "word" in sentences.columns else next(iter(sentences.columns))
        return token_strings(sentences.columns[first])
    return [f"#{t + 1}" for length in sentences.lengths.tolist() for t in range(length)]


def features_of(
    weights: LabelWeights, rows: CsrRows, t: int, names: Names, bias: float
) -> Iterator[Weighted]:
    """The features of token t that are there, in the order in which they are summed."""
    if bias != 0:
        yield "bias", bias, weights_of(weights, 0)
    begin, end = rows.indptr[t : t + 2].tolist()
    for j, value in zip(rows.indices[begin:end].tolist(), rows.values[begin:end].tolist(), strict=True):
        yield names(j), value, weights_of(weights, j + 1)


def _unnamed(tokens: list[list[Weighted]] | None) -> Any:
    """Values and weights alone."""
    return tokens and [[(value, row) for _, value, row in token] for token in tokens]


class _Teller:
    """Puts the scores of one sentence into terms."""

    def __init__(
        self,
        tags: list[str],
        states: list[list[Weighted]],
        pairs: list[list[Weighted]] | None,
        codes: list[int],
        scores: ChainScores,
    ) -> None:
        self.tags, self.states, self.pairs, self.codes = tags, states, pairs, codes
        self.scores = scores

    def tokens(self, words: list[str], shares: Any) -> list[TokenExplanation]:
        through = self.scores.best_through()
        found = []
        for t, (word, y) in enumerate(zip(words, self.codes, strict=True)):
            others = through[t].copy()
            others[y] = -np.inf
            second = int(np.argmax(others))
            there_is = others[second] > -np.inf
            instead = [*self.codes[:t], second, *self.codes[t + 1 :]] if there_is else None
            reach = range(t + 1, min(t + 1 + self.scores.order, len(words)))
            found.append(
                TokenExplanation(
                    token=word,
                    tag=self.tags[y],
                    probability=None if shares is None else float(shares[t, y]),
                    runner_up=self.tags[second] if there_is else None,
                    margin=float(through[t, y] - others[second]) if there_is else None,
                    terms=list(self._terms(t, instead)),
                    onward=[term for u in reach for term in self._sees_before(u, instead, u - t)],
                )
            )
        return found

    def _terms(self, t: int, instead: list[int] | None) -> Iterator[Term]:
        """All of token t: weights for the tags as they are, and for others."""
        y, scores = self.codes[t], self.scores
        for name, value, row in self.states[t]:
            other = 0.0 if instead is None else row.get(instead[t], 0.0)
            yield Term("feature", name, value, row.get(y, 0.0), other)
        if t == 0 and scores.start is not None:
            yield self._tied("start", scores.start, instead, t, t, f"start → {self.tags[y]}")
        yield from self._sees_before(t, instead, 0)
        if t == len(self.codes) - 1 and scores.stop is not None:
            yield self._tied("stop", scores.stop, instead, t, t, f"{self.tags[y]} → stop")

    def _sees_before(self, t: int, instead: list[int] | None, back: int) -> Iterator[Term]:
        """Of token t what sees tags before its own, as far as ``back``."""
        scores = self.scores
        if t > 0 and back < 2 and scores.transitions is not None:
            yield self._tied("transition", scores.transitions, instead, t - 1, t)
        if t > 0 and back < 2 and self.pairs is not None:
            yield from self._observed(t, instead)
        for size, table in enumerate(scores.windows, 3):
            if t + 1 >= size > back:
                kind = "triple" if size == 3 else "window"
                yield self._tied(kind, table, instead, t + 1 - size, t)
        if scores.local:
            sums = -scores.normaliser(t)
            if t == 0:
                other = 0.0 if instead is None else sums[0]
                yield Term("normaliser", "normaliser of first tags", 1.0, float(sums[0]), float(other))
            else:
                name = f"normaliser after {self.tags[self.codes[t - 1]]}"
                yield self._tied("normaliser", sums, instead, t - 1, t - 1, name)

    def _observed(self, t: int, instead: list[int] | None) -> Iterator[Term]:
        """Transitions into token t that see the observation."""
        assert self.pairs is not None
        L, (a, b) = len(self.tags), self.codes[t - 1 : t + 1]
        other = -1 if instead is None else instead[t - 1] * L + instead[t]  # -1: in no row
        for name, value, row in self.pairs[t]:
            move = observed_move(name, self.tags[a], self.tags[b])
            yield Term("pair", move, value, row.get(a * L + b, 0.0), row.get(other, 0.0))

    def _tied(
        self, kind: str, table: Any, instead: list[int] | None, first: int, last: int, name: str = ""
    ) -> Term:
        """The score in a table of the tags of tokens first to last."""
        at = tuple(self.codes[first : last + 1])
        other = 0.0 if instead is None else float(table[tuple(instead[first : last + 1])])
        return Term(kind, name or " → ".join(self.tags[y] for y in at), 1.0, float(table[at]), other)
