"""Texts as rows of weighted n-grams, with columns beside them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

import linnet._core as _core
from linnet._params import flag
from linnet.data.label_names import check_label_types
from linnet.data.matrix import CsrRows
from linnet.features.text.blocks import analyzer, part_weights
from linnet.features.text.columns import Columns
from linnet.features.text.counted import GrowingFeatures
from linnet.features.text.hooks import Hook
from linnet.features.text.learnt import Columnwise, LearntText
from linnet.features.text.numbering import HashedFeatures, InternedFeatures
from linnet.features.text.preparing import Preparation

Range = tuple[int, int] | None


class TextFeatures(LearntText):
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

    Before all that a text goes through ``preprocessor`` (str to str), ``strip_html``, ``normalize``
    ("NFC" or "NFKC"), ``strip_accents`` and ``tokenizer`` (str to a list of str, in place of
    ``tokens``), those that are given. The two hooks are callables, or paths "module:function".

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
        preprocessor: str | Hook | None = None,
        tokenizer: str | Hook | None = None,
        strip_html: bool = False,
        normalize: str | None = None,
        strip_accents: bool = False,
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
        self.preprocessor = preprocessor
        self.tokenizer = tokenizer
        self.strip_html = strip_html
        self.normalize = normalize
        self.strip_accents = strip_accents

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
        self._start()
        texts = self.prepared(texts)
        counted = self._features.fit(texts, self._analyzer, self.tf != "binary", threads)
        self._documents = len(texts)
        self._set_values(counted, codes, n_labels)
        self._columns.fit(columns, len(texts))
        return self._weigh(counted, texts, columns, threads)

    def grow_rows(self, texts: Any, threads: int = 1) -> CsrRows:
        """Rows of more texts, whose new features get the next numbers.

        Document frequencies follow; `min_df`, `max_df` and `max_features` do not apply.
        """
        if self.scale == "nb" and not self._fitted:
            raise ValueError("scale='nb' needs all texts at once; on a stream use 'idf' or 'none'")
        if self.statistics or self.numeric or self.categorical:
            raise ValueError(
                "columns stand after the n-grams, whose number must not change then; "
                "on a stream leave statistics, numeric and categorical empty"
            )
        if not self._fitted:
            self._start()
        texts = self.prepared(texts)
        counted = self._features.grow(texts, self._analyzer, self.tf != "binary", threads)
        self._documents += len(texts)
        self._set_values(counted, None, 0, growing=True)
        return self._weigh(counted, texts, None, threads)

    def rows(self, texts: Any, threads: int = 1, columns: Columnwise | None = None) -> CsrRows:
        """Rows of texts; features not seen before are left out."""
        self._check_fitted()
        return self._rows(self.prepared(texts), threads, columns)

    # scikit-learn's protocol

    def fit(self, X: Any, y: Any = None) -> Self:
        """Learn the features of texts."""
        self.fit_transform(X, y)
        return self

    def fit_transform(self, X: Any, y: Any = None) -> Any:
        """Learn the features of texts; their rows as a SciPy matrix."""
        self._check_output()
        if y is None:
            return self.fit_rows(X).scipy()
        check_label_types(y)
        labels, codes = np.unique(np.asarray(y), return_inverse=True)
        return self.fit_rows(X, codes.astype(np.int32), len(labels)).scipy()

    def transform(self, X: Any) -> Any:
        """Rows of texts as a SciPy matrix."""
        self._check_fitted()
        self._check_output()
        return self.rows(X).scipy()

    def set_output(self, *, transform: str | None = None) -> Self:
        """As of scikit-learn's transformers: rows are sparse, so only 'default' can be had."""
        if transform is not None:
            self._sklearn_output_config = {"transform": transform}
        return self

    def _check_output(self) -> None:
        wanted = getattr(self, "_sklearn_output_config", {}).get("transform", "default")
        if wanted != "default":
            raise ValueError(
                f"the rows of TextFeatures are a sparse matrix, and transform={wanted!r} would have to "
                f"write out every zero: use set_output(transform='default')"
            )

    def __sklearn_tags__(self) -> Any:
        from sklearn.utils import InputTags, Tags, TargetTags, TransformerTags

        return Tags(
            estimator_type=None,
            target_tags=TargetTags(required=self.scale == "nb"),
            transformer_tags=TransformerTags(preserves_dtype=[]),
            input_tags=InputTags(string=True, two_d_array=False),
        )

    def get_feature_names_out(self, input_features: Any = None) -> NDArray[np.object_]:
        """Names of the columns of `transform`."""
        return np.array(list(self.names), dtype=object)

    # Within

    def _rows(self, texts: _core.Texts, threads: int = 1, columns: Columnwise | None = None) -> CsrRows:
        counted = self._features.table.count(texts, self._analyzer, self.tf != "binary", threads)
        return self._weigh(counted, texts, columns, threads)

    def _start(self) -> None:
        for name, allowed in _CHOICES.items():
            if getattr(self, name) not in allowed:
                known = ", ".join(map(repr, allowed))
                raise ValueError(f"{name} must be one of {known}, not {getattr(self, name)!r}")
        Preparation(self)  # which looks at its settings
        self._columns = Columns(self.statistics, self.numeric, self.categorical)
        self._analyzer = analyzer(self)
        self.part_weights = part_weights(self)
        self._documents = 0
        self._values = None
        bounds = (self.min_df, self.max_df, self.max_features)
        if self.hash_bits is None:
            self._features = InternedFeatures(*bounds)
        elif bounds == (1, 1.0, None):
            self._features = HashedFeatures(
                self.hash_bits, flag("keep_names", self.keep_names), self.scale == "idf"
            )
        else:
            raise ValueError(
                "hashing forgets which features there are: with hash_bits leave min_df, max_df and "
                "max_features alone"
            )

    def _set_values(
        self,
        counted: _core.CountedRows | GrowingFeatures,
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
