"""What all online learners share: an object of the core that lives on over epochs and streams."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np

import linnet._core as _core
from linnet.errors import RefusedError
from linnet.learners.base import Learner
from linnet.learners.checks import check_data, check_dense
from linnet.learners.survival import survivor
from linnet.structures import Learnt, Problem, Solver, Weights
from linnet.structures.layout import moves


class OnlineSolver(Solver):
    """Drives an online learner of the core over one data set, pass by pass."""

    def __init__(self, learner: _core.OnlineLearner, problem: Problem) -> None:
        self.learner = learner
        self.learner.forget_pass()  # one that was paused was over other data
        self.data: _core.Dataset | None = problem.data()
        self.shuffle = problem.shuffle
        self.penalised = problem.l1 > 0 or problem.l2 > 0
        self.layout = problem.structure.layout
        self.hypotheses = problem.hypotheses
        self.passes = 0

    def learnt(self) -> Learnt:
        """Votes beside the last weights, where hypotheses vote."""
        votes = self.learner.kept_votes() if self.hypotheses == "voted" else None
        return Learnt(self.weights(), votes=votes)

    def facts(self) -> dict[str, Any]:
        """What the hypothesis that survived most examples is good for."""
        if self.hypotheses != "survivor":
            return {}
        core = self.learner
        return {"survivor": survivor(core.survivals, core.survivor, core.hypotheses, self.passes)}

    def learning(self) -> Any:
        """The solver of the core."""
        return self.learner

    def epoch(self) -> _core.EpochStats:
        """One pass over the instances; a pass that moved nothing is the last, if no penalty moves."""
        assert self.data is not None
        stats = self.learner.epoch(self.data, self.shuffle)
        self.passes += not stats.paused
        stats.converged = stats.updates == 0 and not self.penalised and not stats.paused
        return stats

    def turn_to(self, problem: Problem | None) -> bool:
        """The learner of the core takes instances as they come."""
        self.data = None if problem is None else problem.data()
        return True

    def weights(self) -> Weights:
        """Averaged and settled."""
        return self.learner.weights()

    def grown(self, problem: Problem) -> OnlineSolver:
        """Go on over a batch that may have new features and labels, from where the learner stands.

        Averages, sums of squares and whatever else is kept per weight go with the weights.
        """
        old, new = self.layout, problem.structure.layout
        if new.only_longer(old):
            self.learner.grow(new.dim)
        elif old != new:
            self.learner.remap(new.dim, new.unit, moves(old, new))
        return OnlineSolver(self.learner, problem)


class OnlineLearner(Learner):
    """Base of the online learners: subclasses say which rule of the core they are."""

    family: ClassVar[str] = "online"
    averages: ClassVar[bool] = True
    incremental: ClassVar[bool] = True
    hands_on: ClassVar[bool] = True
    epochs: ClassVar[int] = 20

    def rule(self, problem: Problem, **common: Any) -> _core.OnlineLearner:
        """The object of the core; ``common`` are the arguments every rule takes."""
        raise NotImplementedError

    def start(self, problem: Problem) -> _core.OnlineLearner:
        """A learner with its weights at the start (zero, or those given)."""
        check_data(self, problem)
        check_dense(self, problem)
        try:
            learner = self.rule(
                problem,
                loss=problem.loss,
                dim=problem.structure.layout.dim,
                averaging=bool(problem.average),
                seed=problem.seed,
                margin=problem.margin,
            )
        except TypeError:
            raise ValueError(f"{self!r}: a setting that should be a number is none") from None
        if problem.hypotheses == "voted" and problem.initial is not None:
            raise RefusedError("average='voted' has no warm start: every hypothesis since zero votes")
        if problem.hypotheses is not None:
            kept = {"voted": "votes", "survivor": "survivor"}[problem.hypotheses]
            learner.keep(kept, problem.width)
        if problem.initial is not None:
            learner.set_weights(problem.initial.astype("float32"))
        return learner

    def step_limit(self) -> float:
        """How far such a step may go."""
        return 1.0

    def solver(self, problem: Problem) -> Solver:
        """One pass per epoch; by the structure's own way of taking such steps, if it has one."""
        rule = self.step_rule()
        fast = None if rule is None else problem.structure.steps(problem, rule, self.step_limit())
        return self.stream(problem) if fast is None else fast

    def stream(self, problem: Problem) -> OnlineSolver:
        """A solver that can go on over later data, see `OnlineSolver.grown`."""
        return OnlineSolver(self.start(problem), problem)

    def resume(self, problem: Problem, weights: Weights) -> OnlineSolver:
        """A solver that goes on from these weights, all else forgotten."""
        core = self.start(problem)
        core.set_weights(np.ascontiguousarray(weights, dtype=np.float32).reshape(-1))
        return OnlineSolver(core, problem)
