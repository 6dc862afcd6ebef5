"""What was learnt, ready to predict: blocks of weights for rows, sparse ones for chains."""

from __future__ import annotations

from linnet.model.chain import ChainModel
from linnet.model.label_weights import LabelWeights
from linnet.model.linear import LinearModel, best_labels
from linnet.model.segments import SegmentModel
from linnet.structures import Chain, ChainRules, Learnt, Segments, Structure

TokenModels = ChainModel | SegmentModel


def model_of(learnt: Learnt, structure: Structure) -> TokenModels:
    """What was learnt of sentences of tokens, ready to tag."""
    if isinstance(structure, Segments):
        return SegmentModel.of(learnt, structure)
    assert isinstance(structure, Chain)
    return ChainModel.of(learnt, structure)


__all__ = [
    "ChainModel",
    "ChainRules",
    "LabelWeights",
    "LinearModel",
    "SegmentModel",
    "best_labels",
    "model_of",
]
