"""The compiled core of Linnet."""

from collections.abc import Callable, Sequence
import enum
from typing import Annotated, overload

import numpy
from numpy.typing import NDArray


class EpochStats:
    """What one pass of a learner reports; NaN: not computed."""

    def __init__(self) -> None: ...

    @property
    def objective(self) -> float: ...

    @objective.setter
    def objective(self, arg: float, /) -> None: ...

    @property
    def dual(self) -> float: ...

    @dual.setter
    def dual(self, arg: float, /) -> None: ...

    @property
    def gap(self) -> float: ...

    @gap.setter
    def gap(self, arg: float, /) -> None: ...

    @property
    def gradient_norm(self) -> float: ...

    @gradient_norm.setter
    def gradient_norm(self, arg: float, /) -> None: ...

    @property
    def mistakes(self) -> int: ...

    @mistakes.setter
    def mistakes(self, arg: int, /) -> None: ...

    @property
    def updates(self) -> int: ...

    @updates.setter
    def updates(self, arg: int, /) -> None: ...

    @property
    def converged(self) -> bool: ...

    @converged.setter
    def converged(self, arg: bool, /) -> None: ...

    @property
    def interrupted(self) -> bool: ...

    @interrupted.setter
    def interrupted(self, arg: bool, /) -> None: ...

def padded(width: int) -> int:
    """The stride of a row of weights for `width` labels."""

class Rows:
    """Sparse or dense rows, read in place."""

    @staticmethod
    def csr(indptr: Annotated[NDArray, dict(shape=(None,), order='C', device='cpu', writable=False)], indices: Annotated[NDArray, dict(shape=(None,), order='C', device='cpu', writable=False)], data: Annotated[NDArray, dict(shape=(None,), order='C', device='cpu', writable=False)], cols: int, bias: float = 0.0) -> Rows: ...

    @staticmethod
    def dense(x: Annotated[NDArray, dict(shape=(None, None), order='C', device='cpu', writable=False)], bias: float = 0.0) -> Rows: ...

    @property
    def size(self) -> int: ...

    @property
    def features(self) -> int: ...

    @property
    def bias(self) -> float: ...

    @property
    def nonzeros(self) -> int: ...

    def has_duplicates(self) -> bool:
        """Does a row name a feature twice?"""

class Oracle:
    """solve(ring, theta) -> value, mu: all that learners see of a structure."""

    @property
    def parts(self) -> int: ...

    def solve(self, ring: str, theta: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> tuple: ...

    def marginals_along(self, theta: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], tangent: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> Annotated[NDArray[numpy.float64], dict(shape=(None,))]: ...

    def loss(self, name: str, theta: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], gold: Sequence[int]) -> tuple:
        """
        Loss and its gradient by theta; `gold` lists the parts of the gold output.
        """

class FlatOracle(Oracle):
    def __init__(self, labels: int) -> None: ...

class BinaryOracle(Oracle):
    def __init__(self) -> None: ...

class MulticlassSweep(Oracle):
    def __init__(self, labels: int) -> None: ...

    def solve_generic(self, arg0: str, arg1: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], /) -> tuple: ...

class BinarySweep(Oracle):
    def __init__(self) -> None: ...

    def solve_generic(self, arg0: str, arg1: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], /) -> tuple: ...

class Chain(Oracle):
    def __init__(self, length: int, labels: int) -> None: ...

    def solve_generic(self, arg0: str, arg1: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], /) -> tuple: ...

class Projective(Oracle):
    def __init__(self, words: int, single_root: bool = False) -> None: ...

    def solve_generic(self, arg0: str, arg1: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], /) -> tuple: ...

class Cky(Oracle):
    def __init__(self, length: int, symbols: int, start: int, rules: Sequence[Sequence[int]]) -> None: ...

    def solve_generic(self, arg0: str, arg1: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], /) -> tuple: ...

class Dataset:
    """Instances as learners see them."""

    @property
    def size(self) -> int: ...

    @property
    def dim(self) -> int: ...

    @property
    def width(self) -> int: ...

    @property
    def stride(self) -> int: ...

class BlockData(Dataset):
    def __init__(self, rows: Rows, labels: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], num_labels: int, binary: bool, weights: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None = None) -> None: ...

class CandidateData(Dataset):
    def __init__(self, rows: Rows, offsets: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], gold: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], weights: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None = None) -> None: ...

