"""What is told of a parser: the names of its largest weights, and what its first pass leaves.

Names are found again in the training sentences.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import numpy as np

from linnet.data.trees import Trees
from linnet.errors import warn_of_training
from linnet.explain.arc_weights import find_names, find_sibling_names, largest
from linnet.features.arcs import CandidateArcs
from linnet.model.trees import TreeModel
from linnet.training import TrainingRecord

KEPT = 150  # of arcs and siblings: for and against
KEPT_OF_RELATION = 20
SENTENCES = 1000  # in which features of other arcs than those of the trees are looked for
Names = dict[str, dict[int, str]]


def describe(
    model: TreeModel, parts: Iterable[Trees], record: TrainingRecord, threads: int
) -> tuple[list[str], Names]:
    """Lines of what is told, and names; without them, rather than without a parser, if interrupted.

    ``parts`` are all trees, perhaps shard by shard.
    """
    told: list[str] = []
    try:
        told = _pruning(model, parts, record, threads)
        return told, _names_of_largest(model, parts)
    except KeyboardInterrupt:
        record.stopped = "interrupted"
        warn_of_training(
            "the names of the largest weights were still looked for when training was interrupted; "
            "`inspect` will show none"
        )
        return told, {"arcs": {}, "siblings": {}, "relations": {}}


def _pruning(
    model: TreeModel, parts: Iterable[Trees], record: TrainingRecord, threads: int
) -> list[str]:
    """How many heads the first pass leaves to a word, and how often the right one is among them."""
    if model.first_pass is None:
        return []
    words = kept = found = heads = 0
    for trees in parts:
        arcs = model.candidates(trees, threads=threads)
        words, kept = words + trees.tokens, kept + len(arcs)
        found, heads = found + arcs.found(trees.heads), heads + int((trees.heads >= 0).sum())
    per_word, recall = kept / max(1, words), found / max(1, heads)
    record.facts |= {"candidates_per_word": per_word, "candidate_recall": recall}
    return [
        f"candidates: {per_word:.1f} heads a word, among them {100 * recall:.2f} % of the right ones"
    ]


def _names_of_largest(model: TreeModel, parts: Iterable[Trees]) -> Names:
    """By 'arcs', 'siblings' and 'relations': numbers of features, and their names.

    Arcs and siblings share their weights; what is not found in arcs is looked for in siblings.
    """
    assert model.relation_weights is not None
    wanted = largest(model.weights[1:], KEPT)
    columns = model.relation_weights[1:].T
    numbers = [largest(column, KEPT_OF_RELATION) for column in columns if column.any()]
    of_relations = np.unique(np.concatenate([np.zeros(0, np.int64), *numbers]))
    arcs: dict[int, str] = {}
    relations: dict[int, str] = {}
    few: Trees | None = None
    for trees in parts:
        few = trees.take(np.arange(min(SENTENCES, len(trees)))) if few is None else few
        in_trees = CandidateArcs.of_tree(trees.heads)
        arcs |= find_names(model.arcs, _missing(wanted, arcs), trees, in_trees, in_tree=False)
        relations |= _of_relations(model, _missing(of_relations, relations), trees)
    assert few is not None
    missing = _missing(wanted, arcs)
    arcs |= find_names(model.arcs, missing, few, model.candidates(few), in_tree=False)
    siblings: dict[int, str] = {}
    if model.order == 2 and model.arcs.second_order:
        for arcs_there in (CandidateArcs.of_tree(few.heads), model.candidates(few)):
            missing = _missing(wanted, arcs | siblings)
            siblings |= find_sibling_names(model.arcs, missing, few, arcs_there)
    return {"arcs": arcs, "siblings": siblings, "relations": relations}


def _missing(wanted: np.ndarray, found: Mapping[int, str]) -> np.ndarray:
    return np.array([j for j in wanted.tolist() if j not in found], np.int64)


def _of_relations(model: TreeModel, wanted: np.ndarray, trees: Trees) -> dict[int, str]:
    assert model.relation_features is not None
    arcs = CandidateArcs.of_tree(trees.heads)
    return find_names(model.relation_features, wanted, trees, arcs, in_tree=True)
