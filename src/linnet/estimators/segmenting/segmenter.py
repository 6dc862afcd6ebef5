"""A segmenter: running text in, sentences of tokens and words out, as a treebank cuts them.

A chain over the characters that are no blanks says of each whether it is within a token, begins one, or
begins a sentence; and where the words of a token that is several begin. Words that do not join to their
token, as in *zum*, are those of a table of such. What rules would say is one of the features of a
character, and all there is where a treebank shows too little.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

import linnet._core as _core
from linnet._memory import trim
from linnet.data import LabelColumn, Sequences
from linnet.data.multiword import MultiwordSplits
from linnet.data.sequences import UNSAID, Aside, token_strings
from linnet.data.surface import Surface, paragraphs, said_of_blanks
from linnet.errors import DataError
from linnet.estimators.tagging.tagger import Tagger
from linnet.features import TokenFeatures
from linnet.features.characters import TEMPLATES, Characters

# Within a word; begins a token, a sentence; the same where the table tells the words; begins a word.
LABELS = ("I", "B", "S", "M", "N", "W")
WITHIN, TOKEN, SENTENCE, LISTED, SENTENCE_LISTED, WORD = range(6)
GOING_ON = (WITHIN, WORD)  # the token before
TUNED = 200  # sentences of which some are held out to see how willingly new ones should begin
HELD_OUT = 500  # so many sentences tell that
FOLDS = 4  # which are a few of so many folds
NEARLY = 0.99  # of the best F1; of all that have so much the most willing, since new text is less sure
WILLING = tuple(k / 4 for k in range(13))
FEWEST = 50  # sentences that are learnt from; with fewer, rules cut
TOGETHER = 10  # sentences of a text where a treebank does not tell its paragraphs
PUNCTUATED = 0.01  # of tokens: with more and no ``SpaceAfter=No``, blanks are not told
PARAGRAPH = re.compile(r"\s*\n[^\S\n]*\n\s*")
Codes = NDArray[np.int32]


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
        texts, labels = training_texts(sentences, tokens)
        characters = Characters.of(texts)
        blanks_within = bool((characters.gaps & np.isin(labels, GOING_ON)).any())
        data = characters.sequences(texts)
        data = replace(data, labels=LabelColumn(list(LABELS), labels))
        tagger = Tagger(TokenFeatures(templates=TEMPLATES), diagnostics=False, legal=None, **settings)
        more = willingness(tagger, data) if len(sentences) >= TUNED else 0.0
        trim()
        forms = token_strings(sentences.columns["form"])
        several = [
            (tokens.forms[t], forms[tokens.starts[t] : tokens.starts[t + 1]])
            for t in np.flatnonzero(tokens.multiword).tolist()
        ]
        listed = [(form, words) for form, words in several if "".join(words) != form]
        fitted = towards_sentences(tagger.fit(data), more)
        return cls(fitted, MultiwordSplits.learnt(listed), blanks_within)

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


def willingness(tagger: Tagger, data: Sequences) -> float:
    """How much more than its due a new sentence should score, for the best F1 on texts held out.

    Where text has no marks between sentences, none of them is likely at any place, and the best labels
    would have far too few.
    """
    assert data.labels is not None
    fold = (
        np.arange(len(data)) * FOLDS // len(data)
    )  # texts in a row, so that others are of other things
    sentences = len(_sentence_spans(data.labels, data.offsets))
    folds = min(FOLDS, math.ceil(FOLDS * HELD_OUT / sentences))
    agreed = np.zeros((folds, len(WILLING), 2))  # sentences found, and half of those told and wanted
    for k in range(folds):
        out = data.take(np.flatnonzero(fold == k))
        fitted = tagger.__sklearn_clone__().fit_for_tags(data.take(np.flatnonzero(fold != k)))
        assert out.labels is not None
        wanted = _sentence_spans(out.labels, out.offsets)
        rows = fitted.features_.rows(out, fitted._threads())
        for j, more in enumerate(WILLING):
            model = towards_sentences(fitted, more).model_
            codes, _ = model.best(rows, out.offsets, threads=fitted._threads())
            found = _sentence_spans(LabelColumn(fitted.classes_.tolist(), codes), out.offsets)
            agreed[k, j] = len(wanted & found), (len(wanted) + len(found)) / 2
    right, half = agreed.sum(axis=0).T
    f1 = right / half
    return max(more for more, score in zip(WILLING, f1, strict=True) if score >= NEARLY * f1.max())


def towards_sentences(tagger: Any, more: float) -> Any:
    """The same tagger, which says so much more readily that a sentence begins."""
    moved = tagger._with_fitted()
    begins = np.isin(tagger.classes_, [LABELS[SENTENCE], LABELS[SENTENCE_LISTED]])
    transitions = (tagger.model_.transitions + more * begins).astype(np.float32)
    moved.model_ = replace(tagger.model_, transitions=transitions)
    return moved


def _sentence_spans(labels: LabelColumn, offsets: NDArray[np.int64]) -> set[tuple[int, int]]:
    """First characters of sentences, each with that of the next; texts begin with one."""
    codes = [
        k for k, name in enumerate(labels.names) if LABELS.index(name) in (SENTENCE, SENTENCE_LISTED)
    ]
    begins = np.isin(labels.codes, codes)
    begins[offsets[:-1]] = True
    at = [*np.flatnonzero(begins).tolist(), len(begins)]
    return set(pairwise(at))


def why_rules(sentences: Sequences, tokens: Surface) -> str | None:
    """What speaks against learning from a treebank; None: nothing."""
    for t, form in enumerate(tokens.forms):
        if not form.strip():
            raise DataError(
                f"{sentences.where(int(tokens.starts[t]))}: the form is empty; a token has characters"
            )
    if len(sentences) < FEWEST:
        return f"rules, since there are fewer than {FEWEST} sentences to learn from"
    if any(not after for after in tokens.blanks()):
        return None
    marks = sum(not any(c.isalnum() for c in form) for form in tokens.forms)
    if marks > PUNCTUATED * len(tokens):
        return "rules, since the data do not tell which words have no blank between (SpaceAfter=No)"
    return None


def training_texts(sentences: Sequences, tokens: Surface) -> tuple[list[str], Codes]:
    """Paragraphs as they stood in the text, and a label for each of their characters but blanks."""
    begins = paragraphs(sentences)
    if not begins.any():
        begins[::TOGETHER] = True
    blanks, texts, pieces = tokens.blanks(), list[str](), list[str]()
    forms = token_strings(sentences.columns["form"])
    labels: list[int] = []
    for i, (begin, end) in enumerate(pairwise(tokens.offsets.tolist())):
        if begins[i] and pieces:
            texts.append("".join(pieces))
            pieces = []
        for t in range(begin, end):
            form = tokens.forms[t]
            pieces += form, blanks[t]
            words = forms[tokens.starts[t] : tokens.starts[t + 1]] if tokens.multiword[t] else [form]
            joined = "".join(words) == form
            labels.append((TOKEN if joined else LISTED) + (t == begin))
            if joined:
                for word in words:
                    labels += [*[WITHIN] * (_size(word) - 1), WORD]
                labels.pop()
            else:
                labels += [WITHIN] * (_size(form) - 1)
    return [*texts, "".join(pieces)], np.array(labels, np.int32)


def _size(form: str) -> int:
    """Characters that are no blanks."""
    return len(form) if form.isalnum() else len("".join(form.split()))


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
