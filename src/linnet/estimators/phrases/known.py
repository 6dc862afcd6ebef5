"""What is known of a tree: spans that must be brackets, and those that must not."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray

from linnet.data.bracket_chains import Chain
from linnet.data.bracket_tree import BracketTree
from linnet.data.brackets import Brackets
from linnet.data.sequences import Sequences
from linnet.errors import DataError
from linnet.model.phrases import SpanRule


def rules_of(
    short: Sequences, chains: list[Chain], known: Any, without: Any, at: NDArray[np.int64]
) -> list[SpanRule]:
    """Of the sentences ``at`` among those that the lists are of; spans that cross are refused."""

    def chosen(given: Any) -> Any:
        if given is None or isinstance(given, Brackets):
            return given if given is None else given.take(at)
        rows = list(given)
        return [rows[i] for i in at.tolist()] if len(rows) > len(at) else rows

    rules = span_rules(short, chains, chosen(known), chosen(without))
    for i in {rule.sentence for rule in rules}:
        _check_crossing(i, [(r.begin, r.end) for r in rules if r.sentence == i and r.must])
    return rules


def check_found(words: Sequences, values: NDArray[np.float64], rules: list[SpanRule]) -> None:
    """Every sentence with words has a tree."""
    wrong = np.flatnonzero(np.isneginf(values) & (words.lengths > 0))
    if len(wrong):
        raise no_tree(words, int(wrong[0]), rules)


def no_tree(words: Sequences, sentence: int, rules: list[SpanRule]) -> DataError:
    """Why there is none."""
    if not any(rule.sentence == sentence for rule in rules):
        return DataError("scores are no numbers, so the weights of the parser are damaged")
    return DataError(
        f"sentence {sentence + 1}, of {words.lengths[sentence]} words: no tree keeps to all that "
        f"is known of it; perhaps the parser never saw these labels over the same words"
    )


def _check_crossing(sentence: int, spans: Sequence[tuple[int, int]]) -> None:
    for (i, j), (a, b) in combinations(sorted(set(spans)), 2):
        if i < a < j < b:
            raise DataError(f"known: sentence {sentence + 1}: the spans {(i, j)} and {(a, b)} cross")


def span_rules(sentences: Sequences, chains: list[Chain], known: Any, without: Any) -> list[SpanRule]:
    """What is certain, as the model wants it; a list for each sentence of (begin, end, label)."""
    found: list[SpanRule] = []
    for name, given, must in (("known", known, True), ("without", without, False)):
        if given is None:
            continue
        listed_ = [tree.constituents for tree in given] if isinstance(given, Brackets) else list(given)
        if len(listed_) != len(sentences):
            raise DataError(
                f"{name}: there are {len(sentences)} sentences, but {len(listed_)} lists of spans"
            )
        for i, spans in enumerate(listed_):
            constituents = spans.constituents if isinstance(spans, BracketTree) else spans
            for span in constituents or ():
                found.append(_rule(name, chains, i, int(sentences.lengths[i]), span, must))
    return found


def _rule(name: str, chains: list[Chain], sentence: int, words: int, span: Any, must: bool) -> SpanRule:
    try:
        begin, end, *rest = span
        label = rest[0] if rest else None
        inside = 0 <= int(begin) < int(end) <= words and len(rest) <= 1
    except (TypeError, ValueError):
        raise DataError(
            f"{name}: sentence {sentence + 1}: a span is (begin, end) or (begin, end, label), not "
            f"{span!r:.60}"
        ) from None
    if not inside:
        raise DataError(
            f"{name}: sentence {sentence + 1}: {tuple(span)!r} is no span of its {words} words"
        )
    if label is None:
        return SpanRule(sentence, int(begin), int(end), must, frozenset(range(len(chains))))
    codes = frozenset(k for k, chain in enumerate(chains) if label in chain)
    if not codes:
        there = ", ".join(sorted({each for chain in chains for each in chain}))
        raise DataError(
            f"{name}: sentence {sentence + 1}: there is no label {label!r}; the parser knows {there}"
        )
    return SpanRule(sentence, int(begin), int(end), must, codes)
