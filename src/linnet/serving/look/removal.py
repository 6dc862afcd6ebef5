"""Which words a label hangs on: the smallest set of words whose removal changes it."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from itertools import combinations
from math import comb
from typing import Any

import numpy as np

from linnet.errors import DataError
from linnet.estimators.text.decisions import thresholds_of
from linnet.serving.look.labelling import said, shown, values_of

MOST_TRIED = 5000  # texts with words left out, before it is searched step by step
MOST_PUT_BACK = 200  # words that are tried to be put back
FEW = 60  # words, up to which they are ranked anew after each step
MOST_CHARACTERS = 100_000_000  # of all texts with one word left out
WORD = re.compile(r"\w[\w'’-]*")
Span = tuple[int, int]


def words_of(text: str) -> list[Span]:
    """Where words stand that can be struck out.

    >>> words_of("A linnet's song")
    [(0, 1), (2, 10), (11, 15)]
    """
    return [found.span() for found in WORD.finditer(text)]


def without(text: str, spans: Sequence[Span], struck: Collection[int]) -> str:
    """The text without some of its words, and the blanks behind them.

    >>> without("A linnet sings", [(0, 1), (2, 8), (9, 14)], {1})
    'A sings'
    """
    parts, at = [], 0
    for k in sorted(struck):
        begin, end = spans[k]
        parts.append(text[at:begin])
        at = end
        while at < len(text) and text[at].isspace():
            at += 1
    return "".join([*parts, text[at:]])


def smallest_removal(model: Any, text: str, spans: Sequence[Span]) -> dict[str, Any] | None:
    """The fewest words without which the label, or the set of labels, is another, and whether no fewer
    can do.

    Sets are tried by their size, all of one size at once, as long as they are few; of equal size the
    one that turns the label most clearly is taken. Then words go one at a time, each time the one that
    hurts the label most (of long texts, as they hurt it alone), and are put back if they were not
    needed: that need not be the smallest set.
    """
    if not spans:
        return None
    (label,) = said(model, model._scores([text]))
    tried = 0
    for size in range(1, len(spans) + 1):
        tried += comb(len(spans), size)
        if tried > MOST_TRIED:
            break
        sets = [frozenset(each) for each in combinations(range(len(spans)), size)]
        best = _clearest(model, label, text, spans, sets)
        if best is not None:
            return _told(model, text, spans, best, True)
    if len(text) * len(spans) > MOST_CHARACTERS:
        raise DataError(f"the text is too long to try it without each of its {len(spans):,} words")
    steps = _step_by_step if len(spans) <= FEW else _in_one_order
    found = steps(model, label, text, spans)
    return None if found is None else _told(model, text, spans, found, False)


def _clearest(
    model: Any, label: Any, text: str, spans: Sequence[Span], sets: Sequence[frozenset[int]]
) -> frozenset[int] | None:
    scores = model._scores([without(text, spans, each) for each in sets])
    changed = np.flatnonzero([one != label for one in said(model, scores)])
    if not len(changed):
        return None
    lead = _lead(model, scores, label)
    return sets[int(changed[np.argmin(lead[changed])])]


def _lead(model: Any, scores: Any, label: Any) -> Any:
    """How far a label is ahead of the best other one; a set, how far its least sure yes or no is."""
    values, names = values_of(model, scores), [str(name) for name in model.classes_.tolist()]
    if model.several_:
        if model.thresholds is not None:
            limits = thresholds_of(model.thresholds, model.classes_, default=0.5)
            values = model._probabilities(scores) - limits
        return np.where([name in label for name in names], values, -values).min(axis=1)
    column = names.index(label) if label in names else 0
    others = np.delete(values, column, axis=1)
    return values[:, column] - others.max(axis=1)


def _in_one_order(model: Any, label: Any, text: str, spans: Sequence[Span]) -> frozenset[int] | None:
    """Words in the order in which they hurt the label alone; the first so many that turn it."""
    alone = [without(text, spans, {k}) for k in range(len(spans))]
    whole, *lead = _lead(model, model._scores([text, *alone]), label).tolist()
    order = [k for k in np.argsort(lead, kind="stable").tolist() if lead[k] < whole]
    if not order or not _changes(model, label, text, spans, frozenset(order)):
        return None
    low, high = 0, len(order)  # words that do not turn it, and words that do
    while high - low > 1:
        middle = (low + high) // 2
        turned = _changes(model, label, text, spans, frozenset(order[:middle]))
        low, high = (low, middle) if turned else (middle, high)
    struck = frozenset(order[:high])
    for k in order[:high][::-1][:MOST_PUT_BACK]:
        if _changes(model, label, text, spans, struck - {k}):
            struck -= {k}
    return struck


def _step_by_step(model: Any, label: Any, text: str, spans: Sequence[Span]) -> frozenset[int] | None:
    struck: frozenset[int] = frozenset()
    while len(struck) < len(spans):
        sets = [struck | {k} for k in range(len(spans)) if k not in struck]
        scores = model._scores([without(text, spans, each) for each in sets])
        struck = sets[int(np.argmin(_lead(model, scores, label)))]
        if _changes(model, label, text, spans, struck):
            for k in sorted(struck):
                if _changes(model, label, text, spans, struck - {k}):
                    struck -= {k}
            return struck
    return None


def _changes(model: Any, label: Any, text: str, spans: Sequence[Span], struck: frozenset[int]) -> bool:
    (found,) = said(model, model._scores([without(text, spans, struck)]))
    return bool(found != label)


def _told(
    model: Any, text: str, spans: Sequence[Span], struck: frozenset[int], exact: bool
) -> dict[str, Any]:
    left = without(text, spans, struck)
    (label,) = said(model, model._scores([left]))
    return {
        "words": sorted(struck),
        "shown": [text[slice(*spans[k])] for k in sorted(struck)],
        "label": shown(label),
        "smallest": exact,
    }
