"""What the features of a second look are called."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from linnet.features.forests import CHILD_LANGUAGE, PAIR_LANGUAGE, PHRASE_LANGUAGE
from linnet.features.spans import SpanFeatures, SpanValues

PLACES = dict(PHRASE_LANGUAGE.places) | dict(PAIR_LANGUAGE.places) | dict(CHILD_LANGUAGE.places)
# As the core counts them.
ANCHORS = (
    *("begin", "end", "head", "child", "child.end", "child.head"),
    *("sibling", "sibling.head", "between"),
)
SIDES = ("head", "before", "after")


class PieceValues(SpanValues):
    """What each value of a template is, of one piece of a tree."""

    def __init__(
        self,
        words: list[str],
        tags: list[str],
        known: set[str],
        features: SpanFeatures,
        anchors: Sequence[int],
        codes: Sequence[int],
        names: Sequence[str],
    ) -> None:
        self._at: Mapping[str, int] = dict(zip(ANCHORS, anchors, strict=True))
        self._child, self._sibling, self._doubt = codes
        self._names = names  # of labels, then of tags
        super().__init__(words, tags, known, features, self._at["begin"], self._at["end"])

    def __getitem__(self, value: str) -> str:
        at = self._at
        match value:
            case "child":
                return self._label(self._child)
            case "sibling":
                return self._label(self._sibling)
            case "doubt":
                return str(self._doubt)
            case "side":
                return SIDES[self._side()]
            case "distance":
                side = self._side()
                before = at["head"] - at["child.end"] + 1
                return str((0, before, at["child"] - at["head"])[side])
            case "child.length":
                return str(at["child.end"] - at["child"] if at["child"] >= 0 else 0)
            case "sibling.length":
                return str(at["between"] - at["sibling"] if at["sibling"] >= 0 else 0)
            case "before":
                return str(at["head"] - at["begin"] + 1)
            case "after":
                return str(at["end"] - at["head"])
        return super().__getitem__(value)

    def _side(self) -> int:
        head, of_child = self._at["head"], self._at["child.head"]
        return 0 if of_child == head else 1 if of_child < head else 2

    def _label(self, code: int) -> str:
        return self._names[code - 1] if code > 0 else "_NONE"

    def _place(self, name: str) -> int | None:
        anchor, offset = PLACES[name]
        at = self._at[anchor]
        return None if at < 0 else at + offset
