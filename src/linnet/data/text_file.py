"""Small files of text beside the data: templates, lexicons, stop words. They are UTF-8."""

from __future__ import annotations

import io
import os
from pathlib import Path

from linnet.errors import DataError


def text_lines(path: str | os.PathLike[str]) -> list[str]:
    """The lines without their ends; a mark at the beginning is none of them."""
    data = Path(path).read_bytes()
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise DataError(f"{os.fspath(path)}, line {line}: not UTF-8, which is wanted") from None
    return [line.rstrip("\n") for line in io.StringIO(text, newline=None)]


def is_file_name(value: object) -> bool:
    """Is it a string that names a file which is there? A path always does, there or not."""
    return isinstance(value, str) and os.path.exists(value)
