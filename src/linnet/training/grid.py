"""May this combination run? The composer asks the learner and explains a refusal."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from itertools import product
from typing import Any

from linnet import engines
from linnet.errors import RefusedError
from linnet.learners import LEARNERS
from linnet.learners.base import Learner
from linnet.losses import LOSSES
from linnet.regularisers import PENALTIES
from linnet.structures import STRUCTURES, Binary, Cell, Trait


def resolve(learner: str | Learner, C: float | None = None) -> Learner:
    """A learner from its name, or itself; one that has a C of its own takes the one given."""
    if isinstance(learner, Learner):
        return learner
    if isinstance(learner, str) and learner in LEARNERS:
        own: dict[str, Any] = {} if C is None or not LEARNERS[learner].has_own_C() else {"C": C}
        return LEARNERS[learner](**own)
    raise ValueError(f"unknown learner {learner!r}; known are {', '.join(LEARNERS)}")


def check_loss(loss: str) -> None:
    """An unknown name is reported with the known ones."""
    if not isinstance(loss, str) or loss not in LOSSES:
        raise ValueError(f"unknown loss {loss!r}; known are {', '.join(LOSSES)}")


def check_names(loss: str, penalty: str) -> None:
    """Of losses and penalties."""
    check_loss(loss)
    if not isinstance(penalty, str) or penalty not in PENALTIES:
        raise ValueError(f"unknown penalty {penalty!r}; known are {', '.join(PENALTIES)}")


def one_against_rest(learner: Learner, cell: Cell) -> bool:
    """Must labels be split, because this learner is binary for this cell?"""
    return (
        Trait.SPLITS in cell.structure.traits
        and learner.splits
        and learner.refusal(cell) is not None
        and learner.refusal(replace(cell, structure=Binary)) is None
    )


def splits(learner: Learner, cell: Cell, asked: bool | None) -> bool:
    """Are labels trained one against the rest: because it was asked for, or because it must be?"""
    if Trait.SPLITS not in cell.structure.traits:
        return False
    return one_against_rest(learner, cell) if asked is None else asked


def check(learner: Learner, cell: Cell, split: bool | None = None) -> None:
    """Raise RefusedError with the reason if the cell makes no sense."""
    reason = refusal(learner, cell)
    if splits(learner, cell, split):
        reason = learner.refusal(replace(cell, structure=Binary))
        if not learner.splits:
            reason = f"{learner.name} does not go one label against the rest; use multiclass='joint'"
    elif split is False:
        reason = learner.refusal(cell)
    if reason is not None:
        raise RefusedError(reason)


def refusal(learner: Learner, cell: Cell) -> str | None:
    """Why not; None if it may run (one-against-rest included)."""
    return None if one_against_rest(learner, cell) else learner.refusal(cell)


def first_legal(wanted: Iterable[str | Learner], cell: Cell) -> Learner:
    """The first learner that takes the cell, on shards if need be; else the last, who says why."""
    learners = [resolve(learner) for learner in wanted]

    def legal(learner: Learner) -> bool:
        engine = engines.in_use()
        on_shards = engine is None or learner.shards_refusal(cell, engine.in_turn) is None
        return on_shards and refusal(learner, cell) is None

    return next((learner for learner in learners if legal(learner)), learners[-1])


@dataclass(frozen=True)
class Compatibility:
    """One cell of the grid."""

    structure: str
    loss: str
    learner: str
    penalty: str
    reason: str | None  # None: it works
    one_against_rest: bool = False

    @property
    def works(self) -> bool:
        """May it run?"""
        return self.reason is None


class Grid(list[Compatibility]):
    """All cells asked for; prints as a table of learners by losses."""

    def __str__(self) -> str:
        losses = list(dict.fromkeys(c.loss for c in self))
        learners = list(dict.fromkeys(c.learner for c in self))
        wide = max((len(name) for name in learners), default=0)
        lines = [" " * wide + "  " + "  ".join(losses)]
        for learner in learners:
            marks = []
            for loss in losses:
                cells = [c for c in self if c.learner == learner and c.loss == loss]
                marks.append(_mark(cells).center(len(loss)))
            lines.append(f"{learner:<{wide}}  " + "  ".join(marks).rstrip())
        lines.append("● all that was asked for  ◐ some structures or penalties  · refused")
        return "\n".join(lines)


def _mark(cells: list[Compatibility]) -> str:
    working = sum(c.works for c in cells)
    return "·" if working == 0 else "●" if working == len(cells) else "◐"


def compatible(
    structure: str | None = None,
    loss: str | None = None,
    learner: str | None = None,
    penalty: str | None = None,
) -> Grid:
    """The grid, or the part of it that matches; each cell says whether it works, and if not why.

    >>> print(compatible(structure="multiclass", loss="hinge", learner="pa", penalty="l2")[0].reason)
    ... # doctest: +ELLIPSIS
    pa does not take penalty 'l2': ...
    """
    cells = Grid()
    for s, one_loss, name, p in _asked(structure, loss, learner, penalty):
        cell, settings = Cell(STRUCTURES[s], one_loss, p), LEARNERS[name]()
        cells.append(
            Compatibility(
                s, one_loss, name, p, refusal(settings, cell), one_against_rest(settings, cell)
            )
        )
    return cells


def _asked(
    structure: str | None, loss: str | None, learner: str | None, penalty: str | None
) -> Iterator[tuple[str, str, str, str]]:
    def among(wanted: str | None, known: Iterable[str], what: str) -> list[str]:
        known = list(known)
        if wanted is None:
            return known
        if wanted not in known:
            raise ValueError(f"unknown {what} {wanted!r}; known are {', '.join(known)}")
        return [wanted]

    return product(
        among(structure, STRUCTURES, "structure"),
        among(loss, LOSSES, "loss"),
        among(learner, LEARNERS, "learner"),
        among(penalty, PENALTIES, "penalty"),
    )
