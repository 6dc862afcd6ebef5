"""UAI files: numbers between blanks. The kind, sizes of domains, scopes of factors, their tables.

The format knows no comments; pgmpy and pyAgrum skip what is behind a # up to the end of its line, and
so does this reader.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

import numpy as np

from linnet.errors import DataError
from linnet.formats._access import Source
from linnet.graphs import FactorGraph
from linnet.graphs.networks import check_parents

COMMENT = re.compile(rb"#[^\r\n]*")


class Tokens:
    """Words of a file, and where they stand."""

    def __init__(self, source: Source) -> None:
        self.source, self.at = source, 0
        # Blanks in place of comments, so that what follows stays where it was.
        self.data = COMMENT.sub(lambda found: b" " * len(found[0]), source.data)
        self.words = self.data.split()

    def error(self, message: str) -> DataError:
        """With the line of the last word that was taken."""
        line = 1
        taken, data = max(self.at - 1, 0), self.data
        place = 0
        for word in self.words[: taken + 1]:
            place = data.index(word, place) + len(word)
        line += data.count(b"\n", 0, place)
        return self.source.error(line, message)

    def word(self, what: str) -> bytes:
        """The next one."""
        if self.at >= len(self.words):
            raise self.error(f"the file is cut: {what} is missing")
        self.at += 1
        return self.words[self.at - 1]

    def number(self, what: str, least: int = 0) -> int:
        """A whole number."""
        word = self.word(what)
        if not word.isdigit() or int(word) < least or len(word) > 18:
            told = word.decode(errors="replace")[:30]
            raise self.error(f"{what} must be a whole number, {least} or more, not {told!r}")
        return int(word)

    def reals(self, count: int, what: str) -> np.ndarray:
        """So many numbers."""
        if self.at + count > len(self.words):
            found = len(self.words) - self.at
            self.at = len(self.words)
            raise self.error(f"the file is cut: {what} has {found} of {count} entries")
        try:
            values = np.array(self.words[self.at : self.at + count], dtype=np.float64)
        except ValueError:
            raise self.error(f"{what} has an entry that is no number") from None
        self.at += count
        return values


def read(source: Source) -> FactorGraph:
    """Variables are called 0, 1, …, and so are their values."""
    tokens = Tokens(source)
    kind = tokens.word("the kind").upper()
    if kind not in (b"MARKOV", b"BAYES"):
        raise tokens.error("a UAI file begins with MARKOV or BAYES")
    graph = FactorGraph()
    for v in range(tokens.number("the number of variables")):
        size = tokens.number(f"the size of variable {v}", 1)
        if size > len(tokens.words):
            raise tokens.error(f"variable {v} has {size} values, more than the file has numbers")
        graph.add_variable(v, size)
    scopes = []
    for f in range(tokens.number("the number of factors")):
        arity = tokens.number(f"the number of variables of factor {f}")
        scope = [tokens.number(f"a variable of factor {f}") for _ in range(arity)]
        if any(v >= len(graph.names) for v in scope):
            raise tokens.error(f"factor {f} is over variable {max(scope)}, which there is not")
        if len(set(scope)) < arity:
            raise tokens.error(f"factor {f} is over a variable twice")
        scopes.append(scope)
    if kind == b"BAYES":
        _check_network(tokens, scopes, graph)
    sizes = graph.sizes
    for f, scope in enumerate(scopes):
        shape = [int(sizes[v]) for v in scope]
        entries = int(np.prod(shape, dtype=object)) if scope else 1
        told = tokens.number(f"the number of entries of factor {f}", 1)
        if told != entries:
            raise tokens.error(f"factor {f} has {told} entries, but its variables have {entries}")
        values = tokens.reals(entries, f"factor {f}")
        if not scope and not graph.names:
            raise tokens.error(f"factor {f} is a constant, and there is no variable to bear it")
        over = scope or [0]  # a constant is the same whatever the first variable is
        table = values.reshape(shape) if scope else np.full(sizes[:1], values[0])
        try:
            graph._add(np.array([over], np.int32), table[None], kind == b"BAYES")
        except DataError as error:
            raise tokens.error(str(error)) from None
    if tokens.at < len(tokens.words):
        tokens.at += 1
        raise tokens.error("there is more after the last table")
    return graph


def _check_network(tokens: Tokens, scopes: list[list[int]], graph: FactorGraph) -> None:
    if any(not scope for scope in scopes) or len({scope[-1] for scope in scopes}) < len(scopes):
        raise tokens.error("a network has one table for each variable")
    try:
        check_parents({scope[-1]: scope[:-1] for scope in scopes}, set(graph.names))
    except DataError as error:
        raise tokens.error(str(error)) from None


def _is_network(graph: FactorGraph) -> bool:
    """Is it one table P(variable | parents) for each variable, and parents never in a circle?"""
    if not graph.factors or not all(block.conditional for block in graph.factors):
        return False
    scopes = [[int(v) for v in row] for block in graph.factors for row in block.scopes]
    parents = {scope[-1]: scope[:-1] for scope in scopes}
    if len(parents) < len(scopes):
        return False
    try:
        check_parents(parents, set(range(len(graph.names))))
    except DataError:
        return False
    return True


def write(graph: FactorGraph) -> Iterator[bytes]:
    """As a network if all factors are tables given parents, else as a Markov field."""
    packed = graph.packed
    yield b"BAYES\n" if _is_network(graph) else b"MARKOV\n"
    yield b"%d\n%s\n" % (len(packed.sizes), b" ".join(b"%d" % size for size in packed.sizes))
    count = len(packed.starts) - 1
    yield b"%d\n" % count
    for f in range(count):
        scope = packed.members[packed.starts[f] : packed.starts[f + 1]]
        yield b"%d %s\n" % (len(scope), b" ".join(b"%d" % v for v in scope))
    for f in range(count):
        values = packed.entries[packed.offsets[f] : packed.offsets[f + 1]]
        yield b"\n%d\n%s\n" % (len(values), b" ".join(repr(float(x)).encode() for x in values))
