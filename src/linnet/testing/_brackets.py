"""Every tree of labelled brackets over few words, as lists of parts numbered as in the core."""

from __future__ import annotations

from collections.abc import Collection, Iterator


def all_bracketings(
    length: int,
    labels: int,
    whole: bool = True,
    wanted: Collection[tuple[int, int]] = (),
    labelled: bool = True,
) -> Iterator[list[int]]:
    """Label l over words [i, j) is part s·L + l, where s counts spans by begin, then end.

    With ``whole`` all words are a bracket; so are the spans that are ``wanted``. Without ``labelled``
    a tree is the numbers of its spans.
    """
    number: dict[tuple[int, int], int] = {}
    for i in range(length):
        for j in range(i + 1, length + 1):
            number[i, j] = len(number)
    must = {*wanted, *([(0, length)] if whole else [])}

    def items(i: int, j: int) -> Iterator[list[tuple[int, int]]]:
        """A word, or a bracket over two items and more."""
        if j - i == 1:
            yield []
            yield [(i, j)]
            return
        for inside in rows(i, j, at_least=2):
            yield [(i, j), *inside]

    def rows(i: int, j: int, at_least: int = 1) -> Iterator[list[tuple[int, int]]]:
        """Items side by side."""
        if at_least <= 1:
            yield from items(i, j)
        for k in range(i + 1, j):
            for first in items(i, k):
                for rest in rows(k, j):
                    yield first + rest

    def labellings(spans: list[tuple[int, int]]) -> Iterator[list[int]]:
        if not spans:
            yield []
            return
        for label in range(labels):
            for rest in labellings(spans[1:]):
                yield [number[spans[0]] * labels + label, *rest]

    for spans in rows(0, length):
        if must <= set(spans):
            if labelled:
                yield from labellings(spans)
            else:
                yield [number[span] for span in spans]
