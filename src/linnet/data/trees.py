"""Dependency trees: sentences of tokens, the head of each token and its relation to it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

import linnet._core as _core
from linnet._params import LARGEST, is_whole
from linnet.data.examples import LabelColumn, take_ragged
from linnet.data.heads import as_heads, first_problem, nonprojective_arcs, short_relations
from linnet.data.sequences import (
    MISSING,
    Aside,
    Places,
    Sequences,
    listed,
    tag_column,
    token_strings,
)
from linnet.data.surface import blanks_of_texts
from linnet.errors import DataError

Heads = NDArray[np.int32]
NAMES = ("form", "upos", "xpos", "feats", "lemma")  # of the parts of a token that is a tuple
ROOTS = ("one", "many")


@dataclass(frozen=True)
class Trees:
    """The trees of one file, in its order; all their tokens stand one after the other.

    Tokens are counted from 1 in their sentence. ``heads[t]`` is the number of token t's head, 0 if t
    is the root, and -1 if its head is not known: a partial tree. ``relations`` holds a code per token,
    -1 if its relation is not known. Each tree has one root, unless ``roots`` is ``"many"``.

    Of columns there are those of the file (form, lemma, upos, xpos, feats, …), and ``word`` is the
    form, as in tagged sentences.
    """

    sequences: Sequences
    heads: Heads
    relations: LabelColumn
    roots: str = "one"

    def __post_init__(self) -> None:
        if self.roots not in ROOTS:
            raise ValueError(f"roots must be 'one' or 'many'; it is {self.roots!r}")
        object.__setattr__(self, "heads", as_heads(self.heads))
        for name, size in (("heads", len(self.heads)), ("relations", len(self.relations))):
            if size != self.tokens:
                raise DataError(f"the trees have {self.tokens} tokens, but {size} {name}")
        problem = first_problem(self.heads, self.offsets, one_root=self.roots == "one")
        if problem is not None:
            token, message = problem
            raise DataError(f"{self.where(token)}: {message}")

    def __len__(self) -> int:
        """How many sentences."""
        return len(self.sequences)

    @property
    def tokens(self) -> int:
        """How many tokens, in all sentences."""
        return self.sequences.tokens

    @property
    def offsets(self) -> Places:
        """Sentence i is the tokens ``offsets[i]:offsets[i + 1]``."""
        return self.sequences.offsets

    @property
    def lengths(self) -> Places:
        """How many tokens each sentence has."""
        return self.sequences.lengths

    @property
    def columns(self) -> dict[str, _core.Texts]:
        """The texts of the tokens: form, upos, …"""
        return self.sequences.columns

    @property
    def complete(self) -> bool:
        """Whether every token has a head."""
        return bool((self.heads >= 0).all())

    @property
    def notes(self) -> tuple[str, ...]:
        """What a user should know of the file: missing heads, arcs that cross others."""
        told = self.statistics()
        name = self.sequences.source or "the trees"
        notes = [*self.sequences.notes]
        if told["missing_heads"]:
            notes.append(f"{name}: {told['missing_heads']} of {told['tokens']} words have no head")
        if told["nonprojective_arcs"]:
            notes.append(
                f"{name}: {told['nonprojective_arcs']} arcs in {told['nonprojective_sentences']} "
                f"of {told['sentences']} sentences are non-projective"
            )
        return tuple(notes)

    def __getitem__(self, i: int) -> Tree:
        """One tree, with its words in lists."""
        if not -len(self) <= i < len(self):
            raise IndexError(f"there are {len(self)} trees")
        return Tree(self, i % len(self))

    def __iter__(self) -> Iterator[Tree]:
        """The trees in their order."""
        return (Tree(self, i) for i in range(len(self)))

    def where(self, token: int) -> str:
        """What to call the place of a token in messages: file and line, or sentence and word."""
        return self.sequences.where(token)

    def column(self, name: str) -> list[list[str]]:
        """The texts of one column, sentence by sentence."""
        return self.sequences.column(name)

    def head_lists(self) -> list[list[int]]:
        """The heads, sentence by sentence."""
        lists: list[list[int]] = self.sequences.by_sentence(self.heads.tolist())
        return lists

    def relation_lists(self) -> list[list[str | None]]:
        """The relations, sentence by sentence; None where one is missing."""
        names: list[str | None] = [*self.relations.names, None]  # the code -1 finds the last one
        lists: list[list[str | None]] = self.sequences.by_sentence(
            [names[code] for code in self.relations.codes.tolist()]
        )
        return lists

    def nonprojective(self) -> NDArray[np.bool_]:
        """Per token, whether a word between it and its head does not descend from the head."""
        return nonprojective_arcs(self.heads, self.offsets)

    def statistics(self) -> dict[str, Any]:
        """Sizes, missing heads and non-projective arcs, as plain data."""
        crossing = np.flatnonzero(self.nonprojective())
        sentences = np.searchsorted(self.offsets, crossing, side="right")
        return {
            "sentences": len(self),
            "tokens": self.tokens,
            "longest": int(self.lengths.max(initial=0)),
            "missing_heads": int((self.heads < 0).sum()),
            "missing_relations": int((self.relations.codes < 0).sum()),
            "relations": len(self.relations.names),
            "nonprojective_arcs": len(crossing),
            "nonprojective_sentences": len(np.unique(sentences)),
        }

    def take(self, places: NDArray[np.integer[Any]] | Sequence[int]) -> Trees:
        """These sentences, in this order."""
        at = np.ascontiguousarray(places, np.int64)
        tokens, _ = take_ragged(np.arange(self.tokens), self.offsets, at)
        return replace(
            self,
            sequences=self.sequences.take(at),
            heads=self.heads[tokens],
            relations=self.relations.take(tokens),
        )

    def with_columns(self, **columns: _core.Texts | Sequence[Sequence[str]]) -> Trees:
        """The same trees with other texts, such as tags that were predicted."""
        made = {name: _flat_texts(self, name, texts) for name, texts in columns.items()}
        return replace(self, sequences=replace(self.sequences, columns=self.columns | made))

    def without_subtypes(self) -> Trees:
        """Relations cut at the colon: ``nsubj:pass`` becomes ``nsubj``."""
        return replace(self, relations=short_relations(self.relations))

    @classmethod
    def from_texts(cls, texts: Any, english: bool = True) -> Trees:
        """The sentences and words of running text, without heads; see `Sequences.from_texts`."""
        made = with_text(Sequences.from_texts(texts, english))
        unsaid = np.full(made.tokens, MISSING, np.int32)
        return cls(made, unsaid, LabelColumn([], unsaid))

    @classmethod
    def from_lists(
        cls,
        X: Iterable[Iterable[Any]],
        heads: Iterable[Iterable[int | None]] | None = None,
        relations: Iterable[Iterable[str | None]] | None = None,
        names: Sequence[str] | None = None,
        roots: str = "one",
        allow_empty: bool = False,
    ) -> Trees:
        """Of sentences, which are lists of tokens.

        A token is a form, a tuple of strings (``names``, or form, upos, xpos, feats, lemma) or a dict
        of strings. A head or relation of None is missing, as are all that are not given.

        >>> Trees.from_lists([["a", "linnet", "sings"]], [[2, 3, 0]], [["det", "nsubj", "root"]]).tokens
        3
        """
        sentences = listed(X)
        first = next((token for sentence in sentences for token in sentence), "")
        if isinstance(first, Mapping):
            names = list(first) if names is None else names
            sentences = [[_cells(token, names) for token in sentence] for sentence in sentences]
        elif names is None:
            width = len(first) if isinstance(first, tuple) else 1
            names = NAMES[:width]
        made = Sequences.from_lists(sentences, names=names, allow_empty=allow_empty)
        if "form" not in made.columns:
            raise DataError(f"tokens need a form; they have {', '.join(made.columns)}")
        made = replace(made, columns={"word": made.columns["form"], **made.columns}, layout=())
        return cls(
            made,
            head_array(made, heads) if heads is not None else np.full(made.tokens, -1, np.int32),
            relation_column(
                made, [[None] * n for n in made.lengths] if relations is None else relations
            ),
            roots,
        )


@dataclass(frozen=True)
class Tree:
    """One sentence of `Trees`: an attribute for each column, a list with an entry for each word.

    There are form, lemma, upos, xpos, feats, deps and misc where the trees have them, ``head`` and
    ``deprel`` (None: not known), and of running text ``start`` and ``end``, characters of its text.

    >>> tree = Trees.from_lists([["a", "linnet", "sings"]], [[2, 3, 0]], [["det", "nsubj", "root"]])[0]
    >>> tree.form, tree.head
    (['a', 'linnet', 'sings'], [2, 3, 0])
    """

    trees: Trees
    number: int

    def __len__(self) -> int:
        """How many words."""
        return int(self.trees.lengths[self.number])

    def __dir__(self) -> list[str]:
        """With the columns."""
        return [*super().__dir__(), *self.trees.columns]

    def __getattr__(self, name: str) -> list[str]:
        """A column."""
        columns = {} if name.startswith("__") else self.trees.columns
        if name not in columns:
            raise AttributeError(f"the trees have no {name!r}; they have {', '.join(columns)}")
        return token_strings(columns[name].take(np.arange(self._at.start, self._at.stop)))

    @property
    def head(self) -> list[int | None]:
        """The number of each word's head, 0 for the root."""
        return [None if head < 0 else head for head in self.trees.heads[self._at].tolist()]

    @property
    def deprel(self) -> list[str | None]:
        """Its relation to it."""
        names: list[str | None] = [*self.trees.relations.names, None]
        return [names[code] for code in self.trees.relations.codes[self._at].tolist()]

    @property
    def start(self) -> list[int]:
        """The first character of each word in its text."""
        return self._spans()[:, 0].tolist()  # type: ignore[no-any-return]

    @property
    def end(self) -> list[int]:
        """The one after its last."""
        return self._spans()[:, 1].tolist()  # type: ignore[no-any-return]

    @property
    def _at(self) -> slice:
        begin, end = self.trees.offsets[self.number : self.number + 2].tolist()
        return slice(begin, end)

    def _spans(self) -> Places:
        if self.trees.sequences.spans is None:
            raise DataError("only words of running text know their characters")
        return self.trees.sequences.spans[self._at]


