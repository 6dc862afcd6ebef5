"""Names of the features with the largest weights, found again in the training sentences."""

from __future__ import annotations

import numpy as np

from linnet.data.trees import Trees
from linnet.explain.arc_weights import find_names, largest
from linnet.features.arcs import CandidateArcs
from linnet.model.trees import TreeModel

KEPT = 100  # of arcs: for and against
KEPT_OF_RELATION = 20
SENTENCES = 1000  # in which features of other arcs than those of the trees are looked for
Names = dict[str, dict[int, str]]


def names_of_largest(model: TreeModel, trees: Trees) -> Names:
    """By 'arcs' and 'relations': numbers of features, and their names."""
    wanted = largest(model.weights[1:], KEPT)
    arcs = find_names(model.arcs, wanted, trees, CandidateArcs.of_tree(trees.heads), in_tree=False)
    missing = np.array([j for j in wanted.tolist() if j not in arcs], np.int64)
    few = trees.take(np.arange(min(SENTENCES, len(trees))))
    arcs |= find_names(model.arcs, missing, few, model.candidates(few), in_tree=False)
    assert model.relation_weights is not None
    columns = model.relation_weights[1:].T
    numbers = [largest(column, KEPT_OF_RELATION) for column in columns if column.any()]
    wanted = np.unique(np.concatenate([np.zeros(0, np.int64), *numbers]))
    return {"arcs": arcs, "relations": _of_relations(model, wanted, trees)}


def _of_relations(model: TreeModel, wanted: np.ndarray, trees: Trees) -> dict[int, str]:
    assert model.relation_features is not None
    arcs = CandidateArcs.of_tree(trees.heads)
    return find_names(model.relation_features, wanted, trees, arcs, in_tree=True)
