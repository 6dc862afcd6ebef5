"""Trying settings of taggers, on whole sentences that are held out."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from linnet.data.chunks import is_chunked
from linnet.errors import DataError
from linnet.estimators.tagging.fitted import read_sentences
from linnet.estimators.trials import Trials, usual, usual_of_lists
from linnet.evaluation import by_tags

if TYPE_CHECKING:
    from linnet.estimators.tagging.fitted import FittedTagger

STRENGTHS = (0.1, 0.3, 1.0, 3.0, 10.0)


def tag_trials(tagger: FittedTagger, X: Any, y: Any) -> Trials:
    """Chosen by F1 where tags speak of spans, else by accuracy."""
    data = read_sentences(X, y)
    if data.labels is None:
        raise DataError("y is needed: the sentences have no tags to compare with")

    learns = hasattr(tagger, "learner")  # rules and memories do not, and have nothing to tell
    quiet = {"verbose": False} if learns else {}

    def tried(**settings: Any) -> FittedTagger:
        return tagger.__sklearn_clone__().set_params(**quiet | settings)

    return Trials(
        data,
        None,
        len(data),
        by_tags,
        "f1" if is_chunked(data.labels.names) else "accuracy",
        usual(tagger, STRENGTHS) if learns else usual_of_lists(tagger),
        tried,
        lambda **settings: tagger.__sklearn_clone__().set_params(**settings),
    )
