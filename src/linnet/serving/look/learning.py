"""How a model learns from decisions at once: fitted anew where that is quick, or by going on."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from typing import Any

from linnet.errors import DataError

QUICK = 100.0  # milliseconds of a fit, up to which the model is fitted anew at every key
REMINDED = 1000  # examples that a model is reminded of while it goes on from its weights


class Learning:
    """The model as it came, and as it is after decisions.

    A model that goes on from its weights to a few examples forgets much of what it knew, and more so as
    queues choose the hardest ones. So it is reminded: by some of the examples it was trained on where
    they were given, or else by texts of the pool with the answers that it gave as it came. These
    answers are never written among the decisions.
    """

    def __init__(
        self,
        first: Any,
        go_on: Callable[[Any, list[Any]], Any],  # a model, and what was decided
        refit: Callable[[list[Any]], Any] | None,  # to all that it was trained on, and what was decided
    ) -> None:
        self.first, self._go_on, self._refit = first, go_on, refit
        self.base, self._in_base = (
            first,
            frozenset[int](),
        )  # a model, and the decisions it was fitted to
        self.fit_milliseconds = 0.0
        self.cannot = ""  # why the model cannot go on, if it learns from all data at once
        self.behind = 0  # decisions since the last fit, where there can be one

    def learnt(self, made: Mapping[int, Any], anew: bool = False) -> Any:
        """The model of these decisions, by their numbers; ``anew`` fits it, however long that takes."""
        if not made:
            self.base, self._in_base, self.behind = self.first, frozenset(), 0
            return self.first
        if self._refit is not None and (anew or self.cannot or self.fit_milliseconds < QUICK):
            began = time.perf_counter()
            self.base = self._refit(list(made.values()))
            self.fit_milliseconds = 1000 * (time.perf_counter() - began)
            self._in_base, self.behind = frozenset(made), 0
            return self.base
        if not self._in_base <= made.keys():  # something was taken back
            self.base, self._in_base = self.first, frozenset()
        self.behind = 0 if self._refit is None else len(made.keys() - self._in_base)
        try:
            return self._go_on(self.base, list(made.values()))
        except (AttributeError, DataError) as error:
            # The first as scikit-learn has it of methods that are not for all settings; the second of
            # quantized models. What was decided is kept all the same.
            self.cannot = str(error)
            return self.base if self._refit is None else self.learnt(made)

    def told(self) -> dict[str, Any]:
        """What a page says of it."""
        told = {"behind": self.behind, "fit_milliseconds": self.fit_milliseconds}
        return told | {"cannot": "" if self._refit is not None else self.cannot}
