"""What a second look sees of trees: phrases and heads, neighbours among children, head and child.

Three kinds of pieces have templates of their own, in the language of `linnet.features.span_templates`:

    phrase   first, last, head; length, tags, single, several, count3(CC), before and after (words up to
             the head, and from it on), doubt (how improbable the first look found it)
    pair     between (the first word after the first of two neighbours), sibling.first, sibling.head,
             child.first, child.last, child.head; labels sibling and child, sibling.length, child.length
    child    head, child.first, child.last, child.head; label child, side, distance, child.length

At either end of a phrase there is no sibling, or no child; templates see that, too. Labels of children
are those that a parent sees: the outermost of a chain, or the tag of a word.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Self

import linnet._core as _core
from linnet._params import Params, strings, whole
from linnet.data.bracket_chains import Chain
from linnet.errors import DataError
from linnet.features.span_recipes import CHILDREN, HEADED, PAIRS
from linnet.features.span_templates import FIRST, LAST, SPANS, Language, ParsedSpans, parse_spans

HEAD = {"head": ("head", 0)}
CHILD = {"child.first": ("child", 0), "child.last": ("child.end", -1), "child.head": ("child.head", 0)}
SIBLING = {"sibling.first": ("sibling", 0), "sibling.head": ("sibling.head", 0)}
PHRASE_LANGUAGE = Language(
    FIRST | LAST | HEAD,
    (*SPANS.values, "before", "after", "doubt"),
    True,
    f"{SPANS.such_as}, head.tag, before, after or doubt",
)
PAIR_LANGUAGE = Language(
    CHILD | SIBLING | {"between": ("between", 0)},
    ("sibling", "child", "sibling.length", "child.length"),
    False,
    "sibling, child, between.tag[-1], sibling.head.tag, child.first.word or child.length",
)
CHILD_LANGUAGE = Language(
    HEAD | CHILD,
    ("child", "side", "distance", "child.length"),
    False,
    "child, side, distance, head.tag, child.head.word, child.last.tag[+1] or child.length",
)
MOST_BITS = 26


class ForestFeatures(Params):
    """Features of the pieces of trees, numbered by their hash.

    ``phrase``, ``pair`` and ``child`` are templates, one to a line or list item, or 'auto'. There are
    2 ** ``hash_bits`` weights, which features may share.
    """

    def __init__(
        self,
        *,
        phrase: str | Sequence[str] = "auto",
        pair: str | Sequence[str] = "auto",
        child: str | Sequence[str] = "auto",
        hash_bits: int = 22,
    ) -> None:
        self.phrase = phrase
        self.pair = pair
        self.child = child
        self.hash_bits = hash_bits

    def compiled(
        self, sets: Sequence[tuple[str, ...]]
    ) -> tuple[_core.ForestTemplates, tuple[tuple[str, ...], ...]]:
        """Templates for the core, and the sets of tags that they count; ``sets`` have numbers."""
        if whole("hash_bits", self.hash_bits, 8) > MOST_BITS:
            raise ValueError(f"hash_bits must be 8 to {MOST_BITS}, not {self.hash_bits!r}")
        kinds = self.parsed(sets)
        phrase, pair, child = (
            [(each.name, list(each.atoms)) for each in kind.templates] for kind in kinds
        )
        if not (phrase or pair or child):
            raise ValueError("templates: there are none")
        counted = kinds[0].sets
        return _core.ForestTemplates(phrase, pair, child, len(counted), self.hash_bits), counted

    def parsed(self, sets: Sequence[tuple[str, ...]] = ()) -> tuple[ParsedSpans, ...]:
        """Templates of phrases, pairs and children."""
        return (
            parse_spans(_lines(self.phrase, HEADED), PHRASE_LANGUAGE, sets),
            parse_spans(_lines(self.pair, PAIRS), PAIR_LANGUAGE),
            parse_spans(_lines(self.child, CHILDREN), CHILD_LANGUAGE),
        )

    @property
    def n_weights(self) -> int:
        """Places in the table."""
        return 1 << self.hash_bits

    def spec(self) -> dict[str, Any]:
        """Settings as JSON."""
        given = self.get_params(deep=False)
        listed = {
            name: value if isinstance(value, str) else strings(name, value)
            for name, value in given.items()
            if name != "hash_bits"
        }
        return given | listed

    @classmethod
    def from_spec(cls, spec: Any) -> Self:
        """The inverse."""
        if not isinstance(spec, dict):
            raise DataError("its features of a second look are no settings")
        try:
            made = cls(**spec)
            made.compiled(())
        except (TypeError, ValueError) as error:
            raise DataError(f"its features of a second look: {error}") from None
        return made


def label_names(chains: Sequence[Chain]) -> list[str]:
    """The labels that chains consist of, in the order of their codes."""
    return sorted({name for chain in chains for name in chain})


def label_codes(chains: Sequence[Chain]) -> _core.LabelCodes:
    """What chains consist of, for the core."""
    code = {name: k for k, name in enumerate(label_names(chains))}
    return _core.LabelCodes([[code[name] for name in chain] for chain in chains], len(code))


def _lines(given: str | Sequence[str], recipe: str) -> list[str]:
    if not isinstance(given, str):
        return list(given)
    return (recipe if given == "auto" else given).splitlines()
