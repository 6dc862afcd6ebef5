"""The language of rule templates: what a rule that changes a tag may look at.

    template  = value {space value}
    value     = what "[" offset [".." offset] "]"
    what      = "tag" | "word" | column | "lower" | "suffix" N | "prefix" N

All values of a template must hold. A range is a choice: the value must stand at one of its offsets.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from linnet.features.templates import Known

MOST_AWAY = 100  # tokens
MOST_VALUES = 20  # of a template
VALUE = re.compile(r"([^\s\[\]]+)\[([+-]?\d+)(?:\.\.([+-]?\d+))?\]")
DERIVED = re.compile(r"(lower|suffix|prefix)(\d*)")

# The sets of NLTK, in its order, by which ties are broken: of fnTBL, and of Brill (1995).
FNTBL37 = """\
word[0] word[1] word[2]; word[-1] word[0] word[1]; word[0] word[-1]; word[0] word[1]; word[0] word[2]
word[0] word[-2]; word[1..2]; word[-2..-1]; word[1..3]; word[-3..-1]; word[0] tag[2]; word[0] tag[-2]
word[0] tag[1]; word[0] tag[-1]; word[0]; word[-2]; word[2]; word[1]; word[-1]; tag[-1] tag[1]
tag[1] tag[2]; tag[-1] tag[-2]; tag[1]; tag[-1]; tag[-2]; tag[2]; tag[1..3]; tag[1..2]; tag[-3..-1]
tag[-2..-1]; tag[1] word[0] word[1]; tag[1] word[0] word[-1]; tag[-1] word[-1] word[0]
tag[-1] word[0] word[1]; tag[-2] tag[-1]; tag[1] tag[2]; tag[1] tag[2] word[1]"""
BRILL24 = """\
tag[-1]; tag[1]; tag[-2]; tag[2]; tag[-2..-1]; tag[1..2]; tag[-3..-1]; tag[1..3]; tag[-1] tag[1]
tag[-2] tag[-1]; tag[1] tag[2]; word[-1]; word[1]; word[-2]; word[2]; word[-2..-1]; word[1..2]
word[-1..0]; word[0..1]; word[0]; word[-1] tag[-1]; word[1] tag[1]; word[0] word[-1] tag[-1]
word[0] word[1] tag[1]"""
SETS = {
    name: [line.strip() for line in re.split("[;\n]", text)]
    for name, text in (("fntbl37", FNTBL37), ("brill24", BRILL24))
}


@dataclass(frozen=True)
class RuleColumn:
    """What is compared: a column as it is, or something of its strings; of the tag itself no name."""

    name: str  # of the column; "" is the tag
    kind: str = ""  # lower, suffix, prefix
    length: int = 0

    def of(self, text: str) -> str:
        """What is seen of a string."""
        if self.kind == "lower":
            return text.lower()
        if self.kind:
            return text[-self.length :] if self.kind == "suffix" else text[: self.length]
        return text


@dataclass(frozen=True)
class RuleValue:
    """A condition without its value."""

    said: str  # as it was written, without offsets
    column: RuleColumn
    offsets: tuple[int, ...]

    @property
    def text(self) -> str:
        """As templates write it."""
        first, last = self.offsets[0], self.offsets[-1]
        return f"{self.said}[{first}]" if first == last else f"{self.said}[{first}..{last}]"


RuleTemplate = tuple[RuleValue, ...]


def parse_rules(lines: Sequence[str], known: Known) -> list[RuleTemplate]:
    """The templates of some lines; empty ones and those that begin with # are skipped."""
    wanted = [line.strip() for line in lines if line.strip() and not line.lstrip().startswith("#")]
    if not wanted:
        raise ValueError("templates: there are none")
    return [tuple(_values(line, known)) for line in wanted]


def _values(line: str, known: Known) -> list[RuleValue]:
    words = line.split()
    if len(words) > MOST_VALUES:
        raise ValueError(f"template {line!r:.80} has more than {MOST_VALUES} values")
    return [_value(line, word, known) for word in words]


def _value(line: str, word: str, known: Known) -> RuleValue:
    found = VALUE.fullmatch(word)
    if found is None:
        raise ValueError(
            f"template {line!r:.80}: {word!r:.40} is no value such as word[0], tag[-1] or tag[1..3]"
        )
    said, first, last = found[1], int(found[2]), int(found[3] or found[2])
    if not -MOST_AWAY <= first <= last <= MOST_AWAY:
        raise ValueError(
            f"template {line!r:.80}: offsets rise from -{MOST_AWAY} to {MOST_AWAY}, not {word}"
        )
    column = _column(line, said, known)
    if column.name == "" and first <= 0 <= last:
        raise ValueError(
            f"template {line!r:.80}: each rule looks at the tag of its token, and tag[0] says nothing"
        )
    return RuleValue(said, column, tuple(range(first, last + 1)))


def _column(line: str, said: str, known: Known) -> RuleColumn:
    if said == "tag":
        return RuleColumn("")
    name = known.column(said)
    if name is not None:
        return RuleColumn(name)
    derived, word = DERIVED.fullmatch(said), known.column("word")
    if derived is not None and word is not None and (derived[1] == "lower") == (derived[2] == ""):
        length = int(derived[2] or 0)
        if derived[1] == "lower" or 0 < length <= MOST_AWAY:
            return RuleColumn(word, derived[1], length)
    raise ValueError(
        f"template {line!r:.80}: there is no {said!r:.40}; there are tag, "
        f"{', '.join(known.columns)}, lower, suffixN and prefixN"
    )
