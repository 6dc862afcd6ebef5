"""Small texts that the tests of the text classifier share."""

from __future__ import annotations

from linnet.data import samples

ALL_TEXTS, ALL_BIRDS = samples.load("birds-train")
HELD_TEXTS, HELD_BIRDS = samples.load("birds-test")
TEXTS, BIRDS = ALL_TEXTS[:120], ALL_BIRDS[:120]
_TWO = [i for i, bird in enumerate(ALL_BIRDS) if bird in ("linnet", "heron")][:80]
TWO_TEXTS, TWO_BIRDS = [ALL_TEXTS[i] for i in _TWO], [ALL_BIRDS[i] for i in _TWO]
# Several labels: the bird, and what the note speaks of.
SEVERAL = [
    [bird, *(word for word in ("field", "water", "sky", "hedge") if word in text)]
    for text, bird in zip(TEXTS, BIRDS, strict=True)
]
