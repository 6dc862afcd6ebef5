"""Which support vectors decided, as data, for terminals and for pages."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from html import escape
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from rich.console import RenderableType


@dataclass(frozen=True)
class SupportShare:
    """What one support vector adds to a score: coefficient times similarity, K(x, x_i)."""

    example: int  # among the training examples, from 0
    shown: str  # the example, if it can be told
    label: str
    coefficient: float
    similarity: float

    @property
    def contribution(self) -> float:
        """Its part of the score."""
        return self.coefficient * self.similarity


@dataclass(frozen=True)
class SupportExplanation:
    """The score of a label, as the sum of what support vectors add, the largest first.

    ``others`` is what those that are not listed add together.
    """

    label: str
    score: float
    intercept: float
    shares: list[SupportShare]
    others: float

    def to_dict(self) -> dict[str, Any]:
        """Plain lists and numbers, ready for JSON."""
        return asdict(self)

    def rows(self) -> list[tuple[str, str, str]]:
        """Contribution, where it comes from, and the example."""
        told = [
            (f"{s.contribution:+.4f}", f"{s.coefficient:+.4g} × {s.similarity:.4g}", _said(s))
            for s in self.shares
        ]
        if self.others:
            told.append((f"{self.others:+.4f}", "", "all other support vectors"))
        return [*told, (f"{self.intercept:+.4f}", "", "intercept")]

    def to_html(self) -> str:
        """A piece of HTML that needs nothing else."""
        rows = "".join(
            f"<tr><td>{escape(part)}</td><td>{escape(how)}</td><td>{escape(whose)}</td></tr>"
            for part, how, whose in self.rows()
        )
        return (
            f'<div class="linnet-explanation"><b>{escape(self.label)}</b> {self.score:+.4f}'
            f"<table>{rows}</table></div>"
        )

    def _repr_html_(self) -> str:
        return self.to_html()

    def __rich__(self) -> RenderableType:
        from rich.console import Group
        from rich.table import Table

        from linnet.explain.shown import Text

        made = Table(box=None, pad_edge=False, show_header=False)
        for _ in range(3):
            made.add_column(overflow="fold")
        for row in self.rows():
            made.add_row(*map(Text, row))
        return Group(Text(f"{self.label}  {self.score:+.4f}"), made)

    def __str__(self) -> str:
        rows = [f"  {part}  {how}  {whose}".replace("    ", "  ") for part, how, whose in self.rows()]
        return "\n".join([f"{self.label}  {self.score:+.4f}", *rows])


@dataclass(frozen=True)
class LargestSupport:
    """The support vectors of largest weight, by label."""

    weights: dict[str, list[tuple[str, float]]]

    def to_dict(self) -> dict[str, Any]:
        """Plain lists and numbers, ready for JSON."""
        return {
            label: {"features": [{"name": name, "weight": weight} for name, weight in rows]}
            for label, rows in self.weights.items()
        }

    def __str__(self) -> str:
        return "\n".join(
            f"{label}: " + ", ".join(f"{name} {weight:.3g}" for name, weight in rows)
            for label, rows in self.weights.items()
        )


def _said(share: SupportShare) -> str:
    name = f"example {share.example}" + (f" ({share.label})" if share.label else "")
    return f"{name}: {share.shown}" if share.shown else name
