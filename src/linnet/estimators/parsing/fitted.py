"""A parser once it is fitted: trees, probabilities of arcs, scores, explanations."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from linnet._params import LARGEST, number, whole
from linnet.data import LabelColumn, Sequences
from linnet.data.sequences import MISSING
from linnet.data.trees import Heads, Trees
from linnet.errors import DataError, RefusedError
from linnet.estimators.available import with_probabilities
from linnet.estimators.base import Estimator, Labels, count_nonzero
from linnet.estimators.parsing.choice import ParsingChoice
from linnet.estimators.parsing.input import (
    UNSAID_SHARES,
    by_sentence,
    check_lengths,
    finding_trees,
    is_sentence,
    known_heads,
    no_tree,
    read_parsed,
    with_columns,
    with_empty_columns,
)
from linnet.estimators.running_text import (
    are_texts,
    by_text,
    check_single,
    counted_through,
    one_to_a_text,
)
from linnet.estimators.segmenting.segmenter import Segmenter
from linnet.estimators.tagging.first import Taggers, packed_taggers, with_tags
from linnet.evaluation.trees import METRICS, tree_scores
from linnet.losses import LOSSES
from linnet.model.small_trees import PackedTrees
from linnet.model.trees import TreeModel
from linnet.training import TrainingRecord

Array = NDArray[np.float64]
Tree = tuple[list[int], list[str]]  # heads and relations of a sentence


DECODINGS = ("best", "risk")


class FittedParser(Estimator):
    """Sentences in, trees and what follows from them out."""

    task = "parse"
    reads_text = True

    classes_: Labels  # relations
    model_: TreeModel
    taggers_: Taggers
    segmenter_: Segmenter | None = None  # of running text; None: rules cut it
    record_: TrainingRecord
    names_: dict[str, dict[int, str]]  # of the features with the largest weights
    loss_: str
    choice_: ParsingChoice

    loss: str
    roots: str
    max_words: int
    n_jobs: int | None

    # ------------------------------------------------------------------ prediction

    def predict(self, X: Any, k: int | None = None, known: Any = None, decode: str = "best") -> Any:
        """The tree of each sentence, (heads, relations); with ``k`` the k best.

        Then each sentence has a list of (heads, relations, score), best first. X is a list of
        sentences, `Trees`, `Sequences` or the path of a file; heads in it are not looked at. ``known``
        are heads that are certain: lists with None where there is none, or `Trees`.

        A string in place of a list of tokens is running text. Heads then count the words of the text,
        and each of its sentences has a root; `parse_trees` gives the sentences, with their words.

        ``decode='risk'`` gives the tree with most heads expected to be right, Σ P(arc), rather than the
        one that scores best; its loss must give probabilities (see `predict_proba`).
        """
        trees = self._read(X)
        texts = are_texts(X)
        if k is not None:
            if decode != "best":
                raise ValueError("the k best trees are those of decode='best'")
            if texts:
                check_single(trees.sequences, "k")
            return self._kbest(trees, k, known)
        heads, relations = self._parse(trees, known, decode)
        names = self.classes_[relations.codes].tolist()
        if texts:
            heads = counted_through(trees.sequences, heads)
        cut = by_text if texts else Sequences.by_sentence
        parts = (cut(trees.sequences, values) for values in (heads.tolist(), names))
        return list(zip(*parts, strict=True))

    def parse(self, X: Any, known: Any = None, decode: str = "best") -> Any:
        """Heads and relations of all tokens, one after the other: nothing is made per sentence.

        Of running text, whose words are not known beforehand, the `Trees` (as `parse_trees` gives
        them): each has form, lemma, upos, xpos, feats, head, deprel, start and end of its words.
        """
        if are_texts(X):
            return self.parse_trees(X, known, decode=decode)
        return self._parse(self._read(X), known, decode)

    def parse_trees(
        self, X: Any, known: Any = None, retag: bool = False, decode: str = "best"
    ) -> Trees:
        """The same as `Trees`, with tags that were predicted on the way.

        Words that have tags keep them unless ``retag``.
        """
        trees = self._read(X, retag)
        heads, relations = self._parse(trees, known, decode)
        return Trees(trees.sequences, heads, relations, "many")

    @with_probabilities
    def predict_proba(self, X: Any, known: Any = None) -> list[Array]:
        """P(arc | sentence): for each sentence an array (words, words + 1).

        Row m − 1, column h is the probability that word m has the head h, 0 the root.
        """
        trees = self._read_single(X)
        with finding_trees(trees, known):
            arcs, shares = self.model_.marginals(
                trees, known=self._known(trees, known), threads=self._threads()
            )
        lengths = np.diff(arcs.starts)
        found = []
        for begin, end in zip(trees.offsets[:-1].tolist(), trees.offsets[1:].tolist(), strict=True):
            made = np.zeros((end - begin, end - begin + 1))
            rows = np.repeat(np.arange(end - begin), lengths[begin:end])
            at = slice(arcs.starts[begin], arcs.starts[end])
            made[rows, arcs.heads[at]] = shares[at]
            found.append(made)
        return found

    @with_probabilities
    def sample(self, X: Any, n: int = 1, random_state: int = 0, known: Any = None) -> list[list[Tree]]:
        """For each sentence ``n`` trees, (heads, relations), drawn by their probability.

        Heads are drawn, exactly; each arc then gets its best relation.
        """
        n = whole("n", n)
        trees = self._read_single(X)
        with finding_trees(trees, known):
            drawn = self.model_.sample(
                trees, n, random_state, self._threads(), self._known(trees, known)
            )
        heads, named = self._named(trees, drawn)
        return [[(next(heads).tolist(), next(named)) for _ in range(n)] for _ in range(len(trees))]

    def score(self, X: Any, y: Any = None, metric: str = "las", decode: str = "best") -> float:
        """The share of words with the right head ('uas'), and the right relation, too ('las').

        Relations count without subtypes, punctuation counts.
        """
        if metric not in METRICS:
            raise ValueError(f"metric must be 'uas' or 'las', not {metric!r}")
        self._check_fitted()
        gold = read_parsed(X, y, roots="many")
        check_lengths(gold, self.max_words)
        if not (gold.heads >= 0).any():
            raise DataError("y is needed: the sentences have no heads to compare with")
        if metric == "las" and not (gold.relations.codes != MISSING).any():
            raise DataError("the sentences have no relations to compare with; metric='uas' needs none")
        heads, relations = self._parse(self._tagged(gold), None, decode)
        found = tree_scores(gold, heads, relations)
        return found.uas if metric == "uas" else found.las

    def _parse(self, trees: Trees, known: Any, decode: str = "best") -> tuple[Heads, LabelColumn]:
        if decode not in DECODINGS:
            raise ValueError(f"decode must be 'best' or 'risk', not {decode!r}")
        refusal = self.no_probabilities()
        if decode == "risk" and refusal:
            raise RefusedError(f"decode='risk' goes by probabilities of arcs: {refusal}")
        threads, given = self._threads(), self._known(trees, known)
        with finding_trees(trees, known):
            heads, _ = self.model_.best(trees, threads, given, least_risk=decode == "risk")
        codes = self.model_.relations(trees, heads, threads=threads)
        return heads, LabelColumn(self.classes_.tolist(), codes)

    def _kbest(
        self, trees: Trees, k: Any, known: Any
    ) -> list[list[tuple[list[int], list[str], float]]]:
        k = whole("k", k)
        given = self._known(trees, known)
        with finding_trees(trees, known):
            ranked = self.model_.kbest(trees, k, known=given, threads=self._threads())
        for i, each in enumerate(ranked):
            if not each and trees.lengths[i]:
                raise no_tree(trees, i, known)
        _, named = self._named(trees, [[heads for _, heads in each] for each in ranked])
        return [[(h.tolist(), next(named), float(score)) for score, h in each] for each in ranked]

    def _named(
        self, trees: Trees, heads: Sequence[Iterable[Heads]]
    ) -> tuple[Iterator[Heads], Iterator[list[str]]]:
        """The heads of several trees for each sentence, one after the other, and their relations."""
        several = [list(of_sentence) for of_sentence in heads]
        copies = trees.take(np.repeat(np.arange(len(trees)), [len(each) for each in several]))
        all_heads = [np.asarray(one, np.int32) for each in several for one in each]
        flat = np.concatenate([np.zeros(0, np.int32), *all_heads])
        codes = self.model_.relations(copies, flat, threads=self._threads())
        return iter(all_heads), iter(by_sentence(copies, self.classes_[codes].tolist()))

    # ------------------------------------------------------------------ input

    def _read(self, X: Any, retag: bool = False) -> Trees:
        """Sentences whose heads do not matter, with tags."""
        self._check_fitted()
        trees = self.cut_texts(X) if are_texts(X) else read_parsed(X, roots="many", labelled=False)
        check_lengths(trees, self.max_words)
        if not trees.tokens:
            return with_empty_columns(trees)
        return self._tagged(trees, retag)

    def cut_texts(self, texts: Sequence[str], by_text: bool = False) -> Trees:
        """The sentences and words of running text; with ``by_text`` each text is one sentence."""
        if self.segmenter_ is None:
            made = replace(Trees.from_texts(list(texts)), roots="many")
            return one_to_a_text(made) if by_text else made
        return read_parsed(self.segmenter_.segment(list(texts), by_text), roots="many")

    def _read_single(self, X: Any) -> Trees:
        """The same for what has an answer for each sentence: a text is to be one."""
        trees = self._read(X)
        if are_texts(X):
            check_single(trees.sequences, "X")
        return trees

    def _tagged(self, trees: Trees, retag: bool = False) -> Trees:
        """With all that the parser looks at, or an error that says what is not there."""
        tagged = with_tags(trees.sequences, self.taggers_, retag)
        if tagged is not trees.sequences:
            trees = replace(trees, sequences=tagged)
        return with_columns(trees, self.model_.columns, self._unsaid())

    def _unsaid(self) -> dict[str, float]:
        """Shares of words without a value in training, by column; files of old do not tell them."""
        found = self.record_.data.get(UNSAID_SHARES)
        shares = found.items() if isinstance(found, dict) else ()
        return {name: share for name, share in shares if 0 <= number(share) <= 1}

    def words_lack(self) -> list[str]:
        """What the parser looks at, and neither finds in words alone nor predicts."""
        self._check_fitted()
        there = ("form", *self.taggers_)
        silent = [name for name, share in self._unsaid().items() if share == 1.0]
        return [name for name in self.model_.columns if name not in there and name not in silent]

    def _known(self, trees: Trees, known: Any) -> Heads | None:
        return known_heads(trees, known, one_root=self.model_.single_root)

    # ------------------------------------------------------------------ other forms

    def file_parts(self) -> tuple[dict[str, Any], dict[str, NDArray[Any]]]:
        """What a model file holds."""
        from linnet.estimators.parsing.file import parser_parts

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
            f"scores of loss {loss!r} are margins, not probabilities; use loss='logistic' (a tree CRF) "
            f"or 'softmax_margin'"
        )

    def quantize(self, bits: int = 8) -> Self:
        """The same parser with weights in 8 or 4 bits, and so are those of its taggers.

        Its file is smaller; once it is loaded, weights are float32 again. Features are hashed: none
        can be dropped.
        """
        self._check_fitted()
        if self.model_.packed is not None:
            raise ValueError("this parser is quantized already; quantize the original")
        small = self._with_fitted()
        small.model_ = PackedTrees.of(self.model_, bits).rounded(self.model_)
        small.taggers_ = packed_taggers(self.taggers_, bits)
        small.segmenter_ = None if self.segmenter_ is None else self.segmenter_.packed(bits)
        return small

    def explain(self, X: Any, word: int | None = None) -> Any:
        """Why the words of a sentence have their heads; ``word`` is the number of one, from 1.

        X is one sentence, a list of tokens, or many as `predict` takes them, which give a list.
        """
        from linnet.explain.arcs import explain_tree

        single = is_sentence(X)
        trees = self._read([X] if single else X)
        if word is not None:
            shortest = int(trees.lengths.min(initial=LARGEST))
            if whole("word", word) > shortest:
                raise ValueError(f"there is no word {word} in a sentence of {shortest} words")
        with finding_trees(trees):
            found = [
                explain_tree(
                    self.model_,
                    self.classes_.tolist(),
                    trees.take([i]),
                    None if word is None else [word],
                    probabilities=self.no_probabilities() is None,
                )
                for i in range(len(trees))
            ]
        return found[0] if single else found

    def inspect(self, top: int = 10) -> Any:
        """The largest weights by name: for and against arcs, and for each relation.

        Features are hashed; the names of the largest weights were found in the training sentences.
        """
        from linnet.explain.arc_weights import arc_weights

        self._check_fitted()
        top = whole("top", top, 0)
        assert self.model_.relation_weights is not None
        return arc_weights(
            self.model_.weights,
            self.names_["arcs"],
            self.model_.relation_weights,
            self.names_["relations"],
            self.classes_.tolist(),
            top,
            self.names_["siblings"],
        )
