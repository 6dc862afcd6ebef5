"""The methods, each from labelled places of a pool to a linear model of its rows."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

import linnet._core as _core
from linnet.estimators.linear.classifier import LinearClassifier
from linnet.estimators.linear.probabilities import softmax
from linnet.estimators.text.unlabelled.pool import (
    VECTOR_SHARE,
    Array,
    Codes,
    Learnt,
    Places,
    Pool,
    folded,
)
from linnet.learners.unlabelled import (
    EntropyRegularised,
    co_train,
    naive_bayes_em,
    self_train,
    spread,
)
from linnet.learners.unlabelled.self_training import as_columns
from linnet.model import LinearModel
from linnet.training import TrainingRecord

Method = Callable[[Pool, Places, Codes, Array], Learnt]
LABELLED, TAUGHT = 0.3, 0.09  # what a text counts that has a label, and one that was given it
SHARP = 3.0  # of margins as logarithms of probabilities


def em(pool: Pool, places: Places, codes: Codes, weights: Array) -> Learnt:
    """Naive Bayes by expectation maximisation: its own model, whose rows are counts of words."""
    given = np.zeros((len(places), pool.labels))
    given[np.arange(len(places)), codes] = weights
    found = naive_bayes_em(pool.matrix[places], given, pool.matrix[pool.unlabelled])
    return _by_tables(
        found.log_words, found.log_labels, "joint_likelihood", "counting", found.objectives
    )


def entropy(pool: Pool, places: Places, codes: Codes, weights: Array) -> Learnt:
    """Logistic regression that wants to be certain of the unlabelled texts."""
    others = pool.unlabelled
    C = 20.0 if pool.settings.C == "auto" else pool.settings.C
    inner = LinearClassifier(
        "logistic", EntropyRegularised(len(places)), C=C, max_iter=100, n_jobs=pool.settings.n_jobs
    )
    inner.set_params(tol=1e-4, diagnostics=False, verbose=pool.settings.verbose)
    labels = np.concatenate([codes, np.zeros(len(others), dtype=np.int32)])  # of the others: any
    inner.fit(
        pool.rows[np.concatenate([places, others])],
        labels,
        sample_weight=np.concatenate([weights, np.ones(len(others))]),
    )
    return Learnt(inner.model_, "logistic", True, inner.record_)


def vectors(pool: Pool, places: Places, codes: Codes, weights: Array) -> Learnt:
    """Document vectors beside the words."""
    return folded(pool.train(pool.with_vectors, places, codes, weights), VECTOR_SHARE * pool.directions)


def classes(pool: Pool, places: Places, codes: Codes, weights: Array) -> Learnt:
    """Classes of words beside the words."""
    return folded(pool.train(pool.with_classes, places, codes, weights), pool.memberships)


def self_(pool: Pool, places: Places, codes: Codes, weights: Array) -> Learnt:
    """Self-training over words and document vectors."""
    taken, guessed = self_train(pool.scorer(pool.with_vectors), places, codes, pool.unlabelled)
    return _student(pool, places, codes, weights, taken, guessed, np.ones(len(taken)))


def co(pool: Pool, places: Places, codes: Codes, weights: Array) -> Learnt:
    """Co-training over two halves of the features, drawn by chance."""
    half = np.random.default_rng(pool.seed).permutation(pool.rows.features) % 2
    views = tuple(pool.scorer(pool.rows.among(np.flatnonzero(half == side))) for side in (0, 1))
    scores = co_train((views[0], views[1]), places, codes, pool.unlabelled)
    return _taught(pool, places, codes, weights, pool.unlabelled, softmax(SHARP * scores))


def propagate(pool: Pool, places: Places, codes: Codes, weights: Array) -> Learnt:
    """Labels spread over the graph of nearest neighbours."""
    return _taught(pool, places, codes, weights, pool.some, _spread(pool, places, codes, weights))


def joint(pool: Pool, places: Places, codes: Codes, weights: Array) -> Learnt:
    """The geometric mean of what spreads over the graph and what words and vectors say."""
    teacher = pool.train(pool.with_vectors, places, codes, weights).model
    said = softmax(SHARP * as_columns(teacher.scores(pool.with_vectors[pool.some])))
    both = np.sqrt(said * (_spread(pool, places, codes, weights) + 1e-6))
    return _taught(pool, places, codes, weights, pool.some, both / both.sum(axis=1, keepdims=True))


METHODS: dict[str, Method] = {
    "joint": joint,
    "vectors": vectors,
    "classes": classes,
    "propagate": propagate,
    "self": self_,
    "co": co,
    "entropy": entropy,
    "em": em,
}


def _spread(pool: Pool, places: Places, codes: Codes, weights: Array) -> Array:
    given = np.zeros((pool.labelled + len(pool.some), pool.labels))
    given[places, codes] = weights
    return spread(pool.graph, given)[pool.labelled :]


def _taught(
    pool: Pool, places: Places, codes: Codes, weights: Array, others: Places, shares: Array
) -> Learnt:
    """By P(label|text) of a teacher: the likeliest label, as much as it is likely."""
    best = shares.argmax(axis=1).astype(np.int32)
    return _student(pool, places, codes, weights, others, best, shares.max(axis=1))


def _student(
    pool: Pool, places: Places, codes: Codes, weights: Array, others: Places, best: Codes, sure: Array
) -> Learnt:
    """The usual model, of labelled texts and of others with the labels they were given."""
    counted = np.concatenate([LABELLED * weights, TAUGHT * sure])
    kept = counted > 0
    learnt = np.concatenate([places, others])[kept], np.concatenate([codes, best])[kept]
    return pool.train(pool.rows, *learnt, counted[kept])


def _by_tables(
    weights: Array, intercepts: Array, loss: str, learner: str, objectives: list[float]
) -> Learnt:
    """From weights (labels, features): two labels have one weight per feature, their difference."""
    if len(weights) == 2:
        weights, intercepts = weights[1:] - weights[:1], intercepts[1:] - intercepts[:1]
    width = len(weights)
    block = np.zeros((weights.shape[1] + 1, _core.padded(width)))
    block[0, :width], block[1:, :width] = intercepts, weights.T
    structure = "binary" if width == 1 else "multiclass"
    record = TrainingRecord(loss, learner, "none", structure, 1.0, 0.0, stopped="converged")
    record.facts = {"objectives": objectives} if objectives else {}
    return Learnt(LinearModel(block, width, 1.0), loss, True, record)
