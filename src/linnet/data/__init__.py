"""Data sets: texts, examples, feature matrices read in place, growable vocabularies, samples."""

from __future__ import annotations

from linnet.data.bracket_tree import BracketTree, Constituent
from linnet.data.brackets import Brackets
from linnet.data.elsewhere import RowsElsewhere
from linnet.data.examples import Examples, LabelColumn
from linnet.data.fingerprint import fingerprint
from linnet.data.joined import joined
from linnet.data.mapped import MappedRows
from linnet.data.matrix import CsrRows, as_rows, check_sparse
from linnet.data.sequences import Sequences
from linnet.data.texts import as_texts
from linnet.data.trees import Trees
from linnet.data.vocabulary import Vocabulary

__all__ = [
    "BracketTree",
    "Brackets",
    "Constituent",
    "CsrRows",
    "Examples",
    "LabelColumn",
    "MappedRows",
    "RowsElsewhere",
    "Sequences",
    "Trees",
    "Vocabulary",
    "as_rows",
    "as_texts",
    "check_sparse",
    "fingerprint",
    "joined",
]
