"""What was learnt, ready to predict: blocks of weights for rows, sparse ones for chains."""

from __future__ import annotations

from linnet.data.chains import ChainRules
from linnet.model.chain import ChainModel
from linnet.model.label_weights import LabelWeights
from linnet.model.linear import LinearModel, best_labels
from linnet.model.segments import SegmentModel

__all__ = ["ChainModel", "ChainRules", "LabelWeights", "LinearModel", "SegmentModel", "best_labels"]