def with_text(sentences: Sequences) -> Sequences:
    """Sentences of running text: words as forms, blanks in MISC, and a comment that holds the text."""
    assert sentences.texts is not None
    assert sentences.documents is not None
    assert sentences.spans is not None
    count = len(sentences)
    lines = []
    for i, (begin, end) in enumerate(pairwise(sentences.offsets.tolist())):
        text = sentences.texts[int(sentences.documents[i])]
        piece = text[int(sentences.spans[begin, 0]) : int(sentences.spans[end - 1, 1])]
        lines.append("# text = " + " ".join(piece.split()))
    aside = Aside(
        _core.Texts.from_list(lines), np.zeros(count, np.int64), np.arange(count + 1, dtype=np.int64)
    )
    misc = _core.Texts.from_list(blanks_of_texts(sentences))
    columns = {"form": sentences.columns["word"], **sentences.columns, "misc": misc}
    return replace(sentences, columns=columns, aside=aside)


def head_array(sequences: Sequences, heads: Iterable[Iterable[int | None]]) -> Heads:
    """Heads of lists by sentence; None is missing."""
    flat = [MISSING if head is None else head for head in aligned(sequences, heads, "heads")]
    for token, head in enumerate(flat):
        if not is_whole(head, -LARGEST) or head > LARGEST:
            raise DataError(
                f"{sequences.where(token)}: the head is {head!r}; the number of a word is wanted, "
                f"0 for the root, or None"
            )
    return np.array(flat, np.int32)


