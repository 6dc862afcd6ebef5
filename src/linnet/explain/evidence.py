"""Which entries of a list, or which rules, gave a label."""

from __future__ import annotations

from dataclasses import dataclass

from linnet.explain.neighbours import Explained, Row


@dataclass(frozen=True)
class Evidence:
    """An entry or a rule by its number, counted from 1, what it says, and how sure it is."""

    number: int
    text: str
    label: str
    right: int
    wrong: int
    decided: bool


@dataclass(frozen=True)
class ListExplanation(Explained):
    """Evidence in the order of the list; of a decision list the first decides, of rules the last."""

    what: str
    label: str
    evidence: list[Evidence]

    def rows(self) -> list[Row]:
        """Whether it decided, its number, what it says, and how often it was right and wrong."""
        return [
            ("*" if e.decided else " ", str(e.number), e.text, e.label, f"{e.right:,} : {e.wrong:,}")
            for e in self.evidence
        ]


class Weights:
    """What `inspect` shows: for each label the entries that speak for it."""

    def __init__(self, rows: dict[str, list[tuple[str, float]]]) -> None:
        self.rows = rows

    def to_dict(self) -> dict[str, dict[str, list[dict[str, object]]]]:
        """As of linear models: name and weight."""
        return {
            label: {"features": [{"name": name, "weight": weight} for name, weight in pairs]}
            for label, pairs in self.rows.items()
        }

    def __str__(self) -> str:
        return "\n".join(
            f"{label}: " + ", ".join(f"{name} {weight:.3g}" for name, weight in pairs)
            for label, pairs in self.rows.items()
        )

    __repr__ = __str__


def shortened(text: str, most: int = 60) -> str:
    """On one line."""
    line = " ".join(text.split())
    return line if len(line) <= most else line[: most - 1] + "…"
