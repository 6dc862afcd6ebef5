"""Data sets: feature matrices read in place, growable vocabularies, bundled samples."""

from __future__ import annotations

from linnet.data.matrix import as_rows, check_sparse
from linnet.data.vocabulary import Vocabulary

__all__ = ["Vocabulary", "as_rows", "check_sparse"]
