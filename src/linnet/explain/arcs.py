"""Explanations of parsers."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from linnet.data.trees import Heads, Trees
from linnet.explain.tree_explanation import Choice, TreeExplanation, WordExplanation, merged
from linnet.model.trees import TreeModel

Shares = list[tuple[str, float]]  # of features, by name


def explain_tree(
    model: TreeModel,
    relations: Sequence[str],
    sentence: Trees,
    numbers: Sequence[int] | None = None,
    *,
    probabilities: bool = False,
) -> TreeExplanation:
    """Of one sentence, the contribution of every feature to the arcs of words, in float64.

    ``numbers`` are those of the words to explain, from 1; None: all.
    """
    heads, scores = model.best(sentence)
    codes = model.relations(sentence, heads)
    arcs = model.candidates(sentence)
    marginals = model.marginals(sentence)[1] if probabilities else None
    words = sentence.column("form")[0]
    told = []
    for m in range(1, len(words) + 1) if numbers is None else numbers:
        begin, end = arcs.starts[m - 1 : m + 1].tolist()
        candidates = arcs.heads[begin:end].tolist()
        chosen = int(heads[m - 1])
        other, margin = _runner_up(model, sentence, heads, float(scores[0]), m, candidates)
        second = None if other is None else int(other[m - 1])
        sure = None if marginals is None else float(marginals[begin + candidates.index(chosen)])
        against = [] if other is None else _arc(model, relations, sentence, other, m)
        told.append(
            WordExplanation(
                number=m,
                word=words[m - 1],
                head=Choice(
                    chosen, second, merged(_arc(model, relations, sentence, heads, m), against)
                ),
                relation=_relation(model, relations, sentence, heads, m, int(codes[m - 1])),
                margin=margin,
                probability=sure,
            )
        )
    tags = sentence.column("upos")[0] if "upos" in sentence.columns else None
    named = [relations[code] if code >= 0 else None for code in codes.tolist()]
    return TreeExplanation(words, heads.tolist(), named, float(scores[0]), told, tags)


def _runner_up(
    model: TreeModel, sentence: Trees, heads: Heads, score: float, m: int, candidates: list[int]
) -> tuple[Heads | None, float | None]:
    """The best tree in which word m has another head, and what it scores less."""
    others = [head for head in candidates if head != heads[m - 1]]
    if not others:
        return None, None
    copies = sentence.take(np.zeros(len(others), np.int64))
    known = np.full((len(others), len(heads)), -1, np.int32)
    known[:, m - 1] = others
    trees, scores = model.best(copies, known=known.ravel())
    best = int(np.argmax(scores))
    return trees.reshape(known.shape)[best], score - float(scores[best])


def _arc(model: TreeModel, relations: Sequence[str], sentence: Trees, heads: Heads, m: int) -> Shares:
    """What each feature adds to the score of the arc to word m, in second order with its sibling."""
    head = int(heads[m - 1])
    numbered = model.arcs.names(sentence, 0, head, m)
    if model.order == 2:
        numbered += model.arcs.names(sentence, 0, head, m, sibling=_sibling(heads, m))
    shares = [(name, float(model.weights[number + 1])) for number, name in numbered]
    shares += _joint(model, relations, sentence, head, m)
    return shares if model.bias == 0 else [("bias", model.bias * float(model.weights[0])), *shares]


def _joint(model: TreeModel, relations: Sequence[str], sentence: Trees, head: int, m: int) -> Shares:
    """What features of the best relation of an arc add to its score, where they do."""
    if model.joint_features is None or model.joint_weights is None:
        return []
    numbered = model.joint_features.names(sentence, 0, head, m)
    rows = np.stack([model.joint_weights[j + 1, : len(relations)] for j, _ in numbered])
    best = int(np.argmax(rows.astype(np.float64).sum(axis=0)))
    return [
        (f"{name} relation={relations[best]}", float(row[best]))
        for (_, name), row in zip(numbered, rows, strict=True)
    ]


def _sibling(heads: Heads, m: int) -> int:
    """The modifier of the same head before word m, counted away from the head; 0: none."""
    head = int(heads[m - 1])
    step = -1 if head < m else 1
    return next((s for s in range(m + step, head, step) if heads[s - 1] == head), 0)


def _relation(
    model: TreeModel, names: Sequence[str], sentence: Trees, heads: Heads, m: int, code: int
) -> Choice | None:
    """Why the relation of word m to its head, and not the one with the next best score."""
    if code < 0:
        return None
    assert model.relation_features is not None
    assert model.relation_weights is not None
    numbered = model.relation_features.names(sentence, 0, int(heads[m - 1]), m, heads)
    rows = np.stack([model.relation_weights[j + 1, : len(names)] for j, _ in numbered])
    sums = rows.astype(np.float64).sum(axis=0)
    sums[code] = -np.inf
    second = int(np.argmax(sums)) if len(names) > 1 else None
    called = [name for _, name in numbered]
    chosen = list(zip(called, rows[:, code].astype(float).tolist(), strict=True))
    if second is None:
        return Choice(names[code], None, merged(chosen, []))
    other = list(zip(called, rows[:, second].astype(float).tolist(), strict=True))
    return Choice(names[code], names[second], merged(chosen, other))
