"""How a model learns from decisions at once: fitted anew where that is quick, or by going on."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from typing import Any

from linnet.errors import DataError, RefusedError
from linnet.serving.look.refitting import Refit

QUICK = 100.0  # milliseconds of a fit, up to which the model is fitted anew at every key
PATIENT = 60_000.0  # the same of a fit in the background, which is made unasked
REMINDED = 1000  # examples that a model is reminded of while it goes on from its weights


class Learning:
    """The model as it came, and as it is after decisions.

    A model that goes on from its weights to a few examples forgets much of what it knew, and more so as
    queues choose the hardest ones. So it is reminded: by some of the examples it was trained on where
    they were given, or else by texts of the pool with the answers that it gave as it came. These
    answers are never written among the decisions.

    With ``background`` fits are made by a thread: the model goes on from the last one that is done.
    """

    def __init__(
        self,
        first: Any,
        go_on: Callable[[Any, list[Any]], Any],  # a model, and what was decided
        refit: Callable[[list[Any]], Any] | None,  # to all that it was trained on, and what was decided
        background: bool = False,
        unasked: bool = True,  # are fits in the background begun without being asked for?
    ) -> None:
        self.first, self._go_on, self._refit = first, go_on, refit
        # A model, and the decisions it was fitted to.
        self.base, self.in_base = first, frozenset[int]()
        self.fit_milliseconds = 0.0
        self.cannot = ""  # why the model cannot go on, if it learns from all data at once
        self.behind = 0  # decisions since the last fit, where there can be one
        self.background, self.unasked = background, unasked
        self.fitting: Refit | None = None
        self.failed = ""  # why the last fit in the background came to nothing
        self._tried = frozenset[int]()  # what it was to learn

    def learnt(self, made: Mapping[int, Any], anew: bool = False) -> Any:
        """The model of these decisions, by their numbers; ``anew`` fits it, however long that takes."""
        if not made:
            self.base, self.in_base, self.behind = self.first, frozenset(), 0
            return self.first
        if self.background:
            self._fit_meanwhile(made, anew)
        elif self._refit is not None and (anew or self.cannot or self.fit_milliseconds < QUICK):
            began = time.perf_counter()
            self.base = self._refit(list(made.values()))
            self.fit_milliseconds = 1000 * (time.perf_counter() - began)
            self.in_base, self.behind = frozenset(made), 0
            return self.base
        if not self.in_base <= made.keys():  # something was taken back
            self.base, self.in_base = self.first, frozenset()
        self.behind = 0 if self._refit is None else len(made.keys() - self.in_base)
        if made.keys() == self.in_base or (self.background and self.cannot):
            return self.base
        try:
            return self._go_on(self.base, list(made.values()))
        except (AttributeError, DataError) as error:
            # The first as scikit-learn has it of methods that are not for all settings; the second of
            # quantized models. What was decided is kept all the same.
            self.cannot = str(error)
        except RefusedError as error:
            if not self.background:
                raise
            self.cannot = str(error)
        return self.base if self._refit is None or self.background else self.learnt(made)

    def _fit_meanwhile(self, made: Mapping[int, Any], anew: bool) -> None:
        """Take what a thread has fitted, and begin anew if there is more to learn."""
        self.take()
        if self._refit is None or self.fitting is not None or made.keys() == self.in_base:
            return
        quick = self.unasked and self.fit_milliseconds < PATIENT
        if anew or (quick and made.keys() != self._tried):
            self._tried = frozenset(made)
            refit, given = self._refit, list(made.values())
            self.fitting = Refit(lambda: refit(given), made)

    def take(self) -> bool:
        """Has a fit been done since it was asked last?"""
        done = self.fitting
        if done is None or done.running:
            return False
        self.fitting, self.failed = None, done.problem
        self.fit_milliseconds = 1000 * done.seconds
        if done.model is not None:
            self.base, self.in_base = done.model, done.made
        return True

    def stop(self) -> None:
        """Nobody waits for a fit any more."""
        if self.fitting is not None:
            self.fitting.stop()

    def told(self) -> dict[str, Any]:
        """What a page says of it."""
        told: dict[str, Any] = {
            "behind": self.behind,
            "fit_milliseconds": self.fit_milliseconds,
        }
        if self.background:
            told |= {
                "refits": self._refit is not None,
                "fitted": len(self.in_base),
                "fitting": None if self.fitting is None else self.fitting.so_far,
                "failed": self.failed,
            }
            return told | {"cannot": self.cannot}
        return told | {"cannot": "" if self._refit is not None else self.cannot}
