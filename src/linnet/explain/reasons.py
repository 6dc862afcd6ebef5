"""Why one label and not another: what speaks for the first more than for the second."""

from __future__ import annotations

from typing import Any

from linnet.explain.explanation import Explanation


def because(why: Explanation, guess: str, gold: str, n: int = 5) -> list[dict[str, Any]]:
    """What speaks most for the guess rather than the gold label: shares of the difference of scores."""
    shares: dict[str, float] = {}
    for piece in why.pieces:
        if why.against is None:
            place = {label: k for k, label in enumerate(why.labels)}
            share = piece.contributions[place[guess]] - piece.contributions[place[gold]]
        else:  # one score, that of the label that is not `against`
            share = piece.contributions[0] * (-1 if guess == why.against else 1)
        shares[piece.name] = shares.get(piece.name, 0.0) + float(share)
    best = sorted(shares.items(), key=lambda item: -item[1])[:n]
    return [{"feature": name, "share": share} for name, share in best if share > 0]
