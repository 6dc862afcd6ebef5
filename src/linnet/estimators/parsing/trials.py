"""Trying settings of parsers, on whole sentences that are held out."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from linnet.estimators.parsing.input import read_parsed
from linnet.estimators.trials import PASSES, Trials
from linnet.evaluation import by_trees

if TYPE_CHECKING:
    from linnet.estimators.parsing.parser import DependencyParser


def tree_trials(parser: DependencyParser, X: Any, y: Any) -> Trials:
    """Chosen by LAS."""
    trees = read_parsed(X, y, "many")

    def tried(**settings: Any) -> DependencyParser:
        return parser.__sklearn_clone__().set_params(**{"verbose": False} | settings)

    return Trials(
        trees,
        None,
        len(trees),
        by_trees,
        "las",
        {"max_iter": PASSES},
        tried,
        lambda **settings: parser.__sklearn_clone__().set_params(**settings),
    )
