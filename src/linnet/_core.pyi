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

    @property
    def paused(self) -> bool: ...

    @paused.setter
    def paused(self, arg: bool, /) -> None: ...

def padded(width: int) -> int:
    """The stride of a row of weights for `width` labels."""

def ask_to_stop(question: object | None) -> None:
    """
    For tests: whether to stop is asked of this function, as often as it could be; None: signals tell, as ever.
    """

class Rows:
    """Sparse or dense rows, read in place."""

    @staticmethod
    def csr(indptr: Annotated[NDArray, dict(shape=(None,), order='C', device='cpu', writable=False)], indices: Annotated[NDArray, dict(shape=(None,), order='C', device='cpu', writable=False)], data: Annotated[NDArray, dict(shape=(None,), order='C', device='cpu', writable=False)] | None, cols: int, bias: float = 0.0, window: int = 0) -> Rows:
        """
        Rows of a CSR matrix; without `data` all values are 1. With a `window` the arrays must be those of a mapped file, and nobody keeps more of its bytes in memory.
        """

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

    @property
    def together(self) -> int:
        """
        How many neighbours had better be read together, as they lie in a file; 0: it does not matter.
        """

    def forget(self) -> None:
        """
        Lets the arrays go: there are no rows from here on. Whoever reads them must be done.
        """

    def arrays(self, begin: int, end: int) -> tuple[NDArray[numpy.int64], NDArray[numpy.int32], NDArray[numpy.float32]]:
        """
        The rows [begin, end) copied, computed ones too: where they start, features, values.
        """

    def hash(self) -> int:
        """
        64 bits over all features and values, to tell other rows from the same.
        """

    def has_duplicates(self) -> bool:
        """Does a row name a feature twice?"""

def loss_table() -> list[tuple[str, str, float, str]]:
    """The losses of the core: name, ring, cost, link."""

class Oracle:
    """solve(ring, theta) -> value, mu: all that learners see of a structure."""

    @property
    def parts(self) -> int: ...

    def solve(self, ring: str, theta: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> tuple: ...

    def marginals_along(self, theta: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], tangent: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> Annotated[NDArray[numpy.float64], dict(shape=(None,))]: ...

    def kbest(self, theta: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], k: int) -> list[tuple[float, list[int]]]:
        """The k best outputs, (score, parts), best first."""

    def best_other(self, theta: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], gold: Sequence[int]) -> float | None:
        """
        The score of the best output that does not have the gold parts; None: there is none.
        """

    def holdings(self) -> list[list[int]]:
        """(begin, end, least, most): how many of these parts every output holds."""

    def entropy(self, theta: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> float: ...

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

    def best_through(self, theta: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> tuple:
        """
        For every part the score of the best output that holds it, and the parts of that output; -inf and none where there is no such output.
        """

    def sample(self, theta: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], count: int, seed: int = 0) -> list[list[int]]:
        """Outputs drawn from exp(theta . y) / Z, each the list of its parts."""

class BinarySweep(Oracle):
    def __init__(self) -> None: ...

    def solve_generic(self, arg0: str, arg1: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], /) -> tuple: ...

    def best_through(self, theta: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> tuple:
        """
        For every part the score of the best output that holds it, and the parts of that output; -inf and none where there is no such output.
        """

    def sample(self, theta: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], count: int, seed: int = 0) -> list[list[int]]:
        """Outputs drawn from exp(theta . y) / Z, each the list of its parts."""

class Chain(Oracle):
    def __init__(self, length: int, labels: int, ends: bool = False, observed: bool = False) -> None: ...

    def solve_generic(self, arg0: str, arg1: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], /) -> tuple: ...

    def best_through(self, theta: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> tuple:
        """
        For every part the score of the best output that holds it, and the parts of that output; -inf and none where there is no such output.
        """

    def sample(self, theta: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], count: int, seed: int = 0) -> list[list[int]]:
        """Outputs drawn from exp(theta . y) / Z, each the list of its parts."""

class HigherChain(Oracle):
    def __init__(self, length: int, labels: int, order: int, ends: bool = False) -> None: ...

    def solve_generic(self, arg0: str, arg1: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], /) -> tuple: ...

    def best_through(self, theta: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> tuple:
        """
        For every part the score of the best output that holds it, and the parts of that output; -inf and none where there is no such output.
        """

    def sample(self, theta: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], count: int, seed: int = 0) -> list[list[int]]:
        """Outputs drawn from exp(theta . y) / Z, each the list of its parts."""

    @staticmethod
    def check(tokens: float, labels: float, order: int) -> None:
        """Refuses what would not fit, with the memory it would need."""

class HigherChainOracle(Oracle):
    """Chains of order 2 and more, best labels by the kernel."""

    def __init__(self, length: int, labels: int, order: int, ends: bool = False) -> None: ...

class SemiMarkov(Oracle):
    def __init__(self, length: int, types: int, lengths: int, longest: int = 0) -> None: ...

    def solve_generic(self, arg0: str, arg1: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], /) -> tuple: ...

    def best_through(self, theta: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> tuple:
        """
        For every part the score of the best output that holds it, and the parts of that output; -inf and none where there is no such output.
        """

    def sample(self, theta: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], count: int, seed: int = 0) -> list[list[int]]:
        """Outputs drawn from exp(theta . y) / Z, each the list of its parts."""

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

    @property
    def listed(self) -> bool:
        """Has an instance few outputs, each one part?"""

    @property
    def partial(self) -> bool:
        """Are some labels missing?"""

    @property
    def unit(self) -> int:
        """What divides all strides: for lazy penalties."""

    @property
    def blocks(self) -> list[tuple[str, int, int, int, list[int]]]:
        """
        Where weights lie, block by block: name, begin, rows, stride, shape of a row.
        """

class BlockData(Dataset):
    def __init__(self, rows: Rows, labels: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], num_labels: int, binary: bool, weights: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None = None, costs: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)] | None = None) -> None:
        """costs: of labels, [gold, predicted]; 1 of each wrong one if none."""

class CandidateData(Dataset):
    def __init__(self, rows: Rows, offsets: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], gold: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], weights: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None = None) -> None: ...

class RegressionData(Dataset):
    """Rows with numbers to be found."""

    def __init__(self, rows: Rows, targets: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], weights: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None = None) -> None: ...

@overload
def decision(rows: Rows, weights: Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C', device='cpu', writable=False)], width: int, threads: int = 1) -> Annotated[NDArray[numpy.float64], dict(shape=(None, None))]: ...

@overload
def decision(rows: Rows, weights: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], width: int, threads: int = 1) -> Annotated[NDArray[numpy.float64], dict(shape=(None, None))]: ...

def count_gold(data: Dataset) -> Annotated[NDArray[numpy.float64], dict(shape=(None,))]:
    """
    The gold parts' features added up, weighted, in the layout of the weights.
    """

class ChainOracle(Oracle):
    """First-order chains by the hand-tuned kernel."""

    def __init__(self, length: int, labels: int, ends: bool = False) -> None: ...

class ChainOracle32(Oracle):
    """The same in single precision."""

    def __init__(self, length: int, labels: int, ends: bool = False) -> None: ...

class ChainData(Dataset):
    """Sentences: rows of token features, offsets, labels (-1: missing)."""

    def __init__(self, rows: Rows, offsets: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], labels: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], num_labels: int, weights: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None = None, ends: bool = False, order: int = 1, pairs: Rows | None = None, transitions: Annotated[NDArray, dict(order='C', device='cpu', writable=False)] | None = None, start: Annotated[NDArray, dict(order='C', device='cpu', writable=False)] | None = None, stop: Annotated[NDArray, dict(order='C', device='cpu', writable=False)] | None = None, tokens: Annotated[NDArray, dict(order='C', device='cpu', writable=False)] | None = None, costs: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)] | None = None, token_weights: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None = None) -> None: ...

class Projective(Oracle):
    def __init__(self, words: int, relations: int = 1, single_root: bool = True, candidates: Sequence[Sequence[int]] | None = None) -> None: ...

    def solve_generic(self, arg0: str, arg1: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], /) -> tuple: ...

    def best_through(self, theta: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> tuple:
        """
        For every part the score of the best output that holds it, and the parts of that output; -inf and none where there is no such output.
        """

    def sample(self, theta: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], count: int, seed: int = 0) -> list[list[int]]:
        """Outputs drawn from exp(theta . y) / Z, each the list of its parts."""

    @property
    def arcs(self) -> list[tuple[int, int]]:
        """(head, modifier) of every arc, in the order of sites."""

    def clamp(self, heads: Sequence[int], relations: Sequence[int] = []) -> Annotated[NDArray[numpy.uint8], dict(shape=(None,))]:
        """The mask of parts that agree with a partial tree; -1: not given."""

class Grandparents(Oracle):
    def __init__(self, words: int, relations: int = 1, single_root: bool = True, candidates: Sequence[Sequence[int]] | None = None) -> None: ...

    def solve_generic(self, arg0: str, arg1: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], /) -> tuple: ...

    def best_through(self, theta: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> tuple:
        """
        For every part the score of the best output that holds it, and the parts of that output; -inf and none where there is no such output.
        """

    def sample(self, theta: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], count: int, seed: int = 0) -> list[list[int]]:
        """Outputs drawn from exp(theta . y) / Z, each the list of its parts."""

    @property
    def arcs(self) -> list[tuple[int, int]]:
        """(head, modifier) of every arc, in the order of sites."""

    def clamp(self, heads: Sequence[int], relations: Sequence[int] = []) -> Annotated[NDArray[numpy.uint8], dict(shape=(None,))]:
        """The mask of parts that agree with a partial tree; -1: not given."""

class Siblings(Oracle):
    def __init__(self, words: int, relations: int = 1, single_root: bool = True, candidates: Sequence[Sequence[int]] | None = None) -> None: ...

    def solve_generic(self, arg0: str, arg1: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], /) -> tuple: ...

    def best_through(self, theta: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> tuple:
        """
        For every part the score of the best output that holds it, and the parts of that output; -inf and none where there is no such output.
        """

    def sample(self, theta: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], count: int, seed: int = 0) -> list[list[int]]:
        """Outputs drawn from exp(theta . y) / Z, each the list of its parts."""

    @property
    def arcs(self) -> list[tuple[int, int]]:
        """(head, modifier) of every arc, in the order of sites."""

    def clamp(self, heads: Sequence[int], relations: Sequence[int] = []) -> Annotated[NDArray[numpy.uint8], dict(shape=(None,))]:
        """The mask of parts that agree with a partial tree; -1: not given."""

    @property
    def siblings(self) -> list[list[int]]:
        """
        (head, modifier, sibling) of every part after those of the arcs; the head itself: none.
        """

class ProjectiveOracle(Oracle):
    """Projective trees by the hand-tuned kernel."""

    def __init__(self, words: int, relations: int = 1, single_root: bool = True, candidates: Sequence[Sequence[int]] | None = None) -> None: ...

    @property
    def arcs(self) -> list[tuple[int, int]]:
        """(head, modifier) of every arc, in the order of sites."""

    def clamp(self, heads: Sequence[int], relations: Sequence[int] = []) -> Annotated[NDArray[numpy.uint8], dict(shape=(None,))]:
        """The mask of parts that agree with a partial tree; -1: not given."""

class SiblingsOracle(Oracle):
    """Projective trees with siblings, the best by the hand-tuned kernel."""

    def __init__(self, words: int, relations: int = 1, single_root: bool = True, candidates: Sequence[Sequence[int]] | None = None) -> None: ...

    @property
    def arcs(self) -> list[tuple[int, int]]:
        """(head, modifier) of every arc, in the order of sites."""

    def clamp(self, heads: Sequence[int], relations: Sequence[int] = []) -> Annotated[NDArray[numpy.uint8], dict(shape=(None,))]:
        """The mask of parts that agree with a partial tree; -1: not given."""

class NonProjectiveOracle(Oracle):
    """All trees: the maximum spanning tree, the matrix-tree theorem."""

    def __init__(self, words: int, relations: int = 1, single_root: bool = True, candidates: Sequence[Sequence[int]] | None = None) -> None: ...

    @property
    def arcs(self) -> list[tuple[int, int]]:
        """(head, modifier) of every arc, in the order of sites."""

    def clamp(self, heads: Sequence[int], relations: Sequence[int] = []) -> Annotated[NDArray[numpy.uint8], dict(shape=(None,))]:
        """The mask of parts that agree with a partial tree; -1: not given."""

    def sample(self, theta: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], count: int, seed: int = 0) -> list[list[int]]:
        """Trees drawn from exp(theta . y) / Z, each the list of its parts."""

