"""Parsers of the sample, each trained once."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np

from linnet import DependencyParser
from linnet.data import samples
from linnet.data.trees import Trees

TRAIN, TEST = samples.load_trees("rambles-train"), samples.load_trees("rambles-test")
FEW = TEST.take(np.arange(8))


@cache
def parser(**settings: Any) -> DependencyParser:
    return DependencyParser(**settings).fit(TRAIN)


def as_lists(trees: Trees) -> Any:
    cells = (trees.column(name) for name in ("form", "upos", "lemma"))
    names = ("form", "upos", "lemma")
    X = [
        [dict(zip(names, token, strict=True)) for token in zip(*s, strict=True)]
        for s in zip(*cells, strict=True)
    ]
    return X, list(zip(trees.head_lists(), trees.relation_lists(), strict=True))
