"""Arrays in one file that grow side by side and are then mapped: what lies outside of memory.

A file is a head of fixed length, sections that begin at pages, and a table of them as JSON. The head
says where the table is, how long the file is and what the hash of the table is, and has a hash of its
own: a file that is cut short, or none of ours, is known at once. The table has a checksum of each
section, summed up while it was written.
"""

from __future__ import annotations

import json
import mmap
import os
import struct
import zlib
from hashlib import blake2b
from typing import Any, BinaryIO

import numpy as np
from numpy.typing import NDArray

from linnet.errors import DataError

PAGE = 4096
MAGIC = b"LNTCACHE"
VERSION = 2
AT_ONCE = 1 << 22  # bytes that are looked through at a time
HEAD = struct.Struct("<8sQQQQ16s")  # magic, version, table: where, how long; length of all; hash


class DamagedError(DataError):
    """A file of sections that cannot be used."""


class Sections:
    """Writes them. A section is reserved with its length, and then filled from beginning to end."""

    def __init__(self, file: BinaryIO) -> None:
        self.file = file
        self.table: dict[str, dict[str, Any]] = {}
        self.filled: dict[str, int] = {}  # values
        self.end = PAGE  # where the next one begins

    def reserve(self, name: str, dtype: Any, size: int) -> None:
        """Room for ``size`` values."""
        kind = np.dtype(dtype)
        self.table[name] = {"dtype": kind.str, "at": self.end, "size": size, "sum": 0}
        self.filled[name] = 0
        self.end += -(-max(size * kind.itemsize, 1) // PAGE) * PAGE

    def put(self, name: str, values: NDArray[Any]) -> None:
        """The values that come next."""
        row, first = self.table[name], self.filled[name]
        kind = np.dtype(row["dtype"])
        if first + len(values) > row["size"]:
            raise ValueError(f"the section {name} has room for {row['size']} values")
        data = np.ascontiguousarray(values, kind).data
        self.file.seek(row["at"] + first * kind.itemsize)
        self.file.write(data)
        row["sum"] = zlib.crc32(data, row["sum"])
        self.filled[name] = first + len(values)

    def add(self, name: str, values: NDArray[Any]) -> None:
        """A whole section."""
        self.reserve(name, values.dtype, len(values))
        self.put(name, values)

    def shrink(self, name: str) -> None:
        """To what has come, of a section that had room for more."""
        self.table[name]["size"] = self.filled[name]

    def finish(self, facts: dict[str, Any]) -> None:
        """The table, and what else is to be known."""
        for name, row in self.table.items():
            if self.filled[name] != row["size"]:
                raise ValueError(f"the section {name} has {self.filled[name]} of {row['size']} values")
        table = json.dumps({"facts": facts, "sections": self.table}).encode()
        self.file.seek(self.end)
        self.file.write(table)
        found = (MAGIC, VERSION, self.end, len(table), self.end + len(table))
        head = HEAD.pack(*found, blake2b(table, digest_size=16).digest())
        self.file.seek(0)
        self.file.write(head + blake2b(head, digest_size=16).digest())
        self.file.flush()


class Stored:
    """A file of sections, mapped."""

    def __init__(self, descriptor: int, name: str) -> None:
        self.name = name
        size = os.fstat(descriptor).st_size
        if size < PAGE:
            raise self._damaged("it is cut short")
        self.map = mmap.mmap(descriptor, 0, access=mmap.ACCESS_READ)
        head = self.map[: HEAD.size]
        magic, version, at, length, whole, sum_ = HEAD.unpack(head)
        if magic != MAGIC:
            raise self._damaged("it is no cache of Linnet's")
        if blake2b(head, digest_size=16).digest() != self.map[HEAD.size : HEAD.size + 16]:
            raise self._damaged("its head is damaged")
        if version != VERSION:
            raise self._damaged("another version of Linnet has written it")
        if whole != size or at + length != size:
            raise self._damaged(f"it is cut short: {size:,} of {whole:,} bytes")
        table = self.map[at : at + length]
        if blake2b(table, digest_size=16).digest() != sum_:
            raise self._damaged("its table is damaged")
        read = json.loads(table)
        self.facts: dict[str, Any] = read["facts"]
        self.table: dict[str, dict[str, Any]] = read["sections"]

    @classmethod
    def at(cls, path: str) -> Stored | None:
        """One that is kept; None if there is none."""
        try:
            descriptor = os.open(path, os.O_RDONLY)
        except FileNotFoundError:
            return None
        try:
            return cls(descriptor, path)
        finally:
            os.close(descriptor)

    def __contains__(self, name: str) -> bool:
        return name in self.table

    def array(self, name: str) -> NDArray[Any]:
        """A section where it lies."""
        row = self.table[name]
        return np.frombuffer(self.map, row["dtype"], row["size"], row["at"])

    def check(self) -> None:
        """Look through all sections, at the speed of reading; DamagedError if a bit is another."""
        for name, row in self.table.items():
            end = row["at"] + row["size"] * np.dtype(row["dtype"]).itemsize
            sum_ = 0
            for at in range(row["at"], end, AT_ONCE):
                sum_ = zlib.crc32(self.map[at : min(at + AT_ONCE, end)], sum_)
                self.give_back()
            if sum_ != row["sum"]:
                raise self._damaged(f"its section {name} is damaged")

    def give_back(self) -> None:
        """Let go of what has been read: it is there when it is wanted again."""
        if hasattr(mmap, "MADV_DONTNEED"):
            self.map.madvise(mmap.MADV_DONTNEED)

    def _damaged(self, why: str) -> DamagedError:
        return DamagedError(f"{self.name}: {why}")
