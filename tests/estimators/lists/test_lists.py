"""Decision lists against a plain count, rules against naive rescoring, texts and rows alike."""

from collections import Counter
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import linnet
from linnet import BrillClassifier, DecisionList, TextBrill, TextClassifier, TextDecisionList
from linnet.errors import DataError, RefusedError
from linnet.features import TextFeatures

WORDS = TextFeatures(word=(1, 1), tf="binary", scale="none", norm="none")
DATA = st.lists(
    st.tuples(st.sets(st.sampled_from("abcdef"), min_size=1), st.sampled_from("XYZ")),
    min_size=2,
    max_size=25,
).filter(lambda rows: len({label for _, label in rows}) > 1)


def spelled(data):
    """Texts of words, since a letter by itself may be left out."""
    texts = [" ".join(f"word{w}" for w in sorted(words)) for words, _ in data]
    return texts, [label for _, label in data]


@settings(max_examples=50, deadline=None)
@given(DATA, st.sampled_from([0.1, 0.5, 1.0]), st.integers(1, 3))
def test_a_decision_list_is_what_counts_say(data, alpha, least):
    X, y = spelled(data)
    found = TextDecisionList(WORDS, alpha=alpha, min_count=least).fit(X, y)
    names, model = found.features_.names, found.model_
    exact = Fraction(alpha)
    frequency = Counter(y)
    labels = found.classes_.tolist()
    default = max(labels, key=lambda c: (frequency[c], -labels.index(c)))

    def odds(word, label):
        own = [c for text, c in zip(X, y, strict=True) if word in text.split()]
        return (own.count(label) + exact) / (len(own) - own.count(label) + exact), own.count(label)

    floor = (frequency[default] + exact) / (len(y) - frequency[default] + exact)
    entries = []
    for j, word in enumerate(names):
        ranked = [(*odds(word, label), -k) for k, label in enumerate(labels)]
        value, count, k = max(ranked)
        if value > floor and sum(word in text.split() for text in X) >= least:
            entries.append((-value, -count, j, labels[-k]))
    expected = [f"{names[j]} -> {label}" for _, _, j, label in sorted(entries)]
    assert found.rules_text_ == [*expected, f"else -> {default}"]
    for text, label in zip(X, found.predict(X).tolist(), strict=True):
        first = next((e for e in expected if e.split()[0] in text.split()), f"else -> {default}")
        assert label == first.split()[-1]
    # the list is linear: 2^k outweighs all that follow
    weights = model.weights()
    for text, label in zip(X, found.predict(X).tolist(), strict=True):
        scores = Counter()
        for feature, code, weight in weights:
            if feature < 0 or names[feature] in text.split():
                scores[labels[code]] += weight
        assert max(scores, key=scores.__getitem__) == label


def naive_rules(rows, y, labels, most, least):
    """Every rule at every row anew."""
    now = [max(labels, key=lambda c: (y.count(c), -labels.index(c)))] * len(y)
    features = max((f for row in rows for f in row), default=-1) + 1
    learnt = []
    while len(learnt) < most:
        scored = []
        for f in range(features):
            for before in labels:
                for after in labels:
                    if before == after:
                        continue
                    hit = [i for i, row in enumerate(rows) if f in row and now[i] == before]
                    fixed, broken = (sum(y[i] == c for i in hit) for c in (after, before))
                    key = (broken - fixed, f, labels.index(before), labels.index(after))
                    scored.append((key, fixed, broken))
        if not scored or -min(scored)[0][0] < least:
            break
        (_, f, before, after), fixed, broken = min(scored)
        learnt.append([f, before, after, fixed, broken])
        for i, row in enumerate(rows):
            if f in row and now[i] == labels[before]:
                now[i] = labels[after]
    return learnt, now


