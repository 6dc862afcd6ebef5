"""Pages hold no markup but their own, whatever words, tags, relations and features are called."""

import re

import linnet
from linnet.explain import TreeDrawing

EVIL = "<script>alert(1)</script>\"'><img/src=x>&amp;"


def check(page: str) -> None:
    assert "&lt;script&gt;" in page
    assert not re.search("<script|<img|&amp;amp;amp", page)
    assert "\"'>" not in page


def test_texts() -> None:
    model = linnet.TextClassifier(linnet.TextFeatures(word=(1, 1), chars_wb=(2, 5)))
    model.fit([f"red {EVIL}", "tiny tail"] * 4, [EVIL, f"wren{EVIL}"] * 4)
    check(model.explain(f"red {EVIL} <b>").to_html())


def test_tags() -> None:
    model = linnet.CRF(features=["word", "suffix4"]).fit([[EVIL, "saw"]] * 4, [[EVIL, f"O{EVIL}"]] * 4)
    check(model.explain([EVIL, "saw"]).to_html())


def test_trees() -> None:
    sentence = [(EVIL, f"N{EVIL}"), ("saw", "V")]
    model = linnet.DependencyParser().fit([sentence] * 6, [([2, 0], [EVIL, "root"])] * 6)
    check(model.explain(sentence).to_html())
    trees = model.parse_trees([sentence])
    check(TreeDrawing.of(trees).svg())
