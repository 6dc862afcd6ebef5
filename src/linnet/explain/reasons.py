"""Why one label and not another, or not: what speaks for it more than for the other."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from linnet.explain.explanation import Explanation, Piece


def because(why: Explanation, guess: str, gold: str, n: int = 5) -> list[dict[str, Any]]:
    """What speaks most for the guess rather than the gold label: shares of the difference of scores."""
    if why.against is not None:  # one score, that of the label that is not `against`
        sign = -1 if guess == why.against else 1
        return _largest(why, lambda piece: piece.contributions[0] * sign, n)
    place = {label: k for k, label in enumerate(why.labels)}
    a, b = place[guess], place[gold]
    return _largest(why, lambda piece: piece.contributions[a] - piece.contributions[b], n)


def because_of_label(why: Explanation, label: str, said: bool, n: int = 5) -> list[dict[str, Any]]:
    """Of several labels: what speaks most for this one if it was said, or against it if it was not."""
    y, sign = why.labels.index(label), 1 if said else -1
    return _largest(why, lambda piece: piece.contributions[y] * sign, n)


def _largest(why: Explanation, share_of: Callable[[Piece], Any], n: int) -> list[dict[str, Any]]:
    shares: dict[str, float] = {}
    for piece in why.pieces:
        shares[piece.name] = shares.get(piece.name, 0.0) + float(share_of(piece))
    best = sorted(shares.items(), key=lambda item: -item[1])[:n]
    return [{"feature": name, "share": share} for name, share in best if share > 0]
