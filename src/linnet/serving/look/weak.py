"""Rules and lexicons as weak labels: which texts each covers, and where they contradict one another."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from linnet.errors import DataError
from linnet.serving.look.decisions import Decision, Decisions
from linnet.serving.look.labelling import Label

Told = dict[str, Any]
Mask = NDArray[np.bool_]
KINDS = ("words", "pattern")
LONGEST = 20_000  # characters of a text that rules look at
MOST_RULES = 200


def matcher(kind: str, given: str) -> Callable[[str], bool]:
    """Does a text have one of these words or phrases, or match the regular expression?

    >>> matcher("words", "tree frog, toad")("A Tree  Frog sang."), matcher("words", "toad")("toadstool")
    (True, False)
    """
    if kind == "pattern":
        try:
            found = re.compile(given, re.IGNORECASE)
        except re.error as error:
            raise DataError(f"{given!r:.80} is no regular expression: {error}") from None
    else:
        phrases = [one.split() for one in re.split(r"[,\n]", given) if one.strip()]
        if not phrases:
            raise DataError("a rule is to name words, with commas or new lines in between")
        listed = "|".join(r"\s+".join(map(re.escape, words)) for words in phrases)
        found = re.compile(rf"(?<!\w)(?:{listed})(?!\w)", re.IGNORECASE)
    return lambda text: found.search(text[:LONGEST]) is not None


class WeakLabels:
    """Rules that a person wrote, kept among the decisions, and what they say of the texts of a pool.

    A text gets the label that most of the rules that cover it name, and none if they are at odds with
    equal numbers; of several labels each all that are named, for then rules do not contradict one
    another. It is never one of the labels that a person decided.
    """

    def __init__(self, pool: Sequence[str], decisions: Decisions, several: bool = False) -> None:
        self.pool, self.decisions, self.several = pool, decisions, several
        self._masks: dict[tuple[str, str], Mask] = {}  # of (kind, rule): the texts that it covers

    def rules(self) -> list[Decision]:
        """Those that stand."""
        return [one for one in self.decisions.standing("rules") if one.rule in KINDS]

    def add(self, kind: str, given: str, label: str) -> None:
        """A rule; one that cannot be understood is refused before it is written."""
        if kind not in KINDS or not given.strip() or not label:
            raise DataError(f"a rule has a label, a kind ({' or '.join(KINDS)}) and what is looked for")
        if len(self.rules()) >= MOST_RULES:
            raise DataError(f"there are {MOST_RULES} rules, and there may be no more")
        matcher(kind, given)
        self.decisions.add(view="rules", text=given, rule=kind, label=label)

    def remove(self, number: int) -> None:
        """Take one back."""
        if number not in {one.number for one in self.rules()}:
            raise DataError(f"there is no rule {number}")
        self.decisions.add(view="rules", undone=number)

    def _covers(self, rule: Decision) -> Mask:
        key = (str(rule.rule), rule.text)
        if key not in self._masks:
            covers = matcher(*key)
            self._masks[key] = np.fromiter(map(covers, self.pool), np.bool_, len(self.pool))
        return self._masks[key]

    def _votes(self) -> Iterator[tuple[Decision, Mask]]:
        for rule in self.rules():
            yield rule, self._covers(rule)

    def labels(self) -> dict[int, Label]:
        """Of each text that the rules agree on, or most of them: its weak label, or all of them."""
        votes: dict[int, Counter[str]] = {}
        for rule, covered in self._votes():
            for i in np.flatnonzero(covered).tolist():
                votes.setdefault(i, Counter())[str(rule.label)] += 1
        if self.several:
            return {i: tuple(sorted(counts)) for i, counts in votes.items()}
        found: dict[int, Label] = {}
        for i, counts in votes.items():
            (label, most), *others = counts.most_common(2)
            if not others or others[0][1] < most:
                found[i] = label
        return found

    def told(self, decided: Mapping[str, Label]) -> Told:
        """Coverage and conflicts of each rule and of all; and how often a person said the same."""
        votes = list(self._votes())
        labels = [str(rule.label) for rule, _ in votes]
        known = [decided.get(text) for text in self.pool]
        judges = np.array([one is not None for one in known], np.bool_)
        names = [(one,) if isinstance(one, str) else one or () for one in known]
        said: dict[str, Mask] = {}
        for label, (_, covered) in zip(labels, votes, strict=True):
            said[label] = said.get(label, np.zeros(len(self.pool), np.bool_)) | covered
        speaking = sum((mask.astype(int) for mask in said.values()), np.zeros(len(self.pool), int))
        odds = (speaking > 1) & (not self.several)
        rows = []
        for label, (rule, covered) in zip(labels, votes, strict=True):
            judged = covered & judges
            right = sum(label in names[i] for i in np.flatnonzero(judged).tolist())
            rows.append(
                {
                    "number": rule.number,
                    "label": label,
                    "kind": rule.rule,
                    "rule": rule.text[:300],
                    "covered": int(covered.sum()),
                    "conflicts": int((covered & odds).sum()),
                    "decided": int(judged.sum()),
                    "right": right,
                }
            )
        return {
            "rows": rows,
            "kinds": KINDS,
            "texts": len(self.pool),
            "covered": int((speaking > 0).sum()),
            "conflicts": int(odds.sum()),
            "labelled": len(self.labels()) if rows else 0,
            "example": self._conflict(odds, said),
        }

    def _conflict(self, odds: Mask, said: Mapping[str, Mask]) -> Told | None:
        """A text of which rules say different things."""
        places = np.flatnonzero(odds)
        if not len(places):
            return None
        i = int(places[0])
        return {"text": self.pool[i][:500], "labels": [label for label in said if said[label][i]]}
