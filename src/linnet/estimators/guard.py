"""One estimator in several threads: any number may read it, one may learn, and never both at once.

Learning changes an estimator step by step, and part of it grows in place. So whoever reads waits until
a `fit` or `partial_fit` in another thread is done, which in turn waits for those who are reading, and
sees the model of before or of after it. A second learner is refused: which of the two should win?
"""

from __future__ import annotations

import os
from collections.abc import Callable
from functools import wraps
from threading import Condition, Lock, get_ident
from types import FunctionType
from typing import Any

from linnet.errors import BusyError
from linnet.estimators.available import Conditional

LEARN = ("fit", "partial_fit")
READ = (
    "__copy__",
    "__getstate__",
    "decision_function",
    "entropy",
    "explain",
    "inspect",
    "parse",
    "parse_trees",
    "predict",
    "predict_log_proba",
    "predict_marginals",
    "predict_proba",
    "quantize",
    "sample",
    "save",
    "score",
    "scores",
    "sequence_log_proba",
    "spans",
    "tag",
)
PLACE = "_guard"  # the attribute of an estimator, which is neither copied nor saved


class Guard:
    """Who is at one estimator. A thread that is let in may come in again: methods call methods.

    Reading takes no lock where nobody learns: a reader writes itself down and then looks for a learner,
    a learner writes itself down and then looks for readers, so that at least one sees the other.
    """

    def __init__(self) -> None:
        self.process = os.getpid()
        self.lock = Lock()
        self.changed = Condition(self.lock)
        self.readers: dict[int, int] = {}  # thread -> how often it is in
        self.learner: int | None = None

    def wait_to_read(self, me: int) -> None:
        """Step back until nobody else learns."""
        with self.lock:
            del self.readers[me]
            self.changed.notify_all()
            while self.learner not in (None, me):
                self.changed.wait()
            self.readers[me] = 1

    def wake(self) -> None:
        """Whoever waits looks again."""
        with self.lock:
            self.changed.notify_all()

    def begin_learning(self, name: str) -> bool:
        """Whether it is the outermost call that learns, which is to end it."""
        me = get_ident()
        with self.lock:
            if self.learner == me:
                return False
            if self.learner is not None:
                raise BusyError(
                    f"this {name} is learning in another thread; wait for it, or let each thread learn "
                    f"with an estimator of its own (sklearn.base.clone)"
                )
            self.learner = me  # whoever wants to read from now on waits
            try:
                while any(reader != me for reader in list(self.readers)):
                    self.changed.wait()
            except BaseException:  # Ctrl-C
                self.learner = None
                self.changed.notify_all()
                raise
        return True

    def end_learning(self) -> None:
        """Let in whoever waits."""
        with self.lock:
            self.learner = None
            self.changed.notify_all()


_MAKING = Lock()


def guard_of(estimator: Any) -> Guard:
    """Made when it is first asked for; after a fork, those who were at work are not in the child."""
    found: Guard | None = estimator.__dict__.get(PLACE)
    if found is None or found.process != _PROCESS:
        with _MAKING:
            found = estimator.__dict__.get(PLACE)
            if found is None or found.process != _PROCESS:
                found = estimator.__dict__[PLACE] = Guard()
    return found


_PROCESS = os.getpid()


def _in_child() -> None:
    global _PROCESS, _MAKING
    _PROCESS, _MAKING = os.getpid(), Lock()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_in_child)


def guarded(owner: type) -> None:
    """Guard the methods that a class defines itself."""
    for names, guard in ((LEARN, _learning), (READ, _reading)):
        for name in names:
            method = owner.__dict__.get(name)
            if isinstance(method, FunctionType):
                setattr(owner, name, guard(method))
            elif isinstance(method, Conditional):
                setattr(owner, name, Conditional(guard(method.method), method.reason))


def _reading(method: Callable[..., Any]) -> Callable[..., Any]:
    @wraps(method)
    def read(self: Any, *given: Any, **named: Any) -> Any:
        guard, me = guard_of(self), get_ident()
        readers = guard.readers
        before = readers.get(me, 0)
        try:
            readers[me] = before + 1
            if guard.learner is not None and not before:
                guard.wait_to_read(me)
            return method(self, *given, **named)
        finally:
            if before:
                readers[me] = before
            else:
                readers.pop(me, None)
                if guard.learner is not None:
                    guard.wake()

    return read


def _learning(method: Callable[..., Any]) -> Callable[..., Any]:
    @wraps(method)
    def learn(self: Any, *given: Any, **named: Any) -> Any:
        guard = guard_of(self)
        outermost = guard.begin_learning(type(self).__name__)
        try:
            return method(self, *given, **named)
        finally:
            if outermost:
                guard.end_learning()

    return learn
