"""The methods, each from labelled places of a pool to a linear model of its rows."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

import linnet._core as _core
from linnet.data import CsrRows
from linnet.estimators.linear.classifier import LinearClassifier
from linnet.estimators.linear.probabilities import softmax
from linnet.estimators.text.unlabelled.pool import (
    Array,
    Codes,
    Learnt,
    Places,
    Pool,
    folded,
    halfway,
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
LABELLED = 0.3  # what a text with a label counts beside others that were given one
EM, ENTROPY, TAUGHT = 0.1, 0.03, 0.3  # what a text without a label counts, of one that has one
SHARP = 3.0  # of margins as logarithms of probabilities
LEAST_SHARE = 1e-6  # of a label, whoever says that it has none
FEW = 10  # labelled texts a label: below, two halves of the features know more than one whole


def em(pool: Pool, places: Places, codes: Codes, weights: Array) -> Learnt:
    """Naive Bayes by expectation maximisation: its own model, whose rows are counts of words."""
    given = np.zeros((len(places), pool.labels))
    given[np.arange(len(places)), codes] = weights
    found = naive_bayes_em(
        pool.matrix[places], given, pool.matrix[pool.unlabelled], pool.weight_of_each(EM)
    )
    return _by_tables(
        found.log_words, found.log_labels, "joint_likelihood", "counting", found.objectives
    )


def entropy(pool: Pool, places: Places, codes: Codes, weights: Array) -> Learnt:
    """Logistic regression that wants to be certain of the unlabelled texts."""
    others = pool.unlabelled
    C = 20.0 if pool.settings.C == "auto" else pool.settings.C
    inner = LinearClassifier(
        "logistic",
        EntropyRegularised(len(places), pool.weight_of_each(ENTROPY)),
        C=C,
        max_iter=100,
        n_jobs=pool.settings.n_jobs,
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
    return folded(pool.train(pool.with_vectors, places, codes, weights), pool.weighed_directions)


def classes(pool: Pool, places: Places, codes: Codes, weights: Array) -> Learnt:
    """Classes of words beside the words."""
    return folded(pool.train(pool.with_classes, places, codes, weights), pool.memberships)


def self_(pool: Pool, places: Places, codes: Codes, weights: Array) -> Learnt:
    """Self-training over words and document vectors."""
    taken, guessed = self_train(pool.scorer(pool.with_vectors), places, codes, pool.unlabelled)
    return _student(pool, pool.rows, places, codes, weights, taken, guessed)


def co(pool: Pool, places: Places, codes: Codes, weights: Array) -> Learnt:
    """Co-training over two views; who names none gets two halves of the features, drawn by chance.

    What the two say of the others is learnt from the features that the model has in any case.
    """
    said = _co_trained(pool, places, codes, pool.unlabelled)
    learnt = _taught(pool, pool.rows, places, codes, weights, pool.unlabelled, said)
    if pool.views is not None:
        learnt.record.facts["views"] = {name: rows.features for name, rows in pool.views.items()}
    return learnt


def propagate(pool: Pool, places: Places, codes: Codes, weights: Array) -> Learnt:
    """Labels spread over the graph of nearest neighbours."""
    said = _spread(pool, places, codes, weights)
    return _taught(pool, pool.rows, places, codes, weights, pool.some, said)


def joint(pool: Pool, places: Places, codes: Codes, weights: Array) -> Learnt:
    """What words and vectors say, what the graph spreads and, of few labels, what co-training says.

    Of a text without a label the likeliest label is learnt, by the geometric mean of these; the model
    is halfway between the one that has learnt that and the one that has not.
    """
    alone = pool.train(pool.with_vectors, places, codes, weights)
    said = [
        softmax(SHARP * as_columns(alone.model.scores(pool.with_vectors[pool.some]))),
        _spread(pool, places, codes, weights),
    ]
    if pool.labelled < FEW * pool.labels:
        said.append(_co_trained(pool, places, codes, pool.some))
    logs = sum(np.log(shares + LEAST_SHARE) for shares in said)
    shares = softmax(np.asarray(logs) / len(said))
    taught = _taught(pool, pool.with_vectors, places, codes, weights, pool.some, shares)
    return folded(halfway(alone, taught), pool.weighed_directions)


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


def _co_trained(pool: Pool, places: Places, codes: Codes, others: Places) -> Array:
    """P(label|text) by two models, each of which has a view of its own."""
    one, other = _halves(pool) if pool.views is None else pool.views.values()
    views = pool.scorer(one), pool.scorer(other)
    return softmax(SHARP * co_train(views, places, codes, others))


def _halves(pool: Pool) -> tuple[CsrRows, CsrRows]:
    half = np.random.default_rng(pool.seed).permutation(pool.rows.features) % 2
    return pool.rows.among(np.flatnonzero(half == 0)), pool.rows.among(np.flatnonzero(half == 1))


def _taught(
    pool: Pool,
    rows: CsrRows,
    places: Places,
    codes: Codes,
    weights: Array,
    others: Places,
    shares: Array,
) -> Learnt:
    """By P(label|text) of a teacher: the likeliest label of each text of which anything is known."""
    best = shares.argmax(axis=1).astype(np.int32)
    known = shares.max(axis=1) > 0
    return _student(pool, rows, places, codes, weights, others[known], best[known])


def _student(
    pool: Pool,
    rows: CsrRows,
    places: Places,
    codes: Codes,
    weights: Array,
    others: Places,
    given: Codes,
) -> Learnt:
    """The usual model, of labelled texts and of others with the labels they were given."""
    each = LABELLED * pool.weight_of_each(TAUGHT)
    counted = np.concatenate([LABELLED * weights, np.full(len(others), each)])
    return pool.train(rows, np.concatenate([places, others]), np.concatenate([codes, given]), counted)


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