@overload
def decision(rows: Rows, weights: Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C', device='cpu', writable=False)], width: int, threads: int = 1) -> Annotated[NDArray[numpy.float64], dict(shape=(None, None))]: ...

@overload
def decision(rows: Rows, weights: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], width: int, threads: int = 1) -> Annotated[NDArray[numpy.float64], dict(shape=(None, None))]: ...

def count_gold(data: Dataset) -> Annotated[NDArray[numpy.float64], dict(shape=(None,))]:
    """
    The gold parts' features added up, weighted, in the layout of the weights.
    """

class OnlineLearner:
    """Weights that move an instance at a time."""

    @property
    def dim(self) -> int: ...

    def set_weights(self, weights: Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> None: ...

    def relayout(self, old_stride: int, stride: int) -> None: ...

    def grow(self, dim: int) -> None: ...

    def epoch(self, data: Dataset, shuffle: bool = True) -> EpochStats: ...

    def weights(self) -> Annotated[NDArray[numpy.float32], dict(shape=(None,))]:
        """
        The weights to predict with: averaged where averaging, lazy penalties settled.
        """

class Perceptron(OnlineLearner):
    """The perceptron."""

    def __init__(self, loss: str, dim: int, averaging: bool = False, seed: int = 0, margin: float = 1.0) -> None: ...

class Schedule(enum.Enum):
    """How step sizes fall."""

    constant = 0
    """eta"""

    power = 1
    """eta t^-decay"""

    inverse = 2
    """eta / (decay + t)"""

class Sgd(OnlineLearner):
    """Stochastic gradient descent; Pegasos with an inverse schedule."""

    def __init__(self, loss: str, dim: int, averaging: bool = False, seed: int = 0, margin: float = 1.0, schedule: Schedule = Schedule.constant, eta: float = 1.0, decay: float = 0.0, l1: float = 0.0, l2: float = 0.0, penalize_intercept: bool = True, radius: float = 0.0, stride: int = 1) -> None: ...

    def scale_step(self, factor: float) -> None:
        """Multiplies all later step sizes."""

    @property
    def eta(self) -> float: ...

class AdaGrad(OnlineLearner):
    """AdaGrad with diagonal scaling."""

    def __init__(self, loss: str, dim: int, averaging: bool = False, seed: int = 0, margin: float = 1.0, eta: float = 0.1, epsilon: float = 1e-08, l1: float = 0.0, l2: float = 0.0, penalize_intercept: bool = True, stride: int = 1) -> None: ...

class Objective:
    """A smooth function to be minimised."""

    @property
    def dim(self) -> int: ...

    @property
    def has_hessian(self) -> bool: ...

    def evaluate(self, w: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> tuple:
        """The value and the gradient at w."""

    def hessian_times(self, v: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> Annotated[NDArray[numpy.float64], dict(shape=(None,))]:
        """The product of the Hessian, at the last point evaluated, with v."""

    def hessian_diagonal(self) -> Annotated[NDArray[numpy.float64], dict(shape=(None,))] | None:
        """The diagonal of the Hessian at the last point evaluated, or None."""

class FunctionObjective(Objective):
    """
    An objective from Python functions: evaluate(w) -> (value, gradient); hessian_times(v) and
    hessian_diagonal() are asked at the last point evaluated.
    """

    def __init__(self, dim: int, evaluate: Callable, hessian_times: Callable | None = None, hessian_diagonal: Callable | None = None) -> None: ...

class Minimiser:
    """Minimises an Objective, an iteration at a time."""

    def epoch(self) -> EpochStats:
        """One iteration."""

    def restart(self, weights: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None = None) -> None:
        """
        Forget the past, and start from these weights, or from those written to `weights`.
        """

    @property
    def evaluations(self) -> int: ...

    @property
    def weights(self) -> Annotated[NDArray[numpy.float64], dict(shape=(None,))]:
        """The point reached: a view."""

class LBFGS(Minimiser):
    def __init__(self, objective: Objective, history: int = 10, *, tol: float = 1e-05, decrease_tol: float = 1e-10, reference: float = 0.0) -> None: ...

class OWLQN(Minimiser):
    def __init__(self, objective: Objective, l1: float | Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], unpenalised: int = 0, history: int = 10, *, tol: float = 1e-05, decrease_tol: float = 1e-10, reference: float = 0.0) -> None: ...

class NewtonCG(Minimiser):
    def __init__(self, objective: Objective, cg_iterations: int = 1000, *, tol: float = 1e-05, decrease_tol: float = 1e-10, reference: float = 0.0) -> None: ...

    @property
    def hessian_products(self) -> int: ...

class NonlinearCG(Minimiser):
    def __init__(self, objective: Objective, *, tol: float = 1e-05, decrease_tol: float = 1e-10, reference: float = 0.0) -> None: ...

class GradientAscent(Minimiser):
    def __init__(self, objective: Objective, *, tol: float = 1e-05, decrease_tol: float = 1e-10, reference: float = 0.0) -> None: ...

def strong_wolfe(phi: Callable[[float], tuple[float, float]], first: float = 1.0, decrease: float = 0.0001, curvature: float = 0.9) -> tuple[float, float, float] | None:
    """
    A step satisfying the strong Wolfe conditions for phi(t) -> (value, slope).
    """

def testing_parallel_sum(tasks: int, threads: int, failing: int = 9223372036854775807, nested: bool = False) -> float:
    """For the tests of the pool."""

def testing_pool_workers() -> int:
    """For the tests of the pool."""

class BatchObjective(Objective):
    """
    P(w) = ½ l2 ‖w‖² + Σ c_i loss_i(w) over a dataset; the same bits at any thread count.
    """

    def __init__(self, data: Dataset, loss: str, l2: float = 1.0, penalise_intercept: bool = True, threads: int = 1, margin: float = 1.0) -> None: ...

class GIS(Minimiser):
    """Generalised iterative scaling, without or with L2."""

    def __init__(self, objective: BatchObjective, *, tol: float = 1e-05, decrease_tol: float = 1e-10, reference: float = 0.0) -> None: ...

    @property
    def constant(self) -> float:
        """The largest sum of the features of any output."""

class PassiveAggressive(OnlineLearner):
    """PA-I, with squared_slack PA-II; C = inf is the step without slack."""

    def __init__(self, loss: str, dim: int, averaging: bool = False, seed: int = 0, margin: float = 1.0, C: float = 1.0, squared_slack: bool = False) -> None: ...

class Mira(OnlineLearner):
    """MIRA against every wrong output; C = inf is the step without slack."""

    def __init__(self, loss: str, dim: int, averaging: bool = False, seed: int = 0, margin: float = 1.0, C: float = 1.0) -> None: ...

class Arow(OnlineLearner):
    """AROW with a diagonal covariance."""

    def __init__(self, loss: str, dim: int, averaging: bool = False, seed: int = 0, margin: float = 1.0, r: float = 1.0) -> None: ...

    @property
    def covariance(self) -> Annotated[NDArray[numpy.float32], dict(shape=(None,))]: ...

class Winnow(OnlineLearner):
    """
    Positive Winnow; with eliminate Winnow1. The threshold is n unless given.
    """

    def __init__(self, loss: str, dim: int, averaging: bool = False, seed: int = 0, margin: float = 1.0, promotion: float = 2.0, demotion: float = 2.0, eliminate: bool = False, threshold: float | None = None, initial: float = 1.0) -> None: ...

    @property
    def threshold(self) -> float: ...

class BalancedWinnow(OnlineLearner):
    """Balanced Winnow: predicts by the difference of two positive weights."""

    def __init__(self, loss: str, dim: int, averaging: bool = False, seed: int = 0, margin: float = 1.0, promotion: float = 1.5, demotion: float = 1.5, initial: float = 1.0) -> None: ...

    @property
    def positive(self) -> Annotated[NDArray[numpy.float32], dict(shape=(None,))]: ...

    @property
    def negative(self) -> Annotated[NDArray[numpy.float32], dict(shape=(None,))]: ...

class Elimination(OnlineLearner):
    """The elimination algorithm for monotone disjunctions."""

    def __init__(self, dim: int, seed: int = 0) -> None: ...

def small_qp(H: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], l: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], C: float) -> tuple:
    """
    max l . a - a^T H a / 2 with a >= 0, sum a <= C: (a, whether it was solved).
    """

