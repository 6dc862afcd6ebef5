"""Texts as rows of weighted n-grams, with columns beside them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

import linnet._core as _core
from linnet.data.matrix import CsrRows
from linnet.data.texts import as_texts
from linnet.errors import DataError
from linnet.features.blocks import analyzer, part_weights
from linnet.features.columns import Columns, Entries
from linnet.features.names import JoinedNames
from linnet.features.numbering import HashedFeatures, InternedFeatures, checked
from linnet.features.packed import PackedFeatures
from linnet.features.packed_weights import PackedWeights
from linnet.features.scorer import FusedScorer
from linnet.features.stored import StoredFeatures

Range = tuple[int, int] | None
Columnwise = Mapping[str, Any]
Numbering = InternedFeatures | HashedFeatures | PackedFeatures


class TextFeatures(StoredFeatures):
    """n-grams of texts, numbered, counted and weighted.

    A row holds x_j = f(v_j t(c_j)) / norm for the features j that occur in a text, c_j times:

    - t is ``tf``: "count" (c), "binary" (1) or "sublinear" (1 + ln c);
    - v_j is 1, or with ``scale="idf"`` ln((1 + n) / (1 + df_j)) + 1, or with ``scale="nb"`` and two
      labels the naive Bayes log-count ratio smoothed by ``alpha`` (for more labels see
      `label_ratios`: rows are then left unscaled);
    - f is ``elementwise``: "none", "abs" or "square"; norm is "l2", "l1" or "none".

    ``word``, ``chars`` and ``chars_wb`` are (shortest, longest) lengths of n-grams, or None;
    ``skip`` is the largest gap of skip-bigrams; ``lead`` makes the 1- and 2-grams of so many first
    tokens features of their own; ``chars_first`` looks for characters in so many first ones only.
    With ``mix``, weights by block ("word", "chars_wb", "lead", …; 1 where none is given), every block
    is normalised by itself and then weighed, and the row as a whole has the norm 1 again.
    Tokens of fewer than ``min_length`` characters, and ``stop_words``, are removed before n-grams are
    formed. ``min_df`` and ``max_df`` bound the number of documents a feature occurs in (an int) or
    their share (a float); ``max_features`` keeps the most frequent of the rest. Features are numbered
    by first occurrence, or with ``hash_bits`` by their hash. ``statistics``, ``numeric`` and
    ``categorical`` name what stands beside the n-grams, after them and outside of the norm.

    >>> features = TextFeatures(word=(1, 1), norm="none")
    >>> features.fit_rows(["to be or not to be"]).values.tolist()
    [1.0, 1.0, 1.0, 1.0]
    >>> list(features.names)
    ['to', 'be', 'or', 'not']
    """

    def __init__(
        self,
        *,
        word: Range = (1, 2),
        chars: Range = None,
        chars_wb: Range = None,
        skip: int = 0,
        shape: bool = False,
        lead: int = 0,
        chars_first: int = 0,
        mix: Mapping[str, float] | None = None,
        lowercase: bool = True,
        punctuation: bool = True,
        tokens: str = "unicode",
        stop_words: str | Sequence[str] | None = None,
        min_length: int = 1,
        min_df: float = 1,
        max_df: float = 1.0,
        max_features: int | None = None,
        tf: str = "binary",
        scale: str = "none",
        alpha: float = 1.0,
        norm: str = "l2",
        elementwise: str = "none",
        statistics: Sequence[str] = (),
        numeric: Sequence[str] = (),
        categorical: Sequence[str] = (),
        hash_bits: int | None = None,
        keep_names: bool = False,
    ) -> None:
        self.word = word
        self.chars = chars
        self.chars_wb = chars_wb
        self.skip = skip
        self.shape = shape
        self.lead = lead
        self.chars_first = chars_first
        self.mix = mix
        self.lowercase = lowercase
        self.punctuation = punctuation
        self.tokens = tokens
        self.stop_words = stop_words
        self.min_length = min_length
        self.min_df = min_df
        self.max_df = max_df
        self.max_features = max_features
        self.tf = tf
        self.scale = scale
        self.alpha = alpha
        self.norm = norm
        self.elementwise = elementwise
        self.statistics = statistics
        self.numeric = numeric
        self.categorical = categorical
        self.hash_bits = hash_bits
        self.keep_names = keep_names

    # Learning what there is

    def fit_rows(
        self,
        texts: Any,
        codes: NDArray[np.int32] | None = None,
        n_labels: int = 0,
        threads: int = 1,
        columns: Columnwise | None = None,
    ) -> CsrRows:
        """Learn the features of texts and give their rows.

        ``codes`` are label numbers below ``n_labels``; only ``scale="nb"`` looks at them.
        """
        texts = as_texts(texts)
        self._start()
        counted = self._features.fit(texts, self._analyzer, self.tf != "binary", threads)
        self._documents = len(texts)
        self._set_values(counted, codes, n_labels)
        self._columns.fit(columns, len(texts))
        return self._weigh(counted, texts, columns, threads)

    def grow_rows(self, texts: Any, threads: int = 1) -> CsrRows:
        """Rows of more texts, whose new features get the next numbers.

        Document frequencies follow; `min_df`, `max_df` and `max_features` do not apply.
        """
        texts = as_texts(texts)
        if self.scale == "nb" and not self._fitted:
            raise ValueError("scale='nb' needs all texts at once; on a stream use 'idf' or 'none'")
        if self.statistics or self.numeric or self.categorical:
            raise ValueError(
                "columns stand after the n-grams, whose number must not change then; "
                "on a stream leave statistics, numeric and categorical empty"
            )
        if not self._fitted:
            self._start()
        counted = self._features.grow(texts, self._analyzer, self.tf != "binary", threads)
        self._documents += len(texts)
        self._set_values(counted, None, 0, growing=True)
        return self._weigh(counted, texts, None, threads)

    def rows(self, texts: Any, threads: int = 1, columns: Columnwise | None = None) -> CsrRows:
        """Rows of texts; features not seen before are left out."""
        self._check_fitted()
        texts = as_texts(texts)
        counted = self._features.table.count(texts, self._analyzer, self.tf != "binary", threads)
        return self._weigh(counted, texts, columns, threads)

    # What was learnt

    @property
    def n_features(self) -> int:
        self._check_fitted()
        return self._features.size + len(self._columns.names)

    @property
    def names(self) -> Sequence[str]:
        """What each feature stands for, decoded when it is asked for."""
        self._check_fitted()
        if not self._columns:
            return self._features.names
        return JoinedNames(self._features.names, self._columns.names)

    @property
    def values(self) -> NDArray[np.float32]:
        """v_j, one for each feature; 1 where nothing scales it."""
        self._check_fitted()
        values = np.ones(self.n_features, dtype=np.float32)
        if self._values is not None:
            values[: len(self._values)] = self._values
        return values

    @property
    def size(self) -> int:
        """How many n-grams have a number; what stands beside them comes after."""
        self._check_fitted()
        return self._features.size

    @property
    def own_values(self) -> NDArray[np.float32] | None:
        """The v of n-grams where it lies, or None if it is 1 throughout."""
        self._check_fitted()
        return self._values

    @property
    def numbering(self) -> Numbering:
        """How n-grams are numbered."""
        self._check_fitted()
        return self._features

    @property
    def has_columns(self) -> bool:
        """Does anything stand beside the n-grams?"""
        return bool(self._columns)

    @property
    def collisions(self) -> int:
        """How many features share a number with another; known if hashing keeps names."""
        self._check_fitted()
        return self._features.collisions

    @property
    def analyzer(self) -> _core.Analyzer:
        """What cuts texts into n-grams."""
        self._check_fitted()
        return self._analyzer

    @property
    def table(self) -> _core.FeatureTable:
        """The numbers of n-grams by their hashes."""
        self._check_fitted()
        return self._features.table

    def occurrences(
        self, text: str, columns: Columnwise | None = None
    ) -> list[tuple[int, int, int, str, float]]:
        """Every n-gram of a text: feature (-1 if unknown), begin and end, name, share of x.

        Begin and end count characters. The shares of a feature's occurrences add up to its x. What
        stands beside the n-grams comes last, with -1 for begin and end.
        """
        row = self.rows([text], columns={k: [v] for k, v in (columns or {}).items()})
        x: dict[int, float] = {}
        for j, value in zip(row.indices.tolist(), row.values.tolist(), strict=True):
            x[j] = x.get(j, 0.0) + value  # parts of a row may share a number
        hashes, begins, ends, _, _ = self._analyzer.grams(text)
        ids = self._features.table.find(hashes)
        times: dict[int, int] = {}
        for j in ids.tolist():
            times[j] = times.get(j, 0) + 1
        character = _characters(text)
        found = [
            (j, int(character[begin]), int(character[end]), name, x.get(j, 0.0) / times[j])
            for j, begin, end, name in zip(
                ids.tolist(), begins, ends, self._analyzer.names(text), strict=True
            )
        ]
        first, names = self._features.size, self._columns.names
        return found + [(j, -1, -1, names[j - first], x[j]) for j in x if j >= first]

    def beside(self, texts: _core.Texts, columns: Columnwise | None, threads: int = 1) -> Entries:
        """What stands beside the n-grams: (texts, m) numbers of features, -1 for none, and their x."""
        ids, x = self._columns.entries(texts, self._analyzer, columns, self._features.size, threads)
        return ids, {"none": x, "abs": np.abs(x), "square": x * x}[self.elementwise]

    def scorer(
        self, weights: NDArray[np.floating] | PackedWeights, width: int, bias: float
    ) -> FusedScorer:
        """What scores texts by weights (n_features + 1, padded width), without making rows."""
        self._check_fitted()
        return FusedScorer(self, weights, width, bias)

    def renumbered(self, packed: PackedFeatures) -> Self:
        """A copy with the same settings that numbers features as ``packed`` does."""
        copy = type(self)(**self.get_params(deep=False))
        copy._start()
        copy._documents, copy._columns = self._documents, self._columns
        copy._features, copy._values = packed, packed.exact_values
        return copy

    # Parts of a model file

    def spec(self) -> dict[str, Any]:
        """Settings and small facts, as JSON; with `tensors` all there is to know."""
        self._check_fitted()
        settings = {name: _plain(value) for name, value in self.get_params(deep=False).items()}
        found = {
            "settings": settings,
            "features": self._features.size,
            "scaled": self._values is not None,
            "documents": self._documents,
            "columns": self._columns.spec(),
        }
        if isinstance(self._features, PackedFeatures):
            found["packed"] = self._features.spec()
        return found

    def tensors(self) -> dict[str, NDArray[Any]]:
        """The vocabulary's arrays, and v if there is one."""
        self._check_fitted()
        found = self._features.tensors(with_df=self.scale == "idf")
        if self._values is not None:
            found.setdefault("values", self._values)  # packed features have theirs
        return found

    @classmethod
    def from_parts(cls, spec: Mapping[str, Any], tensors: Mapping[str, NDArray[Any]]) -> Self:
        """The inverse; arrays are not copied and may be those of a mapped file."""
        try:
            given: dict[str, Any] = spec["settings"]
            settings: dict[str, Any] = {
                name: tuple(value) if isinstance(value, list) else value
                for name, value in given.items()
            }
            self = cls(**settings)
            self._start()
            size = int(spec["features"])
            self._documents = int(spec["documents"])
            self._columns.restore(spec["columns"])
            if "packed" in spec:
                return self.renumbered(PackedFeatures.from_parts(spec["packed"], tensors))
            assert not isinstance(self._features, PackedFeatures)  # nothing is packed at the start
            self._features.restore(tensors, size, with_df=self.scale == "idf")
            if spec["scaled"]:
                self._values = checked(tensors, {"values": (np.float32, size)})["values"]
        except (KeyError, TypeError, AttributeError) as error:
            raise DataError(f"the text features are damaged: {error!r}") from None
        return self

    # scikit-learn's protocol

    def fit(self, X: Any, y: Any = None) -> Self:
        """Learn the features of texts."""
        self.fit_transform(X, y)
        return self

    def fit_transform(self, X: Any, y: Any = None) -> Any:
        """Learn the features of texts; their rows as a SciPy matrix."""
        if y is None:
            return self.fit_rows(X).scipy()
        labels, codes = np.unique(np.asarray(y), return_inverse=True)
        return self.fit_rows(X, codes.astype(np.int32), len(labels)).scipy()

    def transform(self, X: Any) -> Any:
        """Rows of texts as a SciPy matrix."""
        return self.rows(X).scipy()

    def get_feature_names_out(self, input_features: Any = None) -> NDArray[np.object_]:
        """Names of the columns of `transform`."""
        return np.array(list(self.names), dtype=object)

    # Within

    kind: ClassVar[str] = "text"
    _features: Numbering
    _values: NDArray[np.float32] | None

    def _start(self) -> None:
        for name, allowed in _CHOICES.items():
            if getattr(self, name) not in allowed:
                known = ", ".join(map(repr, allowed))
                raise ValueError(f"{name} must be one of {known}, not {getattr(self, name)!r}")
        self._columns = Columns(self.statistics, self.numeric, self.categorical)
        self._analyzer = analyzer(self)
        self.part_weights = part_weights(self)
        self._documents = 0
        self._values = None
        bounds = (self.min_df, self.max_df, self.max_features)
        if self.hash_bits is None:
            self._features = InternedFeatures(*bounds)
        elif bounds == (1, 1.0, None):
            self._features = HashedFeatures(self.hash_bits, self.keep_names, self.scale == "idf")
        else:
            raise ValueError(
                "hashing forgets which features there are: with hash_bits leave min_df, max_df and "
                "max_features alone"
            )

    def _set_values(
        self,
        counted: _core.CountedRows,
        codes: NDArray[np.int32] | None,
        n_labels: int,
        growing: bool = False,
    ) -> None:
        if self.scale == "idf":
            df = self._features.document_frequencies
            self._values = (np.log((1 + self._documents) / (1.0 + df)) + 1).astype(np.float32)
        elif self.scale == "nb" and growing:
            if self._values is not None:  # what came later has no ratio
                new = np.ones(self._features.size - len(self._values), dtype=np.float32)
                self._values = np.concatenate([self._values, new])
        elif self.scale == "nb":
            if codes is None or n_labels < 2:
                raise ValueError("scale='nb' needs labels: pass codes and n_labels")
            if n_labels == 2:
                codes = np.ascontiguousarray(codes, dtype=np.int32)
                ratios = counted.label_ratios(codes, self._features.size, 2, self.alpha, self.tf)
                self._values = np.ascontiguousarray(ratios[:, 1])

    def _weigh(
        self,
        counted: _core.CountedRows,
        texts: _core.Texts,
        columns: Columnwise | None,
        threads: int,
    ) -> CsrRows:
        part_starts = None if self.mix is None or self._columns else counted.starts
        arrays = counted.weigh(
            self.tf, self.norm, self.elementwise, self._values, threads, self.part_weights
        )
        if self._columns:
            arrays = _core.append_entries(*arrays, *self.beside(texts, columns, threads))
        # Blocks that are counted apart may meet in a bucket or a slot.
        distinct = self.mix is None or isinstance(self._features, InternedFeatures)
        return CsrRows(*arrays, features=self.n_features, distinct=distinct, part_starts=part_starts)


_CHOICES: dict[str, Iterable[str]] = {
    "tokens": ("unicode", "whitespace"),
    "tf": ("count", "binary", "sublinear"),
    "scale": ("none", "idf", "nb"),
    "norm": ("none", "l1", "l2"),
    "elementwise": ("none", "abs", "square"),
}


def _plain(value: Any) -> Any:
    """As JSON has it."""
    if isinstance(value, Mapping):
        return {name: _plain(inner) for name, inner in value.items()}
    if isinstance(value, (set, frozenset)):
        return sorted(value)
    if isinstance(value, (tuple, list, np.ndarray)):
        return [_plain(inner) for inner in value]
    return value.item() if isinstance(value, np.generic) else value


def _characters(text: str) -> NDArray[np.int64]:
    """The character each byte of the text belongs to, and their number at the end."""
    # A lone surrogate has no UTF-8; the core reads it as U+FFFD.
    whole = text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    data = np.frombuffer(whole.encode(), dtype=np.uint8)
    begins = (data & 0xC0) != 0x80
    return np.append(np.cumsum(begins) - 1, len(text))