def minimum_risk(oracle: Oracle, theta: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> tuple:
    """The output with most parts expected to be right, and that number."""

@overload
def tree_decode(scores: Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C', device='cpu', writable=False)], offsets: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], projective: bool = True, single_root: bool = True, heads: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)] | None = None, minimum_risk: bool = False, threads: int = 1) -> tuple: ...

@overload
def tree_decode(scores: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], offsets: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], projective: bool = True, single_root: bool = True, heads: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)] | None = None, minimum_risk: bool = False, threads: int = 1) -> tuple:
    """
    The heads of the best trees and their scores; `scores` holds n (n + 1) for each sentence.
    """

@overload
def tree_marginals(scores: Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C', device='cpu', writable=False)], offsets: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], projective: bool = True, single_root: bool = True, threads: int = 1) -> tuple: ...

@overload
def tree_marginals(scores: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], offsets: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], projective: bool = True, single_root: bool = True, threads: int = 1) -> tuple:
    """P(arc), laid out as the scores, and log Z of every sentence."""

class Bracketing(Oracle):
    def __init__(self, words: int, labels: int, whole: bool = True, wanted: Sequence[tuple[int, int]] = []) -> None: ...

    def solve_generic(self, arg0: str, arg1: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], /) -> tuple: ...

    def best_through(self, theta: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> tuple:
        """
        For every part the score of the best output that holds it, and the parts of that output; -inf and none where there is no such output.
        """

    def sample(self, theta: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], count: int, seed: int = 0) -> list[list[int]]:
        """Outputs drawn from exp(theta . y) / Z, each the list of its parts."""

class BracketingOracle(Oracle):
    """Trees of labelled brackets by the hand-tuned kernel."""

    def __init__(self, words: int, labels: int, whole: bool = True, wanted: Sequence[tuple[int, int]] = []) -> None: ...

def bracket_outside(words: int, whole: bool, wanted: Sequence[tuple[int, int]], scores: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> Annotated[NDArray[numpy.float64], dict(shape=(None,))]:
    """Of each span, with one label, the score of the best tree that has it."""

class ChartGrammar:
    """Symbols and rules as charts use them."""

    def __init__(self, symbols: int, start: int, chains: int, tagged: Sequence[int], label: Sequence[int], counts: Sequence[bool], binary: Annotated[NDArray[numpy.int32], dict(shape=(None, None), order='C', device='cpu', writable=False)], unary: Annotated[NDArray[numpy.int32], dict(shape=(None, None), order='C', device='cpu', writable=False)]) -> None: ...

    @property
    def tags(self) -> int: ...

    @property
    def labels(self) -> int: ...

    @property
    def chains(self) -> int: ...

class ChartForest(Oracle):
    def __init__(self, grammar: ChartGrammar, length: int, spans: bool = False, known: Sequence[Sequence[int]] = []) -> None: ...

    def solve_generic(self, arg0: str, arg1: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], /) -> tuple: ...

    def best_through(self, theta: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> tuple:
        """
        For every part the score of the best output that holds it, and the parts of that output; -inf and none where there is no such output.
        """

    def sample(self, theta: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], count: int, seed: int = 0) -> list[list[int]]:
        """Outputs drawn from exp(theta . y) / Z, each the list of its parts."""

class ChartOracle(Oracle):
    """Trees of a grammar by the fast kernel."""

    def __init__(self, grammar: ChartGrammar, length: int, spans: bool = False, known: Sequence[Sequence[int]] = []) -> None: ...

    def best_through(self, theta: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> Annotated[NDArray[numpy.float64], dict(shape=(None,))]:
        """For every part the score of the best output that holds it."""

    def kernel(self, ring: str, theta: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> tuple:
        """By the kernel alone; NaN: out of its range."""

    def minimum_risk(self, theta: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> tuple:
        """The most expected tags and phrases, and how many they are."""

class ChartData(Dataset):
    """Sentences with trees of a grammar."""

    def __init__(self, rows: Rows, offsets: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], grammar: ChartGrammar, tags: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], starts: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], rules: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], begins: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], ends: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], hidden: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)], known_starts: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], known_begins: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], known_ends: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], known_labels: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], weights: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], spans: Rows | None = None) -> None: ...

class LabelledTreeData(Dataset):
    """Trees with relations as one linear model, to be measured."""

    def __init__(self, trees: TreeData, rows: Rows, gold: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], relations: int) -> None: ...

@overload
def margins(data: Dataset, weights: NDArray[numpy.float32], threads: int = 1) -> tuple[NDArray[numpy.float64], NDArray[numpy.uint8], NDArray[numpy.float64], float, float, int, int] | None: ...

@overload
def margins(data: Dataset, weights: NDArray[numpy.float64], threads: int = 1) -> tuple[NDArray[numpy.float64], NDArray[numpy.uint8], NDArray[numpy.float64], float, float, int, int] | None:
    """
    Of every instance the margin of its gold output, whether another is predicted, and its weight, which is 0 where it was not measured (then, and where there is no other output, the margin is NaN); of all of them upper bounds of the 2-norm and of the largest entry of f(x, gold) - f(x, other); how many were left out, for missing labels; the number of weights. None: interrupted.
    """

@overload
def weight_norms(weights: NDArray[numpy.float32]) -> tuple[float, float, float, int]: ...

@overload
def weight_norms(weights: NDArray[numpy.float64]) -> tuple[float, float, float, int]:
    """The 1-norm, the 2-norm, the largest size, and how many are not zero."""

class GraphShape:
    """The scopes of factors, and a junction tree over them."""

    @property
    def entries(self) -> int:
        """Of the tables of all cliques."""

    @property
    def largest(self) -> int:
        """Entries of the largest table."""

    @property
    def rule(self) -> str:
        """The rule that found the order."""

    @property
    def cliques(self) -> list[list[int]]:
        """The variables of each clique, in the order of its table."""

    @property
    def parents(self) -> list[int]:
        """Of each clique, a later one, or -1."""

def graph_shape(sizes: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], starts: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], members: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], observed: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)] | None = None, limit: float = 1e+300) -> object:
    """
    A GraphShape; or, if its tables would have more entries than `limit`, how many these are, those of the largest, and its variables.
    """

class GraphAnswers:
    """Sums and maxima over the assignments of a graph."""

    def __init__(self, shape: GraphShape, entries: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], logs: bool = False) -> None: ...

    @property
    def log_z(self) -> float: ...

    @property
    def scaled(self) -> bool:
        """
        Were probabilities within the range of numbers? Else logarithms were summed.
        """

    def variables(self) -> Annotated[NDArray[numpy.float64], dict(shape=(None,))]:
        """Marginals of all variables, one after the other."""

    def factors(self) -> Annotated[NDArray[numpy.float64], dict(shape=(None,))]:
        """Marginals of the entries of all factors."""

    def clique(self, clique: int) -> Annotated[NDArray[numpy.float64], dict(shape=(None,))]:
        """The marginals of a clique."""

    def best(self) -> tuple[float, list[int]]:
        """The best score, and values of all variables."""

    def kbest(self, k: int) -> list[tuple[float, list[int]]]: ...

    def entropy(self) -> float: ...

    def samples(self, count: int, seed: int = 0) -> Annotated[NDArray[numpy.int32], dict(shape=(None,))]:
        """Values of all variables, sample after sample."""

class GraphOracle(Oracle):
    """A factor graph by its junction tree."""

    def __init__(self, shape: GraphShape) -> None: ...

class GraphSweep(Oracle):
    """The same by the generic recursions."""

    def __init__(self, shape: GraphShape) -> None: ...

class GraphData(Dataset):
    """Factor graphs with tied weights."""

    def __init__(self, templates: tuple, offsets: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], sizes: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], gold: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], given: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)], weights: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], limit: float, schedule: str | None = None, rounds: int = 50, tolerance: float = 1e-06, damping: float = 0.0) -> None:
        """
        templates: (name, rows, shape, starts, scopes) each. schedule: of belief propagation; exact without.
        """

class Beliefs:
    """Belief propagation: exact on trees alone."""

    def __init__(self, sizes: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], starts: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], members: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], entries: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], maximise: bool = False) -> None: ...

    def run(self, schedule: str, max_rounds: int, tolerance: float, damping: float = 0.0) -> tuple[bool, int, float]:
        """Whether messages settled, after how many rounds, and the last change."""

    def variables(self) -> Annotated[NDArray[numpy.float64], dict(shape=(None,))]: ...

    def factors(self) -> Annotated[NDArray[numpy.float64], dict(shape=(None,))]: ...

    @property
    def bethe(self) -> float:
        """Bethe's approximation of log Z."""

def minimum_cut(terminals: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], pairs: Annotated[NDArray[numpy.int32], dict(shape=(None, None), order='C', device='cpu', writable=False)], costs: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> Annotated[NDArray[numpy.int32], dict(shape=(None,))]: ...

class OnlineLearner:
    """Weights that move an instance at a time."""

    def pause_after(self, seconds: float = float('inf'), instances: int | None = None) -> None:
        """
        The next pass comes back after that time, or so many instances (or batches), with
        `paused` set; the call after it goes on from there.
        """

    def forget_pass(self) -> None:
        """
        A pass that was paused does not go on: the next one is from the beginning.
        """

    def state(self) -> Annotated[NDArray[numpy.uint8], dict(shape=(None,))]:
        """
        All that another object, made of the same data and settings, needs to go on from here.
        """

    def restore(self, state: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> None:
        """
        Goes on from a state; if that is of something else it is an error, and this object is
        not to be used any more.
        """

    @property
    def dim(self) -> int: ...

    def set_weights(self, weights: Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> None: ...

    def remap(self, dim: int, unit: int, segments: Annotated[NDArray[numpy.int64], dict(shape=(None, None), order='C', device='cpu', writable=False)]) -> None:
        """
        Lays the weights out anew, in a block of dim weights whose strides unit divides. A segment
        is (from, to, rows, old stride, stride); what no segment fills is as at the start.
        """

    def grow(self, dim: int) -> None: ...

    def epoch(self, data: Dataset, shuffle: bool = True) -> EpochStats: ...

    def weights(self, average: bool = True) -> Annotated[NDArray[numpy.float32], dict(shape=(None,))]:
        """
        The weights to predict with: averaged where averaging, lazy penalties settled.
        Without the average those that the next step starts from.
        """

    def keep(self, what: str, width: int) -> None:
        """
        Keep 'votes' of all hypotheses, or the 'survivor' of most examples in a row; from then on
        steps are taken on mistakes alone.
        """

    def kept_votes(self) -> Votes:
        """A copy of the votes so far."""

    @property
    def survivals(self) -> int: ...

    @property
    def survivor(self) -> int: ...

    @property
    def hypotheses(self) -> int: ...

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

    def set_batches(self, size: int, threads: int = 1) -> None:
        """
        Later steps are made from the average gradient of `size` instances each.
        """

    def scale_step(self, factor: float) -> None:
        """Multiplies all later step sizes."""

    @property
    def eta(self) -> float: ...

class AdaGrad(OnlineLearner):
    """AdaGrad with diagonal scaling."""

    def __init__(self, loss: str, dim: int, averaging: bool = False, seed: int = 0, margin: float = 1.0, eta: float = 0.1, epsilon: float = 1e-08, l1: float = 0.0, l2: float = 0.0, penalize_intercept: bool = True, stride: int = 1) -> None: ...

    def set_batches(self, size: int, threads: int = 1) -> None:
        """
        Later steps are made from the average gradient of `size` instances each.
        """

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

    def __init__(self, dim: int, evaluate: Callable, hessian_times: Callable | None = None, hessian_diagonal: Callable | None = None, strong_convexity: float = 0.0) -> None: ...

class Minimiser:
    """Minimises an Objective, an iteration at a time."""

    def state(self) -> Annotated[NDArray[numpy.uint8], dict(shape=(None,))]:
        """
        All that another object, made of the same data and settings, needs to go on from here.
        """

    def restore(self, state: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> None:
        """
        Goes on from a state; if that is of something else it is an error, and this object is
        not to be used any more.
        """

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

def solve_margins(d: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], b: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], sizes: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], prices: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], e: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)] | None = None, widest: bool = False, tol: float = 1e-09) -> tuple:
    """
    Multipliers a, weights w and free weights v that minimise ½‖w‖² + Σ prices ξ such that
    d w + e v >= b − ξ, one ξ for each group of rows; or that make the least margin widest.
    """

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