@settings(max_examples=50, deadline=None)
@given(DATA, st.integers(1, 2), st.integers(0, 12))
def test_rules_are_those_of_naive_rescoring(data, least, most):
    X, y = spelled(data)
    found = TextBrill(WORDS, max_rules=most, min_score=least).fit(X, y)
    names = found.features_.names
    rows = [{names.index(word) for word in text.split()} for text in X]
    expected, labels = naive_rules(rows, y, found.classes_.tolist(), most, least)
    assert found.model_.rules.tolist() == expected
    assert found.predict(X).tolist() == labels
    # as a linear function: the last rule that fired outweighs all before it
    for told, label in zip(found.explain(X), labels, strict=True):
        assert told.label == label == told.evidence[-1].label
        scores = Counter({told.evidence[0].label: 1})
        for evidence in told.evidence[1:]:
            scores[evidence.label] += found.model_.weights()[evidence.number - 1][2]
        assert max(scores, key=scores.__getitem__) == label


def test_labels_of_another_classifier_are_mended(tmp_path):
    X, y = ["aa bb", "aa cc", "dd bb", "dd cc"] * 3, [0, 0, 1, 1] * 3
    rough = TextClassifier(WORDS).fit(["aa", "dd", "cc"], [0, 1, 1])
    rules = TextBrill(WORDS, rough, min_score=1).fit(X, y)
    assert rules.score(X, y) == 1.0
    rules.save(tmp_path / "r.linnet")
    loaded = linnet.load(tmp_path / "r.linnet")
    assert loaded.predict(X).tolist() == y
    assert str(loaded.explain(X[1])) == str(rules.explain(X[1]))
    with pytest.raises(ValueError, match="initial"):
        TextBrill(initial=TextClassifier()).fit(X, y)
    with pytest.raises(RefusedError, match="label"):
        TextBrill(WORDS, rough).fit(X, [c + 2 for c in y])


ROWS = [[a, b, c] for a in "01" for b in "01" for c in "01"]


def test_a_2_decision_list_holds_xor_and_rules_do():
    y = [int(a != b) for a, b, _ in ROWS]
    assert DecisionList(conjunctions=1).fit(ROWS, y).score(ROWS, y) < 1
    assert DecisionList(conjunctions=2).fit(ROWS, y).score(ROWS, y) == 1
    assert BrillClassifier(conjunctions=2, min_score=1).fit(ROWS, y).score(ROWS, y) == 1


@pytest.mark.parametrize("what", [DecisionList(conjunctions=2), BrillClassifier(min_score=1)])
def test_rows_as_files(tmp_path, what):
    y = ["odd" if (a, b, c).count("1") % 2 else "even" for a, b, c in ROWS]
    found = what.fit(ROWS, y)
    found.save(tmp_path / "l.linnet")
    loaded = linnet.load(tmp_path / "l.linnet")
    assert (
        loaded.predict([*ROWS, ["2", "0", "1"]]).tolist()
        == found.predict([*ROWS, ["2", "0", "1"]]).tolist()
    )
    assert loaded.rules_text_ == found.rules_text_
    assert [str(e) for e in loaded.explain(ROWS)] == [str(e) for e in found.explain(ROWS)]


@pytest.mark.parametrize("what", [TextDecisionList, TextBrill])
def test_what_texts_lists_refuse(what):
    with pytest.raises(RefusedError, match="one label"):
        what().fit(["a b", "c d"], [["x", "y"], ["x"]])
    with pytest.raises(DataError, match="one class"):
        what().fit(["a b", "c d"], ["x", "x"])
    with pytest.raises(RefusedError, match="weigh"):
        what().fit(["a b", "c d"], ["x", "y"], sample_weight=[1, 2])
    with pytest.raises(ValueError, match="features"):
        what(features="words").fit(["a b", "c d"], ["x", "y"])
    found = what(WORDS).fit(["aa", "bb", "aa cc"], ["x", "y", "x"])
    with pytest.raises(AttributeError, match="probabilities"):
        found.predict_proba(["aa"])
    assert found.inspect().to_dict().keys() == {"x", "y"}
    assert np.asarray(found.decision_function(["aa"])).shape == (1,)
