"""One tree of phrases: words with their tags, and constituents over them, printed and nested.

Nothing here recurses: trees of others may be nested as deeply as they like.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from linnet.errors import DataError

WIDTH = 80  # of a line where a tree is printed; what is longer is indented
STEP, DEEPEST = 2, 40  # columns of a level, and levels that are indented further than the one before
ESCAPES = (("(", "-LRB-"), (")", "-RRB-"))


class Constituent(NamedTuple):
    """Words ``begin`` to ``end`` - 1 of a sentence make a phrase."""

    begin: int
    end: int
    label: str


class Opened(NamedTuple):
    """A bracket opens."""

    label: str


class Leaf(NamedTuple):
    """A word with its tag."""

    tag: str
    word: str


CLOSED = None  # a bracket closes
Event = Opened | Leaf | None


@dataclass(frozen=True)
class BracketTree:
    """The tree of one sentence; ``constituents`` in the order in which their brackets open.

    ``top`` is the label of the bracket around all of it, which is no constituent: ``""`` in Penn's
    files, ``TOP`` or ``ROOT`` in others; None: there is no such bracket. Constituents need not cover
    the sentence: a partial tree says what is known.

    >>> tree = BracketTree.from_nested(("S", ("NP", ("NNS", "linnets")), ("VP", ("VBP", "sing"))))
    >>> print(tree)
    (S (NP (NNS linnets)) (VP (VBP sing)))
    >>> tree.spans()[2]
    Constituent(begin=1, end=2, label='VP')
    """

    words: Sequence[str]
    tags: Sequence[str]
    constituents: Sequence[Constituent]
    top: str | None = None

    def __len__(self) -> int:
        """How many words."""
        return len(self.words)

    def spans(self) -> list[Constituent]:
        """All constituents: (begin, end, label), outer ones before inner ones."""
        return [Constituent(*each) for each in self.constituents]

    def leaves(self) -> list[str]:
        """The words."""
        return list(self.words)

    def events(self) -> Iterator[Event]:
        """Brackets and words from left to right, the bracket around all among them.

        Where several constituents or words stand side by side and there is none, one without a label
        is put around them.
        """
        top = self.top
        if top is None and self._roots() != 1:
            top = ""
        if top is not None:
            yield Opened(top)
        ends: list[int] = []  # of brackets that are open
        at = 0
        for t in range(len(self.words) + 1):
            while ends and ends[-1] <= t:
                ends.pop()
                yield CLOSED
            while at < len(self.constituents) and self.constituents[at][0] == t:
                yield Opened(self.constituents[at][2])
                ends.append(self.constituents[at][1])
                at += 1
            if t < len(self.words):
                yield Leaf(self.tags[t], self.words[t])
        if top is not None:
            yield CLOSED

    def _roots(self) -> int:
        """How many constituents and words have nothing above them."""
        roots, at = 0, 0
        for begin, end, _ in self.constituents:
            if begin >= at:
                roots += begin - at + 1  # words between, and this one
                at = end
        return roots + len(self.words) - at

    def nested(self) -> tuple[Any, ...]:
        """Tuples (label, child, …); that of a word is (tag, word)."""
        open_: list[list[Any]] = [[]]
        for event in self.events():
            if isinstance(event, Opened):
                open_.append([event.label])
            elif isinstance(event, Leaf):
                open_[-1].append(tuple(event))
            else:
                done = tuple(open_.pop())
                open_[-1].append(done)
        made: tuple[Any, ...] = open_[0][0]
        return made

    @classmethod
    def from_nested(cls, node: Any) -> BracketTree:
        """Of tuples or lists (label, child, …) and (tag, word), or of a tree of NLTK's."""
        words: list[str] = []
        tags: list[str] = []
        found: list[list[Any]] = []  # begin, end, label
        waiting: list[tuple[Any, int | None]] = [(node, None)]  # None: not opened yet, else its place
        while waiting:
            here, place = waiting.pop()
            if place is not None:
                found[place][1] = len(words)
                continue
            label, children = _parts(here)
            if len(children) == 1 and isinstance(children[0], str):
                tags.append(label)
                words.append(children[0])
                continue
            waiting.append((here, len(found)))
            found.append([len(words), 0, label])
            waiting += [(child, None) for child in reversed(children)]
        return cls(*unwrapped(words, tags, [Constituent(*each) for each in found]))

    def __str__(self) -> str:
        return self.indented()

    def one_line(self) -> str:
        """In brackets; what brackets words hold are written ``-LRB-`` and ``-RRB-``."""
        pieces: list[str] = []
        for event in self.events():
            if event is CLOSED:
                pieces.append(")")
                continue
            pieces.append(" " if pieces else "")
            pieces.append(f"({event.label}" if isinstance(event, Opened) else _leaf(event))
        return "".join(pieces)

    def indented(self, width: int = WIDTH) -> str:
        """In brackets; what is wider than a line has a line for each of its children."""
        events = list(self.events())
        sizes = _sizes(events)
        lines: list[str] = []
        depth = 0
        flat = 0  # brackets that are open on the current line
        for at, event in enumerate(events):
            if event is CLOSED:
                lines[-1] += ")"
                depth -= 1
                flat -= flat > 0
                continue
            indent = STEP * min(depth, DEEPEST)
            text = f"({event.label}" if isinstance(event, Opened) else _leaf(event)
            after_top = depth == 1 and lines and lines[-1] == "("  # Penn's ( (S …
            if flat or after_top:
                lines[-1] += f" {text}"
            else:
                lines.append(" " * indent + text)
            if isinstance(event, Opened):
                depth += 1
                if flat or indent + sizes[at] <= width:
                    flat += 1
        return "\n".join(lines)


