"""Transformation-based learning: the rules of NLTK's trainer, in its order."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np
import pytest

from linnet import BrillTagger

pytest.importorskip("nltk")


@pytest.mark.parametrize("templates", ["fntbl37", "brill24"])
@pytest.mark.parametrize("seed", range(3))
def test_rules_are_those_of_nltk(templates: str, seed: int) -> None:
    from nltk.tag import BrillTaggerTrainer, brill
    from nltk.tag.api import TaggerI
    from nltk.tbl.template import Template

    rng = np.random.default_rng(seed)
    words = ["a", "it's", 'say "so"', "B", "é", "\\", "can", "x"]
    X, y = [], []
    for _ in range(60):
        drawn = [0, *rng.integers(len(words), size=rng.integers(1, 10)).tolist()]
        X.append([words[w] for w in drawn[1:]])
        y.append([f"T'{(b + (a > 4)) % 4}" if b % 2 else f"t{(a + b) % 3}" for a, b in pairwise(drawn)])
    first = BrillTagger(templates, max_rules=0).fit(X, y)

    class Begun(TaggerI):  # type: ignore[misc]
        def tag(self, tokens: Any) -> Any:
            return list(zip(tokens, first.predict([tokens])[0], strict=True))

    Template._cleartemplates()
    trainer = BrillTaggerTrainer(Begun(), getattr(brill, templates)(), deterministic=True)
    gold = [list(zip(s, tags, strict=True)) for s, tags in zip(X, y, strict=True)]
    theirs = trainer.train(gold, max_rules=40, min_score=1)
    ours = BrillTagger(templates, max_rules=40, min_score=1).fit(X, y)
    assert len(theirs.rules()) > 5
    assert [_said(rule) for rule in theirs.rules()] == ours.rules_text_
    assert [[tag for _, tag in theirs.tag(s)] for s in X] == ours.predict(X)


def _said(rule: Any) -> str:
    names = {"Word": "word", "Pos": "tag"}
    conditions = []
    for feature, value in rule._conditions:
        at = feature.positions
        where = f"{at[0]}" if len(at) == 1 else f"{at[0]}..{at[-1]}"
        conditions.append(f"{names[type(feature).__name__]}[{where}]={value}")
    return f"{rule.original_tag} -> {rule.replacement_tag} if {' & '.join(conditions)}"