class Votes:
    """All past weights of a voted perceptron; can be pickled."""

    def count(self, rows: Rows) -> Annotated[NDArray[numpy.float64], dict(shape=(None, None))]:
        """
        How many survivals of all past weights vote for each label: (rows, labels).
        """

    def state(self) -> tuple:
        """The width, and eight arrays that it can be made from again."""

    @staticmethod
    def from_state(state: tuple[int, Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C', device='cpu', writable=False)], Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C', device='cpu', writable=False)], Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)]]) -> Votes: ...

    def __getstate__(self) -> tuple: ...

    def __setstate__(self, arg: tuple[int, Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C', device='cpu', writable=False)], Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C', device='cpu', writable=False)], Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)]], /) -> None: ...

class VotedPerceptron(OnlineLearner):
    def __init__(self, dim: int, width: int, seed: int = 0) -> None: ...

    def votes(self) -> Votes:
        """The votes as they stand."""

    @property
    def updates(self) -> int: ...

    @property
    def survived(self) -> list[int]: ...

class DualBinary:
    """
    Dual coordinate descent for ½‖w‖² + Σ cᵢ ℓ(yᵢ w·xᵢ): hinge, squared_hinge or logistic loss, until gap <= tol · objective.
    """

    def __init__(self, rows: Rows, y: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], c: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], loss: str = 'hinge', tol: float = 0.001, seed: int = 0, shuffle: bool = True, shrink: bool = True, min_margin: float = 0.0001, alpha: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None = None) -> None: ...

    def epoch(self) -> EpochStats: ...

    def evaluate(self) -> EpochStats:
        """Objective, dual and gap of the weights as they stand."""

    @property
    def weights(self) -> Annotated[NDArray[numpy.float64], dict(shape=(None, None))]:
        """A copy, (features + 1, 1); row 0 is the intercept."""

    @property
    def alpha(self) -> Annotated[NDArray[numpy.float64], dict(shape=(None,))]:
        """Dual variables; support vectors have alpha > 0."""

    @property
    def separable(self) -> bool:
        """
        False once hard-margin data are proved to have no margin worth the name.
        """

    @property
    def active(self) -> int:
        """Instances that shrinking has not left out."""

