"""The perceptron in the dual: coefficients count mistakes."""

from __future__ import annotations

from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

import linnet._core as _core
from linnet._params import flag, whole
from linnet.data.label_names import check_label_types
from linnet.errors import RefusedError, setting, warn_of_training
from linnet.estimators.base import unchanged_on_failure
from linnet.estimators.kernels.classifier import KernelClassifier
from linnet.estimators.kernels.examples import shown_texts
from linnet.estimators.kernels.input import Array
from linnet.estimators.kernels.reductions import Constraints, code_of, facts_of, learn_code, summed
from linnet.kernels import kernel_named
from linnet.learners.survival import survivor
from linnet.training import TrainingRecord
from linnet.training.progressive import COLUMNS, lines
from linnet.training.record import Epoch

HYPOTHESES = ("last", "averaged", "voted", "survivor")
PASSES = 10


class Steps(NamedTuple):
    """What a perceptron came to, and its updates: which example, which labels rose and fell."""

    weights: Array
    example: NDArray[np.int64]
    up: NDArray[np.int32]
    down: NDArray[np.int32]
    loss: Array
    survived: NDArray[np.int64]


class KernelPerceptron(KernelClassifier):
    """The perceptron with a kernel: w = Σ_t [f(x_t, y_t) − f(x_t, y′_t)] over its mistakes.

    Parameters
    ----------
    kernel, features, cache : as of `KernelSVM`
    hypothesis : 'averaged' over all steps, 'voted' by all hypotheses, each as often as it survived an
        example (Freund and Schapire 1999), the 'survivor' of most examples in a row, or the 'last'
    budget : how many updates are remembered; the oldest one is forgotten (with 'last' only)
    fit_intercept : add 1 to the kernel, the constant feature
    max_iter : passes, 10 unless given, of the survivor one; it stops after one without a mistake
    shuffle, random_state : the order of each pass
    multiclass : for more than two labels 'joint' (the label that is ahead falls, the right one rises),
        or perceptrons of two labels, as of `KernelSVM`: 'rest', 'pairs', 'ecoc', 'pairs_votes',
        'ecoc_votes', each with a budget of its own, or 'kesler', whose steps are single constraints
    progressive : go through the data in their order first, and write down in
        ``record_.facts["progressive"]`` how well each example was predicted before it was learnt from

    Attributes
    ----------
    classes_, kernel_, model_, support_, dual_coef_, record_ (mistakes of each pass; what a survivor
    promises, as of `LinearClassifier`)

    Examples
    --------
    >>> from linnet import KernelPerceptron
    >>> X = [[0, 0], [0, 1], [1, 0], [1, 1]]
    >>> KernelPerceptron("polynomial degree=2", "last", max_iter=100).fit(X, [0, 1, 1, 0]).predict(X)
    array([0, 1, 1, 0])
    """

    history_: tuple[Any, ...] | None

    def __init__(
        self,
        kernel: Any = "gaussian",
        hypothesis: str = "averaged",
        *,
        multiclass: str = "auto",
        budget: int | None = None,
        fit_intercept: bool = True,
        max_iter: int | None = None,
        shuffle: bool = True,
        progressive: bool = False,
        random_state: Any = 0,
        cache: Any = "200MB",
        features: Any = None,
        n_jobs: int | None = None,
    ) -> None:
        self.kernel = kernel
        self.hypothesis = hypothesis
        self.multiclass = multiclass
        self.budget = budget
        self.fit_intercept = fit_intercept
        self.max_iter = max_iter
        self.shuffle = shuffle
        self.progressive = progressive
        self.random_state = random_state
        self.cache = cache
        self.features = features
        self.n_jobs = n_jobs

    def fit(self, X: Any, y: Any) -> Self:
        """Train on examples of any kind that the kernel reads, and labels y."""
        self._check_hypothesis()
        way = self._way()
        with unchanged_on_failure(self):
            check_label_types(y)
            examples = self._examples(X, reset=True)
            labels = self._labels(y, examples.shape[0] if hasattr(examples, "shape") else len(examples))
            self.kernel_ = kernel_named(self.kernel).fitted(examples)
            self.way_ = way if len(self.classes_) > 2 else "two"
            self._check_way()
            passes, self.codes_, self.history_ = self._passes(), None, None
            record = TrainingRecord("perceptron", "perceptron", "none", "kernel", 1.0, 0.0)
            if self.way_ in ("two", "joint"):
                cache = self._cached(self._gram(examples))
                width = len(self.classes_) if self.way_ == "joint" else 1
                steps = self._learnt(cache, labels, width, passes, record)
                if self.progressive and len(record.epochs):
                    record.facts["progressive"] = self._table(
                        labels, steps, record.epochs[0].mistakes or 0
                    )
                weights = steps.weights
            elif self.way_ == "kesler":
                steps, weights = self._kesler(examples, labels, passes, record)
            else:
                steps, weights = None, self._coded(examples, labels, passes, record)
            if steps is not None and self.hypothesis == "voted":
                kept = np.unique(steps.example)  # every update counts, though later ones may undo it
                example = np.searchsorted(kept, steps.example)
                self.history_ = (example, steps.up, steps.down, steps.survived)
            else:
                kept = np.flatnonzero((weights != 0).any(axis=1))
            self.model_ = self._of(examples, weights[kept], kept)
            self.gold_ = labels[self.model_.places].astype(np.int32)
            self.shown_ = shown_texts(X, self.model_.places)
            record.facts = {"support vectors": len(self.model_)} | record.facts
            self.record_ = record
        if record.interrupted:
            warn_of_training("training was interrupted; the last hypothesis is kept")
        return self

    def _learnt(
        self,
        cache: _core.GramCache,
        labels: NDArray[np.int32],
        width: int,
        passes: int,
        record: TrainingRecord,
        *,
        constant: float | None = None,
        machine: int | None = None,
    ) -> Steps:
        """One perceptron; ``machine`` is its number among several."""
        shuffle, progressive = flag("shuffle", self.shuffle), flag("progressive", self.progressive)
        last, average, example, up, down, loss, survived, mistakes, interrupted = (
            _core.kernel_perceptron(
                cache,
                labels,
                width,
                self._constant() if constant is None else constant,
                passes,
                0 if self.budget is None else whole("budget", self.budget),
                int(progressive) if shuffle else passes,
                self._seed(),
            )
        )
        weights = average if self.hypothesis == "averaged" else last
        if self.hypothesis == "survivor":
            best, told = _survivor(survived, passes)
            if machine is None:
                record.facts["survivor"] = told
            weights = _after(best, example, up, down, last.shape)
        made = (Epoch(k + 1, mistakes=int(m), label=machine) for k, m in enumerate(mistakes))
        record.epochs.extend(made)
        record.mistakes += int(mistakes.sum())
        state = "interrupted" if interrupted else "limit" if mistakes[-1] else "converged"
        if record.stopped in ("", "converged") or state == "interrupted":
            record.stopped = state
        return Steps(weights, example, up, down, loss, survived)

    def _coded(
        self, examples: Any, labels: NDArray[np.int32], passes: int, record: TrainingRecord
    ) -> Array:
        """A perceptron for each column of a code."""
        codes = code_of(self.way_, len(self.classes_), self._seed())
        machine = iter(range(codes.shape[1]))

        def learn(cache: _core.GramCache, signs: Array, _: Any) -> tuple[Array, float]:
            asked = (signs > 0).astype(np.int32)
            found = self._learnt(cache, asked, 1, passes, record, machine=next(machine)).weights
            return found[:, 0], 0.0  # the constant feature makes intercepts

        record.facts |= facts_of(self.way_, codes)
        found = learn_code(self, examples, labels, codes, learn)
        weights, _, self.codes_ = summed(self.way_, codes, *found)
        return weights

    def _kesler(
        self, examples: Any, labels: NDArray[np.int32], passes: int, record: TrainingRecord
    ) -> tuple[Steps, Array]:
        """A perceptron over constraints, none of which has an intercept: the labels have one each."""
        constraints = Constraints(self, examples, labels, len(self.classes_), constant=self._constant())
        gold = np.ones(constraints.count, dtype=np.int32)
        steps = self._learnt(constraints.cache, gold, 1, passes, record, constant=0.0)
        record.facts |= constraints.facts
        if "survivor" in record.facts:  # the constraints of an example are not drawn one by one
            record.facts["survivor"]["epsilon"] = None
        example = constraints.example(steps.example)
        down = constraints.wrong(steps.example)
        weights = constraints.by_label(steps.weights[:, 0])
        return steps._replace(example=example, up=labels[example], down=down), weights

    def _check_way(self) -> None:
        """What is of one perceptron, and not of many."""
        if self.way_ in ("two", "joint"):
            return
        name = f"multiclass={self.multiclass!r}"
        if self.progressive:
            raise RefusedError(
                f"{name} makes several examples or problems of one, and {setting('progressive')} is of "
                f"examples as they come; use multiclass='joint'"
            )
        if self.hypothesis == "voted" and self.way_ != "kesler":
            raise RefusedError(
                f"{name} trains several perceptrons of two labels, and votes are of the hypotheses of "
                f"one; use the averaged one, or multiclass='joint' or 'kesler'"
            )

    def _check_hypothesis(self) -> None:
        if self.hypothesis not in HYPOTHESES:
            raise ValueError(
                f"hypothesis must be one of {', '.join(HYPOTHESES)}, not {self.hypothesis!r:.40}"
            )
        if self.budget is not None and self.hypothesis != "last":
            raise RefusedError(
                f"budget={self.budget!r} bounds what the last hypothesis is made of; the "
                f"{self.hypothesis} one would keep every update there ever was: use hypothesis='last'"
            )

    def _table(
        self,
        labels: NDArray[np.int32],
        steps: Steps,
        first: int,
    ) -> dict[str, list[Any]]:
        """Of the first pass: its mistakes, in the order of the data, as of other online learners."""
        example, down, loss = (a[:first] for a in (steps.example, steps.down, steps.loss))
        table: dict[str, list[Any]] = {name: [] for name in COLUMNS}
        total, before, last = np.r_[0.0, np.cumsum(loss)], 0.0, 0
        for at in lines(len(labels)):
            mistakes = int(np.searchsorted(example, at))
            gold = guess = int(labels[at - 1])
            if mistakes and example[mistakes - 1] == at - 1:
                guess = int(down[mistakes - 1]) if len(self.classes_) > 2 else 1 - gold
            sum_ = float(total[mistakes])
            told = (at, sum_ / at, (sum_ - before) / (at - last), mistakes / at)
            names = (self.classes_[gold], self.classes_[guess])
            for column, value in zip(table.values(), (*told, *names), strict=True):
                column.append(getattr(value, "item", lambda v=value: v)())
            before, last = sum_, at
        return table

    def _passes(self) -> int:
        if self.max_iter is None:
            return 1 if self.hypothesis == "survivor" else PASSES
        return whole("max_iter", self.max_iter)

    def _constant(self) -> float:
        return 1.0 if flag("fit_intercept", self.fit_intercept) else 0.0

    def _of(self, examples: Any, weights: Array, places: NDArray[np.integer[Any]]) -> Any:
        """The model; the constant feature makes the intercepts."""
        full = np.zeros((examples.shape[0] if hasattr(examples, "shape") else len(examples), 1))
        full[places] = 1.0
        model = self._with_support(examples, full, np.zeros(1))
        model.weights = np.ascontiguousarray(weights)
        model.intercepts = self._constant() * weights.sum(axis=0)
        return model

    def _scores(self, X: Any) -> Array:
        """Of 'voted' the share of votes."""
        if not self.__sklearn_is_fitted__() or self.history_ is None:
            return super()._scores(X)
        examples = self._examples(X, reset=False)
        values = np.ascontiguousarray(self.model_.values(examples, self._threads()), np.float64)
        if len(self.model_) == 0:
            values = np.zeros((len(values), 0))
        example, up, down, survived = self.history_
        width = self.model_.weights.shape[1]
        votes = _core.kernel_votes(values, self._constant(), example, up, down, survived, width)
        return votes / max(float(np.sum(survived)), 1.0)

    def explain(self, X: Any, top: int = 5) -> Any:
        """The support vectors that speak most for and against the label of each example."""
        if self.__sklearn_is_fitted__() and self.history_ is not None:
            raise RefusedError(
                "votes of many hypotheses are no sum over support vectors; use the averaged one"
            )
        return super().explain(X, top)

    def written_out(self, size: int | None = None) -> Self:
        """As of any machine; votes are no sum."""
        if self.__sklearn_is_fitted__() and self.history_ is not None:
            raise RefusedError(
                "votes of many hypotheses are no sum over fragments; use the averaged one"
            )
        return super().written_out(size)

    def no_probabilities(self) -> str | None:
        """Scores are none."""
        return "scores of a perceptron are no probabilities"


def _survivor(survived: NDArray[np.int64], passes: int) -> tuple[int, dict[str, Any]]:
    """How many updates made the hypothesis that survived most examples, and what it promises."""
    fresh = survived.copy()
    fresh[1:] -= 1  # votes count the example that a hypothesis has just learnt from
    best = int(fresh.argmax())
    return best, survivor(int(fresh[best]), best + 1, len(fresh), passes)


def _after(
    updates: int,
    example: NDArray[np.int64],
    up: NDArray[np.int32],
    down: NDArray[np.int32],
    shape: tuple[int, ...],
) -> Array:
    """The coefficients after so many updates."""
    found = np.zeros(shape)
    for labels, step in ((up, 1.0), (down, -1.0)):
        moved = np.flatnonzero(labels[:updates] >= 0)
        np.add.at(found, (example[moved], labels[moved]), step)
    return found
