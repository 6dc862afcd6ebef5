"""Trying settings of grammar parsers, on whole sentences that are held out."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from linnet.errors import DataError
from linnet.estimators.grammars.input import read_trees
from linnet.estimators.trials import PASSES, Trials
from linnet.evaluation import by_brackets

if TYPE_CHECKING:
    from linnet.estimators.grammars.fitted import FittedGrammarParser


def grammar_trials(parser: FittedGrammarParser, X: Any, y: Any) -> Trials:
    """Chosen by labelled F1."""
    if y is not None:
        raise DataError("the trees are those of X; leave out y")
    trees = read_trees(X).cleaned()

    def made(**settings: Any) -> Any:
        return parser.__sklearn_clone__().set_params(**settings)

    return Trials(
        trees,
        None,
        len(trees),
        by_brackets,
        "f1",
        {"max_iter": PASSES},
        lambda **settings: made(**{"verbose": False} | settings),
        made,
    )