def _leaf(leaf: Leaf) -> str:
    return f"({escaped(leaf.tag)} {escaped(leaf.word)})"


def escaped(text: str) -> str:
    """Without brackets, as Penn's files have them.

    >>> escaped("f(x)")
    'f-LRB-x-RRB-'
    """
    for sign, written in ESCAPES:
        text = text.replace(sign, written)
    return text


def _sizes(events: list[Event]) -> list[int]:
    """Of each bracket that opens, how wide it is on one line."""
    sizes = [0] * len(events)
    open_: list[int] = []
    at = 0
    for k, event in enumerate(events):
        if event is CLOSED:
            at += 1
            begun = open_.pop()
            sizes[begun] = at - sizes[begun]
            continue
        if isinstance(event, Opened):
            open_.append(k)
            sizes[k] = at + 1  # after the blank before it
            at += len(event.label) + 2
        else:
            at += len(_leaf(event)) + 1
    return sizes


def _parts(node: Any) -> tuple[str, list[Any]]:
    """The label and the children of a tuple, a list, or a tree of NLTK's (a list with a label)."""
    if not isinstance(node, (tuple, list)):
        raise DataError(f"a tree is {node!r:.60}; (label, child, …) or (tag, word) is wanted")
    own = getattr(node, "label", None)
    label, children = (own(), list(node)) if callable(own) else (node[0] if node else None, [*node[1:]])
    if not isinstance(label, str) or not children:
        what = f"the label {label!r:.40} and {len(children)} children" if node else "nothing in it"
        raise DataError(f"a tree has {what}; (label, child, …) or (tag, word) is wanted")
    if len(children) > 1 and any(isinstance(child, str) for child in children):
        raise DataError(f"{label!r} has a word without a tag among its children; (tag, word) is wanted")
    return label, children


WRAPPERS = frozenset({"", "TOP", "ROOT", "S1", "VROOT"})


def unwrapped(
    words: Sequence[str], tags: Sequence[str], found: list[Constituent]
) -> tuple[Sequence[str], Sequence[str], list[Constituent], str | None]:
    """The outermost bracket apart, if it is one of those that are put around trees."""
    if found and found[0].label in WRAPPERS and (found[0].begin, found[0].end) == (0, len(words)):
        return words, tags, found[1:], found[0].label
    return words, tags, found, None
