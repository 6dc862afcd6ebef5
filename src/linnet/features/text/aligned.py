"""A text that was changed, and where each of its characters comes from."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

Edit = tuple[int, int, str]  # [begin, end) of a text is replaced


@dataclass(frozen=True)
class AlignedText:
    """``text`` is what features see; places are those of ``shown``.

    ``shown`` is the text as it was, as long as every change says what it replaced; after one that does
    not, it is the text that came out of it.
    """

    text: str
    shown: str
    begins: Sequence[int]  # in `shown`, of each character of the text
    ends: Sequence[int]

    @classmethod
    def of(cls, text: str) -> AlignedText:
        """Nothing has changed."""
        return cls(text, text, range(len(text)), range(1, len(text) + 1))

    def edited(self, edits: Iterable[Edit]) -> AlignedText:
        """After edits, in the order of the text, none across another."""
        parts: list[str] = []
        begins: list[int] = []
        ends: list[int] = []

        def keep(begin: int, end: int) -> None:
            parts.append(self.text[begin:end])
            begins.extend(self.begins[begin:end])
            ends.extend(self.ends[begin:end])

        at = 0
        for begin, end, new in edits:
            keep(at, begin)
            parts.append(new)
            begins.extend([self.begins[begin]] * len(new))
            ends.extend([self.ends[end - 1]] * len(new))
            at = end
        keep(at, len(self.text))
        return replace(self, text="".join(parts), begins=begins, ends=ends)

    def place(self, begin: int, end: int) -> tuple[int, int]:
        """Where characters [begin, end) of the text are shown."""
        if begin < end:
            return self.begins[begin], self.ends[end - 1]
        at = self.begins[begin] if begin < len(self.text) else len(self.shown)
        return at, at

    def tokens(self, tokens: Sequence[str]) -> AlignedText:
        """Tokens of the text with blanks between; where one is no part of the text, they are shown."""
        begins: list[int] = []
        ends: list[int] = []
        at = 0
        for token in tokens:
            begin = self.text.find(token, at)
            if begin < 0:
                return AlignedText.of(" ".join(tokens))
            if ends:  # the blank
                begins.append(ends[-1])
                ends.append(ends[-1])
            at = begin + len(token)
            begins.extend(self.begins[begin:at])
            ends.extend(self.ends[begin:at])
        return replace(self, text=" ".join(tokens), begins=begins, ends=ends)
