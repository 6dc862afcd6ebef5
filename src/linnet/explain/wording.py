"""An explanation in words: what the terminal and HTML have in common."""

from __future__ import annotations

from linnet.explain.explanation import Explanation

MOST_ROWS = 12  # features shown for a label
MOST_LABELS = 3


def plain(explanation: Explanation) -> str:
    """Without colour: one line for each label and feature."""
    lines = []
    for y in explanation.best(MOST_LABELS):
        lines.append(headline(explanation, y))
        lines += [
            f"  {total:+9.4f}  {label_of_row(name, times)}"
            for name, total, times in explanation.by_feature(y)[:MOST_ROWS]
        ]
    if explanation.unknown:
        lines.append(unknown(explanation))
    return "\n".join(lines)


def headline(explanation: Explanation, y: int) -> str:
    """The label, its score and the part of it that every text gets."""
    name = explanation.labels[y]
    if explanation.against is not None:
        name += f" (not {explanation.against})"
    return f"{name}: {explanation.scores[y]:+.4f}, of which bias {explanation.bias[y]:+.4f}"


def unknown(explanation: Explanation) -> str:
    """How much of the text the model does not know."""
    known = sum(piece.end > piece.begin for piece in explanation.pieces)
    return f"{explanation.unknown} of {known + explanation.unknown} words and n-grams unknown"


def label_of_row(name: str, times: int) -> str:
    """The name of a feature and how often it occurs."""
    return name if times == 1 else f"{name} (×{times})"
