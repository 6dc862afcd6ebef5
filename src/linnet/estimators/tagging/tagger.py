"""The tagger: sentences in, a tag for each token out; any loss and learner of the grid in between."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from linnet import engines
from linnet._params import is_whole, number
from linnet.data import Sequences, as_rows
from linnet.data.examples import LabelColumn
from linnet.data.segments import SegmentShape
from linnet.data.sequences import MISSING
from linnet.errors import DataError, RefusedError
from linnet.estimators.labels import numbered_as_given, weighing
from linnet.estimators.sentence_files import (
    FilesInParts,
    SentenceFile,
    check_no_weights,
    named_files,
    read_all,
)
from linnet.estimators.tagging.choice import TaggingChoice, all_states, choose_tagging, smallest
from linnet.estimators.tagging.costs import cost_table, label_factors
from linnet.estimators.tagging.first import (
    Taggers,
    check_folds,
    fit_taggers,
    lacking_columns,
    make_taggers,
    packed_taggers,
)
from linnet.estimators.tagging.fitted import UNKNOWN, FittedTagger, codes_of, read_sentences
from linnet.estimators.tagging.rules import scheme_in_use, token_mask, transition_rules
from linnet.estimators.tagging.segments import check_segments
from linnet.estimators.tagging.stream import TagStream
from linnet.estimators.tagging.training import ChainTraining
from linnet.estimators.tagging.unlabelled import fit_unlabelled
from linnet.evaluation.spans import column_counts
from linnet.features import TokenFeatures
from linnet.learners.base import Learner
from linnet.model import ChainModel, TaggerModel, model_of
from linnet.structures import ANYTHING, Chain, ChainRules, Segments
from linnet.training import TrainingRecord
from linnet.training.diagnostics import check_wanted, diagnose_learnt, is_wanted

Array = NDArray[np.float64]


class Tagger(FittedTagger):
    """A tagger of sentences: parts of speech, chunks, names.

    Parameters
    ----------
    features : 'auto', the name of a recipe ('pos', 'chunk', 'ner'), templates, or `TokenFeatures`
        'auto' goes by columns and tags; ``choice_`` says what it chose
    loss, learner, penalty, C, alpha, l1_ratio, margin, average, max_iter, tol, shuffle :
        as of `LinearClassifier`, over whole sentences; 'auto' is a conditional random field trained
        in the dual
    order : how many tags back a transition sees; 0: each token by itself. There are tags^(order + 1)
        weights of windows; what would be too large is refused with its size
    ends : have weights of first and last tags
    normalisation : 'global' or 'local'; a locally normalised chain is an MEMM
    segments : score whole spans (a semi-Markov model): the tags are those of spans, and weights are of
        first, inner and last tokens, of lengths, and of types that follow each other
    longest : with segments, the longest span there may be, in tokens; None: any
    all_states, all_transitions : have weights for pairs of feature and tag, and of tags, that never
        occur in training; None: if there are not too many of them
    prune : drop smaller weights after training; 'auto': 0.01 where all_states was left to us, else 0
    legal : 'auto', None or a scheme ('bio', 'iob1', 'bilou', …) that predicted tags keep to; 'auto':
        the one that the training data keep to
    transitions : which tags may follow a tag, {tag: [tags]}; tags not named may be followed by all
    dictionary : which tags words may have, {word: [tags]}
    constrain_training : keep to legal, transitions and dictionary in training, too
    tagger : None, 'auto', a `Tagger`, or a dict of them by column
        tags words first where columns are looked at (parts of speech) that running text does not have;
        'auto' trains one for each such column, and packs it to 8 bits. A fitted one is taken as it is
    jackknife : folds in which such columns of training sentences are predicted to learn from; 0: they
        are learnt from as they are
    cost : what it costs to predict one tag for another, {(gold, predicted): cost}; others cost 1
    class_weight : factors of the costs of tokens by their tag, 'balanced' or {tag: factor}
    warm_start : begin at the weights of the fit before
    diagnostics : measure margins, R and mistake bounds on the training data; 'auto': of at most 50,000
        tokens. Margins are exact, R is an upper bound. See ``record_.diagnostics``
    patience, dev_metric : with ``fit(dev=…)``, epochs without a better 'accuracy' or 'f1'; 'auto': f1
        of spans, accuracy of other tags

    Attributes
    ----------
    classes_, features_, model_ (a `ChainModel`; with segments a `SegmentModel`), record_, choice_

    Examples
    --------
    >>> from linnet import Tagger
    >>> X = [["the", "linnet", "sings"], ["a", "wren", "hides"], ["the", "wren", "sings"]]
    >>> tagger = Tagger().fit(X, [["D", "N", "V"]] * 3)
    >>> tagger.predict([["a", "linnet", "hides"]])
    [['D', 'N', 'V']]
    """

    _stream: TagStream | None

    def __init__(
        self,
        features: Any = "auto",
        loss: str = "auto",
        learner: str | Learner = "auto",
        penalty: str = "auto",
        *,
        order: int = 1,
        ends: bool = False,
        normalisation: str = "global",
        segments: bool = False,
        longest: int | None = None,
        C: Any = "auto",
        alpha: float | None = None,
        l1_ratio: float = 0.5,
        margin: float = 1.0,
        average: Any = "auto",
        max_iter: int | None = None,
        tol: Any = "auto",
        shuffle: bool = True,
        all_states: bool | None = None,
        all_transitions: bool = True,
        prune: Any = "auto",
        legal: Any = "auto",
        transitions: Any = None,
        dictionary: Any = None,
        constrain_training: bool = False,
        tagger: Any = None,
        jackknife: int = 5,
        cost: Any = None,
        class_weight: Any = None,
        warm_start: bool = False,
        diagnostics: bool | str = "auto",
        patience: int = 3,
        dev_metric: str = "auto",
        random_state: Any = 0,
        n_jobs: int | None = None,
        verbose: bool | None = None,
    ) -> None:
        self.features = features
        self.loss = loss
        self.learner = learner
        self.penalty = penalty
        self.order = order
        self.ends = ends
        self.normalisation = normalisation
        self.segments = segments
        self.longest = longest
        self.C = C
        self.alpha = alpha
        self.l1_ratio = l1_ratio
        self.margin = margin
        self.average = average
        self.max_iter = max_iter
        self.tol = tol
        self.shuffle = shuffle
        self.all_states = all_states
        self.all_transitions = all_transitions
        self.prune = prune
        self.legal = legal
        self.transitions = transitions
        self.dictionary = dictionary
        self.constrain_training = constrain_training
        self.tagger = tagger
        self.jackknife = jackknife
        self.cost = cost
        self.class_weight = class_weight
        self.warm_start = warm_start
        self.diagnostics = diagnostics
        self.patience = patience
        self.dev_metric = dev_metric
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose

    # ------------------------------------------------------------------ training

    def fit(
        self,
        X: Any,
        y: Any = None,
        sample_weight: Any = None,
        dev: Any = None,
        *,
        memory: Any = None,
        cache: Any = None,
        unlabeled: Any = None,
        unlabeled_method: str = "auto",
        unlabeled_weight: float | None = None,
    ) -> Self:
        """Train on sentences X and their tags; a tag of None is missing and summed out.

        X is a list of sentences, `Sequences` with tags, the path of a file, a list of paths, or a
        pattern of names such as ``'data/*.conll.gz'``. ``sample_weight`` has one weight per sentence,
        ``dev`` held-out sentences: (X, y), `Sequences` or a path.

        ``memory``, such as '500MB', is how much the process may hold while it learns from files:
        sentences are read in parts and kept as numbers in a file, of which a shard at a time is in
        memory if not all fits. ``cache`` is a folder where they are kept for the next time. See
        docs/scale.md.

        ``unlabeled`` are sentences without tags; ``unlabeled_method`` is 'classes' (of words, as
        features), 'self' (self-training), 'entropy' (regularisation by it), or 'auto': classes, if
        held-out sentences gain by them. ``unlabeled_weight`` is how much one of them counts, of one
        with tags ('self' 0.3, 'entropy' 0.03).
        """
        self._check_settings()
        paths = named_files(X, y)
        if unlabeled is not None:
            if any(given is not None for given in (memory, cache, dev)) or engines.in_use() is not None:
                raise RefusedError("unlabeled does not go with memory, cache, dev or an engine")
            many = paths is not None and paths != [X]
            read = read_all([SentenceFile.of(path) for path in paths or ()]) if many else X
            data, how = read_sentences(read, y), (unlabeled_method, unlabeled_weight)
            fit_unlabelled(self, data, sample_weight, unlabeled, *how)
            return self
        for name, given in (
            ("method", unlabeled_method != "auto"),
            ("weight", unlabeled_weight is not None),
        ):
            if given:
                raise ValueError(f"unlabeled_{name} has no effect without unlabeled=: give sentences")
        if memory is not None or cache is not None:
            from linnet.estimators.tagging.outofcore import fit_files

            check_no_weights(sample_weight)
            fit_files(self, X if paths is None else paths, memory, cache, dev)
            return self
        if sample_weight is None and on_machines(self, X, paths, dev):
            return self
        if isinstance(X, FilesInParts):
            X = read_all(X.files)
        elif paths is not None and paths != [X]:
            X = read_all([SentenceFile.of(path) for path in paths])
        return self._fit(read_sentences(X, y), sample_weight, dev)

    def fit_for_tags(self, data: Sequences) -> Self:
        """As `fit`; for who asks for tags alone: features have no names."""
        self._check_settings()
        return self._fit(data, None, None, names=False)

    def _fit(self, data: Sequences, sample_weight: Any, dev: Any, names: bool = True) -> Self:
        """Sentences that are all in memory."""
        weights = self._sentence_weights(data, sample_weight)
        present = weighing(weights)
        if present is not None:
            data, weights = data.take(present), weights[present]
        tags = self._tags_of(data)
        data, taggers, told = self._tag_first(data, tags)
        labels = codes_of(data.labels, tags) if data.labels is not None else _all_missing(data)
        segments = self._segments_of(data)
        if segments is not None and data.labels is not None:
            tags, labels = segments.tags, segments.read(data.labels, data.offsets)
        partial = bool((labels == MISSING).any())
        choice = self._choose(data, tags, partial)
        warm = self._chain() if self.warm_start and self.__sklearn_is_fitted__() else None
        if warm is not None and tags != self.classes_.tolist():
            raise DataError("warm_start: the tags are not those of the fit before; use a new model")
        features = self.features_ if warm is not None else choice.features
        if warm is not None:
            rows = features.grow_rows(data, self._threads())
        elif isinstance(features, TokenFeatures):  # when it is known which are kept, they get names
            rows = features.fit_rows(data, self._threads(), names=None if names else False)
        else:
            rows = features.fit_rows(data, self._threads())
        pair_features, pairs = self._pair_rows(features, data, warm)
        training = self._training(choice)
        structure: Chain | Segments
        if segments is None:
            scheme = scheme_in_use(self.legal, [data], tags)
            rules = transition_rules(scheme, self.transitions, tags)
            structure = self._chain_of(training, data, tags, labels, rules, rows, pairs)
            every = all_states(self, choice, rows.features, len(tags))
            structure = replace(structure, all_states=every, prune=smallest(self, every))
        else:
            scheme, rules = segments.scheme, ANYTHING
            structure = Segments(as_rows(rows, 0.0), data.offsets, labels, segments)
        problem = training.problem(structure, weights)
        if is_wanted(self.diagnostics, data.tokens):
            problem = replace(problem, spend_rows=False)
        del rows, pairs  # a learner with a copy of its own lets go of what the problem keeps
        if warm is not None:
            assert isinstance(structure, Chain)
            problem = replace(problem, initial=warm.dense(structure))
        on_dev = None
        if dev is not None:
            on_dev = self._dev_score(self._read_dev(dev, tags), features, pair_features, rules, tags)

        trained = training.train(problem, on_dev)
        record, model = trained.record, model_of(trained.learnt, structure)
        record.diagnostics = diagnose_learnt(
            self.diagnostics, problem, trained.learnt, data.tokens, model
        )
        del problem, trained, structure  # as large as all that is kept
        if present is not None:
            record.facts = numbered_as_given(record.facts, present)
        record.data = {"sentences": len(data), "tokens": data.tokens, "tags": len(tags)}
        choice.why[:] = [*told, *choice.why]
        self._set(tags, features, pair_features, model, record, choice, scheme, rules)
        if names and isinstance(self.features_, TokenFeatures):
            self.features_.name(data)
        self.taggers_ = taggers
        return self

    def _set(
        self,
        tags: list[str],
        features: Any,
        pair_features: Any,
        model: TaggerModel,
        record: TrainingRecord,
        choice: TaggingChoice,
        scheme: str | None,
        rules: ChainRules,
    ) -> None:
        """What was learnt."""
        if isinstance(model, ChainModel):
            model, features = _without_zeros(model, features)
        self.classes_ = np.array(tags, dtype=np.str_)
        self.features_, self.pair_features_ = features, pair_features
        self.choice_, self.loss_ = choice, choice.loss
        self.scheme_, self.rules_ = scheme, rules
        self.model_, self.record_ = model, record
        self.taggers_, self._stream = {}, None

    def _tag_first(self, data: Sequences, tags: list[str]) -> tuple[Sequences, Taggers, list[str]]:
        """Taggers of columns that words alone lack, and the sentences with such tags to learn from."""
        if self.tagger is None:
            return data, {}, []
        if self.warm_start and self.__sklearn_is_fitted__():
            raise RefusedError(
                "warm_start does not go with tagger: its columns would be predicted anew"
            )
        wanted = lacking_columns(self, data, tags)
        settings = {"random_state": self.random_state, "n_jobs": self.n_jobs, "verbose": self.verbose}
        made = make_taggers(self.tagger, wanted, settings)
        if not made:
            return data, {}, ["tagger: none is needed, since words alone are looked at"]
        seed = int(self.random_state) if is_whole(self.random_state, 0) else 0
        fitted, columns = fit_taggers(made, data, self.jackknife, seed)
        if isinstance(self.tagger, str):  # ours: nothing but tags is asked of them
            fitted = packed_taggers(fitted)
        learnt = f"tags predicted in {self.jackknife} folds" if columns else "those of the data"
        told = f"tagged first: {', '.join(fitted)}; the tagger learns from {learnt}"
        return replace(data, columns=data.columns | columns), fitted, [told]

    def partial_fit(
        self, X: Any, y: Any = None, classes: Any = None, sample_weight: Any = None
    ) -> Self:
        """One pass over a batch of sentences, going on from the weights there are.

        New words and tags get weights of their own; tags are appended to ``classes_`` as they come.
        With learner 'auto' it is the averaged perceptron. A model that was fitted or loaded goes on
        from its weights.
        """
        self._check_settings()
        if self.segments:
            raise RefusedError("partial_fit does not learn segments; use fit, or leave out segments")
        if self.tagger is not None and not self.__sklearn_is_fitted__():
            raise RefusedError("partial_fit does not learn taggers that come first; use fit")
        data = read_sentences(X, y)
        stream: TagStream | None = getattr(self, "_stream", None)
        self._stream = TagStream.learn(self, data, classes, sample_weight, stream)
        return self

    def _check_settings(self) -> None:
        if self.normalisation not in ("global", "local"):
            raise ValueError(f"normalisation must be 'global' or 'local', not {self.normalisation!r}")
        if not is_whole(self.order, 0):
            raise ValueError(f"order must be 0, 1, 2, …, not {self.order!r}")
        if self.normalisation == "local" and self.order != 1:
            raise RefusedError("local normalisation is over the tags after one tag; use order=1")
        least = 0.0 if self.prune == "auto" else self.prune
        if not 0 <= number(least) < float("inf"):
            raise ValueError(f"prune must be 'auto' or a number of 0 or more, not {self.prune!r}")
        check_segments(self)
        check_folds(self.jackknife)
        check_wanted(self.diagnostics)
        if self.dev_metric not in ("auto", "accuracy", "f1"):
            raise ValueError(f"dev_metric must be 'auto', 'accuracy' or 'f1', not {self.dev_metric!r}")

    def _tags_of(self, data: Sequences) -> list[str]:
        if data.labels is None or (data.labels.codes == MISSING).all():
            raise DataError(
                "y is needed: no token has a tag (linnet.HMM(states=5) would learn without)"
            )
        return [data.labels.names[k] for k in np.unique(data.labels.codes) if k >= 0]

    def _segments_of(self, data: Sequences) -> SegmentShape | None:
        if not self.segments:
            return None
        scheme = None if self.legal in ("auto", None) else self.legal
        return SegmentShape.of(data, scheme, self.longest)

    def _choose(self, data: Sequences, tags: list[str], partial: bool) -> TaggingChoice:
        return choose_tagging(self, data, tags, partial)

    def _named_learner(self, partial: bool) -> str | Learner:
        """A hook for presets; ``partial``: are some tags missing?"""
        return self.learner

    def _own_features(self) -> Any:
        """A hook for presets."""
        return self.features

    def _training(self, choice: TaggingChoice) -> ChainTraining:
        return ChainTraining(
            choice.loss,
            choice.learner,
            choice.penalty,
            C=choice.C,
            alpha=self.alpha,
            l1_ratio=self.l1_ratio,
            margin=self.margin,
            average=choice.average,
            max_iter=choice.max_iter,
            limit_meant=choice.max_iter != self.max_iter,
            tol=choice.tol,
            shuffle=self.shuffle,
            patience=self.patience,
            warm_start=self.warm_start and self.__sklearn_is_fitted__(),
            random_state=self.random_state,
            threads=self._threads(),
            verbose=self.verbose,
        )

    def _pair_rows(self, features: Any, data: Sequences, warm: ChainModel | None) -> tuple[Any, Any]:
        """Features of transitions, where templates ask for some, and their rows."""
        made = self._pair_features_of(features, warm)
        return made, None if made is None else made.fit_rows(data, self._threads())

    def _pair_features_of(self, features: Any, warm: ChainModel | None) -> Any:
        """To be fitted; None if there are none."""
        made = features.pairs() if hasattr(features, "pairs") else None
        if made is None:
            return None
        if self.order != 1 or self.segments:
            raise RefusedError(
                "templates of transitions go with order=1 and no segments; leave out those that begin "
                "with 'transition:' (of CRF++, with 'B')"
            )
        if warm is not None:
            raise RefusedError("warm_start does not go with templates of transitions")
        return made

    def _chain_of(
        self,
        training: ChainTraining,
        data: Sequences,
        tags: list[str],
        labels: NDArray[np.int32],
        rules: ChainRules,
        rows: Any,
        pairs: Any,
    ) -> Chain:
        if self.constrain_training:
            mask = token_mask(data, self.dictionary, None, tags, self._word(data))
            rules = ChainRules(rules.transitions, rules.start, rules.stop, mask)
        local = self.normalisation == "local"
        by_token = local or self.order == 0  # the prior of a chain is in its transitions
        return Chain(
            as_rows(rows, training.intercept if by_token else 0.0),
            data.offsets,
            labels,
            len(tags),
            order=self.order,
            ends=bool(self.ends),
            local=local,
            pairs=None if pairs is None else as_rows(pairs, 0.0),
            rules=rules if self.constrain_training else ANYTHING,
            all_states=self.all_states,
            all_transitions=bool(self.all_transitions),
            costs=cost_table(self.cost, tags),
            token_weights=label_factors(self.class_weight, tags, labels),
        )

    def _read_dev(self, dev: Any, tags: list[str]) -> Sequences:
        data = read_sentences(*dev) if isinstance(dev, tuple) else read_sentences(dev)
        if data.labels is None:
            raise DataError(
                "dev must have tags: give (X, y), Sequences, or the path of a file with tags"
            )
        if (codes_of(data.labels, tags) == UNKNOWN).any():
            new = sorted({*data.labels.names} - {*tags})
            raise DataError(
                f"dev has tags never seen in training: {', '.join(new[:5])}; leave such sentences out"
            )
        return data

    def _dev_score(
        self, dev: Sequences, features: Any, pair_features: Any, rules: ChainRules, tags: list[str]
    ) -> Any:
        """What a model so far gets on held-out sentences."""
        assert dev.labels is not None
        gold, rows = dev.labels, features.rows(dev, self._threads())
        pairs = None if pair_features is None else pair_features.rows(dev, self._threads())
        spans = self.dev_metric == "f1" or (
            self.dev_metric == "auto" and scheme_in_use("auto", [dev], gold.names) is not None
        )
        codes = codes_of(gold, tags)

        def score(model: TaggerModel) -> float:
            best, _ = model.best(rows, dev.offsets, pairs=pairs, rules=rules, threads=self._threads())
            if spans:
                return column_counts(gold, LabelColumn(tags, best), dev.offsets).f1
            return float((best == codes)[codes >= 0].mean())

        return score

    def _sentence_weights(self, data: Sequences, given: Any) -> Array:
        weights = np.ones(len(data)) if data.weights is None else data.weights
        if given is None:
            return weights
        made = np.asarray(given, np.float64)
        if made.shape != (len(data),):
            raise DataError(
                f"sample_weight has shape {made.shape}; one number for each of {len(data)} sentences"
            )
        if not np.isfinite(made).all() or (made < 0).any() or not made.any():
            raise DataError("sample_weight must be finite, 0 or more, and not all 0")
        return np.ascontiguousarray(weights * made)


def on_machines(model: Tagger, X: Any, paths: list[str] | None, dev: Any) -> bool:
    """Learn from files that workers read, if there are workers elsewhere who can."""
    engine = engines.in_use()
    given = isinstance(X, FilesInParts)
    if engine is None or not engine.far or not (given or paths):
        return False
    from linnet.estimators.tagging.machines import TaggerOnMachines, why_here

    files = X if given else FilesInParts([SentenceFile.of(path) for path in paths or ()])
    if why_here(model, files) is not None:
        return False
    TaggerOnMachines(model, files, engine).fit(dev)
    return True


def _without_zeros(model: ChainModel, features: Any) -> tuple[ChainModel, Any]:
    """Features that have no weights are forgotten: fewer to look up."""
    if not isinstance(features, TokenFeatures) or features.hash_bits is not None:
        return model, features
    compact, kept = model.compact()
    return (model, features) if len(kept) == model.features else (compact, features.among(kept))


def _all_missing(data: Sequences) -> NDArray[np.int32]:
    return np.full(data.tokens, MISSING, np.int32)
