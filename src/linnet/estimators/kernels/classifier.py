"""What all classifiers with kernels share: labels, decisions, and the ways to several labels."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from linnet._params import whole
from linnet.estimators.grid_settings import REDUCTIONS
from linnet.estimators.kernels.input import Array, KernelEstimator
from linnet.estimators.linear.input import classes_of
from linnet.estimators.linear.reductions import Codes
from linnet.estimators.scored import ScoredClassifier
from linnet.explain.support import LargestSupport
from linnet.model import best_labels
from linnet.model.codes import votes

WAYS = ("auto", "joint", "rest", *REDUCTIONS)


class KernelClassifier(ScoredClassifier, KernelEstimator):
    """Support vectors, and a column of scores for each label, or for each machine that votes."""

    multiclass: str
    way_: str  # 'two' of two labels, else how the others are told apart
    gold_: NDArray[np.int32]  # labels of the support vectors
    codes_: Codes | None = None  # of machines that vote

    def _labels(self, y: Any, n: int) -> NDArray[np.int32]:
        if getattr(getattr(y, "dtype", None), "kind", "f") == "f":
            from sklearn.utils import assert_all_finite

            assert_all_finite(np.asarray(y), input_name="y")
        self.classes_, labels = classes_of(y, n, "examples")
        return labels

    def _way(self) -> str:
        if self.multiclass not in WAYS:
            raise ValueError(
                f"multiclass must be one of {', '.join(WAYS)}, not {self.multiclass!r:.40}"
            )
        return "joint" if self.multiclass == "auto" else self.multiclass

    # ------------------------------------------------------------------ prediction

    def _scores(self, X: Any) -> Array:
        """Of machines that vote a score is the number of votes for a label less those against it, and
        a part of a vote by the sum of margins, which decides between equals.
        """
        scores = self._columns(X)
        return scores if self.codes_ is None else votes(scores, self.codes_)

    @property
    def intercept_(self) -> Array:
        """One for each column of scores."""
        self._check_fitted()
        return self.model_.intercepts

    def explain(self, X: Any, top: int = 5) -> Any:
        """The support vectors that speak most for and against the label of each example."""

        def of(row: int, scores: Array) -> tuple[str, int, float]:
            if self.way_ == "two":
                best = int(scores[row, 0] > 0)
                return str(self.classes_[best]), 0, 1.0 if best else -1.0
            if self.codes_ is not None:
                return self._closest(scores[row], self.codes_)
            best = int(best_labels(scores[row][None])[0])
            return str(self.classes_[best]), best, 1.0

        return self._explain(X, top, of)

    def inspect(self, top: int = 10) -> Any:
        """The support vectors of largest weight, for each column of scores."""
        self._check_fitted()
        top = whole("top", top, 1)
        names = [str(label) for label in self.classes_.tolist()]
        if self.codes_ is not None:
            columns = [self._question(asked) for asked in self.codes_.T]
        else:
            columns = [names[1]] if self.way_ == "two" else names
        return LargestSupport({name: self._largest(k, top) for k, name in enumerate(columns)})

    def _closest(self, margins: Array, codes: Codes) -> tuple[str, int, float]:
        """Of the machines that were asked about the winner the one that was least sure."""
        best = int(best_labels(votes(margins[None], codes))[0])
        asked = np.flatnonzero(codes[best])
        closest = int(asked[np.abs(margins[asked]).argmin()])
        sign = int(codes[best, closest])
        return self._question(sign * codes[:, closest], best), closest, float(sign)

    def _question(self, asked: NDArray[np.int8], first: int | None = None) -> str:
        """What a machine tells apart; of the labels on the first side that one comes first."""
        names = [str(label) for label in self.classes_.tolist()]
        sides = [np.flatnonzero(asked == side).tolist() for side in (1, -1)]
        sides[0].sort(key=lambda k: k != first)
        return " against ".join(", ".join(names[k] for k in side) for side in sides)

    def _label_shown(self, support: int) -> str:
        return str(self.classes_[self.gold_[support]])
