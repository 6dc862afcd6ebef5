"""What outputs may be: every structure of the grid, by name."""

from __future__ import annotations

from linnet.structures.base import Structure, Trait
from linnet.structures.bracketing import Bracketing
from linnet.structures.candidates import Candidates
from linnet.structures.chain import Chain
from linnet.structures.chain_rules import ANYTHING, ChainRules
from linnet.structures.charts import Charts
from linnet.structures.flat import Binary, Flat, Multiclass, flat, flat_elsewhere
from linnet.structures.graph import Graph, GraphBlock, Loopy, LoopyGraph
from linnet.structures.problem import (
    Cell,
    Elsewhere,
    LabelRows,
    Learnt,
    Problem,
    Recipe,
    Reduction,
    Shard,
    Solver,
    State,
    Weights,
)
from linnet.structures.regression import Regression
from linnet.structures.segments import Segments
from linnet.structures.tree import JointLabels, Tree

# The grid reads this table: who adds a row has it trained by every learner that its traits allow.
STRUCTURES: dict[str, type[Structure]] = {
    structure.name: structure
    for structure in (
        *(Binary, Multiclass, Candidates, Chain, Segments, Tree),
        *(Bracketing, Charts, Graph, LoopyGraph, Regression),
    )
}

__all__ = [
    "ANYTHING",
    "STRUCTURES",
    "Binary",
    "Bracketing",
    "Candidates",
    "Cell",
    "Chain",
    "ChainRules",
    "Charts",
    "Elsewhere",
    "Flat",
    "Graph",
    "GraphBlock",
    "JointLabels",
    "LabelRows",
    "Learnt",
    "Loopy",
    "LoopyGraph",
    "Multiclass",
    "Problem",
    "Recipe",
    "Reduction",
    "Regression",
    "Segments",
    "Shard",
    "Solver",
    "State",
    "Structure",
    "Trait",
    "Tree",
    "Weights",
    "flat",
    "flat_elsewhere",
]
