"""What was learnt, ready to predict: blocks of weights for rows, sparse ones for chains."""

from __future__ import annotations

from linnet.model.chain import ChainModel
from linnet.model.label_weights import LabelWeights
from linnet.model.linear import LinearModel, best_labels
from linnet.model.segments import SegmentModel
from linnet.model.voted_chain import VotedChain
from linnet.structures import Chain, ChainRules, Learnt, Segments, Structure

TaggerModel = ChainModel | SegmentModel | VotedChain


def model_of(learnt: Learnt, structure: Structure) -> TaggerModel:
    """What was learnt of sentences of tokens, ready to tag."""
    if isinstance(structure, Segments):
        return SegmentModel.of(learnt, structure)
    assert isinstance(structure, Chain)
    voted = learnt.votes is not None
    return VotedChain.of(learnt, structure) if voted else ChainModel.of(learnt, structure)


__all__ = [
    "ChainModel",
    "ChainRules",
    "LabelWeights",
    "LinearModel",
    "SegmentModel",
    "TaggerModel",
    "VotedChain",
    "best_labels",
    "model_of",
]
