"""Why a sentence has its tree: the rules it uses, what each is worth, and the next best tree."""

from __future__ import annotations

import html
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

import linnet._core as _core

if TYPE_CHECKING:
    from linnet.estimators.grammars.fitted import FittedGrammarParser

Row = tuple[str, str, float | None, int, int]  # a rule: left, right, weight, and its words


@dataclass(frozen=True)
class GrammarExplanation:
    """The best tree of a sentence, rule by rule, and what the second-best has instead."""

    words: list[str]
    score: float | None  # None: there is no tree
    rules: list[Row]
    behind: float | None  # of the second-best tree; None: there is no other
    instead: list[tuple[str, str]]  # its symbols that the best tree has not, and their words

    def to_dict(self) -> dict[str, Any]:
        """Plain lists and numbers, ready for JSON."""
        return asdict(self)

    def to_html(self) -> str:
        """As it is printed."""
        return f"<pre>{html.escape(str(self))}</pre>"

    def __rich__(self) -> Any:
        from linnet.explain.shown import Text

        return Text(f"{self}\n")

    def __str__(self) -> str:
        if self.score is None:
            return f"no tree of {len(self.words)} words: the grammar derives none"
        lines = [f"score {self.score:.3f}", *(_line(row, self.words) for row in self.rules)]
        if self.behind is not None:
            second = self.score - self.behind
            lines.append(f"second-best {second:.3f}, {self.behind:.3f} behind; it has instead")
            lines += [f"  {symbol} {words}" for symbol, words in self.instead]
        return "\n".join(lines)


def explained(parser: FittedGrammarParser, words: list[str]) -> GrammarExplanation:
    """A line for each rule of the best tree, then what the second-best has instead."""
    if not words:
        return GrammarExplanation([], None, [], None, [])
    model = parser.model_
    data = model.structure([words])
    packed = _core.chart_kbest(data.dataset(np.ones(1)), model.weights, 2, model.coarse, 1)
    counts, (scores, starts, nodes, tag_starts, tags) = packed
    if not counts[0]:
        return GrammarExplanation(words, None, [], None, [])
    names, bounds, places = model.shape.symbols, starts.tolist(), tag_starts.tolist()
    theta = model.structure([[]]).layout.parts(model.weights)
    trees = [
        (nodes[bounds[i] : bounds[i + 1]].tolist(), tags[places[i] : places[i + 1]].tolist())
        for i in range(len(scores))
    ]
    behind, instead = None, []
    if len(scores) > 1:
        first = {tuple(node) for node in trees[0][0]}
        other = [node for node in trees[1][0] if tuple(node) not in first]
        behind = float(scores[0] - scores[1])
        instead = [(names[s], " ".join(words[b:e])) for b, e, s in other]
        instead += [
            (names[model.shape.tags[mine]], words[t])
            for t, (mine, best) in enumerate(zip(trees[1][1], trees[0][1], strict=True))
            if mine != best
        ]
    rules = list(_rules(model, theta, *trees[0]))
    return GrammarExplanation(words, float(scores[0]), rules, behind, instead)


def _line(row: Row, words: list[str]) -> str:
    left, right, weight, begin, end = row
    told = "       " if weight is None else f"{weight:7.3f}"
    return f"{told}  {left} → {right}   [{' '.join(words[begin:end])}]"


def _rules(model: Any, theta: Any, nodes: list[list[int]], tags: list[int]) -> Iterator[Row]:
    """(left, right, weight, begin, end) of each rule, from the outside in; words at the end."""
    shape = model.shape
    binary = {tuple(rule): r for r, rule in enumerate(shape.binary.tolist())}
    unary = {tuple(rule): r for r, rule in enumerate(shape.unary.tolist())}
    leaves = [(t, t + 1, int(shape.tags[tag])) for t, tag in enumerate(tags)]
    every = [*map(tuple, nodes), *leaves]
    for k, (begin, end, symbol) in enumerate(nodes):
        below = [n for n in every[k + 1 :] if begin <= n[0] and n[1] <= end]
        inside = next((n for n in below if (n[0], n[1]) == (begin, end)), None)
        if inside is not None:
            rule = unary[symbol, inside[2]]
            yield (
                shape.symbols[symbol],
                shape.symbols[inside[2]],
                float(theta["unaries"][rule]),
                begin,
                end,
            )
            continue
        left = max((n for n in below if n[0] == begin), key=lambda n: n[1] - n[0])
        right = next(n for n in below if n[0] == left[1] and n[1] == end)
        rule = binary[symbol, left[2], right[2]]
        names = f"{shape.symbols[left[2]]} {shape.symbols[right[2]]}"
        yield shape.symbols[symbol], names, float(theta["rules"][rule]), begin, end
    for t, _, symbol in leaves:
        yield shape.symbols[symbol], "word", None, t, t + 1
