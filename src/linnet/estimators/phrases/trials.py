"""Trying settings of parsers of phrases, on whole sentences that are held out."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from linnet.errors import DataError
from linnet.estimators.phrases.input import cleaned, read_treebank
from linnet.estimators.trials import PASSES, Trials
from linnet.evaluation import by_brackets

if TYPE_CHECKING:
    from linnet.estimators.phrases.parser import ConstituencyParser


def bracket_trials(parser: ConstituencyParser, X: Any, y: Any) -> Trials:
    """Chosen by labelled F1."""
    if y is not None:
        raise DataError("the trees are those of X; leave out y")
    trees = cleaned(read_treebank(X))

    def tried(**settings: Any) -> ConstituencyParser:
        return parser.__sklearn_clone__().set_params(**{"verbose": False} | settings)

    return Trials(
        trees,
        None,
        len(trees),
        by_brackets,
        "f1",
        {"max_iter": PASSES},
        tried,
        lambda **settings: parser.__sklearn_clone__().set_params(**settings),
    )
