"""k nearest texts, by the cosine of their rows."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

import linnet._core as _core
from linnet._params import whole
from linnet.data import CsrRows
from linnet.estimators.text.by_rows import TextByRows
from linnet.estimators.text.targets import Targets
from linnet.explain.evidence import Weights
from linnet.explain.neighbours import Neighbour, NeighbourExplanation
from linnet.features import TextFeatures
from linnet.model.text_memory import TextMemory

Array = NDArray[np.float64]
VOTES = ("similarity", "equal")
SHOWN = 8  # features that a neighbour shares


class TextNeighbors(TextByRows):
    """A text has the label that most of its k nearest texts have, by the cosine of tf-idf rows.

    Neighbours are exact, and found over an inverted index: rough sums tell which texts are compared.
    Of equal cosines the first text is nearer.

    Parameters
    ----------
    features : 'auto', words by tf-idf, or `TextFeatures`; rows must have norm='l2'
    k : how many texts vote
    vote : 'similarity', each as much as its cosine, or 'equal'

    Attributes
    ----------
    classes_, features_, model_ (a `TextMemory`), record_

    Examples
    --------
    >>> from linnet import TextNeighbors
    >>> X = ["the linnet sings", "a linnet sang", "the engine stalled", "an old engine"]
    >>> memory = TextNeighbors(k=3).fit(X, ["bird", "bird", "car", "car"])
    >>> memory.predict(["linnets sing like a linnet"]).tolist()
    ['bird']
    """

    method = "memory"

    def __init__(
        self,
        features: Any = "auto",
        k: int = 10,
        vote: str = "similarity",
        *,
        text: str = "text",
        missing: Any = "auto",
        n_jobs: int | None = None,
    ) -> None:
        self.features = features
        self.k = k
        self.vote = vote
        self.text = text
        self.missing = missing
        self.n_jobs = n_jobs

    def _usual_features(self) -> TextFeatures:
        return TextFeatures(tf="sublinear", scale="idf", norm="l2")

    def _check_own(self) -> None:
        whole("k", self.k, 1)
        if not isinstance(self.vote, str) or self.vote not in VOTES:
            raise ValueError(f"vote must be one of {', '.join(VOTES)}, not {self.vote!r:.60}")
        if isinstance(self.features, TextFeatures) and self.features.norm != "l2":
            raise ValueError("features: rows must have norm='l2', or products are no cosines")

    def _learn(self, rows: CsrRows, targets: Targets, texts: Any) -> TextMemory:
        return self._memory(rows, targets.codes, len(targets.classes))

    def _memory(self, rows: CsrRows, labels: Any, n_labels: int) -> TextMemory:
        values = np.ascontiguousarray(rows.values, np.float32)
        kept = CsrRows(rows.indptr, rows.indices, values, rows.features, rows.distinct)
        return TextMemory(kept, labels, n_labels, whole("k", self.k), self.vote == "similarity")

    def kneighbors(self, X: Any) -> tuple[NDArray[np.int32], Array]:
        """(n, k): the nearest texts of the training data, and their cosines."""
        self._check_fitted()
        texts, columns, _ = self._read(X, None)
        found: tuple[NDArray[np.int32], Array] = self.model_.nearest(
            self._rows(texts, columns), self._threads()
        )
        return found

    def no_probabilities(self) -> str | None:
        """Shares of votes are some."""
        return None

    def _probabilities(self, scores: Array) -> Array:
        return np.asarray(scores / scores.sum(axis=1, keepdims=True))

    def inspect(self, top: int = 10) -> Weights:
        """There are no weights: of each label how many texts are kept."""
        whole("top", top, 0)
        counts = np.bincount(self.model_.labels, minlength=len(self.classes_)).tolist()
        labels = map(str, self.classes_.tolist())
        return Weights({c: [("texts", float(n))] for c, n in zip(labels, counts, strict=True)})

    def _explain_rows(self, rows: CsrRows, texts: _core.Texts, whats: list[str]) -> list[Any]:
        model, names = self.model_, self.features_.names
        found, cosines = model.nearest(rows, self._threads())
        scores = model.shares(found, cosines)
        told = []
        for i, what in enumerate(whats):
            query = dict(
                zip(
                    rows.indices[rows.indptr[i] : rows.indptr[i + 1]].tolist(),
                    rows.values[rows.indptr[i] : rows.indptr[i + 1]].tolist(),
                    strict=True,
                )
            )
            listed = []
            for text, cosine in zip(found[i].tolist(), cosines[i].tolist(), strict=True):
                begin, end = model.rows.indptr[text], model.rows.indptr[text + 1]
                features = model.rows.indices[begin:end].tolist()
                values = model.rows.values[begin:end].tolist()
                shared = [
                    (query[f] * v, str(names[f]))
                    for f, v in zip(features, values, strict=True)
                    if f in query
                ]
                shared.sort(reverse=True)
                agree = [f"{name} {product:.3f}" for product, name in shared[:SHOWN]]
                label = str(self.classes_[model.labels[text]])
                listed.append(Neighbour(text + 1, label, 1.0 - cosine, agree, []))
            votes = {
                str(self.classes_[c]): float(scores[i, c])
                for c in np.flatnonzero(scores[i] > 1e-9).tolist()
            }
            label = str(self.classes_[int(scores[i].argmax())])
            told.append(NeighbourExplanation(what, label, votes, listed))
        return told