class EntropyObjective(Objective):
    """
    labelled(w) + weight · Σ H(p(·|x; w)) over the examples of ``unlabelled``, a logistic objective
    without a penalty; which outputs these have makes no difference.
    """

    def __init__(self, labelled: Objective, unlabelled: BatchObjective, weight: float) -> None: ...

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
    """
    MIRA against every wrong output, of structures the k best; C = inf is the step without slack.
    """

    def __init__(self, loss: str, dim: int, averaging: bool = False, seed: int = 0, margin: float = 1.0, C: float = 1.0, k: int = 1) -> None: ...

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

class FrankWolfe:
    """
    The structural SVM by block-coordinate Frank-Wolfe; the weights of the instances are their c, inf for a hard margin.
    """

    def __init__(self, data: Dataset, loss: str = 'hinge', l2: float = 1.0, tol: float = 0.001, margin: float = 1.0, shuffle: bool = True, seed: int = 0, cost: str = 'parts', min_margin: float = 0.0001) -> None: ...

    def pause_after(self, seconds: float = float('inf'), instances: int | None = None) -> None:
        """
        The next pass comes back after that time, or so many instances (or batches), with
        `paused` set; the call after it goes on from there.
        """

    def forget_pass(self) -> None:
        """
        A pass that was paused does not go on: the next one is from the beginning.
        """

    def state(self) -> Annotated[NDArray[numpy.uint8], dict(shape=(None,))]:
        """
        All that another object, made of the same data and settings, needs to go on from here.
        """

    def restore(self, state: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> None:
        """
        Goes on from a state; if that is of something else it is an error, and this object is
        not to be used any more.
        """

    def epoch(self) -> EpochStats: ...

    def certify(self) -> EpochStats:
        """The exact objective and gap of the weights as they are."""

    @property
    def weights(self) -> Annotated[NDArray[numpy.float64], dict(shape=(None,))]:
        """A copy, in the layout of the data."""

    @property
    def support(self) -> Annotated[NDArray[numpy.int64], dict(shape=(None,))]:
        """Instances with some dual mass on a wrong output."""

    @property
    def separable(self) -> bool | None:
        """
        Can hard margins be had? True: weights have them; False: it is proved that none do.
        """

class OutputVotes:
    """All past weights of a voted perceptron over chains; can be pickled."""

    def best(self, data: ChainData) -> tuple:
        """
        (labels of tokens, share of votes of each sentence that is not empty): of each sentence the output with most votes.
        """

    @property
    def updates(self) -> int: ...

    def state(self) -> tuple:
        """
        How many weights there are, instances that each vector survived, where the changes of each update end, the weights changed, and by what.
        """

    @staticmethod
    def from_state(state: tuple[int, Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)]]) -> OutputVotes:
        """The inverse, checked."""

    def __getstate__(self) -> tuple: ...

    def __setstate__(self, arg: tuple[int, Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)]], /) -> None: ...

class OutputVotedPerceptron(OnlineLearner):
    def __init__(self, dim: int, seed: int = 0) -> None: ...

    def votes(self) -> OutputVotes:
        """The votes as they stand."""

class DualBinary:
    """
    Dual coordinate descent for ½‖w‖² + Σ cᵢ ℓ(yᵢ w·xᵢ): hinge, squared_hinge or logistic loss, until gap <= tol · objective.
    """

    def __init__(self, rows: Rows, y: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], c: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], loss: str = 'hinge', tol: float = 0.001, seed: int = 0, shuffle: bool = True, shrink: bool = True, min_margin: float = 0.0001, alpha: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None = None, free_intercept: bool = False) -> None: ...

    def pause_after(self, seconds: float = float('inf'), instances: int | None = None) -> None:
        """
        The next pass comes back after that time, or so many instances (or batches), with
        `paused` set; the call after it goes on from there.
        """

    def forget_pass(self) -> None:
        """
        A pass that was paused does not go on: the next one is from the beginning.
        """

    def state(self) -> Annotated[NDArray[numpy.uint8], dict(shape=(None,))]:
        """
        All that another object, made of the same data and settings, needs to go on from here.
        """

    def restore(self, state: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> None:
        """
        Goes on from a state; if that is of something else it is an error, and this object is
        not to be used any more.
        """

    def epoch(self) -> EpochStats: ...

    def certify(self) -> EpochStats:
        """Objective, dual and gap of the weights as they stand."""

    @property
    def weights(self) -> Annotated[NDArray[numpy.float64], dict(shape=(None, None))]:
        """A copy, (features + 1, 1); row 0 is the intercept."""

    @property
    def alpha(self) -> Annotated[NDArray[numpy.float64], dict(shape=(None,))]:
        """Dual variables; support vectors have alpha > 0."""

    @property
    def support(self) -> Annotated[NDArray[numpy.int64], dict(shape=(None,))]:
        """Instances with a dual variable above 0."""

    @property
    def separable(self) -> bool | None:
        """
        Can hard margins be had? True: weights have them; False: it is proved that none do.
        """

    @property
    def active(self) -> int:
        """Instances that shrinking has not left out."""

class CrammerSingerDual:
    """
    The multiclass SVM in the dual: ½‖W‖² + Σ cᵢ max(0, 1 − (s_y − max s_k)); c = inf asks for
    a hard margin. Until gap <= tol · objective, or `separable` is False.
    """

    def __init__(self, rows: Rows, labels: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], costs: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], width: int, tol: float = 0.001, seed: int = 0, free_intercept: bool = False, min_margin: float = 0.0001) -> None: ...

    def pause_after(self, seconds: float = float('inf'), instances: int | None = None) -> None:
        """
        The next pass comes back after that time, or so many instances (or batches), with
        `paused` set; the call after it goes on from there.
        """

    def forget_pass(self) -> None:
        """
        A pass that was paused does not go on: the next one is from the beginning.
        """

    def state(self) -> Annotated[NDArray[numpy.uint8], dict(shape=(None,))]:
        """
        All that another object, made of the same data and settings, needs to go on from here.
        """

    def restore(self, state: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> None:
        """
        Goes on from a state; if that is of something else it is an error, and this object is
        not to be used any more.
        """

    def epoch(self) -> EpochStats: ...

    def certify(self) -> EpochStats:
        """
        The exact objective and gap of the weights as they are, over all instances.
        """

    @property
    def duals(self) -> object: ...

    @property
    def support(self) -> Annotated[NDArray[numpy.int32], dict(shape=(None,))]:
        """int32 indices of the instances with some dual mass on a wrong label."""

    @property
    def weights(self) -> object:
        """
        (features + 1, stride), float32 or float64; row 0 is that of the constant feature.
        """

    @property
    def separable(self) -> bool | None:
        """
        Can hard margins be had? True: weights have them; False: it is proved that none do.
        """

class MaxEntDual:
    """Dual coordinate descent, softmax regression."""

    def __init__(self, rows: Rows, labels: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], costs: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], width: int, tol: float = 0.001, seed: int = 0) -> None: ...

    def pause_after(self, seconds: float = float('inf'), instances: int | None = None) -> None:
        """
        The next pass comes back after that time, or so many instances (or batches), with
        `paused` set; the call after it goes on from there.
        """

    def forget_pass(self) -> None:
        """
        A pass that was paused does not go on: the next one is from the beginning.
        """

    def state(self) -> Annotated[NDArray[numpy.uint8], dict(shape=(None,))]:
        """
        All that another object, made of the same data and settings, needs to go on from here.
        """

    def restore(self, state: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> None:
        """
        Goes on from a state; if that is of something else it is an error, and this object is
        not to be used any more.
        """

    def epoch(self) -> EpochStats: ...

    def certify(self) -> EpochStats:
        """
        The exact objective and gap of the weights as they are, over all instances.
        """

    @property
    def duals(self) -> object: ...

    @property
    def support(self) -> Annotated[NDArray[numpy.int32], dict(shape=(None,))]:
        """int32 indices of the instances with some dual mass on a wrong label."""

    @property
    def weights(self) -> object:
        """(features + 1, stride); a view of float32 or float64."""

class ShardDual:
    """Dual steps of one shard of the data (CoCoA+)."""

    @staticmethod
    def of(rows: Rows, labels: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], costs: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], width: int, loss: str) -> ShardDual:
        """Of rows with a label each; width 1: two labels."""

    @staticmethod
    def marginals(data: Dataset) -> ShardDual:
        """
        Of logistic loss, for structures with exact sums; the weights of instances are costs.
        """

    @staticmethod
    def mixtures(data: Dataset, cost: str = 'parts', margin: float = 1.0) -> ShardDual:
        """Of hinge loss, for any structure."""

    @property
    def dim(self) -> int: ...

    def start(self) -> Annotated[NDArray[numpy.float64], dict(shape=(None,))]:
        """The dual variables of weights 0."""

    def check(self, alpha: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> None:
        """Refuses dual variables of another shard."""

    def value(self, w: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], alpha: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> tuple[float, float]:
        """The losses at w, and what the dual variables add to D beside −½‖w‖²."""

    def steps(self, w: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], alpha: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], sigma: float, passes: int, seed: int) -> tuple:
        """Some passes from w: the dual variables after them, and their weights."""

class CoordinateL1Logistic:
    """L1 or elastic net with the logistic loss."""

    def __init__(self, rows: Rows, labels: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], costs: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], l1: float = 1.0, l2: float = 0.0, penalize_intercept: bool = True, tol: float = 0.0001) -> None: ...

    def state(self) -> Annotated[NDArray[numpy.uint8], dict(shape=(None,))]:
        """
        All that another object, made of the same data and settings, needs to go on from here.
        """

    def restore(self, state: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> None:
        """
        Goes on from a state; if that is of something else it is an error, and this object is
        not to be used any more.
        """

    def start_at(self, weights: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> None: ...

    def epoch(self) -> EpochStats: ...

    @property
    def nonzeros(self) -> int: ...

    @property
    def weights(self) -> Annotated[NDArray[numpy.float64], dict(shape=(None, None))]: ...

class CoordinateL1SquaredHinge:
    """L1 or elastic net with the squared hinge, max(0, 1 - m)^2."""

    def __init__(self, rows: Rows, labels: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], costs: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], l1: float = 1.0, l2: float = 0.0, penalize_intercept: bool = True, tol: float = 0.0001) -> None: ...

    def state(self) -> Annotated[NDArray[numpy.uint8], dict(shape=(None,))]:
        """
        All that another object, made of the same data and settings, needs to go on from here.
        """

    def restore(self, state: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> None:
        """
        Goes on from a state; if that is of something else it is an error, and this object is
        not to be used any more.
        """

    def start_at(self, weights: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> None: ...

    def epoch(self) -> EpochStats: ...

    @property
    def nonzeros(self) -> int: ...

    @property
    def weights(self) -> Annotated[NDArray[numpy.float64], dict(shape=(None, None))]: ...

class CoordinateL1Squared:
    """L1 or elastic net with the squared error, (1 - m)^2 / 2."""

    def __init__(self, rows: Rows, labels: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], costs: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], l1: float = 1.0, l2: float = 0.0, penalize_intercept: bool = True, tol: float = 0.0001) -> None: ...

    def state(self) -> Annotated[NDArray[numpy.uint8], dict(shape=(None,))]:
        """
        All that another object, made of the same data and settings, needs to go on from here.
        """

    def restore(self, state: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> None:
        """
        Goes on from a state; if that is of something else it is an error, and this object is
        not to be used any more.
        """

    def start_at(self, weights: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> None: ...

    def epoch(self) -> EpochStats: ...

    @property
    def nonzeros(self) -> int: ...

    @property
    def weights(self) -> Annotated[NDArray[numpy.float64], dict(shape=(None, None))]: ...

class AdaBoost:
    """AdaBoost.MH over the presence of features."""

    def __init__(self, rows: Rows, labels: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], costs: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], columns: int, real: bool = True, smoothing: float = 1e-06) -> None: ...

    def state(self) -> Annotated[NDArray[numpy.uint8], dict(shape=(None,))]:
        """
        All that another object, made of the same data and settings, needs to go on from here.
        """

    def restore(self, state: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> None:
        """
        Goes on from a state; if that is of something else it is an error, and this object is
        not to be used any more.
        """

    def epoch(self) -> EpochStats:
        """One round."""

    @property
    def bound(self) -> float:
        """The product of the Z of all rounds."""

    def stumps(self) -> tuple:
        """
        Feature, Z and largest answer of each round, and what it answers of absence, by labels.
        """

    @property
    def weights(self) -> Annotated[NDArray[numpy.float64], dict(shape=(None,))]: ...

def check_events(rows: Rows) -> None:
    """Refuses rows that are not one feature of value 1 each."""

def expected_counts(data: Dataset, weights: NDArray[numpy.float64], threads: int = 1) -> tuple[NDArray[numpy.float64], float, bool]:
    """
    Features of the outputs that agree with the labels, as expected under the weights; their weighted log Z; and whether this was interrupted.
    """

def previous_label_rows(rows: Rows, offsets: NDArray[numpy.int64], labels: NDArray[numpy.int32], num_labels: int, ends: bool, pairs: Rows | None = None) -> tuple[NDArray[numpy.int64], NDArray[numpy.int32], NDArray[numpy.float32], int]:
    """
    CSR rows of tokens that see the label before them, and the number of their features.
    """

class Texts:
    """A column of texts, read where they lie."""

    @staticmethod
    def from_list(items: Sequence) -> Texts:
        """From a sequence of str or bytes."""

    @staticmethod
    def from_arrow(source: object) -> Texts:
        """From strings of anything that exports Arrow data."""

    @staticmethod
    def from_spans(buffer: object, starts: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], ends: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> Texts:
        """The parts of a buffer of bytes from starts[i] to ends[i]."""

    @staticmethod
    def joined(parts: Sequence[Texts]) -> Texts:
        """The texts of several columns, in order."""

    def __len__(self) -> int: ...

    def __getstate__(self) -> tuple: ...

    def __setstate__(self, arg: tuple[bytes, Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)]], /) -> None: ...

    def __getitem__(self, i: int) -> str:
        """Text i; bytes that are not UTF-8 read as U+FFFD."""

    def take(self, places: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> Texts:
        """The texts at these places, in this order."""

    def codes(self) -> tuple[Annotated[NDArray[numpy.int32], dict(shape=(None,))], list[str]]:
        """The number of each text among the distinct texts, and these, sorted."""

    @property
    def size_in_bytes(self) -> int: ...

def find_lines(buffer: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)], first: int = 0, separator: int = 9) -> tuple:
    """
    Starts, ends and first separators (-1: none) of the lines from byte `first` on.
    """

