"""Sentences and trees in a file, as numbers: what is kept of data that are larger than memory.

A piece is what was read at a time, about a megabyte: for each column the distinct texts of the piece
and the number of each token among them, in as few bytes as will do; lengths of sentences, tags, heads
and relations, weights and attributes. So a token takes a byte or two for each column. Rows of features
would take a hundred and more, and are made of tokens when a shard is at hand; see ARCHITECTURE.md.
"""

from __future__ import annotations

import json
import struct
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from hashlib import blake2b
from itertools import pairwise
from typing import Any, BinaryIO

import numpy as np
from numpy.typing import NDArray

import linnet._core as _core
from linnet.data.examples import LabelColumn
from linnet.data.joined_sentences import check_alike, join_sentences
from linnet.data.matrix import CsrRows
from linnet.data.sections import DamagedError, Sections, Stored
from linnet.data.sequences import MISSING, Sequences
from linnet.data.trees import Trees

Arrays = dict[str, NDArray[Any]]
HEAD = struct.Struct("<Q")
ALIGNED = 8


class Keeping:
    """Writes them, as they come."""

    def __init__(self, file: BinaryIO) -> None:
        self.sections = Sections(file)
        self.sizes: list[tuple[int, int]] = []  # sentences and tokens of each piece
        self.tags, self.relations = _Names(), _Names()
        self.columns: list[str] | None = None
        self.labelled = self.weighed = self.trees = False
        self.weight = 0.0  # of all sentences
        self.entries = 0  # of attributes
        self.first = ""  # the file that the others must be like

    def add(self, some: Sequences | Trees) -> None:
        """The next sentences."""
        data = some if isinstance(some, Sequences) else some.sequences
        self._check(data)
        arrays: Arrays = {"lengths": _small(np.diff(data.offsets))}
        same: dict[str, str] = {}  # columns that are others by another name
        known: dict[int, str] = {}
        for name, texts in data.columns.items():
            first = known.setdefault(id(texts), name)
            if first != name:
                same[name] = first
                continue
            arrays |= {f"{part} {name}": array for part, array in _coded(texts).items()}
        if data.labels is not None:
            arrays["tags"] = self.tags.codes(data.labels)
        self.weight += float(len(data) if data.weights is None else data.weights.sum())
        if data.weights is not None:
            arrays["weights"], self.weighed = data.weights, True
        if data.attributes is not None:
            arrays |= _attribute_arrays(data)
            self.entries += len(data.attributes.indices)
        if isinstance(some, Trees):
            arrays["heads"] = _small(some.heads + 1)
            arrays["relations"] = self.relations.codes(some.relations)
            self.trees = True
        self.sections.add(f"piece {len(self.sizes)}", _packed(arrays, same))
        self.sizes.append((len(data), data.tokens))

    def _check(self, data: Sequences) -> None:
        """All files have the same columns, and tags or none."""
        names = list(data.columns)
        if self.columns is None:
            self.columns, self.first, self.labelled = names, data.source, data.labels is not None
        check_alike(
            self.first, self.columns, self.labelled, data.source, names, data.labels is not None
        )

    def finish(self, facts: dict[str, Any]) -> None:
        """All have come."""
        self.sections.finish(facts | {"kept": self.found()})

    def found(self) -> dict[str, Any]:
        """What is known of all of them, as JSON."""
        return {
            "sizes": self.sizes,
            "columns": self.columns or [],
            "tags": self.tags.names if self.labelled else None,
            "relations": self.relations.names,
            "tag_counts": self.tags.counts,
            "missing": self.tags.missing,
            "weighed": self.weighed,
            "trees": self.trees,
            "entries": self.entries,
            "weight": self.weight,
        }


class _Names:
    """Names numbered as they come, how often each does, and how often there is none."""

    def __init__(self) -> None:
        self.number: dict[str, int] = {}
        self.counts: list[int] = []
        self.missing = 0

    @property
    def names(self) -> list[str]:
        return list(self.number)

    def codes(self, column: LabelColumn) -> NDArray[Any]:
        """From 1 on; 0 where there is none."""
        counts = np.bincount(column.codes + 1, minlength=len(column.names) + 1).tolist()
        self.missing += counts[0]
        table = np.zeros(len(column.names) + 1, np.int64)  # the code -1 finds the last one
        for k, name in enumerate(column.names):
            if counts[k + 1]:
                place = self.number.setdefault(name, len(self.number))
                self.counts += [0] * (place + 1 - len(self.counts))
                self.counts[place] += counts[k + 1]
                table[k] = place + 1
        return _small(table[column.codes])


