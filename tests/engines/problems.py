"""Small problems of every kind."""

from __future__ import annotations

import numpy as np

from linnet.data import Trees


def points(n: int, labels: int, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    """Rows around a centre for each label, which overlap."""
    rng = np.random.default_rng(seed)
    y = (np.arange(n) % labels).astype(np.int32)
    return rng.normal(size=(n, 6)) + rng.normal(size=(labels, 6))[y], y


TEXTS = (
    ["a red forehead", "red and brown", "the red one", "so tiny", "a tiny cocked tail", "tiny wings"]
    * 4,
    ["linnet", "linnet", "linnet", "wren", "wren", "wren"] * 4,
)
SENTENCES = [["the", "linnet", "sings"], ["a", "wren", "hides"], ["the", "wren", "sings", "here"]] * 4
TAGS = [["D", "N", "V"], ["D", "N", "V"], ["D", "N", "V", "A"]] * 4
TREES = Trees.from_lists(
    [
        [(word, tag) for word, tag in zip(*pair, strict=True)]
        for pair in zip(SENTENCES, TAGS, strict=True)
    ],
    [[2, 3, 0] + [3] * (len(s) - 3) for s in SENTENCES],
    [["det", "nsubj", "root"] + ["advmod"] * (len(s) - 3) for s in SENTENCES],
)
