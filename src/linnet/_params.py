"""Settings as constructor arguments: stored untouched, listed, compared and cloned.

This is scikit-learn's convention (``get_params``/``set_params``) without importing scikit-learn, so
that learners and estimators can be tuned, cloned and printed alike.
"""

from __future__ import annotations

import inspect
import math
import numbers
import os
from typing import Any, ClassVar, Self

LARGEST = 2**31 - 1  # of counts that the core is told


def number(value: Any) -> float:
    """A setting as a float; NaN for what is no number, so that no range holds it."""
    if isinstance(value, bool) or not isinstance(value, numbers.Real):
        return math.nan
    try:
        return float(value)
    except OverflowError:
        return math.nan


def is_whole(value: Any, least: int) -> bool:
    """Is it a whole number, and not too small?"""
    return isinstance(value, numbers.Integral) and not isinstance(value, bool) and int(value) >= least


def whole(name: str, value: Any, least: int = 1) -> int:
    """A count; one beyond all bounds is as good as the largest."""
    if not is_whole(value, least):
        raise ValueError(f"{name} must be a whole number of {least} or more, not {value!r}")
    return min(int(value), LARGEST)


def flag(name: str, value: Any) -> bool:
    """Yes or no, in Python's words or NumPy's."""
    if not isinstance(value, bool) and type(value).__name__ != "bool":
        raise ValueError(f"{name} must be True or False, not {value!r:.60}")
    return bool(value)


def strings(name: str, value: Any) -> list[str]:
    """A list of strings, nothing else in their place."""
    if not isinstance(value, (list, tuple)) or not all(isinstance(one, str) for one in value):
        raise ValueError(f"{name} must be a list of strings, not {value!r:.60}")
    return list(value)


def settings_in(owner: str, words: list[str], known: list[str]) -> dict[str, Any]:
    """Settings as they are written behind a name: ``degree=3``, numbers, true or false, or a word."""
    found: dict[str, Any] = {}
    for word in words:
        name, equals, value = word.partition("=")
        if not equals or name not in known:
            told = ", ".join(f"{name}=" for name in known) or "none"
            raise ValueError(f"{owner} has no setting {word!r}; those it has: {told}")
        found[name] = _written(value)
    return found


def _written(text: str) -> Any:
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            continue
    return {"true": True, "false": False}.get(text.lower(), text)


def cores() -> int:
    """How many threads there are where nobody says how many: $LINNET_THREADS, or all cores."""
    said = os.environ.get("LINNET_THREADS", "")
    if said:
        if not said.isdecimal() or not 0 < int(said) <= LARGEST:
            raise ValueError(f"LINNET_THREADS={said}: it must be a whole number of 1 or more")
        return int(said)
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


class Params:
    """Base of everything whose settings are its constructor's arguments."""

    preset: ClassVar[dict[str, Any]] = {}  # other defaults for settings that pass through

    def __init_subclass__(cls, **keywords: Any) -> None:
        """Show all settings as the signature, those that pass through included."""
        super().__init_subclass__(**keywords)
        cls.__signature__ = inspect.Signature(  # type: ignore[attr-defined]
            [
                inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=default)
                for name, default in cls._parameters().items()
            ]
        )

    @classmethod
    def _parameters(cls) -> dict[str, Any]:
        """Settings and their defaults; ``**settings`` stands for those of the class above."""
        found: dict[str, Any] = {}
        for level in cls.__mro__:
            if "__init__" not in level.__dict__ or level is object:
                continue
            parameters = list(inspect.signature(level.__dict__["__init__"]).parameters.values())[1:]
            for p in parameters:
                if p.kind is not p.VAR_KEYWORD:
                    found.setdefault(p.name, p.default)
            if not any(p.kind is p.VAR_KEYWORD for p in parameters):
                break
        return found | {k: v for k, v in cls.preset.items() if k in found}

    @classmethod
    def _names(cls) -> list[str]:
        return sorted(cls._parameters())

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """Settings by name; with ``deep`` also those of settings that have settings."""
        found: dict[str, Any] = {}
        for name in self._names():
            value = getattr(self, name)
            found[name] = value
            if deep and isinstance(value, Params):
                found |= {f"{name}__{k}": v for k, v in value.get_params().items()}
        return found

    def set_params(self, **params: Any) -> Self:
        """Change settings; ``learner__eta0=1`` reaches into a setting."""
        known = self._names()
        nested: dict[str, dict[str, Any]] = {}
        for key, value in params.items():
            name, _, rest = key.partition("__")
            if name not in known:
                raise ValueError(
                    f"Invalid parameter {name!r} for estimator {self!r}. "
                    f"Valid parameters are: {known!r}."
                )
            if rest:
                nested.setdefault(name, {})[rest] = value
            else:
                setattr(self, name, value)
        for name, inner in nested.items():
            reached = self.opened(name)
            reached.set_params(**inner)
            setattr(self, name, reached)
        return self

    def opened(self, name: str) -> Any:
        """The setting ``name`` as an object with settings; families make one of 'auto' or a name."""
        value = getattr(self, name)
        if hasattr(value, "set_params"):
            return value
        raise ValueError(
            f"{name}={value!r} has no settings to reach into by {name}__…; give {name} an object that "
            f"has some"
        )

    def __repr__(self) -> str:
        defaults = self._parameters()
        shown = (
            f"{name}={getattr(self, name)!r}"
            for name in self._names()
            if _differs(getattr(self, name), defaults.get(name))
        )
        return f"{type(self).__name__}({', '.join(shown)})"


def _differs(value: Any, default: Any) -> bool:
    try:
        return bool(value != default)
    except ValueError:  # arrays
        return True
