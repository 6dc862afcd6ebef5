"""Files of small models, and what may happen to files: cut off, flipped, edited."""

from __future__ import annotations

import copy
import json
import tempfile
import warnings
from collections.abc import Callable, Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

import linnet
from linnet.errors import DataError
from linnet.persistence import ModelFileError, read, write

WRONG = (None, True, -1, 0, 1, 2**31, 2**63, 2**70, 1.5, 1e308, "", "x", [], [[]], {}, {"$x": 1})


class Files:
    """Models by name with their files, and what comes of loading and using damaged ones.

    ``use`` asks a model for everything it can; a `DataError` with one of ``excuses`` is no fault of it.
    A refusal names the file at most ``limit[0]`` times, in at most ``limit[1]`` other characters.
    """

    def __init__(
        self,
        makers: Mapping[str, Callable[[], Any]],
        use: Callable[[Any], None],
        excuses: tuple[str, ...] = (),
        limit: tuple[int, int] = (1, 300),
    ) -> None:
        self.makers, self.use, self.excuses, self.limit = makers, use, excuses, limit
        self.model = cache(self._model)
        self.bytes = cache(self._bytes)

    def _model(self, name: str) -> Any:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # the few passes that these models get
            return self.makers[name]()

    def _bytes(self, name: str) -> bytes:
        with tempfile.TemporaryDirectory() as directory:
            path = Path(directory) / "m"
            self.model(name).save(path)
            return path.read_bytes()

    def saved(self, path: Path, name: str) -> Path:
        """The file of a model, undamaged."""
        path.write_bytes(self.bytes(name))
        return path

    def edited(
        self, path: Path, name: str, spec: dict | None = None, tensors: dict | None = None
    ) -> Path:
        """The file of a model with parts of description and tensors replaced (None: left out)."""
        file = read(self.saved(path, name))
        arrays = {k: np.array(v) for k, v in file.tensors.items()} | (tensors or {})
        about = copy.deepcopy(file.spec) | (spec or {})
        write(path, about, {k: v for k, v in arrays.items() if v is not None})
        return path

    def without(self, path: Path, name: str, key: str) -> Path:
        """The file of a model whose description lacks a part."""
        file = read(self.saved(path, name))
        write(path, {k: v for k, v in file.spec.items() if k != key}, dict(file.tensors))
        return path

    def check_cut_off(self, path: Path, name: str) -> None:
        """A file that is cut off anywhere, or too long, is refused."""
        raw = self.bytes(name)
        for length in cuts(raw):
            assert self.outcome(path, raw[:length]) == "refused"
        assert self.outcome(path, raw + b"\0") == "refused"
        assert self.outcome(path, raw) == "used"

    def check_wrong_values(
        self, path: Path, name: str, each: int, skip: Callable[[tuple], bool], *more: Any
    ) -> None:
        """A file with a wrong value, also one of ``more``, anywhere in its description does no harm."""
        rng = np.random.default_rng(len(name))
        for what, raw in wrong_values(self.bytes(name), each, rng, skip, (*WRONG, *more)):
            try:
                self.outcome(path, raw)
            except BaseException as error:
                raise AssertionError(f"{what}: {error!r}") from error

    def outcome(self, path: Path, raw: bytes | None = None) -> str:
        """'refused' with an error that names the file, or 'used'."""
        if raw is not None:
            path.write_bytes(raw)
        try:
            model = linnet.load(path)
        except ModelFileError as error:
            assert str(path) in str(error)  # noqa: PT017
            times, characters = self.limit
            assert len(str(error)) < times * len(str(path)) + characters  # noqa: PT017
            return "refused"
        try:
            self.use(model)
        except DataError as error:
            assert any(word in str(error) for word in self.excuses)  # noqa: PT017
        return "used"


def header(raw: bytes) -> tuple[int, dict[str, Any]]:
    """Where tensors start, and what is said of them."""
    start = 8 + int.from_bytes(raw[:8], "little")
    return start, json.loads(raw[8:start])


def cuts(raw: bytes) -> list[int]:
    """Lengths to which a file may be cut off: within the header, and at the borders of tensors."""
    start, tensors = header(raw)
    ends = {0, 1, 7, 8, 9, start // 2, start - 1, start, len(raw) - 1}
    for tensor in tensors.values():
        if "data_offsets" in tensor:
            ends |= {start + end + by for end in tensor["data_offsets"] for by in (-1, 0, 1)}
    return sorted(cut for cut in ends if 0 <= cut < len(raw))


def flipped_header(raw: bytes, count: int, rng: np.random.Generator) -> Iterator[bytes]:
    """Files with a bit of the header flipped."""
    start, _ = header(raw)
    for at in [*range(8), *rng.integers(8, start, count).tolist()]:
        yield _flipped(raw, [at], rng)


def flipped_tensors(
    raw: bytes, each: int, rng: np.random.Generator, skipped: tuple[str, ...] = ()
) -> Iterator[bytes]:
    """For each tensor some files with twelve of its bits flipped."""
    start, tensors = header(raw)
    for tensor, place in tensors.items():
        if tensor.startswith(("__metadata__", "_padding", *skipped)):
            continue
        begin, end = (start + offset for offset in place["data_offsets"])
        for _ in range(each):
            yield _flipped(raw, rng.integers(begin, end, 12).tolist() if end > begin else [], rng)


def _flipped(raw: bytes, places: list[int], rng: np.random.Generator) -> bytes:
    bad = bytearray(raw)
    for at in places:
        bad[at] ^= 1 << int(rng.integers(8))
    return bytes(bad)


def filled(array: np.ndarray, byte: int) -> np.ndarray:
    """An array of the same type and shape, made of one byte."""
    return np.frombuffer(bytes([byte]) * array.nbytes, array.dtype).reshape(array.shape)


def misshapen(array: np.ndarray, types: tuple[str, ...]) -> list[np.ndarray]:
    """The array in other lengths, shapes and types."""
    wrong = [array[:-1], array[:0], np.concatenate([array, array]), array.reshape(1, *array.shape)]
    wrong += [array.reshape(-1), np.zeros((), array.dtype)]
    with np.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return wrong + [array.astype(kind) for kind in types if array.dtype != kind]


def leaves(value: Any, place: tuple = ()) -> Iterator[tuple]:
    """Every place in a description."""
    yield place
    if isinstance(value, (dict, list)):
        for key, inner in value.items() if isinstance(value, dict) else enumerate(value):
            yield from leaves(inner, (*place, key))


def wrong_values(
    raw: bytes,
    each: int,
    rng: np.random.Generator,
    skip: Callable[[tuple], bool],
    values: tuple[Any, ...],
) -> Iterator[tuple[str, bytes]]:
    """For each place of the description files with a wrong value there: what was done, the file."""
    start, tensors = header(raw)
    about = json.loads(tensors["__metadata__"]["linnet"])
    for place in leaves(about["spec"]):
        if not place or "epochs" in place or skip(place):
            continue
        for k in rng.choice(len(values), each, replace=False):
            bad = copy.deepcopy(about)
            inner: Any = bad["spec"]
            for key in place[:-1]:
                inner = inner[key]
            inner[place[-1]] = values[k]
            text = json.dumps(bad).replace("Infinity", "1e999")
            outer = json.dumps(tensors | {"__metadata__": {"linnet": text}}).encode()
            outer += b" " * (-(8 + len(outer)) % 64)
            yield f"{place} = {values[k]!r}", len(outer).to_bytes(8, "little") + outer + raw[start:]
