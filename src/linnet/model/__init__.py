"""What was learnt, ready to predict: blocks of weights for rows, sparse ones for chains."""

from __future__ import annotations

from typing import Any

from linnet.model.chain import ChainModel
from linnet.model.label_weights import LabelWeights
from linnet.model.linear import LinearModel, best_labels
from linnet.model.segments import SegmentModel
from linnet.model.voted_chain import VotedChain
from linnet.structures import Chain, ChainRules, Learnt, Segments, Structure

TaggerModel = ChainModel | SegmentModel | VotedChain
MODELS: dict[type[Structure], type[ChainModel] | type[SegmentModel]] = {
    Chain: ChainModel,
    Segments: SegmentModel,
}


def model_of(learnt: Learnt, structure: Structure) -> TaggerModel:
    """What was learnt of sentences of tokens, ready to tag."""
    model: Any = MODELS[type(structure)] if learnt.votes is None else VotedChain
    made: TaggerModel = model.of(learnt, structure)
    return made


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
