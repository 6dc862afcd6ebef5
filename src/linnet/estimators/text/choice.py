"""What a text classifier chooses by itself: features, loss and C, from a look at the data.

The rule was found on held-out parts of training files and then left alone; docs/defaults.md tells how.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from linnet.features import TextFeatures
from linnet.features.text.preparing import PREPARING
from linnet.learners import AROW, SGD, AdaGrad
from linnet.training import grid

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
    given = settings.classifier
    features, C, tol = settings.features, settings.C, settings.tol
    usual = "logistic" if several else "squared_hinge" if two else "hinge"
    loss = _loss(settings, usual) if settings.loss == "auto" else settings.loss
    variant = _variant(given or settings)
    if features == "auto":
        if getattr(given, "loss", loss) == "joint_likelihood" or variant in PRESENCE:
            features, reason = _words(variant)
        else:
            positive = variant in ("positive", "winnow1")
            features, reason = _features(texts, mean_bytes, two and not several and not positive)
        why.append(f"features: {reason}")
    elif not isinstance(features, TextFeatures):
        raise ValueError(f"features must be 'auto' or TextFeatures(...), not {features!r}")
    features = beside(settings, features)
    weighting = features.tf, features.scale, features.norm
    if variant in ("bernoulli", "adaboost") and weighting != ("binary", "none", "none"):
        who = "Bernoulli naive Bayes sees" if variant == "bernoulli" else "stumps of AdaBoost see"
        raise ValueError(
            f"{who} whether a feature is there and nothing else: features must have tf='binary', "
            f"scale='none' and norm='none'"
        )
    if given is not None:
        why.append(f"classifier: {given!r}, as given")
        return Choice(features, given.loss, given.learner, given.penalty, given.C, given.tol, why=why)
    penalty = _penalty(settings)
    if settings.loss == "auto":
        split = "each label by itself" if several else "two labels" if two else "all labels at once"
        why.append(f"loss: {loss}, {split}")
    own = settings.learner != "auto" and grid.resolve(settings.learner).has_own_C()
    if C == "auto":
        of_steps = own or penalty == "none"
        C = LOG_LOSS_C if loss in ("logistic", "softmax_margin") and not of_steps else 1.0
    if settings.alpha is None and (own or penalty != "none"):
        why.append(f"C: {C:g}" if isinstance(C, (int, float)) else f"C: {C}")
    exact = settings.learner not in ("auto", "dual") or penalty != "l2"
    if tol == "auto":
        tol = 1e-4 if exact else 0.05  # of the objective: closer changes no label worth speaking of
    return Choice(features, loss, settings.learner, penalty, C, tol, 0.3, why)


def usual_features(texts: int, mean_bytes: float) -> tuple[TextFeatures, str]:
    """Where there are no labels to weigh words by."""
    return _features(texts, mean_bytes, two=False)


def beside(settings: Any, features: TextFeatures) -> TextFeatures:
    """With what the settings say that joins features='auto'; features that were given say it alone."""
    if settings.features == "auto":
        features.set_params(**joined(settings))
    elif joined(settings) and joined(settings) != joined(features):
        said = ", ".join(joined(settings))
        raise ValueError(f"{said}: settings that join features='auto'; give them to TextFeatures")
    return features


# Settings that a classifier shares with its features, and hands on if these are 'auto'; () or None or
# False is nothing.
JOINED = ("numeric", "categorical", "statistics", *PREPARING)


def joined(settings: Any) -> dict[str, Any]:
    """Those that say something, of a classifier or of features."""
    found = {name: getattr(settings, name) for name in JOINED}
    return {name: value for name, value in found.items() if callable(value) or _says(value)}


def _says(value: Any) -> bool:
    return len(value) > 0 if hasattr(value, "__len__") else bool(value)


def _penalty(settings: Any) -> str:
    """L2, unless the learner is one that has none."""
    if settings.penalty != "auto":
        return str(settings.penalty)
    learner = None if settings.learner == "auto" else grid.resolve(settings.learner)
    return "l2" if learner is None or "l2" in learner.penalties else "none"


def _loss(settings: Any, usual: str) -> str:
    """The usual one if the learner takes it, else the nearest that it takes."""
    if settings.learner == "auto":
        return usual
    taken = grid.resolve(settings.learner).losses
    known = (usual, "hinge", "logistic", "perceptron", "joint_likelihood", "exponential")
    return next((loss for loss in known if loss in taken), usual)


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


PRESENCE = ("elimination", "adaboost")


def _words(variant: str) -> tuple[TextFeatures, str]:
    if variant == "adaboost":
        return TextFeatures(word=(1, 2), norm="none"), "which 1 and 2 words occur"
    if variant in ("bernoulli", "elimination"):
        return TextFeatures(word=(1, 1), norm="none"), "which words occur"
    return TextFeatures(word=(1, 1), tf="count", norm="none"), "how often each word occurs"


def _variant(settings: Any) -> str:
    """Of learners that take only certain features: naive Bayes, Winnow, and those of presence."""
    learner = settings.learner
    name = getattr(learner, "name", learner)
    if name in PRESENCE:
        return str(name)
    return str(getattr(settings, "variant", getattr(learner, "variant", "")))


def streaming(settings: Any, going_on: bool, several: bool = False) -> Choice:
    """For a stream: nothing that needs all texts at once; AROW unless told otherwise.

    From weights that are good already it takes smaller steps. Of several labels each is to have a
    probability, which margins are not.
    """
    features, auto, given = settings.features, settings.learner == "auto", settings.classifier
    if features == "auto":
        preparing = {name: value for name, value in joined(settings).items() if name in PREPARING}
        features = TextFeatures(word=(1, 2), tf="sublinear", scale="none", **preparing)
    elif not isinstance(features, TextFeatures):
        raise ValueError(f"features must be 'auto' or TextFeatures(...), not {features!r}")
    why = ["a stream: one pass of an online learner over a vocabulary that grows"]
    if given is not None:
        return Choice(features, given.loss, given.learner, given.penalty, given.C, given.tol, why=why)
    loss = settings.loss
    if auto and several and loss in ("auto", "logistic"):
        learner = SGD("constant", 1.0) if going_on else AdaGrad()
        return Choice(features, "logistic", learner, "none", 1.0, 1e-4, why=why)
    if auto:
        loss = "hinge"
    elif loss == "auto":
        loss = _loss(settings, "logistic")
    return Choice(
        features,
        loss,
        AROW(10.0 if going_on else 1.0) if auto else settings.learner,
        "none" if auto else _penalty(settings),
        1.0 if settings.C == "auto" else settings.C,
        1e-4 if settings.tol == "auto" else settings.tol,
        why=why,
    )
