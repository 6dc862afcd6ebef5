"""The grammar parser: trees of phrases by a grammar that is read off a treebank, or given."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from typing import Any, Self

import numpy as np

from linnet._params import is_whole, strings
from linnet.data.brackets import Brackets
from linnet.errors import DataError
from linnet.estimators.grammars.fitted import DECODES, FittedGrammarParser
from linnet.estimators.grammars.input import (
    check_lengths,
    holds_trees,
    read_grammar,
    read_sentences,
    read_trees,
)
from linnet.estimators.grammars.weights import (
    derivable,
    fill_classes,
    given_record,
    phrase_labels,
    rule_counts,
    start_weights,
    with_weights,
)
from linnet.features.phrases import PhraseFeatures
from linnet.grammars.derivations import Derivations
from linnet.grammars.grammar import Grammar, built
from linnet.grammars.notation import Word
from linnet.grammars.shape import ChartShape
from linnet.grammars.treebank import binary_trees, rules_of
from linnet.learners import EM, Counting
from linnet.learners.base import Learner
from linnet.model.grammar import GrammarModel, WordEvents, lexicon_of, structure
from linnet.regularisers import strengths
from linnet.structures import Cell, Charts, Problem
from linnet.training import Stopping, grid, train

START = "TOP"
WITHIN = 7.0  # of the coarse pass: how far a symbol's best tree may be behind the best
LONGEST_CHAIN = 6  # unary rules in a row, of grammars read off trees
LOSSES = ("joint_likelihood", "hinge", "logistic", "perceptron")  # as 'auto' tries them
LEARNERS = ("counting", "pa", "perceptron", "owlqn", "sgd", "adagrad", "lbfgs")  # for a loss


class GrammarParser(FittedGrammarParser):
    r"""A parser of sentences into trees of phrases, over a context-free grammar.

    Parameters
    ----------
    grammar : None, a `Grammar` or the path of one
        None: it is read off the trees that `fit` is given
    learner, loss, penalty, C, alpha, l1_ratio, margin, average, max_iter, tol :
        as of `LinearClassifier`, over whole trees. 'counting' makes a probabilistic grammar, 'em'
        learns one from bare sentences or partial trees; others, such as 'perceptron', 'pa' and 'lbfgs',
        learn weights of rules and of ``features``
    binarise, horizontal, vertical, tags, unknown, clean : of the grammar, as of `Grammar.from_trees`
    smoothing : how many times a word is taken to have been seen with the tags of its class
    rule_smoothing : how often each rule is taken to have been seen
    features : 'auto' or templates of spans, one to a line or list item, for learners other than
        counting; see `PhraseFeatures`
    hash_bits : of these features
    chains : how many unary rules may stand in a row; None: as many as the trees have, or the rules
        allow, or 8 where they go in circles
    decode : 'best' tree, 'brackets' (most expected), 'rules' (the likeliest at each place, multiplied)
    keep : of 'brackets', how likely a phrase must be to be worth it
    prune : how far behind the best tree of the grammar of plain labels a symbol may be; None: no
        coarse pass
    max_words : the longest sentence that is taken

    Attributes
    ----------
    model_ (a `GrammarModel`), grammar_ (the `Grammar`, with probabilities if they were counted),
    classes_ (labels of phrases), record_

    Examples
    --------
    >>> from linnet import Grammar, GrammarParser
    >>> rules = "S -> NP VP [1.0]\nNP -> 'linnets' [0.5] | 'wrens' [0.5]\nVP -> 'sing' [1.0]"
    >>> parser = GrammarParser(Grammar.from_text(rules)).fit()
    >>> print(parser.predict(["wrens sing"])[0])
    (S (NP wrens) (VP sing))
    """

    def __init__(
        self,
        grammar: Any = None,
        learner: str | Learner = "counting",
        loss: str = "auto",
        penalty: str = "none",
        *,
        binarise: str = "right",
        horizontal: int | None = 2,
        vertical: int = 2,
        tags: bool = True,
        unknown: int = 1,
        clean: bool = True,
        smoothing: float = 1.0,
        rule_smoothing: float = 0.0,
        features: Any = "auto",
        hash_bits: int = 16,
        chains: int | None = None,
        decode: str = "best",
        keep: float = 0.4,
        prune: float | None = WITHIN,
        max_words: int = 400,
        C: float = 1.0,
        alpha: float | None = None,
        l1_ratio: float = 0.5,
        margin: float = 1.0,
        average: bool = False,
        max_iter: int | None = None,
        tol: float = 1e-4,
        random_state: int = 0,
        n_jobs: int | None = None,
        verbose: bool | None = None,
    ) -> None:
        self.grammar = grammar
        self.learner = learner
        self.loss = loss
        self.penalty = penalty
        self.binarise = binarise
        self.horizontal = horizontal
        self.vertical = vertical
        self.tags = tags
        self.unknown = unknown
        self.clean = clean
        self.smoothing = smoothing
        self.rule_smoothing = rule_smoothing
        self.features = features
        self.hash_bits = hash_bits
        self.chains = chains
        self.decode = decode
        self.keep = keep
        self.prune = prune
        self.max_words = max_words
        self.C = C
        self.alpha = alpha
        self.l1_ratio = l1_ratio
        self.margin = margin
        self.average = average
        self.max_iter = max_iter
        self.tol = tol
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose

    # ------------------------------------------------------------------ fit

    def fit(self, X: Any = None, y: Any = None) -> Self:
        """Learn from trees (`Brackets`, the path of a file, nested tuples), or from sentences.

        Without a grammar X must be trees, and rules are read off them. With one, trees say what is
        known: other phrases may be there, too, and sentences say nothing but words. With a grammar that
        has weights and no X there is nothing to learn.
        """
        if y is not None:
            raise ValueError("give trees alone: they hold words and phrases")
        self._check_settings()
        given = read_grammar(self.grammar)
        if given is None:
            return self._fit_treebank(X)
        return self._take(given) if X is None else self._fit_given(given, X)

    def _check_settings(self) -> None:
        if self.decode not in DECODES:
            raise ValueError(f"decode must be one of {', '.join(DECODES)}, not {self.decode!r}")
        if self.chains is not None and not (is_whole(self.chains, 0) and self.chains <= 64):
            raise ValueError(f"chains must be None or a number from 0 to 64, not {self.chains!r}")
        if not is_whole(self.max_words, 1):
            raise ValueError(f"max_words must be 1 or more, not {self.max_words!r}")
        if not is_whole(self.hash_bits, 4) or self.hash_bits > 24:
            raise ValueError(f"hash_bits must be from 4 to 24, not {self.hash_bits!r}")
        for name in ("smoothing", "rule_smoothing", "keep"):
            if not 0 <= getattr(self, name) < float("inf"):
                raise ValueError(f"{name} must be 0 or more, not {getattr(self, name)!r}")
        if self.prune is not None and not self.prune >= 0:
            raise ValueError(f"prune must be None or a number of 0 or more, not {self.prune!r}")

    def _templates(self) -> list[str] | None:
        """Of spans, one to a line or an item; None: those that are chosen."""
        given = self.features
        if not isinstance(given, str):
            return strings("features", given)
        if given == "auto":
            return None
        lines = [line.strip() for line in given.splitlines()]
        return [line for line in lines if line and not line.startswith("#")]

    def _learner(self) -> tuple[Learner, str]:
        """The learner with its settings, and the loss."""
        own = self.smoothing, self.rule_smoothing
        made: Learner
        if self.learner in ("counting", "em"):
            kind = Counting if self.learner == "counting" else EM
            made = kind(smoothing=own[0], transition_smoothing=own[1])
        elif self.learner == "auto":
            grid.check_names("hinge" if self.loss == "auto" else self.loss, self.penalty)
            loss = LOSSES[0] if self.loss == "auto" else self.loss
            cell = Cell(Charts, loss, self.penalty, self.average)
            made = grid.first_legal(LEARNERS, cell)
            if isinstance(made, Counting):
                made = Counting(smoothing=own[0], transition_smoothing=own[1])
        else:
            made = grid.resolve(self.learner, float(self.C) if self.C > 0 else None)
        if self.loss != "auto":
            grid.check_names(self.loss, self.penalty)
            return made, self.loss
        grid.check_names(LOSSES[0], self.penalty)
        wanted = ("perceptron", *LOSSES) if made.name == "perceptron" else LOSSES
        cells = (Cell(Charts, loss, self.penalty, self.average) for loss in wanted)
        legal = next((cell.loss for cell in cells if grid.refusal(made, cell) is None), LOSSES[0])
        return made, legal

    def _fit_treebank(self, X: Any) -> Self:
        if X is None or not holds_trees(X):
            raise DataError("without a grammar, rules are read off trees: give trees, not sentences")
        trees = read_trees(X)
        trees = trees.cleaned() if self.clean else trees
        if not is_whole(self.unknown, 0):
            raise ValueError(f"unknown must be a whole number; it is {self.unknown!r}")
        how = {"horizontal": self.horizontal, "vertical": self.vertical, "tags": self.tags}
        binary = binary_trees(trees, START, self.binarise, how)
        check_lengths(binary.column("word"), self.max_words)
        rules = rules_of(binary, self.unknown)
        totals: Counter[str] = Counter()
        for (left, _), count in rules.items():
            totals[left] += count
        shares = [(left, right, count / totals[left]) for (left, right), count in rules.items()]
        grammar = built(shares, START, unknown=self.unknown)
        shape = ChartShape.of(grammar, self._chains(binary))
        gold = Derivations.of_trees(binary, shape)
        sentences = binary.column("word")
        if self.unknown:
            words = Counter(
                {(a, r[0].text): c for (a, r), c in rules.items() if isinstance(r[0], Word)}
            )
        else:
            words = Counter()
        return self._learn(grammar, shape, sentences, gold, words)

    def _chains(self, binary: Brackets) -> int:
        """The longest run of phrases over the same words, but for the last, which is binary."""
        if self.chains is not None:
            return self.chains
        most = 1
        for tree in binary:
            spans = Counter((begin, end) for begin, end, _ in tree.spans())
            for (begin, end), count in spans.items():
                most = max(most, count - (end - begin > 1))
        return min(most, LONGEST_CHAIN)

    def _fit_given(self, grammar: Grammar, X: Any) -> Self:
        shape = ChartShape.of(grammar, self.chains)
        if holds_trees(X):
            trees = read_trees(X)
            trees = trees.cleaned() if self.clean else trees
            sentences, gold = trees.column("word"), Derivations.of_known(trees, shape)
        else:
            sentences = read_sentences(X)
            gold = Derivations.unknown(np.array([len(words) for words in sentences], np.int64))
        check_lengths(sentences, self.max_words)
        return self._learn(grammar, shape, sentences, gold, Counter())

    def _take(self, grammar: Grammar) -> Self:
        """A grammar as it is."""
        shape, events = ChartShape.of(grammar, self.chains), WordEvents(grammar)
        weights = start_weights(grammar, structure(shape, events, None, []), events)
        self.model_ = GrammarModel(grammar, shape, weights, None, None, None)
        self.grammar_ = grammar
        self.classes_ = np.array(phrase_labels(shape), dtype=np.str_)
        self.record_ = given_record()
        self.loss_ = "joint_likelihood"
        return self

    def _learn(
        self,
        grammar: Grammar,
        shape: ChartShape,
        sentences: list[list[str]],
        gold: Derivations,
        words: Counter[Any],
    ) -> Self:
        learner, loss = self._learner()
        counted = learner.family == "counting"
        events = WordEvents(grammar)
        features = None
        if not counted:
            features = PhraseFeatures.fitted(sentences, self._templates(), self.hash_bits)
        elif self.features != "auto":
            raise ValueError("features are for learners other than counting and em; leave them out")
        lexicon = lexicon_of(grammar, events, shape, words) if counted else None
        grid.check(learner, Cell(Charts, loss, self.penalty, self.average))
        sentences, gold = derivable(grammar, shape, events, sentences, gold, self._threads())
        data = structure(shape, events, features, sentences, gold, lexicon)
        problem = self._problem(data, learner, loss, grammar, events)
        stopping = Stopping(self.max_iter or learner.epochs)
        trained = train(learner, problem, stopping, self.verbose)
        weights = np.asarray(trained.learnt.weights, np.float64)
        if counted:
            fill_classes(weights, data, events)
        counts = rule_counts(gold, shape) if counted and not data.partial else None
        self.model_ = GrammarModel(grammar, shape, weights, features, counts, self.prune)
        self.grammar_ = with_weights(grammar, shape, data, weights) if counted else grammar
        self.classes_ = np.array(phrase_labels(shape), dtype=np.str_)
        self.record_, self.loss_ = trained.record, loss
        told = {"sentences": len(sentences), "words": sum(map(len, sentences))}
        self.record_.data = told | {"rules": len(grammar), "symbols": len(grammar.symbols)}
        return self

    def _problem(
        self, data: Charts, learner: Learner, loss: str, grammar: Grammar, events: WordEvents
    ) -> Problem:
        l1, l2 = strengths(self.penalty, self.l1_ratio)
        C = self.C if self.alpha is None else 1 / (self.alpha * max(data.size, 1))
        problem = Problem(
            data,
            loss,
            self.penalty,
            np.ones(data.size),
            l1,
            l2,
            1.0 if learner.has_own_C() else float(C),
            float(self.tol),
            int(self.random_state),
            average=bool(self.average),
            margin=float(self.margin),
            threads=self._threads(),
        )
        if learner.family != "counting" or not data.partial:
            return problem
        start = start_weights(grammar, data, events)
        if not grammar.weighted:  # equal weights would stay equal
            noise = np.random.default_rng(int(self.random_state)).uniform(-0.5, 0.5, len(start))
            start = start + noise
        return replace(problem, initial=start)
