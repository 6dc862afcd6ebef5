"""Model files: one JSON description and named arrays, in safetensors layout, memory-mapped."""

from __future__ import annotations

from linnet.persistence.errors import ModelFileError
from linnet.persistence.reading import ModelFile, is_model, read
from linnet.persistence.strings import StoredStrings, pack_strings
from linnet.persistence.values import pack
from linnet.persistence.writing import size, write

__all__ = [
    "ModelFile",
    "ModelFileError",
    "StoredStrings",
    "is_model",
    "pack",
    "pack_strings",
    "read",
    "size",
    "write",
]
