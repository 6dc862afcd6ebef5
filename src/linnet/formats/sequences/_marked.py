"""Texts with spans of characters become sentences of words with tags.

Texts are cut into sentences and words; a span that begins or ends inside a word is widened to whole
words, and the first one is told. No sentence ends inside a span. Tags are IOB2.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

import linnet._core as _core
from linnet.data.chunks import Chunks, write_chunks
from linnet.data.label_names import WRONG_END, ends_wrong
from linnet.data.sequences import Sequences
from linnet.errors import DataError
from linnet.formats._json import shown
from linnet.formats._source import counted

Places = NDArray[np.int64]
Error = Callable[[int, str], DataError]  # complains of the line of text i
Span = tuple[int, int, str]  # first character, the one after the last, type


@dataclass(frozen=True)
class Marked:
    """Texts, the spans of each (None: nobody has marked any), and the words if they are given."""

    texts: list[str]
    spans: list[list[Span]] | None
    words: list[Places] | None = None  # (words, 2) of each text: first character, and after the last


class Cut(NamedTuple):
    """Words of texts: their places, and sentences of them."""

    words: _core.Texts
    places: Places  # (words, 2)
    offsets: Places  # of sentences
    documents: Places  # per sentence: its text


def sequences_of(
    marked: Marked,
    numbers: Places,
    error: Error,
    source: str,
    *,
    english: bool = True,
    weights: NDArray[np.float64] | None = None,
) -> Sequences:
    """``numbers`` are the lines on which texts stand, ``weights`` those of texts."""
    texts = _core.Texts.from_list(marked.texts)
    cut = Cut(*_core.split_texts(texts, english)[:4])
    if marked.words is not None:
        cut = _as_given(marked, cut)
    offsets, documents = cut.offsets, cut.documents
    notes: list[str] = []
    tags = None
    if marked.spans is not None:
        chunks, notes = _in_words(marked, cut, error, source, numbers)
        offsets, documents = _join(offsets, documents, chunks)
        tags = write_chunks(chunks, offsets, "iob2")
    return Sequences(
        {"word": cut.words},
        offsets,
        tags,
        None if weights is None else weights[documents],
        spans=cut.places,
        texts=texts,
        documents=documents,
        lines=numbers[np.repeat(documents, np.diff(offsets))],
        source=source,
        notes=tuple(notes),
        layout=("word",),
    )


def _as_given(marked: Marked, cut: Cut) -> Cut:
    """The words that the file has, in the sentences that the text is cut into."""
    assert marked.words is not None
    places = np.concatenate([np.zeros((0, 2), np.int64), *marked.words])
    of_text = np.repeat(np.arange(len(marked.words)), [len(part) for part in marked.words])
    starts = cut.places[cut.offsets[:-1], 0]  # of sentences
    longest = max((len(text) for text in marked.texts), default=0) + 1
    at = of_text * longest + places[:, 0]  # places in all texts, one after the other
    sentence = np.searchsorted(cut.documents * longest + starts, at, side="right")
    new = np.ones(len(places), np.bool_)
    new[1:] = (np.diff(of_text) > 0) | (np.diff(sentence) > 0)
    begins = np.flatnonzero(new)
    words = [marked.texts[k][b:e] for k, (b, e) in zip(of_text.tolist(), places.tolist(), strict=True)]
    return Cut(_core.Texts.from_list(words), places, np.append(begins, len(places)), of_text[begins])


def _in_words(
    marked: Marked, cut: Cut, error: Error, source: str, numbers: Places
) -> tuple[Chunks, list[str]]:
    """Spans of all words, and what to tell of those that were widened."""
    assert marked.spans is not None
    spans = [(i, *span) for i, given in enumerate(marked.spans) for span in given]
    of_text, begins, ends = np.array([span[:3] for span in spans], np.int64).reshape(-1, 3).T
    names = sorted({kind for *_, kind in spans})
    code = {name: k for k, name in enumerate(names)}
    # Texts one after the other: a place in text i is i · size further.
    size = max(map(len, marked.texts), default=0) + 1
    words = cut.places + np.repeat(cut.documents, np.diff(cut.offsets))[:, None] * size
    first = np.searchsorted(words[:, 1], of_text * size + begins, side="right")
    last = np.searchsorted(words[:, 0], of_text * size + ends, side="left")
    for k in np.flatnonzero(first >= last)[:1].tolist():
        i, *span = spans[k]
        raise error(i, f"the span {span} holds no word")
    for k in np.flatnonzero(first[1:] < last[:-1])[:1].tolist():
        i, *span = spans[k + 1]
        word = int(first[k + 1] - np.searchsorted(words[:, 0], i * size)) + 1
        raise error(i, f"the spans before and at {span} share a word, {word}")
    starts, stops = cut.places[first, 0], cut.places[last - 1, 1]
    wide = np.flatnonzero((starts < begins) | (ends < stops))
    notes: list[str] = []
    for k in wide[:1].tolist():
        i, b, e, kind = spans[k]
        text, whole = marked.texts[i], slice(int(starts[k]), int(stops[k]))
        notes.append(
            f"{source}: {len(wide)} spans are widened to whole words; first line {numbers[i]}, "
            f"[{b}, {e}, {kind!r}]: {text[b:e]!r:.40} becomes {text[whole]!r:.40}"
        )
    kinds = np.fromiter((code[kind] for *_, kind in spans), np.int64, len(spans))
    return Chunks(first, last, kinds, names), notes


def _join(offsets: Places, documents: Places, chunks: Chunks) -> tuple[Places, Places]:
    """Sentences without ends inside a span."""
    inner = offsets[1:-1]
    at = np.searchsorted(chunks.begins, inner, side="left") - 1  # the span that begins before
    cut = (at >= 0) & (chunks.ends[at] > inner) if len(chunks) else np.zeros(len(inner), np.bool_)
    kept = np.concatenate([[True], ~cut]) if len(documents) else np.zeros(0, np.bool_)
    return np.append(offsets[:-1][kept], offsets[-1]), documents[kept]


def checked_spans(given: Sequence[Sequence[Any]], text: str, i: int, error: Error) -> list[Span]:
    """[begin, end, type] as they should be, in their order; none may overlap another."""
    spans = sorted(_checked(span, len(text), i, error) for span in given)
    for (b, e, kind), (after, end, other) in pairwise(spans):
        if after < e:
            raise error(
                i,
                f"spans overlap: [{b}, {e}, {kind!r}] and [{after}, {end}, {other!r}]; a word has one "
                f"tag, so keep one of them",
            )
    return spans


def _checked(span: Sequence[Any], size: int, i: int, error: Error) -> Span:
    good = (
        len(span) == 3
        and all(isinstance(part, int) and not isinstance(part, bool) for part in span[:2])
        and isinstance(span[2], str)
        and bool(span[2])
    )
    if not good:
        raise error(i, f"a span is {shown(list(span), 60)}; [begin, end, type] is wanted")
    if ends_wrong(span[2]):
        raise error(i, f"the type {span[2]!r:.80} {WRONG_END}")
    if not 0 <= span[0] < span[1] <= size:
        raise error(
            i, f"the span [{span[0]}, {span[1]}] does not lie in a text of {counted(size, 'character')}"
        )
    return span[0], span[1], span[2]