def find_prefixed(buffer: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)], starts: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], ends: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], prefix: str) -> tuple:
    """
    Starts and ends of the tokens with a prefix at the beginning of lines, the offsets of each line's tokens, where its text begins, and the first line with the prefix elsewhere (-1: none).
    """

def hash_texts(texts: Texts, before: int = 0) -> int:
    """
    Of all texts, in their order, going on from the hash of those before them.
    """

def text_hashes(texts: Texts) -> Annotated[NDArray[numpy.uint64], dict(shape=(None,))]:
    """Of each text."""

def combine_hashes(hashes: Annotated[NDArray[numpy.uint64], dict(shape=(None,), order='C', device='cpu', writable=False)], before: int = 0) -> int:
    """`hash_texts` of texts with these hashes."""

def text_bytes(texts: Texts, begin: int, end: int) -> tuple:
    """
    The bytes of texts [begin, end) one after another, and the offsets of each.
    """

def find_tokens(buffer: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)], first: int = 0, tabs: bool = False, ragged: bool = False, conllu: bool = False, comment: str = '', boundary: str = '') -> dict:
    """
    Cells of the tokens of a file of columns, its sentences and the lines kept aside.
    """

def write_tokens(columns: list, offsets: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], aside: Texts, aside_places: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], aside_offsets: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], tabs: bool = True, empty_cells: bool = True, plain: bool = False, boundary: str = '') -> tuple:
    """
    The bytes of each sentence in a file of columns, the first token that cannot be written so (-1: none), and why: 'empty', 'broken' or 'unreadable'. A column is Texts, or Texts and codes.
    """

def read_attributes(cells: Texts) -> tuple:
    """
    Names and values of attributes as CRFsuite writes them, and the first bad one (-1: none).
    """

def split_texts(texts: Texts, english: bool = True) -> tuple:
    """
    Words of texts, their spans in characters (tokens, 2), offsets of sentences, the text of each sentence, and the line of each word in its text (from 0).
    """

class ChainCRF(Objective):
    """
    P(u) = ½ l2 ‖u‖² + Σ c_i (log Z_i − gold score) over sentences of tokens, with weights for
    the (feature, label) pairs and transitions seen in training; the same bits at any thread
    count. Coordinates u are merged weights: see `pair_weights`.
    """

    def __init__(self, rows: Rows, labels: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], offsets: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], num_labels: int, weights: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None = None, l2: float = 1.0, all_pairs: bool = False, all_transitions: bool = False, ends: bool = False, precise: bool = False, threads: int = 1) -> None: ...

    @property
    def precise(self) -> bool:
        """Double precision throughout; single is twice as fast and good to 1e-6."""

    @precise.setter
    def precise(self, arg: bool, /) -> None: ...

    @property
    def pairs(self) -> Annotated[NDArray[numpy.int32], dict(shape=(None, None))]:
        """
        The (row, label) pairs that have weights; row 0 is the constant feature, f + 1 feature f.
        """

    @property
    def transitions(self) -> Annotated[NDArray[numpy.int32], dict(shape=(None,))]:
        """The transitions that have weights, as from * num_labels + to."""

    def pair_weights(self, u: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> Annotated[NDArray[numpy.float64], dict(shape=(None,))]:
        """The weight of each of `pairs` at the coordinates u."""

    def label_rows(self, u: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], smallest: float = 0.0) -> tuple:
        """
        The weights of pairs as rows of labels, (starts, labels, weights): of the constant feature,
        then of each feature. What is smaller than `smallest` is left out.
        """

    def transition_weights(self, u: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> Annotated[NDArray[numpy.float64], dict(shape=(None, None))]:
        """The weights [from, to] at the coordinates u; 0 where there is none."""

    @property
    def scale(self) -> Annotated[NDArray[numpy.float64], dict(shape=(None,))]:
        """
        √k of each coordinate, k the number of weights it stands for: a coordinate u is k weights u/√k.
        """

    def end_weights(self, u: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> Annotated[NDArray[numpy.float64], dict(shape=(None, None))]:
        """The weights of first and of last labels: (2, labels), or (0, labels)."""

    def coordinates(self, pair_weights: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], transitions: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], ends: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)] | None = None) -> Annotated[NDArray[numpy.float64], dict(shape=(None,))]:
        """
        The coordinates of given weights, to start from; merged features get their mean.
        """

    def marginals(self, u: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> tuple:
        """
        The marginals [token, label] of the training data at u, and the loss of each sentence.
        """

class ChainDual:
    """
    Stochastic dual coordinate ascent on a ChainCRF, to a relative gap of tol.
    """

    def __init__(self, objective: ChainCRF, tol: float = 0.01, seed: int = 0) -> None: ...

    def pause_after(self, seconds: float = float('inf'), instances: int | None = None) -> None:
        """
        The next pass comes back after that time, or so many instances (or batches), with
        `paused` set; the call after it goes on from there.
        """

    def forget_pass(self) -> None:
        """
        A pass that was paused does not go on: the next one is from the beginning.
        """

    def state(self) -> Annotated[NDArray[numpy.uint8], dict(shape=(None,))]:
        """
        All that another object, made of the same data and settings, needs to go on from here.
        """

    def restore(self, state: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> None:
        """
        Goes on from a state; if that is of something else it is an error, and this object is
        not to be used any more.
        """

    def epoch(self) -> EpochStats:
        """One pass over the sentences."""

    def certify(self) -> EpochStats:
        """Objective, dual and gap as they are."""

    def label_rows(self, smallest: float = 0.0) -> tuple:
        """
        The weights of pairs as rows of labels, (starts, labels, weights): of the constant feature,
        then of each feature. What is smaller than `smallest` is left out.
        """

    @property
    def tied_weights(self) -> Annotated[NDArray[numpy.float64], dict(shape=(None,))]:
        """
        The weights of transitions, [from, to], 0 where there is none; then of first and of last
        labels, if these have any.
        """

    @property
    def weights(self) -> Annotated[NDArray[numpy.float64], dict(shape=(None,))]:
        """The coordinates reached."""

class ChainPerceptron:
    """
    Perceptron and passive-aggressive passes over the sentences and weights of a ChainCRF.
    """

    def __init__(self, model: ChainCRF, rule: str = 'perceptron', C: float = 1.0, average: bool = True, shuffle: bool = True, seed: int = 0, cost: float = 0.0) -> None: ...

    def pause_after(self, seconds: float = float('inf'), instances: int | None = None) -> None:
        """
        The next pass comes back after that time, or so many instances (or batches), with
        `paused` set; the call after it goes on from there.
        """

    def forget_pass(self) -> None:
        """
        A pass that was paused does not go on: the next one is from the beginning.
        """

    def state(self) -> Annotated[NDArray[numpy.uint8], dict(shape=(None,))]:
        """
        All that another object, made of the same data and settings, needs to go on from here.
        """

    def restore(self, state: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> None:
        """
        Goes on from a state; if that is of something else it is an error, and this object is
        not to be used any more.
        """

    def start_at(self, u: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> None:
        """Goes on from these coordinates."""

    def epoch(self) -> EpochStats:
        """One pass over the sentences."""

    def label_rows(self, smallest: float = 0.0) -> tuple:
        """
        The weights of pairs as rows of labels, (starts, labels, weights): of the constant feature,
        then of each feature. What is smaller than `smallest` is left out.
        """

    @property
    def tied_weights(self) -> Annotated[NDArray[numpy.float64], dict(shape=(None,))]:
        """
        The weights of transitions, [from, to], 0 where there is none; then of first and of last
        labels, if these have any.
        """

    @property
    def weights(self) -> Annotated[NDArray[numpy.float64], dict(shape=(None,))]:
        """The (averaged) coordinates."""

class TokenSteps:
    """
    Perceptron and passive-aggressive passes over tokens by themselves, of any number of labels:
    the steps of a `ChainPerceptron` over chains of one token with weights for all pairs.
    """

    def __init__(self, rows: Rows, labels: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], num_labels: int, weights: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], rule: str = 'perceptron', C: float = 1.0, average: bool = True, shuffle: bool = True, seed: int = 0, cost: float = 0.0) -> None: ...

    def pause_after(self, seconds: float = float('inf'), instances: int | None = None) -> None:
        """
        The next pass comes back after that time, or so many instances (or batches), with
        `paused` set; the call after it goes on from there.
        """

    def forget_pass(self) -> None:
        """
        A pass that was paused does not go on: the next one is from the beginning.
        """

    def state(self) -> Annotated[NDArray[numpy.uint8], dict(shape=(None,))]:
        """
        All that another object, made of the same data and settings, needs to go on from here.
        """

    def restore(self, state: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> None:
        """
        Goes on from a state; if that is of something else it is an error, and this object is
        not to be used any more.
        """

    def epoch(self) -> EpochStats:
        """One pass over the tokens."""

    def label_rows(self, smallest: float = 0.0) -> tuple:
        """
        The weights of pairs as rows of labels, (starts, labels, weights): of the constant feature,
        then of each feature. What is smaller than `smallest` is left out.
        """

class Analyzer:
    """Texts to n-grams."""

    def __init__(self, blocks: Sequence[tuple[str, int, int]], lowercase: bool = True, punctuation: bool = True, tokens: str = 'unicode', stop_words: Sequence[str] = [], min_length: int = 1, first: Sequence[int] = [], apart: bool = False) -> None:
        """
        Blocks are (kind, shortest, longest), kind one of word, lead, skip, chars, chars_wb, shape; first: of each, how many tokens or characters are looked at, 0 for all; apart: each block is a part of the row by itself.
        """

    def grams(self, text: object) -> tuple[Annotated[NDArray[numpy.uint64], dict(shape=(None,))], Annotated[NDArray[numpy.uint32], dict(shape=(None,))], Annotated[NDArray[numpy.uint32], dict(shape=(None,))], Annotated[NDArray[numpy.uint16], dict(shape=(None,))], Annotated[NDArray[numpy.uint8], dict(shape=(None,))]]:
        """Arrays: hash, begin, end, block, pad; begin and end count bytes."""

    def names(self, text: object) -> list[str]:
        """What each gram stands for, in the order of `grams`."""

    def tokens(self, text: object) -> list[str]:
        """The tokens n-grams are formed of, as they are hashed."""

    def hashes(self, text: object) -> Annotated[NDArray[numpy.uint64], dict(shape=(None,))]:
        """The hashes of `grams`, in the same order."""

    def checksum(self, texts: Texts) -> tuple[int, int]:
        """
        How many grams the texts have and the sum of their hashes: hashing alone, to time it.
        """

def looks_in_vain(hashes: Annotated[NDArray[numpy.uint64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> int:
    """
    For tests: at how many slots that hold others one looks to find what is distinct in a text.
    """

class FeatureTable:
    """The numbers of features, by their hashes."""

    @staticmethod
    def interned(slots: Annotated[NDArray[numpy.uint64], dict(shape=(None,), order='C', device='cpu', writable=False)], features: int) -> FeatureTable:
        """A vocabulary's slots, read where they lie."""

    @staticmethod
    def hashed(bits: int) -> FeatureTable:
        """The leading bits of the hash."""

    @staticmethod
    def packed(fingerprints: Annotated[NDArray[numpy.uint16], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> FeatureTable:
        """16 bits per slot, read in place."""

    @property
    def features(self) -> int: ...

    def looks(self, hashes: Annotated[NDArray[numpy.uint64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> Annotated[NDArray[numpy.int64], dict(shape=(None,))]:
        """
        For tests: at how many slots, or lines of slots, a search for each hash looks.
        """

    def count(self, texts: Texts, analyzer: Analyzer, counted: bool, threads: int = 1) -> CountedRows:
        """The counts of texts; features without a number are left out."""

    def find(self, hashes: Annotated[NDArray[numpy.uint64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> Annotated[NDArray[numpy.int32], dict(shape=(None,))]:
        """The number of each, -1 if it has none."""

class CountedRows:
    """The counts of documents."""

    @property
    def size(self) -> int: ...

    @property
    def entries(self) -> int: ...

    @property
    def starts(self) -> Annotated[NDArray[numpy.int64], dict(shape=(None,))]:
        """Where each part of each row begins."""

    def document_frequencies(self, features: int) -> Annotated[NDArray[numpy.int64], dict(shape=(None,))]:
        """In how many documents each feature occurs."""

    def label_ratios(self, codes: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], features: int, labels: int, alpha: float, tf: str) -> Annotated[NDArray[numpy.float32], dict(shape=(None, None))]:
        """
        (features, labels) naive Bayes log-count ratios, each label against the others.
        """

    def weigh(self, tf: str, norm: str, transform: str, values: NDArray[numpy.float32] | None = None, threads: int = 1, mix: Sequence[float] = ()) -> tuple[NDArray[numpy.int64], NDArray[numpy.int32], NDArray[numpy.float32]]:
        """indptr, indices and values of the rows; the counts are used up."""

    def packed(self) -> bytes:
        """All of it, for a file that is read again by the same process."""

    @staticmethod
    def unpacked(packed: bytes, features: int) -> CountedRows:
        """The inverse; every number is below `features`."""

    def renumber(self, renumbered: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> None:
        """
        Features get new numbers; those with a number below 0 leave their rows.
        """

    def add_document_frequencies(self, df: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu')]) -> None:
        """Adds to the number of documents of each feature."""

class LabelSums:
    """Sums of features by label, over texts that come in parts."""

    def __init__(self, features: int, labels: int) -> None: ...

    @staticmethod
    def of(sums: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)]) -> LabelSums:
        """Of (features, labels) sums that were made elsewhere."""

    def grow(self, features: int) -> None:
        """More features have come to be."""

    def add(self, counted: CountedRows, codes: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], tf: str) -> None:
        """The counts of some texts, and their labels."""

    def add_rows(self, rows: Rows, codes: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], binary: bool = True) -> None:
        """Some rows, and their labels: 1 for what is not zero, or the values."""

    @property
    def sums(self) -> Annotated[NDArray[numpy.float64], dict(shape=(None, None))]:
        """(features, labels), a copy."""

    def ratios(self, alpha: float) -> Annotated[NDArray[numpy.float32], dict(shape=(None, None))]:
        """(features, labels) naive Bayes log-count ratios; the sums are used up."""

class FeatureCounter:
    """A vocabulary that grows while it counts."""

    @overload
    def __init__(self) -> None: ...

    @overload
    def __init__(self, hashes: Annotated[NDArray[numpy.uint64], dict(shape=(None,), order='C', device='cpu', writable=False)], df: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)], name_bytes: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)], name_offsets: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> None: ...

    @property
    def size(self) -> int: ...

    def count(self, texts: Texts, analyzer: Analyzer, counted: bool, threads: int = 1) -> CountedRows:
        """The counts of texts; new features get the next numbers."""

    def select(self, lowest: float, highest: float, most: int, rows: CountedRows) -> None:
        """
        Keeps features by the number of their documents, in the vocabulary and the rows.
        """

    def prune(self, lowest: float, highest: float, most: int) -> Annotated[NDArray[numpy.int32], dict(shape=(None,))]:
        """
        The same in the vocabulary alone: the new number of each feature, below 0 if it is gone; none if all stay.
        """

    def merge(self, hashes: Annotated[NDArray[numpy.uint64], dict(shape=(None,), order='C', device='cpu', writable=False)], df: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)], name_bytes: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)], name_offsets: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> Annotated[NDArray[numpy.int32], dict(shape=(None,))]:
        """
        Features that were counted elsewhere, in texts that come after these; their numbers.
        """

    @property
    def bytes(self) -> int:
        """What the vocabulary takes, or soon will."""

    def name(self, texts: Texts, analyzer: Analyzer, threads: int = 1) -> None:
        """Names the features that were new in the texts counted last."""

    @property
    def slots(self) -> Annotated[NDArray[numpy.uint64], dict(shape=(None,), writable=False)]: ...

    @property
    def hashes(self) -> Annotated[NDArray[numpy.uint64], dict(shape=(None,))]: ...

    @property
    def document_frequencies(self) -> Annotated[NDArray[numpy.uint32], dict(shape=(None,))]: ...

    @property
    def name_bytes(self) -> Annotated[NDArray[numpy.uint8], dict(shape=(None,))]: ...

    @property
    def name_offsets(self) -> Annotated[NDArray[numpy.int64], dict(shape=(None,))]: ...

def label_ratios(rows: Rows, codes: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], labels: int, alpha: float = 1.0, binary: bool = True) -> Annotated[NDArray[numpy.float32], dict(shape=(None, None))]:
    """
    (features, labels) naive Bayes log-count ratios of rows, each label against the others.
    """

def append_entries(indptr: NDArray[numpy.int64], indices: NDArray[numpy.int32], values: NDArray[numpy.float32], ids: NDArray[numpy.int32], x: NDArray[numpy.float32]) -> tuple[NDArray[numpy.int64], NDArray[numpy.int32], NDArray[numpy.float32]]:
    """Rows with further entries behind their own; an id below 0 is left out."""

def text_statistics(texts: Texts, analyzer: Analyzer, threads: int = 1) -> Annotated[NDArray[numpy.float32], dict(shape=(None, None))]:
    """
    (texts, 4): shares of punctuation, uppercase and digits, and the logarithm of the length.
    """

class SparseFloats:
    """Rows of (label, weight), read in place."""

    def __init__(self, width: int, places: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)], full: Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C', device='cpu', writable=False)], rows: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> None: ...

    @staticmethod
    def made(block: NDArray[numpy.float32], width: int, most: int) -> tuple[NDArray[numpy.uint32], NDArray[numpy.float32], NDArray[numpy.uint8]] | None:
        """
        The places of all rows, full rows and sparse ones of a block (features + 1, padded labels); None if they take more than `most` bytes.
        """

    def scores(self, rows: Rows, threads: int = 1) -> Annotated[NDArray[numpy.float64], dict(shape=(None, None))]:
        """(rows, labels) scores."""

    def dense(self) -> Annotated[NDArray[numpy.float32], dict(shape=(None, None))]:
        """The full block, (features + 1, padded labels)."""

    def chosen(self, rows: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> Annotated[NDArray[numpy.float32], dict(shape=(None, None))]:
        """(len(rows), labels): these rows in full."""

class SparseDoubles:
    """The same with weights in double precision."""

    def __init__(self, width: int, places: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)], full: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], rows: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> None: ...

    @staticmethod
    def made(block: NDArray[numpy.float64], width: int, most: int) -> tuple[NDArray[numpy.uint32], NDArray[numpy.float64], NDArray[numpy.uint8]] | None:
        """
        The places of all rows, full rows and sparse ones of a block (features + 1, padded labels); None if they take more than `most` bytes.
        """

    def scores(self, rows: Rows, threads: int = 1) -> Annotated[NDArray[numpy.float64], dict(shape=(None, None))]:
        """(rows, labels) scores."""

    def dense(self) -> Annotated[NDArray[numpy.float64], dict(shape=(None, None))]:
        """The full block, (features + 1, padded labels)."""

    def chosen(self, rows: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> Annotated[NDArray[numpy.float64], dict(shape=(None, None))]:
        """(len(rows), labels): these rows in full."""

def check_sparse_rows(width: int, places: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)], full_rows: int, rows: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)], weight_bytes: int) -> None:
    """Raises unless all places and labels are as they are written."""

