"""What the stumps of AdaBoost answered, as data, for terminals and for pages."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from linnet.data.texts import as_texts
from linnet.explain.evidence import shortened
from linnet.explain.neighbours import Explained, Row
from linnet.features import TextFeatures
from linnet.features.text.packed import PackedFeatures
from linnet.model import LinearModel


@dataclass(frozen=True)
class StumpShare:
    """All stumps that ask for one feature: whether it is there, and the sum of their answers."""

    name: str
    there: bool
    contribution: float
    rounds: int  # how many there are


@dataclass(frozen=True)
class StumpExplanation(Explained):
    """The score of a label, as the sum of what stumps answer, the largest first; there is no intercept.

    ``others`` is what those that are not listed add together.
    """

    what: str
    label: str
    score: float
    stumps: list[StumpShare]
    others: float

    def head(self) -> str:
        """What, its label and the score."""
        return f"{self.what}  {self.label}  {self.score:+.4f}"

    def rows(self) -> list[Row]:
        """The answer, the question, and in how many rounds it was asked."""
        return [
            (
                f"{s.contribution:+.4f}",
                f"{s.name!r} is there" if s.there else f"no {s.name!r}",
                "1 round" if s.rounds == 1 else f"{s.rounds} rounds",
            )
            for s in self.stumps
        ]

    def rest(self) -> str:
        """What is not listed."""
        return f"  {self.others:+.4f}  all other stumps" if self.others else ""


def explain_stumps(
    features: TextFeatures,
    model: LinearModel,
    classes: Sequence[Any],
    facts: Mapping[str, Any],
    text: str | bytes,
    columns: Mapping[str, Any] | None = None,
    top: int = 12,
) -> StumpExplanation:
    """Of a text. ``facts`` are those of the training.

    Together the stumps on a feature of weight w answer c₀ where it is absent, else c₀ + w.
    """
    stumps = facts.get("stumps")
    if stumps is None:
        raise ValueError("by='stump' is of AdaBoost, one label to a text; use 'word' or 'feature'")
    if isinstance(features.numbering, PackedFeatures):
        raise ValueError(
            "by='stump' is of the original: stumps became weights when this model was quantized"
        )
    asked, of_round, rounds = np.unique(
        np.asarray(stumps["feature"], dtype=np.intp), return_inverse=True, return_counts=True
    )
    answers = np.zeros((len(asked), model.width))
    np.add.at(answers, of_round, np.reshape(stumps["absent"], (-1, model.width)))
    aligned = features.aligned(as_texts([text])[0])
    found = features.occurrences(aligned, columns)
    there = np.isin(asked, [j for j, *_, share in found if j >= 0 and share])
    answers[there] += model.chosen(asked[there] + 1)
    scores = answers.sum(axis=0)
    second = model.width == 1 and scores[0] > 0  # a single score is that of the second label
    best = int(second) if model.width == 1 else int(scores.argmax())
    added = answers[:, best] if model.width > 1 else answers[:, 0] * (1 if second else -1)
    order = np.argsort(-np.abs(added), kind="stable")[:top]
    shares = [
        StumpShare(str(features.names[asked[k]]), bool(there[k]), float(added[k]), int(rounds[k]))
        for k in order
    ]
    return StumpExplanation(
        what=shortened(aligned.shown),
        label=str(classes[best]),
        score=float(added.sum()),
        stumps=shares,
        others=float(added.sum() - added[order].sum()),
    )
