"""``linnet graph``: a network in a file, asked without programming."""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import click

from linnet.cli.options import Grouped, option
from linnet.cli.paths import Reads

if TYPE_CHECKING:
    from linnet.graphs import Beliefs, FactorGraph


@click.command("graph", cls=Grouped)
@click.argument("action", type=click.Choice(["query", "best"]), metavar="query|best")
@click.argument("network", type=Reads(), metavar="NETWORK")
@option("--given", multiple=True, metavar="A=x,…", help="values that are known; may be repeated")
@option("--evidence", type=Reads(), metavar="FILE", help="values that are known, in a UAI file (.evid)")
@option("--of", metavar="B,C", help="variables to answer for; all of them if not given")
@option("--joint", is_flag=True, help="the joint distribution of the variables, not each by itself")
@option("--beliefs", is_flag=True, help="by belief propagation, an approximation; else exact")
@option("-k", "--best", "k", type=click.IntRange(1), metavar="K", help="the K best assignments")
@option("--json", "as_json", is_flag=True, help="JSON in place of a table")
@option("--format", "format_", metavar="F", help="uai or bif, where NETWORK's name does not say it")
def command(
    action: str, network: str, given: Sequence[str], evidence: str | None, of: str | None, **asked: Any
) -> None:  # fmt: skip
    """Ask a Bayesian network or factor graph in a file.

    query tells P(of | given), best the best assignment.

    NETWORK is a UAI or BIF file, gzip too; - is a pipe. Answers are exact unless --beliefs is given.
    """
    from linnet.formats.graphs import read_evidence, read_graph
    from linnet.graphs import TooLargeError

    if network == evidence == "-":
        raise click.UsageError("NETWORK and --evidence cannot both be standard input.")
    graph = read_graph(network, asked["format_"])
    told = {} if evidence is None else read_evidence(evidence, graph)
    known = _given(graph, given, told)
    names = _names(graph, of)
    try:
        (_query if action == "query" else _best)(graph, known, names, **asked)
    except TooLargeError as error:
        raise click.ClickException(
            f"{error.what}; give more values, ask for fewer at a time, or take --beliefs, which is an "
            f"approximation"
        ) from None


def _query(
    graph: FactorGraph, known: dict[Any, Any], names: list[Any] | None, *, joint: bool, beliefs: bool,
    k: int | None, as_json: bool, **_: Any,
) -> None:  # fmt: skip
    import numpy as np

    if k is not None:
        raise click.UsageError("-k is for 'best'; 'query' sums over all assignments.")
    if joint and (beliefs or names is None):
        raise click.UsageError("--joint needs --of, and exact sums: leave --beliefs out.")
    rows: list[list[str]] = []
    if joint and names is not None:
        table = graph.query(names, known)
        domains = [_domain(graph, name) for name in names]
        for at in np.ndindex(*table.shape):
            values = [str(domain[i]) for domain, i in zip(domains, at, strict=True)]
            rows.append([*values, f"{table[at]:.6g}"])
        if as_json:
            found = [
                {"values": dict(zip(map(str, names), row[:-1], strict=True)), "p": float(p)}
                for row, p in zip(rows, table.flat, strict=True)
            ]
            _say_json({"given": _plain(known), "joint": found, "exact": True})
        else:
            _say([[*map(str, names), "p"], *rows])
        return
    exact = True
    if beliefs:
        found_beliefs = graph.beliefs(known)
        marginals, exact = found_beliefs.marginals(), found_beliefs.exact
        _warn(found_beliefs, "these are not marginals")
    else:
        marginals = graph.marginals(known)
    names = [name for name in graph.names if name not in known] if names is None else names
    if as_json:
        shares = {
            str(name): {
                str(value): float(p)
                for value, p in zip(_domain(graph, name), marginals[name], strict=True)
            }
            for name in names
        }
        _say_json({"given": _plain(known), "marginals": shares, "exact": exact})
        return
    for name in names:
        for value, p in zip(_domain(graph, name), marginals[name], strict=True):
            rows.append([str(name), str(value), f"{p:.6g}"])
    _say([["variable", "value", "p"], *rows])


