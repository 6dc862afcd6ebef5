"""Features of spans of words, that templates describe."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

import linnet._core as _core
from linnet._params import Params, strings, whole
from linnet.data.sequences import Sequences
from linnet.errors import DataError
from linnet.features.span_recipes import SPAN_RECIPES
from linnet.features.span_templates import parse_spans

LONGEST_ENDING = 10
MOST_BITS = 24
Codes = NDArray[np.int32]


class SpanFeatures(Params):
    """Features of spans, numbered by their hash.

    ``templates`` say what is seen of a span: "spans", or templates, one to a line or list item (see
    `linnet.features.span_templates`). There are 2 ** ``hash_bits`` numbers, which features may share. A
    word that was not seen ``min_word`` times is its tag; the class of a word that was not seen
    ``min_class`` times is its longest ending that was.
    """

    def __init__(
        self,
        *,
        templates: str | Sequence[str] = "spans",
        hash_bits: int = 16,
        min_word: int = 2,
        min_class: int = 20,
    ) -> None:
        self.templates = templates
        self.hash_bits = hash_bits
        self.min_word = min_word
        self.min_class = min_class

    def fit(self, sentences: Sequences) -> Self:
        """Words and tags (columns ``word`` and ``pos``) that are told apart."""
        self._check()
        codes, names = sentences.columns["word"].codes()
        counts = dict(zip(names, np.bincount(codes, minlength=len(names)).tolist(), strict=True))
        tags, tag_names = sentences.columns["pos"].codes()
        seen = np.bincount(tags, minlength=len(tag_names))
        endings: Counter[str] = Counter()
        for name, count in counts.items():
            for size in range(1, min(LONGEST_ENDING, len(name)) + 1):
                endings[name[-size:]] += count
        return self._with(
            sorted(name for name, n in zip(tag_names, seen.tolist(), strict=True) if n),
            sorted(name for name, n in counts.items() if n >= self.min_word),
            sorted(name for name, n in counts.items() if n >= self.min_class),
            sorted(name for name, n in endings.items() if n >= self.min_class),
        )

    @property
    def n_features(self) -> int:
        """Numbers of features."""
        return 1 << self.hash_bits

    @property
    def sets(self) -> tuple[tuple[str, ...], ...]:
        """Of tags, that templates count."""
        return self._parsed.sets

    def over(
        self, sentences: Sequences, sets: Sequence[tuple[str, ...]] | None = None
    ) -> _core.PhraseTokens:
        """Sentences with words and tags as numbers, to be scored or made rows of.

        ``sets``: of tags that are counted, where others count more than these templates do.
        """
        codes, names = sentences.columns["pos"].codes()
        place = {name: k for k, name in enumerate(self.tags_)}
        unknown = len(self.tags_)
        tags = _mapped([place.get(name, unknown) for name in names], codes)
        codes, names = sentences.columns["word"].codes()
        number = {name: k for k, name in enumerate(self.words_)}
        words = _mapped([number.get(name, -1) for name in names], codes)
        rare = words < 0
        words[rare] = len(self.words_) + tags[rare]
        classes = _mapped([self._class(name) for name in names], codes)
        offsets = np.ascontiguousarray(sentences.offsets, np.int64)
        return _core.PhraseTokens(
            offsets,
            tags,
            words,
            classes,
            unknown + 1,
            self._members(self.sets if sets is None else sets),
        )

    def rows(self, tokens: _core.PhraseTokens) -> _core.Rows:
        """A row for each span, by begin, then end, computed each time it is read."""
        return _core.span_rows(tokens, self.compiled)

    def names(
        self, sentences: Sequences, tokens: _core.PhraseTokens, sentence: int, begin: int, end: int
    ) -> list[tuple[int, str]]:
        """Number and name of each feature of a span."""
        found = self.compiled.origins(tokens, sentence, begin, end)
        one = sentences.take([sentence])
        words, tags = one.column("word")[0], one.column("pos")[0]
        known = set(self.words_)
        values = SpanValues(words, tags, known, self, begin, end)
        return [
            (row, " ".join(f"{value}={values[value]}" for value in self._parsed.templates[k].values))
            for row, k in found
        ]

    def class_name(self, word: str) -> str:
        """A frequent word, or an ending with a hyphen before it."""
        code = self._class(word)
        if code < len(self.frequent_):
            return self.frequent_[code]
        at = code - len(self.frequent_)
        return f"-{self.endings_[at]}" if at < len(self.endings_) else "-"

    # In a file

    def spec(self) -> dict[str, Any]:
        """Settings as JSON; the rest are strings."""
        return self.get_params(deep=False) | {"templates": self._named_or_listed()}

    def vocabularies(self) -> dict[str, list[str]]:
        """What was seen, by name."""
        return {
            "tags": self.tags_,
            "words": self.words_,
            "frequent": self.frequent_,
            "endings": self.endings_,
        }

    @classmethod
    def from_parts(cls, spec: Any, vocabularies: Mapping[str, list[str]]) -> Self:
        """The inverse."""
        if not isinstance(spec, dict):
            raise DataError("its features are no settings")
        try:
            made = cls(**spec)
            made._check()
        except (TypeError, ValueError) as error:
            raise DataError(f"its features: {error}") from None
        names = ("tags", "words", "frequent", "endings")
        return made._with(*(list(vocabularies[name]) for name in names))

    # Within

    def _check(self) -> None:
        if whole("hash_bits", self.hash_bits, 8) > MOST_BITS:
            raise ValueError(f"hash_bits must be 8 to {MOST_BITS}, not {self.hash_bits!r}")
        whole("min_word", self.min_word)
        whole("min_class", self.min_class)
        self._parsed = parse_spans(self._lines())
        if not self._parsed.templates:
            raise ValueError("templates: there are none")

    def _named_or_listed(self) -> str | list[str]:
        given = self.templates
        return given if isinstance(given, str) else strings("templates", given)

    def _lines(self) -> list[str]:
        if not isinstance(self.templates, str):
            return list(self.templates)
        return SPAN_RECIPES.get(self.templates, self.templates).splitlines()

    def _with(self, tags: list[str], words: list[str], frequent: list[str], endings: list[str]) -> Self:
        self.tags_, self.words_, self.frequent_, self.endings_ = tags, words, frequent, endings
        parsed = self._parsed
        self.compiled = _core.SpanTemplates(
            [(each.name, list(each.atoms)) for each in parsed.templates],
            len(parsed.sets),
            self.hash_bits,
        )
        self._frequent = {name: k for k, name in enumerate(frequent)}
        self._endings = {name: len(frequent) + k for k, name in enumerate(endings)}
        return self

    def _members(self, sets: Sequence[tuple[str, ...]]) -> NDArray[np.uint8]:
        """[set][tag], 1 where the tag is in it; the last tag is any that was not seen."""
        found = np.zeros((len(sets), len(self.tags_) + 1), np.uint8)
        for k, of_set in enumerate(sets):
            found[k] = [*(tag in of_set for tag in self.tags_), False]
        return found.reshape(-1)

    def _class(self, word: str) -> int:
        if (found := self._frequent.get(word)) is not None:
            return found
        for size in range(min(LONGEST_ENDING, len(word)), 0, -1):
            if (found := self._endings.get(word[-size:])) is not None:
                return found
        return len(self.frequent_) + len(self.endings_)

    def __getstate__(self) -> dict[str, Any]:
        """The core's templates are made anew."""
        return {name: value for name, value in self.__dict__.items() if name != "compiled"}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        if "tags_" in state:
            self._with(self.tags_, self.words_, self.frequent_, self.endings_)


