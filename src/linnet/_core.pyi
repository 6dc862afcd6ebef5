"""The compiled core of Linnet."""

from collections.abc import Sequence
from typing import Annotated, overload

import numpy
from numpy.typing import NDArray


class EpochStats:
    """What one pass of a learner reports; NaN: not computed."""

    def __init__(self) -> None: ...

    @property
    def objective(self) -> float: ...

    @property
    def dual(self) -> float: ...

    @property
    def gap(self) -> float: ...

    @property
    def gradient_norm(self) -> float: ...

    @property
    def mistakes(self) -> int: ...

    @property
    def updates(self) -> int: ...

    @property
    def converged(self) -> bool: ...

    @property
    def interrupted(self) -> bool: ...

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

class Oracle:
    """solve(ring, theta) -> value, mu: all that learners see of a structure."""

    @property
    def parts(self) -> int: ...

    def solve(self, ring: str, theta: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> tuple: ...

    def marginals_along(self, theta: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], tangent: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> object: ...

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
def decision(rows: Rows, weights: Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C', device='cpu', writable=False)], width: int) -> object: ...

@overload
def decision(rows: Rows, weights: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], width: int) -> object: ...

def count_gold(data: Dataset) -> object:
    """
    The gold parts' features added up, weighted, in the layout of the weights.
    """

class OnlineLearner:
    """Weights that move an instance at a time."""

    @property
    def dim(self) -> int: ...

    def set_weights(self, weights: Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> None: ...

    def grow(self, dim: int) -> None: ...

    def epoch(self, data: Dataset, shuffle: bool = True) -> EpochStats: ...

    def weights(self) -> object:
        """
        The weights to predict with: averaged where averaging, lazy penalties settled.
        """

class Perceptron(OnlineLearner):
    def __init__(self, loss: str, dim: int, averaging: bool = False, seed: int = 0, margin: float = 1.0) -> None: ...
