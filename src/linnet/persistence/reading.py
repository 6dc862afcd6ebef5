"""Reading a model file: the header is checked, the tensors are mapped and not touched.

The header is parsed here and not by the package safetensors, because that one copies a tensor when it
hands it to NumPy, lets a key come twice, and knows nothing of our alignment. Its rules are kept, so it
can read every file that is read here.
"""

from __future__ import annotations

import mmap
import os
import stat
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from linnet.persistence.errors import DamageError, ModelFileError
from linnet.persistence.layout import ALIGNMENT, FORMAT, HEADER_LIMIT, Place, parse_json, places
from linnet.persistence.long_parts import put_back
from linnet.persistence.values import unpack

_DEEPEST = 64


@dataclass(frozen=True)
class ModelFile:
    """What a model file holds. The tensors are read-only views of the mapped file."""

    path: str
    spec: dict[str, Any]
    tensors: Mapping[str, NDArray[Any]]
    library: str  # the version of Linnet that wrote it

    @property
    def kind(self) -> str:
        """What the file is a model of."""
        return str(self.spec["kind"])

    def tensor(self, name: str, kinds: str = "f", ndim: int = 1) -> NDArray[Any]:
        """A tensor that must be there, of one of the ``kinds`` of NumPy (f, i, u)."""
        if name not in self.tensors:
            raise self.error(f"the tensor {name!r} is missing")
        tensor = self.tensors[name]
        if tensor.dtype.kind not in kinds or tensor.ndim != ndim:
            raise self.error(f"the tensor {name!r} is {tensor.dtype} of shape {tensor.shape}")
        return tensor

    def value(self, name: str) -> Any:
        """A value of the specification that was made by `pack`."""
        if name not in self.spec:
            raise self.error(f"{name!r} is missing")
        return self.unpack(self.spec[name])

    def unpack(self, value: Any) -> Any:
        """What `pack` made this JSON from."""
        try:
            return unpack(value, self.tensors)
        except DamageError as e:
            raise self.error(str(e)) from None

    def error(self, what: str) -> ModelFileError:
        """To raise when something about the file is wrong."""
        return ModelFileError(f"{self.path} is damaged or no model file of Linnet: {what}")


def is_model(path: str | os.PathLike[str]) -> bool:
    """Does a file begin as model files do, and data do not, or is it called as they are?"""
    if os.fspath(path).endswith(".linnet") or not os.path.isfile(path):
        return True
    with open(path, "rb") as file:
        return 2 <= int.from_bytes(file.read(8), "little") <= HEADER_LIMIT


def read(path: str | os.PathLike[str]) -> ModelFile:
    """Open a model file, in a time that does not depend on the size of its tensors.

    Lengths, offsets, shapes and types are checked; what the tensors hold is not looked at. The views
    stay valid when the file is replaced or removed, but it must not be written to in place: that would
    change them, and cutting it short would crash whoever reads on. `write` replaces.

    Raises `ModelFileError` if the file is not a whole model file, and OSError if it cannot be opened.
    """
    name = os.fspath(path)
    if not stat.S_ISREG(os.stat(name).st_mode):  # a pipe would wait for a writer
        raise ModelFileError(f"{name} is not a file, so it is no model file")
    try:
        with open(name, "rb", buffering=0) as file:
            size = os.fstat(file.fileno()).st_size
            header, start = _header(file, size)
            about = _description(header)
            if about["format"] > FORMAT:
                raise ModelFileError(_later(name, about))
            spec, library = _specification(about)
            if start % ALIGNMENT:
                raise DamageError(f"the data do not start at a multiple of {ALIGNMENT} bytes")
            found = places(header, size - start)
            mapped = mmap.mmap(file.fileno(), size, access=mmap.ACCESS_READ)
            views = {key: _view(mapped, start, place) for key, place in found.items()}
            spec, tensors = put_back(spec, views)
            _check_depth(spec, _DEEPEST)
    except ModelFileError:
        raise
    except ValueError as e:  # damage, or a file that has become shorter since
        raise ModelFileError(f"{name} is damaged or no model file of Linnet: {e}") from None
    return ModelFile(name, spec, tensors, library)


def _header(file: Any, size: int) -> tuple[dict[str, Any], int]:
    """The header, and where the data start."""
    length = int.from_bytes(file.read(8), "little") if size >= 8 else 0
    if not 2 <= length <= min(size - 8, HEADER_LIMIT):
        raise DamageError(
            "it does not begin with the length of a header, or is cut off inside the header"
        )
    raw = file.read(length)
    if len(raw) != length or raw[:1] != b"{":
        raise DamageError("there is no header")
    try:
        header = parse_json(raw.decode("utf-8"), "the header")
    except UnicodeDecodeError:
        raise DamageError("the header is not UTF-8") from None
    if not isinstance(header, dict):
        raise DamageError("the header is no JSON object")
    return header, 8 + length


def _description(header: dict[str, Any]) -> dict[str, Any]:
    metadata = header.get("__metadata__")
    if not isinstance(metadata, dict) or not all(isinstance(v, str) for v in metadata.values()):
        raise DamageError("its __metadata__ are missing or no strings")
    if "linnet" not in metadata:
        raise DamageError("it is a safetensors file of something else")
    about = parse_json(metadata["linnet"], "the description")
    if not isinstance(about, dict) or type(about.get("format")) is not int or about["format"] < 1:
        raise DamageError("the description has no format number")
    return about


def _later(name: str, about: dict[str, Any]) -> str:
    return (
        f"{name} was written by a later version of Linnet ({about.get('library')!r:.40}, file format "
        f"{about['format']!s:.20}; this one reads up to format {FORMAT}): upgrade linnet"
    )


def _specification(about: dict[str, Any]) -> tuple[dict[str, Any], str]:
    library = about.get("library")
    spec = about.get("spec")
    if not isinstance(library, str) or not isinstance(spec, dict):
        raise DamageError("the description must hold the version of the library and a specification")
    if not isinstance(spec.get("kind"), str):
        raise DamageError("the description does not say what kind of model it is")
    _check_depth(spec, _DEEPEST)
    return spec, library


def _check_depth(value: Any, left: int) -> None:
    if left == 0:
        raise DamageError("the description is nested too deeply")
    if isinstance(value, (dict, list)):
        for inner in value.values() if isinstance(value, dict) else value:
            if isinstance(inner, (dict, list)):
                _check_depth(inner, left - 1)


def _view(mapped: mmap.mmap, start: int, place: Place) -> NDArray[Any]:
    if place.begin == place.end:
        empty = np.empty(place.shape, place.dtype)
        empty.flags.writeable = False
        return empty
    count = (place.end - place.begin) // place.dtype.itemsize
    flat: NDArray[Any] = np.frombuffer(mapped, place.dtype, count, start + place.begin)
    return flat.reshape(place.shape)
