"""What a tagger chooses by itself: features, loss and learner, from a look at the data."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from linnet import engines
from linnet.data import Sequences
from linnet.data.chunks import is_chunked, tag_parts
from linnet.features import TokenFeatures
from linnet.learners import SGD
from linnet.learners.base import Learner
from linnet.losses import LOSSES
from linnet.structures import Cell, Chain, Segments
from linnet.training import grid


@dataclass(frozen=True)
class TaggingChoice:
    """Settings in place of 'auto', and the reasons."""

    features: Any  # TokenFeatures or WordEvents
    loss: str
    learner: str | Learner
    penalty: str
    average: bool
    C: float
    tol: float
    max_iter: int | None = None
    why: list[str] = field(default_factory=list)

    def __str__(self) -> str:
        return "\n".join(self.why)


def choose_tagging(settings: Any, data: Sequences, tags: Sequence[str], partial: bool) -> TaggingChoice:
    """Settings given stay; those left to 'auto' go by columns, tags and each other."""
    why: list[str] = []
    features = choose_features(settings._own_features(), data, tags, why)
    loss, named = settings.loss, settings._named_learner(partial)
    if loss == "auto":
        taken = grid.resolve(named).losses if named != "auto" else frozenset(LOSSES)
        order = ("logistic", "hinge", "perceptron", "joint_likelihood")
        loss = next((name for name in order if name in taken), "logistic")
        why.append(f"loss: {loss}")
    grid.check_loss(loss)
    if named == "auto":
        seeing = getattr(features, "pairs", lambda: None)() is not None
        learner = _learner(settings, loss, partial, seeing)
        why.append(f"learner: {learner.name}")
    else:
        learner = grid.resolve(named, None if settings.C == "auto" else settings.C)
    penalty = settings.penalty
    steps = named == "auto" and learner.family == "online" and _in_turn()
    if penalty == "auto":
        usual = "none" if steps else "l2"
        penalty = usual if usual in learner.penalties else sorted(learner.penalties)[0]
    average = settings.average
    if average == "auto":
        free = penalty == "none" or (steps and penalty == "l2")
        average = learner.family == "online" and learner.averages and free
    C = settings.C
    if C == "auto":
        C = getattr(learner, "C", 1.0)
        if penalty != "none":
            C = LOG_LOSS_C if LOSSES[loss].ring == "log" else 1.0
            why.append(f"C: {C:g}")
    passes = settings.max_iter
    chain = settings.normalisation == "global"
    if named == "auto" and learner.name == "dual" and chain and passes is None:
        passes = PASSES
        why.append(f"passes: at most {passes}")
    if steps and passes is None:
        passes = PASSES_IN_TURN
        why.append(f"passes: {passes}")
    tol = settings.tol
    if tol == "auto":
        tol = 1e-2 if learner.family == "dual" else 1e-4
    return TaggingChoice(features, loss, learner, penalty, average, C, tol, passes, why)


# Found on held-out parts of training data; docs/defaults.md tells how.
LOG_LOSS_C = 4.0
PASSES = 10  # of the dual learner: labels change little after that, though the gap still falls
# Over shards that come one by one: steps of one size, whose weights are averaged.
STEP, PASSES_IN_TURN = 0.1, 5


MANY_WEIGHTS = 20_000_000  # beyond that, only pairs of feature and tag that were seen have one
SMALL = 0.01  # weights of unseen pairs are mostly smaller, and never decide


def all_states(settings: Any, choice: TaggingChoice, features: int, tags: int) -> bool | None:
    """Weights for unseen pairs, too: they tell what a feature speaks against; if there is room."""
    quick = getattr(choice.learner, "name", "") in ("dual", "perceptron", "pa")
    chain = settings.order == 1 and settings.normalisation == "global"
    if settings.all_states is None and quick and chain and features * tags <= MANY_WEIGHTS:
        return True
    return settings.all_states  # type: ignore[no-any-return]


def smallest(settings: Any, all_pairs: bool | None) -> float:
    """Below it weights are dropped; 'auto': where all pairs have one without having been asked for."""
    if settings.prune != "auto":
        return float(settings.prune)
    return SMALL if all_pairs and settings.all_states is None else 0.0


def streaming_choice(settings: Any, data: Sequences, tags: Sequence[str], grown: Any) -> TaggingChoice:
    """For a stream: nothing that needs all sentences at once; ``grown`` features are there already."""
    named = settings._named_learner(False)
    auto = named == "auto"
    own = None if settings.C == "auto" else settings.C
    learner = grid.resolve("perceptron" if auto else named, own)
    loss = settings.loss
    if loss == "auto" or auto:
        order = ("perceptron",) if auto else ("logistic", "hinge", "perceptron")
        loss = next((name for name in order if name in learner.losses), "hinge")
    penalty = settings.penalty
    if penalty == "auto" or auto:
        penalty = "none" if "none" in learner.penalties else "l2"
    average = settings.average
    if average == "auto":
        average = learner.averages and penalty == "none"
    features = choose_features(settings._own_features(), data, tags, []) if grown is None else grown
    why = ["a stream: one pass of an online learner over features that grow"]
    C = 1.0 if settings.C == "auto" else settings.C
    return TaggingChoice(features, loss, learner, penalty, bool(average), C, 1e-4, None, why)


def _learner(settings: Any, loss: str, partial: bool, seeing: bool) -> Learner:
    """A fast learner for the cell, exact where the loss allows it."""
    penalty = "l2" if settings.penalty == "auto" else settings.penalty
    grid.check_names(loss, penalty)
    structure = Segments if settings.segments else Chain
    local = settings.normalisation == "local"
    plain = settings.order == 1 and not (settings.constrain_training or seeing or settings.segments)
    wanted: list[str | Learner] = ["counting", "perceptron", "lbfgs", "owlqn", "sgd", "adagrad"]
    if _in_turn():  # weights have few companions in online learners, and few passes will do
        log_steps = LOSSES[loss].ring == "log"
        wanted.insert(1, SGD(step="constant", eta0=STEP) if log_steps else "pa")
        penalty = "none" if settings.penalty == "auto" else penalty
    if partial:
        wanted.insert(0, "em")
    elif loss == "hinge" and not settings.warm_start and not _in_turn():
        wanted.insert(0, "frank_wolfe")
    elif not settings.warm_start and (local or plain) and engines.in_use() is None:
        wanted.insert(0, "dual")  # on shards 'lbfgs' needs fewer rounds to the end
    if loss == "hinge" and not _in_turn():
        wanted.remove("perceptron")
    return grid.first_legal(
        wanted, Cell(structure, loss, penalty, warm_start=bool(settings.warm_start))
    )


def _in_turn() -> bool:
    """Do sentences come shard by shard?"""
    engine = engines.in_use()
    return engine is not None and engine.in_turn


def choose_features(given: Any, data: Sequences, tags: Sequence[str], why: list[str]) -> Any:
    """Those asked for, or a recipe for such tags."""
    if hasattr(given, "fit_rows"):
        return type(given)(**given.get_params(deep=False))
    if not isinstance(given, (str, os.PathLike, Sequence)):
        raise ValueError(
            "features must be 'auto', the name of a recipe, templates, or TokenFeatures(...), not "
            f"{given!r}"
        )
    if given != "auto":
        return TokenFeatures(templates=given)
    if not data.columns:
        why.append("features: the attributes of the tokens")
        return TokenFeatures(templates=[])
    recipe = "pos" if not is_chunked(tags) else "chunk" if PHRASES & {*tag_parts(tags).names} else "ner"
    why.append(f"features: the recipe {recipe!r}")
    return TokenFeatures(templates=recipe)


PHRASES = {"NP", "VP", "PP", "ADJP", "ADVP", "SBAR"}  # spans of these types are chunks, others names
