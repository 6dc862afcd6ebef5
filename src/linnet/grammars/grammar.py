"""Context-free grammars with weights: binary, unary and lexical rules."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from linnet._writing import replacing
from linnet.data.brackets import Brackets
from linnet.data.text_file import text_lines
from linnet.errors import DataError, setting
from linnet.grammars import notation
from linnet.grammars.closure import UnaryClosure, closed
from linnet.grammars.heads import COLLINS_HEADS, HeadRules
from linnet.grammars.reduction import circles, useless
from linnet.grammars.unknown import UNKNOWN, wider, word_class

Array = NDArray[np.float64]
Codes = NDArray[np.int64]
Right = tuple["str | notation.Word", ...]
NEAR = 0.01  # sums of probabilities that are written with few digits


@dataclass(frozen=True)
class Grammar:
    r"""Symbols by number, and rules over them; ``symbols[start]`` begins.

    ``binary`` has a row (A, B, C) for each rule A → B C, ``unary`` (A, B) for A → B, ``lexical`` (A, w)
    for A → words[w]; each has weights beside it. If ``unknown`` is not 0, words seen so often or less
    in the treebank stand as their classes (`word_class`), and `lookup` finds those of words that are
    not known.

    >>> grammar = Grammar.from_text("S -> NP VP [1.0]\nNP -> 'linnets' [1.0]\nVP -> 'sing' [1.0]")
    >>> print(grammar)
    3 symbols, start S; 1 binary, 0 unary and 2 lexical rules over 2 words
    """

    symbols: list[str]
    words: list[str]
    binary: Codes  # (rules, 3)
    binary_weights: Array
    unary: Codes  # (rules, 2)
    unary_weights: Array
    lexical: Codes  # (rules, 2)
    lexical_weights: Array
    start: int = 0
    unknown: int = 0
    weighted: bool = True  # False: no weights were given, and all are 1

    def __post_init__(self) -> None:
        for name, width in (("binary", 3), ("unary", 2), ("lexical", 2)):
            rules, weights = getattr(self, name), getattr(self, f"{name}_weights")
            if rules.shape != (len(weights), width):
                raise DataError(f"{name} rules are rows of {width}, with as many weights")
            if not (np.isfinite(weights).all() and (weights >= 0).all()):
                raise DataError(f"weights of {name} rules must be numbers of 0 or more")
        if not 0 <= self.start < len(self.symbols):
            raise DataError("the start is none of the symbols")
        if self.start not in {*self._lefts().tolist()}:
            raise DataError(f"the start symbol {self.symbols[self.start]!r} has no rule")

    def _lefts(self) -> Codes:
        """Of all rules the left-hand side."""
        return np.concatenate([self.binary[:, 0], self.unary[:, 0], self.lexical[:, 0]])

    def __len__(self) -> int:
        """How many rules."""
        return len(self.binary) + len(self.unary) + len(self.lexical)

    def __str__(self) -> str:
        start, words = self.symbols[self.start], len(self.words)
        return (
            f"{len(self.symbols):,} symbols, start {start}; {len(self.binary):,} binary, "
            f"{len(self.unary):,} unary and {len(self.lexical):,} lexical rules over {words:,} words"
        )

    def rules(self) -> Iterator[tuple[str, Right, float]]:
        """(A, right-hand side, weight): binary rules, unary ones, lexical ones."""
        names = self.symbols
        for part, weights in ((self.binary, self.binary_weights), (self.unary, self.unary_weights)):
            for (left, *right), weight in zip(part.tolist(), weights.tolist(), strict=True):
                yield names[left], tuple(names[k] for k in right), weight
        for (left, word), weight in zip(
            self.lexical.tolist(), self.lexical_weights.tolist(), strict=True
        ):
            yield names[left], (notation.Word(self.words[word]),), weight

    # ------------------------------------------------------------------ words

    @cached_property
    def _entries(self) -> dict[str, list[tuple[int, float]]]:
        """Per word the symbols that become it, with weights."""
        found: dict[str, list[tuple[int, float]]] = {}
        for (left, word), weight in zip(
            self.lexical.tolist(), self.lexical_weights.tolist(), strict=True
        ):
            found.setdefault(self.words[word], []).append((left, weight))
        return found

    @cached_property
    def _classes(self) -> list[str]:
        """Classes of rare words."""
        return [word for word in self._entries if word.split("-")[0] == UNKNOWN]

    def lookup(self, word: str, first: bool = False) -> list[tuple[int, float]]:
        """Symbols that become a word, and their weights; of a word that is not known, by its class.

        If no rare word of the treebank was of that class, by the narrowest of the wider ones that
        had some: the weights of all classes in it are summed. Empty: the grammar has no such word,
        and no classes.
        """
        if word in self._entries or not self.unknown:
            return self._entries.get(word, [])
        name: str | None = word_class(word, first)
        if name in self._entries:
            return self._entries[name]
        while name is not None:
            sums: dict[int, float] = {}
            for entry in self._classes:
                if entry != name and not entry.startswith(f"{name}-"):
                    continue
                for symbol, weight in self._entries[entry]:
                    sums[symbol] = sums.get(symbol, 0.0) + weight
            if sums:
                return sorted(sums.items())
            name = wider(name)
        return []

    # ------------------------------------------------------------------ what it is worth

    def sums(self) -> dict[str, float]:
        """Per symbol that has rules, the sum of their weights."""
        weights = np.concatenate([self.binary_weights, self.unary_weights, self.lexical_weights])
        lefts = self._lefts()
        totals = np.bincount(lefts, weights, len(self.symbols))
        return {self.symbols[k]: float(totals[k]) for k in np.unique(lefts).tolist()}

    def check_proper(self) -> None:
        """Raise DataError if the weights of some symbol are no probabilities."""
        for name, total in self.sums().items():
            if abs(total - 1) > NEAR:
                raise DataError(
                    f"the probabilities of {name!r} sum to {total:.4g}, not to 1; mend them, or say "
                    f"{setting('proper', False)} if they are weights"
                )

    def normalised(self) -> Grammar:
        """The same rules, the weights of each symbol's divided by their sum."""
        totals = np.zeros(len(self.symbols))
        for name, total in self.sums().items():
            totals[self.symbols.index(name)] = total
        parts: dict[str, Any] = {}
        for kind in ("binary", "unary", "lexical"):
            below = totals[getattr(self, kind)[:, 0]]
            if (below == 0).any():
                raise DataError(
                    "all rules of a symbol have the weight 0; there is nothing to divide by"
                )
            parts[f"{kind}_weights"] = getattr(self, f"{kind}_weights") / below
        return replace(self, weighted=True, **parts)

    def problems(self) -> list[str]:
        """What one should know of the rules: useless ones, circles, sums; nothing: all is well."""
        dumb, apart = useless(self.binary, self.unary, self.lexical, self.start, len(self.symbols))
        told = []
        for what, which in (("derive no words", dumb), ("are never reached from the start", apart)):
            if len(which):
                names = ", ".join(self.symbols[k] for k in which[:5].tolist())
                more = ", …" if len(which) > 5 else ""
                told.append(f"symbols that {what}, whose rules are useless: {names}{more}")
        if self.start in dumb:
            told.append(f"the start symbol {self.symbols[self.start]} derives no sentence at all")
        for circle in circles(self.unary):
            told.append("unary rules go in a circle: " + " → ".join(self.symbols[k] for k in circle))
        if self.weighted:
            told += [
                f"the weights of {name} sum to {total:.4g}, not to 1"
                for name, total in self.sums().items()
                if abs(total - 1) > NEAR
            ]
        return told

    def reduced(self) -> Grammar:
        """Without rules that no sentence needs; weights stay as they are."""
        dumb, apart = useless(self.binary, self.unary, self.lexical, self.start, len(self.symbols))
        gone = np.zeros(len(self.symbols), np.bool_)
        gone[dumb] = gone[apart] = True
        if gone[self.start]:
            raise DataError(f"the start symbol {self.symbols[self.start]!r} derives no sentence at all")
        kept = {
            "binary": ~gone[self.binary].any(axis=1),
            "unary": ~gone[self.unary].any(axis=1),
            "lexical": ~gone[self.lexical[:, 0]],
        }
        rules = [
            rule
            for rule, good in zip(self.rules(), np.concatenate([*kept.values()]), strict=True)
            if good
        ]
        return built(rules, self.symbols[self.start], unknown=self.unknown, weighted=self.weighted)

    def closure(self, kind: str = "best") -> UnaryClosure:
        """Chains of unary rules: the ``best`` of each pair of symbols, or the ``sum`` of all."""
        return closed(self.symbols, self.unary, self.unary_weights, kind)

    # ------------------------------------------------------------------ in and out

    @classmethod
    def from_text(cls, text: str, *, proper: bool = True, source: str = "the grammar") -> Grammar:
        """Of rules such as ``S -> NP VP [0.9] | VP [0.1]``; see `linnet.grammars.notation`.

        Longer right-hand sides are cut into binary rules over symbols ``@S:…``, and words beside
        symbols get a symbol ``@=word``. Either all rules have weights or none. With ``proper`` the
        weights of each symbol must sum to 1.
        """
        written = notation.parse(text, source)
        given = [rule for rule in written.rules if rule.weight is not None]
        if given and len(given) < len(written.rules):
            bare = next(rule for rule in written.rules if rule.weight is None)
            raise DataError(f"{source}, line {bare.line}: the rule has no weight, but others have one")
        lines: dict[tuple[str, Right], int] = {}
        for rule in written.rules:
            before = lines.get((rule.left, rule.right))
            if before is not None:
                raise DataError(
                    f"{source}, line {rule.line}: this rule of {rule.left!r} was there before, on line "
                    f"{before}; let one be left"
                )
            lines[rule.left, rule.right] = rule.line
        if written.start not in {rule.left for rule in written.rules}:
            raise DataError(f"{source}: the start symbol {written.start!r} has no rule")
        rules = [
            short
            for rule in written.rules
            for short in _shortened(rule.left, rule.right, 1.0 if rule.weight is None else rule.weight)
        ]
        made = built(
            [*dict.fromkeys(rules)], written.start, unknown=written.unknown, weighted=bool(given)
        )
        if proper and made.weighted:
            try:
                made.check_proper()
            except DataError as error:
                raise DataError(f"{source}: {error}") from None
        return made

    def to_text(self) -> str:
        """The rules, one to a line and those of the start first; `from_text` reads them."""
        lines = [f"%start {notation.symbol_text(self.symbols[self.start])}"]
        if self.unknown:
            lines.append(f"%unknown {self.unknown}")
        for left, right, weight in self.rules():
            side = " ".join(
                notation.word_text(part.text)
                if isinstance(part, notation.Word)
                else notation.symbol_text(part)
                for part in right
            )
            lines.append(
                f"{notation.symbol_text(left)} -> {side}" + (f" [{weight!r}]" if self.weighted else "")
            )
        return "\n".join(lines) + "\n"

    @classmethod
    def read(cls, path: str | os.PathLike[str], *, proper: bool = True) -> Grammar:
        """A file of such rules, in UTF-8."""
        name = os.fspath(path)
        if not os.path.isfile(path):
            raise DataError(f"{name}: there is no such file")
        return cls.from_text("\n".join(text_lines(path)), proper=proper, source=name)

    def write(self, path: str | os.PathLike[str]) -> None:
        """The file that `read` reads; it appears when it is complete."""
        text = self.to_text()
        with replacing(path) as file:
            file.write(text.encode())

    @classmethod
    def from_trees(
        cls,
        trees: Brackets,
        *,
        binarise: str = "right",
        horizontal: int | None = None,
        vertical: int = 1,
        tags: bool = False,
        heads: HeadRules = COLLINS_HEADS,
        clean: bool = True,
        start: str = "TOP",
        unknown: int = 1,
    ) -> Grammar:
        """Rules of a treebank by relative frequency; see `linnet.grammars.binarising` for the settings.

        With ``clean`` traces and functions are taken out before. ``start`` is the bracket around each
        tree. Words seen ``unknown`` times or less stand as their classes; with 0 all stand for
        themselves.
        """
        from linnet.grammars.treebank import counted

        rules = counted(
            trees.cleaned() if clean else trees,
            start=start,
            unknown=unknown,
            binarise=binarise,
            how={"horizontal": horizontal, "vertical": vertical, "tags": tags, "heads": heads},
        )
        totals: dict[str, int] = {}
        for (left, _), count in rules.items():
            totals[left] = totals.get(left, 0) + count
        shares = [(left, right, count / totals[left]) for (left, right), count in rules.items()]
        return built(shares, start, unknown=unknown)


