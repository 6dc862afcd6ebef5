"""What annotation tools export: known by their rows, whatever the file is called. Only read."""

from __future__ import annotations

import re

from linnet.formats._access import Source
from linnet.formats._options import Row
from linnet.formats._records import first_values
from linnet.formats.exports import doccano, label_studio, prodigy, spacy, spacy_json
from linnet.formats.exports._export import EXAMPLES, SENTENCES

EXPORTS = tuple(room.EXPORT for room in (prodigy, doccano, label_studio, spacy, spacy_json))
FORMATS: tuple[Row, ...] = (
    *(row for export in EXPORTS for row in export.formats()),
    spacy_json.FORMAT,
)
# One document may be longer than what is looked at: a corpus of spaCy's, say.
CUT_OFF = {
    spacy_json.NAME: re.compile(rb'\s*\[?\s*\{.*?"paragraphs"\s*:\s*\[', re.DOTALL),
    label_studio.EXPORT.name: re.compile(
        rb'\s*\[\s*\{.*"(annotations|completions)"\s*:\s*\[', re.DOTALL
    ),
}


def recognised(source: Source, size: int) -> tuple[str, str] | None:
    """The name of the export, by the first bytes of a file, and what it holds."""
    data = source.data[:size]
    if data.removeprefix(b"\xef\xbb\xbf").lstrip()[:1] not in (b"{", b"["):
        return None
    rows = first_values(data)
    if spacy.kind(rows) is not None:  # one pair alone
        rows = [rows]
    for export in EXPORTS:
        kinds = [export.kind(row) for row in rows]
        if kinds and kinds[0] is not None:
            return export.name, SENTENCES if SENTENCES in kinds else EXAMPLES
    if not rows:
        for name, pattern in CUT_OFF.items():
            shown = re.search(rb'"(?:(tokens|labels)|cats|choices)"', data)
            if pattern.match(data) and shown:
                return name, SENTENCES if shown[1] else EXAMPLES
    return None
