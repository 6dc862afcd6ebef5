"""A segmenter: running text in, sentences of tokens and words out, as a treebank cuts them.

A chain over the characters that are no blanks says of each whether it is within a token, begins one, or
begins a sentence; and where the words of a token that is several begin. Words that do not join to their
token, as in *zum*, are those of a table of such. What rules would say is one of the features of a
character, and all there is where a treebank shows too little.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

import linnet._core as _core
from linnet._memory import trim
from linnet.data import Sequences
from linnet.data.multiword import MultiwordSplits
from linnet.data.sequences import UNSAID, Aside, token_strings
from linnet.data.surface import Surface, said_of_blanks
from linnet.errors import DataError
from linnet.estimators.segmenting.learning import (
    GOING_ON,
    LABELS,
    LISTED,
    SENTENCE,
    SENTENCE_LISTED,
    TOKEN,
    TUNED,
    WITHIN,
    WORD,
    Codes,
    Labelled,
    character_tagger,
    fit_pieces,
    towards_sentences,
    why_rules,
    willingness,
)
from linnet.features.characters import Characters

PARAGRAPH = re.compile(r"\s*\n[^\S\n]*\n\s*")


class Segmenter:
    """Texts into sentences, by a `Tagger` of characters and a table of multiword tokens.

    Unless the treebank shows blanks within tokens, each blank ends one, whatever the characters.
    """

    def __init__(self, tagger: Any, splits: MultiwordSplits, blanks_within: bool = True) -> None:
        if sorted(tagger.classes_.tolist()) != sorted({*tagger.classes_.tolist()} & {*LABELS}):
            raise DataError(f"a segmenter's labels are {', '.join(LABELS)}")
        self.tagger, self.splits, self.blanks_within = tagger, splits, blanks_within

    @classmethod
    def learnt(cls, sentences: Sequences, settings: dict[str, Any]) -> Segmenter | str:
        """From sentences in CoNLL-U; or why their text is better cut by rules."""
        tokens = Surface.of(sentences)
        reason = why_rules(sentences, tokens)
        if reason is not None:
            return reason
        labelled = Labelled.of(sentences, tokens)
        tagger = character_tagger(settings, labelled.data.tokens)
        more = willingness(tagger, labelled) if len(sentences) >= TUNED else 0.0
        trim()
        forms = token_strings(sentences.columns["form"])
        several = [
            (tokens.forms[t], forms[tokens.starts[t] : tokens.starts[t + 1]])
            for t in np.flatnonzero(tokens.multiword).tolist()
        ]
        listed = [(form, words) for form, words in several if "".join(words) != form]
        fitted = towards_sentences(fit_pieces(tagger, labelled.data), more)
        return cls(fitted, MultiwordSplits.learnt(listed), labelled.blanks_within)

    def segment(self, texts: Sequence[str], by_text: bool = False) -> Sequences:
        """Sentences with forms, MISC, comments, multiword tokens; words know their characters.

        With ``by_text`` each text is one sentence, and is only cut into words.
        """
        parts, first_part = [], [0]
        for text in texts:
            found = [] if by_text else [match.end() for match in PARAGRAPH.finditer(text)]
            ends = [end for end in found if end < len(text)]
            parts += [text[b:e] for b, e in pairwise([0, *ends, len(text)])]
            first_part.append(len(parts))
        characters = Characters.of(parts)
        codes = self._labels(characters, parts, by_text)
        return _Cut("".join(texts), characters, codes, np.array(first_part), self.splits).sequences(
            texts
        )

    def packed(self, bits: int = 8) -> Segmenter:
        """The same in a few bits."""
        if self.tagger.model_.states.scales is not None:
            return self
        return Segmenter(self.tagger.quantize(bits), self.splits, self.blanks_within)

    def _labels(self, characters: Characters, parts: Sequence[str], by_text: bool) -> Codes:
        if not len(characters.places):
            return np.zeros(0, np.int32)
        found = self.tagger.tag(characters.sequences(parts))
        codes: Codes = np.array([LABELS.index(name) for name in found.names], np.int32)[found.codes]
        if not self.blanks_within:
            codes[characters.gaps & np.isin(codes, GOING_ON)] = TOKEN
        if by_text:
            codes -= np.isin(codes, (SENTENCE, SENTENCE_LISTED))
        at = characters.offsets[:-1][np.diff(characters.offsets) > 0]  # a text begins with a sentence
        listed = np.isin(codes[at], (LISTED, SENTENCE_LISTED))
        codes[at] = np.where(listed, SENTENCE_LISTED, SENTENCE)
        return codes


class _Cut:
    """Texts that were cut: labels of characters become tokens, words and sentences."""

    def __init__(
        self,
        joined: str,
        characters: Characters,
        codes: Codes,
        first_part: NDArray[np.int64],
        splits: MultiwordSplits,
    ) -> None:
        self._joined, self._splits = joined, splits
        items = np.flatnonzero((codes != WITHIN) & (codes != WORD))
        self._word_begins = characters.places[codes == WORD]
        last = np.append(items[1:], len(codes)) - 1
        self._codes = codes[items]
        self._begins = characters.places[items]
        self._ends = characters.places[last[: len(items)]] + 1
        self._text_starts = characters.starts[first_part]
        self._text = np.searchsorted(self._text_starts, self._begins, side="right") - 1
        part = np.searchsorted(characters.starts, self._begins, side="right")
        several = np.diff(first_part) > 1  # a text that is one paragraph has nothing to tell of it
        self._new_part = (np.diff(part, prepend=-1) != 0) & several[self._text]
        self._sentence = np.isin(self._codes, (SENTENCE, SENTENCE_LISTED))

    def sequences(self, texts: Sequence[str]) -> Sequences:
        forms, misc = self._forms(), self._misc()
        counts = np.ones(len(forms), np.int64)
        words = list(forms)
        several = self._several(forms)
        counts[list(several)] = [len(made) for made in several.values()]
        word_misc = misc
        if several:
            words = [w for t, form in enumerate(forms) for w in several.get(t, (form,))]
            word_misc = [
                m
                for t, cell in enumerate(misc)
                for m in ([UNSAID] * counts[t] if t in several else (cell,))
            ]
        starts = np.append(0, np.cumsum(counts))
        at = np.flatnonzero(self._sentence)
        offsets = np.append(starts[at], starts[-1]) if len(at) else np.zeros(1, np.int64)
        inside = (
            self._begins - self._text_starts[self._text],
            self._ends - self._text_starts[self._text],
        )
        spans = np.repeat(np.stack(inside, axis=1).reshape(-1, 2), counts, axis=0)
        column = _core.Texts.from_list([_valid(word) for word in words])
        return Sequences(
            {"form": column, "word": column, "misc": _core.Texts.from_list(word_misc)},
            offsets,
            spans=spans,
            texts=_core.Texts.from_list([_valid(text) for text in texts]),
            documents=self._text[at],
            aside=self._aside(at, starts, offsets, several, forms, misc),
        )

    def _several(self, forms: list[str]) -> dict[int, list[str]]:
        """The words of multiword tokens: of the table, or as the characters are labelled."""
        found: dict[int, list[str]] = {}
        cuts: dict[int, list[int]] = {}
        inside = np.searchsorted(self._begins, self._word_begins, side="right") - 1
        for t, at in zip(inside.tolist(), self._word_begins.tolist(), strict=True):
            cuts.setdefault(t, [int(self._begins[t])]).append(at)
        for t, at in cuts.items():
            pieces = pairwise([*at, int(self._ends[t])])
            found[t] = [" ".join(self._joined[b:e].split()) for b, e in pieces]
        for t in np.flatnonzero(np.isin(self._codes, (LISTED, SENTENCE_LISTED))).tolist():
            made = self._splits.words(forms[t])
            if made is not None and len(made) > 1:
                found[t] = made
        return found

    def _forms(self) -> list[str]:
        pairs = zip(self._begins.tolist(), self._ends.tolist(), strict=True)
        forms = [self._joined[b:e] for b, e in pairs]
        return [form if form.isalnum() else " ".join(form.split()) for form in forms]

    def _misc(self) -> list[str]:
        """Blanks after each token, before the first of a text, and within it."""
        joined, limit = self._joined, self._text_starts[1:][self._text]
        after = np.minimum(np.append(self._begins[1:], len(joined)), limit)
        first = np.diff(self._text, prepend=-1) != 0
        before = np.where(first, self._text_starts[:-1][self._text], self._begins)
        rows = zip(
            before.tolist(), self._begins.tolist(), self._ends.tolist(), after.tolist(), strict=True
        )
        told = []
        for lead, begin, end, stop in rows:
            form = joined[begin:end]
            within = None if form.isalnum() or " ".join(form.split()) == form else form
            told.append(said_of_blanks(joined[end:stop], joined[lead:begin], within))
        return told

    def _aside(
        self,
        at: NDArray[np.int64],
        starts: NDArray[np.int64],
        offsets: NDArray[np.int64],
        several: dict[int, list[str]],
        forms: list[str],
        misc: list[str],
    ) -> Aside:
        """Comments of each sentence, and the lines of its multiword tokens."""
        lines, places, counts = list[str](), list[int](), list[int]()
        ends = np.append(at, len(forms))[1:].tolist()
        of_words = sorted(several)
        k = 0
        for i, (begin, end) in enumerate(zip(at.tolist(), ends, strict=True)):
            before = len(lines)
            if self._new_part[begin]:
                lines.append("# newpar")
            piece = self._joined[int(self._begins[begin]) : int(self._ends[end - 1])]
            lines.append("# text = " + _valid(" ".join(piece.split())))
            places += [0] * (len(lines) - before)
            while k < len(of_words) and of_words[k] < end:
                t = of_words[k]
                first = int(starts[t] - offsets[i])
                number = f"{first + 1}-{first + len(several[t])}"
                lines.append("\t".join([number, _valid(forms[t]), *[UNSAID] * 7, misc[t]]))
                places.append(first)
                k += 1
            counts.append(len(lines) - before)
        return Aside(
            _core.Texts.from_list(lines),
            np.array(places, np.int64),
            np.cumsum([0, *counts], dtype=np.int64),
        )


def _valid(text: str) -> str:
    """Lone surrogates have no bytes in UTF-8."""
    return text if text.isascii() else text.encode(errors="replace").decode()
