"""Why a text got its scores: the exact share of every n-gram, and of every word, as data."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from rich.console import RenderableType


UNITS = ("word", "feature")  # what is shown of an explanation
Row = tuple[str, float, int]  # name, contribution, occurrences


@dataclass(frozen=True)
class Piece:
    """One occurrence of a feature, or a column beside the text (which covers no characters)."""

    name: str
    begin: int  # characters of the text it covers, [begin, end)
    end: int
    contributions: NDArray[np.float64]  # (scored labels,)
    words: tuple[int, ...] = ()  # that it is made of, by their places in `Explanation.spans`

    def to_dict(self) -> dict[str, Any]:
        """Plain lists and numbers."""
        return {
            "name": self.name,
            "begin": self.begin,
            "end": self.end,
            "contributions": self.contributions.tolist(),
        }


@dataclass(frozen=True)
class Explanation:
    """score[y] = bias[y] + Σ contributions[y] over the pieces, exactly but for rounding.

    With two labels there is one score, that of the second label; what is negative speaks for the
    first, named by ``against``. A feature that occurs several times shares its contribution evenly
    among its occurrences. The contributions of `words` have the same sum: each word has those of its
    own features, and an equal share of each that is made of several words.
    """

    text: str
    labels: list[str]  # that have a score
    against: str | None
    scores: NDArray[np.float64]  # (labels,)
    bias: NDArray[np.float64]  # (labels,)
    pieces: list[Piece]
    unknown: int  # grams of the text the model has no feature for
    spans: list[tuple[int, int]] = field(default_factory=list)  # begin and end of every word
    by: str = "word"  # what is shown: words or features
    probabilities: dict[str, float] | None = None  # of all labels; None where there are only scores
    number: bool = False  # is its one score a number by itself, and not that of a label?
    answer: str | None = None  # what `predict` says, where it is not `label`: several labels, or unsure

    @property
    def label(self) -> str:
        """The predicted label; equal scores go to the earlier one."""
        if self.against is not None:
            return self.labels[0] if self.scores[0] > 0 else self.against
        return self.labels[int(np.argmax(self.scores))]

    def best(self, n: int = 3) -> list[int]:
        """Places of the labels with the highest scores, best first."""
        return [int(y) for y in np.argsort(-self.scores, kind="stable")[:n]]

    @property
    def words(self) -> list[Piece]:
        """Every word, in the order of the text, then what belongs to none: white space, columns."""
        sums = np.zeros((len(self.spans), len(self.labels)))
        for piece in self.pieces:
            for word in piece.words:
                sums[word] += piece.contributions / len(piece.words)
        found = [
            Piece(self.text[begin:end], begin, end, total, (word,))
            for word, ((begin, end), total) in enumerate(zip(self.spans, sums, strict=True))
        ]
        return found + [piece for piece in self.pieces if not piece.words]

    def by_feature(self, y: int = 0) -> list[Row]:
        """(name, contribution to label y, occurrences), the largest in absolute value first."""
        return _summed(self.pieces, y)

    def by_word(self, y: int = 0) -> list[Row]:
        """The same of words; those that add nothing are left out."""
        return [row for row in _summed(self.words, y) if row[1]]

    def strongest(self, y: int = 0) -> list[Row]:
        """Words or features, whichever are shown."""
        return self.by_word(y) if self.by == "word" else self.by_feature(y)

    def by_character(self, y: int = 0) -> NDArray[np.float64]:
        """(len(text),): every contribution to label y spread evenly over the characters it covers.

        Sums to score − bias, less what stands beside the text.
        """
        steps = np.zeros(len(self.text) + 1)
        for piece in self.pieces:
            if piece.end > piece.begin:
                share = piece.contributions[y] / (piece.end - piece.begin)
                steps[piece.begin] += share
                steps[piece.end] -= share
        return np.cumsum(steps)[:-1]

    def runs(self, y: int = 0) -> list[tuple[str, float]]:
        """The text cut where the shading changes, and what is shaded by.

        By word: (word or what is between, contribution of the word); by feature: (characters,
        contribution of each of them).
        """
        return self._runs_of_words(y) if self.by == "word" else self._runs_of_characters(y)

    def _runs_of_words(self, y: int) -> list[tuple[str, float]]:
        found, at = [], 0
        for word in self.words[: len(self.spans)]:
            found.append((self.text[at : word.begin], 0.0))
            found.append((word.name, float(word.contributions[y])))
            at = word.end
        found.append((self.text[at:], 0.0))
        return [run for run in found if run[0]]

    def _runs_of_characters(self, y: int) -> list[tuple[str, float]]:
        values = self.by_character(y)
        if not len(values):
            return []
        values[np.abs(values) < 1e-9 * max(1e-300, float(np.abs(values).max()))] = 0
        borders = np.flatnonzero(~np.isclose(values[1:], values[:-1], rtol=1e-6, atol=0)) + 1
        edges = [0, *borders.tolist(), len(values)]
        return [(self.text[b:e], float(values[b])) for b, e in pairwise(edges)]

    def to_dict(self) -> dict[str, Any]:
        """Plain lists and numbers, ready for JSON."""
        return {
            "text": self.text,
            "label": self.label,
            "labels": list(self.labels),
            "against": self.against,
            "scores": self.scores.tolist(),
            "bias": self.bias.tolist(),
            "probabilities": self.probabilities,
            "pieces": [piece.to_dict() for piece in self.pieces],
            "unknown": self.unknown,
        } | ({"words": [word.to_dict() for word in self.words]} if self.by == "word" else {})

    def to_html(self) -> str:
        """A piece of HTML that needs nothing else: no script, no file, no network."""
        from linnet.explain.html import page

        return page(self)

    def _repr_html_(self) -> str:
        return self.to_html()

    def __rich__(self) -> RenderableType:
        from linnet.explain.terminal import rendered

        return rendered(self)

    def __str__(self) -> str:
        from linnet.explain.wording import plain

        return plain(self)


def _summed(pieces: Iterable[Piece], y: int) -> list[Row]:
    sums: dict[str, tuple[float, int]] = {}
    for piece in pieces:
        total, times = sums.get(piece.name, (0.0, 0))
        sums[piece.name] = (total + float(piece.contributions[y]), times + 1)
    return sorted(
        ((name, total, times) for name, (total, times) in sums.items()),
        key=lambda row: -abs(row[1]),
    )