def _best(
    graph: FactorGraph, known: dict[Any, Any], names: list[Any] | None, *, joint: bool, beliefs: bool,
    k: int | None, as_json: bool, **_: Any,
) -> None:  # fmt: skip
    if joint:
        raise click.UsageError("--joint is for 'query'.")
    if beliefs and k is not None:
        raise click.UsageError("-k needs exact maxima: leave --beliefs out.")
    exact = True
    if beliefs:
        found_beliefs = graph.beliefs(known, maximise=True)
        assignment = found_beliefs.best()
        score = graph.score(assignment)
        if score == -math.inf:
            raise click.ClickException(
                "belief propagation has found no possible assignment; leave --beliefs out"
            )
        _warn(found_beliefs, "better assignments are likely")
        found, exact = [(assignment, score)], found_beliefs.exact
    else:
        found = [graph.best(known)] if k is None else graph.kbest(k, known)
    if not found:
        raise click.ClickException("no assignment is possible: what is given contradicts the factors")
    names = graph.names if names is None else names
    if as_json:
        listed = [
            {"values": {str(n): str(one[n]) for n in names}, "log_score": score} for one, score in found
        ]
        _say_json({"given": _plain(known), "best": listed, "exact": exact})
        return
    if k is None:
        [(one, _score)] = found
        _say([["variable", "value"], *([str(name), str(one[name])] for name in names)])
        return
    rows = [[*(str(one[name]) for name in names), f"{score:.6g}"] for one, score in found]
    _say([[*map(str, names), "log score"], *rows])


def _warn(beliefs: Beliefs, what: str) -> None:
    if not beliefs.settled:
        click.echo(f"Warning: the messages have not settled; {what}.", err=True)


def _named(graph: FactorGraph, text: str) -> Any:
    """A variable by what it is written as."""
    for name in (text, int(text) if text.isdigit() else text):
        if name in graph.variables.numbers:
            return name
    return graph.names[graph.variables.number(text)]  # which says that there is none


def _domain(graph: FactorGraph, name: Any) -> tuple[Any, ...]:
    return graph.variables.domains[graph.variables.number(name)]


def _names(graph: FactorGraph, of: str | None) -> list[Any] | None:
    if of is None:
        return None
    names = [_named(graph, part.strip()) for part in of.split(",") if part.strip()]
    if not names:
        raise click.UsageError("--of names no variable.")
    if len(set(names)) < len(names):
        raise click.UsageError("--of names a variable twice.")
    return names


def _given(graph: FactorGraph, given: Sequence[str], told: dict[Any, Any]) -> dict[Any, Any]:
    """What --given says, beside what a file has told."""
    known = dict(told)
    for part in (one for text in given for one in text.split(",") if one.strip()):
        name, sign, value = (piece.strip() for piece in part.partition("="))
        if not sign:
            raise click.UsageError(f"--given wants VARIABLE=VALUE, not {part!r}.")
        variable = _named(graph, name)
        if variable in told:
            raise click.UsageError(f"--given tells {name}, and --evidence has told it.")
        if variable in known:
            raise click.UsageError(f"--given tells {name} twice.")
        written = {str(v): v for v in _domain(graph, variable)}
        known[variable] = written.get(value, value)
        graph.variables.code(graph.variables.number(variable), known[variable])
    return known


def _plain(known: dict[Any, Any]) -> dict[str, str]:
    return {str(name): str(value) for name, value in known.items()}


def _say(rows: list[list[str]]) -> None:
    for row in rows:
        click.echo("\t".join(row))


def _say_json(found: Any) -> None:
    click.echo(json.dumps(found, ensure_ascii=False))
