"""UAI files of evidence: how many variables are observed, their numbers and those of their values."""

from __future__ import annotations

from typing import Any

from linnet.formats._access import Source
from linnet.formats.graphs.uai import Tokens
from linnet.graphs import FactorGraph


def read(source: Source, graph: FactorGraph) -> dict[Any, Any]:
    """Values by variable, both by the names that the graph has for them."""
    tokens = Tokens(source)
    if _counts_cases(tokens):
        tokens.number("the number of cases")
    known: dict[Any, Any] = {}
    for _ in range(tokens.number("the number of observed variables")):
        variable = tokens.number("an observed variable")
        if variable >= len(graph.names):
            raise tokens.error(f"there is no variable {variable}; the graph has {len(graph.names)}")
        name, domain = graph.names[variable], graph.variables.domains[variable]
        if name in known:
            raise tokens.error(f"variable {variable} is told twice")
        value = tokens.number(f"the value of variable {variable}")
        if value >= len(domain):
            raise tokens.error(
                f"variable {variable} has no value {value}; it has {len(domain)}, from 0"
            )
        known[name] = domain[value]
    if tokens.at < len(tokens.words):
        tokens.at += 1
        raise tokens.error("there is more after the last value; one case of evidence is read")
    return known


def _counts_cases(tokens: Tokens) -> bool:
    """Older files have a line with the number of cases first, 1; then words are even in number."""
    first = tokens.data.lstrip().partition(b"\n")[0].strip()
    return first == b"1" and len(tokens.words) % 2 == 0