class KnownSentences:
    """Sentences that are not here, but of which much is known: sizes, columns, tags."""

    @property
    def facts(self) -> dict[str, Any]:
        """What was found on the way."""
        raise NotImplementedError

    def fingerprint(self) -> str:
        """Of all of them."""
        raise NotImplementedError

    def read(self, begin: int, end: int, columns: Sequence[str] | None = None) -> Sequences:
        """The sentences of some pieces, with these columns alone."""
        raise NotImplementedError

    def read_trees(
        self, begin: int, end: int, roots: str, columns: Sequence[str] | None = None
    ) -> Trees:
        """The trees of some pieces."""
        raise NotImplementedError

    @property
    def sizes(self) -> list[tuple[int, int]]:
        """Sentences and tokens of each piece."""
        return [(sentences, tokens) for sentences, tokens in self.facts["sizes"]]

    @property
    def sentences(self) -> int:
        """Of all pieces."""
        return sum(sentences for sentences, _ in self.sizes)

    @property
    def tokens(self) -> int:
        """Of all pieces."""
        return sum(tokens for _, tokens in self.sizes)

    @property
    def columns(self) -> list[str]:
        """What is known of tokens."""
        return list(self.facts["columns"])

    @property
    def tags(self) -> list[str] | None:
        """Those that some token has, sorted; None if there are none to read."""
        return None if self.facts["tags"] is None else sorted(self.facts["tags"])

    @property
    def relations(self) -> list[str]:
        """Those that some token has, sorted."""
        return sorted(self.facts["relations"])

    def tag_counts(self) -> NDArray[np.int64]:
        """How many tokens have each tag."""
        counts = dict(zip(self.facts["tags"], self.facts["tag_counts"], strict=True))
        return np.array([counts[tag] for tag in self.tags or ()], np.int64)

    def parts(self, columns: Sequence[str] | None = None) -> Parts:
        """Piece by piece, as often as they are asked for; with these columns alone."""
        return Parts(self, columns)

    def tagged(self) -> Parts:
        """Piece by piece, for who looks at tags alone."""
        return Parts(self, self.columns[:1])


