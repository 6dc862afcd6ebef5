"""Transformation-based learning: every rule scored anew, and the list as a linear function."""

from __future__ import annotations

from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import linnet
from linnet import BrillTagger, Tagger
from linnet.data import samples
from linnet.errors import DataError, RefusedError
from linnet.features.rule_templates import SETS, parse_rules
from linnet.features.templates import Known
from linnet.persistence import ModelFileError

Sentences = list[list[str]]
TAGS = ["A", "B", "C"]


def sentences(seed: int, count: int) -> tuple[Sentences, Sentences]:
    """Few words, whose tags depend on the word before, with some noise."""
    rng = np.random.default_rng(seed)
    X, y = [], []
    for _ in range(count):
        words = rng.integers(6, size=rng.integers(1, 9)).tolist()
        before = [0, *words[:-1]]
        noise = rng.integers(4, size=len(words)).tolist()
        tags = [
            TAGS[(w + (b > 3)) % 3 if n else (w + b) % 3]
            for w, b, n in zip(words, before, noise, strict=True)
        ]
        X.append([f"w{w}" for w in words])
        y.append(tags)
    return X, y


def naive(
    X: Sentences, y: Sentences, tags: Sentences, lines: list[str], limits: tuple[int, int, float]
) -> list[tuple[str, int, int]]:
    """Rules by the definition: (text, fixed, broken)."""
    most, least, accuracy = limits
    templates = parse_rules(lines, Known(["word"]))
    tags = [list(some) for some in tags]

    def seen(condition: Any, s: int, i: int) -> set[str]:
        column = X[s] if condition.column.name else tags[s]
        return {column[i + o] for o in condition.offsets if 0 <= i + o < len(column)}

    def scored(rule: Any) -> tuple[int, int]:
        t, before, after, values = rule
        fixed = broken = 0
        for s, i in places:
            if tags[s][i] == before and all(
                v in seen(c, s, i) for c, v in zip(templates[t], values, strict=True)
            ):
                fixed += y[s][i] == after
                broken += y[s][i] == before
        return fixed, broken

    places = [(s, i) for s in range(len(X)) for i in range(len(X[s]))]
    learnt = []
    while len(learnt) < most:
        rules = {
            (t, tags[s][i], y[s][i], values)
            for s, i in places
            if tags[s][i] != y[s][i]
            for t, template in enumerate(templates)
            for values in product(*(sorted(seen(c, s, i)) for c in template))
        }
        counted = {rule: scored(rule) for rule in rules}
        good = [r for r, (f, b) in counted.items() if f - b >= least and f / (f + b) >= accuracy]
        if not good:
            break
        best = min(good, key=lambda r: (counted[r][1] - counted[r][0], r))
        t, before, after, values = best
        changed = [
            (s, i)
            for s, i in places
            if tags[s][i] == before
            and all(v in seen(c, s, i) for c, v in zip(templates[t], values, strict=True))
        ]
        for s, i in changed:
            tags[s][i] = after
        said = " & ".join(f"{c.text}={v}" for c, v in zip(templates[t], values, strict=True))
        learnt.append((f"{before} -> {after} if {said}", *counted[best]))
    return learnt


OWN = ["tag[-1] word[0..1]", "word[-1]", "tag[1..2]", "tag[-1] tag[1]"]


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("lines", ["brill24", "fntbl37", OWN])
@pytest.mark.parametrize("limits", [(12, 1, 0.0), (8, 2, 0.8)])
def test_rules_are_those_of_naive_rescoring(
    seed: int, lines: Any, limits: tuple[int, int, float]
) -> None:
    X, y = sentences(seed, 25)
    most, least, accuracy = limits
    tagger = BrillTagger(lines, max_rules=most, min_score=least, min_accuracy=accuracy).fit(X, y)
    begun = BrillTagger(lines, max_rules=0).fit(X, y).predict(X)
    found = naive(X, y, begun, SETS[lines] if isinstance(lines, str) else lines, limits)
    assert found
    assert tagger.inspect(top=most) == found


@pytest.mark.parametrize("threads", [1, 3])
def test_the_list_is_a_linear_function(threads: int) -> None:
    """Argmax over tags of the sum of 2^k over the rules that fired is the tag, for every token."""
    X, y = sentences(5, 400)
    tagger = BrillTagger(min_score=1, n_jobs=threads).fit(X, y)
    weights = tagger.model_.weights()
    predicted = tagger.predict(X)
    several = 0
    for explanation, tags in zip(tagger.explain(X), predicted, strict=True):
        assert explanation.tags == tags
        for token in explanation.tokens:
            scores = dict.fromkeys(tagger.classes_.tolist(), 0)
            scores[token.initial] += 1
            several += len(token.rules) > 1
            for rule in token.rules:
                text, tag, weight = weights[rule.number - 1]
                assert (text, weight) == (rule.text, rule.weight)
                scores[tag] += weight
            assert max(scores, key=lambda tag: scores[tag]) == token.tag
    assert several > 0


