"""What features of tokens are called, also where a model has no names."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

Names = Callable[[int], str]


def names_in(features: Any, sentences: Any) -> Names:
    """Of features that occur in these sentences: read off there, if they can be."""
    if not hasattr(features, "names_in"):
        return names_of(features)
    found = features.names_in(sentences)
    return lambda j: found.get(j, f"feature #{j}")


def names_of(features: Any) -> Names:
    """Of all features, as the model has them."""
    try:
        names = features.names
    except ValueError:  # dropped when the model was quantised
        return lambda j: f"feature #{j}"
    return lambda j: str(names[j])


def observed_move(feature: str, before: str, after: str) -> str:
    """A transition that sees the observation."""
    return f"{before} → {after} at {feature.removeprefix('transition: ')}"
