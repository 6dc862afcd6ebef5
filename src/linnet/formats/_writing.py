"""What writers share: texts and labels that a format can hold, or a refusal that names the example."""

from __future__ import annotations

import re
from collections.abc import Iterator

from linnet.data.examples import Examples
from linnet.errors import DataError, setting

LINE_END = re.compile(rb"[\r\n]")


def refuse(number: int, format_: str, what: str) -> DataError:
    return DataError(f"example {number}: {format_} cannot hold {what}")


def clean_texts(
    examples: Examples, format_: str, lossy: bool, bad: re.Pattern[bytes] = LINE_END, what: str = ""
) -> Iterator[bytes]:
    """The texts without what would break the format: refused, or with ``lossy`` made a space."""
    for number, text in enumerate(examples.raw_texts(), 1):
        if bad.search(text):
            if not lossy:
                what = what or "a text with a line break"
                raise refuse(
                    number, format_, f"{what}; with {setting('lossy', True)} it becomes a space"
                )
            yield bad.sub(b" ", text)
        else:
            yield text


def decoded_texts(examples: Examples, format_: str, lossy: bool) -> Iterator[str]:
    """The texts as strings; bytes that are not UTF-8 are refused, or with ``lossy`` read as U+FFFD."""
    for number, text in enumerate(examples.raw_texts(), 1):
        try:
            yield text.decode()
        except UnicodeDecodeError:
            if not lossy:
                what = f"bytes that are not UTF-8; with {setting('lossy', True)} they become U+FFFD"
                raise refuse(number, format_, what) from None
            yield text.decode(errors="replace")


def clean_labels(examples: Examples, format_: str, bad: str) -> Iterator[list[str]]:
    """The labels of each example, none of them empty or with a match of the pattern ``bad``."""
    column = examples.labels
    if column is None:
        for _ in range(len(examples)):
            yield []
        return
    wrong = {name for name in column.names if not name or re.search(bad, name)}
    for number, value in enumerate(column.values(), 1):
        labels = [value] if isinstance(value, str) else value
        for label in labels:
            if label in wrong:
                raise refuse(number, format_, f"the label {label!r}")
        yield labels
