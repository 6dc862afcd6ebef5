"""Classifier and tagger as estimators: input, explanations, files."""

import numpy as np
import pytest

import linnet
from linnet import MemoryClassifier, MemoryTagger
from linnet.errors import DataError, RefusedError

X = [["red", "round"], ["red", "long"], ["green", "round"], ["green", "long"]]
Y = ["apple", "pepper", "lime", "cucumber"]


def test_rows_may_be_lists_dicts_and_tables():
    pandas = pytest.importorskip("pandas")
    dicts = [dict(zip(("colour", "shape"), row, strict=True)) for row in X]
    for given in (X, np.array(X), np.array(X, object), dicts, pandas.DataFrame(dicts)):
        memory = MemoryClassifier().fit(given, Y)
        assert memory.predict(given).tolist() == Y
        assert memory.score(given, Y) == 1.0
    assert MemoryClassifier().fit(dicts, Y).feature_names_in_.tolist() == ["colour", "shape"]


def test_input_that_fits_nothing_is_refused():
    memory = MemoryClassifier().fit(X, Y)
    with pytest.raises(DataError, match="row 2"):
        MemoryClassifier().fit([["a", "b"], ["a"]], [0, 1])
    with pytest.raises(DataError, match="row 1"):
        memory.predict([["a"]])
    with pytest.raises(DataError, match="one class"):
        MemoryClassifier().fit(X, [1, 1, 1, 1])
    with pytest.raises(DataError, match="no symbol"):
        MemoryClassifier().fit([[["a"]], [["b"]]], [0, 1])
    with pytest.raises(DataError, match="4 rows"):
        MemoryClassifier().fit(X, Y[:2])


def test_explanations_tell_who_agrees():
    memory = MemoryClassifier(weights="none").fit(X, Y)
    told = memory.explain(["red", "square"])
    assert told.label == memory.predict([["red", "square"]])[0]
    assert [(n.label, n.distance, n.agree) for n in told.neighbours] == [
        ("apple", 1.0, ["x0=red"]),
        ("pepper", 1.0, ["x0=red"]),
    ]
    assert "same x0=red; other x1=round for square" in str(told)
    assert told.to_dict()["neighbours"][0]["number"] == 1
    assert "<td>apple</td>" in told.to_html()
    tree = MemoryClassifier(algorithm="igtree").fit(X, Y).explain([["red", "round"]])[0]
    assert [step.test for step in tree.steps] == ["", "x0=red", "x1=round"][: len(tree.steps)]
    assert tree.label == "apple"


@pytest.mark.parametrize("settings", [{}, {"metric": "mvdm", "k": 3}, {"algorithm": "igtree"}])
def test_files_bring_the_same_model_back(tmp_path, settings):
    memory = MemoryClassifier(**settings).fit(X * 3, Y * 3)
    memory.save(tmp_path / "m.linnet")
    loaded = linnet.load(tmp_path / "m.linnet")
    asked = [*X, ["blue", "round"]]
    assert loaded.predict(asked).tolist() == memory.predict(asked).tolist()
    assert str(loaded.explain(asked[4])) == str(memory.explain(asked[4]))
    assert loaded.get_params() == memory.get_params()
    assert loaded.inspect() == memory.inspect()


SENTENCES = [["the", "can"], ["birds", "can", "sing"], ["they", "can", "fly"]]
TAGS = [["D", "N"], ["N", "V", "V"], ["P", "V", "V"]]


def test_windows_do_not_cross_sentences(tmp_path):
    tagger = MemoryTagger(window=1, k=1, metric="overlap").fit(SENTENCES, TAGS)
    assert tagger.predict(SENTENCES) == TAGS
    model = tagger.model_
    assert model.names == ["word[-1]", "word[0]", "word[1]"]
    assert [model.values[f][model.rows[0, f]] for f in range(3)] == ["", "the", "can"]
    assert [model.values[f][model.rows[2, f]] for f in range(3)] == ["", "birds", "can"]
    assert [model.values[f][model.rows[1, f]] for f in range(3)] == ["the", "can", ""]
    tagger.save(tmp_path / "t.linnet")
    loaded = linnet.load(tmp_path / "t.linnet")
    asked = [["the", "birds", "can", "can"]]
    assert loaded.predict(asked) == tagger.predict(asked)
    assert str(loaded.explain(asked[0])) == str(tagger.explain(asked[0]))
    assert tagger.explain(asked[0]).tags == tagger.predict(asked)[0]
    assert tagger.score(SENTENCES, TAGS) == 1.0


def test_a_tagger_is_a_classifier_of_windows():
    tagger = MemoryTagger(window=1, k=2, metric="mvdm").fit(SENTENCES, TAGS)
    rows = [
        [s[i - 1] if i else "", s[i], s[i + 1] if i + 1 < len(s) else ""]
        for s in SENTENCES
        for i in range(len(s))
    ]
    memory = MemoryClassifier(2, "mvdm").fit(rows, [t for tags in TAGS for t in tags])
    np.testing.assert_allclose(tagger.model_.weights, memory.model_.weights)
    assert [t for tags in tagger.predict(SENTENCES) for t in tags] == memory.predict(rows).tolist()


def test_tokens_without_tags_are_not_kept_and_chains_are_refused():
    tagger = MemoryTagger(k=1).fit([["a", "b", "c"]], [["X", None, "Y"]])
    assert len(tagger.model_) == 2
    with pytest.raises(RefusedError, match="k:"):
        tagger.predict([["a"]], k=2)
    with pytest.raises(DataError, match="no pos"):
        MemoryTagger(columns=["pos"]).fit(SENTENCES, TAGS)
    with pytest.raises(ValueError, match="window"):
        MemoryTagger(window=-1).fit(SENTENCES, TAGS)