def relation_column(sequences: Sequences, relations: Iterable[Iterable[str | None]]) -> LabelColumn:
    """Relations of lists by sentence; None is missing."""
    flat = [None if name is None else str(name) for name in aligned(sequences, relations, "relations")]
    if "" in flat:
        place = sequences.where(flat.index(""))
        raise DataError(f"{place}: the relation is empty; None is for one that is missing")
    return tag_column(flat)


def aligned(sequences: Sequences, given: Iterable[Iterable[Any]], what: str) -> list[Any]:
    """One value per token, of lists by sentence."""
    lists = listed(given, what, what)
    if len(lists) != len(sequences):
        raise DataError(f"there are {len(sequences)} sentences, but {what} for {len(lists)}")
    for i, (part, length) in enumerate(zip(lists, sequences.lengths.tolist(), strict=True)):
        if len(part) != length:
            raise DataError(f"sentence {i + 1} has {length} tokens, but {len(part)} {what}")
    return [value for part in lists for value in part]


def _cells(token: Any, names: Sequence[str]) -> tuple[str, ...]:
    if not isinstance(token, Mapping) or any(name not in token for name in names):
        raise DataError(f"a token is {token!r}; the first one has {', '.join(names)}")
    return tuple(token[name] for name in names)


def _flat_texts(trees: Trees, name: str, texts: _core.Texts | Sequence[Sequence[str]]) -> _core.Texts:
    if isinstance(texts, _core.Texts):
        return texts
    return _core.Texts.from_list(aligned(trees.sequences, texts, name))