class CrammerSingerDual:
    """Dual coordinate descent, joint hinge."""

    def __init__(self, rows: Rows, labels: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], costs: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], width: int, tol: float = 0.001, seed: int = 0) -> None: ...

    def epoch(self) -> EpochStats: ...

    def certify(self) -> EpochStats:
        """
        The exact objective and gap of the weights as they are, over all instances.
        """

    @property
    def weights(self) -> Annotated[NDArray[numpy.float32], dict(shape=(None, None))]:
        """float32 (features + 1, stride); a view."""

    @property
    def duals(self) -> Annotated[NDArray[numpy.float32], dict(shape=(None, None), writable=False)]: ...

    @property
    def support(self) -> Annotated[NDArray[numpy.int32], dict(shape=(None,))]:
        """int32 indices of the instances with some dual mass on a wrong label."""

class MaxEntDual:
    """Dual coordinate descent, softmax regression."""

    def __init__(self, rows: Rows, labels: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], costs: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], width: int, tol: float = 0.001, seed: int = 0) -> None: ...

    def epoch(self) -> EpochStats: ...

    def certify(self) -> EpochStats:
        """
        The exact objective and gap of the weights as they are, over all instances.
        """

    @property
    def weights(self) -> Annotated[NDArray[numpy.float32], dict(shape=(None, None))]:
        """float32 (features + 1, stride); a view."""

    @property
    def duals(self) -> Annotated[NDArray[numpy.float32], dict(shape=(None, None), writable=False)]: ...

    @property
    def support(self) -> Annotated[NDArray[numpy.int32], dict(shape=(None,))]:
        """int32 indices of the instances with some dual mass on a wrong label."""

class CoordinateL1Logistic:
    """L1 or elastic net with the logistic loss."""

    def __init__(self, rows: Rows, labels: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], costs: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], l1: float = 1.0, l2: float = 0.0, penalize_intercept: bool = True, tol: float = 0.0001) -> None: ...

    def epoch(self) -> EpochStats: ...

    @property
    def nonzeros(self) -> int: ...

    @property
    def weights(self) -> Annotated[NDArray[numpy.float64], dict(shape=(None, None))]: ...

class CoordinateL1SquaredHinge:
    """L1 or elastic net with the squared hinge, max(0, 1 - m)^2."""

    def __init__(self, rows: Rows, labels: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], costs: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], l1: float = 1.0, l2: float = 0.0, penalize_intercept: bool = True, tol: float = 0.0001) -> None: ...

    def epoch(self) -> EpochStats: ...

    @property
    def nonzeros(self) -> int: ...

    @property
    def weights(self) -> Annotated[NDArray[numpy.float64], dict(shape=(None, None))]: ...

class CoordinateL1Squared:
    """L1 or elastic net with the squared error, (1 - m)^2 / 2."""

    def __init__(self, rows: Rows, labels: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], costs: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], l1: float = 1.0, l2: float = 0.0, penalize_intercept: bool = True, tol: float = 0.0001) -> None: ...

    def epoch(self) -> EpochStats: ...

    @property
    def nonzeros(self) -> int: ...

    @property
    def weights(self) -> Annotated[NDArray[numpy.float64], dict(shape=(None, None))]: ...
