"""A preprocessor or a tokenizer of the user's: a callable, or where to import one from.

Code is no part of a model file. A file keeps the name of a hook alone, and what is loaded from it holds
a `MissingHook` until the user gives the hook again or consents to the import of what the file names.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import reduce
from importlib import import_module
from typing import Any

from linnet.errors import DataError, setting

HOOKS = ("preprocessor", "tokenizer")
Hook = Callable[[str], Any]


class HookError(DataError):
    """A preprocessor or a tokenizer is missing, cannot be imported, or went wrong."""


@dataclass(frozen=True, repr=False)
class MissingHook:
    """Stands where a model file names a hook; loading has imported nothing."""

    which: str  # one of HOOKS
    name: str
    importable: bool

    def __call__(self, text: str) -> Any:
        """There is nothing to call."""
        again = setting(self.which, self.name) if self.importable else setting(self.which)
        trust = f", or by {setting('trust_hooks', True)}" if self.importable else ""
        raise HookError(
            f"the model was trained with the {self.which} {self.name!r}, which is code and no part of "
            f"a model file: give it again when loading, by {again}{trust}"
        )

    def __repr__(self) -> str:
        return f"<{self.name}, to be given again>"


def resolved(which: str, given: Any) -> Hook | None:
    """What to call; a path is imported."""
    if given is None:
        return None
    if callable(given):
        hook: Hook = given
        return hook
    if isinstance(given, str):
        return _imported(which, given)
    raise ValueError(
        f"{which} must be a callable or the path of one, 'module:function', not {given!r:.60}"
    )


def _imported(which: str, path: str) -> Hook:
    module, _, name = path.partition(":")
    if not module or not name:
        raise ValueError(f"{which} must be a path such as 'module:function', not {path!r:.60}")
    try:
        found: Any = reduce(getattr, name.split("."), import_module(module))
    except Exception as error:  # whatever the user's module does
        told = str(error) or type(error).__name__
        raise HookError(f"{which} {path!r} cannot be imported: {told}") from error
    if not callable(found):
        raise HookError(f"{which} {path!r} is {type(found).__name__}, which cannot be called")
    hook: Hook = found
    return hook


def to_file(given: Any) -> Any:
    """As JSON: the path, or the name of a callable that has none."""
    if isinstance(given, MissingHook):
        return given.name if given.importable else {"callable": given.name}
    if given is None or isinstance(given, str):
        return given
    return {"callable": getattr(given, "__qualname__", type(given).__qualname__)}


def from_file(which: str, value: Any) -> MissingHook | None:
    """The inverse, which imports nothing."""
    if value is None:
        return None
    if isinstance(value, str):
        return MissingHook(which, value, True)
    if isinstance(value, Mapping) and isinstance(value.get("callable"), str):
        return MissingHook(which, value["callable"], False)
    raise TypeError(f"{which} is {value!r:.40}, no name")


def given_again(holder: Any, hooks: Mapping[str, Any], trust: bool) -> None:
    """Put hooks where an object that was loaded misses them."""
    for which in HOOKS:
        missed, hook = getattr(holder, which, None), hooks.get(which)
        if hook is None and trust and isinstance(missed, MissingHook) and missed.importable:
            hook = missed.name
        if hook is not None and missed is not None:
            resolved(which, hook)  # or it is told now
            setattr(holder, which, hook)
