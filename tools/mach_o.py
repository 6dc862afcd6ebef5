"""What a library for macOS asks of the machine that loads it; on Linux no auditwheel knows.

Only what a wheel has to be checked for is read of the format (loader.h and nlist.h of Darwin): one
processor, 64 bits.
"""

from __future__ import annotations

import struct
from dataclasses import dataclass, field

MAGIC = 0xFEEDFACF
PROCESSORS = {0x01000007: "x86_64", 0x0100000C: "arm64"}
SYMBOLS, LIBRARY, SIGNATURE, VERSION = 0x2, 0xC, 0x1D, 0x32  # commands to the loader
UNDEFINED, KIND = 0x1, 0xEF  # of a symbol: it comes from outside
ANYWHERE = (0x0, 0xFE)  # of whatever library, as zig and as Apple write it


@dataclass
class Library:
    """A file, by what it says of itself."""

    processor: str = ""
    system: tuple[int, int] = (0, 0)  # the oldest macOS
    signed: bool = False
    libraries: list[str] = field(default_factory=list)
    from_anywhere: list[str] = field(default_factory=list)  # symbols that no library was named for


def _text(data: bytes, at: int) -> str:
    return data[at : data.index(b"\0", at)].decode("ascii")


def read(data: bytes) -> Library:
    """The commands to the loader, one after another."""
    magic, processor, _, _, commands = struct.unpack_from("<5I", data)
    if magic != MAGIC:
        raise ValueError("this is no library of macOS with 64 bits")
    found, at = Library(processor=PROCESSORS.get(processor, hex(processor))), 32
    for _ in range(commands):
        command, size = struct.unpack_from("<2I", data, at)
        if command == LIBRARY:
            found.libraries.append(_text(data, at + struct.unpack_from("<I", data, at + 8)[0]))
        elif command == VERSION:
            version = struct.unpack_from("<I", data, at + 12)[0]
            found.system = version >> 16, version >> 8 & 0xFF
        elif command == SIGNATURE:
            found.signed = True
        elif command == SYMBOLS:
            table, count, names = struct.unpack_from("<3I", data, at + 8)
            for name, kind, _, about, _ in struct.iter_unpack(
                "<IBBHQ", data[table : table + 16 * count]
            ):
                if kind & KIND == UNDEFINED and about >> 8 in ANYWHERE:
                    found.from_anywhere.append(_text(data, names + name))
        at += size
    return found
