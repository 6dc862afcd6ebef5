"""Methods that exist only where they make sense, as ``hasattr`` and scikit-learn expect."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any


class available_when:  # noqa: N801
    """Decorator: the method is there if ``reason(self)`` is None; else AttributeError(reason)."""

    def __init__(self, reason: Callable[[Any], str | None]) -> None:
        self.reason = reason

    def __call__(self, method: Callable[..., Any]) -> Any:
        """Wrap the method."""
        return Conditional(method, self.reason)


def with_probabilities(method: Callable[..., Any]) -> Any:
    """Decorator: the method is there if the scores of the estimator are probabilities."""
    return available_when(lambda estimator: estimator.no_probabilities())(method)


class Conditional:
    """A method that is there if there is no reason against it."""

    def __init__(self, method: Callable[..., Any], reason: Callable[[Any], str | None]) -> None:
        self.method = method
        self.reason = reason
        self.__doc__ = method.__doc__

    def __get__(self, instance: Any, owner: type) -> Any:
        if instance is None:
            return self.method
        why = self.reason(instance)
        if why is not None:
            raise AttributeError(why)
        return self.method.__get__(instance, owner)
