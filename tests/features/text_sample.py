"""Texts that tests of text features share."""

from __future__ import annotations

import re

import numpy as np
from hypothesis import strategies as st

from linnet.data.matrix import CsrRows
from linnet.features import TextFeatures

WORDS = re.findall(r"\S+", "the cat sat on a mat . dogs , Cats ! and The film was not good at all ?")

RNG = np.random.default_rng(3)

TEXTS = [
    " ".join(WORDS[int(k)] for k in RNG.zipf(1.5, RNG.integers(0, 60)) % len(WORDS)) for _ in range(150)
]

CODES = RNG.integers(0, 2, len(TEXTS)).astype(np.int32)

PEER = {"token_pattern": r"\w+|[^\w\s]", "ngram_range": (1, 2), "dtype": np.float64}

text = st.text(st.sampled_from("ab cé.,A’\n漢\ud800"), max_size=30)


def by_name(rows: CsrRows, features: TextFeatures) -> dict[str, np.ndarray]:
    dense = rows.scipy().toarray()
    return {name: dense[:, j] for j, name in enumerate(features.names)}
