"""What a text classifier chooses by itself: features, loss and C, from a look at the data.

The rule was found on held-out parts of training files and then left alone; docs/defaults.md tells how.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from linnet.features import TextFeatures
from linnet.learners import AROW

SHORT, LONG = 200, 800  # mean bytes of a text: below and above, other features serve best
MANY_TEXTS = 20_000  # a word that only one of so many texts has says nothing


@dataclass(frozen=True)
class Choice:
    """Settings in place of 'auto', and the reasons."""

    features: TextFeatures
    loss: str
    learner: Any
    penalty: str
    C: float
    tol: float
    intercept_scaling: float = 1.0
    why: list[str] = field(default_factory=list)

    def __str__(self) -> str:
        return "\n".join(self.why)


def choose(settings: Any, texts: int, mean_bytes: float, labels: int, several: bool) -> Choice:
    """Settings given stay; those left to 'auto' go by the length of texts and the number of labels."""
    why: list[str] = []
    two = labels == 2 or several
    features, loss, C, tol = settings.features, settings.loss, settings.C, settings.tol
    if isinstance(features, str):
        if features != "auto":
            raise ValueError(f"features must be 'auto' or TextFeatures(...), not {features!r}")
        features, reason = _features(texts, mean_bytes, two and not several)
        why.append(f"features: {reason}")
    if loss == "auto":
        loss = "logistic" if several else "squared_hinge" if two else "hinge"
        split = "each label by itself" if several else "two labels" if two else "all labels at once"
        why.append(f"loss: {loss}, {split}")
    if C == "auto":
        C = LOG_LOSS_C if loss in ("logistic", "softmax_margin") else 1.0
    if settings.alpha is None:
        why.append(f"C: {C:g}")
    exact = settings.learner not in ("auto", "dual") or settings.penalty != "l2"
    if tol == "auto":
        tol = 1e-4 if exact else 0.05  # of the objective: closer changes no label worth speaking of
    return Choice(features, loss, settings.learner, settings.penalty, C, tol, 0.3, why)


LOG_LOSS_C = 20.0  # what a hinge does at 1, on rows of length one


def _features(texts: int, mean_bytes: float, two: bool) -> tuple[TextFeatures, str]:
    """Long texts have words enough; in short ones the first words and pieces of words help."""
    weighting: dict[str, Any] = (
        {"tf": "binary", "scale": "nb"} if two else {"tf": "sublinear", "scale": "idf"}
    )
    how = "weighed by how they divide the labels" if two else "weighed by how rare they are"
    many: dict[str, Any] = {"min_df": 2} if texts >= MANY_TEXTS or mean_bytes > LONG else {}
    about = f"{texts:,} texts of {mean_bytes:,.0f} bytes"
    if mean_bytes > LONG:
        return TextFeatures(word=(1, 2), **many, **weighting), f"{about}: 1 and 2 words, {how}"
    if mean_bytes > SHORT:
        pieces, first, mix = (3, 4), 64, {"lead": 0.5, "chars_wb": 0.5}
    else:
        pieces, first, mix = (2, 5), 128, {"lead": 0.5}
    chosen = TextFeatures(
        word=(1, 2), lead=5, chars_wb=pieces, chars_first=first, mix=mix, **many, **weighting
    )
    reason = f"{about}: 1 and 2 words, the first words once more, and pieces of words, {how}"
    return chosen, reason


def streaming(settings: Any, going_on: bool) -> Choice:
    """For a stream: nothing that needs all texts at once; AROW unless told otherwise.

    From weights that are good already it takes smaller steps.
    """
    features, auto = settings.features, settings.learner == "auto"
    if isinstance(features, str):
        features = TextFeatures(word=(1, 2), tf="sublinear", scale="none")
    loss = settings.loss
    if auto:
        loss = "hinge"
    elif loss == "auto":
        loss = "logistic"
    return Choice(
        features,
        loss,
        AROW(10.0 if going_on else 1.0) if auto else settings.learner,
        "none" if auto else settings.penalty,
        1.0 if settings.C == "auto" else settings.C,
        1e-4 if settings.tol == "auto" else settings.tol,
        why=["a stream: one pass of an online learner over a vocabulary that grows"],
    )
