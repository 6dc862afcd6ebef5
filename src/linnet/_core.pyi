"""The compiled core of Linnet."""

from typing import Annotated

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