def pack_weights(weights: NDArray[numpy.float32], bits: int) -> tuple[NDArray[numpy.uint8], NDArray[numpy.float32]]:
    """
    (rows, labels) weights as integers of 8 or 4 bits, and the scale of each label.
    """

def pack_features(hashes: NDArray[numpy.uint64], capacity: int) -> tuple[NDArray[numpy.uint16], NDArray[numpy.int32]]:
    """
    A table of fingerprints and the slot of each feature; two that look alike share one.
    """

def unpack_weights(codes: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)], scales: Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C', device='cpu', writable=False)], rows: int, bits: int) -> Annotated[NDArray[numpy.float32], dict(shape=(None, None))]:
    """(rows, labels) weights, scale times integer."""

class ModelTables:
    """Values and weights of a text model, read in place."""

    @overload
    def __init__(self, features: int, width: int, weights: Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C', device='cpu', writable=False)], bias: float, values: Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C', device='cpu', writable=False)] | None = None) -> None:
        """float32 weights (features + 1, padded width), flat."""

    @overload
    def __init__(self, features: int, weights: SparseFloats, bias: float, values: Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C', device='cpu', writable=False)] | None = None) -> None:
        """Sparse rows of float32 weights."""

    @overload
    def __init__(self, features: int, intercept: Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C', device='cpu', writable=False)], codes: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)], scales: Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C', device='cpu', writable=False)], bits: int, values: Annotated[NDArray[numpy.int8], dict(shape=(None,), order='C', device='cpu', writable=False)] | None = None, value_scale: float = 1.0) -> None:
        """Weights and values in few bits."""

class TextScorer:
    """From raw text to scores, without rows in between."""

    def __init__(self, analyzer: Analyzer, features: FeatureTable, tables: ModelTables, tf: str, norm: str, transform: str, mix: Sequence[float] = []) -> None: ...

    def scores(self, texts: Texts, threads: int = 1) -> Annotated[NDArray[numpy.float64], dict(shape=(None, None))]:
        """(texts, labels) scores; the same bits for any number of threads."""

TOKEN_KINDS: tuple = ...

class Lexicon:
    """Values of tokens, as they stand or in lower case."""

    def __init__(self, keys: Texts, values: Texts) -> None: ...

class Gazetteer:
    """Values of phrases, the longest first."""

    def __init__(self, phrases: Texts, values: Texts) -> None: ...

