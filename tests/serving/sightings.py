"""Texts with several labels each: notes on birds put together, and verses, which are about none."""

from typing import Any

import numpy as np

from linnet.data.samples import load


def sightings(part: str, seed: int = 0) -> tuple[list[str], list[tuple[str, ...]]]:
    """As many as there are notes, of one to three birds, and 60 without any."""
    texts, labels = load(f"birds-{part}")
    random = np.random.default_rng(seed)
    found: list[str] = []
    sets: list[Any] = []
    for _ in texts:
        some = random.integers(0, len(texts), size=random.integers(1, 4)).tolist()
        found.append(" ".join(texts[i] for i in some))
        sets.append(tuple(sorted({labels[i] for i in some})))
    verses = load(f"verse-{part}")[0][:60]
    return found + verses, sets + [()] * len(verses)
