"""The table of formats of sentences."""

from __future__ import annotations

from linnet.formats.sequences import conll, conllu, crfsuite, raw, spans, tokens, tsv
from linnet.formats.sequences._options import SequenceFormat

SEQUENCE_FORMATS: dict[str, SequenceFormat] = {
    row.name: row
    for row in (
        conll.FORMAT,
        conllu.FORMAT,
        crfsuite.FORMAT,
        tsv.FORMAT,
        tokens.FORMAT,
        spans.FORMAT,
        raw.FORMAT,
    )
}


def named(name: str) -> SequenceFormat:
    if name not in SEQUENCE_FORMATS:
        known = ", ".join(SEQUENCE_FORMATS)
        raise ValueError(f"there is no format {name!r} of sentences; there are {known}")
    return SEQUENCE_FORMATS[name]