class TokenColumns:
    """Columns of tokens, each distinct one once."""

    def __init__(self, columns: Sequence[Texts], offsets: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], threads: int = 1) -> None:
        """Sentence i is tokens offsets[i] to offsets[i + 1] of every column."""

    @property
    def tokens(self) -> int: ...

    def __len__(self) -> int: ...

    def distinct(self, column: int) -> list:
        """The distinct tokens of a column."""

    def add(self, values: Texts, codes: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> None:
        """One more column, of values and which of them each token is."""

    def match(self, column: int, gazetteer: Gazetteer, threads: int = 1) -> int:
        """Adds a column of the phrases found; tells its number."""

class Templates:
    """Templates of token features."""

    def __init__(self, attributes: Sequence[tuple[str, int, int, Lexicon]], templates: Sequence[tuple[Sequence[str], Sequence[tuple[int, int]]]]) -> None: ...

    @property
    def size(self) -> int: ...

    def rows(self, sentences: TokenColumns, table: FeatureTable, flags: Sequence[NDArray[numpy.uint8]], own: tuple[NDArray[numpy.int64], NDArray[numpy.int32], NDArray[numpy.float32], Texts] | None, threads: int = 1) -> tuple[NDArray[numpy.int64], NDArray[numpy.int32], NDArray[numpy.float32]]:
        """
        indptr, indices and values, a row for each token; features without a number are left out.
        """

    def names(self, sentences: TokenColumns, flags: Sequence[NDArray[numpy.uint8]], own: tuple[NDArray[numpy.int64], NDArray[numpy.int32], NDArray[numpy.float32], Texts] | None, tokens: NDArray[numpy.int64], which: NDArray[numpy.int32]) -> tuple[NDArray[numpy.uint8], NDArray[numpy.int64]]:
        """
        The names of features of these tokens, by the templates that gave them: bytes, and where each begins.
        """

class TokenFeatureCounter:
    """A vocabulary of token features that grows."""

    @overload
    def __init__(self) -> None: ...

    @overload
    def __init__(self, hashes: Annotated[NDArray[numpy.uint64], dict(shape=(None,), order='C', device='cpu', writable=False)], df: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)], name_bytes: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)], name_offsets: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> None: ...

    def learn(self, templates: Templates, sentences: TokenColumns, flags: Sequence[NDArray[numpy.uint8]], own: tuple[NDArray[numpy.int64], NDArray[numpy.int32], NDArray[numpy.float32], Texts] | None, lowest: float, most: int, threads: int = 1, names: bool = True) -> tuple[NDArray[numpy.int64], NDArray[numpy.int32], NDArray[numpy.float32]]:
        """
        indptr, indices and values, a row for each token; new features get the next numbers.
        Without `names` theirs are empty, and `first_seen` says what they would be of.
        """

    def first_seen(self) -> tuple:
        """
        Tokens that have the new features without names, and the templates that gave them.
        """

    def merge(self, hashes: Annotated[NDArray[numpy.uint64], dict(shape=(None,), order='C', device='cpu', writable=False)], df: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)], name_bytes: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)], name_offsets: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> None:
        """
        What another one has counted in later tokens; new features get the next numbers.
        """

    @property
    def document_frequencies(self) -> Annotated[NDArray[numpy.uint32], dict(shape=(None,))]: ...

    @property
    def size(self) -> int: ...

    @property
    def slots(self) -> Annotated[NDArray[numpy.uint64], dict(shape=(None,))]: ...

    @property
    def hashes(self) -> Annotated[NDArray[numpy.uint64], dict(shape=(None,))]: ...

    @property
    def name_bytes(self) -> Annotated[NDArray[numpy.uint8], dict(shape=(None,))]: ...

    @property
    def name_offsets(self) -> Annotated[NDArray[numpy.int64], dict(shape=(None,))]: ...

class AttributeReader:
    """Attributes of items, by name."""

    def __init__(self) -> None: ...

    def read(self, sentences: object) -> tuple[NDArray[numpy.int64], tuple[NDArray[numpy.int64], NDArray[numpy.int32], NDArray[numpy.float32]]]:
        """
        Offsets of sentences, and indptr, indices and values with a row for each item.
        """

    @property
    def size(self) -> int: ...

    @property
    def slots(self) -> Annotated[NDArray[numpy.uint64], dict(shape=(None,))]: ...

    @property
    def hashes(self) -> Annotated[NDArray[numpy.uint64], dict(shape=(None,))]: ...

    @property
    def name_bytes(self) -> Annotated[NDArray[numpy.uint8], dict(shape=(None,))]: ...

    @property
    def name_offsets(self) -> Annotated[NDArray[numpy.int64], dict(shape=(None,))]: ...

class ArcTemplates:
    """Templates of arcs, from head to modifier."""

    def __init__(self, attributes: Sequence[tuple[str, int, int, str]], templates: Sequence[tuple[str, Sequence[tuple[str, str, int, int]], bool, bool]], bits: int) -> None:
        """
        (kind, column, length, key) for each attribute; (name, [(side, step, attribute, offset)], direction, distance) for each template.
        """

    @property
    def features(self) -> int: ...

    @property
    def needs_tree(self) -> bool:
        """Do they look at relatives of the tokens in a tree?"""

    @property
    def second_order(self) -> bool:
        """Do they look at siblings?"""

class ArcTokens:
    """Sentences as templates of arcs see them."""

    def __init__(self, templates: ArcTemplates, sentences: TokenColumns, threads: int = 1) -> None: ...

    def rows(self, starts: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], heads: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], tree: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)] | None = None, bias: float = 0.0) -> Rows:
        """A row for each candidate arc, computed when it is read."""

    def scores(self, starts: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], heads: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], weights: Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C', device='cpu', writable=False)], bias: float = 0.0, threads: int = 1) -> Annotated[NDArray[numpy.float32], dict(shape=(None,))]:
        """
        The score of each candidate arc; the weight of the constant feature comes first.
        """

    def relations(self, heads: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], weights: Annotated[NDArray[numpy.float32], dict(shape=(None, None), order='C', device='cpu', writable=False)], width: int, bias: float = 0.0, threads: int = 1) -> Annotated[NDArray[numpy.int32], dict(shape=(None,))]:
        """
        The best relation of the arc to each token from its head; -1 where there is none.
        """

    def names(self, sentence: int, head: int, modifier: int, tree: NDArray[numpy.int32] | None = None, sibling: int | None = None) -> list[tuple[int, str]]:
        """
        Number and name of each feature of an arc; the tree is that of its sentence. With a sibling, or 0 for none, those of second order.
        """

    def first_pass(self, heads: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], passes: int, seed: int = 0) -> Annotated[NDArray[numpy.float32], dict(shape=(None,))]:
        """Weights by which each token chooses its head by itself."""

    def likely(self, weights: NDArray[numpy.float32], within: float, also: NDArray[numpy.int32] | None = None, threads: int = 1) -> tuple[NDArray[numpy.int64], NDArray[numpy.int32]]:
        """
        starts and heads of the arcs not much less likely than the best of their token.
        """

class TreeShape:
    """Which trees there are, and how far arcs see."""

    def __init__(self, projective: bool = True, single_root: bool = True, order: int = 1) -> None: ...

    @property
    def projective(self) -> bool: ...

    @property
    def single_root(self) -> bool: ...

    @property
    def order(self) -> int: ...

def sibling_rows(tokens: ArcTokens, starts: NDArray[numpy.int64], heads: NDArray[numpy.int32]) -> tuple[Rows, NDArray[numpy.int64]]:
    """
    A row for each arc with a sibling, and where those of each sentence begin; the tokens must be kept.
    """

class TreeData(Dataset):
    """Sentences: rows of candidate arcs, heads (-1: missing)."""

    def __init__(self, rows: Rows, starts: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], heads: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], offsets: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], gold: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], weights: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], shape: TreeShape, siblings: Rows | None = None, sibling_starts: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None = None) -> None: ...

class JointWeights:
    """Relations that arcs compete with."""

    def __init__(self, tokens: ArcTokens, weights: Annotated[NDArray[numpy.float32], dict(shape=(None, None), order='C', device='cpu', writable=False)], width: int) -> None:
        """Weights are (features + 1, stride), the constant first."""

def best_trees(tokens: ArcTokens, starts: NDArray[numpy.int64], heads: NDArray[numpy.int32], weights: NDArray[numpy.float32], bias: float, joint: JointWeights | None, shape: TreeShape, given: NDArray[numpy.int32] | None = None, least_risk: bool = False, threads: int = 1) -> tuple[NDArray[numpy.int32], NDArray[numpy.float64]]:
    """
    The heads of the best trees and their scores; or of the trees with most heads expected to be right, and that number.
    """

def runners_up(tokens: ArcTokens, starts: NDArray[numpy.int64], heads: NDArray[numpy.int32], weights: NDArray[numpy.float32], bias: float, joint: JointWeights | None, shape: TreeShape, chosen: NDArray[numpy.int32], threads: int = 1) -> tuple[NDArray[numpy.float64], NDArray[numpy.int32], NDArray[numpy.int32]]:
    """
    For every word the best tree in which it has another head than the one chosen: its score, that head, and the sibling before the word.
    """

def sample_trees(tokens: ArcTokens, starts: NDArray[numpy.int64], heads: NDArray[numpy.int32], weights: NDArray[numpy.float32], bias: float, joint: JointWeights | None, shape: TreeShape, given: NDArray[numpy.int32] | None = None, count: int = 1, seed: int = 0, threads: int = 1) -> list[NDArray[numpy.int32]]:
    """
    For each sentence the heads of so many trees, drawn by their probability.
    """

def arc_marginals(tokens: ArcTokens, starts: NDArray[numpy.int64], heads: NDArray[numpy.int32], weights: NDArray[numpy.float32], bias: float, joint: JointWeights | None, shape: TreeShape, given: NDArray[numpy.int32] | None = None, threads: int = 1) -> tuple[NDArray[numpy.float64], NDArray[numpy.float64]]:
    """P(arc) of each candidate, and log Z of each sentence."""

def k_best_trees(tokens: ArcTokens, starts: NDArray[numpy.int64], heads: NDArray[numpy.int32], weights: NDArray[numpy.float32], bias: float, joint: JointWeights | None, shape: TreeShape, given: NDArray[numpy.int32] | None = None, k: int = 1, threads: int = 1) -> list[list[tuple[float, NDArray[numpy.int32]]]]:
    """(score, heads) of the k best trees of each sentence, best first."""

class ParserTrainer:
    """The averaged perceptron and MIRA over hashed templates of arcs."""

    def __init__(self, tokens: ArcTokens, starts: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], heads: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], gold: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], shape: TreeShape, step: str = 'pa', C: float = float('inf'), cost: float = 1.0, average: bool = True, shuffle: bool = True, seed: int = 0, joint: ArcTokens | None = None, relations: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)] | None = None, width: int = 0, before: ParserTrainer | None = None) -> None:
        """
        With `before`, its training goes on over these sentences; it has no weights any more.
        """

    def pause_after(self, seconds: float = float('inf'), instances: int | None = None) -> None:
        """
        The next pass comes back after that time, or so many instances (or batches), with
        `paused` set; the call after it goes on from there.
        """

    def forget_pass(self) -> None:
        """
        A pass that was paused does not go on: the next one is from the beginning.
        """

    def state(self) -> Annotated[NDArray[numpy.uint8], dict(shape=(None,))]:
        """
        All that another object, made of the same data and settings, needs to go on from here.
        """

    def restore(self, state: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> None:
        """
        Goes on from a state; if that is of something else it is an error, and this object is
        not to be used any more.
        """

    def epoch(self) -> EpochStats: ...

    def start_at(self, weights: Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> None:
        """Weights to begin with, before the first step."""

    def weights(self, average: bool = True) -> Annotated[NDArray[numpy.float32], dict(shape=(None,))]:
        """
        Averaged, if so asked at the start and now, or the last ones; the constant feature first. Then those of relations, (features + 1) x stride.
        """

class PhraseTokens:
    """Tokens as templates of phrases see them."""

    def __init__(self, offsets: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], tags: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], words: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], classes: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], n_tags: int, sets: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> None: ...

class SpanTemplates:
    """Templates of spans."""

    def __init__(self, templates: Sequence[tuple[str, Sequence[tuple[str, str, int, int]]]], sets: int, bits: int) -> None:
        """(name, [(value, anchor, offset, most)]) for each template."""

    @property
    def features(self) -> int: ...

    def origins(self, tokens: PhraseTokens, sentence: int, begin: int, end: int) -> list[tuple[int, int]]:
        """(feature, number of its template) for the features of a span."""

def span_rows(tokens: PhraseTokens, templates: SpanTemplates) -> Rows:
    """
    A row for each span of each sentence, by begin, then end, computed when it is read.
    """

class GoldBrackets:
    """The brackets of training sentences."""

    def __init__(self, starts: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], begins: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], ends: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], codes: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], labels: int, partial: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)] | None = None) -> None:
        """
        partial: 1 for sentences of which only these brackets are known, not all.
        """

class BracketData(Dataset):
    """Sentences: rows of spans, and brackets."""

    def __init__(self, rows: Rows, offsets: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], gold: GoldBrackets, whole: bool, weights: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> None: ...

class PhraseTrainer:
    """Steps of parsers of phrases over hashed templates of spans."""

    def __init__(self, tokens: PhraseTokens, templates: SpanTemplates, gold: GoldBrackets, whole: bool, step: str = 'pa', C: float = float('inf'), cost: float = 1.0, rate: float = 0.1, average: bool = True, shuffle: bool = True, seed: int = 0) -> None: ...

    def pause_after(self, seconds: float = float('inf'), instances: int | None = None) -> None:
        """
        The next pass comes back after that time, or so many instances (or batches), with
        `paused` set; the call after it goes on from there.
        """

    def forget_pass(self) -> None:
        """
        A pass that was paused does not go on: the next one is from the beginning.
        """

    def state(self) -> Annotated[NDArray[numpy.uint8], dict(shape=(None,))]:
        """
        All that another object, made of the same data and settings, needs to go on from here.
        """

    def restore(self, state: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> None:
        """
        Goes on from a state; if that is of something else it is an error, and this object is
        not to be used any more.
        """

    def epoch(self) -> EpochStats: ...

    def start_at(self, weights: Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> None:
        """Weights to begin with, before the first step."""

    def weights(self) -> Annotated[NDArray[numpy.float32], dict(shape=(None,))]:
        """
        Averaged, if so asked: (features + 1) x stride, the constant feature first.
        """

class SpanRules:
    """What is certain of the trees of sentences."""

    def __init__(self, starts: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], begins: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], ends: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], labels: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], must: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)], n_labels: int) -> None:
        """
        Of spans: a label, or -1 for any; must: 1 if the bracket must be there, 0 if not.
        """

