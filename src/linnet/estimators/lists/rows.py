"""Lists over rows of symbols: each value of each column is a feature, and so may be pairs of them."""

from __future__ import annotations

from itertools import combinations
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from linnet._params import whole
from linnet.data import CsrRows
from linnet.errors import DataError
from linnet.estimators.base import Labels
from linnet.estimators.symbols import SymbolClassifier, read_symbols
from linnet.estimators.text.targets import Targets
from linnet.model.instances import Column
from linnet.training import TrainingRecord

MOST_TOGETHER = 3


class SymbolFeatures:
    """``column=value``, and conjunctions of up to so many: "x0=red & x1=round"."""

    def __init__(self, names: list[str], together: int) -> None:
        self.columns, self.together = names, together
        self.names: list[str] = []
        self.number: dict[str, int] = {}

    @property
    def groups(self) -> list[tuple[int, ...]]:
        """Columns that are looked at together."""
        most = min(self.together, len(self.columns))
        return [g for n in range(1, most + 1) for g in combinations(range(len(self.columns)), n)]

    def rows(self, columns: list[Column], learn: bool = False) -> CsrRows:
        """Which features each row has; those that are new are left out, unless they are learnt."""
        n = len(columns[0].codes)
        found: list[list[int]] = [[] for _ in range(n)]
        for group in self.groups:
            for i in range(n):
                said = [f"{self.columns[f]}={columns[f].names[columns[f].codes[i]]}" for f in group]
                name = " & ".join(said)
                number = self.number.get(name)
                if number is None:
                    if not learn:
                        continue
                    number = self.number[name] = len(self.names)
                    self.names.append(name)
                found[i].append(number)
        indptr = np.concatenate([[0], np.cumsum([len(row) for row in found])]).astype(np.int64)
        indices = np.array([j for row in found for j in row], np.int32)
        return CsrRows.of_ones(indptr, indices, len(self.names), True)


class RowList(SymbolClassifier):
    """Values of columns are features, and what is learnt is a list of them."""

    method = ""

    conjunctions: int
    features_: SymbolFeatures
    model_: Any

    def fit(self, X: Any, y: Any) -> Self:
        """Learn from rows X and their labels; rows are as of `MemoryClassifier`."""
        self._check_own()
        if whole("conjunctions", self.conjunctions, 1) > MOST_TOGETHER:
            raise ValueError(f"conjunctions must be at most {MOST_TOGETHER}, not {self.conjunctions}")
        names, columns, targets = self._read_training(X, y)
        features = SymbolFeatures(names, int(self.conjunctions))
        rows = features.rows(columns, learn=True)
        model = self._learn(rows, targets, None)
        record = TrainingRecord("none", self.method, "none", "rows", 0.0, 0.0, stopped="converged")
        record.data = {"rows": len(targets), "labels": len(targets.classes)}
        self._set(targets.classes, features, model, record)
        return self

    def _set(self, classes: Labels, features: SymbolFeatures, model: Any, record: Any) -> None:
        """What was learnt."""
        self.classes_, self.features_, self.model_, self.record_ = classes, features, model, record
        self.feature_names_in_ = np.asarray(features.columns, dtype=object)

    def _check_own(self) -> None:
        """Settings of the family."""

    def _learn(self, rows: CsrRows, targets: Targets, texts: Any) -> Any:
        raise NotImplementedError

    def _explain_rows(self, rows: CsrRows, texts: Any, whats: list[str]) -> list[Any]:
        raise NotImplementedError

    def _seen(self, X: Any) -> tuple[CsrRows, list[str]]:
        self._check_fitted()
        names, columns = read_symbols(X, self.features_.columns)
        if len(names) != len(self.features_.columns):
            raise DataError(f"X has {len(names)} features, not {len(self.features_.columns)}")
        count = len(columns[0].codes)
        whats = [" ".join(c.names[c.codes[i]] for c in columns) for i in range(count)]
        return self.features_.rows(columns), whats

    def predict(self, X: Any) -> Any:
        """The label of each row."""
        scores = self.model_.scores(self._seen(X)[0])
        return self.classes_[scores.argmax(axis=1)]

    def explain(self, X: Any) -> Any:
        """Why each row has its label: rows give a list."""
        rows, whats = self._seen(X)
        return self._explain_rows(rows, None, whats)

    def no_probabilities(self) -> str | None:
        """Of lists there are none."""
        return f"{type(self).__name__} gives labels without probabilities"

    def nonzero_weights(self) -> int:
        """How many entries or rules there are."""
        return len(self.model_)

    def get_feature_names_out(self, input_features: Any = None) -> NDArray[Any]:
        """The features that entries and rules may name."""
        self._check_fitted()
        return np.asarray(self.features_.names, dtype=object)

    def file_parts(self) -> tuple[dict[str, Any], dict[str, NDArray[Any]]]:
        """What a model file holds."""
        from linnet.estimators.lists.file import row_list_parts

        return row_list_parts(self)
