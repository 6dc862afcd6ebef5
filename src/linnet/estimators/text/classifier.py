"""The text classifier: raw text in, labels out; any loss and learner of the grid in between."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

import linnet._core as _core
from linnet.data import CsrRows, Examples, LabelColumn, fingerprint
from linnet.errors import DataError, warn_of_training
from linnet.estimators.base import Labels
from linnet.estimators.grid_settings import REDUCTIONS
from linnet.estimators.labels import class_weight_on_stream, warn_of_labels, weighing
from linnet.estimators.linear.classifier import LinearClassifier
from linnet.estimators.text import lexicon as _lexicon
from linnet.estimators.text.calibration import quick_calibration
from linnet.estimators.text.choice import Choice, choose, joined
from linnet.estimators.text.fitted import FittedText, check_beside, check_lengths, names_of
from linnet.estimators.text.from_files import fit_parted, parted_files
from linnet.estimators.text.parted import Made
from linnet.estimators.text.per_label import fit_per_label
from linnet.estimators.text.reading import named_files, read_files, remembered
from linnet.estimators.text.settings import (
    calibration_of,
    check_settings,
    class_weight_of,
    linear,
    unfitted,
)
from linnet.estimators.text.stream import SeveralStream, TextStream, check_batch
from linnet.estimators.text.targets import Targets, read_targets
from linnet.estimators.text.unlabelled.fit import (
    OF_UNLABELLED,
    check_asked,
    check_unlabelled,
    fit_unlabelled,
)
from linnet.estimators.text.weights import weights_of
from linnet.features import TextFeatures, label_ratios
from linnet.learners.base import Learner
from linnet.learners.checks import check_room, fewer
from linnet.losses import LOSSES
from linnet.model import LinearModel
from linnet.training import TrainingRecord, grid
from linnet.training.calibration import FITS, Softmax

PER_LABEL = 4 + 4  # bytes of a weight, and of its ratio
Array = NDArray[np.float64]
Columns = Mapping[str, Any] | None


class TextClassifier(FittedText):
    """A classifier of texts: one label each, or several.

    Parameters
    ----------
    features : 'auto' or `TextFeatures`
        'auto' goes by the length and number of the texts; ``choice_`` says what it chose and why.
        ``set_params(features__word=(1, 1))`` of 'auto' is ``TextFeatures(word=(1, 1))``.
    loss, learner, penalty, C, alpha, l1_ratio, average, margin, multiclass, max_iter, tol :
        as of `LinearClassifier`; 'auto' leaves the choice to the data
    classifier : a `LinearClassifier` or one of its presets, in place of the settings above
    class_weight : None, 'balanced' or a dict
    calibration : 'auto', None, 'softmax', 'sigmoid' or 'isotonic'
        how margins become probabilities; 'auto' calibrates a joint margin by one softmax, on texts
        held out from a smaller model
    thresholds : None, a probability, or a dict of them by label
        with one label per text, a text whose best label is less probable is ``unsure``; with several,
        a text has the labels that are at least so probable (0.5)
    unsure : what ``predict`` says then
    lexicon : weights to start from, {label: {n-gram: weight}}
    text : the name of the column of texts where X is a table (a data frame, a dict of columns)
    progressive : as of `LinearClassifier`: predict each text before learning from it
    missing : 'auto', 'error', 'skip', …, or a dict by kind
        what is done about texts, labels, numbers and categories that are missing; by default examples
        without a label are left out, texts are empty, numbers the mean of training, and categories a
        value of their own, which is told
    numeric, categorical, statistics : what to see beside the text when features are 'auto'
    preprocessor, tokenizer, strip_html, normalize, strip_accents :
        as of `TextFeatures`, when features are 'auto'
    unlabeled_method : 'auto', 'joint', 'vectors', 'classes', 'propagate', 'self', 'co', 'entropy', 'em'
        how ``fit(…, unlabeled=…)`` uses texts without labels; 'auto' uses them if labelled texts that
        are held out gain by it; see docs/unlabelled.md
    unlabeled_weight : how much a text without a label counts, of one with a label; None: as the method
        has it ('em' 0.1, 'entropy' 0.03, those that teach 0.3); 'vectors' and 'classes' have none
    unlabeled_views : two views of a text for 'co', each `TextFeatures` or n-grams such as
        ``"word=1-2 lead=5"``; None: two halves of the features, drawn by chance

    Attributes
    ----------
    classes_, features_, model_ (a `LinearModel`), record_, choice_, coef_, intercept_

    Examples
    --------
    >>> from linnet import TextClassifier
    >>> notes = ["A red forehead!", "Tiny, with a cocked tail", "red forehead again", "so tiny"]
    >>> birds = TextClassifier().fit(notes, ["linnet", "wren", "linnet", "wren"])
    >>> birds.predict(["the red one"])
    array(['linnet'], dtype='<U6')
    """

    _stream: TextStream | None

    def __init__(
        self,
        features: str | TextFeatures = "auto",
        loss: str = "auto",
        learner: str | Learner = "auto",
        penalty: str = "auto",
        *,
        C: Any = "auto",
        alpha: float | None = None,
        l1_ratio: float = 0.5,
        margin: float = 1.0,
        multiclass: str = "auto",
        average: bool | str = False,
        max_iter: int | None = None,
        tol: Any = "auto",
        classifier: LinearClassifier | None = None,
        class_weight: Any = None,
        calibration: str | None = "auto",
        thresholds: Any = None,
        unsure: Any = "unsure",
        lexicon: Any = None,
        text: str = "text",
        missing: Any = "auto",
        numeric: Any = (),
        categorical: Any = (),
        statistics: Any = (),
        preprocessor: Any = None,
        tokenizer: Any = None,
        strip_html: bool = False,
        normalize: str | None = None,
        strip_accents: bool = False,
        random_state: Any = 0,
        n_jobs: int | None = None,
        verbose: bool | None = None,
        progressive: bool = False,
        unlabeled_method: str = "auto",
        unlabeled_weight: float | None = None,
        unlabeled_views: Any = None,
    ) -> None:
        self.features = features
        self.loss = loss
        self.learner = learner
        self.penalty = penalty
        self.C = C
        self.alpha = alpha
        self.l1_ratio = l1_ratio
        self.margin = margin
        self.multiclass = multiclass
        self.average = average
        self.max_iter = max_iter
        self.tol = tol
        self.classifier = classifier
        self.class_weight = class_weight
        self.calibration = calibration
        self.thresholds = thresholds
        self.unsure = unsure
        self.lexicon = lexicon
        self.text = text
        self.missing = missing
        self.numeric = numeric
        self.categorical = categorical
        self.statistics = statistics
        self.preprocessor = preprocessor
        self.tokenizer = tokenizer
        self.strip_html = strip_html
        self.normalize = normalize
        self.strip_accents = strip_accents
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose
        self.progressive = progressive
        self.unlabeled_method = unlabeled_method
        self.unlabeled_weight = unlabeled_weight
        self.unlabeled_views = unlabeled_views

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
    ) -> Self:
        """Train on texts X and their labels.

        X is a list, an iterator, a column, a table, `Examples`, or the path of a data file, a list of
        paths, or a pattern of names such as ``'data/*.tsv.gz'``.

        ``memory``, such as '500MB', is how much the process may hold while it learns from files: texts
        are read in parts, and rows lie in a file. ``cache`` is a folder where rows are kept for the
        next time. The model is the same, unless rows do not fit and an online learner has to go through
        them block by block; see docs/scale.md.

        ``unlabeled`` are texts without labels. Unless ``unlabeled_method`` says how, they are used only
        if labelled texts that are held out gain by it; ``why_`` says so.

        Within ``linnet.engine("ray")`` files are read by the workers, each its shard.
        """
        check_asked(self, unlabeled, dev, memory, cache)
        paths = named_files(X, y)
        files = parted_files(self, X, paths, sample_weight, memory, cache)
        if files is not None:
            fit_parted(self, files, memory, cache, dev)
            return self
        if paths is not None:
            X = read_files(self.__sklearn_clone__(), paths)  # as if nothing had been learnt before
        found = self._settled(X, y, anew=True)
        texts, columns, targets = found.texts, found.columns, read_targets(found.y)
        check_lengths(texts, targets)
        self._check_training(targets)
        weights = weights_of(X, sample_weight, class_weight_of(self), targets, found)
        texts, columns, targets, weights = _weighing(texts, columns, targets, weights)
        data = _described(texts, targets)
        if isinstance(X, Examples):
            data |= remembered(X)
        why = None
        if unlabeled is not None:
            check_unlabelled(self, targets)
            why = fit_unlabelled(self, texts, targets, weights, unlabeled)
            if why is None:
                return self._remember(data)
        choice = self._choose(texts, targets)
        if why is not None:
            choice = replace(choice, why=[*choice.why, why])
        features = unfitted(choice.features)
        check_beside(features, columns, self.text)
        if targets.several and features.scale == "nb":
            raise ValueError("features: scale='nb' is for one label per text; use 'idf' or 'none'")
        rows = features.fit_rows(
            texts,
            None if targets.several else targets.codes,
            len(targets.classes),
            columns=columns,
            threads=self._threads(),
        )
        made = Made(choice, features, rows, targets, found.means)
        return self._fit_made(made, weights, dev, data)

    def _check_training(self, targets: Targets) -> None:
        if len(targets.codes if targets.several else targets.classes) < (1 if targets.several else 2):
            what = f"one class only ({targets.classes.tolist()}); a classifier needs two or more"
            raise DataError(f"y has {'no labels at all' if targets.several else what}")
        check_settings(self)
        if not targets.several:
            warn_of_labels(targets.classes, len(targets.codes))

    def _fit_made(self, made: Made, weights: Array, dev: Any, data: dict[str, Any]) -> Self:
        """Learn from rows; ``data`` is what to remember of the texts."""
        if not made.rows.entries:
            raise DataError(
                "X: no text has any feature, so there is nothing to learn from; are the texts empty, "
                "or does features= leave everything out?"
            )
        targets, choice = made.targets, made.choice
        self.__dict__.pop("model_", None)  # until there are weights again, it is not fitted
        self.classes_, self.several_, self.table_ = targets.classes, targets.several, targets.table
        self.features_, self.choice_, self.means_ = made.features, choice, made.means
        self.loss_ = choice.loss if self.classifier is None else self.classifier.loss
        self._stream = None
        self._train(choice, made.rows, targets, weights, self._read_dev(dev))
        return self._remember(data)

    def _remember(self, data: dict[str, Any]) -> Self:
        self.record_.data = data
        self.record_.facts = _counted(self.record_.facts)
        return self

    def opened(self, name: str) -> Any:
        """Who says something of features gets what was said, and the columns beside the text."""
        if name == "features" and isinstance(self.features, str):
            return TextFeatures(**joined(self))
        return super().opened(name)

    def partial_fit(
        self, X: Any, y: Any = None, classes: Any = None, sample_weight: Any = None
    ) -> Self:
        """Learn from a batch, going on from the weights there are; words and labels may be new.

        A model that was fitted or loaded goes on with an online learner from its weights. Margins are
        calibrated by the scores that each batch had before it was learnt from.
        """
        for name, usual in OF_UNLABELLED.items():
            if getattr(self, name) != usual:
                raise ValueError(f"{name} has no effect on a stream, which has labels; leave it out")
        found = self._settled(X, y)
        texts, columns, targets = found.texts, found.columns, read_targets(found.y)
        check_lengths(texts, targets)
        fitted = self.__sklearn_is_fitted__()
        check_batch(self, targets, fitted)
        class_weight = class_weight_on_stream(class_weight_of(self), targets.classes)
        weights = weights_of(X, sample_weight, class_weight, targets, found)
        texts, columns, targets, weights = _weighing(texts, columns, targets, weights)
        before = self.__dict__.copy()
        try:
            stream: TextStream | None = getattr(self, "_stream", None)
            if stream is None:
                check_settings(self)
                self._stream = stream = (SeveralStream if targets.several else TextStream)(self, fitted)
                stream.begin(self, fitted)
            stream.learn(self, texts, columns, targets, classes, weights)
            self.means_ = {**found.means, **getattr(self, "means_", {})}
        except BaseException:
            self.__dict__.clear()
            self.__dict__.update(before)
            if fitted and self.features_.n_features > self.model_.features:  # new words have numbers
                self._set_model(self.model_.grown(self.features_.n_features, self.model_.width))
            raise
        return self

    def _choose(self, texts: Any, targets: Targets) -> Choice:
        mean = texts.size_in_bytes / max(len(texts), 1)
        return choose(self, len(texts), mean, len(targets.classes), targets.several)

    def _train(self, choice: Choice, rows: CsrRows, targets: Targets, weights: Array, dev: Any) -> None:
        self.calibrator_ = self.calibrators_ = None
        wanted = calibration_of(self)
        method = wanted if wanted in FITS else None
        if self._per_label():
            self._check_per_label(method)
            model, self.record_ = self._fit_per_label(choice, rows, targets, weights)
            self.joint_ = False
        else:
            inner = linear(self, choice, calibration=method, progressive=self._progressive())
            if self.lexicon is not None:
                _lexicon.start(inner, self.lexicon, self.features_, self.classes_)
            inner.fit(rows, targets.codes, sample_weight=weights, dev=dev)
            model, self.record_ = inner.model_, inner.record_
            self._name_progressive()
            self.joint_ = model.width == 1 or not inner.trains_one_against_rest()
            self.calibrators_ = inner.calibrators_ if method else None
            del inner  # and with it what the learner needed
        model = model.single().compact()
        margins = not self.several_ and (
            not LOSSES[self.loss_].probability_scale or self._sums_margins()
        )
        if margins and wanted and not method and self.record_.stopped != "interrupted":
            self._calibrate(choice, rows, targets, weights)
        self._set_model(model)

    def _calibrate(self, choice: Choice, rows: CsrRows, targets: Targets, weights: Array) -> None:
        try:
            self.calibrator_ = quick_calibration(
                lambda *part: self._smaller(choice, *part), self.features_, rows, targets, weights
            )
        except KeyboardInterrupt:  # the weights are there and are kept
            self.calibrator_, self.record_.stopped = Softmax(1.0), "interrupted"
            warn_of_training("calibration was interrupted; probabilities are rough")

    def _per_label(self) -> bool:
        """Is each label trained by itself?"""
        return self.several_ or (self.features_.scale == "nb" and len(self.classes_) > 2)

    def _check_per_label(self, method: str | None) -> None:
        why = "is of no use where each label is trained by itself"
        if (self.classifier or self).multiclass in REDUCTIONS:
            raise ValueError(f"multiclass={(self.classifier or self).multiclass!r} {why}; leave it out")
        if method is not None:
            raise ValueError(f"calibration={method!r} {why}; use 'auto', or loss='logistic'")
        if self.lexicon is not None:
            raise ValueError(f"lexicon {why}; leave it out")
        if self._progressive():
            raise ValueError(f"progressive {why}; leave it out")

    def _progressive(self) -> Any:
        return self.progressive or (self.classifier is not None and self.classifier.progressive)

    def _name_progressive(self) -> None:
        """The classifier of rows knows labels by their numbers."""
        table, names = self.record_.facts.get("progressive", {}), self.classes_.tolist()
        for column in {"label", "predicted"} & set(table):
            table[column] = [names[code] for code in table[column]]

    def _fit_per_label(
        self, choice: Choice, rows: CsrRows, targets: Targets, weights: Array
    ) -> tuple[LinearModel, TrainingRecord]:
        ratios = None
        labels, size = len(targets.classes), (rows.features + 1.0) * _core.padded(len(targets.classes))
        told = f"every pair of the {rows.features} features and {labels} label(s)"
        check_room(PER_LABEL * size, "training", told, fewer())
        if not targets.several and self.features_.scale == "nb":
            ratios = label_ratios(rows, targets.codes, len(targets.classes), self.features_.alpha)
        return fit_per_label(lambda: linear(self, choice), rows, targets, weights, ratios)

    def _smaller(self, choice: Choice, rows: CsrRows, targets: Targets, weights: Array) -> LinearModel:
        """A model of part of the texts."""
        if self._per_label():
            return self._fit_per_label(choice, rows, targets, weights)[0]
        return linear(self, choice).fit(rows, targets.codes, sample_weight=weights).model_

    @classmethod
    def from_lexicon(
        cls, lexicon: Any, intercepts: Any = None, features: TextFeatures | None = None, **settings: Any
    ) -> Self:
        """A classifier without training: weights of n-grams by label, {label: {n-gram: weight}}."""
        found, linear, classes = _lexicon.untrained(lexicon, intercepts, features)
        return cls(**settings)._by_hand(
            found, linear, classes, "logistic", True, ["weights set by hand"]
        )

    # ------------------------------------------------------------------ other forms

    @classmethod
    def from_sklearn(cls, pipeline: Any, texts: Any = None) -> Self:
        """A fitted scikit-learn pipeline of a text vectoriser and a linear classifier, as it stands.

        What cannot carry over exactly is refused; ``choice_.why`` holds what to know besides.
        """
        from linnet.estimators.text.from_sklearn import import_sklearn
        from linnet.estimators.text.from_vectorizer import text_features

        found = import_sklearn(pipeline, texts)
        features, linear = text_features(found)
        return cls()._by_hand(
            features, linear, found.classes, found.loss, found.joint, list(found.notes)
        )

    def _by_hand(
        self,
        features: TextFeatures,
        linear: LinearModel,
        classes: Labels,
        loss: str,
        joint: bool,
        why: list[str],
    ) -> Self:
        """Fitted without training."""
        self.features_, self.classes_ = features, classes
        self.several_, self.table_, self.joint_, self.loss_ = False, "", joint, loss
        self.calibrator_ = self.calibrators_ = None
        self.means_ = {}
        self.choice_ = Choice(features, loss, "none", "none", 1.0, 0.0, why=why)
        structure = "binary" if linear.width == 1 else "multiclass"
        self.record_ = TrainingRecord(loss, "none", "none", structure, 0.0, 0.0, stopped="by hand")
        self._set_model(linear.single().compact())
        return self

    # ------------------------------------------------------------------ what is asked of it

    def _read_dev(self, dev: Any) -> Any:
        """Rows and label numbers of held-out texts, for learners that watch them."""
        if dev is None:
            return None
        if self._per_label():
            raise DataError("dev is of no use where each label is trained by itself; leave it out")
        X, y = dev if isinstance(dev, (tuple, list)) and len(dev) == 2 else (dev, None)
        if y is None and not isinstance(X, Examples):
            raise DataError("dev must be a pair of held-out texts and labels, (X, y), or Examples")
        texts, columns, y = self._read(X, y)
        targets = read_targets(y, several=False).known_to(self.classes_)
        check_lengths(texts, targets, "dev ")
        check_beside(self.features_, columns, self.text)
        unknown = np.flatnonzero(targets.codes < 0)
        if len(unknown):
            raise DataError(f"dev text {unknown[0]} has a label never seen in training; leave it out")
        return self.features_.rows(texts, columns=columns, threads=self._threads()), targets.codes

    def trials(self, names: frozenset[str], X: Any, y: Any) -> Any:
        """Features are made once for each split."""
        from linnet.estimators.text.trials import text_trials

        return text_trials(self, names, X, y)

    def watches_dev(self) -> bool:
        """Would held-out data given to ``fit`` be looked at while training?"""
        learner = self.learner if self.classifier is None else self.classifier.learner
        return learner != "auto" and grid.resolve(learner).family in ("online", "batch")


def _weighing(
    texts: _core.Texts, columns: Columns, targets: Targets, weights: Array
) -> tuple[_core.Texts, Columns, Targets, Array]:
    """Texts that weigh something; no word of the others is seen."""
    present = weighing(weights)
    if present is None:
        return texts, columns, targets, weights
    if columns is not None:
        columns = {name: np.asarray(columns[name])[present] for name in names_of(columns)}
    return texts.take(present), columns, targets.take(present), weights[present]


def _described(texts: _core.Texts, targets: Targets) -> dict[str, Any]:
    """What a model was trained on, for its record."""
    labels = LabelColumn([str(c) for c in targets.classes.tolist()], targets.codes, targets.offsets)
    return {
        "texts": len(texts),
        "bytes": texts.size_in_bytes,
        "labels": len(targets.classes),
        "fingerprint": fingerprint(Examples(texts=texts, labels=labels)),
    }


def _counted(facts: dict[str, Any]) -> dict[str, Any]:
    """Lists of instances (support vectors) would fill the model file: their lengths will do."""
    return {
        name: _counted(value)
        if isinstance(value, dict)
        else len(value)
        if isinstance(value, np.ndarray)
        else value
        for name, value in facts.items()
    }
