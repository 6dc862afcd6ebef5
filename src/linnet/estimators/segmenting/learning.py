"""What a segmenter learns from: the texts of a treebank with a label for each character.

One of four texts is there once more in lower case where sentences begin with capitals: who writes
without them is rarely in a treebank and often in the world. Chains are cut into pieces where tokens
begin, since steps of the learner are surer on many short chains; what is seen of a character is seen
in the whole text.
"""

from __future__ import annotations

import math
import warnings
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from linnet.data import LabelColumn, Sequences
from linnet.data.matrix import CsrRows
from linnet.data.sequences import token_strings
from linnet.data.surface import Surface, paragraphs
from linnet.errors import DataError, TrainingWarning
from linnet.estimators.tagging.tagger import Tagger
from linnet.features import TokenFeatures
from linnet.features.characters import TEMPLATES, Characters
from linnet.features.compiled import Sentences

# Within a word; begins a token, a sentence; the same where the table tells the words; begins a word.
LABELS = ("I", "B", "S", "M", "N", "W")
WITHIN, TOKEN, SENTENCE, LISTED, SENTENCE_LISTED, WORD = range(6)
GOING_ON = (WITHIN, WORD)  # the token before
TUNED = 200  # sentences of which some are held out to see how willingly new ones should begin
HELD_OUT = 500  # so many sentences tell that
FOLDS = 4  # which are a few of so many folds
NEARLY = 0.995  # of the best F1; of all that have so much the most willing, since new text is less sure
WILLING = tuple(k / 4 for k in range(13))
FEWEST = 50  # sentences that are learnt from; with fewer, rules cut
TOGETHER = 10  # sentences of a text where a treebank does not tell its paragraphs
PUNCTUATED = 0.01  # of tokens: with more and no ``SpaceAfter=No``, blanks are not told
LOWERED = 4  # one of so many texts is there in lower case, too
PIECE = 100  # characters of a chain that is learnt from
PASSES = 10
MANY = 500_000  # characters of which half as many passes see enough
Codes = NDArray[np.int32]


@dataclass(frozen=True)
class Labelled:
    """Texts, a label for each of their characters but blanks, and which text each is a copy of."""

    data: Sequences
    originals: int  # texts that are no copies; they come first
    source: NDArray[np.int64]
    blanks_within: bool  # are there tokens with blanks?

    @classmethod
    def of(cls, sentences: Sequences, tokens: Surface) -> Labelled:
        """The texts of a treebank, and some of them in lower case."""
        texts, labels = training_texts(sentences, tokens)
        source = [*range(len(texts))]
        if begin_with_capitals(tokens):
            source += range(LOWERED - 1, len(texts), LOWERED)
        copies = [in_lower_case(texts[i]) for i in source[len(texts) :]]
        starts = np.cumsum([0, *map(_size, texts)])
        labels = np.concatenate(
            [labels, *(labels[starts[i] : starts[i + 1]] for i in source[len(texts) :])]
        )
        all_texts = [*texts, *copies]
        characters = Characters.of(all_texts)
        within = bool((characters.gaps & np.isin(labels, GOING_ON)).any())
        data = replace(characters.sequences(all_texts), labels=LabelColumn(list(LABELS), labels))
        return cls(data, len(texts), np.array(source, np.int64), within)


class SeenWhole(TokenFeatures):
    """Learnt from pieces of texts, of whose characters is seen what they have in the whole text."""

    def fit_rows(self, sequences: Sentences, threads: int = 1, names: bool | None = True) -> CsrRows:
        """Of pieces that know their texts."""
        return super().fit_rows(_whole(sequences), threads, names)

    def name(self, sequences: Sentences) -> None:
        """Of the same pieces."""
        super().name(_whole(sequences))


def _whole(sequences: Sentences) -> Sentences:
    """The texts whose pieces these are."""
    if not isinstance(sequences, Sequences) or sequences.documents is None:
        return sequences
    first = np.flatnonzero(np.diff(sequences.documents, prepend=-1))
    offsets = np.append(sequences.offsets[first], sequences.tokens)
    return replace(sequences, offsets=offsets, documents=None)


def character_tagger(settings: dict[str, Any], characters: int) -> Tagger:
    """What learns the labels of so many characters."""
    return Tagger(
        SeenWhole(templates=TEMPLATES),
        max_iter=PASSES if characters < MANY else PASSES // 2,
        diagnostics=False,
        legal=None,
        **settings,
    )


def fit_pieces(tagger: Tagger, data: Sequences) -> Tagger:
    """Learn from whole texts, of which each is several chains."""
    with warnings.catch_warnings():
        warnings.filterwarnings(
            "ignore", ".*has not converged", TrainingWarning
        )  # few passes are meant
        fitted = tagger.fit(in_pieces(data))._with_fitted()
    seen = fitted.features_  # of a tagger like any other from here on, as files know it
    fitted.features = TokenFeatures(**seen.get_params(deep=False))
    fitted.features_ = TokenFeatures.from_parts(seen.spec(), seen.tensors())
    return fitted


def in_pieces(data: Sequences) -> Sequences:
    """Texts cut into chains of about `PIECE` characters, each of which begins with a token."""
    assert data.labels is not None
    begins = np.flatnonzero(~np.isin(data.labels.codes, GOING_ON))
    text = np.searchsorted(data.offsets, begins, side="right") - 1
    piece = (begins - data.offsets[text]) // PIECE
    new = np.flatnonzero((np.diff(text, prepend=-1) != 0) | (np.diff(piece, prepend=-1) != 0))
    starts = np.unique(np.append(data.offsets[:-1], begins[new]))
    documents = np.searchsorted(data.offsets, starts, side="right") - 1
    return replace(data, offsets=np.append(starts, data.tokens), documents=documents)


def begin_with_capitals(tokens: Surface) -> bool:
    """Do most sentences begin so, of those that begin with a letter of a case?"""
    firsts = [tokens.forms[b][:1] for b, e in pairwise(tokens.offsets.tolist()) if b < e]
    upper: int = sum(c.isupper() for c in firsts)
    lower: int = sum(c.islower() for c in firsts)
    return upper > lower


def in_lower_case(text: str) -> str:
    """Of as many characters."""
    lower = text.lower()
    if len(lower) == len(text):
        return lower
    return "".join(c.lower() if len(c.lower()) == 1 else c for c in text)


def willingness(tagger: Tagger, labelled: Labelled) -> float:
    """How much more than its due a new sentence should score, for the best F1 on texts held out.

    Where text has no marks between sentences, none of them is likely at any place, and the best labels
    would have far too few.
    """
    data, originals = labelled.data, labelled.originals
    assert data.labels is not None
    # Texts in a row, so that others are of other things.
    fold = np.arange(originals) * FOLDS // originals
    own = data.take(np.arange(originals))
    assert own.labels is not None
    sentences = len(_sentence_spans(own.labels, own.offsets))
    folds = min(FOLDS, math.ceil(FOLDS * HELD_OUT / sentences))
    agreed = np.zeros((folds, len(WILLING), 2))  # sentences found, and half of those told and wanted
    for k in range(folds):
        out = own.take(np.flatnonzero(fold == k))
        seen = data.take(np.flatnonzero(fold[labelled.source] != k))
        fitted = fit_pieces(tagger.__sklearn_clone__(), seen)
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
