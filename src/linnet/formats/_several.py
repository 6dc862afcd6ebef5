"""Several files as one: names and patterns of names, and whether a file stays as it is."""

from __future__ import annotations

import glob
import os
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from hashlib import blake2b

from linnet.errors import DataError
from linnet.formats._access import Stamp, told
from linnet.formats._arriving import Arriving
from linnet.formats._ranges import PIECE

Paths = Iterable[str | os.PathLike[str]]


def expanded(names: Paths) -> list[str]:
    """The files that are named, in this order; those of a pattern (``*``, ``?``, ``[…]``) sorted.

    A name that is there is no pattern. The same file twice is a mistake.
    """
    found: list[str] = []
    for given in names:
        name = os.fspath(given)
        if name == "-" or os.path.exists(name) or not glob.has_magic(name):
            found.append(name)
            continue
        matching = sorted(glob.glob(name, recursive=True))
        if not matching:
            raise DataError(f"{name}: no file has such a name")
        found += matching
    twice = next((name for k, name in enumerate(found) if name in found[:k]), None)
    if twice is not None:
        raise DataError(f"{twice} is named twice; name each file once")
    return found


class Watched:
    """A file that must stay as it is while it is read, and from one time to the next."""

    def __init__(self, path: str) -> None:
        self.path, self.stamp = path, Stamp.of(path)

    @contextmanager
    def reading(self) -> Iterator[Arriving]:
        """The file, to be read to its end once."""
        before, digest = Stamp.of(self.path), blake2b(digest_size=16)
        if before.key() != self.stamp.key():
            raise self._changed("since it was looked at")

        def seen(piece: bytes) -> None:
            digest.update(piece)
            if arriving.taken > before.size:  # it grows, and may do so for ever
                raise self._changed("while it was read")

        arriving = Arriving(self.path, seen=seen)
        yield arriving
        if not arriving.taken:  # somebody else has opened it
            with told(self.path), open(self.path, "rb") as file:
                while piece := file.read(PIECE):
                    digest.update(piece)
        if Stamp.of(self.path).key() != before.key():
            raise self._changed("while it was read")
        stamp = Stamp(before.path, before.size, before.mtime, digest.hexdigest())
        if self.stamp.hash not in ("", stamp.hash):
            raise self._changed("since it was read for the first time")
        self.stamp = stamp

    def _changed(self, when: str) -> DataError:
        return DataError(f"{self.path} has changed {when}; train again when it is complete")
