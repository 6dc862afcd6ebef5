"""How models of each kind are judged: their answers to some data, as a tally."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from linnet.errors import DataError
from linnet.evaluation.brackets import bracket_scores
from linnet.evaluation.spans import column_counts
from linnet.evaluation.tallies import LabelTally, SumTally, Tally
from linnet.evaluation.trees import tree_scores

Judge = Callable[[Any, Any, Any], Tally]  # of a model, X and y


def by_labels(model: Any, X: Any, y: Any) -> LabelTally:
    """Classifiers, of anything that they predict labels for."""
    found = model.predict(X)
    return LabelTally(_plain(y), _plain(found))


def by_tags(model: Any, X: Any, y: Any = None) -> SumTally:  # noqa: ARG001
    """Taggers, on `Sequences` with tags; what they predict first is predicted here, too."""
    if X.labels is None:
        raise DataError(f"{X.source} has no tags to compare with")
    return column_counts(X.labels, model.tag(X, retag=bool(model.taggers_)), X.offsets).tally()


def by_trees(model: Any, X: Any, y: Any = None) -> SumTally:  # noqa: ARG001
    """Parsers, on `Trees`; words are tagged by the parser itself if it can do so."""
    parsed = model.parse_trees(X, retag=bool(model.taggers_))
    return tree_scores(X, parsed.heads, parsed.relations).tally()


def by_brackets(model: Any, X: Any, y: Any = None) -> SumTally:  # noqa: ARG001
    """Parsers of phrases, on `Brackets`; words are tagged by the parser itself if it can do so."""
    return bracket_scores(X, model.parse_trees(X, retag=model.tags_words)).tally()


def _plain(labels: Any) -> list[Any]:
    return labels.tolist() if hasattr(labels, "tolist") else list(labels)
