"""What models of chains and of segments share: rows of tokens, asked of a scorer of the core."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

import linnet._core as _core
from linnet.data import as_rows
from linnet.features.compiled import CompiledTemplates, Sentences
from linnet.model.label_weights import LabelWeights
from linnet.structures import ANYTHING, ChainRules


@dataclass(frozen=True)
class How:
    """The keywords that every question takes."""

    pairs: Any = None  # rows of features that see a token and the one before it
    rules: ChainRules | None = ANYTHING  # what is allowed; None: everything
    threads: int = 1


class TokenModel:
    """Weights of tokens, and a scorer that reads the arrays where they lie."""

    states: LabelWeights
    bias: float  # value of the constant feature, 0 for none
    scorer: Any

    def __post_init__(self) -> None:
        _ = self.scorer  # which looks at everything

    def __getstate__(self) -> dict[str, Any]:
        """What lives in the core is made anew."""
        return {name: value for name, value in self.__dict__.items() if name != "scorer"}

    @property
    def features(self) -> int:
        """How many features tokens have, the constant one not counted."""
        return self.states.features

    def _input(self, rows: Any, offsets: NDArray[np.int64]) -> _core.RowsInput:
        return _core.RowsInput(rows_of(rows, self.bias), np.ascontiguousarray(offsets, np.int64))

    def _template_input(
        self,
        templates: CompiledTemplates,
        sentences: Sentences,
        table: _core.FeatureTable,
        threads: int,
    ) -> _core.TemplateInput:
        """Rows that are made of templates as they are scored."""
        tokens, flags, own = templates.over(sentences, threads)
        return _core.TemplateInput(templates.core, tokens, table, flags, own, self.bias, threads)


def rows_of(X: Any, bias: float) -> _core.Rows:
    """Rows of the core, which are taken as they are, or of a matrix."""
    return X if isinstance(X, _core.Rows) else as_rows(X, bias)
