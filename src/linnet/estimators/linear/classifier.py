"""The linear classifier: every flat cell of the grid behind scikit-learn's interface."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from linnet._params import flag, number, whole
from linnet.data import CsrRows, RowsElsewhere, as_rows
from linnet.errors import DataError, RefusedError
from linnet.estimators.available import available_when
from linnet.estimators.base import Labels, unchanged_on_failure
from linnet.estimators.grid_settings import REDUCTIONS, few_features
from linnet.estimators.labels import numbered_as_given, weighing
from linnet.estimators.linear import probabilities as _probabilities
from linnet.estimators.linear.input import RowsEstimator, feature_names
from linnet.estimators.linear.reductions import train_reduced
from linnet.estimators.linear.stream import Stream, not_incremental
from linnet.estimators.scored import ScoredClassifier
from linnet.learners.base import Learner
from linnet.losses import LOSSES
from linnet.model import LinearModel
from linnet.structures import (
    Elsewhere,
    Learnt,
    Multiclass,
    Problem,
    Structure,
    Weights,
    flat,
    flat_elsewhere,
)
from linnet.training import Stopping, Trained, TrainingRecord, grid, train
from linnet.training.diagnostics import diagnose
from linnet.training.progressive import Answer

Array = NDArray[np.float64]


class LinearClassifier(ScoredClassifier, RowsEstimator):
    """A linear classifier: any loss, any learner, any penalty that make sense together.

    Minimises penalty(w) + C Σ_i weight_i ℓ_i(w), or for learners that take steps the same divided by
    C Σ weight_i: mean loss + alpha · penalty. Two labels have one weight per feature, more have one
    block of weights each. ``linnet.compatible()`` shows which combinations work.

    Parameters
    ----------
    loss : 'logistic', 'hinge', 'squared_hinge', 'perceptron', 'softmax_margin', 'exponential', \
