"""A model that is fitted by a thread while the page goes on answering."""

from __future__ import annotations

import ctypes
import threading
import time
from collections.abc import Callable, Iterable
from typing import Any


class Stopped(BaseException):
    """Nobody waits for the fit any more; not an `Exception`, so that nothing on the way keeps it."""


class Refit:
    """One fit, to decisions of these numbers."""

    def __init__(self, fit: Callable[[], Any], made: Iterable[int]) -> None:
        self.made = frozenset(made)
        self.model: Any = None  # None: not yet, or it failed
        self.problem = ""
        self.seconds = 0.0
        self._began = time.perf_counter()
        self._thread = threading.Thread(target=self._run, args=(fit,), name="linnet-refit", daemon=True)
        self._thread.start()

    def _run(self, fit: Callable[[], Any]) -> None:
        try:
            self.model = fit()
        except Stopped:
            return
        except Exception as error:  # for who asks
            self.problem = f"{type(error).__name__}: {error}"
        self.seconds = time.perf_counter() - self._began

    @property
    def running(self) -> bool:
        """Is it not done?"""
        return self._thread.is_alive()

    @property
    def so_far(self) -> float:
        """Seconds."""
        return time.perf_counter() - self._began

    def stop(self) -> None:
        """No later than the end of a pass, which is when Python is back from the core."""
        if self._thread.is_alive() and self._thread.ident is not None:
            thread = ctypes.c_ulong(self._thread.ident)
            ctypes.pythonapi.PyThreadState_SetAsyncExc(thread, ctypes.py_object(Stopped))
            self._thread.join()
