"""The constituency parser: sentences in, a tree of phrases for each out."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from linnet.data.brackets import Brackets
from linnet.errors import DataError
from linnet.estimators.phrases.fitted import FittedConstituencyParser
from linnet.estimators.phrases.input import TAG, check_lengths, cleaned, read_treebank
from linnet.estimators.phrases.second import no_second_look, second_look
from linnet.estimators.phrases.settings import PhraseChoice, check_settings, first_look
from linnet.estimators.tagging.first import fit_taggers, make_taggers, packed_taggers
from linnet.learners.base import Learner
from linnet.model.phrases import PhraseModel


class ConstituencyParser(FittedConstituencyParser):
    """A parser of sentences into trees of phrases, without a grammar.

    In a first look every span of words may be a phrase of every label, and has features of its own:
    tags and words at its ends and around them, its length, what is in it. A second look goes over trees
    of those brackets that the first finds possible; it sees heads, and neighbours among the children of
    a phrase. Labels over the same words, as of ``(S (VP …))``, are one label.

    Parameters
    ----------
    features : 'auto', templates, or `SpanFeatures`
        what is seen of spans; see `linnet.features.span_templates`
    loss, learner, penalty, C, alpha, l1_ratio, margin, average, max_iter, tol :
        as of `LinearClassifier`, over whole trees; 'auto' is softmax-margin by AdaGrad, averaged
    second : 'auto', True or False
        is there a second look? 'auto': of 100 trees and more, where the loss gives probabilities. It
        is learnt from what first looks of five folds leave, by AdaGrad; half of the
        features of a sentence are hidden at each step
    tagger : 'auto', None, or a `Tagger`
        tags words that come without. 'auto' trains one, and packs it to 8 bits; a fitted one is taken
        as it is. None: sentences come with tags, in training too
    jackknife : folds in which training sentences are tagged for the parser to learn from, each by
        a tagger of the others; 0: it learns from the tags of the data
    threshold : of ``decode='risk'``: a bracket is worth its probability less this. ½ makes fewest
        mistakes; less finds more brackets, and is better by F1
    max_words : the longest sentence that is parsed; longer ones are refused in training, and get a tree
        without phrases, marked ``NOPARSE``, afterwards

    Attributes
    ----------
    classes_ (labels), model_ (a `PhraseModel`), taggers_, record_, choice_

    Examples
    --------
    >>> from linnet import ConstituencyParser
    >>> trees = [("S", ("NP", ("DT", "a"), ("NN", "linnet")), ("VP", ("VBZ", "sings")))] * 10
    >>> parser = ConstituencyParser(tagger=None).fit(trees)
    >>> print(parser.predict([[("a", "DT"), ("wren", "NN"), ("sings", "VBZ")]])[0])
    (S (NP (DT a) (NN wren)) (VP (VBZ sings)))
    """

    def __init__(
        self,
        features: Any = "auto",
        loss: str = "auto",
        learner: str | Learner = "auto",
        penalty: str = "auto",
        *,
        second: bool | str = "auto",
        tagger: Any = "auto",
        jackknife: int = 10,
        threshold: float = 0.4,
        max_words: int = 500,
        C: Any = "auto",
        alpha: float | None = None,
        l1_ratio: float = 0.5,
        margin: float = 1.0,
        average: Any = "auto",
        max_iter: int | None = None,
        tol: Any = "auto",
        random_state: int = 0,
        n_jobs: int | None = None,
        verbose: bool | None = None,
    ) -> None:
        self.features = features
        self.loss = loss
        self.learner = learner
        self.penalty = penalty
        self.second = second
        self.tagger = tagger
        self.jackknife = jackknife
        self.threshold = threshold
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

    def fit(self, X: Any, y: Any = None, *, partial: Any = False) -> Self:
        """Train on trees: `Brackets`, the path of a file, `BracketTree` objects or nested tuples.

        Traces, functions of labels and brackets that say the same twice are left out. With ``partial``
        (True, or True and False for each tree), the brackets of a tree are what is known of it: it
        may have others.

        Ctrl-C ends the training of brackets: the weights so far are kept.
        """
        check_settings(self)
        if y is not None:
            raise DataError("the trees are those of X; leave out y")
        trees = cleaned(read_treebank(X))
        if not trees.tokens:
            raise DataError(f"{trees.sequences.source or 'X'} has no words to learn from")
        if not trees.constituents:
            raise DataError(f"{trees.sequences.source or 'X'} has no brackets to learn from")
        check_lengths(trees, self.max_words)
        unfinished = _unfinished(partial, len(trees))
        trees, why = self._tag(trees)
        choice = PhraseChoice(why)
        first, record = first_look(self, trees, unfinished, choice.why)
        model: PhraseModel = first
        refusal = no_second_look(self, first, len(trees), record)
        if refusal is None:
            model, record = second_look(self, trees, unfinished, first, record.loss, choice.why)
        else:
            choice.why.append(f"no second look: {refusal}")
        self.model_, self.record_, self.choice_ = model, record, choice
        self.loss_ = record.loss
        self.classes_ = np.array(
            sorted({one for chain in model.chains for one in chain}), dtype=np.str_
        )
        told = trees.statistics()
        record.data = {name: told[name] for name in ("sentences", "words", "constituents", "labels")}
        return self

    def trials(self, names: frozenset[str], X: Any, y: Any) -> Any:
        """Whole sentences are held out."""
        from linnet.estimators.phrases.trials import bracket_trials

        return bracket_trials(self, X, y)

    def _tag(self, trees: Brackets) -> tuple[Brackets, list[str]]:
        """A tagger, if one is wanted, and the trees with tags to learn from."""
        self.taggers_ = {}
        if self.tagger is None:
            return trees, ["tags: those of the data"]
        settings = {"random_state": self.random_state, "n_jobs": self.n_jobs, "verbose": self.verbose}
        taggers = make_taggers(self.tagger, [TAG], settings)
        self.taggers_, columns = fit_taggers(
            taggers, trees.sequences, self.jackknife, int(self.random_state)
        )
        if isinstance(self.tagger, str):  # ours: nothing but tags is asked of it
            self.taggers_ = packed_taggers(self.taggers_)
        learnt = f"tags predicted in {self.jackknife} folds" if columns else "those of the data"
        words = trees.sequences
        tagged = replace(words, columns=words.columns | columns)
        return replace(trees, sequences=tagged), [f"tags: the parser learns from {learnt}"]


def _unfinished(partial: Any, count: int) -> NDArray[np.bool_] | None:
    """Which trees are partial; None: none."""
    if partial is False or partial is None:
        return None
    flags = np.full(count, True) if partial is True else np.asarray(partial)
    if flags.dtype != np.bool_ or flags.shape != (count,):
        raise ValueError(f"partial must be True, False, or one of them for each of the {count} trees")
    return flags if flags.any() else None
