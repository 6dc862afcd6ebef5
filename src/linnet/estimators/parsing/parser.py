"""The dependency parser: sentences in, a tree for each out."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Self

import numpy as np

import linnet._core as _core
from linnet import engines
from linnet._memory import trim
from linnet.data.analyses import allowed_values
from linnet.data.sequences import MISSING
from linnet.data.trees import Trees
from linnet.errors import DataError
from linnet.estimators.parsing.choice import (
    ParsingChoice,
    analysable,
    check_settings,
    choose_parsing,
    left_out,
    tag_columns,
)
from linnet.estimators.parsing.fitted import FittedParser
from linnet.estimators.parsing.input import (
    FORMS,
    UNSAID_SHARES,
    check_lengths,
    finding_trees,
    in_both_forms,
    read_parsed,
    seen_columns,
    unsaid_shares,
)
from linnet.estimators.parsing.names import describe
from linnet.estimators.parsing.settings import learn
from linnet.estimators.segmenting.segmenter import Segmenter
from linnet.estimators.sentence_files import FilesInParts, TreeFile, named_files, read_all
from linnet.estimators.tagging.analysis import AFTER
from linnet.estimators.tagging.first import (
    constrained,
    fit_analysers,
    fit_taggers,
    make_taggers,
    packed_taggers,
)
from linnet.learners.base import Learner
from linnet.model.trees import TreeModel
from linnet.training import TrainingRecord


class DependencyParser(FittedParser):
    """A parser of sentences into dependency trees.

    Heads are found by a graph-based model, the best of all trees, in which arcs compete together with
    their relations; relations are then named arc by arc in view of the whole tree.

    Parameters
    ----------
    features, relations : 'auto', templates, or `ArcFeatures`
        what is seen of arcs whose heads are to be chosen, and whose relations are to be named
    loss, learner, penalty, C, alpha, l1_ratio, margin, average, max_iter, tol :
        as of `LinearClassifier`, over whole trees; 'auto' is MIRA, averaged. The loss
        'joint_likelihood' is a generative baseline, counted
    joint : 'auto', None, templates, or `ArcFeatures`
        what is seen of an arc with a relation while heads are chosen; None: heads are chosen without
        a view of relations. 'auto' is None unless the learner is MIRA ('pa') or the perceptron
    projective : 'auto', True or False
        may arcs cross? 'auto': they may if they do in more than a fifth of the sentences
    order : 'auto', 1 or 2
        what is scored together: single arcs, or arcs and the sibling before; 'auto' is 2 for projective
        trees, for others there is 1 only
    roots : 'one' or 'many' words below the root
    candidates : 'auto', None or a number
        a first pass leaves so many times less likely heads of a word out (as a difference of
        log-probabilities); None keeps all
    tagger : None, 'auto', a `Tagger`, or a dict of them by column (upos, xpos)
        tags words that come without; the parser then looks at words and such tags only. 'auto' trains
        one for each kind of tags in the data, and packs it to 8 bits. A fitted one is taken as it is,
        for upos
    tags : 'auto', or the columns (upos, xpos) that the parser looks at, predicted; 'auto': both where
        the data have them, but upos alone if there are very many xpos, whose tagger would take longer
        than the parser; tagger='auto' finds these together with features
    without : what tagger='auto' leaves out of 'feats', 'lemma' and 'tokens': features, lemmas, and how
        running text is cut, which it learns beside tags where the data have them
    dictionary : with tagger='auto', which analyses forms may have, {form: [(upos, xpos, feats), …]}, or
        the path of a file with a line for each, tabs between; ``_`` says nothing of upos and xpos, and
        of feats that there are none. Values are those of the trees; forms are matched as they are
    max_words : the longest sentence that is taken, in training too. One of 2,000 words takes seconds
        and some 300 MB for each of ``n_jobs``; of 10,000 it would be minutes and gigabytes
    diagnostics : measure margins, R and mistake bounds of heads, with relations that are learnt
        together with them, on the training data; 'auto': of at most 50,000 tokens. Margins are exact,
        R is an upper bound. See ``record_.diagnostics``
    jackknife : folds in which training sentences are tagged for the parser to learn from, each by
        taggers of the others, beside the tags of the data; 0: it learns from these alone

    Attributes
    ----------
    classes_ (relations), model_ (a `TreeModel`), taggers_, segmenter_, record_, choice_

    Examples
    --------
    >>> from linnet import DependencyParser
    >>> birds = [("a", "DET"), ("linnet", "NOUN"), ("sings", "VERB")]
    >>> X = [birds, [("wrens", "NOUN"), ("hide", "VERB")]]
    >>> y = [([2, 3, 0], ["det", "nsubj", "root"]), ([2, 0], ["nsubj", "root"])]
    >>> parser = DependencyParser().fit(X, y)
    >>> parser.predict([[("a", "DET"), ("wren", "NOUN"), ("hides", "VERB")]])
    [([2, 3, 0], ['det', 'nsubj', 'root'])]
    """

    def __init__(
        self,
        features: Any = "auto",
        relations: Any = "auto",
        loss: str = "auto",
        learner: str | Learner = "auto",
        penalty: str = "auto",
        *,
        joint: Any = "auto",
        projective: Any = "auto",
        order: Any = "auto",
        roots: str = "one",
        candidates: Any = "auto",
        tagger: Any = None,
        tags: Any = "auto",
        without: Any = (),
        dictionary: Any = None,
        jackknife: int = 5,
        max_words: int = 2000,
        C: Any = "auto",
        alpha: float | None = None,
        l1_ratio: float = 0.5,
        margin: float = 1.0,
        average: Any = "auto",
        max_iter: int | None = None,
        tol: Any = "auto",
        diagnostics: bool | str = "auto",
        random_state: int = 0,
        n_jobs: int | None = None,
        verbose: bool | None = None,
    ) -> None:
        self.features = features
        self.relations = relations
        self.loss = loss
        self.learner = learner
        self.penalty = penalty
        self.joint = joint
        self.projective = projective
        self.order = order
        self.roots = roots
        self.candidates = candidates
        self.tagger = tagger
        self.tags = tags
        self.without = without
        self.dictionary = dictionary
        self.jackknife = jackknife
        self.max_words = max_words
        self.C = C
        self.alpha = alpha
        self.l1_ratio = l1_ratio
        self.margin = margin
        self.average = average
        self.max_iter = max_iter
        self.tol = tol
        self.diagnostics = diagnostics
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose

    def fit(self, X: Any, y: Any = None, *, memory: Any = None, cache: Any = None) -> Self:
        """Train on trees: `Trees`, the path of a file, or sentences X and their trees y.

        X may be a list of paths, or a pattern of names such as ``'data/*.conllu.gz'``, too. ``memory``,
        such as '500MB', is how much the process may hold while it learns from files: trees are read
        in parts and kept as numbers in a file, of which a shard at a time is in memory if not all
        fits. ``cache`` is a folder where they are kept for the next time. See docs/scale.md.

        Sentences are lists of tokens, which are forms, tuples (form, upos, xpos, feats, lemma) or
        dicts; y has (heads, relations) for each. Heads of None are missing: a partial tree.

        Ctrl-C while heads are learnt ends that: the weights so far are kept, and relations are learnt
        in one pass. While relations are learnt it leaves them as they are. Before heads, while taggers
        are learnt, there is no parser to keep, and KeyboardInterrupt is raised.
        """
        check_settings(self)
        paths = named_files(X, y)
        if memory is not None or cache is not None:
            from linnet.estimators.parsing.outofcore import fit_files

            fit_files(self, X if paths is None else paths, memory, cache)
            return self
        if self._on_machines(X, paths):
            return self
        if isinstance(X, FilesInParts):
            X = read_all(X.files)
        elif paths is not None and paths != [X]:
            X = read_all([TreeFile.of(path, self.roots) for path in paths])
        return self._fit(read_parsed(X, y, self.roots))

    def _on_machines(self, X: Any, paths: list[str] | None) -> bool:
        """Learn from files that workers read, if there are workers elsewhere who can."""
        engine = engines.in_use()
        given = isinstance(X, FilesInParts)
        if engine is None or not engine.far or not (given or paths):
            return False
        from linnet.estimators.parsing.machines import ParserOnMachines, why_here

        roots = self.roots
        files = X if given else FilesInParts([TreeFile.of(path, roots) for path in paths or ()])
        if why_here(self, files) is not None:
            return False
        ParserOnMachines(self, files, engine).fit()
        return True

    def _fit(self, trees: Trees, whole: bool = True) -> Self:
        """Trees that are all in memory; ``whole``: with the comments and multiword tokens of files."""
        check_lengths(trees, self.max_words)
        self._check(trees)
        given = trees
        trees, why = self._tag(trees, whole)  # the same ones, unless tags were predicted
        choice = choose_parsing(self, trees, self._columns(trees))
        forms = 1 if trees is given else FORMS
        learnt_from = trees if forms == 1 else in_both_forms(trees, given)
        with finding_trees(learnt_from):
            model, record = learn(self, learnt_from, choice, forms)
        told, shares = trees.statistics(), unsaid_shares(trees, model.columns)
        names = trees.relations.names
        return self._learnt([trees], names, choice, why, model, record, told, shares)

    def _learnt(
        self,
        parts: Iterable[Trees],
        names: list[str],
        choice: ParsingChoice,
        why: list[str],
        model: TreeModel,
        record: TrainingRecord,
        statistics: dict[str, Any],
        unsaid: dict[str, float],
    ) -> Self:
        """What was learnt of trees, perhaps shard by shard, and what there is to tell of them."""
        self.classes_ = np.array(names, dtype=np.str_)
        self.model_, self.record_ = model, record
        self.loss_ = record.loss
        seen, self.names_ = describe(model, parts, record, self._threads())
        choice.why[:] = [*why, *choice.why, *seen]
        self.choice_ = choice
        told = statistics | {"relations": len(names)}
        self.record_.data = {
            name: told[name] for name in ("sentences", "tokens", "relations", "nonprojective_arcs")
        } | {UNSAID_SHARES: unsaid}
        return self

    def trials(self, names: frozenset[str], X: Any, y: Any) -> Any:
        """Whole sentences are held out."""
        from linnet.estimators.parsing.trials import tree_trials

        return tree_trials(self, X, y)

    def _check(self, trees: Trees) -> None:
        name = trees.sequences.source or "y"
        if not (trees.heads >= 0).any():
            raise DataError(f"{name} has no trees: no word has a head")
        if not (trees.relations.codes != MISSING).any():
            raise DataError(
                f"{name} has heads only: no word has a relation to its head; one name for all will do"
            )

    def _tag(self, trees: Trees, whole: bool) -> tuple[Trees, list[str]]:
        """Taggers, if some are wanted, and the sentences with tags to learn from."""
        self.taggers_, self.segmenter_ = {}, None
        if self.tagger is None:
            return trees, []
        settings = {"random_state": self.random_state, "n_jobs": self.n_jobs, "verbose": self.verbose}
        allowed = {} if self.dictionary is None else allowed_values(self.dictionary)
        wanted, told = tag_columns(trees, self.tags, self.tagger)
        taggers = make_taggers(self.tagger, wanted, settings)
        if not taggers:
            raise DataError("a tagger is wanted, but the trees have no tags (upos) to learn from")
        ours = isinstance(self.tagger, str)  # nothing but tags is asked of them
        self.taggers_, columns = fit_taggers(
            taggers, trees.sequences, self.jackknife, int(self.random_state), for_tags=ours
        )
        if ours:
            self.taggers_ = packed_taggers(self.taggers_)
        names = ", ".join(self.taggers_)
        folds = f"tags predicted in {self.jackknife} folds, and from " if columns else ""
        told = [f"tags: {names}; the parser learns from {folds}those of the data", *told]
        if ours:
            trim()
            told += self._analyse(trees, settings, whole, columns)
            self.taggers_ = constrained(self.taggers_, allowed)
        trim()
        return trees.with_columns(**columns) if columns else trees, told

    def _analyse(
        self,
        trees: Trees,
        settings: dict[str, Any],
        whole: bool,
        folds: Mapping[str, _core.Texts],
    ) -> list[str]:
        """Learn what else the columns show, which the parser itself does not look at."""
        data, without = trees.sequences, left_out(self.without)
        also = ["xpos"] if self.tags == "auto" and "xpos" not in self.taggers_ else []
        names = [n for n in (*also, *AFTER) if n not in without and analysable(data, n)]
        found = fit_analysers(names, data, settings, list(self.taggers_), folds)
        self.taggers_ |= packed_taggers(found)
        trim()
        told = [f"beside tags: {', '.join(names)}"] if names else []
        if "tokens" in without or "misc" not in data.columns:
            return told
        if not whole:
            return [
                *told,
                "tokens of running text: rules; lines of multiword tokens are not kept in parts",
            ]
        made = Segmenter.learnt(data, settings)
        if isinstance(made, str):
            return [*told, f"tokens of running text: {made}"]
        self.segmenter_ = made.packed()
        return [*told, "tokens of running text: as in the data"]

    def _columns(self, trees: Trees) -> list[str]:
        """What templates may look at: with taggers, nothing that words alone would lack."""
        seen = seen_columns(trees)
        if not self.taggers_:
            return seen
        tags = tag_columns(trees, self.tags, self.tagger)[0] if self.tagger == "auto" else self.taggers_
        return [name for name in seen if name == "form" or name in tags]
