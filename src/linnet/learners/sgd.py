"""Stochastic gradient descent, with lazy penalties and any step size that depends on time alone."""

from __future__ import annotations

from typing import Any, ClassVar

import linnet._core as _core
from linnet._params import is_whole
from linnet.learners.base import ALL_LOSSES
from linnet.learners.online import OnlineLearner, OnlineSolver
from linnet.structures import Cell, Problem, Solver, Trait

_SCHEDULES = {
    "constant": _core.Schedule.constant,
    "reduce": _core.Schedule.constant,
    "power": _core.Schedule.power,
    "inverse": _core.Schedule.inverse,
}


class BatchLearner(OnlineLearner):
    """Base of the learners that step from ``batch_size`` instances at once.

    All of them are read at the same weights, by as many threads as there are, and one step follows
    their average gradient (1/b) Σ c_i ∇ℓ_i(w). The last batch of a pass may be smaller.
    """

    batch_size: int

    def start(self, problem: Problem) -> _core.OnlineLearner:
        """With batches of that size."""
        if not is_whole(self.batch_size, 1):
            raise ValueError(f"batch_size must be 1, 2, …, not {self.batch_size!r}")
        learner = super().start(problem)
        assert isinstance(learner, _core.Sgd | _core.AdaGrad)
        learner.set_batches(self.batch_size, problem.threads)
        return learner


class ReducingSolver(OnlineSolver):
    """SGD whose step shrinks when the training loop says that held-out likelihood fell."""

    learner: _core.Sgd
    reduces_steps = True

    def __init__(self, learner: _core.Sgd, problem: Problem, factor: float) -> None:
        super().__init__(learner, problem)
        self.factor = factor

    def reduce_step(self) -> None:
        """All later steps are ``factor`` times as long."""
        self.learner.scale_step(self.factor)


class SGD(BatchLearner):
    """w ← penalty_t(w) − η_t c_i ∇ℓ_i(w), on mean loss + alpha · penalty.

    Step sizes: ``constant`` η₀; ``power`` η₀ t^−``power``; ``inverse`` η₀ / (``offset`` + t);
    ``reduce``: constant, multiplied by ``factor`` whenever the held-out likelihood falls. Penalties
    are applied lazily, at the cost of the active features, and exactly: see the manual for the
    closed forms. With ``batch_size`` b a step follows the average gradient of b instances, all of them
    read at the weights before it; t then counts batches.
    """

    name: ClassVar[str] = "sgd"
    losses: ClassVar[frozenset[str]] = ALL_LOSSES - {"exponential"}
    losses_why: ClassVar[str] = (
        "the gradient of the exponential loss has no bound, so that any step size overshoots; use "
        "'adagrad' or 'lbfgs'. Counting alone minimises joint_likelihood"
    )

    def __init__(
        self,
        step: str = "power",
        eta0: float = 0.5,
        power: float = 0.6,
        offset: float = 1.0,
        factor: float = 0.5,
        batch_size: int = 1,
    ) -> None:
        self.step = step
        self.eta0 = eta0
        self.power = power
        self.offset = offset
        self.factor = factor
        self.batch_size = batch_size

    @property
    def needs_dev(self) -> bool:  # type: ignore[override]
        """``reduce`` watches the likelihood of held-out data."""
        return self.step == "reduce"

    def refusal(self, cell: Cell) -> str | None:
        """Averaging and L1 do not go together, nor do long sentences and squared losses."""
        reason = super().refusal(cell)
        many = Trait.MANY_PARTS in cell.structure.traits
        if reason is None and many and cell.loss == "squared_hinge":
            return (
                f"{self.name} does not train {cell.structure.plural} with loss 'squared_hinge': the "
                f"gradient grows with the square of an instance's length, so that any step size "
                f"overshoots; use 'hinge', or 'adagrad'"
            )
        if reason is None and many and cell.loss == "squared":
            return (
                f"{self.name} does not train {cell.structure.plural} with loss 'squared': it asks "
                f"every part of an instance for a score of ±1 at once, so that any step size "
                f"overshoots; use 'adagrad' or 'lbfgs'"
            )
        if reason is None and cell.average and cell.penalty in ("l1", "elasticnet"):
            return _AVERAGE_AND_L1.format(self.name)
        return reason

    def stream(self, problem: Problem) -> OnlineSolver:
        """One pass per epoch; ``reduce`` listens to the held-out likelihood."""
        if self.step != "reduce":
            return super().stream(problem)
        if not 0 < self.factor < 1:
            raise ValueError(f"factor must be between 0 and 1, not {self.factor!r}")
        return ReducingSolver(self.start(problem), problem, self.factor)

    def start(self, problem: Problem) -> _core.Sgd:
        """Weights at the start."""
        learner = super().start(problem)
        assert isinstance(learner, _core.Sgd)
        return learner

    def facts(self, solver: Any) -> dict[str, Any]:
        """The step size in the end: η₀, times ``factor`` for every time it was reduced."""
        return {"eta": solver.learner.eta}

    def rule(self, problem: Problem, **common: Any) -> _core.OnlineLearner:
        """The rule of the core."""
        if self.step not in _SCHEDULES:
            raise ValueError(f"step must be one of {', '.join(_SCHEDULES)}, not {self.step!r}")
        return _core.Sgd(
            schedule=_SCHEDULES[self.step],
            eta=self.eta0,
            decay=self.offset if self.step == "inverse" else self.power,
            l1=problem.alpha * problem.l1,
            l2=problem.alpha * problem.l2,
            penalize_intercept=problem.penalize_intercept,
            stride=problem.structure.layout.unit,
            **common,
        )


