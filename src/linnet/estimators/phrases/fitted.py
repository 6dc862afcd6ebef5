"""A parser of phrases once it is fitted: trees, probabilities of brackets, scores, explanations."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

import linnet._core as _core
from linnet._params import whole
from linnet.data.bracket_tree import BracketTree, Constituent
from linnet.data.brackets import Brackets
from linnet.data.sequences import Sequences, token_strings
from linnet.errors import DataError, NoTagsError, RefusedError, setting, warn_of_data
from linnet.estimators.available import with_probabilities
from linnet.estimators.base import Estimator, Labels, count_nonzero
from linnet.estimators.phrases.input import (
    TAG,
    ReadSentences,
    is_sentence,
    read_sentences,
    read_treebank,
)
from linnet.estimators.phrases.known import check_found, no_tree, rules_of
from linnet.estimators.phrases.settings import PhraseChoice, check_threshold
from linnet.estimators.running_text import are_texts, check_single, first_sentences
from linnet.estimators.tagging.first import Taggers, packed_taggers
from linnet.evaluation.brackets import METRICS, bracket_scores
from linnet.losses import LOSSES
from linnet.model.forests import phrase_model
from linnet.model.phrases import Found, PhraseModel, SpanRule
from linnet.model.small_trees import PackedTrees
from linnet.training import TrainingRecord

DECODINGS = ("auto", "best", "risk")
NO_PARSE = "NOPARSE"  # the bracket around a sentence that was not parsed
LONGEST_LISTED = 4e7  # parts of a sentence whose trees are listed or drawn: 320 MB of scores


class FittedConstituencyParser(Estimator):
    """Sentences in, trees and what follows from them out."""

    failed: ClassVar[str] = NO_PARSE
    task = "trees"
    reads_text = True

    classes_: Labels  # labels of brackets
    model_: PhraseModel
    taggers_: Taggers
    record_: TrainingRecord
    loss_: str
    choice_: PhraseChoice

    loss: str
    threshold: float
    max_words: int
    n_jobs: int | None

    # ------------------------------------------------------------------ prediction

    @property
    def tags_words(self) -> bool:
        """Does it tag words itself?"""
        return bool(self.taggers_)

    def ranked_trees(self, X: Any, k: int) -> list[list[tuple[BracketTree, float]]]:
        """The k best trees of each sentence, with their scores.

        What is too long has one tree without phrases, under ``NOPARSE``, with the score -inf.
        """
        words = self._read(X).words
        short, at = self._short(words, listed=True, refused=False)
        found = dict(zip(at.tolist(), self.predict(short, k=k), strict=True))
        flat = zip(words.column("word"), words.column(TAG), strict=True)
        return [
            found[i] if i in found else [(BracketTree(own, tags, [], NO_PARSE), -np.inf)]
            for i, (own, tags) in enumerate(flat)
        ]

    def explanations(self, X: Any, span: tuple[int, int] | None = None) -> Any:
        """Of each sentence, as `explain`."""
        return self.explain(X, span)

    def predict(
        self,
        X: Any,
        k: int | None = None,
        known: Any = None,
        without: Any = None,
        decode: str = "auto",
    ) -> Any:
        """The tree of each sentence, a `BracketTree`; with ``k`` the k best, as (tree, score).

        X is a list of sentences, `Brackets`, `Sequences` or the path of a file. A sentence is a list of
        words, or of (word, tag), where tags that are None are predicted. A string in place of it is
        running text, whose trees are a list.

        ``known`` are brackets that are certain: for each sentence a list of (begin, end, label), or of
        (begin, end) with any label; or `Brackets`. ``without`` are those that must not be there.

        ``decode='risk'`` gives the tree with most brackets expected to be right: most of
        Σ (P(bracket) − threshold). 'best' is the tree with the best score, and 'auto' is 'risk' where
        the loss gives probabilities.
        """
        read = self._read(X)
        texts = are_texts(X)
        if k is not None:
            if decode not in ("auto", "best"):
                raise ValueError("the k best trees are those of decode='best'")
            if texts:
                check_single(read.words, "k")
            return self._kbest(read, whole("k", k), known, without)
        trees = list(self._parse(read, known, without, decode))
        if not texts:
            return trees
        bounds = first_sentences(read.words).tolist()
        return [trees[b:e] for b, e in pairwise(bounds)]

    def parse_trees(
        self,
        X: Any,
        known: Any = None,
        without: Any = None,
        retag: bool = False,
        decode: str = "auto",
    ) -> Brackets:
        """The same as `Brackets`; words that have tags keep them unless ``retag``."""
        return self._parse(self._read(X, retag), known, without, decode)

    @with_probabilities
    def predict_proba(
        self, X: Any, known: Any = None, without: Any = None, least: float = 0.01
    ) -> list[list[tuple[Constituent, float]]]:
        """P(label over words | sentence), where it is at least ``least``: for each sentence a list.

        Brackets are in the order in which they would open.
        """
        check_threshold(least)
        read = self._read_single(X)
        short, at = self._short(read.words, listed=False)
        rules = self._rules(short, known, without, at)
        found = self.model_.marginals(short, rules, min(1e-4, least), self._threads())
        check_found(short, found.values, rules)
        answers: list[list[tuple[Constituent, float]]] = [[] for _ in range(len(read.words))]
        for i, place in enumerate(at.tolist()):
            answers[place] = self._label_shares(found, i, least)
        return answers

    def _label_shares(self, found: Found, i: int, least: float) -> list[tuple[Constituent, float]]:
        """A label has the sum of the chains that it is in."""
        shares: dict[tuple[int, int, str], float] = {}
        for b in range(int(found.starts[i]), int(found.starts[i + 1])):
            for label in set(self.model_.chains[found.codes[b]]):
                key = (int(found.begins[b]), -int(found.ends[b]), label)
                shares[key] = shares.get(key, 0.0) + float(found.scores[b])
        return [
            (Constituent(begin, -end, label), min(share, 1.0))
            for (begin, end, label), share in sorted(shares.items())
            if share >= least
        ]

    @with_probabilities
    def sample(
        self, X: Any, n: int = 1, random_state: int = 0, known: Any = None, without: Any = None
    ) -> list[list[BracketTree]]:
        """For each sentence ``n`` trees, drawn by their probability, exactly."""
        read = self._read_single(X)
        several = self._several(
            read,
            known,
            without,
            lambda words, rules: self.model_.sample(
                words, rules, whole("n", n), random_state, self._threads()
            ),
        )
        return [[tree for tree, _ in trees] for trees in several]

    def score(
        self, X: Any, y: Any = None, metric: str = "f1", decode: str = "auto", retag: bool | None = None
    ) -> float:
        """Labelled F1 of brackets by evalb's rules, or 'precision', 'recall', 'exact', and so on.

        Words are tagged by the parser itself if it has taggers, unless ``retag=False``.
        """
        if metric not in METRICS:
            raise ValueError(f"metric must be one of {', '.join(METRICS)}, not {metric!r}")
        if y is not None:
            raise DataError("the trees are those of X; leave out y")
        self._check_fitted()
        gold = read_treebank(X).cleaned()
        again = bool(self.taggers_) if retag is None else retag
        guess = self.parse_trees(gold, retag=again, decode=decode)
        return float(getattr(bracket_scores(gold, guess), metric, np.nan))

    def _decoding(self, decode: str) -> str:
        if decode not in DECODINGS:
            raise ValueError(f"decode must be 'auto', 'best' or 'risk', not {decode!r}")
        refusal = self.no_probabilities()
        if decode == "risk" and refusal:
            raise RefusedError(f"decode='risk' goes by probabilities of brackets: {refusal}")
        return ("best" if refusal else "risk") if decode == "auto" else decode

    def _parse(self, read: ReadSentences, known: Any, without: Any, decode: str) -> Brackets:
        how = self._decoding(decode)
        words = read.words
        short, at = self._short(words)
        rules = self._rules(short, known, without, at)
        if how == "best":
            found = self.model_.best(short, rules, self._threads())
        else:
            found = self.model_.least_risk(short, rules, self.threshold, self._threads())
        check_found(short, found.values, rules)
        return self._brackets(words, found, at)

    def _brackets(self, words: Sequences, found: Found, at: NDArray[np.int64]) -> Brackets:
        """With sentences that were not parsed among the others, without brackets, and marked."""
        chained = found.chained(self.model_.chains)
        if len(at) == len(words):
            return chained.trees(_columns(words))
        sizes = np.zeros(len(words), np.int64)
        sizes[at] = np.diff(found.starts)
        starts = np.concatenate([np.zeros(1, np.int64), np.cumsum(sizes)])
        trees = replace(chained, starts=starts).trees(_columns(words))
        tops = np.zeros(len(words), np.int32)
        tops[at] = -1
        marked = replace(trees.tops, names=[NO_PARSE], codes=tops)
        return replace(trees, tops=marked)

    def _kbest(
        self, read: ReadSentences, k: int, known: Any, without: Any
    ) -> list[list[tuple[BracketTree, float]]]:
        return self._several(
            read,
            known,
            without,
            lambda words, rules: self.model_.kbest(words, rules, k, self._threads()),
        )

    def _several(
        self, read: ReadSentences, known: Any, without: Any, find: Any
    ) -> list[list[tuple[BracketTree, float]]]:
        """Several trees of each sentence, with scores."""
        short, at = self._short(read.words, listed=True)
        rules = self._rules(short, known, without, at)
        answers: list[list[tuple[BracketTree, float]]] = [[] for _ in range(len(read.words))]
        for i, found in enumerate(find(short, rules)):
            if not len(found.values) and short.lengths[i]:
                raise no_tree(short, i, rules)
            copies = _columns(short.take(np.full(len(found.values), i)))
            trees = found.chained(self.model_.chains).trees(copies)
            answers[int(at[i])] = list(zip(trees, found.values.tolist(), strict=True))
        return answers

    # ------------------------------------------------------------------ input

    def _read(self, X: Any, retag: bool = False) -> ReadSentences:
        """Sentences with tags."""
        self._check_fitted()
        read = read_sentences(X, retag)
        if read.tagged.all():
            return read
        if not self.taggers_:
            where = f"{read.words.source}: " if read.words.source else ""
            raise NoTagsError(
                where, [TAG], advice=f"{setting('tagger')} is 'auto' unless told otherwise"
            )
        bare = replace(read.words, columns={"word": read.words.columns["word"]}, layout=("word",))
        found = self.taggers_[TAG].tag(bare)
        tags = np.array(found.names, dtype=object)[found.codes]
        given = np.flatnonzero(read.tagged)
        if len(given):
            tags[given] = np.array(token_strings(read.words.columns[TAG]), dtype=object)[given]
        columns = read.words.columns | {TAG: _core.Texts.from_list(tags.tolist())}
        return read._replace(words=replace(read.words, columns=columns))

    def _read_single(self, X: Any) -> ReadSentences:
        """The same for what has an answer for each sentence: a text is to be one."""
        read = self._read(X)
        if are_texts(X):
            check_single(read.words, "X")
        return read

    def _short(
        self, words: Sequences, listed: bool = False, refused: bool | None = None
    ) -> tuple[Sequences, NDArray[np.int64]]:
        """Sentences that are not too long, and their numbers; others are told of, or refused.

        ``listed``: for lists of trees, which take more memory; they are refused unless told otherwise.
        """
        most = self.max_words
        if listed:  # all parts lie in memory
            most = min(most, int(np.sqrt(2 * LONGEST_LISTED / len(self.model_.chains))))
        too_long = np.flatnonzero(words.lengths > most)
        if not len(too_long):
            return words, np.arange(len(words))
        first = int(too_long[0])
        place = words.where(int(words.offsets[first])) if len(words.lines) else f"sentence {first + 1}"
        told = f"{place}: a sentence of {words.lengths[first]} words, of {most} at the most"
        if listed if refused is None else refused:
            raise DataError(f"{told} where trees are listed or drawn; split it into sentences")
        others = f", and {len(too_long) - 1} more" if len(too_long) > 1 else ""
        warn_of_data(
            f"{told}{others}: not parsed; its tree has no phrases, within a bracket {NO_PARSE}. Raise "
            f"{setting('max_words')}, or split it into sentences"
        )
        at = np.flatnonzero(words.lengths <= most)
        return words.take(at), at

    def _rules(
        self, short: Sequences, known: Any, without: Any, at: NDArray[np.int64]
    ) -> list[SpanRule]:
        return rules_of(short, self.model_.chains, known, without, at)

    # ------------------------------------------------------------------ other forms

    def file_parts(self) -> tuple[dict[str, Any], dict[str, NDArray[Any]]]:
        """What a model file holds."""
        from linnet.estimators.phrases.file import parser_parts

        return parser_parts(self)

    def nonzero_weights(self) -> int:
        """How many weights are not zero."""
        return count_nonzero(self.model_.tensors().values())

    def no_probabilities(self) -> str | None:
        """Margins are none."""
        loss = getattr(self, "loss_", self.loss)
        if not isinstance(loss, str) or loss not in LOSSES or LOSSES[loss].probability_scale:
            return None
        return (
            f"scores of loss {loss!r} are margins, not probabilities; use loss='softmax_margin' or "
            f"'logistic'"
        )

    def quantize(self, bits: int = 8) -> Self:
        """The same parser with weights in 8 or 4 bits, and so are those of its taggers.

        Its file is smaller; once it is loaded, weights are float32 again. Features are hashed: none
        can be dropped.
        """
        self._check_fitted()
        model = self.model_
        if model.packed is not None:
            raise ValueError("this parser is quantized already; quantize the original")
        small = self._with_fitted()
        packed = PackedTrees.of_tensors(model.tensors(), len(model.chains), bits)
        rounded = phrase_model(model.spec(), packed.widened(), model.strings())
        small.model_ = replace(rounded, packed=packed)
        small.taggers_ = packed_taggers(self.taggers_, bits)
        return small

    def explain(self, X: Any, span: tuple[int, int] | None = None) -> Any:
        """Why the words of a sentence have their brackets; ``span`` is one of them, (begin, end).

        X is one sentence, a list of words or of (word, tag), or many as `predict` takes them, which
        give a list. Explained is the tree with the best score.
        """
        from linnet.explain.phrases import explain_brackets

        single = is_sentence(X) and not _are_texts(X)
        read = self._read([X] if single else X)
        short, at = self._short(read.words, listed=True)
        shares = self.no_probabilities() is None
        found = [
            explain_brackets(self.model_, _columns(short.take([i])), span, shares)
            for i in range(len(at))
        ]
        return found[0] if single else found


def _are_texts(X: Sequence[Any]) -> bool:
    """Is a list of strings one of texts, not of words?"""
    return all(isinstance(x, str) for x in X) and any(len(x.split()) > 1 for x in X)


def _columns(words: Sequences) -> Sequences:
    """Words and tags, and nothing of the texts that they are from."""
    return Sequences(
        {name: words.columns[name] for name in ("word", TAG)},
        words.offsets,
        layout=("word", TAG),
        lines=words.lines,
        source=words.source,
    )