def _shortened(left: str, right: Right, weight: float) -> Iterator[tuple[str, Right, float]]:
    """A rule as binary, unary and lexical ones; the weight stands at the first."""
    if len(right) == 1:
        yield left, right, weight
        return
    parts = [f"@={part.text}" if isinstance(part, notation.Word) else part for part in right]
    for part, name in zip(right, parts, strict=True):
        if isinstance(part, notation.Word):
            yield name, (part,), 1.0
    above = left
    while len(parts) > 2:
        rest = f"@{left}:" + "_".join(parts[1:])
        yield above, (parts[0], rest), weight
        above, parts, weight = rest, parts[1:], 1.0
    yield above, tuple(parts), weight


def built(
    rules: Sequence[tuple[str, Right, float]], start: str, *, unknown: int = 0, weighted: bool = True
) -> Grammar:
    """A grammar of rules; symbols are numbered with the start first, others by name."""
    names = {left for left, _, _ in rules}
    words: set[str] = set()
    for _, right, _ in rules:
        for part in right:
            if isinstance(part, notation.Word):
                words.add(part.text)
            else:
                names.add(part)
    symbols = [start, *sorted(names - {start})]
    order, word_order = sorted(words), {word: k for k, word in enumerate(sorted(words))}
    code: Mapping[str, int] = {name: k for k, name in enumerate(symbols)}
    rows: dict[str, list[tuple[list[int], float]]] = {"binary": [], "unary": [], "lexical": []}
    for left, right, weight in rules:
        if isinstance(right[0], notation.Word):
            rows["lexical"].append(([code[left], word_order[right[0].text]], weight))
        else:
            kind = "binary" if len(right) == 2 else "unary"
            rows[kind].append(([code[left], *(code[str(part)] for part in right)], weight))
    parts: dict[str, Any] = {}
    for kind, width in (("binary", 3), ("unary", 2), ("lexical", 2)):
        made = sorted(rows[kind])
        parts[kind] = np.array([row for row, _ in made], np.int64).reshape(-1, width)
        parts[f"{kind}_weights"] = np.array([weight for _, weight in made], np.float64)
    return Grammar(symbols, order, unknown=unknown, weighted=weighted, **parts)