'squared', 'probability' or 'joint_likelihood'
    learner : name or learner object
        'auto' goes by loss, penalty and the shape of X. Objects carry settings of their own:
        ``learner=linnet.learners.SGD(step='power', eta0=0.5)``.
    penalty : 'l2', 'l1', 'elasticnet' or 'none'
    C, alpha : strength; alpha = 1 / (C n) if given takes the place of C
    l1_ratio : share of L1 in the elastic net
    margin : what hinge losses ask for (1)
    multiclass : 'auto', 'joint' (all labels together) or 'rest' (each against the rest)
        'auto' is joint where the learner has joint steps for the loss. Other reductions to two labels:
        'pairs' (margins of all pairs, summed) and 'pairs_votes', 'ecoc' (error-correcting output
        codes, margins summed) and 'ecoc_votes', 'kesler' (constraints between labels)
    average : what online learners predict with: False (the last weights), True (the average of all),
        'voted' (every hypothesis votes as often as it survived) or 'survivor' (the one that survived
        most examples, with a bound of its error). The latter two step on mistakes alone
    fit_intercept, intercept_scaling, penalize_intercept :
        the intercept is a constant feature of value ``intercept_scaling``, penalised like any other
        unless ``penalize_intercept=False`` (dual learners refuse that)
    max_iter, tol : limit of passes, and relative duality gap, gradient or decrease to stop at
    class_weight : None, 'balanced' or a dict
    calibration : None, 'sigmoid' or 'isotonic'; gives losses without probabilities
        ``predict_proba``, fitted on held-out folds
    grow : let ``partial_fit`` add features and classes it has not seen
    early_stopping, validation_fraction, patience, dev_metric :
        stop when a held-out score has not improved for ``patience`` epochs; ``fit(..., dev=(X, y))``
        gives the held-out data
    progressive : write down in ``record_.facts["progressive"]`` how well examples are predicted
        before they are learnt from, in a first pass in their order (online learners)
    diagnostics : measure margins, R, bounds and moments on the training data after fitting

    Attributes
    ----------
    classes_, coef_, intercept_, n_features_in_, n_iter_, record_ (a `TrainingRecord`), model_

    Examples
    --------
    >>> from linnet import LinearClassifier
    >>> notes = [{"brown": 1, "red forehead": 1}, {"tiny": 1, "cocked tail": 1}]
    >>> bird = LinearClassifier(loss="hinge").fit(notes, ["linnet", "wren"])
    >>> bird.predict([{"red forehead": 1}])
    array(['linnet'], dtype='<U6')
    """

    in_progress = ("_stream",)

    model_: LinearModel
    n_iter_: int
    _stream: Stream | None

    def __init__(
        self,
        loss: str = "logistic",
        learner: str | Learner = "auto",
        penalty: str = "l2",
        *,
        C: float = 1.0,
        alpha: float | None = None,
        l1_ratio: float = 0.5,
        margin: float = 1.0,
        multiclass: str = "auto",
        average: bool | str = False,
        fit_intercept: bool = True,
        intercept_scaling: float = 1.0,
        penalize_intercept: bool = True,
        max_iter: int | None = None,
        tol: float = 1e-4,
        shuffle: bool = True,
        random_state: Any = 0,
        class_weight: Any = None,
        calibration: str | None = None,
        warm_start: bool = False,
        grow: bool = False,
        early_stopping: bool = False,
        validation_fraction: float = 0.1,
        patience: int = 3,
        dev_metric: Any = "accuracy",
        progressive: bool = False,
        diagnostics: bool = True,
        n_jobs: int | None = None,
        verbose: bool | None = None,
    ) -> None:
        self.loss = loss
        self.learner = learner
        self.penalty = penalty
        self.C = C
        self.alpha = alpha
        self.l1_ratio = l1_ratio
        self.margin = margin
        self.multiclass = multiclass
        self.average = average
        self.fit_intercept = fit_intercept
        self.intercept_scaling = intercept_scaling
        self.penalize_intercept = penalize_intercept
        self.max_iter = max_iter
        self.tol = tol
        self.shuffle = shuffle
        self.random_state = random_state
        self.class_weight = class_weight
        self.calibration = calibration
        self.warm_start = warm_start
        self.grow = grow
        self.early_stopping = early_stopping
        self.validation_fraction = validation_fraction
        self.patience = patience
        self.dev_metric = dev_metric
        self.progressive = progressive
        self.diagnostics = diagnostics
        self.n_jobs = n_jobs
        self.verbose = verbose

    # ------------------------------------------------------------------ training

    def fit(self, X: Any, y: Any, sample_weight: Any = None, dev: Any = None) -> Self:
        """Train on X (sparse, dense, or a list of dicts of named features) and labels y."""
        with unchanged_on_failure(self):
            warm = getattr(self, "model_", None) if self.warm_start else None
            known = self.classes_ if warm is not None else np.empty(0)
            X, labels = self._read_training(X, y, keep_names=warm is not None)
            weights = self._weights(sample_weight, X, labels, self.class_weight)
            present = weighing(weights)
            if present is not None:
                X, labels, weights = X[present], labels[present], weights[present]
            learner = self._learner(few_features(X))
            if isinstance(X, RowsElsewhere):
                self._check_elsewhere(learner, dev)
            if self.multiclass in REDUCTIONS and len(self.classes_) > 2:
                self._fit_reduced(learner, X, labels, weights, dev)
                return self
            kept, dev = self._split(learner, X, labels, dev)
            rows, golds = (X, labels) if kept is None else (X[kept], labels[kept])
            problem = self._problem(rows, golds, weights if kept is None else weights[kept], learner)
            if warm is not None:
                problem = self._warm(problem, warm, known)
            stopping = self._stopping(learner, problem, dev)
            answer = (
                self._answer(rows, golds, problem) if flag("progressive", self.progressive) else None
            )
            trained = train(learner, problem, stopping, self.verbose, progressive=answer)
            self._set_model(trained, rows, golds, problem)
            if present is not None:
                self.record_.facts = numbered_as_given(self.record_.facts, present)
            if self.calibration is not None:
                self.calibrators_ = _probabilities.calibrate(self, X, labels, weights)
        return self

    def _fit_reduced(
        self, learner: Learner, X: Any, labels: NDArray[np.int32], weights: Array, dev: Any
    ) -> None:
        """Several labels by problems of two, put together again."""
        if dev is not None or self.early_stopping:
            raise RefusedError(
                f"multiclass={self.multiclass!r} trains problems of two labels, none of which has "
                f"scores for held-out data; leave out dev and early_stopping, or use 'joint'"
            )
        self.model_, self.record_ = train_reduced(self, learner, X, labels, weights)
        self.n_iter_ = max(1, self.record_.n_iter)
        self._stream = None
        if self.calibration is not None:
            self.calibrators_ = _probabilities.calibrate(self, X, labels, weights)
        self.model_ = self.model_.compact()

    def _problem(
        self,
        X: Any,
        labels: NDArray[np.int32],
        weights: Array,
        learner: Learner,
        wide: bool | None = None,
    ) -> Problem:
        wide = self.grow if wide is None else wide
        n = max(2, len(self.classes_))  # a stream may begin with one
        # Two labels share one weight per feature, unless a column for each is wanted.
        one_column = n == 2 and not learner.columns and not wide
        structure: Structure
        elsewhere: Elsewhere | None = None
        if isinstance(X, RowsElsewhere):
            shape = n, one_column, self._bias
            structure, elsewhere = flat_elsewhere(X, labels, weights, *shape)
        else:
            structure = flat(as_rows(X, self._bias), labels, n, one_column)
        return self._problem_of(structure, weights, learner, elsewhere)

    def _problem_of(
        self, structure: Structure, weights: Array, learner: Learner, elsewhere: Elsewhere | None = None
    ) -> Problem:
        l1, l2, C = self._strengths(float(weights.sum()), learner)
        return Problem(
            structure,
            self.loss,
            self.penalty,
            weights if elsewhere is None else weights[:0],
            l1=l1,
            l2=l2,
            C=C,
            tol=self._tolerance(),
            seed=self._seed(),
            average=self._averages(),
            hypotheses=self._kept(),
            split=self._split_labels(),
            penalize_intercept=self.penalize_intercept,
            warm_start=self.warm_start,
            shuffle=self.shuffle,
            margin=self._margin(),
            threads=self._threads(),
            elsewhere=elsewhere,
        )

    def _check_elsewhere(self, learner: Learner, dev: Any) -> None:
        """What looks at rows here does not go with rows that are made by workers."""
        looks = {
            "early_stopping": (self.early_stopping or learner.needs_dev) and dev is None,
            "progressive": self.progressive,
            "calibration": self.calibration is not None,
            "diagnostics": self.diagnostics,
        }
        name = next((name for name, does in looks.items() if does), None)
        if name is not None:
            raise RefusedError(
                f"{name} looks at rows that workers on other machines have made; leave out {name}, or "
                f"the engine" + ("; or give dev=(X, y)" if name == "early_stopping" else "")
            )

    def _warm(self, problem: Problem, old: LinearModel, known: Labels) -> Problem:
        """Start from the old weights; new names have come after the old ones, their weights zero."""
        features = problem.rows.features
        if not np.array_equal(known, self.classes_) or old.width != problem.width:
            raise DataError("warm_start: the labels are not those of the fit before; use a new model")
        if old.features != features and not self._has_names():
            raise DataError(
                f"warm_start: X has {features} features, the fit before had {old.features}; use a new "
                f"model"
            )
        return replace(problem, initial=old.grown(features, old.width).weights.reshape(-1))

    def _split(self, learner: Learner, X: Any, labels: NDArray[np.int32], dev: Any) -> tuple[Any, Any]:
        """Rows to train on (None: all), and held-out (X, labels): given, split off or None."""
        if dev is not None:
            return None, self._read_dev(dev)
        if not self.early_stopping and not learner.needs_dev:
            return None, None
        fraction = self.validation_fraction
        if not 0 < number(fraction) < 1:
            raise ValueError(f"validation_fraction must be between 0 and 1, not {fraction!r}")
        from sklearn.model_selection import train_test_split

        try:
            kept, held = train_test_split(
                np.arange(len(labels)),
                test_size=float(fraction),
                random_state=self._seed() % 2**32,
                stratify=labels,
            )
        except ValueError as e:
            raise DataError(
                f"{fraction} of {len(labels)} rows cannot be held out so that every class is on both "
                f"sides ({e}); give dev=(X, y), or another validation_fraction"
            ) from None
        return kept, (X[held], labels[held])

    def _stopping(self, learner: Learner, problem: Problem, dev: Any) -> Stopping:
        stopping = Stopping(self._limit(learner), patience=whole("patience", self.patience))
        if dev is None:
            return stopping
        if grid.splits(learner, problem.cell, problem.split):
            raise RefusedError(
                f"{learner.name} trains one label against the rest here, so that no pass has scores "
                f"for held-out data; leave out dev and early_stopping, or use 'lbfgs' or 'sgd'"
            )
        X_dev, y_dev = dev
        metric = "log_likelihood" if learner.needs_dev else self.dev_metric
        score = _probabilities.dev_metric(metric)

        def on_dev(learnt: Learnt) -> float:
            model = LinearModel.of(learnt, problem.width, self._bias)
            return score(y_dev, model.scores(X_dev))

        return replace(stopping, dev=on_dev)

    def _answer(self, X: Any, labels: NDArray[np.int32], problem: Problem) -> Answer:
        """What single examples are, and are taken for by what has been learnt before them."""
        names = self.classes_.tolist()

        def answer(learnt: Learnt, place: int, mistaken: bool) -> tuple[Any, Any]:
            gold = int(labels[place])
            if not mistaken:
                return names[gold], names[gold]
            model = LinearModel.of(learnt, problem.width, self._bias)
            scores = _probabilities.two_columns(model.scores(X[np.array([place])]))[0]
            scores[gold] = -np.inf  # by averages of weights it may be the best
            return names[gold], names[int(scores.argmax())]

        return answer

    def _set_model(self, trained: Trained, X: Any, labels: NDArray[np.int32], problem: Problem) -> None:
        self.model_ = LinearModel.of(trained.learnt, problem.width, self._bias)
        self.record_ = trained.record
        self.n_iter_ = max(1, trained.record.n_iter)
        self._stream = Stream(trained.solver)
        if self.diagnostics:
            X = X.scipy() if isinstance(X, CsrRows) else X
            scores = self.model_.linear_scores(X, self._threads())
            self.record_.diagnostics = diagnose(problem.data(), self.model_.weights, self._threads())
            self.record_.diagnostics |= _probabilities.maxent(
                self.model_, X, labels, problem, scores, self.record_
            )
        self.model_ = self.model_.compact()

    def go_on_from(
        self, model: LinearModel, classes: Labels, record: TrainingRecord | None = None
    ) -> Self:
        """Let ``partial_fit``, or ``fit`` with ``warm_start``, begin at the weights of a model."""
        self.model_, self.classes_, self.vocabulary_ = model.with_bias(self._bias), classes, None
        self.n_features_in_ = model.features
        self._stream = Stream()
        self.record_ = record or TrainingRecord(self.loss, "", self.penalty, "", 0.0, 0.0)
        return self

    def trains_one_against_rest(self) -> bool:
        """Are several labels split into problems of two? Then each has a score of its own."""
        learner = self._learner()
        return learner.each_label or grid.splits(learner, self._cell(Multiclass), self._split_labels())

    def reduced(self) -> bool:
        """Are several labels put together of other problems than one against the rest?"""
        return self.multiclass in REDUCTIONS and len(getattr(self, "classes_", ())) > 2

    @available_when(not_incremental)
    def partial_fit(self, X: Any, y: Any, classes: Any = None, sample_weight: Any = None) -> Self:
        """One pass over a batch, going on from the weights there are.

        Features and classes never seen before are accepted with ``grow=True`` or when X is a list of
        dicts of named features; new classes are appended to ``classes_`` in the order they come.
        """
        before_it: Stream | None = getattr(self, "_stream", None)
        stream = Stream(None if before_it is None else before_it.solver)
        with unchanged_on_failure(self) as before:
            problem = stream.next_batch(self, X, y, classes, sample_weight)
            self._stream = stream
            if not stream.plain:  # it may fail halfway: the next batch starts from the weights
                before["_stream"] = None
            stream.pass_over(self, problem)
        return self

    # ------------------------------------------------------------------ prediction

    def _probabilities(self, scores: Array) -> Array:
        return _probabilities.probabilities(self, scores)

    def inspect(self, top: int = 10) -> Any:
        """The features with the largest weights, for each label, by name."""
        from linnet.explain.top_weights import named_weights

        names = self.get_feature_names_out().tolist()
        return named_weights(names, self.model_, self.classes_.tolist(), whole("top", top, 0))

    def _scores(self, X: Any) -> Array:
        self._check_fitted()
        return self._sound(self.model_.scores(self._read(X, reset=False), self._threads()))

    def save(self, path: Any, dtype: Any = None) -> None:
        """Write a model file, weights as they are or cast to ``dtype``; `linnet.load` reads it."""
        from linnet.persistence import write

        self._check_fitted()
        write(path, *self.file_parts(dtype))

    def file_parts(self, dtype: Any = None) -> tuple[dict[str, Any], dict[str, NDArray[Any]]]:
        """What a model file holds."""
        from linnet.estimators.linear.file import linear_parts

        return linear_parts(self, dtype)

    @property
    def coef_(self) -> Weights:
        """(1 or labels, features)."""
        self._check_fitted_attribute("coef_")
        return self.model_.coef

    @property
    def intercept_(self) -> Weights:
        """(1 or labels,)."""
        self._check_fitted_attribute("intercept_")
        return self.model_.intercept

    def _check_fitted_attribute(self, name: str) -> None:
        if not self.__sklearn_is_fitted__():
            raise AttributeError(f"{type(self).__name__} has no {name} before it is fitted")

    def get_feature_names_out(self, input_features: Any = None) -> Labels:
        """Names of the features, in the order of ``coef_``."""
        self._check_fitted()
        return feature_names(self, input_features)

    def trials(self, names: frozenset[str], X: Any, y: Any) -> Any:
        """Of rows."""
        from linnet.estimators.text.trials import row_trials

        return row_trials(self, names, X, y)

    def no_probabilities(self) -> str | None:
        """Margins are none, unless they are calibrated."""
        loss = LOSSES.get(self.loss) if isinstance(self.loss, str) else None
        if self.calibration is None and self.reduced():
            return (
                f"scores of multiclass={self.multiclass!r} are sums of margins, not probabilities; set "
                f"calibration='sigmoid' or 'isotonic', or use multiclass='joint'"
            )
        if self.calibration is None and loss is not None and loss.probability_scale == 0:
            return (
                f"scores of loss {self.loss!r} are margins, not probabilities; set "
                f"calibration='sigmoid' or 'isotonic', or use loss='logistic'"
            )
        if self.calibration is not None and getattr(self, "calibrators_", ()) is None:
            return "training was interrupted before its probabilities were calibrated; fit it again"
        return None

    def nonzero_weights(self) -> int:
        """How many weights are not zero, the intercept's included."""
        return int(np.count_nonzero(self.coef_) + np.count_nonzero(self.intercept_))

    def __getstate__(self) -> dict[str, Any]:
        """Training in progress mostly lives in the core and is not copied; weights are."""
        stream = getattr(self, "_stream", None)
        kept = {"_stream": stream} if stream is not None and stream.plain else {}
        return super().__getstate__() | kept
