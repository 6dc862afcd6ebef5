"""A small file of every format, as its own writer makes it, and some that only people write."""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from functools import cache, partial
from pathlib import Path

from linnet import formats
from linnet.data import samples
from linnet.data.brackets import Brackets
from linnet.data.examples import Examples
from linnet.data.sequences import Sequences

from ..formats import exported
from ..formats.made import examples, rows

TEXTS = [
    "A red forehead",
    "tiny, cocked tail",
    "grey, by the water",
    "„Töne“ 鷦鷯",
    "red again",
    "so tiny",
]
LABELS = ["linnet", "wren", "heron", "wren", "linnet", "wren"]
SENTENCES = [["Anna", "saw", "a", "wren"], ["Rain", "in", "Kew", "."], ["Bo", "left"]]
TAGS = [["B-PER", "O", "O", "B-BIRD"], ["O", "O", "B-PLACE", "O"], ["B-PER", "O"]]

ENDINGS = {
    "tsv": "tsv", "csv": "csv", "jsonl": "jsonl", "parquet": "parquet", "fasttext": "ft", "vw": "vw",
    "svmlight": "svm", "text": "txt", "conll": "conll", "conllu": "conllu", "crfsuite": "crfsuite",
    "tokens": "tokens.jsonl", "spans": "spans.jsonl", "conllx": "conllx", "prodigy": "jsonl",
    "doccano": "jsonl", "label-studio": "json", "spacy": "json", "spacy-json": "json",
    "brackets": "mrg",
}  # fmt: skip
PHRASES = (
    ("", ("S", ("NP-SBJ", ("NNS", "wrens")), ("VP", ("VBP", "sing"), ("NP", ("-NONE-", "*-1"))))),
    ("TOP", ("FRAG", ("NP", ("NN", "rain")), ("PRN", ("-LRB-", "("), ("NP", ("NNP", "Kew"))))),
    ("NP", ("NP", ("NN", "„Töne“"))),
)
BY_HAND = {
    "by hand.mrg": b"<S ID=1>\n( (S \n    (NP-SBJ (DT a) (NN wren) )\n    (VP (VBZ sings) )\n    (. .)"
    b" ))\n</S>\n# (note\n(NN so) (TOP (NP (NN rain)))\r\n",
    "columns.jsonl": b'{"label": ["a", "b"], "text": "x", "weight": 0.5, "year": 3, "kind": "k"}\n'
    b'{"label": [], "text": "y \\ud83d\\ude00", "weight": 1, "year": null, "kind": true}\n',
    "columns.csv": b'label;text;weight\r\na;"x; ""quoted""\nline";1\r\nb;y;0.25\r\n',
    "namespaces.vw": b"1 0.5 'id1 |words a:1.5 b |more:2 c\n-1 |words b c\n",
    "qid.svm": b"# comment\n+1 qid:3 1:0.5 7:1e-3 # note\n-1 2:1\n+1 1:1\n",
    "several.ft": b"__label__a __label__b some words\n__label__b other words\n",
    "plain.tokens.jsonl": b'{"tokens": ["a", "b"], "tags": ["X", null], '
    b'"weight": 2, "pos": ["D", "N"]}\n',
    "entities.spans.jsonl": b'{"text": "Anna saw Bo.", '
    b'"entities": [{"start": 0, "end": 4, "label": "P"}]}\n',
    "header.tokens.tsv": b"word\tpos\ttag\nAnna\tN\tB-PER\nsaw\tV\tO\n\nBo\tN\tB-PER\n",
    "values.crfsuite": b"B-PER\tw=Anna\tlen:4\nO\tw=saw:0.5\tc\\:d\n\nO\tw=rain\n",
    "document.conll": b"-DOCSTART- -X- O\n\nAnna NNP B-PER\nsaw VB O\n\nBo NNP B-PER\n",
    "enhanced.conllu": b"# sent_id = 1\n# text = Du pain\n1-2\tDu\t_\t_\t_\t_\t_\t_\t_\t_\n"
    b"1\tDe\tde\tADP\t_\t_\t3\tcase\t_\t_\n2\tle\tle\tDET\tX\tNumber=Sing\t3\tdet\t3:det\t_\n"
    b"2.1\te\te\t_\t_\t_\t_\t_\t1:dep\t_\n3\tpain\tpain\tNOUN\t_\t_\t0\troot\t0:root\tSpaceAfter=No\n\n",
}


@cache
def data_files() -> dict[str, bytes]:
    """Names with the endings of their formats, and what the files hold."""
    made = dict(BY_HAND)
    for name in exported.EXAMPLES:
        made[f"{name}.{ENDINGS[name]}"] = exported.EXAMPLES[name]
        made[f"{name}.tagged.{ENDINGS[name]}"] = exported.SENTENCES[name]
    with tempfile.TemporaryDirectory() as folder:

        def write(stem: str, name: str, writer: Callable[[Path, str], None]) -> None:
            path = Path(folder) / f"{stem}.{ENDINGS[name]}"
            writer(path, name)
            made[path.name] = path.read_bytes()

        for name, row in formats.FORMATS.items():
            if row.write is None:
                continue
            write("data", name, partial(formats.write, _held(row)))
        sentences = Sequences.from_lists(SENTENCES, TAGS)
        for name, tagged in formats.SEQUENCE_FORMATS.items():
            if name not in ("tsv", "crfsuite") and tagged.write is not None:  # those by hand are better
                write("tagged", name, partial(formats.write_sequences, sentences))
        trees = samples.load_trees("rambles-test").take([0, 1, 2])
        for name in formats.TREE_FORMATS:
            write("trees", name, partial(formats.write_trees, trees))
        phrases = Brackets.from_nested(PHRASES)
        for name in formats.BRACKET_FORMATS:
            write("phrases", name, partial(formats.write_brackets, phrases))
    return made


def _held(row: formats.Format) -> Examples:
    if "matrix" in row.carries and "texts" not in row.carries:
        matrix = rows([{0: 1.0, 3: 0.5}, {1: 2.0}, {2: 1e-3}], 4)
        return Examples(None, examples(["", "", ""], LABELS[:3]).labels, matrix=matrix)
    return examples(TEXTS, LABELS if "labels" in row.carries else None)
