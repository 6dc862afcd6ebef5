"""Bytes made wrong by chance: cut, flipped, swapped, nested, packed, in another encoding."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import re
import zipfile
from collections.abc import Callable
from random import Random

# What readers have met with little love: numbers, controls, marks, pieces of other formats.
PIECES = (
    b"", b"\0", b"\0\0\0", b"\t", b"\t\t", b"\n", b"\n\n", b"\r", b"\r\n", b" ", b"|", b":",
    b"|:1", b",", b'"', b"'", b"\\", b"#", b"-", b"_", b"1-2", b"1.1", b"-1", b"0", b"1e999",
    b"-1e999", b"nan", b"inf", b"NaN", b"1" + b"0" * 400, b"9" * 5000, b"4294967296",
    b"9223372036854775808", b"1.5", b"0x1f", b"null", b"true", b"[]", b"{}", b"[[]]", b'{"":{}}',
    b'"\\ud800"', b'{"text":1}', b'["a",null]', b"\xef\xbb\xbf", b"\xff", b"\xc3",
    b"\xed\xa0\x80", b"\xf4\x90\x80\x80", b"\xe2\x80\xae", b"\x1b[31m", b"\xc2\x85",
    b"\xe2\x80\xa8", b"__label__", b"-DOCSTART-", b"O", b"B-", b"I-", b"I-X", b"$tuple",
)  # fmt: skip
DEEP = 20_000


def mutate(data: bytes, random: Random) -> bytes:
    """The bytes with one to four things done to them."""
    for _ in range(random.choice((1, 1, 1, 2, 4))):
        data = random.choice(WAYS)(data, random)
    return data


def _place(data: bytes, random: Random) -> int:
    return random.randint(0, len(data))


def cut(data: bytes, random: Random) -> bytes:
    """The beginning, or the end, or without something in the middle."""
    begin, end = sorted((_place(data, random), _place(data, random)))
    return random.choice((data[:begin], data[begin:], data[:begin] + data[end:]))


def flip(data: bytes, random: Random) -> bytes:
    """Some bits the other way round."""
    out = bytearray(data)
    for _ in range(random.choice((1, 1, 3, 20)) if out else 0):
        out[random.randrange(len(out))] ^= 1 << random.randrange(8)
    return bytes(out)


def insert(data: bytes, random: Random) -> bytes:
    """A piece that does not belong there."""
    at = _place(data, random)
    return data[:at] + random.choice(PIECES) + data[at:]


def repeat(data: bytes, random: Random) -> bytes:
    """A part again, at some other place."""
    begin, end = sorted((_place(data, random), _place(data, random)))
    at = _place(data, random)
    return data[:at] + data[begin:end][:10_000] + data[at:]


def replace_field(data: bytes, random: Random) -> bytes:
    """Something between marks, replaced by a piece or by another field."""
    fields = list(re.finditer(rb'"[^"\n]*"|[^\s,:|"{}\[\]]+', data))
    if not fields:
        return data
    one, other = random.choice(fields), random.choice(fields)
    new = random.choice((random.choice(PIECES), other.group()))
    return data[: one.start()] + new + data[one.end() :]


def swap_lines(data: bytes, random: Random) -> bytes:
    """Two lines in each other's place."""
    lines = data.split(b"\n")
    i, j = random.randrange(len(lines)), random.randrange(len(lines))
    lines[i], lines[j] = lines[j], lines[i]
    return b"\n".join(lines)


def newlines(data: bytes, random: Random) -> bytes:
    """Ends of lines of other systems, perhaps not of all lines."""
    other = random.choice(
        (b"\r\n", b"\r", b"\n\n", b"\n\r", b"", b"\0", b"\xc2\x85", b"\n\xef\xbb\xbf")
    )
    return data.replace(b"\n", other, random.choice((-1, 1, 3)))


def nest(data: bytes, random: Random) -> bytes:
    """Brackets far deeper than any parser goes."""
    a, b = random.choice(((b"[", b"]"), (b'{"text":', b"}"), (b"[{}, ", b"]")))
    at = _place(data, random)
    deep = random.choice((50, DEEP))
    return random.choice(
        (a * deep + b * deep + b"\n" + data, data[:at] + a * deep + data[at:] + b * deep)
    )


def encode(data: bytes, random: Random) -> bytes:
    """In another encoding, or with a mark in front."""
    text = data.decode(errors="replace")
    how = random.choice(("utf-16", "utf-16-le", "utf-32", "utf-8-sig", "latin-1"))
    return text.encode(how, errors="replace")


def pack(data: bytes, random: Random) -> bytes:
    """Packed, twice, by something else, cut off, or with something behind it."""
    packed = gzip.compress(data, mtime=0)
    archive = io.BytesIO()
    with zipfile.ZipFile(archive, "w") as file:
        file.writestr("data", data)
    return random.choice(
        (
            packed,
            gzip.compress(packed, mtime=0),
            packed + packed,
            packed + b"\0" * 512,
            packed + b"garbage",
            packed[: len(packed) // 2],
            packed[:-1],
            packed[:-8] + bytes(8),
            packed[:3],
            archive.getvalue(),
            bz2.compress(data),
            lzma.compress(data),
        )
    )


def noise(data: bytes, random: Random) -> bytes:
    """Nothing but chance, or chance in place of a part."""
    at = _place(data, random)
    made = random.randbytes(random.choice((0, 1, 40, 2000)))
    return random.choice((made, data[:at] + made, made + data[at:]))


WAYS: tuple[Callable[[bytes, Random], bytes], ...] = (
    cut,
    flip,
    insert,
    insert,
    repeat,
    replace_field,
    replace_field,
    replace_field,
    swap_lines,
    newlines,
    nest,
    encode,
    pack,
    noise,
)
