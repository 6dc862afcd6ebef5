"""Sentences of tokens: columns of text, one tag per token, and where each sentence begins."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

import linnet._core as _core
from linnet.data.examples import LabelColumn, take_ragged
from linnet.data.matrix import CsrRows
from linnet.data.texts import CodedTexts, as_texts
from linnet.errors import DataError

Places = NDArray[np.int64]
MISSING = -1  # the code of a token without a tag: partial labelling
BLOCK = 4096  # tokens whose texts are copied at a time
UNSAID = "_"  # what CoNLL-U has where nothing is said
FIRST = 1000  # tokens, of which one tells soon that a column is filled
# Of its columns, those that every word has. In any other, words may have ``_`` by right, beside words
# that have something else: only a column that has it throughout says nothing.
REQUIRED = frozenset({"upos", "head", "deprel"})


def column_names(count: int) -> list[str]:
    """What columns are called that have no names: word, pos, 2, 3, …"""
    return [*("word", "pos")[:count], *map(str, range(2, count))]


@dataclass(frozen=True)
class Aside:
    """Lines of a file that are no tokens and come back on writing: comments, multiword tokens.

    Those of sentence i are ``lines[offsets[i]:offsets[i + 1]]``; each stands before the token
    ``places[k]`` of its sentence, or after the last one.
    """

    lines: _core.Texts
    places: Places
    offsets: Places

    def take(self, sentences: Places) -> Aside:
        at, offsets = take_ragged(np.arange(len(self.places)), self.offsets, sentences)
        return Aside(self.lines.take(at), self.places[at], offsets)


@dataclass(frozen=True)
class Sequences:
    """The sentences of one file, in its order; all their tokens stand one after the other.

    Sentence i is the tokens ``offsets[i]:offsets[i + 1]``. A token is described by its ``columns``,
    by ``attributes`` with values (as in CRFsuite), or by both.
    """

    columns: dict[str, _core.Texts]
    offsets: Places
    labels: LabelColumn | None = None  # one code per token; -1: its tag is missing
    weights: NDArray[np.float64] | None = None  # per sentence
    attributes: CsrRows | None = None  # a row per token
    attribute_names: list[str] | None = None
    spans: Places | None = None  # (tokens, 2): first character and the one after the last
    texts: _core.Texts | None = None  # raw texts, into which spans point
    documents: Places | None = None  # per sentence: which of the texts it is part of
    lines: Places = field(default_factory=lambda: np.zeros(0, np.int64))  # per token, from 1
    source: str = ""
    notes: tuple[str, ...] = ()
    layout: tuple[str, ...] = ()  # all columns of the file in their order; the tag's is not in columns
    aside: Aside | None = None

    def __post_init__(self) -> None:
        offsets = self.offsets
        if len(offsets) == 0 or offsets[0] != 0 or (np.diff(offsets) < 0).any():
            raise DataError("offsets of sentences must begin with 0 and may not decrease")
        if not self.columns and self.attributes is None:
            raise DataError("sentences need columns or attributes")
        for name, size in self._token_parts():
            if size != self.tokens:
                raise DataError(f"the sentences have {self.tokens} tokens, but {name} {size}")
        for name, part in (("weights", self.weights), ("documents", self.documents)):
            if part is not None and len(part) != len(self):
                raise DataError(f"there are {len(self)} sentences, but {len(part)} {name}")

    def _token_parts(self) -> Iterator[tuple[str, int]]:
        yield from ((f"column {name!r} has", len(texts)) for name, texts in self.columns.items())
        for name, part in (
            ("labels are", self.labels),
            ("attributes are", self.attributes),
            ("spans are", self.spans),
            ("lines are", self.lines if len(self.lines) else None),
        ):
            if part is not None:
                yield name, len(part)

    def __len__(self) -> int:
        """How many sentences."""
        return len(self.offsets) - 1

    @property
    def tokens(self) -> int:
        """How many tokens, in all sentences."""
        return int(self.offsets[-1])

    @property
    def lengths(self) -> Places:
        """How many tokens each sentence has."""
        return np.diff(self.offsets)

    def column(self, name: str) -> list[list[str]]:
        """The texts of one column, sentence by sentence."""
        return self.by_sentence(token_strings(self.columns[name]))

    def tags(self) -> list[list[str | None]] | None:
        """The tag of each token, sentence by sentence; None where it is missing."""
        if self.labels is None:
            return None
        names: list[str | None] = [*self.labels.names, None]  # the code -1 finds the last one
        return self.by_sentence([names[code] for code in self.labels.codes.tolist()])

    def where(self, token: int) -> str:
        """What to call the place of a token in messages: file and line, or sentence and word."""
        if len(self.lines):
            return f"{self.source}, line {int(self.lines[token])}"
        sentence = int(np.searchsorted(self.offsets, token, side="right")) - 1
        return f"sentence {sentence + 1}, word {token - int(self.offsets[sentence]) + 1}"

    def by_sentence(self, values: Sequence[Any]) -> list[Any]:
        """One value per token, cut at the ends of sentences."""
        return [values[begin:end] for begin, end in pairwise(self.offsets.tolist())]

    def take(self, places: NDArray[np.integer[Any]] | Sequence[int]) -> Sequences:
        """These sentences, in this order, and the raw texts they are part of."""
        at = np.ascontiguousarray(places, np.int64)
        texts, documents = self.texts, self.documents
        if documents is not None:
            kept, documents = np.unique(documents[at], return_inverse=True)
            texts = None if texts is None else texts.take(kept)
        tokens, offsets = take_ragged(np.arange(self.tokens), self.offsets, at)
        return replace(
            self,
            columns={name: texts.take(tokens) for name, texts in self.columns.items()},
            offsets=offsets,
            labels=None if self.labels is None else self.labels.take(tokens),
            weights=None if self.weights is None else self.weights[at],
            attributes=None if self.attributes is None else self.attributes[tokens],
            spans=None if self.spans is None else self.spans[tokens],
            texts=texts,
            documents=documents,
            lines=self.lines[tokens] if len(self.lines) else self.lines,
            aside=None if self.aside is None else self.aside.take(at),
        )

    @classmethod
    def from_texts(
        cls,
        texts: Any,
        english: bool = True,
        first_lines: Places | None = None,
        source: str = "",
        word: str = "word",
    ) -> Sequences:
        """The sentences and words of running text, cut by rules; ``texts`` as `as_texts` takes them.

        Every word knows its characters (``spans``), every sentence its text (``documents``), of which
        ``first_lines`` are the lines they begin on. ``word`` is what the column of words is called.

        >>> Sequences.from_texts(["A linnet sings. So does a wren."]).column("word")
        [['A', 'linnet', 'sings', '.'], ['So', 'does', 'a', 'wren', '.']]
        """
        texts = as_texts(texts)
        words, places, offsets, documents, lines = _core.split_texts(texts, english)
        if first_lines is not None:
            lines = lines + np.repeat(first_lines[documents], np.diff(offsets))
        return cls(
            {word: words},
            offsets,
            spans=places,
            texts=texts,
            documents=documents,
            lines=lines if first_lines is not None else np.zeros(0, np.int64),
            source=source,
            layout=(word,),
        )

    @classmethod
    def from_lists(
        cls,
        X: Iterable[Iterable[Any]],
        y: Iterable[Iterable[Any]] | None = None,
        weights: Iterable[float] | None = None,
        names: Sequence[str] | None = None,
        allow_empty: bool = False,
    ) -> Sequences:
        """Of sentences, which are lists of tokens; generators will do.

        A token is a string (the column ``word``), a tuple of strings (``names``, or word, pos, 2, …),
        a list of attributes, or a dict of attributes. Values of a dict are numbers, booleans
        (False: the attribute is not there) or strings, which make the attribute ``name=string``.
        A tag of None is missing. Sentences without tokens are an error unless they are allowed.

        >>> Sequences.from_lists([["a", "linnet", "sings"], ["chirr"]], [["D", "N", "V"], ["I"]]).tokens
        4
        """
        sentences = listed(X)
        for i, sentence in enumerate(sentences):
            if not sentence and not allow_empty:
                raise DataError(f"sentence {i + 1} is empty; leave it out")
        if not sentences and not allow_empty:
            raise DataError("there are no sentences")
        offsets = np.cumsum([0, *map(len, sentences)], dtype=np.int64)
        tokens = [token for sentence in sentences for token in sentence]
        made = None if weights is None else np.fromiter(weights, np.float64)
        labels = None if y is None else tag_column(_aligned(sentences, y))
        if not tokens or isinstance(tokens[0], (str, bytes, tuple)):
            columns = _columns(tokens, names)
            return cls(columns, offsets, labels, made, layout=tuple(columns))
        rows, known = attribute_rows([_attributes(token) for token in tokens])
        return cls({}, offsets, labels, made, rows, known)


def is_blank(texts: _core.Texts) -> bool:
    """Is it ``_`` for every token?"""
    if len(texts) and texts[0] != UNSAID:
        return False
    first = texts.take(np.arange(min(FIRST, len(texts)), dtype=np.int64))
    return set(first.codes()[1]) <= {UNSAID} and set(texts.codes()[1]) <= {UNSAID}


def is_missing(name: str, texts: _core.Texts) -> bool:
    """Is ``_`` in this column of CoNLL-U a missing value, and not one of its values?"""
    return name in REQUIRED or is_blank(texts)


def token_strings(texts: _core.Texts | CodedTexts, errors: str = "replace") -> list[str]:
    """All texts as strings; bytes that are not UTF-8 read as U+FFFD, or as ``errors`` says."""
    if isinstance(texts, CodedTexts):
        values = token_strings(texts.values, errors)
        return [values[number] for number in texts.numbers.tolist()]
    strings: list[str] = []
    for begin in range(0, len(texts), BLOCK):
        data, offsets = _core.text_bytes(texts, begin, begin + BLOCK)
        strings += [data[b:e].decode(errors=errors) for b, e in pairwise(offsets.tolist())]
    return strings


def tag_column(tags: Sequence[str | None]) -> LabelColumn:
    """Tags of all tokens; None is missing."""
    names = sorted({tag for tag in tags if tag is not None})
    code: dict[str | None, int] = {name: k for k, name in enumerate(names)} | {None: MISSING}
    return LabelColumn(names, np.fromiter((code[tag] for tag in tags), np.int32, len(tags)))


def attribute_rows(tokens: Sequence[Mapping[str, float]]) -> tuple[CsrRows, list[str]]:
    """A row of named numbers per token, and the names, sorted."""
    names = sorted({name for token in tokens for name in token})
    code = {name: k for k, name in enumerate(names)}
    indptr = np.cumsum([0, *map(len, tokens)], dtype=np.int64)
    size = int(indptr[-1])
    indices = np.fromiter((code[name] for token in tokens for name in token), np.int32, size)
    values = np.fromiter((v for token in tokens for v in token.values()), np.float32, size)
    if not np.isfinite(values).all():
        at = int(np.argmin(np.isfinite(values)))
        raise DataError(f"the attribute {names[indices[at]]!r} has a value that is not a finite number")
    return CsrRows(indptr, indices, values, len(names), distinct=True), names


def listed(given: Any, name: str = "X", of: str = "tokens") -> list[list[Any]]:
    """A list for each sentence; generators will do."""
    wanted = f"{name} is a list of sentences, each a list of {of}"
    if _is_scalar(given):
        raise DataError(f"{name} is of type {type(given).__name__}; {wanted}")
    lists = []
    for i, sentence in enumerate(given):
        if _is_scalar(sentence):
            raise DataError(f"sentence {i + 1} is of type {type(sentence).__name__}; {wanted}")
        lists.append(list(sentence))
    return lists


def _is_scalar(given: Any) -> bool:
    return isinstance(given, (str, bytes, Mapping)) or not isinstance(given, Iterable)


def _aligned(sentences: list[list[Any]], y: Iterable[Iterable[Any]]) -> list[str | None]:
    given = listed(y, "y", "tags")
    if len(given) != len(sentences):
        raise DataError(f"X has {len(sentences)} sentences, but y has {len(given)}")
    for i, (sentence, tags) in enumerate(zip(sentences, given, strict=True)):
        if len(sentence) != len(tags):
            raise DataError(f"sentence {i + 1} has {len(sentence)} tokens, but {len(tags)} tags")
    return [None if tag is None else str(tag) for tags in given for tag in tags]


def _columns(tokens: list[Any], names: Sequence[str] | None) -> dict[str, _core.Texts]:
    rows = [(token,) if isinstance(token, (str, bytes)) else token for token in tokens]
    width = len(rows[0]) if rows else 1
    for i, row in enumerate(rows):
        if not isinstance(row, tuple) or len(row) != width:
            raise DataError(f"token {i + 1} is {row!r}; the first one has {width} columns")
    names = column_names(width) if names is None else names
    if len(names) != width or len(set(names)) != width:
        raise DataError(f"tokens have {width} columns, but their names are {', '.join(names)}")
    try:
        return {name: _core.Texts.from_list([row[k] for row in rows]) for k, name in enumerate(names)}
    except TypeError as error:
        raise DataError(f"X: {error}") from None


def _attributes(token: Any) -> dict[str, float]:
    if isinstance(token, Mapping):
        return dict(filter(None, (_attribute(str(n), value) for n, value in token.items())))
    if isinstance(token, (str, bytes, tuple)) or not isinstance(token, Iterable):
        raise DataError(f"a token is {token!r} where others are lists or dicts of attributes")
    sums: dict[str, float] = {}
    for name in token:
        if not isinstance(name, str):
            raise DataError(f"an attribute is {name!r}; a string is wanted, or a dict with its value")
        sums[name] = sums.get(name, 0.0) + 1.0  # as CRFsuite counts one that is given twice
    return sums


def _attribute(name: str, value: Any) -> tuple[str, float] | None:
    if isinstance(value, str):
        return f"{name}={value}", 1.0
    if value is None or value is False:
        return None
    try:
        return name, float(value)
    except (TypeError, ValueError):
        raise DataError(
            f"the attribute {name!r} is {value!r}; a number or a string is wanted"
        ) from None
