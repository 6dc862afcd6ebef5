"""Explaining trees of phrases: the features of each bracket, and the best tree without it."""

from __future__ import annotations

import math
from typing import Any

from linnet.data.bracket_chains import chain_name
from linnet.data.bracket_tree import Constituent
from linnet.data.sequences import Sequences
from linnet.errors import DataError
from linnet.explain.phrase_explanation import BracketExplanation, PhraseExplanation
from linnet.explain.tree_explanation import merged
from linnet.model.phrases import Found, PhraseModel, Tree


def explain_brackets(
    model: PhraseModel, sentence: Sequences, span: Any = None, probabilities: bool = False
) -> PhraseExplanation:
    """Of one sentence with words and tags; ``span`` (begin, end) is the one bracket to explain."""
    found = model.best(sentence, [], 1)
    tree = found.chained(model.chains).trees(sentence)[0]
    chosen = _brackets(found, 0)
    if span is not None and tuple(span) not in chosen:
        there = ", ".join(str(each) for each in chosen)
        raise DataError(f"span: the tree has no bracket {tuple(span)!r}; it has {there}")
    if not chosen:
        return PhraseExplanation(tree, float(found.values[0]), [])
    (others,) = model.runners_up(sentence, 1)
    shares = _shares(model, sentence) if probabilities else {}
    explained = []
    for k, ((begin, end), code) in enumerate(chosen.items()):
        if span is not None and (begin, end) != tuple(span):
            continue
        rest = _brackets(others, k)
        second = rest.get((begin, end))
        terms = merged(
            model.evidence(sentence, chosen, (begin, end)),
            [] if second is None else model.evidence(sentence, rest, (begin, end)),
        )
        margin = float(found.values[0] - others.values[k])
        explained.append(
            BracketExplanation(
                begin,
                end,
                chain_name(model.chains[code]),
                None if second is None else chain_name(model.chains[second]),
                terms,
                margin if math.isfinite(margin) else None,
                _named(model, rest, chosen),
                _named(model, chosen, rest),
                shares.get((begin, end, code), 0.0) if probabilities else None,
            )
        )
    return PhraseExplanation(tree, float(found.values[0]), explained)


def _brackets(found: Found, i: int) -> Tree:
    at = slice(int(found.starts[i]), int(found.starts[i + 1]))
    spans = zip(found.begins[at].tolist(), found.ends[at].tolist(), strict=True)
    return dict(zip(spans, found.codes[at].tolist(), strict=True))


def _shares(model: PhraseModel, sentence: Sequences) -> dict[tuple[int, int, int], float]:
    found = model.marginals(sentence, [], 0.0, 1)
    keys = zip(found.begins.tolist(), found.ends.tolist(), found.codes.tolist(), strict=True)
    return dict(zip(keys, found.scores.tolist(), strict=True))


def _named(model: PhraseModel, here: Tree, there: Tree) -> list[Constituent]:
    """Brackets that are here and not there."""
    return [
        Constituent(begin, end, chain_name(model.chains[code]))
        for (begin, end), code in here.items()
        if there.get((begin, end)) != code
    ]
