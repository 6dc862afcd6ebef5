"""Rules of heads as the core has them: labels and tags are codes."""

from __future__ import annotations

from collections.abc import Sequence

import linnet._core as _core
from linnet.data.bracket_cleaning import base_label
from linnet.grammars.heads import HeadRules

CONJUNCTION, PUNCTUATION = 1, 2


def compiled_heads(rules: HeadRules, labels: Sequence[str], tags: Sequence[str]) -> _core.HeadRules:
    """For labels and tags, which have codes in this order, and one more for tags that were not seen."""
    names = [*(base_label(name) for name in (*labels, *tags)), None]
    starts, from_left, begins, codes = [0], [], [0], []
    for label in labels:
        for direction, wanted, one_by_one in rules.searches.get(base_label(label), ()):
            for group in [(name,) for name in wanted] if one_by_one and wanted else [wanted]:
                from_left.append(direction == "left")
                codes += [k for k, name in enumerate(names) if name in group]
                begins.append(len(codes))
        starts.append(len(from_left))
    kinds = [
        CONJUNCTION if name in rules.conjunctions else PUNCTUATION if name in rules.punctuation else 0
        for name in names
    ]
    last = [name in rules.last_words.get(base_label(label), ()) for label in labels for name in names]
    return _core.HeadRules(starts, from_left, begins, codes, kinds, last)
