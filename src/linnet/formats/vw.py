"""VW text: ``label weight 'tag |namespace feature feature:value |…``, one example per line.

Tokens of one namespace without values are a text, read where it lies. Otherwise the file is a
matrix whose features are called ``namespace^feature``, and the value of a repeated one is the sum.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np

import linnet._core as _core
from linnet.data.examples import Examples
from linnet.data.matrix import CsrRows
from linnet.errors import DataError
from linnet.formats._access import Source
from linnet.formats._lines import Lines, listed_labels
from linnet.formats._missing import keep_labelled
from linnet.formats._options import Format, Options
from linnet.formats._targets import check_no_targets, refuse_targets
from linnet.formats._writing import clean_labels, clean_texts, refuse

Error = Callable[[int, str], DataError]
BLANK = re.compile(rb"[ \t]")
SPECIAL = re.compile(rb"[|:\r\n]")


@dataclass(frozen=True)
class Section:
    """What follows a bar: the namespace, its factor, and the bytes of its features."""

    name: bytes
    factor: bytes
    features: bytes


def read(source: Source, options: Options) -> Examples:
    lines = Lines(source)
    heads: list[bytes] = []
    bodies: list[list[Section]] = []
    if options.missing is not None and options.labelled is not False:
        heads = [line.partition(b"|")[0] for line in lines.all()]
        unlabelled = [not _head(i, head, lines.error)[0] for i, head in enumerate(heads)]
        keep_labelled(lines, options, unlabelled)
        heads = []
    for i, line in enumerate(lines.all()):
        head, bar, body = line.partition(b"|")
        if not bar:
            raise lines.error(i, "no | before the features; a line reads: label | word word …")
        heads.append(head)
        bodies.append([_section(part) for part in body.split(b"|")])
    found = [_head(i, head, lines.error) for i, head in enumerate(heads)]
    labels, weights = [names for names, _ in found], [weight for _, weight in found]
    if options.labelled is not False:
        refuse_targets(labels, lines.error)
    weighted = any(weight is not None for weight in weights)
    names = {section.name for body in bodies for section in body}
    texts, matrix, features = None, None, None
    if options.text is not None:
        wanted = options.text.encode()
        if bodies and wanted not in names:
            shown = ", ".join(sorted(repr(name.decode(errors="replace")) for name in names))
            raise DataError(f"{source.name} has no namespace {options.text!r}; it has {shown}")
        texts = _core.Texts.from_list(
            [b" ".join(s.features for s in body if s.name == wanted) for body in bodies]
        )
    elif len(names) == 1 and all(len(body) == 1 for body in bodies) and not _valued(bodies):
        sizes = np.fromiter((len(body[0].features) for body in bodies), np.int64, len(bodies))
        texts = lines.texts(lines.ends - sizes, lines.ends)
    else:
        matrix, features = _matrix(bodies, lines.error)
    return Examples(
        texts,
        listed_labels(list(labels), options, lines.error),
        np.array([1.0 if w is None else w for w in weights]) if weighted else None,
        matrix=matrix,
        feature_names=features,
        names={} if options.text is None else {"text": options.text},
        source=source.name,
        lines=lines.numbers,
        records=_records(heads, texts, lines.numbers.tolist()) if options.records else None,
    )


def _records(heads: list[bytes], texts: _core.Texts | None, lines: list[int]) -> list[dict[str, Any]]:
    """The tag of each example, by which others know it, and its text."""
    made: list[dict[str, Any]] = []
    for i, head in enumerate(heads):
        tokens = head.split()
        tagged = tokens and (not head[-1:].isspace() or tokens[-1].startswith(b"'"))
        tag = tokens[-1].removeprefix(b"'").decode(errors="replace") if tagged else ""
        text = {} if texts is None else {"text": texts[i]}
        made.append({"line": lines[i], "tag": tag} | text)
    return made


def _section(part: bytes) -> Section:
    """One blank ends the namespace; more belong to the features."""
    name, *rest = BLANK.split(part, maxsplit=1)
    name, _, factor = name.partition(b":")
    return Section(name, factor, rest[0] if rest else b"")


def _valued(bodies: list[list[Section]]) -> bool:
    return any(s.factor or b":" in s.features for body in bodies for s in body)


def _head(i: int, head: bytes, error: Error) -> tuple[list[bytes], float | None]:
    """Labels and weight. A last token that touches the bar or begins with ' is a tag."""
    tokens = head.split()
    if tokens and (not head[-1:].isspace() or tokens[-1].startswith(b"'")):
        tokens.pop()
    if not tokens:
        return [], None
    if b":" in tokens[0]:
        raise error(i, "costs (label:cost) are not supported; give one label")
    if len(tokens) > 2:
        raise error(i, "an initial score (a third number before the bar) is not supported")
    weight = None if len(tokens) == 1 else _real(tokens[1])
    if len(tokens) == 2 and (weight is None or weight < 0):
        shown = tokens[1].decode(errors="replace")
        raise error(i, f"the weight after the label must be a number ≥ 0; it is {shown!r}")
    return tokens[0].split(b","), weight