class ByteRows:
    """Weights of spans, rounded to a byte each."""

    def __init__(self, weights: Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C', device='cpu', writable=False)], stride: int) -> None:
        """weights: [features][stride], finite."""

    def weight(self, feature: int, label: int) -> float: ...

class PhraseParser:
    """Trees of sentences by weights of templates of spans."""

    def __init__(self, tokens: PhraseTokens, templates: SpanTemplates, labels: int, weights: Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C', device='cpu', writable=False)], whole: bool, rules: SpanRules | None = None, rounded: ByteRows | None = None) -> None:
        """rounded: taken in place of weights, if they are given."""

    def best(self, threads: int = 1) -> tuple[NDArray[numpy.int64], NDArray[numpy.int32], NDArray[numpy.int32], NDArray[numpy.int32], NDArray[numpy.float64], NDArray[numpy.float64]]:
        """
        Starts of each sentence; begins, ends, labels and scores of brackets; scores of trees.
        """

    def least_risk(self, threshold: float = 0.5, threads: int = 1) -> tuple[NDArray[numpy.int64], NDArray[numpy.int32], NDArray[numpy.int32], NDArray[numpy.int32], NDArray[numpy.float64], NDArray[numpy.float64]]:
        """
        The trees with most of P(bracket) - threshold, and how many brackets should be right.
        """

    def marginals(self, least: float = 0.0, threads: int = 1) -> tuple[NDArray[numpy.int64], NDArray[numpy.int32], NDArray[numpy.int32], NDArray[numpy.int32], NDArray[numpy.float64], NDArray[numpy.float64]]:
        """All brackets that are at least so probable; log Z."""

    def best_trees(self, k: int, threads: int = 1) -> list[tuple[NDArray[numpy.int64], NDArray[numpy.int32], NDArray[numpy.int32], NDArray[numpy.int32], NDArray[numpy.float64], NDArray[numpy.float64]]]:
        """The k best trees of each sentence, best first."""

    def samples(self, count: int, seed: int = 0, threads: int = 1) -> list[tuple[NDArray[numpy.int64], NDArray[numpy.int32], NDArray[numpy.int32], NDArray[numpy.int32], NDArray[numpy.float64], NDArray[numpy.float64]]]:
        """Trees of each sentence, drawn by their probability."""

    def without_each(self, threads: int = 1) -> list[tuple[NDArray[numpy.int64], NDArray[numpy.int32], NDArray[numpy.int32], NDArray[numpy.int32], NDArray[numpy.float64], NDArray[numpy.float64]]]:
        """
        For each bracket of the best tree of a sentence, the best tree without it.
        """

    def likely(self, least: float, threads: int = 1) -> tuple[NDArray[numpy.int64], NDArray[numpy.int32], NDArray[numpy.int32], NDArray[numpy.int32], NDArray[numpy.float64], NDArray[numpy.float64]]:
        """
        Brackets that are at least so probable, and those of the best tree; log Z.
        """

    def candidates(self, within: float, threads: int = 1) -> tuple[NDArray[numpy.int64], NDArray[numpy.int32], NDArray[numpy.int32], NDArray[numpy.int32], NDArray[numpy.float64], NDArray[numpy.float64]]:
        """
        Brackets whose best tree is at most so much worse than the best, with its score.
        """

class BracketCandidates:
    """Brackets that a first look has left."""

    def __init__(self, starts: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], begins: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], ends: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], labels: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], log_p: Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C', device='cpu', writable=False)], n_labels: int) -> None: ...

class HeadRules:
    """Which child of a phrase is its head."""

    def __init__(self, starts: Sequence[int], from_left: Sequence[int], begins: Sequence[int], codes: Sequence[int], kinds: Sequence[int], last: Sequence[int]) -> None: ...

    def head(self, label: int, children: Sequence[int]) -> int: ...

class LabelCodes:
    """The names that labels consist of."""

    def __init__(self, of_labels: Sequence[Sequence[int]], names: int) -> None: ...

class ForestTemplates:
    """Templates of phrases, neighbours, children."""

    def __init__(self, phrase: Sequence[tuple[str, Sequence[tuple[str, str, int, int]]]], pair: Sequence[tuple[str, Sequence[tuple[str, str, int, int]]]], child: Sequence[tuple[str, Sequence[tuple[str, str, int, int]]]], sets: int, bits: int) -> None:
        """(name, [(value, anchor, offset, most)]) for each template."""

    @property
    def weights(self) -> int: ...

class ForestTrainer:
    """Steps of the second look at phrases."""

    def __init__(self, tokens: PhraseTokens, candidates: BracketCandidates, gold: GoldBrackets, templates: ForestTemplates, heads: HeadRules, labels: LabelCodes, cost: float = 0.0, rate: float = 0.1, dropout: float = 0.5, floor: float = 0.0, average: bool = True, shuffle: bool = True, seed: int = 0) -> None: ...

    def pause_after(self, seconds: float = float('inf'), instances: int | None = None) -> None:
        """
        The next pass comes back after that time, or so many instances (or batches), with
        `paused` set; the call after it goes on from there.
        """

    def forget_pass(self) -> None:
        """
        A pass that was paused does not go on: the next one is from the beginning.
        """

    def state(self) -> Annotated[NDArray[numpy.uint8], dict(shape=(None,))]:
        """
        All that another object, made of the same data and settings, needs to go on from here.
        """

    def restore(self, state: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> None:
        """
        Goes on from a state; if that is of something else it is an error, and this object is
        not to be used any more.
        """

    def epoch(self) -> EpochStats: ...

    def start_at(self, weights: Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> None:
        """Weights to begin with, before the first step."""

    def weights(self) -> Annotated[NDArray[numpy.float32], dict(shape=(None,))]:
        """Averaged, if so asked."""

class ForestParser:
    """Trees of sentences in a second look."""

    def __init__(self, tokens: PhraseTokens, candidates: BracketCandidates, templates: ForestTemplates, heads: HeadRules, labels: LabelCodes, weights: Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C', device='cpu', writable=False)], rules: SpanRules | None = None, sure: float = float('inf')) -> None: ...

    def best(self, threads: int = 1) -> tuple[NDArray[numpy.int64], NDArray[numpy.int32], NDArray[numpy.int32], NDArray[numpy.int32], NDArray[numpy.float64], NDArray[numpy.float64]]:
        """
        Starts of each sentence; begins, ends, labels and scores of brackets; scores of trees.
        """

    def least_risk(self, threshold: float = 0.5, threads: int = 1) -> tuple[NDArray[numpy.int64], NDArray[numpy.int32], NDArray[numpy.int32], NDArray[numpy.int32], NDArray[numpy.float64], NDArray[numpy.float64]]:
        """
        The trees with most of P(bracket) - threshold, and how many brackets should be right.
        """

    def marginals(self, least: float = 0.0, threads: int = 1) -> tuple[NDArray[numpy.int64], NDArray[numpy.int32], NDArray[numpy.int32], NDArray[numpy.int32], NDArray[numpy.float64], NDArray[numpy.float64]]:
        """All brackets that are at least so probable; log Z."""

    def best_trees(self, k: int, threads: int = 1) -> list[tuple[NDArray[numpy.int64], NDArray[numpy.int32], NDArray[numpy.int32], NDArray[numpy.int32], NDArray[numpy.float64], NDArray[numpy.float64]]]:
        """The k best trees of each sentence, best first."""

    def samples(self, count: int, seed: int = 0, threads: int = 1) -> list[tuple[NDArray[numpy.int64], NDArray[numpy.int32], NDArray[numpy.int32], NDArray[numpy.int32], NDArray[numpy.float64], NDArray[numpy.float64]]]:
        """Trees of each sentence, drawn by their probability."""

    def without_each(self, threads: int = 1) -> list[tuple[NDArray[numpy.int64], NDArray[numpy.int32], NDArray[numpy.int32], NDArray[numpy.int32], NDArray[numpy.float64], NDArray[numpy.float64]]]:
        """
        For each bracket of the best tree of a sentence, the best tree without it.
        """

    def origins(self, sentence: int, begins: Sequence[int], ends: Sequence[int], labels: Sequence[int], begin: int, end: int) -> list[tuple[int, int, int, list[int], list[int]]]:
        """
        (kind of piece, place of the weight, number of the template, places of words, labels of
        child and sibling and doubt) for the features of a bracket within a tree.
        """

class TokenInput:
    """Sentences whose tokens are sparse rows."""

    @property
    def sentences(self) -> int: ...

    @property
    def tokens(self) -> int: ...

    @property
    def features(self) -> int: ...

class RowsInput(TokenInput):
    """Rows that are there."""

    def __init__(self, rows: Rows, offsets: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> None: ...

class TemplateInput(TokenInput):
    """Rows that templates give, made when needed."""

    def __init__(self, templates: Templates, sentences: TokenColumns, table: FeatureTable, flags: Sequence[NDArray[numpy.uint8]], own: tuple[NDArray[numpy.int64], NDArray[numpy.int32], NDArray[numpy.float32], Texts] | None, bias: float, threads: int = 1) -> None: ...

class ChainScorer:
    """A tagger: sparse rows of (label, weight), row 0 the constant feature."""

    def __init__(self, labels: int, starts: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], label_ids: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], weights: Annotated[NDArray, dict(shape=(None,), order='C', device='cpu', writable=False)], transitions: Annotated[NDArray[numpy.float32], dict(order='C', device='cpu', writable=False)] | None = None, start: Annotated[NDArray[numpy.float32], dict(order='C', device='cpu', writable=False)] | None = None, stop: Annotated[NDArray[numpy.float32], dict(order='C', device='cpu', writable=False)] | None = None, scales: Annotated[NDArray[numpy.float32], dict(order='C', device='cpu', writable=False)] | None = None, order: int = 1, local: bool = False, windows: Sequence[Annotated[NDArray[numpy.float32], dict(order='C', device='cpu', writable=False)]] = [], pair_starts: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None = None, pair_ids: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)] | None = None, pair_weights: Annotated[NDArray, dict(shape=(None,), order='C', device='cpu', writable=False)] | None = None, pair_scales: Annotated[NDArray[numpy.float32], dict(order='C', device='cpu', writable=False)] | None = None) -> None: ...

    @property
    def labels(self) -> int: ...

    @property
    def features(self) -> int: ...

    def best(self, input: TokenInput, pairs: Rows | None = None, transitions: Annotated[NDArray, dict(order='C', device='cpu', writable=False)] | None = None, start: Annotated[NDArray, dict(order='C', device='cpu', writable=False)] | None = None, stop: Annotated[NDArray, dict(order='C', device='cpu', writable=False)] | None = None, tokens: Annotated[NDArray, dict(order='C', device='cpu', writable=False)] | None = None, threads: int = 1) -> tuple:
        """The best label of every token and the score of every sentence."""

    def marginals(self, input: TokenInput, pairs: Rows | None = None, transitions: Annotated[NDArray, dict(order='C', device='cpu', writable=False)] | None = None, start: Annotated[NDArray, dict(order='C', device='cpu', writable=False)] | None = None, stop: Annotated[NDArray, dict(order='C', device='cpu', writable=False)] | None = None, tokens: Annotated[NDArray, dict(order='C', device='cpu', writable=False)] | None = None, threads: int = 1) -> tuple:
        """P(label at token), (tokens, labels), and log Z of every sentence."""

    def entropy(self, input: TokenInput, pairs: Rows | None = None, transitions: Annotated[NDArray, dict(order='C', device='cpu', writable=False)] | None = None, start: Annotated[NDArray, dict(order='C', device='cpu', writable=False)] | None = None, stop: Annotated[NDArray, dict(order='C', device='cpu', writable=False)] | None = None, tokens: Annotated[NDArray, dict(order='C', device='cpu', writable=False)] | None = None, threads: int = 1) -> Annotated[NDArray[numpy.float64], dict(shape=(None,))]:
        """The entropy of every sentence's outputs, in nats."""

    def kbest(self, input: TokenInput, k: int, pairs: Rows | None = None, transitions: Annotated[NDArray, dict(order='C', device='cpu', writable=False)] | None = None, start: Annotated[NDArray, dict(order='C', device='cpu', writable=False)] | None = None, stop: Annotated[NDArray, dict(order='C', device='cpu', writable=False)] | None = None, tokens: Annotated[NDArray, dict(order='C', device='cpu', writable=False)] | None = None, threads: int = 1) -> list:
        """For every sentence scores (at most k, best first) and labels."""

    def sample(self, input: TokenInput, count: int, seed: int, pairs: Rows | None = None, transitions: Annotated[NDArray, dict(order='C', device='cpu', writable=False)] | None = None, start: Annotated[NDArray, dict(order='C', device='cpu', writable=False)] | None = None, stop: Annotated[NDArray, dict(order='C', device='cpu', writable=False)] | None = None, tokens: Annotated[NDArray, dict(order='C', device='cpu', writable=False)] | None = None, threads: int = 1) -> list:
        """For every sentence so many exact samples of its labels."""

    def scores_of(self, input: TokenInput, labels: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], pairs: Rows | None = None, transitions: Annotated[NDArray, dict(order='C', device='cpu', writable=False)] | None = None, start: Annotated[NDArray, dict(order='C', device='cpu', writable=False)] | None = None, stop: Annotated[NDArray, dict(order='C', device='cpu', writable=False)] | None = None, tokens: Annotated[NDArray, dict(order='C', device='cpu', writable=False)] | None = None, threads: int = 1) -> Annotated[NDArray[numpy.float64], dict(shape=(None,))]:
        """The score of every sentence's given labels; -inf: not allowed."""

