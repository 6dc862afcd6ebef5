"""Linear classifiers of features written out: conjunctions, fragments of strings and of trees."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from linnet._params import whole
from linnet.errors import DataError
from linnet.estimators.base import unchanged_on_failure
from linnet.estimators.kernels.examples import ExamplesEstimator, as_strings
from linnet.estimators.linear.classifier import LinearClassifier
from linnet.estimators.linear.input import feature_names
from linnet.estimators.linear.presets import LinearSVM
from linnet.estimators.scored import ScoredClassifier
from linnet.explain.explanation import Explanation, Piece
from linnet.kernels import Kernel, map_named
from linnet.kernels.base import take
from linnet.kernels.maps import Transformer
from linnet.kernels.named_maps import reader_of
from linnet.model import LinearModel

Array = NDArray[np.float64]


class MappedClassifier(ScoredClassifier, ExamplesEstimator):
    """A linear classifier of what a map makes of examples: the features of a kernel, written out.

    Parameters
    ----------
    map : a map of `linnet.kernels`, or the name of one with its settings: 'conjunctions degree=2',
        'tree_fragments size=5 of subset_tree', 'string_fragments of gappy length=3'
    classifier : any `LinearClassifier`; `LinearSVM` if not said
    features : a `TextFeatures`, where X holds texts and the map reads rows

    X is a matrix, a list of dicts, of texts, or whatever the map reads: strings, trees.

    Attributes
    ----------
    classes_, map_, classifier_, model_ (its weights), record_

    Examples
    --------
    >>> from linnet import LinearSVM, MappedClassifier
    >>> X = [[0, 0], [0, 1], [1, 0], [1, 1]]
    >>> xor = MappedClassifier("conjunctions degree=2", LinearSVM(C=1e4)).fit(X, [0, 1, 1, 0])
    >>> xor.predict([[0, 1], [1, 1]])
    array([1, 0])
    """

    class_weight = None
    model_: LinearModel
    map_: Transformer
    classifier_: LinearClassifier

    def __init__(
        self,
        map: Any = "conjunctions",  # noqa: A002
        classifier: Any = None,
        *,
        features: Any = None,
        n_jobs: int | None = None,
    ) -> None:
        self.map = map
        self.classifier = classifier
        self.features = features
        self.n_jobs = n_jobs

    def _reader(self, reset: bool) -> Kernel:
        return reader_of(map_named(self.map) if reset else self.map_)

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Train on examples of any kind that the map reads, and labels y."""
        if self.classifier is not None and not isinstance(self.classifier, LinearClassifier):
            raise ValueError(f"classifier must be a LinearClassifier, not {self.classifier!r:.60}")
        with unchanged_on_failure(self):
            inner = LinearSVM() if self.classifier is None else self.classifier.__sklearn_clone__()
            inner.fit(self.map_anew(X), y, sample_weight)
            self._set(self.map_, inner)
        return self

    def map_anew(self, X: Any) -> Any:
        """Rows of a map that is fitted to X."""
        given = map_named(self.map)
        self.map_ = type(given)(**given.get_params(deep=False))
        return self.map_.fit_transform(self._examples(X, reset=True))

    def mapped(self, X: Any) -> Any:
        """Rows of X by the map as it is."""
        return self.map_.transform(self._examples(X, reset=False))

    def _set(self, made: Transformer, inner: LinearClassifier) -> None:
        """What was learnt: weights of what the map makes."""
        self.map_, self.classifier_ = made, inner
        self.classes_, self.model_, self.record_ = inner.classes_, inner.model_, inner.record_

    # ------------------------------------------------------------------ what the classifier says

    def _scores(self, X: Any) -> Array:
        self._check_fitted()
        return self.classifier_._scores(self.mapped(X))

    def _probabilities(self, scores: Array) -> Array:
        return self.classifier_._probabilities(scores)

    def no_probabilities(self) -> str | None:
        """As of the classifier."""
        told = self.classifier_ if self.__sklearn_is_fitted__() else self.classifier or LinearSVM()
        return told.no_probabilities()

    def nonzero_weights(self) -> int:
        """How many weights are not zero, the intercept's included."""
        return self.classifier_.nonzero_weights()

    def trials(self, names: frozenset[str], X: Any, y: Any) -> Any:
        """Of its map, and of its classifier, by their own names."""
        from linnet.estimators.kernels.trials import mapped_trials

        return mapped_trials(self, names, X, y)

    # ------------------------------------------------------------------ why

    def explain(self, X: Any, by: str = "feature") -> Any:
        """What each conjunction, or fragment of a string, adds to every score; others have no names."""
        self._check_fitted()
        single = isinstance(X, str)
        found = list(self.explanations([X] if single else X, by))
        return found[0] if single else found

    def explanations(self, X: Any, by: str = "feature") -> Any:
        """The same, one after the other."""
        if by not in ("feature", "word"):
            raise ValueError(f"by must be 'feature', not {by!r}")
        if self.model_.votes is not None:
            raise ValueError("a model that votes has no weights to explain its scores by")
        examples, texts = self._examples(X, reset=False), as_strings(X)
        count = examples.shape[0] if hasattr(examples, "shape") else len(examples)
        for k in range(count):
            text = texts[k] if self.reads_text else ""
            yield self._explained(take(examples, [k]), text)

    def _explained(self, example: Any, text: str) -> Explanation:
        names, columns, values = self.map_.pieces(example, self._feature_names())
        model, labels = self.model_, [str(label) for label in self.classes_.tolist()]
        terms = values[:, None] * model.chosen(columns + 1).astype(np.float64)
        bias = float(model.bias) * model.chosen([0])[0].astype(np.float64)
        binary = model.width == 1 and len(labels) == 2
        scores = self._sound((bias + terms.sum(axis=0))[None])
        probabilities = None
        if self.no_probabilities() is None:
            probabilities = dict(zip(labels, self._probabilities(scores)[0].tolist(), strict=True))
        return Explanation(
            text=text,
            labels=labels[1:] if binary else labels,
            against=labels[0] if binary else None,
            scores=scores[0],
            bias=bias,
            pieces=[Piece(n, 0, 0, term) for n, term in zip(names, terms, strict=True)],
            unknown=0,
            by="feature",
            probabilities=probabilities,
        )

    def _feature_names(self) -> Any:
        if self.features_ is not None:
            return self.features_.names
        return feature_names(self).tolist() if hasattr(self, "n_features_in_") else ()

    def inspect(self, top: int = 10) -> Any:
        """Of hashed features there are no names; what an example has is explained by name."""
        whole("top", top, 0)
        raise DataError(f"{type(self.map_).__name__} makes features without a list of their names")

    def file_parts(self) -> tuple[dict[str, Any], dict[str, NDArray[Any]]]:
        """What a model file holds."""
        from linnet.estimators.kernels.mapped_file import mapped_parts

        return mapped_parts(self)
