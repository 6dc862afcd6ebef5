"""Rows that are not here: those of each shard are made where they are worked on."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from linnet.data.matrix import CsrRows, join_rows
from linnet.engines import Engine, Shared
from linnet.errors import RefusedError

Make = Callable[[], Any]  # the rows of a shard, as often as they are wanted; pickled
Places = NDArray[np.integer[Any]]


@dataclass(frozen=True, kw_only=True)
class RowsElsewhere(CsrRows):
    """As many rows as shards have together; here there are none of them."""

    engine: Engine
    recipes: tuple[Make, ...]
    sizes: tuple[int, ...]  # rows of each shard
    total: int  # entries of all rows
    fingerprint: str  # of what they are made of

    @classmethod
    def of(cls, features: int, **known: Any) -> RowsElsewhere:
        """Without rows here."""
        nothing = np.zeros(1, np.int64), np.zeros(0, np.int32), np.zeros(0, np.float32)
        return cls(*nothing, features, True, **known)

    @property
    def shape(self) -> tuple[int, int]:
        return len(self), self.features

    def __len__(self) -> int:
        return sum(self.sizes)

    @property
    def entries(self) -> int:
        """Of all rows together."""
        return self.total

    def __getitem__(self, places: Places) -> CsrRows:
        """These rows, here, in this order: they had better be few."""
        order = np.argsort(places, kind="stable")
        ascending = np.asarray(places, np.int64)[order]
        own = []
        for begin, end in self.bounds():
            first, last = np.searchsorted(ascending, [begin, end]).tolist()
            own.append((ascending[first:last] - begin,))
        workers = self.engine.start(RowsWorker, [(recipe,) for recipe in self.recipes])
        found = join_rows(workers.each("take", own=own))
        workers.close()
        back = np.empty_like(order)
        back[order] = np.arange(len(order))
        return found[back]

    def bounds(self) -> list[tuple[int, int]]:
        """Where each shard begins and ends."""
        ends = np.cumsum(self.sizes).tolist()
        return list(zip([0, *ends[:-1]], ends, strict=True))

    def each(
        self, function: Callable[..., Any], own: Sequence[NDArray[Any]], *shared: Any
    ) -> Iterator[Any]:
        """``function(rows, …)`` of the rows of each shard where they are, in the order of shards.

        ``own`` are arrays with a value for each row, of which a shard is told its part.
        """
        items = [
            (recipe, function, [values[begin:end] for values in own], shared)
            for recipe, (begin, end) in zip(self.recipes, self.bounds(), strict=True)
        ]
        return self.engine.in_order(_called, items)

    def mapped(self, function: Callable[[CsrRows], Any]) -> RowsElsewhere:
        """What the function makes of all rows."""
        recipes = tuple(partial(_mapped, recipe, function) for recipe in self.recipes)
        return replace(self, recipes=recipes)

    def scaled(self, factors: NDArray[np.float32]) -> RowsElsewhere:
        """There."""
        return self.mapped(partial(_scaled, self.engine.shared(factors)))

    def among(self, kept: Places) -> CsrRows:
        """Nobody asks for it."""
        raise self._refused("rows of some features")

    def scipy(self) -> Any:
        """They are not here."""
        raise self._refused("a matrix of all rows")

    @staticmethod
    def _refused(what: str) -> RefusedError:
        return RefusedError(
            f"{what} would have to be here, and rows are made by workers, on other machines; use "
            f"settings that do not look at all rows at once, or leave out the engine"
        )


class RowsWorker:
    """The rows of a shard."""

    def __init__(self, recipe: Make) -> None:
        self.rows: CsrRows = recipe()

    def take(self, places: Places) -> CsrRows:
        """Some of them."""
        return self.rows[places]


def _called(recipe: Make, function: Callable[..., Any], own: list[Any], shared: Any) -> Any:
    return function(recipe(), *own, *shared)


def _mapped(recipe: Make, function: Callable[[CsrRows], Any]) -> Any:
    return function(recipe())


def _scaled(factors: Shared, rows: CsrRows) -> CsrRows:
    return rows.scaled(factors.get())
