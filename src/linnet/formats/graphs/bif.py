"""BIF files: Bayesian networks with names, as the repositories of networks have them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import numpy as np

from linnet.errors import DataError
from linnet.formats._access import Source
from linnet.graphs import FactorGraph
from linnet.graphs.networks import network

COMMENT = re.compile(r"//[^\n]*|/\*.*?\*/", re.DOTALL)
TOKEN = re.compile(r'"[^"]*"|[{}()\[\],;|]|[^\s{}()\[\],;|]+')
UNFIT = re.compile(r"[\s{}()\[\],;|\"]|//")


class _Reader:
    def __init__(self, source: Source) -> None:
        self.source = source
        try:
            text = source.data.decode("utf-8-sig")
        except UnicodeDecodeError:
            raise DataError(f"{source.name} is not UTF-8") from None
        text = COMMENT.sub(lambda found: "\n" * found[0].count("\n"), text)
        self.text = text
        self.spots = [(found[0].strip('"'), found.start()) for found in TOKEN.finditer(text)]
        self.at = 0

    def error(self, message: str) -> DataError:
        place = self.spots[min(self.at, len(self.spots) - 1)][1] if self.spots else 0
        return self.source.error(1 + self.text.count("\n", 0, place), message)

    def peek(self) -> str:
        if self.at >= len(self.spots):
            raise self.error("the file is cut: a bracket is not closed")
        return self.spots[self.at][0]

    def next(self) -> str:
        found = self.peek()
        self.at += 1
        return found

    def expect(self, sign: str) -> None:
        found = self.peek()
        if found != sign:
            raise self.error(f"{sign!r} is wanted here, not {found[:30]!r}")
        self.at += 1

    def list_until(self, end: str) -> list[str]:
        """Words with commas or blanks between them, up to a sign, which is taken too."""
        found = []
        while (word := self.next()) != end:
            if word in "{}()[];|":
                self.at -= 1
                raise self.error(f"{end!r} is wanted here, not {word!r}")
            if word != ",":
                found.append(word)
        return found

    def reals(self, expected: int, what: str) -> list[float]:
        words = self.list_until(";")
        try:
            values = [float(word) for word in words]
        except ValueError:
            self.at -= 1
            raise self.error(f"{what} has an entry that is no number") from None
        if len(values) != expected:
            self.at -= 1
            raise self.error(f"{what} has {len(values)} entries where {expected} are wanted")
        return values


def read(source: Source) -> FactorGraph:
    """Variables and their tables; probabilities that do not quite sum to one are left as they are."""
    reader = _Reader(source)
    domains: dict[str, list[str]] = {}
    tables: dict[str, tuple[list[str], Any]] = {}
    while reader.at < len(reader.spots):
        word = reader.next()
        if word == "network":
            _skip(reader)
        elif word == "variable":
            _variable(reader, domains)
        elif word == "probability":
            _probability(reader, domains, tables)
        else:
            reader.at -= 1
            raise reader.error(
                f"a BIF file has networks, variables and probabilities, not {word[:30]!r}"
            )
    if not domains:
        raise DataError(f"{source.name} has no variables; is it a BIF file?")
    try:
        return network(FactorGraph(), domains, tables)
    except DataError as error:
        raise DataError(f"{source.name}: {error}") from None


def _skip(reader: _Reader) -> None:
    while reader.next() != "{":
        pass
    depth = 1
    while depth:
        word = reader.next()
        depth += (word == "{") - (word == "}")


def _variable(reader: _Reader, domains: dict[str, list[str]]) -> None:
    name = reader.next()
    if name in domains:
        raise reader.error(f"there are two variables {name!r}")
    reader.expect("{")
    while (word := reader.next()) != "}":
        if word == "property":
            while reader.next() != ";":
                pass
            continue
        if word != "type" or reader.next() != "discrete":
            reader.at -= 1
            raise reader.error(f"variable {name!r} must be discrete")
        size = None
        if reader.peek() == "[":
            reader.next()
            size = next(iter(reader.list_until("]")), None)
        reader.expect("{")
        domains[name] = reader.list_until("}")
        if size is not None and size.isdigit() and int(size) != len(domains[name]):
            reader.at -= 1
            raise reader.error(f"variable {name!r} has {len(domains[name])} values, not {size}")
        if not domains[name]:
            raise reader.error(f"variable {name!r} has no values")
        if len(set(domains[name])) < len(domains[name]):
            raise reader.error(f"variable {name!r} names a value twice")
        reader.expect(";")
    if name not in domains:
        raise reader.error(f"variable {name!r} has no type")


def _probability(
    reader: _Reader, domains: dict[str, list[str]], tables: dict[str, tuple[list[str], Any]]
) -> None:
    reader.expect("(")
    child, parents = reader.next(), []
    if reader.peek() == "|":
        reader.next()
        parents = reader.list_until(")")
    else:
        reader.expect(")")
    for name in (child, *parents):
        if name not in domains:
            raise reader.error(f"there is no variable {name!r}")
    if child in tables:
        raise reader.error(f"there are two tables of {child!r}")
    shape = [len(domains[name]) for name in (*parents, child)]
    table = np.full(shape, np.nan)
    codes = [{value: k for k, value in enumerate(domains[name])} for name in parents]
    what = f"the table of {child!r}"
    reader.expect("{")
    while (word := reader.next()) != "}":
        if word == "table":  # the variable changes slowest
            values = np.array(reader.reals(table.size, what)).reshape(shape[-1:] + shape[:-1])
            table[...] = np.moveaxis(values, 0, -1)
        elif word == "default":
            table[np.isnan(table).all(axis=-1)] = reader.reals(shape[-1], what)
        elif word == "(":
            row = reader.list_until(")")
            known = len(row) == len(parents)
            if not known or any(v not in code for v, code in zip(row, codes, strict=True)):
                reader.at -= 1
                raise reader.error(f"{what}: ({', '.join(row)}) names no values of its parents")
            at = tuple(code[value] for code, value in zip(codes, row, strict=True))
            table[at] = reader.reals(shape[-1], what)
        elif word == "property":
            while reader.next() != ";":
                pass
        else:
            reader.at -= 1
            raise reader.error(f"{what}: 'table' or values in brackets are wanted, not {word[:30]!r}")
    if np.isnan(table).any():
        reader.at -= 1
        raise reader.error(f"{what} lacks rows of its parents' values")
    tables[child] = (parents, table)


def write(graph: FactorGraph) -> Iterator[bytes]:
    """A network as `read` takes it."""
    names = [_word(name, "the variable") for name in graph.names]
    tables = {}
    for block in graph.factors:
        for scope, flat in zip(
            block.scopes, block.tables if block.tables is not None else [], strict=False
        ):
            table = flat.reshape(graph.sizes[scope])
            child = int(scope[-1])
            if child in tables or np.abs(table.sum(axis=-1) - 1).max() > 1e-2:
                raise DataError(
                    "BIF holds Bayesian networks, one table P(variable | parents) for each variable; "
                    "this graph is none: write UAI"
                )
            tables[child] = (scope, table)
    if len(tables) < len(names):
        raise DataError("BIF wants a table for each variable; write UAI")
    yield b"network unknown {\n}\n"
    for name, domain in zip(names, graph.variables.domains, strict=True):
        values = ", ".join(_word(value, f"a value of {name}") for value in domain)
        yield (f"variable {name} {{\n  type discrete [ {len(domain)} ] {{ {values} }};\n}}\n".encode())
    for child, (scope, table) in sorted(tables.items()):
        parents = [names[v] for v in scope[:-1]]
        bar = f" | {', '.join(parents)}" if parents else ""
        yield f"probability ( {names[child]}{bar} ) {{\n".encode()
        if not parents:
            yield f"  table {', '.join(repr(float(x)) for x in table)};\n".encode()
        for at in np.ndindex(*table.shape[:-1]) if parents else ():
            given = (graph.variables.domains[v][k] for v, k in zip(scope, at, strict=False))
            numbers = ", ".join(repr(float(x)) for x in table[at])
            yield f"  ({', '.join(map(str, given))}) {numbers};\n".encode()
        yield b"}\n"


def _word(name: Any, what: str) -> str:
    word = str(name)
    if not word or UNFIT.search(word):
        raise DataError(f"BIF cannot hold {what} {word!r}: no blanks, brackets, commas or quotes")
    return word
