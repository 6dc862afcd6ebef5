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
    seen = _Seen(model, relations, sentence)
    heads, score = seen.heads, seen.score
    codes = model.relations(sentence, heads)
    shares = model.marginals(sentence)[1] if probabilities else None
    words = sentence.column("form")[0]
    told = []
    for m in range(1, len(words) + 1) if numbers is None else numbers:
        chosen, second = int(heads[m - 1]), int(seen.others[m - 1])
        against = [] if second < 0 else seen.arc(second, m, int(seen.other_siblings[m - 1]))
        terms = merged(seen.arc(chosen, m, _sibling(heads, m)), against)
        told.append(
            WordExplanation(
                number=m,
                word=words[m - 1],
                head=Choice(chosen, None if second < 0 else second, terms),
                relation=seen.relation(m, int(codes[m - 1])),
                margin=None if second < 0 else max(0.0, score - float(seen.other_scores[m - 1])),
                probability=None if shares is None else float(shares[seen.number(chosen, m)]),
            )
        )
    tags = sentence.column("upos")[0] if "upos" in sentence.columns else None
    named = [relations[code] if code >= 0 else None for code in codes.tolist()]
    return TreeExplanation(words, heads.tolist(), named, score, told, tags)


class _Seen:
    """A sentence with its best tree, the runners-up of all words, and its features, each made once."""

    def __init__(self, model: TreeModel, relations: Sequence[str], sentence: Trees) -> None:
        self.model, self.relations = model, relations
        self.arcs = model.candidates(sentence)
        self.heads, scores = model.best(sentence)
        self.score = float(scores[0])
        self.other_scores, self.others, self.other_siblings = model.runners_up(sentence, self.heads)
        self.of_arcs = model.arcs.over(sentence)
        joint, relation = model.joint_features, model.relation_features
        self.of_joint = None if joint is None else joint.over(sentence)
        self.of_relations = None if relation is None else relation.over(sentence)

    def number(self, head: int, m: int) -> int:
        """Of an arc among the candidates."""
        begin, end = map(int, self.arcs.starts[m - 1 : m + 1])
        return begin + int(np.searchsorted(self.arcs.heads[begin:end], head))

    def arc(self, head: int, m: int, sibling: int) -> Shares:
        """What each feature adds to the score of an arc to word m, in second order with its sibling."""
        model = self.model
        numbered = self.of_arcs.names(0, head, m)
        if model.order == 2:
            numbered += self.of_arcs.names(0, head, m, None, sibling)
        shares = [(name, float(model.weights[number + 1])) for number, name in numbered]
        shares += self._joint(head, m)
        return shares if model.bias == 0 else [("bias", model.bias * float(model.weights[0])), *shares]

    def _joint(self, head: int, m: int) -> Shares:
        """What features of the best relation of an arc add to its score, where they do."""
        weights = self.model.joint_weights
        if self.of_joint is None or weights is None:
            return []
        numbered = self.of_joint.names(0, head, m)
        rows = np.stack([weights[j + 1, : len(self.relations)] for j, _ in numbered])
        best = int(np.argmax(rows.astype(np.float64).sum(axis=0)))
        return [
            (f"{name} relation={self.relations[best]}", float(row[best]))
            for (_, name), row in zip(numbered, rows, strict=True)
        ]

    def relation(self, m: int, code: int) -> Choice | None:
        """Why the relation of word m to its head, and not the one with the next best score."""
        if code < 0:
            return None
        weights, names = self.model.relation_weights, self.relations
        assert self.of_relations is not None
        assert weights is not None
        numbered = self.of_relations.names(0, int(self.heads[m - 1]), m, self.heads)
        rows = np.stack([weights[j + 1, : len(names)] for j, _ in numbered])
        sums = rows.astype(np.float64).sum(axis=0)
        sums[code] = -np.inf
        second = int(np.argmax(sums)) if len(names) > 1 else None
        called = [name for _, name in numbered]
        chosen = list(zip(called, rows[:, code].astype(float).tolist(), strict=True))
        if second is None:
            return Choice(names[code], None, merged(chosen, []))
        other = list(zip(called, rows[:, second].astype(float).tolist(), strict=True))
        return Choice(names[code], names[second], merged(chosen, other))


def _sibling(heads: Heads, m: int) -> int:
    """The modifier of the same head before word m, counted away from the head; 0: none."""
    head = int(heads[m - 1])
    step = -1 if head < m else 1
    return next((s for s in range(m + step, head, step) if heads[s - 1] == head), 0)
