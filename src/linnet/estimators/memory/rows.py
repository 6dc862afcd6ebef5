"""Memory-based learning over rows of symbolic features."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from linnet._params import whole
from linnet.errors import DataError, RefusedError
from linnet.estimators.available import with_probabilities
from linnet.estimators.base import Labels
from linnet.estimators.memory.settings import MemorySettings
from linnet.estimators.symbols import SymbolClassifier, read_symbols
from linnet.explain.neighbours import Explained, explain_instances
from linnet.model.instances import Column, InstanceModel

Array = NDArray[np.float64]


class MemoryClassifier(MemorySettings, SymbolClassifier):
    """A classifier that keeps all instances, and asks the nearest: TiMBL's IB1, and IGTree.

    Δ(x, q) = Σ_f w_f δ_f(x_f, q_f) over features f whose values are symbols. Neighbours are the
    instances at the ``k`` nearest distances; those that are equally far count as one distance. Each
    instance has a vote; of labels with equally many one more distance decides, then the label that is
    more frequent. [Daelemans and van den Bosch 2005]

    Parameters
    ----------
    k : how many nearest distances
    metric : 'overlap', or 'mvdm': values are near if they go with the same labels
    weights : of features: 'gain ratio', 'information gain', 'chi-square', 'none', or a number for each
    decay : votes by distance: 'equal', 'inverse' (1/d), 'linear', or 'exponential', exp(-a d^b)
    rare : values that occur less often are compared by overlap, whatever the metric
    algorithm : 'ib1', or 'igtree': a tree of values, faster, whose nodes have most frequent labels

    Attributes
    ----------
    classes_, model_ (an `InstanceModel`), feature_names_in_, record_

    Examples
    --------
    >>> from linnet import MemoryClassifier
    >>> X = [["red", "round"], ["red", "long"], ["green", "round"], ["green", "long"]]
    >>> memory = MemoryClassifier().fit(X, ["apple", "pepper", "lime", "cucumber"])
    >>> memory.predict([["red", "round"], ["green", "long"]]).tolist()
    ['apple', 'cucumber']
    """

    def __init__(
        self,
        k: int = 1,
        metric: str = "overlap",
        weights: Any = "gain ratio",
        decay: str = "equal",
        *,
        decay_a: float = 1.0,
        decay_b: float = 1.0,
        rare: int = 1,
        algorithm: str = "ib1",
        n_jobs: int | None = None,
    ) -> None:
        self.k = k
        self.metric = metric
        self.weights = weights
        self.decay = decay
        self.decay_a = decay_a
        self.decay_b = decay_b
        self.rare = rare
        self.algorithm = algorithm
        self.n_jobs = n_jobs

    model_: InstanceModel
    feature_names_in_: NDArray[Any]

    def fit(self, X: Any, y: Any) -> Self:
        """Keep rows X and their labels: lists or tuples of values, dicts, or a table.

        Values are compared as strings. None, and what a dict lacks, is the empty string.
        """
        self.how_near()
        self._threads()
        names, columns, targets = self._read_training(X, y)
        model = self.remember(names, columns, targets.codes, len(targets.classes))
        record = self.record(model)
        record.data = {"rows": len(model), "labels": len(targets.classes)}
        self._set(targets.classes, model, record)
        return self

    def _set(self, classes: Labels, model: InstanceModel, record: Any) -> None:
        self.classes_, self.model_, self.record_ = classes, model, record
        self.feature_names_in_ = np.asarray(model.names, dtype=object)

    def predict(self, X: Any) -> Any:
        """The label of each row."""
        return self.classes_[self.model_.best(self._queries(X)[0], self._threads())]

    @with_probabilities
    def predict_proba(self, X: Any) -> Array:
        """The share of votes of each label, (n, labels): no more than that."""
        queries, _ = self._queries(X)
        return self.model_.shares(queries, self._threads())

    def no_probabilities(self) -> str | None:
        """Of a tree there are none."""
        tree = self.algorithm == "igtree"
        return "a tree gives one label; use algorithm='ib1' for votes" if tree else None

    def kneighbors(self, X: Any) -> list[list[tuple[int, float]]]:
        """Of each row the instances at the k nearest distances: (training row, distance)."""
        queries, _ = self._queries(X)
        if self.model_.how.algorithm == "igtree":
            raise RefusedError("a tree has no neighbours; use algorithm='ib1'")
        offsets, found, distances = self.model_.neighbours(queries, self._threads())
        pairs = list(zip(found.tolist(), distances.tolist(), strict=True))
        return [pairs[a:b] for a, b in pairwise(offsets)]

    def explain(self, X: Any) -> Any:
        """The nearest instances with their distances, and which features agree; or a tree's path.

        One row gives one explanation, rows a list of them.
        """
        self._check_fitted()
        single = isinstance(X, Mapping) or (
            isinstance(X, (list, tuple)) and bool(X) and isinstance(X[0], (str, bytes))
        )
        queries, columns = self._queries([X] if single else X)
        asked = [[c.names[c.codes[i]] for c in columns] for i in range(len(queries))]
        whats = [" ".join(values) for values in asked]
        labels = [str(label) for label in self.classes_.tolist()]
        found: Sequence[Explained] = explain_instances(self.model_, labels, queries, asked, whats)
        return found[0] if single else list(found)

    def inspect(self, top: int = 10) -> list[tuple[str, float, int]]:
        """The features of largest weight: name, weight, number of values."""
        self._check_fitted()
        model, top = self.model_, whole("top", top, 0)
        best = np.argsort(-model.weights, kind="stable")[:top].tolist()
        return [(model.names[f], float(model.weights[f]), len(model.values[f])) for f in best]

    def nonzero_weights(self) -> int:
        """How many instances are kept."""
        return len(self.model_)

    def file_parts(self) -> tuple[dict[str, Any], dict[str, NDArray[Any]]]:
        """What a model file holds."""
        from linnet.estimators.memory.file import memory_parts

        return memory_parts(self)

    def _queries(self, X: Any) -> tuple[NDArray[np.int32], list[Column]]:
        self._check_fitted()
        names, columns = read_symbols(X, self.model_.names)
        if len(names) != self.model_.features:
            raise DataError(f"X has {len(names)} features, and the model {self.model_.features}")
        return self.model_.queries(columns), columns
