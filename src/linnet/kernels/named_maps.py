"""Maps by name, as settings and commands write them."""

from __future__ import annotations

from typing import Any

from linnet._params import settings_in
from linnet.kernels.approximate import Nystroem, RandomFourier
from linnet.kernels.base import Kernel
from linnet.kernels.conjunctions import Conjunctions
from linnet.kernels.fragments import StringFragments, TreeFragments
from linnet.kernels.maps import PolynomialMap, Transformer
from linnet.kernels.named import kernel_named
from linnet.kernels.vectors import Linear

MAPS: dict[str, type[Transformer]] = {
    "conjunctions": Conjunctions,
    "nystroem": Nystroem,
    "polynomial_map": PolynomialMap,
    "random_fourier": RandomFourier,
    "string_fragments": StringFragments,
    "tree_fragments": TreeFragments,
}


def map_named(given: Any) -> Transformer:
    """A map, or the name of one with its settings; the kernel that it writes out comes after ``of``.

    >>> map_named("conjunctions degree=3")
    Conjunctions(degree=3)
    >>> map_named("tree_fragments size=3 of subset_tree decay=0.5")
    TreeFragments(kernel=SubsetTree(decay=0.5), size=3)
    """
    if isinstance(given, Transformer):
        return given
    words = given.split() if isinstance(given, str) else []
    if not words or words[0] not in MAPS:
        raise ValueError(f"map must be one of {', '.join(MAPS)}, or a map, not {given!r:.60}")
    kind = MAPS[words[0]]
    end = words.index("of") if "of" in words else len(words)
    settings = settings_in(words[0], words[1:end], kind._names())
    if "kernel" in settings:
        raise ValueError(
            f"kernel={settings['kernel']}: a kernel comes last, as in 'nystroem of linear'"
        )
    if end < len(words):
        if "kernel" not in kind._names():
            raise ValueError(f"{words[0]} writes out no kernel; leave out {' '.join(words[end:])!r}")
        settings["kernel"] = kernel_named(" ".join(words[end + 1 :]))
    return kind(**settings)


def reader_of(made: Transformer) -> Kernel:
    """Who reads the examples of a map."""
    return kernel_named(made.kernel) if hasattr(made, "kernel") else Linear()
