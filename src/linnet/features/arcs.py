"""Features of arcs, from a head to its modifier, that templates describe."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

import linnet._core as _core
from linnet._params import Params, strings, whole
from linnet.data.matrix import CsrRows, rows_arrays
from linnet.errors import DataError
from linnet.features.arc_recipes import ARC_RECIPES
from linnet.features.arc_templates import parse_arcs
from linnet.features.compiled import Sentences, token_columns
from linnet.features.templates import Known, applicable

Weights = NDArray[np.float32]
Heads = NDArray[np.int32]
Offsets = NDArray[np.int64]


@dataclass(frozen=True)
class CandidateArcs:
    """Arcs sentence by sentence: token t may have the heads ``heads[starts[t]:starts[t + 1]]``.

    Heads are positions in the sentence, ascending, and 0 is its root.
    """

    starts: Offsets
    heads: Heads

    def __len__(self) -> int:
        return len(self.heads)

    @classmethod
    def all(cls, offsets: Offsets) -> CandidateArcs:
        """Every token may be the head of every other."""
        lengths = np.diff(offsets)
        per_token = np.repeat(lengths, lengths)
        starts = np.concatenate([np.zeros(1, np.int64), np.cumsum(per_token, dtype=np.int64)])
        heads = [np.zeros(0, np.int32)]
        for length in lengths.tolist():
            square = np.tile(np.arange(length + 1, dtype=np.int32), (length, 1))
            heads.append(square[square != np.arange(1, length + 1)[:, None]])
        return cls(starts, np.concatenate(heads))

    @classmethod
    def of_tree(cls, heads: Heads) -> CandidateArcs:
        """The arcs of trees alone; tokens whose head is missing (-1) have none."""
        there = heads >= 0
        starts = np.concatenate([np.zeros(1, np.int64), np.cumsum(there, dtype=np.int64)])
        return cls(starts, np.ascontiguousarray(heads[there], np.int32))

    def recall(self, heads: Heads) -> float:
        """The share of heads that are among the candidates, of those that are not missing."""
        return self.found(heads) / max(1, int(np.count_nonzero(heads >= 0)))

    def found(self, heads: Heads) -> int:
        """How many heads are among the candidates."""
        tokens = np.repeat(np.arange(len(heads)), np.diff(self.starts))
        return int(np.count_nonzero(self.heads == heads[tokens]))


class ArcFeatures(Params):
    """Features of arcs, numbered by their hash.

    ``templates`` say what is seen of an arc: "arcs" for choosing heads, "relations" for naming the
    relations of arcs that are chosen, "joint" for relations of arcs to be chosen, or templates, one to
    a line or list item (see `linnet.features.arc_templates`). There are 2 ** ``hash_bits`` numbers,
    which features may share. Position 0 of a sentence is its root, position t its t-th token.

    >>> from types import SimpleNamespace
    >>> from linnet.data import as_texts
    >>> columns = {"form": as_texts(["linnets", "sing"]), "upos": as_texts(["NOUN", "VERB"])}
    >>> sentences = SimpleNamespace(columns=columns, offsets=np.array([0, 2]))
    >>> features = ArcFeatures(templates=["h.upos m.upos *"], hash_bits=16).compile(columns)
    >>> [name for _, name in features.names(sentences, 0, head=2, modifier=1)]
    ['h.upos=VERB m.upos=NOUN', 'h.upos=VERB m.upos=NOUN direction=left distance=1']
    """

    def __init__(self, *, templates: str | Sequence[str] = "arcs", hash_bits: int = 21) -> None:
        self.templates = templates
        self.hash_bits = hash_bits

    def compile(self, columns: Iterable[str]) -> Self:
        """Make the templates ready for sentences with these columns."""
        there = list(columns)
        lines, known = self._lines(), Known(there)
        if isinstance(self.templates, str) and self.templates in ARC_RECIPES:
            lines = applicable(lines, known, parse_arcs)
        self._compile(lines, there)
        return self

    def over(self, sentences: Sentences, threads: int = 1) -> _core.ArcTokens:
        """Sentences with the attributes of all tokens hashed, to be scored or made rows of."""
        tokens = token_columns(sentences, self.columns, threads)
        return _core.ArcTokens(self._compiled, tokens, threads)

    def rows(
        self, sentences: Sentences, arcs: CandidateArcs, tree: Heads | None = None, bias: float = 0.0
    ) -> _core.Rows:
        """A row for each arc, computed each time it is read.

        ``tree`` holds the head of every token, where templates look at relatives.
        """
        known = None if tree is None else np.ascontiguousarray(tree, np.int32)
        return self.over(sentences).rows(arcs.starts, arcs.heads, known, bias)

    def matrix(self, sentences: Sentences, arcs: CandidateArcs, tree: Heads | None = None) -> CsrRows:
        """The same rows in memory, for learners that want them there."""
        found = rows_arrays(self.rows(sentences, arcs, tree))
        return CsrRows(*found, self.n_features, distinct=True)

    def scores(
        self,
        sentences: Sentences,
        arcs: CandidateArcs,
        weights: Weights,
        bias: float = 0.0,
        threads: int = 1,
    ) -> NDArray[np.float32]:
        """The score of each arc; ``weights`` has the constant feature first, then one per feature."""
        tokens = self.over(sentences, threads)
        return tokens.scores(arcs.starts, arcs.heads, weights, bias, threads)

    def relations(
        self,
        sentences: Sentences,
        tree: Heads,
        weights: Weights,
        width: int,
        bias: float = 0.0,
        threads: int = 1,
    ) -> NDArray[np.int32]:
        """The best of ``width`` relations between each token and its head; -1 where it has none.

        ``weights`` are as learners lay them out: (features + 1, stride), the constant feature first.
        """
        return self.over(sentences, threads).relations(tree, weights, width, bias, threads)

    def names(
        self,
        sentences: Sentences,
        sentence: int,
        head: int,
        modifier: int,
        tree: Heads | None = None,
        sibling: int | None = None,
    ) -> list[tuple[int, str]]:
        """Number and name of each feature of an arc; ``tree`` is that of its sentence.

        With a ``sibling``, or 0 for none, those of the templates of second order.
        """
        return self.over(sentences).names(sentence, head, modifier, tree, sibling)

    # What was made ready

    @property
    def n_features(self) -> int:
        self._check_compiled()
        return self._compiled.features

    @property
    def columns(self) -> list[str]:
        """The columns that are looked at."""
        self._check_compiled()
        return self._columns

    @property
    def needs_tree(self) -> bool:
        """Do templates look at relatives in a tree?"""
        self._check_compiled()
        return self._compiled.needs_tree

    @property
    def second_order(self) -> bool:
        """Do templates look at siblings?"""
        self._check_compiled()
        return self._compiled.second_order

    def spec(self) -> dict[str, Any]:
        """All there is to know, as JSON."""
        self._check_compiled()
        settings = self.get_params(deep=False)
        if not isinstance(self.templates, str):
            settings["templates"] = self._lines()
        return {"settings": settings, "templates": self._used, "columns": self._all_columns}

    @classmethod
    def from_parts(cls, spec: Mapping[str, Any]) -> Self:
        """The inverse."""
        try:
            self = cls(**spec["settings"])
            self._lines()  # those of its settings
            self._compile(strings("templates", spec["templates"]), strings("columns", spec["columns"]))
        except (KeyError, TypeError, AttributeError, ValueError) as error:
            raise DataError(f"the features of arcs are damaged: {error}") from None
        return self

    def __getstate__(self) -> dict[str, Any]:
        settings = self.get_params(deep=False)
        return {"settings": settings} | ({"spec": self.spec()} if hasattr(self, "_compiled") else {})

    def __setstate__(self, state: dict[str, Any]) -> None:
        if "spec" in state:
            self.__dict__.update(self.from_parts(state["spec"]).__dict__)
        self.__dict__.update(state["settings"])

    # Within

    _compiled: _core.ArcTemplates
    _used: list[str]
    _columns: list[str]
    _all_columns: list[str]

    def _check_compiled(self) -> None:
        if not hasattr(self, "_compiled"):
            raise ValueError("these features know no columns yet; call compile first")

    def _lines(self) -> list[str]:
        given = self.templates
        if isinstance(given, str):
            return ARC_RECIPES[given] if given in ARC_RECIPES else given.splitlines()
        if isinstance(given, Iterable) and all(isinstance(line, str) for line in given):
            return list(given)
        raise ValueError(
            f"templates must be {' or '.join(map(repr, ARC_RECIPES))}, or templates as lines or a list "
            f"of str, not {given!r}"
        )

    def _compile(self, lines: list[str], columns: list[str]) -> None:
        templates = parse_arcs(lines, Known(columns))
        if not templates:
            raise ValueError("there are no templates of arcs that the columns would do for")
        attributes = list(dict.fromkeys(v.attribute for t in templates for v in t.values))
        looked_at = {a.column for a in attributes}
        self._columns = [name for name in columns if name in looked_at]
        self._used, self._all_columns = lines, columns
        numbers = {a: k for k, a in enumerate(attributes)}
        self._compiled = _core.ArcTemplates(
            [(a.kind, self._columns.index(a.column), a.length, a.key) for a in attributes],
            [
                (
                    t.name,
                    [(v.side, v.step, numbers[v.attribute], v.offset) for v in t.values],
                    t.direction,
                    t.distance,
                )
                for t in templates
            ],
            whole("hash_bits", self.hash_bits),
        )
