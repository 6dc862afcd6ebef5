"""Tokens as rows of features that templates describe."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Protocol, Self, runtime_checkable

import numpy as np
from numpy.typing import NDArray

import linnet._core as _core
from linnet._params import is_whole, number, strings
from linnet.data.examples import take_ragged
from linnet.data.matrix import CsrRows
from linnet.errors import DataError
from linnet.features.compiled import CompiledTemplates, Sentences
from linnet.features.compiling import (
    compile_templates,
    compiled_class,
    is_template_file,
    template_lines,
)
from linnet.features.crfpp import has_transitions, is_crfpp
from linnet.features.lexicons import Lexicon
from linnet.features.recipes import RECIPES
from linnet.features.templates import Known
from linnet.features.text.names import StoredNames
from linnet.features.text.numbering import HashedFeatures, InternedFeatures
from linnet.features.text.packed import PackedFeatures
from linnet.features.text.stored import StoredFeatures
from linnet.features.usual_tags import NAME as USUAL
from linnet.features.usual_tags import UsualTags

Numbering = InternedFeatures | HashedFeatures | PackedFeatures
Watch = Callable[[int], None]
ALL = int(np.iinfo(np.int64).max)
_OTHER_WAYS = f"recipes are {', '.join(RECIPES)}, and no file has this name"


class TokenFeatures(StoredFeatures):
    """Features of tokens, numbered; a row for each token.

    ``templates`` say what is seen of a token: the name of a recipe ("pos", "chunk", "ner"), templates
    one to a line or list item, the path of a file of them, or templates of CRF++, which are told by
    their ``%x[``. ``classes`` are regular expressions by name, ``lexicons`` tables by name (see
    `Lexicon`), for templates to use; the lexicon ``usual`` is learnt from the tags of the sentences,
    where templates ask for it. Attributes that come with the tokens are features as they are;
    tokens without columns have these alone.

    The value of a feature is the number of templates that give it, and of an attribute its own.
    Features are numbered by first occurrence, those in fewer than ``min_df`` tokens (an int; a float
    is a share) left out and at most ``max_features`` kept; or with ``hash_bits`` by their hash.
    ``site="pair"`` takes the templates of transitions, those that begin with ``transition:`` or, in
    CRF++, with ``B``: the row of a token then describes it and the one before it.

    >>> from types import SimpleNamespace
    >>> from linnet.data import as_texts
    >>> birds = SimpleNamespace(columns={"word": as_texts(["A", "linnet"])}, offsets=np.array([0, 2]))
    >>> features = TokenFeatures(templates=["word[-1] word[0]", "suffix3"])
    >>> features.fit_rows(birds).indptr.tolist()
    [0, 1, 3]
    >>> list(features.names)
    ['word[-1]=_B-1 word[0]=A', 'word[-1]=A word[0]=linnet', 'suffix3[0]=net']
    """

    def __init__(
        self,
        *,
        templates: str | os.PathLike[str] | Sequence[str] = "pos",
        classes: Mapping[str, str] | None = None,
        lexicons: Mapping[str, Any] | None = None,
        min_df: float = 1,
        max_features: int | None = None,
        hash_bits: int | None = None,
        keep_names: bool = False,
        site: str = "token",
    ) -> None:
        self.templates = templates
        self.classes = classes
        self.lexicons = lexicons
        self.min_df = min_df
        self.max_features = max_features
        self.hash_bits = hash_bits
        self.keep_names = keep_names
        self.site = site

    # Learning what there is

    def fit_rows(self, sequences: Sentences, threads: int = 1, names: bool | None = True) -> CsrRows:
        """Learn the features of the tokens and give their rows.

        Without ``names`` features have none; if it is None `name` finds them later, when fewer may be
        left.
        """
        compiled = self._compile_for([sequences])
        lowest, most = self._bounds(int(sequences.offsets[-1]))
        counter = _core.TokenFeatureCounter() if self._named else None
        numbering, now = self._numbering(), bool(names) or self.hash_bits is not None
        rows = self._learn(compiled, counter, numbering, sequences, lowest, most, threads, now)
        self._nameless = None
        if names is None and not now and counter is not None:
            self._nameless = counter.first_seen()
        self._counter = None  # what it knows is in the numbering; growing makes one anew
        return rows

    def name(self, sequences: Sentences) -> None:
        """The names of features that were learnt of these sentences without."""
        if self._nameless is None:
            return
        assert not isinstance(self._features, PackedFeatures)  # they have no names
        tokens, flags, own = self._compiled.over(sequences, 1)
        found = self._compiled.core.names(tokens, flags, own, *self._nameless)
        stored = self._features.tensors(with_df=False)
        stored |= dict(zip(("name_bytes", "name_offsets"), found, strict=True))
        self._features.restore(stored, self._features.size, with_df=False)
        self._nameless = None

    def fit_parts(
        self, parts: Iterable[Sentences], threads: int = 1, watch: Watch | None = None
    ) -> Self:
        """Learn the features of sentences that come in parts, as if all had been there at once.

        ``parts`` are gone through once, and twice if templates ask for usual tags; ``watch`` is told
        how many features there are so far.
        """
        self._bounds(1)
        compiled, features, tokens = self._compile_for(parts), self._numbering(), 0
        if self._named:
            counter = _core.TokenFeatureCounter()
            for counted in _counts(counter, self, compiled, parts, threads):
                tokens += counted
                if watch is not None:
                    watch(counter.size)
            kept = selected(counter.document_frequencies, *self._bounds(tokens))
            if len(kept) < counter.size:
                counter = _counter_among(_arrays(counter), kept)
            size = counter.size if self.hash_bits is None else features.size
            features.restore(_arrays(counter), size, with_df=False)
        self._compiled, self._counter, self._features = compiled, None, features
        return self

    def grow_rows(self, sequences: Sentences, threads: int = 1) -> CsrRows:
        """Rows of more sentences, whose new features get the next numbers, however rare."""
        if not self._fitted:
            self._bounds(1)
            self._compiled = self._compile_for([sequences])
            self._counter, self._features = None, self._numbering()
        if isinstance(self._features, PackedFeatures):
            self._features.grow()
        if self._named and self._counter is None:
            self._counter = self._restored_counter()
        return self._learn(self._compiled, self._counter, self._features, sequences, 1, ALL, threads)

    def rows(self, sequences: Sentences, threads: int = 1) -> CsrRows:
        """Rows of tokens; features not seen before are left out."""
        self._check_fitted()
        tokens, flags, own = self._compiled.over(sequences, threads)
        found = self._compiled.core.rows(tokens, self._features.table, flags, own, threads)
        return CsrRows(*found, self._features.size, distinct=True)

    # What was learnt

    @property
    def n_features(self) -> int:
        self._check_fitted()
        return self._features.size

    @property
    def names(self) -> Sequence[str]:
        """What each feature stands for, decoded when it is asked for."""
        return self.numbering.names

    def names_in(self, sequences: Sentences) -> dict[int, str]:
        """The names of the features of these sentences by their numbers, read off the sentences."""
        self._check_fitted()
        tokens, flags, own = self._compiled.over(sequences, 1)
        counter = _core.TokenFeatureCounter()
        counter.learn(self._compiled.core, tokens, flags, own, 1, ALL, 1)
        found: dict[int, str] = {}
        names = StoredNames(counter.name_bytes, counter.name_offsets)
        for j, name in zip(self.table.find(counter.hashes).tolist(), names, strict=True):
            found[j] = f"{found[j]} | {name}" if j in found else name  # hashing makes one of two
        return found

    @property
    def numbering(self) -> Numbering:
        """How features are numbered."""
        self._check_fitted()
        return self._features

    @property
    def table(self) -> _core.FeatureTable:
        """The numbers of features by their hashes."""
        return self.numbering.table

    @property
    def compiled(self) -> CompiledTemplates:
        """The templates, for whoever needs their features but no rows."""
        self._check_fitted()
        return self._compiled

    @property
    def columns(self) -> list[str]:
        """The columns that are looked at."""
        self._check_fitted()
        return list(self._compiled.columns)

    def looks_at(self, sequences: Sentences) -> list[str]:
        """The columns of these sentences that would be looked at."""
        return list(self._compile_for([sequences]).columns)

    @property
    def transitions(self) -> bool:
        """Do the templates ask for transitions? Templates of CRF++ may not, others always do."""
        lines = self._lines()
        return not is_crfpp(lines) or has_transitions(lines)

    def pairs(self) -> TokenFeatures | None:
        """Features of pairs of neighbours by the same templates, to be fitted; None if none are."""
        lines = self._lines()
        crfpp = is_crfpp(lines)
        begin = "B" if crfpp else "transition:"
        mark = "%x[" if crfpp else ""
        if self.site == "pair" or not any(
            line.lstrip().startswith(begin) and mark in line for line in lines
        ):
            return None
        return type(self)(**(self.get_params(deep=False) | {"site": "pair"}))

    def renumbered(self, packed: PackedFeatures) -> Self:
        """A copy with the same settings that numbers features as ``packed`` does."""
        self._check_fitted()
        copy = type(self)(**self.get_params(deep=False))
        copy._compiled, copy._counter, copy._features = self._compiled, None, packed
        return copy

    def among(self, kept: NDArray[np.int64]) -> Self:
        """A copy with these features only (ascending), numbered anew in their order."""
        self._check_fitted()
        if not isinstance(self._features, InternedFeatures):
            raise ValueError("only features that were interned can be left out")
        counter = _counter_among(self._features.tensors(with_df=False), kept)
        features = InternedFeatures(1, 1.0, None)
        features.restore(_arrays(counter), len(kept), with_df=False)
        copy = type(self)(**self.get_params(deep=False))
        copy._compiled, copy._counter, copy._features = self._compiled, None, features
        if self._nameless is not None:
            tokens, which = self._nameless
            copy._nameless = tokens[kept], which[kept]
        return copy

    # Parts of a model file

    def spec(self) -> dict[str, Any]:
        """Settings and small facts, as JSON; with `tensors` all there is to know."""
        self._check_fitted()
        settings = self.get_params(deep=False)
        del settings["lexicons"]
        templates = settings["templates"]
        as_given = isinstance(templates, str) and not is_template_file(templates)
        settings["templates"] = templates if as_given else self._lines()
        settings["classes"] = None if self.classes is None else dict(self.classes)
        found = {
            "settings": settings,
            "templates": self._compiled.lines,
            "columns": self._compiled.all_columns,
            "features": self._features.size,
            "lexicons": {name: lexicon.phrases for name, lexicon in self._compiled.lexicons.items()}
            or None,
            "usual": USUAL in self._compiled.lexicons and USUAL not in (self.lexicons or {}),
        }
        if isinstance(self._features, PackedFeatures):
            found["packed"] = self._features.spec()
        return found

    def tensors(self) -> dict[str, NDArray[Any]]:
        """The vocabulary's arrays, and the lexicons'."""
        found = self.numbering.tensors(with_df=False)
        for k, lexicon in enumerate(self._compiled.lexicons.values()):
            found |= {f"lexicon{k}.{name}": array for name, array in lexicon.tensors().items()}
        return found

    @classmethod
    def from_parts(cls, spec: Mapping[str, Any], tensors: Mapping[str, NDArray[Any]]) -> Self:
        """The inverse; arrays are not copied and may be those of a mapped file."""
        try:
            lexicons = None
            if spec["lexicons"] is not None:
                lexicons = {
                    str(name): Lexicon.from_tensors(_under(f"lexicon{k}.", tensors), bool(phrases))
                    for k, (name, phrases) in enumerate(spec["lexicons"].items())
                }
            usual = lexicons.pop(USUAL) if spec["usual"] and lexicons else None
            self = cls(**spec["settings"], lexicons=lexicons or None)
            self._lines()  # those of its settings, which training on reads
            lines = strings("templates", spec["templates"])
            columns = strings("columns", spec["columns"])
            self._compiled = self._compile(lines, columns, usual)
            self._counter = None
            if "packed" in spec:
                self._features = PackedFeatures.from_parts(spec["packed"], tensors)
                return self
            features = self._numbering()
            features.restore(tensors, int(spec["features"]), with_df=False)
            self._features = features
        except (KeyError, TypeError, AttributeError, ValueError) as error:
            raise DataError(f"the token features are damaged: {error}") from None
        return self

    # Within

    kind: ClassVar[str] = "token"
    _compiled: CompiledTemplates
    _counter: _core.TokenFeatureCounter | None
    _features: Numbering
    # Of features without names: a token that has each, and the template that gave it.
    _nameless: tuple[NDArray[np.int64], NDArray[np.int32]] | None = None

    @property
    def _named(self) -> bool:
        """Are features learnt, be it for their names only?"""
        return self.hash_bits is None or self.keep_names

    def _lines(self) -> list[str]:
        return template_lines(self.templates)

    def _compile_for(self, parts: Iterable[Sentences]) -> CompiledTemplates:
        """The templates, and the usual tags if they are asked for and the sentences have tags."""
        lines = self._lines()
        first = next(iter(parts))
        columns, tags = list(first.columns), getattr(first, "labels", None)
        word = Known(columns).column("word")
        asked = not is_crfpp(lines) and any(USUAL in line for line in lines)
        if not asked or tags is None or word is None or USUAL in (self.lexicons or {}):
            return self._compile(lines, columns)
        usual = UsualTags()
        if isinstance(parts, FarParts):
            for found in parts.each(CountUsual(word)):
                usual.merge(tags.names, *found)
        else:
            for part in parts:
                usual.add(part.columns[word], part.labels)  # type: ignore[attr-defined]
        return self._compile(lines, columns, usual.lexicon())

    def _compile(
        self, lines: list[str], columns: list[str], usual: Lexicon | None = None
    ) -> CompiledTemplates:
        if self.site not in ("token", "pair"):
            raise ValueError(f"site must be 'token' or 'pair', not {self.site!r}")
        lexicons = {name: Lexicon.of(given, name) for name, given in (self.lexicons or {}).items()}
        if usual is not None:
            lexicons[USUAL] = usual
        if self.classes is not None and not isinstance(self.classes, Mapping):
            raise ValueError(f"classes must be regular expressions by name, not {self.classes!r:.60}")
        classes = {name: compiled_class(name, given) for name, given in (self.classes or {}).items()}
        try:
            return compile_templates(lines, columns, self.site == "pair", classes, lexicons)
        except ValueError as error:
            if is_template_file(self.templates):
                raise DataError(f"{self.templates}: {error}") from None
            if isinstance(self.templates, str) and len(lines) == 1:
                raise type(error)(f"{error}; {_OTHER_WAYS}") from None
            raise

    def _bounds(self, tokens: int) -> tuple[float, int]:
        """In how many tokens a feature must occur, and how many features there may be."""
        if self.hash_bits is not None and (self.min_df != 1 or self.max_features is not None):
            raise ValueError(
                "hashing forgets which features there are: with hash_bits leave min_df and "
                "max_features alone"
            )
        counted = is_whole(self.min_df, 0)
        if not counted and not 0 <= number(self.min_df) <= 1:
            raise ValueError(
                f"min_df must be a number of tokens (int) or a share from 0.0 to 1.0, "
                f"not {self.min_df!r}"
            )
        if self.max_features is not None and not is_whole(self.max_features, 1):
            raise ValueError(f"max_features must be at least 1, not {self.max_features!r}")
        lowest = float(self.min_df) if counted else self.min_df * tokens
        return lowest, ALL if self.max_features is None else int(self.max_features)

    def _numbering(self) -> InternedFeatures | HashedFeatures:
        if self.hash_bits is None:
            return InternedFeatures(1, 1.0, None)
        return HashedFeatures(self.hash_bits, self.keep_names, with_df=False)

    def _learn(
        self,
        compiled: CompiledTemplates,
        counter: _core.TokenFeatureCounter | None,
        features: Numbering,
        sequences: Sentences,
        lowest: float,
        most: int,
        threads: int,
        names: bool = True,
    ) -> CsrRows:
        """Rows; what the counter knows after them is handed to the numbering."""
        assert not isinstance(features, PackedFeatures)  # they learn nothing
        found = None
        if counter is not None:
            tokens, flags, own = compiled.over(sequences, threads)
            found = counter.learn(compiled.core, tokens, flags, own, lowest, most, threads, names)
            size = counter.size if self.hash_bits is None else features.size
            features.restore(_arrays(counter), size, with_df=False)
        self._compiled, self._counter, self._features = compiled, counter, features
        if found is None or self.hash_bits is not None:
            return self.rows(sequences, threads)
        starts, ids, values = found
        if values is None:
            return CsrRows.of_ones(starts, ids, features.size, distinct=True)
        return CsrRows(starts, ids, values, features.size, distinct=True)

    def _restored_counter(self) -> _core.TokenFeatureCounter:
        stored = self._features.tensors(with_df=False)
        if not stored:
            return _core.TokenFeatureCounter()
        df = np.zeros(len(stored["hashes"]), dtype=np.uint32)
        return _core.TokenFeatureCounter(
            stored["hashes"], df, stored["name_bytes"], stored["name_offsets"]
        )


def _counts(
    counter: _core.TokenFeatureCounter,
    features: TokenFeatures,
    compiled: CompiledTemplates,
    parts: Iterable[Sentences],
    threads: int,
) -> Iterator[int]:
    """Let the counter see all parts, in their order; how many tokens each has."""
    if not isinstance(parts, FarParts):
        for part in parts:
            counter.learn(compiled.core, *compiled.over(part, threads), 1, ALL, threads)
            yield int(part.offsets[-1])
        return
    blank = type(features)(**features.get_params(deep=False))
    nothing = features._numbering()
    nothing.restore(_arrays(_core.TokenFeatureCounter()), nothing.size, with_df=False)
    blank._compiled, blank._counter, blank._features = compiled, None, nothing
    for tokens, *found in parts.each(CountFeatures(blank)):
        counter.merge(*found)
        yield tokens


@runtime_checkable
class FarParts(Protocol):
    """Sentences in parts that lie elsewhere: a call goes to each of them, and answers come in order."""

    def each(self, call: Callable[[Any], Any]) -> Iterator[Any]: ...


@dataclass(frozen=True)
class CountUsual:
    """What `UsualTags` finds in some sentences."""

    word: str

    def __call__(self, part: Any) -> Any:
        usual = UsualTags()
        usual.add(part.columns[self.word], part.labels)
        return usual.found()


@dataclass(frozen=True)
class CountFeatures:
    """Tokens, and the features of some sentences in the order in which they are met."""

    features: TokenFeatures  # with templates, and no numbers yet

    def __call__(self, part: Sentences) -> tuple[Any, ...]:
        compiled, counter = self.features.compiled, _core.TokenFeatureCounter()
        counter.learn(compiled.core, *compiled.over(part, 1), 1, ALL, 1)
        names = counter.name_bytes, counter.name_offsets
        return int(part.offsets[-1]), counter.hashes, counter.document_frequencies, *names


def _arrays(counter: _core.TokenFeatureCounter) -> dict[str, NDArray[Any]]:
    return {
        "slots": counter.slots,
        "hashes": counter.hashes,
        "name_bytes": counter.name_bytes,
        "name_offsets": counter.name_offsets,
    }


def _counter_among(
    stored: Mapping[str, NDArray[Any]], kept: NDArray[np.int64]
) -> _core.TokenFeatureCounter:
    """Some features, numbered anew in their order."""
    name_bytes, name_offsets = take_ragged(stored["name_bytes"], stored["name_offsets"], kept)
    df = np.zeros(len(kept), np.uint32)
    return _core.TokenFeatureCounter(stored["hashes"][kept], df, name_bytes, name_offsets)


def selected(df: NDArray[np.uint32], lowest: float, most: int) -> NDArray[np.int64]:
    """Features in at least so many tokens; of these the most frequent, of equals those seen first."""
    kept = np.flatnonzero(df >= lowest)
    if len(kept) > most:
        kept = np.sort(kept[np.argsort(-df[kept].astype(np.int64), kind="stable")[:most]])
    return kept


def _under(prefix: str, tensors: Mapping[str, NDArray[Any]]) -> dict[str, NDArray[Any]]:
    return {
        name.removeprefix(prefix): array for name, array in tensors.items() if name.startswith(prefix)
    }