@dataclass(frozen=True)
class Kept(KnownSentences):
    """Those of a file: read all, piece by piece, or those of a shard."""

    stored: Stored

    @property
    def facts(self) -> dict[str, Any]:
        """What was found on the way."""
        found: dict[str, Any] = self.stored.facts["kept"]
        return found

    def fingerprint(self) -> str:
        """Of all that is kept."""
        sums = [self.stored.table[f"piece {k}"]["sum"] for k in range(len(self.sizes))]
        return blake2b(json.dumps([self.facts, sums]).encode(), digest_size=8).hexdigest()

    def cut(self, tokens: int) -> list[tuple[int, int]]:
        """Pieces [begin, end) of shards of about so many tokens each; as alike in size as may be."""
        ends = np.cumsum([tokens for _, tokens in self.sizes])
        count = min(-(-int(ends[-1]) // max(tokens, 1)), len(ends))
        wanted = ends[-1] * np.arange(1, count + 1) / count
        at = np.unique(np.searchsorted(ends, wanted - 0.5) + 1).tolist()
        return list(zip([0, *at[:-1]], at, strict=True))

    def read(self, begin: int, end: int, columns: Sequence[str] | None = None) -> Sequences:
        """The sentences of some pieces; what was there before is let go of."""
        self.stored.give_back()
        return join_sentences([self._sentences(k, columns) for k in range(begin, end)])

    def read_trees(
        self, begin: int, end: int, roots: str, columns: Sequence[str] | None = None
    ) -> Trees:
        """The trees of some pieces."""
        sentences = self.read(begin, end, columns)
        found = [self._arrays(k) for k in range(begin, end)]
        heads = np.concatenate([arrays["heads"].astype(np.int32) - 1 for arrays, _ in found])
        relations = [self._labels(arrays["relations"], "relations") for arrays, _ in found]
        return Trees(sentences, heads, LabelColumn(self.relations, np.concatenate(relations)), roots)

    def _sentences(self, piece: int, columns: Sequence[str] | None) -> Sequences:
        arrays, same = self._arrays(piece)
        wanted = self.columns if columns is None else columns
        texts: dict[str, _core.Texts] = {}
        for name in wanted:
            first = same.get(name, name)
            if first not in texts:
                texts[first] = _texts(arrays, first)
        attributes, names = _attributes(arrays)
        return Sequences(
            {name: texts[same.get(name, name)] for name in wanted},
            np.concatenate([np.zeros(1, np.int64), np.cumsum(arrays["lengths"], dtype=np.int64)]),
            None if self.tags is None else LabelColumn(self.tags, self._labels(arrays["tags"], "tags")),
            self._weights(arrays),
            attributes,
            names,
        )

    def _arrays(self, piece: int) -> tuple[Arrays, dict[str, str]]:
        try:
            return _unpacked(self.stored.array(f"piece {piece}"))
        except (KeyError, ValueError, struct.error):
            raise DamagedError(f"{self.stored.name}: piece {piece} is damaged") from None

    def _labels(self, codes: NDArray[Any], kind: str) -> NDArray[np.int32]:
        places = {name: k for k, name in enumerate(sorted(self.facts[kind]))}
        table = np.array([MISSING, *(places[name] for name in self.facts[kind])], np.int32)
        found: NDArray[np.int32] = table[codes]
        return found

    def _weights(self, arrays: Arrays) -> NDArray[np.float64] | None:
        if not self.facts["weighed"]:
            return None
        return arrays["weights"] if "weights" in arrays else np.ones(len(arrays["lengths"]))


@dataclass(frozen=True)
class Parts:
    """All sentences that are kept, piece by piece."""

    kept: KnownSentences
    columns: Sequence[str] | None = None

    def __iter__(self) -> Iterator[Sequences]:
        for piece in range(len(self.kept.sizes)):
            yield self.kept.read(piece, piece + 1, self.columns)


@dataclass(frozen=True)
class Pieces:
    """Some of them: a shard, or a sample."""

    known: KnownSentences
    begin: int
    end: int

    @property
    def size(self) -> int:
        """Of sentences."""
        return sum(sentences for sentences, _ in self.known.sizes[self.begin : self.end])

    def read(self, columns: Sequence[str] | None) -> Sequences:
        """The sentences."""
        return self.known.read(self.begin, self.end, columns)

    def read_trees(self, roots: str, columns: Sequence[str] | None) -> Trees:
        """The trees."""
        return self.known.read_trees(self.begin, self.end, roots, columns)


def _small(numbers: NDArray[Any]) -> NDArray[Any]:
    """In as few bytes as will do."""
    return numbers.astype(np.min_scalar_type(int(numbers.max(initial=0))))


def _coded(texts: _core.Texts) -> Arrays:
    """Distinct texts, byte for byte, and which one each is."""
    codes, names = texts.codes()
    if any("\ufffd" in name for name in names):  # bytes that are no UTF-8 may read alike
        codes, names = _by_bytes(texts)
    first = np.zeros(len(names), np.int64)
    first[codes[::-1]] = np.arange(len(codes) - 1, -1, -1)
    data, offsets = _core.text_bytes(texts.take(first), 0, len(names))
    return {
        "codes": _small(codes),
        "bytes": np.frombuffer(data, np.uint8),
        "sizes": _small(np.diff(offsets)),
    }


def _by_bytes(texts: _core.Texts) -> tuple[NDArray[np.int32], list[Any]]:
    data, offsets = _core.text_bytes(texts, 0, len(texts))
    numbers: dict[bytes, int] = {}
    cells = (data[begin:end] for begin, end in pairwise(offsets.tolist()))
    codes = np.fromiter((numbers.setdefault(cell, len(numbers)) for cell in cells), np.int32)
    return codes, list(numbers)


def _texts(arrays: Arrays, name: str) -> _core.Texts:
    ends = np.cumsum(arrays[f"sizes {name}"], dtype=np.int64)
    starts = np.concatenate([np.zeros(1, np.int64), ends[:-1]])
    distinct = _core.Texts.from_spans(arrays[f"bytes {name}"], starts[: len(ends)], ends)
    return distinct.take(arrays[f"codes {name}"].astype(np.int64))


def _attribute_arrays(data: Sequences) -> Arrays:
    rows, names = data.attributes, data.attribute_names
    assert rows is not None
    joined = "\n".join(names or ()).encode("utf-8", "surrogateescape")
    return {
        "attributes": _small(rows.indices),
        "attribute counts": _small(np.diff(rows.indptr)),
        "attribute values": np.ones(1, np.float32) if (rows.values == 1).all() else rows.values,
        "attribute names": np.frombuffer(joined, np.uint8),
    }


def _attributes(arrays: Arrays) -> tuple[CsrRows | None, list[str] | None]:
    if "attributes" not in arrays:
        return None, None
    indices = arrays["attributes"].astype(np.int32)
    indptr = np.concatenate([[0], np.cumsum(arrays["attribute counts"], dtype=np.int64)])
    text = arrays["attribute names"].tobytes().decode("utf-8", "surrogateescape")
    names = text.split("\n") if text else []
    values = arrays["attribute values"]
    values = np.broadcast_to(values, indices.shape) if len(values) == 1 else values
    return CsrRows(indptr, indices, values, len(names), distinct=True), names


def _packed(arrays: Arrays, same: dict[str, str]) -> NDArray[np.uint8]:
    """One after the other, with a table in front."""
    table, at, parts = [], 0, []
    for name, array in arrays.items():
        data = np.ascontiguousarray(array).tobytes()
        table.append([name, array.dtype.str, at, len(array)])
        padded = -len(data) % ALIGNED
        parts += [data, bytes(padded)]
        at += len(data) + padded
    head = json.dumps({"arrays": table, "same": same}).encode()
    head += b" " * (-len(head) % ALIGNED)
    return np.frombuffer(b"".join([HEAD.pack(len(head)), head, *parts]), np.uint8)


def _unpacked(piece: NDArray[np.uint8]) -> tuple[Arrays, dict[str, str]]:
    (length,) = HEAD.unpack(piece[: HEAD.size].tobytes())
    table = json.loads(piece[HEAD.size : HEAD.size + length].tobytes())
    begin = HEAD.size + length
    arrays = {
        name: np.frombuffer(piece, kind, size, begin + at) for name, kind, at, size in table["arrays"]
    }
    return arrays, table["same"]
