"""Which child of a phrase is its head: tables of rules, such as that of Collins (1999, appendix A)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType

from linnet.data.bracket_cleaning import base_label

# (direction, labels, one by one?): the first of the labels that is there, looked for from the left or
# from the right; or, with all labels at once, the first child that has any of them.
Search = tuple[str, tuple[str, ...], bool]


def _ordered(direction: str, labels: str = "") -> tuple[Search, ...]:
    return ((direction, tuple(labels.split()), True),)


@dataclass(frozen=True)
class HeadRules:
    """Searches for the head of phrases, by label; the first that finds a child decides.

    If none does, the head is the first child in the direction of the last search; a phrase without
    rules has its leftmost child.
    """

    searches: Mapping[str, Sequence[Search]]
    conjunctions: frozenset[str] = frozenset({"CC", "CONJP"})
    punctuation: frozenset[str] = frozenset({",", ":", "``", "''", ".", "-LRB-", "-RRB-"})
    last_words: Mapping[str, frozenset[str]] = field(
        default_factory=dict
    )  # tags: the last child is head

    def head(self, label: str, children: Sequence[str]) -> int:
        """The place of the head among the labels and tags of a phrase's children.

        >>> COLLINS_HEADS.head("VP", ["MD", "VP"]), COLLINS_HEADS.head("NP", ["DT", "NN", "PP"])
        (0, 1)
        """
        name = base_label(label)
        names = [base_label(child) for child in children]
        if names[-1] in self.last_words.get(name, ()):
            return len(names) - 1
        return self._first_conjunct(self._found(name, names), names)

    def _found(self, label: str, names: list[str]) -> int:
        direction = "left"
        for direction, wanted, one_by_one in self.searches.get(label, ()):
            order = range(len(names)) if direction == "left" else range(len(names) - 1, -1, -1)
            for labels in [(name,) for name in wanted] if one_by_one else [wanted]:
                for k in order:
                    if names[k] in labels:
                        return k
        return 0 if direction == "left" else len(names) - 1

    def _first_conjunct(self, head: int, names: list[str]) -> int:
        """What stands before a conjunction that stands before the head, but no punctuation."""
        if head < 2 or names[head - 1] not in self.conjunctions:
            return head
        before = head - 2
        while before >= 0 and names[before] in self.punctuation:
            before -= 1
        return before if before >= 0 else head


_NOUNS: tuple[Search, ...] = (
    ("right", ("NN", "NNP", "NNPS", "NNS", "NX", "POS", "JJR"), False),
    ("left", ("NP",), False),
    ("right", ("$", "ADJP", "PRN"), False),
    ("right", ("CD",), False),
    ("right", ("JJ", "JJS", "RB", "QP"), False),
    ("right", (), False),
)
COLLINS_HEADS = HeadRules(
    MappingProxyType(
        {
            "ADJP": _ordered(
                "left", "NNS QP NN $ ADVP JJ VBN VBG ADJP JJR NP JJS DT FW RBR RBS SBAR RB"
            ),
            "ADVP": _ordered("right", "RB RBR RBS FW ADVP TO CD JJR JJ IN NP JJS NN"),
            "CONJP": _ordered("right", "CC RB IN"),
            "FRAG": _ordered("right"),
            "INTJ": _ordered("left"),
            "LST": _ordered("right", "LS :"),
            "NAC": _ordered("left", "NN NNS NNP NNPS NP NAC EX $ CD QP PRP VBG JJ JJS JJR ADJP FW"),
            "NP": _NOUNS,
            "NX": _NOUNS,
            "PP": _ordered("right", "IN TO VBG VBN RP FW"),
            "PRN": _ordered("left"),
            "PRT": _ordered("right", "RP"),
            "QP": _ordered("left", "$ IN NNS NN JJ RB DT CD NCD QP JJR JJS"),
            "RRC": _ordered("right", "VP NP ADVP ADJP PP"),
            "S": _ordered("left", "TO IN VP S SBAR ADJP UCP NP"),
            "SBAR": _ordered("left", "WHNP WHPP WHADVP WHADJP IN DT S SQ SINV SBAR FRAG"),
            "SBARQ": _ordered("left", "SQ S SINV SBARQ FRAG"),
            "SINV": _ordered("left", "VBZ VBD VBP VB MD VP S SINV ADJP NP"),
            "SQ": _ordered("left", "VBZ VBD VBP VB MD VP SQ"),
            "UCP": _ordered("right"),
            "VP": _ordered("left", "TO VBD VBN MD VBZ VB VBG VBP VP ADJP NN NNS NP"),
            "WHADJP": _ordered("left", "CC WRB JJ ADJP"),
            "WHADVP": _ordered("right", "CC WRB"),
            "WHNP": _ordered("left", "WDT WP WP$ WHADJP WHPP WHNP"),
            "WHPP": _ordered("right", "IN TO FW"),
            "X": _ordered("right"),
        }
    ),
    last_words=MappingProxyType({"NP": frozenset({"POS"}), "NX": frozenset({"POS"})}),
)
