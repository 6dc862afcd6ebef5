"""The corpora of the benchmarks, found through $LINNET_DATA."""

from __future__ import annotations

import os
import sys
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from scipy import sparse
from sklearn.feature_extraction.text import TfidfVectorizer


@dataclass
class Matrix:
    """A tf-idf matrix of word 1- and 2-grams with sublinear counts, and the labels."""

    name: str
    X: sparse.csr_matrix
    y: np.ndarray
    X_test: sparse.csr_matrix
    y_test: np.ndarray

    @property
    def labels(self) -> int:
        """How many labels there are."""
        return int(self.y.max()) + 1


def data_folder() -> Path:
    """Where the corpora are; says how to get them when they are not."""
    folder = os.environ.get("LINNET_DATA")
    if not folder or not Path(folder).is_dir():
        sys.exit(
            "Set LINNET_DATA to a folder that holds imdb/, debian_sections/ and banking77/, each with "
            "train.tsv and test.tsv (label, tab, text)."
        )
    return Path(folder)


def read(path: Path) -> tuple[list[str], list[str]]:
    """Labels and texts of a file of label, tab, text."""
    with path.open(encoding="utf-8") as lines:
        pairs = [line.rstrip("\n").split("\t", 1) for line in lines]
    return [label for label, _ in pairs], [text for _, text in pairs]


def load(name: str, min_df: int) -> Matrix:
    """Read, vectorise and number the labels of a corpus."""
    folder = data_folder() / name
    labels, texts = read(folder / "train.tsv")
    test_labels, test_texts = read(folder / "test.tsv")
    vectoriser = TfidfVectorizer(ngram_range=(1, 2), sublinear_tf=True, min_df=min_df)
    X = vectoriser.fit_transform(texts)
    classes, y = np.unique(labels, return_inverse=True)
    return Matrix(
        name,
        X,
        y.astype(np.int32),
        vectoriser.transform(test_texts),
        np.searchsorted(classes, test_labels),
    )
