r"""Trees in brackets: ``( (S (NP (NNS linnets)) (VP (VBP sing))))``, on one line or on many.

A bracket holds a tag and a word, or a label and brackets; only that around a tree may lack a label.
Words have ``-LRB-`` and ``-RRB-`` for brackets.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

import numpy as np

import linnet._core as _core
from linnet.data.bracket_tree import WRAPPERS
from linnet.data.brackets import Brackets
from linnet.data.examples import LabelColumn
from linnet.data.sequences import MISSING, Sequences
from linnet.errors import DataError
from linnet.formats._access import Source
from linnet.formats._lines import label_column
from linnet.formats._source import counted
from linnet.formats.brackets._options import BracketFormat, BracketOptions
from linnet.formats.brackets._scan import CLOSE, OPEN, Events, events, first_problem

SIGNS = {b"LRB": b"(", b"RRB": b")", b"LCB": b"{", b"RCB": b"}", b"LSB": b"[", b"RSB": b"]"}
ESCAPED = re.compile(rb"-(LRB|RRB|LCB|RCB|LSB|RSB)-|\\([/*])")
UNFIT = re.compile(r"[ \t\n\r\v\f]")  # in words and tags, whose brackets are escaped
UNFIT_LABEL = re.compile(r"[ \t\n\r\v\f()]")


def read(source: Source, options: BracketOptions) -> Brackets:
    """All trees, checked; those of a source without any are none."""
    found = events(source)
    problem = first_problem(found)
    if problem is not None:
        raise problem
    words = found.words
    at = np.flatnonzero(words)
    roots = np.flatnonzero((found.kinds == OPEN) & (found.depths == 1))
    buffer = np.frombuffer(source.data, np.uint8)

    def texts(places: np.ndarray) -> _core.Texts:
        return _core.Texts.from_spans(buffer, found.places[places], found.ends[places])

    forms = texts(at)
    if options.unescape:
        forms = unescaped(source.data, found, at)
    sequences = Sequences(
        {"word": forms, "pos": texts(at - 1)},
        np.append(np.searchsorted(at, roots), len(at)),
        lines=found.lines(found.places[at]),
        source=source.name,
        notes=_notes(found),
        layout=("word", "pos"),
    )
    return _constituents(source, found, at, roots, sequences)


def _constituents(
    source: Source, found: Events, at: np.ndarray, roots: np.ndarray, sequences: Sequences
) -> Brackets:
    """Brackets that are no word's, each with the one that closes it."""
    phrase = found.kinds >= OPEN
    phrase[at - 2] = phrase[at + 1] = False
    brackets = np.flatnonzero(phrase)
    # Of one level, brackets open and close in turns.
    levels = found.depths[brackets] + (found.kinds[brackets] == CLOSE)
    order = brackets[np.argsort(levels, kind="stable")]
    opens, closes = order[0::2], order[1::2]
    by_place = np.argsort(opens)
    opens, closes = opens[by_place], closes[by_place]
    before = np.searchsorted(at, opens), np.searchsorted(at, closes)  # words
    named = np.zeros(len(found.kinds) + 1, np.bool_)
    named[:-1] = found.labels
    labelled = named[opens + 1]
    tops, around = _tops(source, found, opens, labelled, roots)
    opens, inside = opens[~around], ~around
    sentences = np.searchsorted(roots, opens, side="right") - 1
    first = sequences.offsets[sentences]
    places = opens + 1
    spans = found.places[places], found.ends[places]
    column = label_column(
        _core.Texts.from_spans(np.frombuffer(source.data, np.uint8), *spans),
        None,
        lambda k: source.data[spans[0][k] : spans[1][k]],
        lambda k, message: source.error(found.line(int(opens[k])), message),
    )
    return Brackets(
        sequences,
        before[0][inside] - first,
        before[1][inside] - first,
        column,
        np.append(np.searchsorted(opens, roots), len(opens)),
        tops,
    )


def _tops(
    source: Source, found: Events, opens: np.ndarray, labelled: np.ndarray, roots: np.ndarray
) -> tuple[LabelColumn, np.ndarray]:
    """The brackets around trees, and which of the phrases they are."""
    outer = found.depths[opens] == 1
    names = sorted(WRAPPERS)
    codes = np.full(len(roots), MISSING, np.int32)
    around = np.zeros(len(opens), np.bool_)
    for k in np.flatnonzero(outer).tolist():
        event = int(opens[k]) + 1
        raw = source.data[found.places[event] : found.ends[event]] if labelled[k] else b""
        name = raw.decode(errors="replace")
        if name in WRAPPERS:
            around[k] = True
            codes[np.searchsorted(roots, opens[k])] = names.index(name)
    return LabelColumn(names, codes), around


def unescaped(data: bytes, found: Events, at: np.ndarray) -> _core.Texts:
    """Words with the signs that stand for others in Penn's files as they are in the text."""
    spans = zip(found.places[at].tolist(), found.ends[at].tolist(), strict=True)
    return _core.Texts.from_list(
        [ESCAPED.sub(lambda m: SIGNS.get(m[1], m[2]), data[begin:end]) for begin, end in spans]
    )


def _notes(found: Events) -> tuple[str, ...]:
    if not len(found.aside):
        return ()
    line = int(found.lines(found.aside[:1])[0])
    return (
        f"{found.source.name}: {counted(len(found.aside), 'line')} between trees passed over; "
        f"first line {line}",
    )


def write(trees: Brackets, indent: bool) -> Iterator[bytes]:
    """A tree each, on one line or on several."""
    for name in trees.labels.names:
        if not name or UNFIT_LABEL.search(name):
            raise DataError(f"brackets cannot hold the label {name!r:.60}")
    for i, tree in enumerate(trees.trees("surrogateescape")):
        if not len(tree):
            raise DataError(f"{trees.where(i)}: brackets cannot hold a tree without words")
        for kind, texts in (("word", tree.words), ("tag", tree.tags)):
            for text in texts:
                if not text or UNFIT.search(text):
                    raise DataError(f"{trees.where(i)}: brackets cannot hold the {kind} {text!r:.60}")
        text = tree.indented() if indent else tree.one_line()
        yield text.encode(errors="surrogateescape") + b"\n"


FORMAT = BracketFormat(
    name="brackets",
    about="trees of phrases in brackets, as in the Penn Treebank",
    endings=(".brackets", ".mrg", ".psd", ".prd", ".parse", ".penn", ".ptb"),
    options=frozenset({"unescape"}),
    by_line=False,
    read=read,
    write=write,
)
