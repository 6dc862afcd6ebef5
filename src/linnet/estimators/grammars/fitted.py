"""A grammar parser once it is fitted: trees, probabilities of phrases, scores, explanations."""

from __future__ import annotations

import warnings
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

import linnet._core as _core
from linnet._params import is_whole
from linnet.data.bracket_tree import BracketTree
from linnet.data.brackets import Brackets
from linnet.errors import DataError, DataWarning, RefusedError, setting
from linnet.estimators.base import Estimator
from linnet.estimators.grammars.input import (
    check_lengths,
    constraints,
    no_words,
    read_sentences,
    read_trees,
    with_words,
)
from linnet.evaluation.brackets import bracket_scores
from linnet.grammars.grammar import Grammar
from linnet.model.grammar import FAILED, GrammarModel
from linnet.structures import Charts

DECODES = ("best", "brackets", "rules")
PROBABLE = ("logistic", "softmax_margin", "joint_likelihood", "probability", "exponential")


class FittedGrammarParser(Estimator):
    """Sentences in, trees and what follows from them out."""

    failed: ClassVar[str] = FAILED
    task = "trees"
    reads_text = True
    tags_words: ClassVar[bool] = True  # tags are symbols of the grammar
    taggers_: ClassVar[dict[str, Any]] = {}

    model_: GrammarModel
    decode: str
    keep: float
    max_words: int
    loss_: str
    grammar_: Grammar

    def predict(
        self,
        X: Any,
        k: int | None = None,
        *,
        known: Any = None,
        forbidden: Any = None,
        tags: Any = None,
        decode: str | None = None,
    ) -> Any:
        """The tree of each sentence as `Brackets`; with ``k`` a list of the k best of each.

        Sentences are lists of words, or texts divided by blanks. ``known`` has phrases (begin, end,
        label) that the tree of each sentence must have, ``forbidden`` those that it must not have, each
        with the label None for any; ``tags`` has the tags of words, None where they are open. A
        sentence that has no tree is flat, under the bracket ``NOPARSE``, and a warning counts them.
        """
        self._check_fitted()
        sentences, data = self._read(X, known, forbidden, tags)
        if k is not None:
            if not is_whole(k, 1):
                raise ValueError(f"k must be 1 or more, not {k!r}")
            found = _core.chart_kbest(*self._ready(data), k, self.model_.coarse, self._threads())
            return self._lists(sentences, self.model_.several(found))
        how = self.decode if decode is None else decode
        if how not in DECODES:
            raise ValueError(f"decode must be one of {', '.join(DECODES)}, not {how!r}")
        if how != "best":
            self._check_probable(f"decode={how!r}")
        trees = self.model_.trees(data, how, float(self.keep), self._threads())
        return self._brackets(sentences, [tree for _, tree in trees])

    def parse_trees(self, X: Any, retag: bool = True, decode: str = "auto") -> Brackets:
        """The tree of each sentence, as commands ask for it: what cannot be parsed is flat.

        Words alone are looked at: the grammar tags them. ``decode`` is 'best', 'risk' (the most
        expected brackets), or 'auto', the setting of the parser. Sentences of more than ``max_words``
        words are flat, under ``NOPARSE``.
        """
        self._check_fitted()
        if not retag and isinstance(X, Brackets):
            raise RefusedError("a grammar tags words itself: leave out tags that are given")
        how = {"auto": self.decode, "risk": "brackets"}.get(decode, decode)
        sentences = read_sentences(X)
        short = self._short(sentences)
        trees: Brackets = self.predict(short, decode=how)
        if short == sentences:
            return trees
        return Brackets.from_trees(
            self.model_.flat(words) if words and not own else tree
            for words, own, tree in zip(sentences, short, trees, strict=True)
        )

    def ranked_trees(self, X: Any, k: int, **known: Any) -> list[list[tuple[BracketTree, float]]]:
        """The k best trees of each sentence, with their scores, under what is known as in `predict`.

        What cannot be parsed has one tree, which is flat, under ``NOPARSE``, with the score -inf.
        """
        self._check_fitted()
        sentences = read_sentences(X)
        read, data = self._read(self._short(sentences), **known)
        found = _core.chart_kbest(*self._ready(data), k, self.model_.coarse, self._threads())
        at = iter(self.model_.several(found))
        lists = [next(at) if words else [] for words in read]
        self._tell_of(
            sum(bool(words) and not own for words, own in zip(read, lists, strict=True)), read
        )
        return [
            [(with_words(tree, words), score) for score, tree in own]
            or ([(self.model_.flat(words), -np.inf)] if words else [])
            for words, own in zip(sentences, lists, strict=True)
        ]

    def _short(self, sentences: list[list[str]]) -> list[list[str]]:
        """Nothing in place of sentences that are too long, of which a warning tells."""
        long = sum(len(words) > self.max_words for words in sentences)
        if not long:
            return sentences
        most = setting("max_words", self.max_words)
        warnings.warn(
            f"{long} of {len(sentences)} sentences have more than {most} words; they are flat, under "
            f"{FAILED}",
            DataWarning,
            stacklevel=3,
        )
        return [words if len(words) <= self.max_words else [] for words in sentences]

    def sample(self, X: Any, n: int = 1, random_state: int = 0, **known: Any) -> list[Brackets]:
        """For each sentence ``n`` trees, drawn by their probability."""
        self._check_fitted()
        self._check_probable("samples")
        if not is_whole(n, 1):
            raise ValueError(f"n must be 1 or more, not {n!r}")
        sentences, data = self._read(X, **known)
        arguments = (*self._ready(data), n, int(random_state), self.model_.coarse, self._threads())
        return self._lists(sentences, self.model_.several(_core.chart_samples(*arguments)))

    def predict_proba(self, X: Any, **known: Any) -> list[dict[tuple[int, int, str], float]]:
        """Of each sentence the phrases (begin, end, label) that trees may have, with P(phrase | words).

        Of a label that stands twice over the same words it is the expected number.
        """
        self._check_fitted()
        self._check_probable("probabilities")
        sentences, data = self._read(X, **known)
        _, _, _, spans = self._sums(data)
        shape, at = self.model_.shape, iter(spans)
        found = []
        for words in sentences:
            table = next(at) if words else np.zeros((0, len(shape.labels)))
            own = {}
            for s, label in zip(*np.nonzero((table > 0) & shape.counts[None, :]), strict=True):
                end = int((np.sqrt(8 * s + 1) - 1) / 2) + 1
                begin = int(s - (end - 1) * end // 2)
                own[begin, end, shape.labels[label]] = float(table[s, label])
            found.append(own)
        return found

    def log_likelihood(self, X: Any) -> NDArray[np.float64]:
        """Log Z of each sentence: of a probabilistic grammar log P(words); -inf: there is no tree."""
        self._check_fitted()
        sentences, data = self._read(X)
        return self._scattered(sentences, self._sums(data)[0], -np.inf)

    def entropy(self, X: Any) -> NDArray[np.float64]:
        """Of the trees of each sentence, in nats."""
        self._check_fitted()
        self._check_probable("entropies")
        sentences, data = self._read(X)
        return self._scattered(sentences, self._sums(data)[1], 0.0)

    def score(self, X: Any, y: Any = None, metric: str = "f1") -> float:
        """Labelled bracket F1, or another metric of `BracketScores`, as evalb counts."""
        self._check_fitted()
        gold = read_trees(X if y is None else y)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UserWarning)
            guess = self.predict(gold.cleaned().column("word"))
        return float(getattr(bracket_scores(gold, guess), metric))

    # ------------------------------------------------------------------ what is behind

    def _read(
        self, X: Any, known: Any = None, forbidden: Any = None, tags: Any = None
    ) -> tuple[list[list[str]], Charts]:
        sentences = read_sentences(X)
        check_lengths(sentences, self.max_words)
        gold = constraints(sentences, self.model_.shape, known, forbidden, tags)
        return sentences, self.model_.structure(sentences, gold)

    def _ready(self, data: Charts) -> tuple[_core.ChartData, NDArray[np.float64]]:
        return data.dataset(np.ones(data.size)), self.model_.weights

    def _sums(self, data: Charts) -> Any:
        return _core.chart_sums(*self._ready(data), self.model_.coarse, self._threads())

    @staticmethod
    def _scattered(
        sentences: list[list[str]], values: NDArray[Any], empty: float
    ) -> NDArray[np.float64]:
        found = np.full(len(sentences), empty)
        found[[bool(words) for words in sentences]] = values
        return found

    def _lists(self, sentences: list[list[str]], lists: list[Any]) -> list[Brackets]:
        at = iter(lists)
        return [
            Brackets.from_trees([with_words(tree, words) for _, tree in next(at)] if words else [])
            for words in sentences
        ]

    def _brackets(self, sentences: list[list[str]], trees: list[BracketTree | None]) -> Brackets:
        """Trees of all sentences, flat ones where there are none."""
        at = iter(trees)
        found, missing = [], 0
        for words in sentences:
            tree = next(at) if words else no_words()
            if tree is None:
                missing += 1
                found.append(self.model_.flat(words))
            else:
                found.append(with_words(tree, words))
        self._tell_of(missing, sentences)
        return Brackets.from_trees(found)

    @staticmethod
    def _tell_of(missing: int, sentences: list[list[str]]) -> None:
        if missing:
            warnings.warn(
                f"{missing} of {len(sentences)} sentences have no tree; they are flat, under {FAILED}",
                DataWarning,
                stacklevel=4,
            )

    def file_parts(self) -> tuple[dict[str, Any], dict[str, NDArray[Any]]]:
        """What a model file holds."""
        from linnet.estimators.grammars.file import grammar_parts

        return grammar_parts(self)

    def nonzero_weights(self) -> int:
        """How many weights are not zero, and not the logarithm of it."""
        weights = self.model_.weights
        return int((np.isfinite(weights) & (weights != 0)).sum())

    def no_probabilities(self) -> str | None:
        """Margins are none."""
        if getattr(self, "loss_", "joint_likelihood") in PROBABLE:
            return None
        return f"loss {self.loss_!r} has margins, not probabilities; use loss='logistic'"

    def trials(self, names: frozenset[str], X: Any, y: Any) -> Any:
        """Whole sentences are held out."""
        from linnet.estimators.grammars.trials import grammar_trials

        return grammar_trials(self, X, y)

    def quantize(self, bits: int = 8) -> Self:
        """The same parser with weights of features in 8 or 4 bits; those of rules stay as they are.

        Its file is smaller; once it is loaded, weights are numbers of full precision again. A grammar
        that was counted has no features: its file has a number for each rule, and is small already.
        """
        self._check_fitted()
        if self.model_.features is None:
            raise RefusedError(
                f"{bits} bits: a grammar of probabilities has a number for each rule, no smaller form"
            )
        if self.model_.packed is not None:
            raise ValueError("this parser is quantized already; quantize the original")
        small = self._with_fitted()
        small.model_ = self.model_.rounded(bits)
        return small

    def _check_probable(self, what: str) -> None:
        if self.loss_ not in PROBABLE:
            raise RefusedError(
                f"{what} need probabilities, and loss {self.loss_!r} has none; use "
                f"learner='counting', or loss='logistic'"
            )

    def explain(self, X: Any) -> str:
        """The rules of the best tree of one sentence with their weights, and the second-best tree."""
        found = self.explanations(X)
        if len(found) != 1 or not found[0].words:
            raise DataError(f"explain one sentence with words, not {len(found)}")
        return str(found[0])

    def explanations(self, X: Any) -> list[Any]:
        """Of each sentence a `GrammarExplanation`."""
        from linnet.estimators.grammars.explaining import explained

        self._check_fitted()
        return [explained(self, words) for words in self._read(X)[0]]
