"""Trying settings of taggers, on whole sentences that are held out."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from linnet.data.chunks import is_chunked
from linnet.errors import DataError
from linnet.estimators.tagging.fitted import read_sentences
from linnet.estimators.trials import Trials, usual
from linnet.evaluation import by_tags

if TYPE_CHECKING:
    from linnet.estimators.tagging.tagger import Tagger

STRENGTHS = (0.1, 0.3, 1.0, 3.0, 10.0)


def tag_trials(tagger: Tagger, X: Any, y: Any) -> Trials:
    """Chosen by F1 where tags speak of spans, else by accuracy."""
    data = read_sentences(X, y)
    if data.labels is None:
        raise DataError("y is needed: the sentences have no tags to compare with")

    def tried(**settings: Any) -> Tagger:
        return tagger.__sklearn_clone__().set_params(**{"verbose": False} | settings)

    return Trials(
        data,
        None,
        len(data),
        by_tags,
        "f1" if is_chunked(data.labels.names) else "accuracy",
        usual(tagger, STRENGTHS),
        tried,
        lambda **settings: tagger.__sklearn_clone__().set_params(**settings),
    )
