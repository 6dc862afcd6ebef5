"""Why a text got its scores: the exact share of every word and n-gram, as data."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from rich.console import RenderableType


@dataclass(frozen=True)
class Piece:
    """One occurrence of a feature, or a column beside the text (which covers no characters)."""

    name: str
    begin: int  # characters of the text it covers, [begin, end)
    end: int
    contributions: NDArray[np.float64]  # (scored labels,)


@dataclass(frozen=True)
class Explanation:
    """score[y] = bias[y] + Σ contributions[y] over the pieces, exactly but for rounding.

    With two labels there is one score, that of the second label; what is negative speaks for the
    first, named by ``against``. A feature that occurs several times shares its contribution evenly
    among its occurrences.
    """

    text: str
    labels: list[str]  # that have a score
    against: str | None
    scores: NDArray[np.float64]  # (labels,)
    bias: NDArray[np.float64]  # (labels,)
    pieces: list[Piece]
    unknown: int  # grams of the text the model has no feature for

    @property
    def label(self) -> str:
        """The predicted label; equal scores go to the earlier one."""
        if self.against is not None:
            return self.labels[0] if self.scores[0] > 0 else self.against
        return self.labels[int(np.argmax(self.scores))]

    def best(self, n: int = 3) -> list[int]:
        """Places of the labels with the highest scores, best first."""
        return [int(y) for y in np.argsort(-self.scores, kind="stable")[:n]]

    def by_feature(self, y: int = 0) -> list[tuple[str, float, int]]:
        """(name, contribution to label y, occurrences), the largest in absolute value first."""
        sums: dict[str, tuple[float, int]] = {}
        for piece in self.pieces:
            total, times = sums.get(piece.name, (0.0, 0))
            sums[piece.name] = (total + float(piece.contributions[y]), times + 1)
        return sorted(
            ((name, total, times) for name, (total, times) in sums.items()),
            key=lambda row: -abs(row[1]),
        )

    def by_character(self, y: int = 0) -> NDArray[np.float64]:
        """(len(text),): every contribution to label y spread evenly over the characters it covers.

        Sums to score − bias, less what stands beside the text.
        """
        steps = np.zeros(len(self.text) + 1)
        for piece in self.pieces:
            if piece.end > piece.begin:
                share = piece.contributions[y] / (piece.end - piece.begin)
                steps[piece.begin] += share
                steps[piece.end] -= share
        return np.cumsum(steps)[:-1]

    def runs(self, y: int = 0) -> list[tuple[str, float]]:
        """The text cut where the shading changes: (characters, contribution of each of them)."""
        values = self.by_character(y)
        if not len(values):
            return []
        values[np.abs(values) < 1e-9 * max(1e-300, float(np.abs(values).max()))] = 0
        borders = np.flatnonzero(~np.isclose(values[1:], values[:-1], rtol=1e-6, atol=0)) + 1
        edges = [0, *borders.tolist(), len(values)]
        return [(self.text[b:e], float(values[b])) for b, e in pairwise(edges)]

    def to_dict(self) -> dict[str, Any]:
        """Plain lists and numbers, ready for JSON."""
        return {
            "text": self.text,
            "label": self.label,
            "labels": list(self.labels),
            "against": self.against,
            "scores": self.scores.tolist(),
            "bias": self.bias.tolist(),
            "pieces": [
                {
                    "name": p.name,
                    "begin": p.begin,
                    "end": p.end,
                    "contributions": p.contributions.tolist(),
                }
                for p in self.pieces
            ],
            "unknown": self.unknown,
        }

    def to_html(self) -> str:
        """A piece of HTML that needs nothing else: no script, no file, no network."""
        from linnet.explain.html import page

        return page(self)

    def _repr_html_(self) -> str:
        return self.to_html()

    def __rich__(self) -> RenderableType:
        from linnet.explain.terminal import rendered

        return rendered(self)

    def __str__(self) -> str:
        from linnet.explain.wording import plain

        return plain(self)