def test_errors_fall_by_the_scores_of_rules() -> None:
    X, y = sentences(6, 200)
    tagger = BrillTagger().fit(X, y)
    wrong = sum(
        a != b
        for tags, gold in zip(tagger.predict(X), y, strict=True)
        for a, b in zip(tags, gold, strict=True)
    )
    assert tagger.record_.facts["errors after"] == wrong < tagger.record_.facts["errors before"]


def test_unknown_words_have_the_tag_of_their_ending() -> None:
    X = [["linnets", "sing", "sweetly"], ["wrens", "hop", "boldly"]]
    y = [["N", "V", "R"], ["N", "V", "R"]]
    assert BrillTagger().fit(X, y).predict([["oddly"]]) == [["R"]]
    assert BrillTagger(suffix=0).fit(X, y).predict([["oddly"]]) == [["N"]]


def test_mends_the_tags_of_another_tagger(tmp_path: Path) -> None:
    X, y = sentences(7, 200)
    first = Tagger(order=0, features=["word[0]"]).fit(X[:100], y[:100])
    tagger = BrillTagger(initial=first).fit(X, y)
    assert len(tagger.model_) > 0
    assert tagger.score(X, y) > first.score(X, y)
    tagger.save(tmp_path / "m.linnet")
    assert linnet.load(tmp_path / "m.linnet").predict(X) == tagger.predict(X)


def test_a_missing_tag_is_neither_right_nor_wrong() -> None:
    X, y = sentences(8, 60)
    gaps: Any = [[None if i % 5 == 4 else tag for i, tag in enumerate(tags)] for tags in y]
    tagger = BrillTagger().fit(X, gaps)
    assert tagger.record_.facts["errors after"] == sum(
        gold not in (None, tag)
        for tags, golds in zip(tagger.predict(X), gaps, strict=True)
        for tag, gold in zip(tags, golds, strict=True)
    )


def test_a_file_holds_the_tagger(tmp_path: Path) -> None:
    X, y = sentences(9, 100)
    tagger = BrillTagger(["suffix1[0] tag[-1]", "lower[1]", "word[0]"], min_score=1).fit(X, y)
    path = tmp_path / "rules.linnet"
    tagger.save(path)
    loaded = linnet.load(path)
    assert loaded.rules_text_ == tagger.rules_text_ != []
    assert loaded.predict(X) == tagger.predict(X)
    assert loaded.get_params() == tagger.get_params()


@pytest.mark.parametrize("tensor", ["rules", "words.tags", "endings.tags"])
def test_damaged_files_are_refused(tensor: str, tmp_path: Path) -> None:
    from linnet.persistence import write

    X, y = sentences(10, 100)
    spec, tensors = BrillTagger(min_score=1).fit(X, y).file_parts()
    for wrong in (99, -7):
        path = tmp_path / "m.linnet"
        write(path, spec, tensors | {tensor: np.full_like(tensors[tensor], wrong)})
        with pytest.raises(ModelFileError):
            linnet.load(path)


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ({"templates": "brill25"}, "fntbl37, brill24"),
        ({"templates": []}, "there are none"),
        ({"templates": ["tag[0]"]}, "says nothing"),
        ({"templates": ["word"]}, "is no value"),
        ({"templates": ["pos[0]"]}, "there is no 'pos'"),
        ({"templates": ["word[2..1]"]}, "offsets rise"),
        ({"max_rules": -1}, "max_rules"),
        ({"min_score": 0}, "min_score"),
        ({"min_accuracy": 2}, "min_accuracy"),
        ({"initial": Tagger()}, "fitted"),
    ],
)
def test_what_makes_no_sense_is_refused(settings: dict[str, Any], said: str) -> None:
    with pytest.raises(ValueError, match=said):
        BrillTagger(**settings).fit([["a", "b"]], [["A", "B"]])


def test_what_rules_cannot_say_is_refused() -> None:
    X, y = sentences(11, 30)
    tagger = BrillTagger().fit(X, y)
    with pytest.raises(RefusedError, match="second best"):
        tagger.predict(X, k=2)
    with pytest.raises(RefusedError, match="known"):
        tagger.predict(X, known=y)
    with pytest.raises(DataError, match="y is needed"):
        BrillTagger().fit(X)
    assert not hasattr(tagger, "predict_proba")


def test_sentences_of_a_file_and_running_text() -> None:
    folder = Path(samples.__file__).parent
    tagger = BrillTagger().fit(folder / "rambles-train.conllu")
    assert tagger.score(folder / "rambles-test.conllu") > 0.8
    assert len(tagger.predict(["The linnet sings."])[0]) == 4
    assert tagger.predict([[]]) == [[]]
