"""The scores of the CoNLL 2018 shared task (Zeman et al. 2018): from running text to trees.

Tokens and sentences are right if they have the same characters, blanks not counted. Words are aligned:
those that are tokens by their characters, and around multiword tokens by the longest common
subsequence of their forms. A column is then right where two words are aligned and have the same cell,
and each score is an F1 of such words.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np

from linnet.data.sequences import UNSAID, token_strings
from linnet.data.surface import Surface
from linnet.data.trees import Trees
from linnet.errors import DataError

CONTENT = frozenset(
    [
        "nsubj",
        "obj",
        "iobj",
        "csubj",
        "ccomp",
        "xcomp",
        "obl",
        "vocative",
        "expl",
        "dislocated",
        "advcl",
        "advmod",
        "discourse",
        "nmod",
        "appos",
        "nummod",
        "acl",
        "amod",
        "conj",
        "fixed",
        "flat",
        "compound",
        "list",
        "parataxis",
        "orphan",
        "goeswith",
        "reparandum",
        "root",
        "dep",
    ]
)
FUNCTIONAL = frozenset(["aux", "cop", "mark", "det", "clf", "case", "cc"])
UNIVERSAL = frozenset(
    [
        "PronType",
        "NumType",
        "Poss",
        "Reflex",
        "Foreign",
        "Abbr",
        "Gender",
        "Animacy",
        "Number",
        "Case",
        "Definite",
        "Degree",
        "VerbForm",
        "Mood",
        "Tense",
        "Aspect",
        "Voice",
        "Evident",
        "Polarity",
        "Person",
        "Polite",
    ]
)
OF_TREES = ("UAS", "LAS", "CLAS", "MLAS", "BLEX")
METRICS = (
    "Tokens", "Sentences", "Words", "UPOS", "XPOS", "UFeats", "AllTags", "Lemmas", *OF_TREES,
)  # fmt: skip
Span = tuple[int, int]


@dataclass(frozen=True)
class SharedTaskScore:
    """One row of the table."""

    right: int
    gold: int
    system: int
    aligned: int | None = None

    @property
    def precision(self) -> float:
        """Of what the system says."""
        return self.right / self.system if self.system else 0.0

    @property
    def recall(self) -> float:
        """Of what is to be said."""
        return self.right / self.gold if self.gold else 0.0

    @property
    def f1(self) -> float:
        """The harmonic mean of both."""
        return 2 * self.right / (self.gold + self.system) if self.gold + self.system else 0.0

    @property
    def aligned_accuracy(self) -> float | None:
        """Of aligned words."""
        return self.right / self.aligned if self.aligned else None


class _Words:
    """The words of some trees, with the characters of the text that they are part of."""

    def __init__(self, trees: Trees) -> None:
        tokens, sentences = Surface.of(trees.sequences), trees.sequences
        bare = [_without_blanks(form) for form in tokens.forms]
        if "" in bare:
            place = sentences.where(int(tokens.starts[bare.index("")]))
            raise DataError(f"{place}: the form is empty, so that it has no place in the text")
        ends = np.cumsum([0, *map(len, bare)])
        self.text = "".join(bare)
        self.tokens: list[Span] = list(zip(ends[:-1].tolist(), ends[1:].tolist(), strict=True))
        borders = ends[tokens.offsets].tolist()
        self.sentences: list[Span] = list(pairwise(borders))
        token_of = np.repeat(np.arange(len(tokens)), np.diff(tokens.starts)).tolist()
        self.spans = [self.tokens[t] for t in token_of]
        self.multiword: list[bool] = [bool(tokens.multiword[t]) for t in token_of]
        self.forms = [_without_blanks(f).lower() for f in token_strings(trees.columns["form"])]
        self.lemma, self.upos, self.xpos, feats = (
            token_strings(trees.columns[name]) if name in trees.columns else [UNSAID] * len(self.spans)
            for name in ("lemma", "upos", "xpos", "feats")
        )
        self.feats = _universal(feats)
        before = np.repeat(trees.offsets[:-1], trees.lengths)
        # Of each word the number of its head among all words; -1: the root.
        self.heads: list[int] = np.where(trees.heads > 0, trees.heads + before - 1, -1).tolist()
        named = [*(name.split(":")[0] for name in trees.relations.names), UNSAID]
        self.relations = [named[code] for code in trees.relations.codes.tolist()]
        self.functional: list[list[int]] = [[] for _ in self.spans]
        for m, head in enumerate(self.heads):
            if head >= 0 and self.relations[m] in FUNCTIONAL:
                self.functional[head].append(m)


def shared_task_scores(gold: Trees, system: Trees) -> dict[str, SharedTaskScore]:
    """By name, in the order of `METRICS`; those of trees only if all words have heads in both.

    Both are to be of the same text, blanks not counted; their tokens and sentences may differ.

    >>> from linnet.data import Trees
    >>> gold = Trees.from_lists([["to", "day"]], [[2, 0]], [["case", "root"]])
    >>> guess = Trees.from_lists([["today"]], [[0]], [["root"]])
    >>> shared_task_scores(gold, guess)["Words"]
    SharedTaskScore(right=0, gold=2, system=1, aligned=None)
    """
    ours, theirs = _Words(gold), _Words(system)
    _check_text(ours.text, theirs.text, gold, system)
    pairs = _aligned(ours, theirs)
    found = {
        "Tokens": _same_spans(ours.tokens, theirs.tokens),
        "Sentences": _same_spans(ours.sentences, theirs.sentences),
        "Words": SharedTaskScore(len(pairs), len(ours.spans), len(theirs.spans)),
    }
    gold_of = {s: g for g, s in pairs}

    def column(name: str) -> Callable[[int, int], bool]:
        mine, other = getattr(ours, name), getattr(theirs, name)
        return lambda g, s: bool(mine[g] == other[s])

    upos, xpos, feats, relation = map(column, ("upos", "xpos", "feats", "relations"))

    def lemma(g: int, s: int) -> bool:
        return ours.lemma[g] in (UNSAID, theirs.lemma[s])

    def head(g: int, s: int) -> bool:
        there = theirs.heads[s]
        return (gold_of.get(there) if there >= 0 else -1) == ours.heads[g]

    def children(g: int, s: int) -> bool:
        mine, other = ours.functional[g], theirs.functional[s]
        return len(mine) == len(other) and all(
            gold_of.get(d) == c and relation(c, d) and upos(c, d) and feats(c, d)
            for c, d in zip(mine, other, strict=True)
        )

    def score(*same: Callable[[int, int], bool], content: bool = False) -> SharedTaskScore:
        if not content:
            right = sum(all(agrees(g, s) for agrees in same) for g, s in pairs)
            return SharedTaskScore(right, len(ours.spans), len(theirs.spans), len(pairs))
        counted = [(g, s) for g, s in pairs if ours.relations[g] in CONTENT]
        right = sum(all(agrees(g, s) for agrees in same) for g, s in counted)
        mine, other = (sum(r in CONTENT for r in words.relations) for words in (ours, theirs))
        return SharedTaskScore(right, mine, other, len(counted))

    found |= {
        "UPOS": score(upos),
        "XPOS": score(xpos),
        "UFeats": score(feats),
        "AllTags": score(upos, xpos, feats),
        "Lemmas": score(lemma),
    }
    if gold.complete and system.complete:
        found |= {
            "UAS": score(head),
            "LAS": score(head, relation),
            "CLAS": score(head, relation, content=True),
            "MLAS": score(head, relation, upos, feats, children, content=True),
            "BLEX": score(head, relation, lemma, content=True),
        }
    return found


def shared_task_report(scores: dict[str, SharedTaskScore]) -> dict[str, Any]:
    """As plain data."""
    return {
        name: {
            "precision": score.precision,
            "recall": score.recall,
            "f1": score.f1,
            "aligned_accuracy": score.aligned_accuracy,
        }
        for name, score in scores.items()
    }


def shared_task_table(told: dict[str, Any]) -> str:
    """The report in per cent, a row for each score."""
    lines = [f"{'':<11}{'precision':>10}{'recall':>10}{'F1':>10}{'aligned':>10}"]
    for name, row in told.items():
        shares = "".join(f"{100 * row[key]:10.2f}" for key in ("precision", "recall", "f1"))
        aligned = row["aligned_accuracy"]
        lines.append(f"{name:<11}{shares}" + ("" if aligned is None else f"{100 * aligned:10.2f}"))
    return "\n".join(lines)


def _without_blanks(form: str) -> str:
    if form.isascii():
        return form.replace(" ", "")
    return "".join(c for c in form if unicodedata.category(c) != "Zs")


def _universal(feats: Sequence[str]) -> list[str]:
    """Only universal features, in the order of the alphabet."""
    known = {
        cell: "|".join(sorted(f for f in cell.split("|") if f.split("=", 1)[0] in UNIVERSAL))
        for cell in set(feats)
    }
    return [known[cell] for cell in feats]


def _check_text(ours: str, theirs: str, gold: Trees, system: Trees) -> None:
    if ours == theirs:
        return
    at = next((k for k, (a, b) in enumerate(zip(ours, theirs, strict=False)) if a != b), None)
    at = min(len(ours), len(theirs)) if at is None else at
    first, second = gold.sequences.source or "gold", system.sequences.source or "system"
    raise DataError(
        f"the texts differ: after {at} characters {first} goes on with {ours[at : at + 20]!r}, "
        f"{second} with {theirs[at : at + 20]!r}; the same text is wanted, however it is cut"
    )


def _same_spans(gold: list[Span], system: list[Span]) -> SharedTaskScore:
    """Spans of both do not overlap among themselves, so that equal ones are counted as sets are.

    Sentences of no characters, which several may have, count once.
    """
    return SharedTaskScore(len({*gold} & {*system}), len(gold), len(system))


def _aligned(gold: _Words, system: _Words) -> list[tuple[int, int]]:
    """Pairs of words: by characters, and where multiword tokens are by their forms."""
    pairs: list[tuple[int, int]] = []
    g = s = 0
    while g < len(gold.spans) and s < len(system.spans):
        if gold.multiword[g] or system.multiword[s]:
            first_g, first_s, g, s = _multiword_stretch(gold, system, g, s)
            pairs += _common(gold.forms, system.forms, (first_g, g), (first_s, s))
        elif gold.spans[g] == system.spans[s]:
            pairs.append((g, s))
            g, s = g + 1, s + 1
        elif gold.spans[g][0] <= system.spans[s][0]:
            g += 1
        else:
            s += 1
    return pairs


def _multiword_stretch(gold: _Words, system: _Words, g: int, s: int) -> tuple[int, int, int, int]:
    """The smallest stretch from here on that no multiword token of either sticks out of."""
    if gold.multiword[g]:
        end = gold.spans[g][1]
        if not system.multiword[s] and system.spans[s][0] < gold.spans[g][0]:
            s += 1
    else:
        end = system.spans[s][1]
        if not gold.multiword[g] and gold.spans[g][0] < system.spans[s][0]:
            g += 1
    first_g, first_s = g, s

    def inside(words: _Words, k: int) -> bool:
        if k >= len(words.spans):
            return False
        begin, last = words.spans[k]
        return begin < end if words.multiword[k] else last <= end

    while inside(gold, g) or inside(system, s):
        ours = g < len(gold.spans) and (
            s >= len(system.spans) or gold.spans[g][0] <= system.spans[s][0]
        )
        words, k = (gold, g) if ours else (system, s)
        if words.multiword[k]:
            end = max(end, words.spans[k][1])
        g, s = g + ours, s + (not ours)
    return first_g, first_s, g, s


def _common(gold: list[str], system: list[str], ours: Span, theirs: Span) -> list[tuple[int, int]]:
    """A longest common subsequence of forms, as pairs of places."""
    (g, rows), (s, columns) = ours, theirs
    length = np.zeros((rows - g + 1, columns - s + 1), np.int64)  # of the rest from here on
    for i in range(rows - 1, g - 1, -1):
        for j in range(columns - 1, s - 1, -1):
            same = gold[i] == system[j]
            length[i - g, j - s] = (
                1 + length[i - g + 1, j - s + 1]
                if same
                else max(length[i - g + 1, j - s], length[i - g, j - s + 1])
            )
    pairs, i, j = [], g, s
    while i < rows and j < columns:
        if gold[i] == system[j]:
            pairs.append((i, j))
            i, j = i + 1, j + 1
        elif length[i - g, j - s] == length[i - g + 1, j - s]:
            i += 1
        else:
            j += 1
    return pairs