class SegmentData(Dataset):
    """
    Sentences cut into segments: rows of token features, offsets, codes (0 outside, y first, types + y inside).
    """

    def __init__(self, rows: Rows, offsets: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], codes: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], types: int, lengths: int, longest: int = 0, weights: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None = None) -> None: ...

class SegmentScorer:
    """
    A tagger by segments: sparse rows of (column, weight) for tokens, row 0 the constant feature; lengths; transitions.
    """

    def __init__(self, types: int, longest: int, starts: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], column_ids: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], weights: Annotated[NDArray, dict(shape=(None,), order='C', device='cpu', writable=False)], lengths: Annotated[NDArray[numpy.float32], dict(order='C', device='cpu', writable=False)] | None, transitions: Annotated[NDArray[numpy.float32], dict(order='C', device='cpu', writable=False)] | None, scales: Annotated[NDArray[numpy.float32], dict(order='C', device='cpu', writable=False)] | None = None) -> None: ...

    @property
    def types(self) -> int: ...

    @property
    def features(self) -> int: ...

    def best(self, input: TokenInput, threads: int = 1) -> tuple:
        """The best code of every token and the score of every sentence."""

    def marginals(self, input: TokenInput, threads: int = 1) -> tuple:
        """
        Probabilities of each token to be outside; then, for each type, to be first in a segment, inside one, last, first and last, first right after another of the type. And log Z of every sentence.
        """

    def entropy(self, input: TokenInput, threads: int = 1) -> Annotated[NDArray[numpy.float64], dict(shape=(None,))]: ...

    def kbest(self, input: TokenInput, k: int, threads: int = 1) -> list:
        """For every sentence scores (at most k, best first) and codes."""

    def sample(self, input: TokenInput, count: int, seed: int, threads: int = 1) -> list: ...

    def scores_of(self, input: TokenInput, codes: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], threads: int = 1) -> Annotated[NDArray[numpy.float64], dict(shape=(None,))]: ...

class CoarsePass:
    """A coarser grammar that prunes the charts of another."""

    def __init__(self, grammar: ChartGrammar, rules: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], unaries: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], symbol: Sequence[int], tag: Sequence[int], within: float) -> None: ...

def chart_trees(data: ChartData, weights: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], decode: str = 'best', coarse: CoarsePass | None = None, keep: float = 0.5, threads: int = 1) -> tuple:
    """
    One tree for each sentence that is not empty; those without tags have none.
    """

def chart_kbest(data: ChartData, weights: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], k: int, coarse: CoarsePass | None = None, threads: int = 1) -> tuple:
    """How many trees each sentence has, and all of them, best first."""

def chart_samples(data: ChartData, weights: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], count: int, seed: int, coarse: CoarsePass | None = None, threads: int = 1) -> tuple:
    """How many trees each sentence has, and all of them."""

def chart_sums(data: ChartData, weights: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], coarse: CoarsePass | None = None, threads: int = 1) -> tuple:
    """
    log Z and entropy of each sentence, and P(tag) of its words and P(label) of its spans.
    """

def learn_transformations(offsets: NDArray[numpy.int64], columns: Sequence[NDArray[numpy.int32]], gold: NDArray[numpy.int32], tags: int, templates: Sequence[Sequence[tuple[int, Sequence[int]]]], most: int, least_score: int, least_accuracy: float) -> tuple[NDArray[numpy.int32], NDArray[numpy.int64], bool]:
    """
    Rows of (template, from, to, values), what each fixed and broke, and whether Ctrl-C ended it.
    Column 0 is the tags to start from.
    """

class Transformations:
    """A list of rules that change tags, each everywhere at once."""

    def __init__(self, templates: Sequence[Sequence[tuple[int, Sequence[int]]]], columns: int, rules: NDArray[numpy.int32]) -> None: ...

    def tag(self, offsets: NDArray[numpy.int64], columns: Sequence[NDArray[numpy.int32]], threads: int = 1) -> NDArray[numpy.int32]:
        """
        The tags of all tokens after the last rule; column 0 is those before the first.
        """

    def fired(self, offsets: NDArray[numpy.int64], columns: Sequence[NDArray[numpy.int32]]) -> NDArray[numpy.int64]:
        """Rows of (token, rule) for each change that was made."""

def learn_row_transformations(begin: NDArray[numpy.int64], features: NDArray[numpy.int32], n_features: int, now: NDArray[numpy.int32], gold: NDArray[numpy.int32], labels: int, most: int, least: int) -> NDArray[numpy.int64]:
    """
    Rows of (feature, from, to, fixed, broken): rules that change labels of rows, in order.
    """

class InstanceMemory:
    """Instances of symbolic features, and their search."""

    def __init__(self, rows: NDArray[numpy.int32], labels: NDArray[numpy.int32], n_labels: int, values: NDArray[numpy.int32], weights: NDArray[numpy.float64], order: Sequence[int], mvdm: bool, least: int) -> None: ...

    def neighbours(self, queries: NDArray[numpy.int32], k: int, threads: int = 1) -> tuple[NDArray[numpy.int64], NDArray[numpy.int32], NDArray[numpy.float64]]:
        """
        Instances at the k nearest distances of each query, and these; nearest first.
        """

    def classify(self, queries: NDArray[numpy.int32], k: int, decay: str, a: float, b: float, with_votes: bool, threads: int = 1) -> tuple[NDArray[numpy.int32], NDArray[numpy.float64]]:
        """The label of each query, and its votes if they are wanted."""

    def distance(self, feature: int, value: int, other: int) -> float:
        """How far two values of a feature are apart, without its weight."""

class IGTree:
    """Instances as a tree of values, tested in order."""

    def __init__(self, rows: NDArray[numpy.int32], labels: NDArray[numpy.int32], n_labels: int, order: Sequence[int]) -> None: ...

    @property
    def size(self) -> int: ...

    def classify(self, queries: NDArray[numpy.int32], width: int) -> NDArray[numpy.int32]: ...

    def path(self, query: NDArray[numpy.int32]) -> list[tuple[int, int, int]]:
        """
        The nodes that a query passes: label, instances that have it, instances.
        """

class RowNeighbours:
    """Sparse rows under an inverted index."""

    def __init__(self, begin: NDArray[numpy.int64], column: NDArray[numpy.int32], value: NDArray[numpy.float32], columns: int) -> None: ...

    def nearest(self, begin: NDArray[numpy.int64], column: NDArray[numpy.int32], value: NDArray[numpy.float32], k: int, threads: int = 1) -> tuple[NDArray[numpy.int32], NDArray[numpy.float64]]:
        """
        The k rows of highest inner product with each query, and these; highest first.
        """

class GramRows:
    """A kernel over examples, some rows at a time."""

    @property
    def size(self) -> int: ...

class DenseGram32(GramRows):
    """A Gram matrix that was computed beforehand."""

    def __init__(self, values: Annotated[NDArray[numpy.float32], dict(shape=(None, None), order='C', device='cpu', writable=False)]) -> None: ...

class DenseGram64(GramRows):
    """A Gram matrix that was computed beforehand."""

    def __init__(self, values: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)]) -> None: ...

class VectorGram(GramRows):
    """A kernel of vectors over sparse rows."""

    def __init__(self, rows: Rows, form: str, degree: int = 1, scale: float = 1.0, constant: float = 0.0, precision: float = 1.0) -> None: ...

    def diagonal(self) -> Annotated[NDArray[numpy.float32], dict(shape=(None,))]: ...

    def matrix(self, rows: Rows, threads: int = 1) -> Annotated[NDArray[numpy.float32], dict(shape=(None, None))]:
        """K(x, row) for x of these rows."""

    def scores(self, rows: Rows, weights: Annotated[NDArray[numpy.float32], dict(shape=(None, None), order='C', device='cpu', writable=False)], threads: int = 1) -> Annotated[NDArray[numpy.float64], dict(shape=(None, None))]:
        """K(x, row) times weights, for x of these rows."""

class GramCache:
    """Rows of a kernel that are kept."""

    def __init__(self, gram: GramRows, bytes: int) -> None: ...

class ConstraintGram(GramRows):
    """Kesler's construction: constraints between labels."""

    def __init__(self, examples: GramCache, labels: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], width: int, constant: float = 0.0, with_zeros: bool = False) -> None: ...

def smo_classify(cache: GramCache, signs: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], costs: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], tol: float = 0.001, limit: int = -1, shrinking: bool = True) -> tuple:
    """
    Coefficients, intercept, dual objective, violation, pairs, converged, interrupted. The coefficient of a sign of 0 is free, and its example asks for nothing.
    """

def smo_regress(cache: GramCache, targets: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], costs: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], epsilon: float = 0.1, tol: float = 0.001, limit: int = -1, shrinking: bool = True) -> tuple:
    """As smo_classify."""

def kernel_crammer_singer(cache: GramCache, labels: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], costs: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], width: int, tol: float = 0.001, epochs: int = 1000, seed: int = 0) -> tuple:
    """Coefficients, objective, gap, epochs, converged, interrupted."""

def kernel_perceptron(cache: GramCache, labels: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], width: int, constant: float = 0.0, epochs: int = 10, budget: int = 0, shuffled: int = 0, seed: int = 0) -> tuple:
    """
    Last and averaged coefficients, the updates (example, label up, label down, loss), survivals, mistakes of each pass, interrupted; from which pass on they are shuffled.
    """

def kernel_votes(values: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], constant: float, example: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], up: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], down: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], survived: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], width: int) -> Annotated[NDArray[numpy.float64], dict(shape=(None, None))]:
    """
    Votes of all hypotheses that a perceptron went through, from kernel values.
    """

def gappy_kernel(characters: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], offsets: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], other_characters: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)] | None = None, other_offsets: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None = None, length: int = 3, decay: float = 0.5, threads: int = 1) -> Annotated[NDArray[numpy.float64], dict(shape=(None, None))]:
    """
    The gappy subsequence kernel of strings with others, or with one another.
    """

class TreeSet:
    """Ordered trees with labels, children before their parents."""

    def __init__(self, offsets: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], labels: Annotated[NDArray[numpy.uint64], dict(shape=(None,), order='C', device='cpu', writable=False)], parents: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> None: ...

    def __len__(self) -> int: ...

    def matrix(self, other: TreeSet | None, form: str, decay: float = 0.4, vertical: float = 0.4, threads: int = 1) -> Annotated[NDArray[numpy.float64], dict(shape=(None, None))]:
        """A kernel of these trees with others, or with one another."""

    def diagonal(self, form: str, decay: float = 0.4, vertical: float = 0.4) -> Annotated[NDArray[numpy.float64], dict(shape=(None,))]:
        """The kernel of each tree with itself."""

    def fragments(self, form: str, decay: float = 0.4, size: int = 4, bits: int = 18) -> tuple:
        """Hashed fragments: starts, features, values of sparse rows."""

class FragmentWeights:
    """A sum over trees, as weights of fragments."""

    def __init__(self, trees: TreeSet, weights: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], form: str, decay: float = 0.4, size: int = 5) -> None: ...

    def __len__(self) -> int: ...

    def scores(self, trees: TreeSet, normalised: bool = False, threads: int = 1) -> Annotated[NDArray[numpy.float64], dict(shape=(None, None))]:
        """
        Sums for other trees; normalised, divided by the root of the kernel with itself.
        """
