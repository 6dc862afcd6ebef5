"""Text features once they have learnt: numbers, names, values, occurrences, parts of a model file."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

import linnet._core as _core
from linnet.data.matrix import CsrRows
from linnet.data.texts import as_texts
from linnet.errors import DataError
from linnet.features.packed_weights import PackedWeights
from linnet.features.sparse_weights import SparseWeights
from linnet.features.text.aligned import AlignedText
from linnet.features.text.columns import Columns, Entries
from linnet.features.text.hooks import HOOKS, from_file, to_file
from linnet.features.text.names import JoinedNames
from linnet.features.text.numbering import HashedFeatures, InternedFeatures, checked
from linnet.features.text.packed import PackedFeatures
from linnet.features.text.preparing import PREPARING, Preparation
from linnet.features.text.scorer import FusedScorer
from linnet.features.text.stored import StoredFeatures
from linnet.features.text.words import Words

Columnwise = Mapping[str, Any]
Numbering = InternedFeatures | HashedFeatures | PackedFeatures


class LearntText(StoredFeatures):
    """What `TextFeatures` know of the texts they have seen, and can tell of one."""

    kind: ClassVar[str] = "text"
    tf: str
    scale: str
    norm: str
    elementwise: str
    part_weights: Any
    _features: Numbering
    _values: NDArray[np.float32] | None
    _columns: Columns
    _analyzer: _core.Analyzer
    _documents: int

    def _start(self) -> None:
        """Forget what was learnt."""
        raise NotImplementedError

    def rows(self, texts: Any, threads: int = 1, columns: Columnwise | None = None) -> CsrRows:
        """Rows of texts; features not seen before are left out."""
        raise NotImplementedError

    def _rows(self, texts: _core.Texts, threads: int = 1, columns: Columnwise | None = None) -> CsrRows:
        """Rows of texts that are prepared."""
        raise NotImplementedError

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

    def prepared(self, texts: Any) -> _core.Texts:
        """Texts as they are before they are cut: what settings ask to be done to them is done."""
        return Preparation(self).texts(texts)

    def aligned(self, text: str) -> AlignedText:
        """The same of one text, and where its characters come from."""
        return Preparation(self).one(text)

    def occurrences(
        self, text: str | AlignedText, columns: Columnwise | None = None
    ) -> list[tuple[int, int, int, str, float]]:
        """Every n-gram of a text: feature (-1 if unknown), begin and end, name, share of x.

        Begin and end count characters of the text as it is given, or if it is `aligned`, as that shows
        it. The shares of a feature's occurrences add up to its x. What stands beside the n-grams comes
        last, with -1 for begin and end.
        """
        self._check_fitted()
        aligned = self.aligned(text) if isinstance(text, str) else text
        text = aligned.text
        given = {k: [v] for k, v in (columns or {}).items()}
        row = self._rows(as_texts([text]), columns=given)
        x: dict[int, float] = {}
        for j, value in zip(row.indices.tolist(), row.values.tolist(), strict=True):
            x[j] = x.get(j, 0.0) + value  # parts of a row may share a number
        hashes, begins, ends, _, _ = self._analyzer.grams(text)
        ids = self._features.table.find(hashes)
        times: dict[int, int] = {}
        for j in ids.tolist():
            times[j] = times.get(j, 0) + 1
        character = _characters(text).tolist()
        found = [
            (j, *aligned.place(character[begin], character[end]), name, x.get(j, 0.0) / times[j])
            for j, begin, end, name in zip(
                ids.tolist(), begins, ends, self._analyzer.names(text), strict=True
            )
        ]
        first, names = self._features.size, self._columns.names
        return found + [(j, -1, -1, names[j - first], x[j]) for j in x if j >= first]

    def words(self, aligned: AlignedText) -> tuple[list[tuple[int, int]], list[tuple[int, ...]]]:
        """Begin and end of every word of a text; and to which words each n-gram belongs.

        n-grams are in the order of `occurrences`, words go by their number. An n-gram of tokens belongs
        to those that it is made of, one of characters to those that it covers in part, if any.
        """
        text = aligned.text
        found = Words(self, text)
        character = _characters(text).tolist()
        spans: list[tuple[int, int]] = []
        shown: list[int] = []  # (words of the text,): as which of those that are shown
        for word_begin, word_end in zip(found.begins, found.ends, strict=True):
            begin, end = aligned.place(character[word_begin], character[word_end])
            if spans and begin < spans[-1][1]:  # of one character several words were made
                spans[-1] = (spans[-1][0], max(end, spans[-1][1]))
            else:
                spans.append((begin, end))
            shown.append(len(spans) - 1)
        _, begins, ends, blocks, _ = self._analyzer.grams(text)
        grams = zip(blocks.tolist(), begins.tolist(), ends.tolist(), strict=True)
        return spans, [
            tuple(dict.fromkeys(shown[word] for word in found.of_gram(*gram))) for gram in grams
        ]

    def beside(self, texts: _core.Texts, columns: Columnwise | None, threads: int = 1) -> Entries:
        """What stands beside the n-grams: (texts, m) numbers of features, -1 for none, and their x."""
        ids, x = self._columns.entries(texts, self._analyzer, columns, self._features.size, threads)
        return ids, {"none": x, "abs": np.abs(x), "square": x * x}[self.elementwise]

    def scorer(
        self, weights: NDArray[np.floating] | PackedWeights | SparseWeights, width: int, bias: float
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
        given = self.get_params(deep=False)
        settings = {
            name: to_file(value) if name in HOOKS else _plain(value)
            for name, value in given.items()
            if name not in PREPARING or value != PREPARING[name]  # or older versions could not read it
        }
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
            settings |= {name: from_file(name, given.get(name)) for name in HOOKS}
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