class Pegasos(BatchLearner):
    """SGD on the SVM objective with step 1/(λt), λ = alpha (Shalev-Shwartz et al. 2007).

    ``project`` keeps ‖w‖ ≤ 1/√λ, where the minimum is known to lie. A step is of ``batch_size``
    instances, k in the paper.
    """

    name: ClassVar[str] = "pegasos"
    losses: ClassVar[frozenset[str]] = frozenset({"hinge"})
    losses_why: ClassVar[str] = "its step size and radius come from the hinge loss; use 'sgd'"
    penalties: ClassVar[frozenset[str]] = frozenset({"l2"})
    penalties_why: ClassVar[str] = "its step size 1/(λt) comes from the L2 penalty; use 'sgd'"

    def __init__(self, project: bool = False, batch_size: int = 1) -> None:
        self.project = project
        self.batch_size = batch_size

    def rule(self, problem: Problem, **common: Any) -> _core.OnlineLearner:
        """The rule of the core."""
        if problem.alpha == 0:
            raise ValueError("pegasos needs a finite C: its steps are 1/(λt), λ = 1/(C n)")
        return _core.Sgd(
            schedule=_core.Schedule.inverse,
            eta=1.0 / problem.alpha,
            decay=0.0,
            l2=problem.alpha,
            penalize_intercept=problem.penalize_intercept,
            radius=problem.alpha**-0.5 if self.project else 0.0,
            stride=problem.structure.layout.unit,
            **common,
        )


class AdaGrad(BatchLearner):
    """SGD with a step of its own for every weight, η/√(Σg²) (Duchi, Hazan & Singer 2011).

    L1, L2 and elastic net are composite steps, applied lazily: between two touches of a weight its step
    is constant, so the skipped steps are a geometric series. With ``batch_size`` b, g is the average
    gradient of b instances.
    """

    name: ClassVar[str] = "adagrad"
    losses_why: ClassVar[str] = "counting alone minimises joint_likelihood; use learner 'counting'"

    def __init__(self, eta0: float = 0.1, epsilon: float = 1e-8, batch_size: int = 1) -> None:
        self.eta0 = eta0
        self.epsilon = epsilon
        self.batch_size = batch_size

    def refusal(self, cell: Cell) -> str | None:
        """Averaging is for weights without a penalty."""
        reason = super().refusal(cell)
        if reason is None and cell.average and cell.penalty != "none":
            return (
                "adagrad does not average with a penalty: every weight shrinks at a pace of its own, "
                "so the sum over skipped steps has no short form; use 'sgd' with penalty 'l2'"
            )
        return reason

    def solver(self, problem: Problem) -> Solver:
        """By the structure's own way of taking such steps, if it has one, instance by instance."""
        single = is_whole(self.batch_size, 1) and self.batch_size == 1
        fast = problem.structure.gradient_steps(problem, self.eta0) if single else None
        return super().solver(problem) if fast is None else fast

    def rule(self, problem: Problem, **common: Any) -> _core.OnlineLearner:
        """The rule of the core."""
        return _core.AdaGrad(
            eta=self.eta0,
            epsilon=self.epsilon,
            l1=problem.alpha * problem.l1,
            l2=problem.alpha * problem.l2,
            penalize_intercept=problem.penalize_intercept,
            stride=problem.structure.layout.unit,
            **common,
        )


_AVERAGE_AND_L1 = (
    "{} does not average with an L1 penalty: past the point where a weight is clipped to zero the "
    "sum over skipped steps has no closed form, and the average would not be sparse; use penalty 'l2', "
    "or average=False"
)