def _real(token: bytes) -> float | None:
    try:
        value = float(token)
    except ValueError:
        return None
    return value if abs(value) <= np.finfo(np.float32).max and b"_" not in token else None


def _matrix(bodies: list[list[Section]], error: Error) -> tuple[CsrRows, list[str]]:
    numbers: dict[bytes, int] = {}  # in order of first occurrence
    indptr, indices, values = [0], [], []
    for i, body in enumerate(bodies):
        row: dict[int, float] = {}
        for section in body:
            factor = _value(i, section.factor, section.name, error)
            before = section.name + b"^" if section.name else b""
            for token in section.features.split():
                feature, _, value = token.partition(b":")
                place = numbers.setdefault(before + feature, len(numbers))
                row[place] = row.get(place, 0.0) + factor * _value(i, value, token, error)
        for place in sorted(row):
            indices.append(place)
            values.append(row[place])
        indptr.append(len(indices))
    matrix = CsrRows(
        np.array(indptr, np.int64),
        np.array(indices, np.int32),
        np.array(values, np.float32),
        len(numbers),
        distinct=True,
    )
    return matrix, [name.decode(errors="replace") for name in numbers]


def _value(i: int, value: bytes, token: bytes, error: Error) -> float:
    number = _real(value) if value else 1.0
    if number is None:
        shown = token.decode(errors="replace")
        raise error(i, f"in {shown!r} the colon must be followed by a finite number")
    return number


def write(examples: Examples, lossy: bool) -> Iterator[bytes]:
    bodies = _text_bodies(examples, lossy) if examples.matrix is None else _row_bodies(examples)
    for i, names in enumerate(clean_labels(examples, "VW", r"[\s|:,]|^'")):
        check_no_targets(i + 1, "VW", names)
        head = ",".join(names)
        if examples.weights is not None:
            if not names:
                raise refuse(i + 1, "VW", "a weight without a label")
            head += f" {examples.weights[i]}"
        yield (head + " |" if head else "|").encode() + next(bodies) + b"\n"


def _text_bodies(examples: Examples, lossy: bool) -> Iterator[bytes]:
    what = "a text with a line break, : or |"
    return (b" " + text for text in clean_texts(examples, "VW", lossy, SPECIAL, what))


def _row_bodies(examples: Examples) -> Iterator[bytes]:
    """Features grouped by namespace; without names a feature is called by its number, from 1."""
    rows = examples.matrix
    assert rows is not None
    names = examples.feature_names or [str(k + 1) for k in range(rows.features)]
    for k, name in enumerate(names):
        if re.search(r"[\s|:]", name) or name.startswith("^") or not name or name.endswith("^"):
            raise DataError(f"VW cannot hold the name of feature {k}: {name!r}")
    ends = rows.indptr.tolist()
    for begin, end in pairwise(ends):
        groups: dict[str, list[str]] = {}
        entries = zip(rows.indices[begin:end].tolist(), rows.values[begin:end].astype(str), strict=True)
        for index, value in entries:
            space, hat, feature = names[index].partition("^")
            if not hat:
                space, feature = "", names[index]
            groups.setdefault(space, []).append(f"{feature}:{value}")
        parts = [f"{space} {' '.join(features)}" for space, features in groups.items()]
        yield " |".join(parts or [" "]).encode()


FORMAT = Format(
    name="vw",
    about="label weight |namespace feature:value …",
    endings=(".vw",),
    options=frozenset({"text", "labelled", "missing", "multilabel", "records"}),
    carries=frozenset({"texts", "matrix", "names", "labels", "multilabel", "weights"}),
    by_line=True,
    read=read,
    write=write,
)