def _mapped(table: list[int], codes: NDArray[Any]) -> Codes:
    return np.asarray(np.array([*table, -1], np.int32)[codes])


class SpanValues:
    """What each value of a template is, of one span."""

    def __init__(
        self,
        words: list[str],
        tags: list[str],
        known: set[str],
        features: SpanFeatures,
        begin: int,
        end: int,
    ) -> None:
        self._words, self._tags, self._known = words, tags, known
        self._features, self._begin, self._end = features, begin, end

    def __getitem__(self, value: str) -> str:
        inside = self._tags[self._begin : self._end]
        if value == "length":
            return str(len(inside))
        if value == "tags":
            return " ".join(inside)
        if value in ("single", "several"):
            return "yes"
        if value.startswith("count"):
            most, _, names = value.removeprefix("count").partition("(")
            wanted = names.rstrip(")").split()
            return str(min(int(most), sum(tag in wanted for tag in inside)))
        place, _, rest = value.rpartition(".")
        kind, _, offset = rest.partition("[")
        begin = self._place(place)
        return "_NONE" if begin is None else self._token(kind, begin + int(offset.rstrip("]") or 0))

    def _place(self, name: str) -> int | None:
        return self._begin if name == "first" else self._end - 1

    def _token(self, kind: str, at: int) -> str:
        if not 0 <= at < len(self._words):
            return "_BEFORE" if at < 0 else "_AFTER"
        if kind == "tag":
            return self._tags[at]
        if kind == "class":
            return self._features.class_name(self._words[at])
        return self._words[at] if self._words[at] in self._known else self._tags[at]
