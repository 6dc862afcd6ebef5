"""Files of factor graphs and Bayesian networks, UAI and BIF, and of evidence about them."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from pathlib import PurePath
from typing import Any

from linnet.formats._access import Source
from linnet.formats._source import load, store
from linnet.formats.graphs import bif, evidence, uai
from linnet.graphs import FactorGraph

Reader = Callable[[Source], FactorGraph]
Writer = Callable[[FactorGraph], Iterable[bytes]]
GRAPH_FORMATS: dict[str, tuple[Reader, Writer]] = {
    "uai": (uai.read, uai.write),
    "bif": (bif.read, bif.write),
}


def read_graph(path: str | os.PathLike[str], format: str | None = None) -> FactorGraph:  # noqa: A002
    """A graph from a file, told by its ending (``.gz`` after it is ignored) or by ``format``.

    ``-`` is standard input.
    """
    read, _ = GRAPH_FORMATS[_named(path, format)]
    return read(load(path))


def write_graph(
    graph: FactorGraph,
    path: str | os.PathLike[str],
    format: str | None = None,  # noqa: A002
) -> None:
    """A graph into a file; BIF holds Bayesian networks alone."""
    _, write = GRAPH_FORMATS[_named(path, format)]
    store(path, write(graph))


def read_evidence(path: str | os.PathLike[str], graph: FactorGraph) -> dict[Any, Any]:
    """What a UAI file of evidence (``.uai.evid``, gzip too) tells of a graph, as ``given`` takes it.

    Variables and values are numbered there, in the order of the graph.
    """
    return evidence.read(load(path), graph)


def _named(path: str | os.PathLike[str], format: str | None) -> str:  # noqa: A002
    known = ", ".join(GRAPH_FORMATS)
    if format is not None:
        if format not in GRAPH_FORMATS:
            raise ValueError(f"there is no format {format!r} of graphs; there are {known}")
        return format
    suffixes = [suffix.lower().lstrip(".") for suffix in PurePath(path).suffixes]
    if suffixes and suffixes[-1] == "gz":
        suffixes.pop()
    if not suffixes or suffixes[-1] not in GRAPH_FORMATS:
        raise ValueError(
            f"{os.fspath(path)} does not end as a file of graphs does; give format: {known}"
        )
    return suffixes[-1]


__all__ = ["GRAPH_FORMATS", "read_evidence", "read_graph", "write_graph"]
