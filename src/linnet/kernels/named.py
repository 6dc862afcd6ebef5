"""Kernels by name, as settings and commands write them."""

from __future__ import annotations

from typing import Any

from linnet._params import Params
from linnet.kernels.base import Kernel
from linnet.kernels.combining import Normalised, Product, Sum
from linnet.kernels.own import Function, Precomputed
from linnet.kernels.strings import Blended, Gappy, Spectrum
from linnet.kernels.trees import PartialTree, SubsetTree, Subtree
from linnet.kernels.vectors import Gaussian, Linear, Polynomial

KERNELS: dict[str, type[Kernel]] = {
    "blended": Blended,
    "gappy": Gappy,
    "gaussian": Gaussian,
    "linear": Linear,
    "partial_tree": PartialTree,
    "polynomial": Polynomial,
    "precomputed": Precomputed,
    "spectrum": Spectrum,
    "subset_tree": SubsetTree,
    "subtree": Subtree,
}
MADE_OF_KERNELS: dict[str, type[Kernel]] = {
    "normalised": Normalised,
    "product": Product,
    "sum": Sum,
}


def kernel_named(given: Any) -> Kernel:
    """A kernel, or the name of one with its settings: ``"polynomial degree=3"``.

    ``normalised`` in front makes it of length 1; names with ``+`` or ``*`` between them are sums and
    products; a function of two examples is `Function` of it.

    >>> kernel_named("polynomial degree=3 constant=0")
    Polynomial(constant=0, degree=3)
    >>> kernel_named("linear + gaussian sigma=2")
    Sum(kernels=[Linear(), Gaussian(sigma=2)])
    """
    if isinstance(given, Kernel):
        return given
    if callable(given) and not isinstance(given, type):
        return Function(given)
    words = given.split() if isinstance(given, str) else []
    for sign, made_of in (("+", Sum), ("*", Product)):
        if sign in words:
            parts = f" {given} ".split(f" {sign} ")
            if not all(map(str.strip, parts)):
                raise ValueError(f"kernel {given!r:.60} lacks one beside {sign}")
            made = made_of([kernel_named(part) for part in parts])
            assert made.reads  # they have examples in common
            return made
    if words[:1] == ["normalised"] and len(words) > 1:
        return Normalised(kernel_named(" ".join(words[1:])))
    if not words or words[0] not in KERNELS:
        raise ValueError(
            f"kernel must be one of {', '.join(sorted(KERNELS))}, a kernel or a function, not "
            f"{given!r:.60}"
        )
    kind = KERNELS[words[0]]
    return kind(**settings_said(words[0], kind, words[1:]))


def settings_said(what: str, kind: type[Params], words: list[str]) -> dict[str, Any]:
    """Settings of a class, each written as ``name=value``."""
    settings: dict[str, Any] = {}
    for word in words:
        name, equals, value = word.partition("=")
        if not equals or name not in kind._names():
            known = ", ".join(f"{name}=" for name in kind._names()) or "none"
            raise ValueError(f"{what} has no setting {word!r}; those it has: {known}")
        settings[name] = _value(value)
    return settings


def _value(text: str) -> Any:
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            continue
    return {"true": True, "false": False}.get(text.lower(), text)
